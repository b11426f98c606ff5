r"""Components: a prior curve on a score axis, a roughness, lapse rates, sizes of random effects.

Random effects: how far items may lie from a curve.

.. math:: f_i = m(x_i) \{1 + t_i\} + a_i

An effect has columns; :math:`a_i` (or :math:`t_i`) is their sum with normal coefficients of one
standard deviation, which is one of a ladder of sizes and weighted by the labels as well.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
from scipy import special

from ..data._cells import ScoreCells
from ..experts._expert import CurveEnsemble, PriorCurves
from ..inputs._arrays import FrozenArrays


@dataclass(frozen=True, eq=False)
class Positions(FrozenArrays):
    """Where scores lie among cells: at a share of the way from one to the next."""

    left: np.ndarray  # (n,), of int
    share: np.ndarray  # (n,)

    @classmethod
    def of(cls, cells: ScoreCells, scores) -> Positions:
        """Return the places of scores."""
        return cls(*cells.place(scores))

    def take(self, rows) -> Positions:
        return Positions(self.left[rows], self.share[rows])

    def at(self, on_cells) -> np.ndarray:
        """Interpolate rows of cells, (n_cells, n_columns), at these places: (n, n_columns)."""
        share = self.share[:, np.newaxis]
        following = np.minimum(self.left + 1, len(on_cells) - 1)
        # In place: of many items arrays take longer to come by than to fill.
        before, after = on_cells[self.left], on_cells[following]
        before *= 1.0 - share
        after *= share
        before += after
        return before


@dataclass(frozen=True, eq=False)
class ScoreAxis(FrozenArrays):
    """One number of each item, and what experts make of these numbers.

    A score, a consensus of several, the rank of a score within a group: labels weight axes as they
    weight experts.
    """

    name: str
    weight: float  # before any label, up to a factor common to all
    ensemble: CurveEnsemble  # on cells of these numbers
    numbers: np.ndarray  # (n_items,)
    items: Positions  # of all items among the cells

    @classmethod
    def of(cls, name: str, weight: float, ensemble: CurveEnsemble, numbers) -> ScoreAxis:
        """Return an axis of items, given its number of each."""
        return cls(name, weight, ensemble, numbers, Positions.of(ensemble.cells, numbers))


@dataclass(frozen=True, eq=False)
class RandomEffect(FrozenArrays, ABC):
    """Columns of the items, whose coefficients have one size.

    Attributes
    ----------
    name : str
        What the columns represent.
    sizes, probabilities : tuple of float
        The standard deviations that the coefficients may have, and how probable each is.
    on : {"shift", "stretch"}
        Whether they move the log-odds, or the curve's slope.
    scaled : bool
        Whether they count in units of the spread that a curve has over the items.
    """

    name: str
    sizes: tuple[float, ...]
    probabilities: tuple[float, ...]
    on: Literal["shift", "stretch"] = field(default="shift", kw_only=True)
    scaled: bool = field(default=False, kw_only=True)

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """How many coefficients there are."""

    @property
    def are_groups(self) -> bool:
        """Whether columns shift the log-odds of groups of items that exclude each other."""
        return False

    @abstractmethod
    def columns(self, items) -> np.ndarray:
        """Return the columns of some items, (n_items, n_columns)."""

    @abstractmethod
    def effect(self, coefficients, items) -> np.ndarray:
        """Return columns times coefficients, (n_draws, n_columns): (n_items, n_draws)."""

    @abstractmethod
    def touched(self, items) -> np.ndarray:
        """Return the columns that are not zero for all of some items."""


@dataclass(frozen=True, eq=False)
class Columns(RandomEffect):
    """Columns that are numbers of the items."""

    values: np.ndarray  # (n_items, n_columns)

    @property
    def n_columns(self) -> int:
        return self.values.shape[1]

    def columns(self, items) -> np.ndarray:
        return self.values[items]

    def effect(self, coefficients, items) -> np.ndarray:
        # Not a matrix product: BLAS sums in an order that depends on its threads.
        return np.einsum("ij,kj->ik", self.values[items], coefficients)

    def touched(self, items) -> np.ndarray:
        return np.arange(self.n_columns)


@dataclass(frozen=True, eq=False)
class Members(RandomEffect):
    """Indicators of the group of an item."""

    codes: np.ndarray  # (n_items,), of int
    n_groups: int

    @property
    def n_columns(self) -> int:
        return self.n_groups

    @property
    def are_groups(self) -> bool:
        return self.on == "shift"

    def columns(self, items) -> np.ndarray:
        return (self.codes[items][:, np.newaxis] == np.arange(self.n_groups)).astype(float)

    def effect(self, coefficients, items) -> np.ndarray:
        return coefficients.T[self.codes[items]]

    def touched(self, items) -> np.ndarray:
        return np.unique(self.codes[items])


@dataclass(frozen=True, eq=False)
class Walk(Members):
    """Groups in an order, of which neighbors differ by one step of a random walk.

    The walk has mean zero over the groups, and a group the variance one on average.
    """

    @property
    def n_columns(self) -> int:
        return self.n_groups - 1

    @property
    def are_groups(self) -> bool:
        return False

    def columns(self, items) -> np.ndarray:
        return self._steps[self.codes[items]]

    def effect(self, coefficients, items) -> np.ndarray:
        return np.einsum("ij,kj->ik", self._steps, coefficients)[self.codes[items]]

    @cached_property
    def _steps(self) -> np.ndarray:
        steps = np.tri(self.n_groups, self.n_groups - 1, -1)
        steps -= steps.mean(axis=0)
        return steps / np.sqrt((steps**2).sum(axis=1).mean())

    def touched(self, items) -> np.ndarray:
        return np.arange(self.n_columns)

    def by_group(self, draws: EffectDraws) -> tuple[Members, EffectDraws]:
        """Return the same effects as those of groups, each with a coefficient of its own."""
        effect = Members(self.name, self.sizes, self.probabilities, self.codes, self.n_groups)
        return effect, EffectDraws(draws.size, np.einsum("ij,kj->ki", self._steps, draws.normal))


@dataclass(frozen=True, eq=False)
class EffectDraws(FrozenArrays):
    """Coefficients of one random effect: its size times standard normal ones."""

    size: np.ndarray  # (n_draws,)
    normal: np.ndarray  # (n_draws, n_columns)

    def take(self, draws) -> EffectDraws:
        return EffectDraws(self.size[draws], self.normal[draws])


@dataclass(frozen=True, eq=False)
class RandomEffects:
    """All random effects of items; possibly none."""

    effects: tuple[RandomEffect, ...] = ()

    def draw_sizes(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Draw the sizes of the effects of `n` curves from their prior, (n, n_effects)."""
        drawn = [rng.choice(own.sizes, n, p=own.probabilities) for own in self.effects]
        return np.stack(drawn, axis=1) if drawn else np.empty((n, 0))

    def without(self, name: str) -> tuple[RandomEffects, list[int], int]:
        """Return all but one of them, the numbers of these, and its number."""
        names = [own.name for own in self.effects]
        k = names.index(name)
        kept = [j for j in range(len(names)) if j != k]
        return RandomEffects(tuple(self.effects[j] for j in kept)), kept, k

    def at(self, draws: tuple[EffectDraws, ...], spread, items):
        """Return the shift and the stretch of items, (n_items, n_draws) each.

        Parameters
        ----------
        draws : tuple of EffectDraws
        spread : ndarray of shape (n_draws,)
            Of each curve over all items.
        items : ndarray of int, or slice

        Returns
        -------
        shift, stretch : ndarray or float
            0 where there is no effect; the slope is multiplied by one plus the stretch.
        """
        total: dict[str, float | np.ndarray] = {"shift": 0.0, "stretch": 0.0}
        for own, drawn in zip(self.effects, draws, strict=True):
            size = drawn.size * spread if own.scaled else drawn.size
            effect = own.effect(size[:, np.newaxis] * drawn.normal, items)
            total[own.on] = total[own.on] + effect
        return total["shift"], total["stretch"]


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

    @classmethod
    def drawn(
        cls,
        ensembles: tuple[CurveEnsemble, ...],
        axis_weights,
        names: tuple[str, ...],
        effects: RandomEffects,
        rng: np.random.Generator,
    ) -> CurveComponents:
        """Draw the roughness, lapse rates and effect sizes of each curve."""
        log_weights = np.concatenate(
            [
                np.log(w) + own.log_prior_weights
                for w, own in zip(axis_weights, ensembles, strict=True)
            ]
        )
        log_weights = log_weights - special.logsumexp(log_weights)
        columns: dict[str, list] = {}
        expert = 0
        for axis, ensemble in enumerate(ensembles):
            first = 0
            for part in ensemble.parts:
                n = part.n_curves
                own = _drawn_for(part, ensemble, rng)
                own["axis"], own["expert"] = np.full(n, axis), np.full(n, expert)
                own["curve"], own["expects_rare"] = first + np.arange(n), part.expects_rare
                with np.errstate(divide="ignore"):
                    own["log_prior"] = log_weights[expert] + np.log(part.shares)
                own["sizes"] = effects.draw_sizes(rng, n)
                for name, values in own.items():
                    columns.setdefault(name, []).append(values)
                first, expert = first + n, expert + 1
        spread = np.concatenate([ensemble.spreads for ensemble in ensembles])
        joined = {name: np.concatenate(values) for name, values in columns.items()}
        return cls(ensembles, names, log_weights, effects, spread=spread, **joined)

    @property
    def n(self) -> int:
        return len(self.axis)

    @cached_property
    def is_conjugate(self) -> np.ndarray:
        """Whether the curve of each component is drawn anew once labels are known."""
        parts = [part for ensemble in self.ensembles for part in ensemble.parts]
        return np.array([part.conjugate is not None for part in parts])[self.expert]

    @cached_property
    def without_rare(self) -> CurveComponents:
        """The components without those that assume a rare class, for a stated prevalence."""
        return replace(self, log_prior=np.where(self.expects_rare, -np.inf, self.log_prior))

    @cached_property
    def n_functions(self) -> int:
        """The most basis functions of any axis; others have columns of zeros."""
        return max(ensemble.basis.shape[1] for ensemble in self.ensembles)

    @cached_property
    def room(self) -> np.ndarray:
        """What lapses leave for the curve."""
        return 1.0 - self.bottom - self.top

    def axes_of(self, k) -> list[tuple[int, slice]]:
        """Return the axes of some components, in order, and which of these lie on each."""
        ends = np.searchsorted(self.axis[k], np.arange(len(self.ensembles) + 1)).tolist()
        return [(a, slice(*own)) for a, own in enumerate(pairwise(ends)) if own[1] > own[0]]

    def curves_at(self, places: tuple[Positions, ...]) -> list[np.ndarray]:
        """Return the curves of each axis at places there, (n, n_curves)."""
        return [own.at(e.curves) for own, e in zip(places, self.ensembles, strict=True)]

    def basis_at(self, places: tuple[Positions, ...]) -> list[np.ndarray]:
        """Return the basis functions of each axis at places there, (n, n_functions)."""
        return [
            own.at(_padded(e.basis, self.n_functions))
            for own, e in zip(places, self.ensembles, strict=True)
        ]

    @cached_property
    def basis(self) -> list[np.ndarray]:
        """The basis functions of each axis on its cells, (n_cells, n_functions)."""
        return [_padded(ensemble.basis, self.n_functions) for ensemble in self.ensembles]


