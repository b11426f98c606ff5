"""What scores of several systems, subgroups, groups and labels have become: one fit, a value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..experts._coordinate import Coordinate
from ..experts._expert import Expert
from ..experts._item_slack import ItemSlack
from ..experts._label_update import judge_items
from ..inputs._labels import UNLABELED
from ..inputs._random_state import seed_entropy, spawn
from ..results._verdict import Reason, Verdict
from ..sample._prevalence_prior import expected_rarity, prevalence_prior_given
from ..sample._score_kind import ScoreKind, default_threshold
from ..score_mixture._fit_verdict import reasons_of_experts
from ..score_mixture._forgotten_labels import warn_of_forgotten
from ..score_mixture._label_bets import LabelBets
from ..score_mixture._label_reasons import reasons_of_labels
from ..score_mixture._recipe import Recipe
from ..score_mixture._surprising_items import SurprisingItems
from ._blocks import propose_slack
from ._coordinates import Systems, propose_coordinates
from ._item_posterior import ItemPosterior
from ._item_table import ItemTable
from ._item_verdict import bets_on_items, reasons_of_items
from ._ranking_posterior import RankingPosterior

__all__ = ["ItemsModel"]

# The places of banks, and of curves before any label, in the tree of seeds; as of one pool.
MOVES, BANKS, BEFORE = 2, 5, 6
# Curves that say what was believed before any label.
N_BEFORE = 200
# Draws of a posterior of items: each holds the labels of all of them.
MOST_DRAWS = 400


@dataclass(frozen=True, eq=False)
class ItemsPrior:
    """Everything that is made of the scores before a label is looked at.

    Attributes
    ----------
    coordinates : tuple of Coordinate
    item_slack : ItemSlack
    kinds : tuple of ScoreKind
        Of each system.
    unlabeled : ItemTable
        The items without their labels.
    recipe : Recipe
    entropy : int
    """

    coordinates: tuple[Coordinate, ...]
    item_slack: ItemSlack
    kinds: tuple[ScoreKind, ...]
    unlabeled: ItemTable
    recipe: Recipe
    entropy: int

    @classmethod
    def of(cls, table: ItemTable, recipe: Recipe, entropy: int) -> ItemsPrior:
        """Ask every expert for its bank on every coordinate."""
        systems = Systems.of(table, recipe.score_kind)
        experts = _without_fits(recipe)
        rng = spawn(entropy, BANKS)
        # Densities are zero far out, whatever the user has errors raised for.
        with np.errstate(under="ignore"):
            coordinates = propose_coordinates(table, systems, experts, rng)
        slack = propose_slack(table, systems)
        unlabeled = table.relabeled(np.full(table.n_items, UNLABELED))
        return cls(coordinates, slack, systems.kinds, unlabeled, recipe, entropy)

    def posterior(self, table: ItemTable, n_draws: int, place: int = MOVES) -> ItemPosterior:
        """Let the labels of the items judge."""
        coordinates = self._believing(table)
        with np.errstate(under="ignore"):
            judged = judge_items(
                coordinates, self.item_slack, table.codes, n_draws, spawn(self.entropy, place)
            )
        places = tuple(own.items for own in coordinates)
        return ItemPosterior(places, self.item_slack, judged, table.codes, self.entropy)

    @property
    def numbers(self) -> np.ndarray:
        """The number by which all items are ranked: the score, or the consensus of systems."""
        return self.coordinates[0].numbers

    def ranking(self, posterior: ItemPosterior, table: ItemTable) -> RankingPosterior:
        """Return the ranking of all items by their first number."""
        kind = self.coordinates[0].banks.cells.kind
        return RankingPosterior.of(posterior, self.numbers, kind, clusters=table.clusters)

    @cached_property
    def average_precision(self) -> tuple[float, float]:
        """The 90% interval of average precision of that ranking before any label."""
        posterior = self.posterior(self.unlabeled, N_BEFORE, BEFORE)
        values = self.ranking(posterior, self.unlabeled).expected_average_precision
        low, high = np.quantile(values, [0.05, 0.95])
        return float(low), float(high)

    def _believing(self, table: ItemTable) -> tuple[Coordinate, ...]:
        """Return the coordinates, with what is believed of the prevalence.

        That is one belief of one population: of the coordinate in whose tail the labels lie most.
        """
        samples = [table.sample_of(own.numbers) for own in self.coordinates]
        rarities = [expected_rarity(sample) for sample in samples]
        rarest = int(np.argmax(rarities))
        prior = prevalence_prior_given(self.recipe.prevalence_prior, samples[rarest])
        return tuple(
            replace(own, banks=own.banks.believing(prior, rarities[rarest]))
            for own in self.coordinates
        )


@dataclass(frozen=True, eq=False)
class ItemsModel:
    """A fit of items that several scores, categories or groups describe; all of it, or none.

    Attributes
    ----------
    recipe : Recipe
        How it was made.
    seed : int
        From which all random numbers come.
    prior : ItemsPrior or None
        What was made of the scores. None after a pickle: banks are large, and made again.
    table : ItemTable
    kinds : tuple of ScoreKind
        Of each system.
    posterior : ItemPosterior
    surprising_items : SurprisingItems
    bets : LabelBets
    verdict : Verdict
    """

    recipe: Recipe
    seed: int
    prior: ItemsPrior | None
    table: ItemTable
    kinds: tuple[ScoreKind, ...]
    posterior: ItemPosterior
    surprising_items: SurprisingItems
    bets: LabelBets
    verdict: Verdict

    @classmethod
    def of(
        cls, parameters, X, y=None, sample_weight=None, *, category=None, groups=None
    ) -> ItemsModel:
        """Fit what an estimator is asked to fit, with the parameters of a mixture."""
        recipe = Recipe.of(parameters)
        table = ItemTable.read(parameters, X, y, sample_weight, category=category, groups=groups)
        seed = seed_entropy(parameters.random_state)
        return cls.made(recipe, table, ItemsPrior.of(table, recipe, seed))

    @classmethod
    def made(cls, recipe: Recipe, table: ItemTable, prior: ItemsPrior) -> ItemsModel:
        """Let labels judge a prior."""
        posterior = prior.posterior(table, min(recipe.n_draws, MOST_DRAWS))
        ranking, orientation = prior.ranking(posterior, table), table.orientations[0]
        with np.errstate(under="ignore"):
            experts = reasons_of_experts(ranking, prior.average_precision, orientation)
            # No reason by how curves fall: the items of one score differ in more than the score.
            found = [
                *reasons_of_labels(ranking, orientation),
                *map(_of_few_curves, experts),
            ]
            bets = bets_on_items(posterior, ranking, table)
            surprising = SurprisingItems.of(
                ranking, prior.numbers, table.codes, table.labels, orientation
            )
        reasons = [
            *found,
            *reasons_of_items(table),
            *bets.reasons(orientation),
            *surprising.reasons(),
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

    def with_labels(self, table: ItemTable, recipe: Recipe | None = None) -> ItemsModel:
        """Return the model of other labels of the same items: the same prior, unless it is lost."""
        recipe = self.recipe if recipe is None else recipe
        prior = self.prior
        if prior is None or not recipe.makes_the_same(self.recipe):
            prior = ItemsPrior.of(table, recipe, self.seed)
        return self.made(recipe, table, prior)

    def updated(
        self, parameters, X, y, sample_weight=None, *, category=None, groups=None
    ) -> ItemsModel:
        """Return what an estimator's `update`, which calls this, makes of other labels.

        Raises
        ------
        ValueError
            If the scores, categories or groups are others.

        Warns
        -----
        ForgottenLabelsWarning
            If labels are lost: at the line that called `update`.
        """
        table = ItemTable.read(
            parameters,
            X,
            y,
            sample_weight,
            category=category,
            groups=groups,
            before=self.table.labels,
        )
        table = self.table.same_items(table)
        lost = int(((self.table.codes >= 0) & (table.codes < 0)).sum())
        warn_of_forgotten(lost, int((self.table.codes >= 0).sum()))
        return self.with_labels(table, Recipe.of(parameters))

    @property
    def labels(self):
        """How labels are written."""
        return self.table.labels

    def ranking(self, system=None, category=None) -> RankingPosterior:
        """Return what is known of one system's ranking of all items, or of a category."""
        key = self.table.number_of(system), self.table.part_of(category)
        if key not in self._rankings:
            self._rankings[key] = RankingPosterior.of(
                self.posterior,
                self.table.scores[:, key[0]],
                self.kinds[key[0]],
                self.table.items_of(key[1]),
                self.table.clusters,
            )
        return self._rankings[key]

    @cached_property
    def _rankings(self) -> dict:
        return {}

    def default_threshold(self, system=None) -> float | None:
        """Return where a decision is taken by a system's scores, if their kind says it."""
        sample = self.table.samples[self.table.number_of(system)]
        return default_threshold(sample, self.recipe.score_kind)

    def __getstate__(self):
        return {**vars(self), "prior": None, "_rankings": {}}


def _without_fits(recipe: Recipe) -> list[Expert]:
    """Return the experts that need no fit of families to one column of scores."""
    given = recipe.experts or []
    experts = [expert for expert in given if not expert.needs_fit]
    dropped = [expert.name for expert in given if expert.needs_fit]
    if not experts or (dropped and not recipe.takes_all_experts):
        raise ValueError(
            f"Several systems, category= and groups= need experts that labels can judge, without a "
            f"fit of families to one column of scores; got {', '.join(dropped) or 'none'}. Leave "
            f"experts='auto' and method='importance' of the mixture, take other experts, or fit "
            f"one column of scores by itself."
        )
    return experts


def _of_few_curves(reason: Reason) -> Reason:
    """Return a reason, that draws are few as one that counts: coefficients rest on them too."""
    return replace(reason, verdict="unidentified") if reason.name == "few_draws" else reason
