r"""Weighted curves that represent the prior of an axis, and their paths given labels.

One curve is from the prior of each component k, and more are from the Laplace posteriors
:math:`q_k` of the components with most weight. Both ways to draw are one mixture, so a curve
with coefficients c weighs

.. math:: v = \frac{w_k N(c; 0, I)}{N(c; 0, I) + n_k q_k(c)} .

Random effects u are shared by all strata of a path. Given them strata are independent but for the
chain, and

.. math:: p(u \mid \text{labels}) \propto p(u) Z_\rho(u), \qquad
    Z_\rho(u) = \sum_a V_a \sum_J p_a(J) \prod_h L_h(J_h; u)

with the weight :math:`V_a` of each axis. Effects that were drawn for one curve each, :math:`p(u)
Z_0(u)`, weigh :math:`Z_\rho(u) / Z_0(u)`, by the same curves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from ..data._cells import ScoreCells, strata_of
from ..inference._sampling import systematic_resample
from ..inputs._arrays import FrozenArrays, row_tiles
from ._components import Positions, expit_in_place, lapsed
from ._curve_paths import PathFilters
from ._label_rows import LabelRows
from ._prevalence_information import PrevalenceInformation

# Log-odds beyond these are as good as certain. With random effects they may be larger, but not so
# large that the exponential of a single-precision number overflows.
MAX_LOG_ODDS, FARTHEST = 36.0, 80.0


@dataclass(frozen=True, eq=False)
class RowEffects(FrozenArrays):
    """Draws of random effects at the rows of labels."""

    shift: np.ndarray  # (n, n_rows)
    stretch: np.ndarray  # (n, n_rows), or (n, 1) without any
    steepness: np.ndarray  # (n,)

    @property
    def n(self) -> int:
        return len(self.steepness)

    def take(self, draws: slice) -> RowEffects:
        return RowEffects(self.shift[draws], self.stretch[draws], self.steepness[draws])

    def mean(self) -> RowEffects:
        """Return the mean of the draws, as one."""
        parts = self.shift, self.stretch, self.steepness
        return RowEffects(*(part.mean(axis=0, keepdims=True) for part in parts))

    def on(self, curves: np.ndarray, prior: np.ndarray) -> np.ndarray:
        """Return curves at the rows, (n_rows, n_curves), with the effects of each draw.

        These stretch prior curves. The result, (n, n_rows, n_curves), is as precise as the curves.
        """
        shift, stretch, steepness = (
            part[..., np.newaxis].astype(curves.dtype)
            for part in (self.shift, self.stretch, self.steepness[:, np.newaxis])
        )
        log_odds = curves + shift
        if stretch.any():
            log_odds += stretch * prior
        log_odds *= steepness
        return np.clip(log_odds, -FARTHEST, FARTHEST, out=log_odds)


@dataclass(frozen=True, eq=False)
class WeightedCurves(FrozenArrays):
    """Curves on the cells of one axis that represent its prior."""

    cells: ScoreCells
    component: np.ndarray  # (n,), of which each curve is
    log_weight: np.ndarray  # (n,), of the prior
    spread: np.ndarray  # (n,), of the prior curves over the items
    log_prevalence: np.ndarray  # (n,), the log weight of the prevalence that each curve implies
    plain: np.ndarray  # (n_cells, n), the prior curves, which random effects stretch
    log_odds: np.ndarray  # (n_cells, n), the curves with their lapses

    @classmethod
    def of(
        cls,
        cells: ScoreCells,
        axis: int,
        component: np.ndarray,
        log_weight: np.ndarray,
        spread: np.ndarray,
        plain: np.ndarray,
        log_odds: np.ndarray,
        lapses: tuple[np.ndarray, np.ndarray],
        information: PrevalenceInformation,
    ) -> WeightedCurves:
        """Return the curves of an axis, given lapse rates at the bottom and the top.

        The prior curves and the log-odds are (n_cells, n); the latter are overwritten.
        """
        # Most curves have no lapse.
        bottom, top = lapses
        k = np.flatnonzero(bottom + top)
        log_odds[:, k] = lapsed(log_odds[:, k], bottom[k], top[k])
        np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS, out=log_odds)
        flat = np.zeros(len(component))
        weighted = cls(cells, component, log_weight, spread, flat, plain, log_odds)
        if information.is_empty:
            return weighted
        log_prevalence = information.log_weight(weighted.probability.T, cells.shares, axis)
        return replace(weighted, log_prevalence=log_prevalence)

    @cached_property
    def log_total(self) -> float:
        """The log prior weight of all of its curves."""
        return float(special.logsumexp(self.log_weight))

    @cached_property
    def probability(self) -> np.ndarray:
        """P(y = 1) by each curve on the cells, (n_cells, n)."""
        return expit_in_place(self.log_odds.copy())

    @cached_property
    def positives(self) -> np.ndarray:
        """The share of positives among all items by each curve in each stratum, (n_strata, n)."""
        return (np.eye(len(self.shares))[:, self.stratum] * self.cells.shares) @ self.probability

    @cached_property
    def stratum(self) -> np.ndarray:
        """The stratum of each cell, (n_cells,)."""
        return strata_of(self.cells.counts)

    @cached_property
    def shares(self) -> np.ndarray:
        """The share of the items in each stratum, (n_strata,)."""
        return np.bincount(self.stratum, self.cells.shares)

    @cached_property
    def middle(self) -> int:
        """The stratum of the item in the middle."""
        return int(np.searchsorted(np.cumsum(self.shares), 0.5))

    def take(self, curves: np.ndarray, log_weight: np.ndarray) -> WeightedCurves:
        """Return some of the curves, with other weights."""
        return WeightedCurves(
            self.cells,
            self.component[curves],
            log_weight,
            self.spread[curves],
            self.log_prevalence[curves],
            self.plain[:, curves],
            self.log_odds[:, curves],
        )

    def log_weight_of_prevalence(
        self, paths: np.ndarray, information: PrevalenceInformation, axis: int
    ) -> np.ndarray:
        """Return the log weight of paths by the prevalence that they imply, (n_paths,).

        It is relative to that of their curve in the middle.
        """
        if information.total is None:
            strata = np.arange(len(self.shares))[:, np.newaxis]
            log_weight = information.log_prior(self.positives[strata, paths.T].sum(axis=0))
        else:
            probability = self.on_cells(self.probability, paths).T
            log_weight = information.log_weight(probability, self.cells.shares, axis)
        return log_weight - self.log_prevalence[paths[:, self.middle]]

    def on_cells(self, of_curves: np.ndarray, paths: np.ndarray) -> np.ndarray:
        """Return values of curves on cells, (n_cells, n), along paths: (n_cells, n_paths)."""
        cell = np.arange(self.cells.n_cells)[:, np.newaxis]
        return of_curves[cell, paths[:, self.stratum].T]


@dataclass(frozen=True, eq=False)
class CurvesAtLabels(FrozenArrays):
    """Weighted curves at rows of labels, by stratum."""

    weighted: WeightedCurves
    rows: LabelRows
    plain: np.ndarray  # (n_rows, n), the prior curves there
    log_odds: np.ndarray  # (n_rows, n), the curves with their lapses
    in_stratum: np.ndarray  # (n_strata, n_rows), one where a row is in a stratum

    @classmethod
    def of(cls, weighted: WeightedCurves, rows: LabelRows, places: Positions) -> CurvesAtLabels:
        """Return the curves at rows, given their places on the axis."""
        nearest = np.minimum(places.left + (places.share > 0.5), weighted.cells.n_cells - 1)
        in_stratum = np.eye(len(weighted.shares))[:, weighted.stratum[nearest]]
        plain = places.at(weighted.plain)
        log_odds = places.at(weighted.log_odds)
        return cls(weighted, rows, plain, log_odds, in_stratum)

    def thinned(
        self, effects: RowEffects, n: int, switch: float, rng: np.random.Generator
    ) -> CurvesAtLabels:
        """Return fewer curves that represent the prior, given random effects of the rows.

        Half of them are drawn by their weight before the labels, and half by that in any stratum.
        """
        if len(self.weighted.log_weight) <= n:
            return self
        of_paths = self.filters(effects, switch)
        chances = 0.5 * of_paths.prior + 0.5 * of_paths.marginals()[0].mean(axis=0)
        chosen = systematic_resample(chances, rng, n)
        log_weight = self.weighted.log_weight[chosen] - np.log(n * chances[chosen])
        weighted = self.weighted.take(chosen, log_weight)
        return replace(
            self, weighted=weighted, plain=self.plain[:, chosen], log_odds=self.log_odds[:, chosen]
        )

    def filters(self, effects: RowEffects, switch: float) -> PathFilters:
        """Return the filters of paths, one for each draw of random effects of the rows."""
        weighted = self.weighted
        # Many draws of effects, each of which sees all curves, need few digits.
        precision = np.float64 if effects.n == 1 else np.float32
        shape = effects.n, len(weighted.shares), len(weighted.log_weight)
        log_likelihood = np.zeros(shape, dtype=precision)
        switches = np.full(len(weighted.shares) - 1, switch)
        if self.rows.n_rows:
            # No other curve where strata without labels lie between labeled ones.
            labeled = np.flatnonzero(self.in_stratum.any(axis=1))
            distance = np.diff(labeled)
            switches[labeled[0] : labeled[-1]] *= np.repeat(distance == 1, distance)
            log_odds = self.log_odds.astype(precision)
            plain = self.plain.astype(precision)
            in_stratum = self.in_stratum.astype(precision)
            # Few draws at a time stay in the cache.
            for tile in row_tiles(effects.n, log_odds.size):
                of_rows = self.rows.log_likelihoods_of(effects.take(tile).on(log_odds, plain))
                np.matmul(in_stratum, of_rows, out=log_likelihood[tile])
        # The prior of the prevalence that a path implies: first as of its curve in the middle.
        log_likelihood[:, weighted.middle] += weighted.log_prevalence
        return PathFilters.of(special.softmax(weighted.log_weight), log_likelihood, switches)
