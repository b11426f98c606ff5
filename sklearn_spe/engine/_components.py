"""Components: a prior curve on a score axis, a roughness, lapse rates, sizes of random effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import special

from ..data._cells import ScoreCells
from ..experts._expert import CurveEnsemble, PriorCurves
from ..inputs._arrays import FrozenArrays
from ._random_effects import RandomEffect, RandomEffects

# The standard deviation of the Gaussian process is one of three.
ROUGHNESS, ROUGHNESS_PROBABILITIES = (0.3, 0.8, 1.6), (0.4, 0.35, 0.25)
# A small lapse rate is log-uniform between these powers of ten, a large one beta.
SMALL_RATES, LARGE_RATES = (-3.5, -1.3), (1.0, 2.0)
# Most small rates are, where that is less, relative to the share of the rarer class by the curve,
# between these powers of ten: where positives are one in ten thousand, hidden ones are as rare.
RELATIVE_RATES, RELATIVE = (-1.0, 0.5), 0.7
# How often lapses are large where scores end in a heavy tie: probabilities of which many are
# exactly 1 come from classifiers that are too sure.
TIED = 0.8
# The exponential of larger log-odds overflows.
LARGEST_LOG_ODDS = 700.0


@dataclass(frozen=True, eq=False)
class Positions(FrozenArrays):
    """Positions of scores between neighboring cells, for linear interpolation."""

    left: np.ndarray  # (n,), of int
    share: np.ndarray  # (n,)

    @classmethod
    def of(cls, cells: ScoreCells, scores: np.ndarray) -> Positions:
        """Return the positions of scores."""
        return cls(*cells.place(scores))

    def take(self, rows: np.ndarray | slice) -> Positions:
        return Positions(self.left[rows], self.share[rows])

    def at(self, on_cells: np.ndarray) -> np.ndarray:
        """Interpolate rows of cells, (n_cells, n_columns), at these positions: (n, n_columns)."""
        share = self.share[:, np.newaxis]
        right = np.minimum(self.left + 1, len(on_cells) - 1)
        # In place: of many items arrays take longer to come by than to fill.
        total = on_cells[self.left]
        of_right = on_cells[right]
        total *= 1.0 - share
        of_right *= share
        total += of_right
        return total


@dataclass(frozen=True, eq=False)
class ScoreAxis(FrozenArrays):
    """One number of each item, and the prior curves that experts make from these numbers.

    A score, a consensus of several, the rank of a score within a group: labels weight axes as they
    weight experts.
    """

    name: str
    weight: float  # before any label, up to a factor common to all
    ensemble: CurveEnsemble  # on cells of these numbers
    numbers: np.ndarray  # (n_items,)
    items: Positions  # of all items among the cells
    is_of_groups: bool = False  # whether the items of a group have one number

    @classmethod
    def of(
        cls,
        name: str,
        weight: float,
        ensemble: CurveEnsemble,
        numbers: np.ndarray,
        *,
        is_of_groups: bool = False,
    ) -> ScoreAxis:
        """Return the score axis, given one number of each item."""
        positions = Positions.of(ensemble.cells, numbers)
        return cls(name, weight, ensemble, numbers, positions, is_of_groups)


@dataclass(frozen=True, eq=False)
class CurveComponents(FrozenArrays):
    """Components, drawn from the prior once: one curve each, on one of the axes.

    The components of an axis are neighbors, and so are those of an expert.
    """

    ensembles: tuple[CurveEnsemble, ...]  # one for each axis
    names: tuple[str, ...]  # of the experts of all axes
    log_weights: np.ndarray  # (n_experts,), before any label
    effects: RandomEffects
    axis: np.ndarray  # (n_components,), of int; like all that follow
    expert: np.ndarray
    curve: np.ndarray  # among all curves of the axis
    expects_rare: np.ndarray  # of bool
    log_prior: np.ndarray
    shift: np.ndarray  # standard deviations
    stretch: np.ndarray
    roughness: np.ndarray
    bottom: np.ndarray  # lapse rates
    top: np.ndarray
    spread: np.ndarray  # of the curve over the items
    sizes: np.ndarray  # (n_components, n_effects)
    steepness: np.ndarray  # of the curve of a group, relative to the mean over groups

    @classmethod
    def drawn(
        cls,
        ensembles: tuple[CurveEnsemble, ...],
        axis_weights: Sequence[float],
        names: tuple[str, ...],
        effects: RandomEffects,
        rng: np.random.Generator,
    ) -> CurveComponents:
        """Draw the roughness, lapse rates and effect sizes of each curve."""
        # The prior weight of an expert is that of its axis times that on the axis.
        of_axes = [
            np.log(axis_weight) + ensemble.log_prior_weights
            for axis_weight, ensemble in zip(axis_weights, ensembles, strict=True)
        ]
        log_weights = np.concatenate(of_axes)
        log_weights = log_weights - special.logsumexp(log_weights)

        columns: dict[str, list] = {}
        expert = 0
        for axis, ensemble in enumerate(ensembles):
            first = 0
            for part in ensemble.parts:
                n = part.n_curves
                of_part = _scales_and_lapse_rates(part, ensemble, rng)
                of_part["axis"] = np.full(n, axis)
                of_part["expert"] = np.full(n, expert)
                of_part["curve"] = first + np.arange(n)
                of_part["expects_rare"] = part.expects_rare
                with np.errstate(divide="ignore"):
                    of_part["log_prior"] = log_weights[expert] + np.log(part.shares)
                of_part["sizes"], of_part["steepness"] = effects.draw_sizes(rng, n)
                for name, values in of_part.items():
                    columns.setdefault(name, []).append(values)
                first = first + n
                expert = expert + 1

        joined = {name: np.concatenate(values) for name, values in columns.items()}
        return cls(
            ensembles,
            names,
            log_weights,
            effects,
            axis=joined["axis"],
            expert=joined["expert"],
            curve=joined["curve"],
            expects_rare=joined["expects_rare"],
            log_prior=joined["log_prior"],
            shift=joined["shift"],
            stretch=joined["stretch"],
            roughness=joined["roughness"],
            bottom=joined["bottom"],
            top=joined["top"],
            spread=np.concatenate([ensemble.spreads for ensemble in ensembles]),
            sizes=joined["sizes"],
            steepness=joined["steepness"],
        )

    def with_effect(self, effect: RandomEffect) -> CurveComponents:
        """Return a component for each size of one more random effect, in place of each one.

        So without evidence the draws have these sizes by their probabilities, however few curves
        the labels leave.
        """
        n_sizes = len(effect.sizes)
        names = [part.name for part in fields(self)]
        of_components = names[names.index("axis") :]
        repeated: dict[str, Any] = {
            name: np.repeat(getattr(self, name), n_sizes, axis=0) for name in of_components
        }
        size = np.tile(effect.sizes, self.n)
        repeated["sizes"] = np.column_stack([repeated["sizes"], size])
        repeated["log_prior"] += np.tile(np.log(effect.probabilities), self.n)
        effects = RandomEffects((*self.effects.effects, effect))
        return replace(self, effects=effects, **repeated)

    @property
    def n(self) -> int:
        return len(self.axis)

    @cached_property
    def without_rare(self) -> CurveComponents:
        """The components that do not assume a rare class, for a stated prevalence."""
        return replace(self, log_prior=np.where(self.expects_rare, -np.inf, self.log_prior))

    @property
    def n_functions(self) -> int:
        """The number of basis functions."""
        return self.ensembles[0].basis.shape[1]

    @cached_property
    def room(self) -> np.ndarray:
        """One minus both lapse rates: the range of P(y = 1) that is left to the curve."""
        return 1.0 - self.bottom - self.top

    def axes_of(self, k: np.ndarray) -> list[tuple[int, slice]]:
        """Return the axes of some components, in order, and the slice of components on each."""
        ends = np.searchsorted(self.axis[k], np.arange(len(self.ensembles) + 1)).tolist()
        return [
            (axis, slice(first, last))
            for axis, (first, last) in enumerate(pairwise(ends))
            if last > first
        ]

    @property
    def basis(self) -> list[np.ndarray]:
        """The basis functions of each axis on its cells, (n_cells, n_functions)."""
        return [ensemble.basis for ensemble in self.ensembles]


def _scales_and_lapse_rates(
    part: PriorCurves, ensemble: CurveEnsemble, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Draw scales and lapse rates for the curves of an expert."""
    discrepancy = part.discrepancy
    n = part.n_curves
    wide = rng.random(n) < discrepancy.wide_share
    large_at_top = np.where(part.lapse_end == 0, rng.random(n) < 0.5, part.lapse_end > 0)

    # Small lapses at one end.
    small = np.zeros(n)
    lapsing = np.flatnonzero(rng.random(n) < discrepancy.small_lapse)
    small[lapsing] = _small_rates(part.curves[:, lapsing], ensemble.cells.shares, rng)

    # Large lapses at the other end, more often where scores end in a heavy tie; an expert without
    # large lapses has none there either.
    tied_bottom, tied_top = ensemble.tied_ends
    tied = np.where(large_at_top, tied_top, tied_bottom)
    probability_if_tied = max(TIED, discrepancy.large_lapse) if discrepancy.large_lapse else 0.0
    probability = np.where(tied, probability_if_tied, discrepancy.large_lapse)
    large = np.where(rng.random(n) < probability, rng.beta(*LARGE_RATES, n), 0.0)

    # Both together leave room for a curve.
    small = np.minimum(small, (1.0 - large) / 2.0)

    roughness = discrepancy.roughness * rng.choice(ROUGHNESS, n, p=ROUGHNESS_PROBABILITIES)
    return {
        "shift": np.where(wide, discrepancy.wide_shift, discrepancy.shift),
        "stretch": np.where(wide, discrepancy.wide_stretch, discrepancy.stretch),
        "roughness": roughness,
        "bottom": np.where(large_at_top, small, large),
        "top": np.where(large_at_top, large, small),
    }


