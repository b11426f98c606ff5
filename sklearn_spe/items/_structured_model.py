"""Fit of items with several systems, subgroups or groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..inputs._random_state import seed_entropy
from ..results._verdict import Reason, Verdict
from ..sample._score_kind import ScoreKind, default_threshold
from ..score_mixture._fit_settings import FitSettings
from ..score_mixture._fit_verdict import reasons_of_experts
from ..score_mixture._label_e_process import LabelEProcess
from ..score_mixture._label_reasons import reasons_of_labels
from ..score_mixture._removed_labels import warn_of_removed
from ..score_mixture._suspect_labels import SuspectLabels
from ._item_posterior import ItemPosterior
from ._item_prior import ItemPrior
from ._item_table import ItemTable
from ._item_verdict import bets_on_items, reasons_of_items
from ._ranking_posterior import RankingPosterior

__all__ = ["StructuredModel"]

# Maximum number of draws of a posterior of items: each holds the labels of all items.
MAX_DRAWS = 400


@dataclass(frozen=True, eq=False)
class StructuredModel:
    """Fit of items with several scores, categories or groups."""

    settings: FitSettings  # settings of the fit
    seed: int  # of all random numbers
    prior: ItemPrior | None  # None after unpickling: ensembles are large and are rebuilt
    table: ItemTable
    kinds: tuple[ScoreKind, ...]  # of each system and rater
    posterior: ItemPosterior
    suspect_labels: SuspectLabels
    bets: LabelEProcess
    verdict: Verdict  # on the model and on estimates of the population

    @classmethod
    def of(cls, parameters, X, y=None, sample_weight=None, **structure) -> StructuredModel:
        """Fit with the parameters of a `SemisupervisedScoreMixture`.

        `**structure` holds `category`, `groups` and `judges`, and the `source` of binned items.
        """
        settings = FitSettings.of(parameters)
        table = ItemTable.read(parameters, X, y, sample_weight, **structure)
        seed = seed_entropy(parameters.random_state)
        return cls.made(settings, table, ItemPrior.of(table, settings, seed))

    @classmethod
    def made(cls, settings: FitSettings, table: ItemTable, prior: ItemPrior) -> StructuredModel:
        """Update a prior by the labels."""
        posterior = prior.posterior(table, min(settings.n_draws, MAX_DRAWS))
        ranking, score_direction = prior.ranking(posterior, table), table.score_directions[0]
        with np.errstate(under="ignore"):
            experts = reasons_of_experts(ranking, prior.average_precision, score_direction)
            # No check for decreasing curves: items with equal scores may differ in other columns.
            found = [
                *reasons_of_labels(ranking, score_direction),
                *experts,
            ]
            bets = bets_on_items(posterior, ranking, table)
            suspect = SuspectLabels.of(
                ranking, prior.numbers, table.codes, table.labels, score_direction
            )
        reasons = [
            *found,
            *reasons_of_items(table),
            *bets.reasons(score_direction),
            *(_of_scores(reason, len(table.samples)) for reason in suspect.reasons()),
        ]
        return cls(
            settings,
            prior.entropy,
            prior,
            table,
            prior.kinds,
            posterior,
            suspect,
            bets,
            Verdict(reasons),
        )

    def with_labels(self, table: ItemTable, settings: FitSettings | None = None) -> StructuredModel:
        """Return the fit to other labels of the same items, with the same prior if kept."""
        settings = self.settings if settings is None else settings
        prior = self.prior
        if prior is None or not settings.makes_the_same(self.settings):
            prior = ItemPrior.of(table, settings, self.seed)
        return self.made(settings, table, prior)

    def updated(self, parameters, X, y, sample_weight=None, **structure) -> StructuredModel:
        """Return the fit to other labels, for an estimator's `update`.

        Raise ValueError if the scores, categories, groups or raters differ. Warn at the caller of
        `update` if labels were removed.
        """
        table = ItemTable.read(
            parameters, X, y, sample_weight, **structure, before=self.table.labels
        )
        table = self.table.same_items(table)
        warn_of_removed(self.table.n_lost(table), int((self.table.codes >= 0).sum()))
        settings = FitSettings.of(parameters)
        if table.source is None:
            return self.with_labels(table, settings)
        # A prior built from other rows of the bins does not apply.
        return self.made(settings, table, ItemPrior.of(table, settings, self.seed))

    @cached_property
    def verdict_on_sample(self) -> Verdict:
        """The verdict on estimates of this sample."""
        is_complete = (self.table.codes >= 0).all()
        return self.verdict.of_complete_labels(self.n_items) if is_complete else self.verdict

    @property
    def n_items(self) -> float:
        """Number of items."""
        counts = self.posterior.counts
        return float(self.table.n_items if counts is None else counts.sum())

    @property
    def labels(self):
        """How labels are encoded."""
        return self.table.labels

    def ranking(self, system=None, category=None, beside=()) -> RankingPosterior:
        """Return the posterior of one system's ranking of the items that it scored.

        Restricted to a category, if given, and to items that the systems `beside` scored too.
        """
        number = self.table.number_of(system)
        return self._ranking_by(number, category, map(self.table.number_of, beside))

    def ranking_of_judge(self, judge, category=None) -> RankingPosterior:
        """Return the posterior of a rater's ranking of the items that it rated."""
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
                # A rater may have used one of the two classes only.
                np.array([0.0, 1.0]) if table.are_verdicts[column] else None,
            )
        return self._rankings[key]

    @cached_property
    def _rankings(self) -> dict:
        return {}

    def default_threshold(self, system=None) -> float | None:
        """Return the decision threshold implied by a system's score kind, if any."""
        sample = self.table.samples[self.table.number_of(system)]
        return default_threshold(sample, self.settings.score_kind)

    def threshold_of_judge(self, judge) -> float | None:
        """Return the threshold of a rater's positive ratings, if its values imply one."""
        column = self.table.n_systems + self.table.number_of_judge(judge)
        if self.table.are_verdicts[column]:
            return 0.5
        return default_threshold(self.table.samples[column], "auto")

    def __getstate__(self):
        return {**vars(self), "prior": None, "_rankings": {}}


def _of_scores(reason: Reason, n_columns: int) -> Reason:
    """Return a reason that names the consensus score, if there are several columns."""
    if n_columns == 1:
        return reason
    return replace(reason, text=reason.text.replace(" at score ", " at consensus score "))
