"""Results of a label update: curves on score axes, random effects, weights of experts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..inputs._arrays import FrozenArrays
from ._components import lapsed
from ._random_effects import EffectDraws


@dataclass(frozen=True, eq=False)
class ExpertWeights(FrozenArrays):
    """Weights and evidence of each expert, given the labels."""

    names: tuple[str, ...]
    prior: np.ndarray  # (n_experts,), before the labels; sums to one
    posterior: np.ndarray  # (n_experts,), after them
    log_evidence: np.ndarray  # (n_experts,), the log probability of the labels under each
    ess: np.ndarray  # (n_experts,), how many curves are effective once weighted by the labels
    misspecification: tuple[str, ...]  # what is wrong with the scores if the expert is right

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, one row an expert."""
        import pandas as pd

        return pd.DataFrame(vars(self))


@dataclass(frozen=True, eq=False)
class AxisCurves(FrozenArrays):
    """Neighboring draws whose curves live on one score axis."""

    first: int
    last: int
    curves: np.ndarray  # (n_cells, last - first), the prior curves, which random effects stretch
    added: np.ndarray  # (n_cells, last - first), what labels and lapses add to them

    def of(self, draws: slice) -> AxisCurves:
        """Return some of all draws."""
        within = slice(draws.start - self.first, draws.stop - self.first)
        return AxisCurves(
            draws.start,
            draws.stop,
            self.curves[:, within],
            self.added[:, within],
        )


@dataclass(frozen=True, eq=False)
class UpdatedRows(FrozenArrays):
    """Curves on score axes, and random effects, drawn from the posterior given the labels."""

    curves: tuple[AxisCurves, ...]  # of each axis, in the order of the draws
    bottom: np.ndarray  # (n_draws,), lapse rates beside those of the curves, outside of effects
    top: np.ndarray
    spread: np.ndarray  # (n_draws,), of each curve over the items
    steepness: np.ndarray  # (n_draws,), of the curve of a group, relative to the mean over groups
    effects: tuple[EffectDraws, ...]
    expert: np.ndarray  # (n_draws,), of the experts of all axes: that of most items
    component: np.ndarray  # (n_draws,), of int: which of them share a path of curves
    weights: ExpertWeights
    ess: float  # how many independent draws they are worth
    pareto_k: float  # k-hat of the importance weights

    @cached_property
    def curve_shares(self) -> np.ndarray:
        """The share of the draws that have the same curves as each draw, (n_draws,)."""
        _, index, counts = np.unique(self.component, return_inverse=True, return_counts=True)
        return counts[index] / len(self.component)

    @property
    def n_curves(self) -> float:
        """Effective number of prior curves: 1 / the sum of their squared shares of the draws."""
        return float(1.0 / self.curve_shares.mean())

    @cached_property
    def log_odds(self) -> np.ndarray:
        """The log-odds at the cells of the only axis, random effects aside, (n_draws, n_cells)."""
        (on_axis,) = self.curves
        log_odds = lapsed(on_axis.curves + on_axis.added, self.bottom, self.top).T
        log_odds.flags.writeable = False
        return log_odds
