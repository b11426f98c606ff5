"""What is made of items before a label is looked at: coordinates with their banks, and slack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..experts._coordinate import Coordinate
from ..experts._expert import Expert
from ..experts._item_slack import ItemSlack
from ..experts._label_update import judge_items
from ..inputs._labels import UNLABELED
from ..inputs._random_state import spawn
from ..sample._prevalence_prior import expected_rarity, prevalence_prior_given
from ..sample._score_kind import ScoreKind
from ..score_mixture._recipe import Recipe
from ._blocks import propose_slack
from ._coordinates import Systems, kinds_of_columns, propose_coordinates
from ._item_posterior import ItemPosterior
from ._item_table import ItemTable
from ._ranking_posterior import RankingPosterior

__all__ = ["ItemPrior"]

# The places of banks, and of curves before any label, in the tree of seeds; as of one pool.
MOVES, BANKS, BEFORE = 2, 5, 6
# Curves that say what was believed before any label.
N_BEFORE = 200


@dataclass(frozen=True, eq=False)
class ItemPrior:
    """Everything that is made of the scores before a label is looked at.

    Attributes
    ----------
    coordinates : tuple of Coordinate
    item_slack : ItemSlack
    kinds : tuple of ScoreKind
        Of each system, and each judge.
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
    def of(cls, table: ItemTable, recipe: Recipe, entropy: int) -> ItemPrior:
        """Ask every expert for its bank on every coordinate."""
        kinds = kinds_of_columns(table, recipe.score_kind)
        systems = Systems.of(table, kinds)
        experts = _without_fits(recipe)
        rng = spawn(entropy, BANKS)
        # Densities are zero far out, whatever the user has errors raised for.
        with np.errstate(under="ignore"):
            coordinates = propose_coordinates(table, systems, experts, rng)
        slack = propose_slack(table, systems)
        unlabeled = table.relabeled(np.full(table.n_items, UNLABELED))
        return cls(coordinates, slack, kinds, unlabeled, recipe, entropy)

    def posterior(self, table: ItemTable, n_draws: int, place: int = MOVES) -> ItemPosterior:
        """Let the labels of the items judge."""
        coordinates = self._believing(table)
        with np.errstate(under="ignore"):
            judged = judge_items(
                coordinates, self.item_slack, table.codes, n_draws, spawn(self.entropy, place)
            )
        places = tuple(own.items for own in coordinates)
        codes, counts = table.codes, table.counts
        return ItemPosterior(places, self.item_slack, judged, codes, self.entropy, counts)

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
