"""CurveComponents: prior curves with a roughness, lapse rates and sizes of random effects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ..experts._ensemble import CurveEnsemble
from ._random_effects import RandomEffects
from ._score_axis import Positions

__all__ = ["CurveComponents"]

# The standard deviation of the Gaussian process is one of three.
ROUGHNESS, ROUGHNESS_PROBABILITIES = (0.3, 0.8, 1.6), (0.4, 0.35, 0.25)
# A small lapse rate is log-uniform between these powers of ten, a large one beta.
SMALL_RATES, LARGE_RATES = (-3.5, -1.3), (1.0, 2.0)
# How often lapses are large where scores end in a heavy tie: probabilities of which many are
# exactly 1 come from classifiers that are too sure.
TIED = 0.8


@dataclass(frozen=True, eq=False)
class CurveComponents(FrozenArrays):
    """What labels weight, drawn from the prior once: one curve each, on one of the axes.

    The components of an axis are neighbors, and so are those of an expert.
    """

    ensembles: tuple[CurveEnsemble, ...]  # one for each axis
    names: tuple[str, ...]  # of the experts of all axes
    log_weights: np.ndarray  # (n_experts,), before any label
    effects: RandomEffects
    axis: np.ndarray  # (n_components,), of int; like all that follow
    expert: np.ndarray
    curve: np.ndarray  # among all curves of the axis
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
        """Draw what goes with each curve of each expert on each axis."""
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
                own = _drawn_for(part, ensemble.tied_ends, rng)
                own["axis"], own["expert"] = np.full(n, axis), np.full(n, expert)
                own["curve"] = first + np.arange(n)
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


def _drawn_for(part, tied_ends: tuple[bool, bool], rng) -> dict[str, np.ndarray]:
    """Draw scales and lapse rates for the curves of an expert."""
    scale, n = part.discrepancy, part.n_curves
    wide = rng.random(n) < scale.wide_share
    at_top = np.where(part.lapse_end == 0, rng.random(n) < 0.5, part.lapse_end > 0)
    small = np.where(rng.random(n) < scale.small_lapse, 10.0 ** rng.uniform(*SMALL_RATES, n), 0.0)
    tied = np.where(at_top, tied_ends[1], tied_ends[0])
    # Who knows of no lapses has none there either.
    often = max(TIED, scale.large_lapse) if scale.large_lapse else 0.0
    often = np.where(tied, often, scale.large_lapse)
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


def _padded(basis, n_functions: int) -> np.ndarray:
    return np.pad(basis, ((0, 0), (0, n_functions - basis.shape[1])))
