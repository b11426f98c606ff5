"""What scores of several systems, subgroups, groups and labels have become: one fit, a value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..inputs._random_state import seed_entropy
from ..results._verdict import Reason, Verdict
from ..sample._score_kind import ScoreKind, default_threshold
from ..score_mixture._fit_verdict import reasons_of_experts
from ..score_mixture._forgotten_labels import warn_of_forgotten
from ..score_mixture._label_bets import LabelBets
from ..score_mixture._label_reasons import reasons_of_labels
from ..score_mixture._recipe import Recipe
from ..score_mixture._surprising_items import SurprisingItems
from ._item_posterior import ItemPosterior
from ._item_prior import ItemPrior
from ._item_table import ItemTable
from ._item_verdict import bets_on_items, reasons_of_items
from ._ranking_posterior import RankingPosterior

__all__ = ["StructuredModel"]

# Draws of a posterior of items: each holds the labels of all of them.
MOST_DRAWS = 400


@dataclass(frozen=True, eq=False)
class StructuredModel:
    """A fit of items that several scores, categories or groups describe; all of it, or none.

    Attributes
    ----------
    recipe : Recipe
        How it was made.
    seed : int
        From which all random numbers come.
    prior : ItemPrior or None
        What was made of the scores. None after a pickle: banks are large, and made again.
    table : ItemTable
    kinds : tuple of ScoreKind
        Of each system, and each judge.
    posterior : ItemPosterior
    surprising_items : SurprisingItems
    bets : LabelBets
    verdict : Verdict
        On the model, and on numbers about further items.
    """

    recipe: Recipe
    seed: int
    prior: ItemPrior | None
    table: ItemTable
    kinds: tuple[ScoreKind, ...]
    posterior: ItemPosterior
    surprising_items: SurprisingItems
    bets: LabelBets
    verdict: Verdict

    @classmethod
    def of(cls, parameters, X, y=None, sample_weight=None, **structure) -> StructuredModel:
        """Fit what an estimator is asked to fit, with the parameters of a mixture.

        Parameters
        ----------
        parameters : SemisupervisedScoreMixture
        X, y, sample_weight
            As its `fit` takes them.
        **structure
            `category`, `groups` and `judges`; `source` of items that were counted.
        """
        recipe = Recipe.of(parameters)
        table = ItemTable.read(parameters, X, y, sample_weight, **structure)
        seed = seed_entropy(parameters.random_state)
        return cls.made(recipe, table, ItemPrior.of(table, recipe, seed))

    @classmethod
    def made(cls, recipe: Recipe, table: ItemTable, prior: ItemPrior) -> StructuredModel:
        """Let labels judge a prior."""
        posterior = prior.posterior(table, min(recipe.n_draws, MOST_DRAWS))
        ranking, orientation = prior.ranking(posterior, table), table.orientations[0]
        with np.errstate(under="ignore"):
            experts = reasons_of_experts(ranking, prior.average_precision, orientation)
            # No reason by how curves fall: the items of one score differ in more than the score.
            found = [
                *reasons_of_labels(ranking, orientation),
                *experts,
            ]
            bets = bets_on_items(posterior, ranking, table)
            surprising = SurprisingItems.of(
                ranking, prior.numbers, table.codes, table.labels, orientation
            )
        reasons = [
            *found,
            *reasons_of_items(table),
            *bets.reasons(orientation),
            *(_of_scores(reason, len(table.samples)) for reason in surprising.reasons()),
        ]
        return cls(
            recipe,
            prior.entropy,
            prior,
            table,
            prior.kinds,
            posterior,
            surprising,
            bets,
            Verdict(reasons),
        )

    def with_labels(self, table: ItemTable, recipe: Recipe | None = None) -> StructuredModel:
        """Return the model of other labels of the same items: the same prior, unless it is lost."""
        recipe = self.recipe if recipe is None else recipe
        prior = self.prior
        if prior is None or not recipe.makes_the_same(self.recipe):
            prior = ItemPrior.of(table, recipe, self.seed)
        return self.made(recipe, table, prior)

    def updated(self, parameters, X, y, sample_weight=None, **structure) -> StructuredModel:
        """Return what an estimator's `update`, which calls this, makes of other labels.

        Raises
        ------
        ValueError
            If the scores, categories, groups or judges are others.

        Warns
        -----
        ForgottenLabelsWarning
            If labels are lost: at the line that called `update`.
        """
        table = ItemTable.read(
            parameters, X, y, sample_weight, **structure, before=self.table.labels
        )
        table = self.table.same_items(table)
        warn_of_forgotten(self.table.n_lost(table), int((self.table.codes >= 0).sum()))
        recipe = Recipe.of(parameters)
        if table.source is None:
            return self.with_labels(table, recipe)
        # What was made of other rows of the bins is not for these.
        return self.made(recipe, table, ItemPrior.of(table, recipe, self.seed))

    @cached_property
    def verdict_on_sample(self) -> Verdict:
        """The verdict on numbers about these very items."""
        is_complete = (self.table.codes >= 0).all()
        return self.verdict.of_complete_labels(self.n_items) if is_complete else self.verdict

    @property
    def n_items(self) -> float:
        """How many items there are."""
        counts = self.posterior.counts
        return float(self.table.n_items if counts is None else counts.sum())

    @property
    def labels(self):
        """How labels are written."""
        return self.table.labels

    def ranking(self, system=None, category=None, beside=()) -> RankingPosterior:
        """Return what is known of one system's ranking of the items that it scored.

        Of all of them or of a category; of those only that some systems `beside` it scored too.
        """
        number = self.table.number_of(system)
        return self._ranking_by(number, category, map(self.table.number_of, beside))

    def ranking_of_judge(self, judge, category=None) -> RankingPosterior:
        """Return what is known of a judge, of all items of which it says anything."""
        return self._ranking_by(self.table.n_systems + self.table.number_of_judge(judge), category)

    def _ranking_by(self, column: int, category, beside=()) -> RankingPosterior:
        table, part = self.table, self.table.part_of(category)
        columns = column, *(other for other in beside if table.misses[other])
        key = part, columns
        if key not in self._rankings:
            self._rankings[key] = RankingPosterior.of(
                self.posterior,
                table.columns[:, column],
                self.kinds[column],
                table.measured_items(columns, part),
                table.clusters,
                # A judge may give one verdict only, and there are two.
                np.array([0.0, 1.0]) if table.are_verdicts[column] else None,
            )
        return self._rankings[key]

    @cached_property
    def _rankings(self) -> dict:
        return {}

    def default_threshold(self, system=None) -> float | None:
        """Return where a decision is taken by a system's scores, if their kind says it."""
        sample = self.table.samples[self.table.number_of(system)]
        return default_threshold(sample, self.recipe.score_kind)

    def threshold_of_judge(self, judge) -> float | None:
        """Return where a judge's verdict is positive, if what it says shows it."""
        column = self.table.n_systems + self.table.number_of_judge(judge)
        if self.table.are_verdicts[column]:
            return 0.5
        return default_threshold(self.table.samples[column], "auto")

    def __getstate__(self):
        return {**vars(self), "prior": None, "_rankings": {}}


def _of_scores(reason: Reason, n_columns: int) -> Reason:
    """Return a reason that says of which scores it speaks, if several columns tell of an item."""
    if n_columns == 1:
        return reason
    return replace(reason, text=reason.text.replace(" at score ", " at consensus score "))
