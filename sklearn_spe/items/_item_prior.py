"""Prior of items before any label: score axes with curves, and random effects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._parameter import BetaPrior
from ..engine._components import CurveComponents
from ..engine._label_update import update_items
from ..engine._random_effects import RandomEffects
from ..engine._score_axis import ScoreAxis
from ..experts._expert import Expert
from ..inputs._labels import UNLABELED
from ..inputs._random_state import spawn
from ..sample._prevalence_prior import expected_rarity, prevalence_prior_given
from ..sample._score_kind import ScoreKind
from ..score_mixture._fit_settings import FitSettings
from ._blocks import random_effects_of
from ._item_posterior import ItemPosterior
from ._item_table import ItemTable
from ._ranking_posterior import RankingPosterior
from ._score_axes import Systems, kinds_of_columns, score_axes_of

__all__ = ["ItemPrior"]

# Spawn keys of the random streams of the update, the prior curves, the update without labels and
# the components; the same as for a single pool.
UPDATE, CURVES, BEFORE, COMPONENTS = 2, 5, 6, 7
# Number of draws from the prior.
N_BEFORE = 200


@dataclass(frozen=True, eq=False)
class ItemPrior:
    """Prior of the items, built from their scores alone."""

    axes: tuple[ScoreAxis, ...]
    effects: RandomEffects
    kinds: tuple[ScoreKind, ...]  # of each system and rater
    unlabeled: ItemTable  # the items without their labels
    settings: FitSettings
    entropy: int

    @classmethod
    def of(cls, table: ItemTable, settings: FitSettings, entropy: int) -> ItemPrior:
        """Build the prior curves of every expert on every score axis."""
        kinds = kinds_of_columns(table, settings.score_kind)
        systems = Systems.of(table, kinds)
        experts = _without_fits(settings)
        rng = spawn(entropy, CURVES)
        # Densities underflow to zero in the tails, even if the user turned that into an error.
        with np.errstate(under="ignore"):
            axes = score_axes_of(table, systems, experts, rng)
        effects = random_effects_of(table, systems)
        unlabeled = table.relabeled(np.full(table.n_items, UNLABELED))
        return cls(axes, effects, kinds, unlabeled, settings, entropy)

    @cached_property
    def components(self) -> CurveComponents:
        """The prior components that labels reweight."""
        ensembles = tuple(axis.ensemble for axis in self.axes)
        names = tuple(
            f"{name} of {axis.name}" for axis in self.axes for name in axis.ensemble.names
        )
        weights, rng = [axis.weight for axis in self.axes], spawn(self.entropy, COMPONENTS)
        return CurveComponents.drawn(ensembles, weights, names, self.effects, rng)

    def posterior(self, table: ItemTable, n_draws: int, place: int = UPDATE) -> ItemPosterior:
        """Update the curves by the labels of the items."""
        with np.errstate(under="ignore"):
            updated = update_items(
                self.components,
                self.axes,
                table.codes,
                self._prevalence_prior(table),
                n_draws,
                spawn(self.entropy, place),
            )
        places = tuple(own.items for own in self.axes)
        codes, counts = table.codes, table.counts
        return ItemPosterior(places, self.effects, updated, codes, self.entropy, counts)

    @property
    def numbers(self) -> np.ndarray:
        """The score by which all items are ranked: the single score or the consensus."""
        return self.axes[0].numbers

    def ranking(self, posterior: ItemPosterior, table: ItemTable) -> RankingPosterior:
        """Return the ranking of all items on their first axis."""
        kind = self.axes[0].ensemble.cells.kind
        return RankingPosterior.of(posterior, self.numbers, kind, clusters=table.clusters)

    @cached_property
    def average_precision(self) -> tuple[float, float]:
        """The 90% prior interval of the average precision of that ranking."""
        posterior = self.posterior(self.unlabeled, N_BEFORE, BEFORE)
        values = self.ranking(posterior, self.unlabeled).expected_average_precision
        low, high = np.quantile(values, [0.05, 0.95])
        return float(low), float(high)

    def _prevalence_prior(self, table: ItemTable) -> BetaPrior:
        """Return the prevalence prior, by the axis whose tail holds most labels."""
        samples = [table.sample_of(own.numbers) for own in self.axes]
        rarest = int(np.argmax([expected_rarity(sample) for sample in samples]))
        return prevalence_prior_given(self.settings.prevalence_prior, samples[rarest])


def _without_fits(settings: FitSettings) -> list[Expert]:
    """Return the experts that need no mixture fit to a single score column."""
    given = settings.experts or []
    experts = [expert for expert in given if not expert.needs_fit]
    dropped = [expert.name for expert in given if expert.needs_fit]
    if not experts or (dropped and not settings.takes_all_experts):
        raise ValueError(
            "Several systems, category= and groups= need experts that do not fit a mixture to "
            f"one column of scores; got {', '.join(dropped) or 'none'}. Leave experts='auto' and "
            "method='importance' of the mixture, take other experts, or fit one column of "
            "scores by itself."
        )
    return experts