def _drawn_for(part: PriorCurves, ensemble: CurveEnsemble, rng) -> dict[str, np.ndarray]:
    """Draw scales and lapse rates for the curves of an expert."""
    scale, n = part.discrepancy, part.n_curves
    wide = rng.random(n) < scale.wide_share
    at_top = np.where(part.lapse_end == 0, rng.random(n) < 0.5, part.lapse_end > 0)
    small = np.zeros(n)
    lapsing = np.flatnonzero(rng.random(n) < scale.small_lapse)
    small[lapsing] = _small_rates(part.curves[:, lapsing], ensemble.cells.shares, rng)
    at_bottom, at_the_top = ensemble.tied_ends
    tied = np.where(at_top, at_the_top, at_bottom)
    # Who knows of no lapses has none there either.
    if_tied = max(TIED, scale.large_lapse) if scale.large_lapse else 0.0
    often = np.where(tied, if_tied, scale.large_lapse)
    large = np.where(rng.random(n) < often, rng.beta(*LARGE_RATES, n), 0.0)
    # Both together leave room for a curve.
    small = np.minimum(small, (1.0 - large) / 2.0)
    return {
        "shift": np.where(wide, scale.wide_shift, scale.shift),
        "stretch": np.where(wide, scale.wide_stretch, scale.stretch),
        "roughness": scale.roughness * rng.choice(ROUGHNESS, n, p=ROUGHNESS_PROBABILITIES),
        "bottom": np.where(at_top, small, large),
        "top": np.where(at_top, large, small),
    }


def _small_rates(curves, shares, rng) -> np.ndarray:
    """Draw small lapse rates for curves on cells, (n_cells, n)."""
    n = curves.shape[1]
    prevalence = np.einsum("ij,i->j", special.expit(curves), shares)
    rarer = np.log10(np.minimum(prevalence, 1.0 - prevalence))
    lowest, highest = SMALL_RATES
    rates = rng.uniform(lowest, highest, n)
    lowest, highest = RELATIVE_RATES
    relative = np.minimum(rarer + highest, SMALL_RATES[1]) - rng.uniform(0.0, highest - lowest, n)
    return 10.0 ** np.where(rng.random(n) < RELATIVE, relative, rates)


def _padded(basis, n_functions: int) -> np.ndarray:
    return np.pad(basis, ((0, 0), (0, n_functions - basis.shape[1])))