def _small_rates(curves: np.ndarray, shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw small lapse rates for curves on cells, (n_cells, n)."""
    n = curves.shape[1]
    prevalence = np.einsum("ij,i->j", special.expit(curves), shares)
    log_rarer = np.log10(np.minimum(prevalence, 1.0 - prevalence))

    lowest, highest = SMALL_RATES
    log_rates = rng.uniform(lowest, highest, n)

    # Rates relative to the share of the rarer class.
    lowest_relative, highest_relative = RELATIVE_RATES
    largest = np.minimum(log_rarer + highest_relative, highest)
    log_relative_rates = largest - rng.uniform(0.0, highest_relative - lowest_relative, n)

    return 10.0 ** np.where(rng.random(n) < RELATIVE, log_relative_rates, log_rates)


def expit_in_place(log_odds: np.ndarray) -> np.ndarray:
    """Return probabilities instead of log-odds: `scipy.special.expit` takes four times as long."""
    with np.errstate(over="ignore", under="ignore"):
        np.negative(log_odds, out=log_odds)
        np.exp(log_odds, out=log_odds)
        log_odds += 1.0
        return np.divide(1.0, log_odds, out=log_odds)


def lapsed(log_odds: np.ndarray, bottom: float | np.ndarray, top: float | np.ndarray) -> np.ndarray:
    """Return log-odds with lapse rates at both ends: logit of bottom + (1 - bottom - top) p."""
    # In terms of the odds neither end loses its digits. Larger odds would be infinite.
    odds = np.exp(np.minimum(log_odds, LARGEST_LOG_ODDS))
    positive = (1.0 - top) * odds
    positive += bottom
    negative = top * odds
    negative += 1.0 - bottom
    positive /= negative
    return np.log(positive, out=positive)
