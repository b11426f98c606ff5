"""Distributions that results are drawn from, and levels of intervals."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy import special

from ..exceptions import FewDrawsWarning
from ..inference._draws import picked
from ..inputs._arrays import FrozenArrays
from ..inputs._validation import check_number

# Probabilities that the range of what is known leaves out on either side, from the lowest level of
# intervals to the highest.
TAILS = (0.25, 0.1, 0.05, 0.025, 0.005, 0.0005)
# 1 - 2 / n is rounded, and so are sums of weights.
ROUNDING = 1e-9


def probability_of(event: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the probability of an event in weighted draws, in [0, 1]; NaN without weight.

    Parameters
    ----------
    event : array-like of shape (n_draws, ...)
        1 or True where it holds, 0 where not, 0.5 for a tie; NaN in draws that are left out.
    weights : array-like of shape (n_draws,)
        Not negative. Their sum is one only up to rounding, so the event and its complement
        are both summed.
    """
    event = np.asarray(event, dtype=float)
    weights = np.asarray(weights, dtype=float)
    is_defined = ~np.isnan(event)
    share = np.where(is_defined, event, 0.0)

    met = np.einsum("i,i...->...", weights, share)
    missed = np.einsum("i,i...->...", weights, np.where(is_defined, 1.0 - share, 0.0))
    total = met + missed
    return np.divide(met, total, out=np.full(np.shape(total), np.nan), where=total > 0.0)


class ResultDistribution(FrozenArrays, ABC):
    """The distribution of one or several quantities of a result."""

    # The arrays whose last axis runs over the quantities.
    of_points: ClassVar[tuple[str, ...]] = ()

    def reversed(self) -> Self:
        """Return the quantities in the opposite order."""
        return replace(self, **{name: getattr(self, name)[..., ::-1] for name in self.of_points})

    def between(self, left: int, right: int, share: float) -> Self:
        """Return the distribution of one quantity, interpolated between two."""
        arrays = {name: getattr(self, name) for name in self.of_points}
        columns = {
            name: _mixed(values[..., [left]], values[..., [right]], share)
            for name, values in arrays.items()
        }
        return replace(self, **columns)

    @abstractmethod
    def quantile(self, levels: npt.ArrayLike) -> np.ndarray:
        """Return quantiles of shape (n_levels, n_points)."""

    def interval(self, level: float) -> np.ndarray:
        """Return both ends of the interval of each quantity, of shape (2, n_points)."""
        tail = (1.0 - level) / 2.0
        return self.quantile([tail, 1.0 - tail])

    def envelope(self, level: float) -> np.ndarray:
        """Return the ends of intervals with a level common to all points of a curve."""
        return self.interval(level)


@dataclass(frozen=True, eq=False)
class WeightedDraws(ResultDistribution):
    """The distribution of one or several quantities, given by weighted draws.

    Attributes
    ----------
    draws : ndarray of shape (n_draws, n_points)
        NaN marks a draw in which a quantity is undefined; it is left out there.
    weights : ndarray of shape (n_draws,)
        Not negative, summing to one.
    """

    draws: np.ndarray
    weights: np.ndarray
    of_points: ClassVar[tuple[str, ...]] = ("draws",)
    # Those of them that are in the units of the quantities.
    of_values: ClassVar[tuple[str, ...]] = ("draws",)

    def __post_init__(self) -> None:
        for name in ("draws", "weights"):
            # A copy: the arrays are a user's.
            object.__setattr__(self, name, np.array(getattr(self, name), dtype=float))
        super().__post_init__()

    @classmethod
    def pooled(cls, distributions: Sequence[WeightedDraws]) -> WeightedDraws:
        """Return the equally weighted mixture of several distributions."""
        if len(distributions) == 1:
            return distributions[0]
        draws = np.concatenate([distribution.draws for distribution in distributions])
        weights = np.concatenate([distribution.weights for distribution in distributions])
        return cls(draws, weights / len(distributions))

    @classmethod
    def side_by_side(cls, distributions: Sequence[WeightedDraws]) -> WeightedDraws:
        """Return the joint distribution of quantities, each given alone by the same draws."""
        draws = np.column_stack([distribution.draws for distribution in distributions])
        joint = WeightedDraws(draws, distributions[0].weights)
        open_parts = [part for part in distributions if isinstance(part, OneSidedDraws)]
        if not open_parts:
            return joint

        parts = [part._with_ends() for part in distributions]
        edges, limits, far_limits = (
            np.concatenate([getattr(part, name) for part in parts], axis=-1)
            for name in ("edges", "limits", "far_limits")
        )
        return joint.reaching(edges, open_parts[0].of_one_class, limits, far_limits)

    @classmethod
    def average(cls, distributions: Sequence[WeightedDraws]) -> WeightedDraws:
        """Return the distribution of the mean of independent quantities; NaN are left out."""
        if len(distributions) == 1:
            return distributions[0]

        n_draws = max(len(distribution.weights) for distribution in distributions)
        draws = np.stack(
            [
                distribution.draws[picked(distribution.weights, n_draws)]
                for distribution in distributions
            ]
        )
        defined = ~np.isnan(draws)

        with np.errstate(invalid="ignore"):
            means = np.where(defined, draws, 0.0).sum(axis=0) / defined.sum(axis=0)

        return cls(means, np.full(n_draws, 1.0 / n_draws))

    def quantile(self, levels: npt.ArrayLike) -> np.ndarray:
        """Return weighted quantiles of shape (n_levels, n_points).

        The quantile function is linear between the draws, each of which is at the middle of its
        weight.
        """
        levels = np.atleast_1d(np.asarray(levels, dtype=float))
        result = np.full((len(levels), self.draws.shape[1]), np.nan)
        for j, (_, values, ranks) in enumerate(self._ranked):
            if len(values):
                result[:, j] = _between(levels, ranks, values)
        return result

    @property
    def n_points(self) -> int:
        """Number of quantities."""
        return self.draws.shape[1]

    @property
    def is_constant(self) -> bool:
        """Whether all quantities are constant over the draws: intervals have no width."""
        return all(not len(values) or values[0] == values[-1] for _, values, _ in self._ranked)

    def median(self) -> np.ndarray:
        """Return the weighted median of each quantity."""
        return self.quantile(0.5)[0]

    def reaching(
        self,
        edges: np.ndarray,
        of_one_class: bool = False,
        limits: np.ndarray | None = None,
        far_limits: np.ndarray | None = None,
    ) -> WeightedDraws:
        """Return the distribution whose intervals reach an edge that the labels do not exclude.

        Parameters
        ----------
        edges : ndarray of shape (n_points,)
            The edge of the range of each quantity; NaN where the labels exclude both.
        of_one_class : bool, default=False
            Whether all labels are of one class.
        limits : ndarray of shape (n_tails, n_points), default=None
            How far toward its edge each quantity may lie by what else is known, with the
            probability of each of `TAILS` left out. None means that it may reach the edge.
        far_limits : ndarray of shape (n_tails, n_points), default=None
            How far away from its edge each quantity may lie, likewise. None means no farther than
            the draws.
        """
        if np.isnan(edges).all():
            return self
        return self._with_ends(edges, of_one_class, limits, far_limits)

    def _with_ends(
        self,
        edges: np.ndarray | None = None,
        of_one_class: bool = False,
        limits: np.ndarray | None = None,
        far_limits: np.ndarray | None = None,
    ) -> OneSidedDraws:
        """Return the distribution with these ends, NaN where there are none; see `reaching`."""
        nothing = np.full(self.n_points, np.nan)
        edges = nothing if edges is None else edges
        every_edge = np.tile(edges, (len(TAILS), 1))
        return OneSidedDraws(
            self.draws,
            self.weights,
            edges,
            every_edge if limits is None else limits,
            np.tile(nothing, (len(TAILS), 1)) if far_limits is None else far_limits,
            of_one_class,
        )

    def reaching_like(self, parts: Sequence[ResultDistribution]) -> WeightedDraws:
        """Return the distribution of a mean of quantities, whose intervals reach as theirs do.

        Parameters
        ----------
        parts : sequence of distributions
            Each of one quantity. Unless all are open to the same edge, the mean is open to none.
        """
        open_parts = [part for part in parts if isinstance(part, OneSidedDraws)]
        if len(open_parts) < len(parts):
            return self
        first = open_parts[0]
        if not all(np.array_equal(part.edges, first.edges) for part in open_parts):
            return self
        limits, far_limits = (
            np.mean([getattr(part, name) for part in open_parts], axis=0)
            for name in ("limits", "far_limits")
        )
        return self.reaching(first.edges, first.of_one_class, limits, far_limits)

    def scaled(self, factor: float) -> Self:
        """Return the distribution of the quantities times a positive number."""
        if factor == 1.0:
            return self
        values = {name: factor * getattr(self, name) for name in self.of_values}
        return replace(self, **values)

    def combined(self, other: WeightedDraws, operation: Callable[..., np.ndarray]) -> WeightedDraws:
        """Return the distribution of an operation on both quantities, draw by draw.

        Parameters
        ----------
        other : WeightedDraws
            With the same draws.
        operation : callable
            Such as `numpy.subtract`.
        """
        # Infinite slopes have no difference.
        with np.errstate(invalid="ignore"):
            draws = operation(self.draws, other.draws)
        return CombinedDraws(draws, self.weights, (self, other), operation)

    def mean(self) -> np.ndarray:
        """Return the weighted mean of each quantity."""
        return self._moment(self.draws)

    def std(self) -> np.ndarray:
        """Return the weighted standard deviation of each quantity; nan if a draw is infinite."""
        with np.errstate(invalid="ignore"):
            return np.sqrt(self._moment((self.draws - self.mean()) ** 2))

    def envelope_level(self, level: float) -> float:
        """Return the pointwise level at which whole draws lie inside with probability `level`.

        The depth of a draw is the smallest of its ranks, from below and from above, over all
        points. The deepest draws with `level` of the weight lie between the pointwise quantiles at
        the depth of the last of them.
        """
        depth = np.full(len(self.draws), np.inf)
        for order, values, ranks in self._ranked:
            # Equal draws lie inside together.
            below = ranks[np.searchsorted(values, values, side="right") - 1]
            above = 1.0 - ranks[np.searchsorted(values, values, side="left")]
            depth[order] = np.minimum(depth[order], np.minimum(below, above))

        deepest = np.argsort(-depth, kind="stable")
        deepest = deepest[np.isfinite(depth[deepest])]
        if not len(deepest):
            return level

        cumulated = np.cumsum(self.weights[deepest])
        last = min(np.searchsorted(cumulated, level * cumulated[-1]), len(cumulated) - 1)

        # At a single point the pointwise level could be off by half a draw.
        return float(np.clip(1.0 - 2.0 * depth[deepest[last]], level, 1.0))

    @cached_property
    def _ranked(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """For each quantity the order of the defined draws, their values and their ranks.

        A rank is the share of the weight below a draw, plus half of its own.
        """
        # One row per quantity: sorting is faster along contiguous memory. NaN comes last.
        draws = np.ascontiguousarray(self.draws.T)
        order = np.argsort(draws, axis=1)
        ordered = np.take_along_axis(draws, order, axis=1)
        weights = self.weights[order]
        weights[np.isnan(ordered)] = 0.0
        ends = np.cumsum(weights, axis=1)
        middles = ends - weights / 2.0
        is_counted = weights > 0.0

        return [
            (order[j, counted], ordered[j, counted], middles[j, counted] / ends[j, -1])
            for j, counted in enumerate(is_counted)
        ]

    def _moment(self, values: np.ndarray) -> np.ndarray:
        defined = ~np.isnan(values)
        weights = np.where(defined, self.weights[:, None], 0.0)
        total = weights.sum(axis=0)
        with np.errstate(invalid="ignore"):
            return (weights * np.where(defined, values, 0.0)).sum(axis=0) / total


def _mixed(first: np.ndarray, second: np.ndarray, share: float) -> np.ndarray:
    """Return values at a share of the way from the first ones to the second ones."""
    # Exactly, where both are equal or infinite.
    if not share:
        return first
    with np.errstate(invalid="ignore"):
        between = (1.0 - share) * first + share * second
    return np.where(first == second, first, between)


def _between(levels: np.ndarray, ranks: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Interpolate increasing values; next to an infinite one, take the nearer."""
    if np.isfinite(values[[0, -1]]).all() or len(values) == 1:
        return np.interp(levels, ranks, values)
    with np.errstate(invalid="ignore"):
        quantiles = np.interp(levels, ranks, values)

    # The values on either side of each level.
    following = np.clip(np.searchsorted(ranks, levels), 1, len(ranks) - 1)
    previous = following - 1
    is_previous_nearer = levels - ranks[previous] < ranks[following] - levels
    nearer = np.where(is_previous_nearer, previous, following)
    is_finite = np.isfinite(values[previous]) & np.isfinite(values[following])
    return np.where(is_finite, quantiles, values[nearer])


def _at_level(limits: np.ndarray, level: float) -> np.ndarray:
    """Return limits at a level of intervals, linear in normal deviates, (n_points,)."""
    deviates = -special.ndtri(TAILS)
    deviate = -special.ndtri((1.0 - level) / 2.0)
    position = np.interp(deviate, deviates, np.arange(len(TAILS)))
    left = min(int(position), len(TAILS) - 2)
    share = position - left
    return _mixed(limits[left], limits[left + 1], share)


@dataclass(frozen=True, eq=False)
class OneSidedDraws(WeightedDraws):
    """Draws of quantities with a range of which the labels do not exclude an edge.

    Intervals reach the edge, or the limit that information other than labels sets. If all labels
    are of one class, the other end is the quantile 1 - (1 - level) / 4 (its mirror image: (1 -
    level) / 4), or a far limit beyond it; else it is unchanged.
    """

    edges: np.ndarray  # (n_points,); minimum or maximum of each quantity; NaN if excluded
    # (n_tails, n_points), the value that may be reached with each of `TAILS` left out
    limits: np.ndarray
    # (n_tails, n_points), how far away from the edge each quantity may lie, likewise; NaN where no
    # farther than the draws
    far_limits: np.ndarray
    of_one_class: bool = False

    of_points = ("draws", "edges", "limits", "far_limits")
    of_values = ("draws", "edges", "limits", "far_limits")

    def _with_ends(self, *ends: Any) -> OneSidedDraws:
        return super()._with_ends(*ends) if ends else self

    @property
    def is_open(self) -> np.ndarray:
        """Whether no information excludes the edge of each quantity, (n_points,)."""
        return np.abs(self.limits[-1] - self.edges) <= ROUNDING

    def interval(self, level: float) -> np.ndarray:
        """Return both ends of the interval of each quantity, of shape (2, n_points)."""
        lower, upper = super().interval(level)
        if self.of_one_class:
            tail = (1.0 - level) / 4.0
            wider = self.quantile([tail, 1.0 - tail])
            has_edge = ~np.isnan(self.edges)
            lower, upper = np.where(has_edge, wider, [lower, upper])
        return self._widened(lower, upper, level)

    def envelope(self, level: float) -> np.ndarray:
        """Return the ends of equal-tailed intervals with a level common to all points."""
        lower, upper = super().interval(level)
        return self._widened(lower, upper, level)

    def _widened(self, lower: np.ndarray, upper: np.ndarray, level: float) -> np.ndarray:
        # Which end of the range each open edge is.
        smallest = np.fmin.reduce(self.draws, axis=0)
        largest = np.fmax.reduce(self.draws, axis=0)
        is_lowest = self.edges <= smallest + ROUNDING
        is_highest = self.edges >= largest - ROUNDING

        # Intervals reach the edge, or what else is known of this end and of the other one.
        limits = _at_level(self.limits, level)
        far = _at_level(self.far_limits, level)
        lowest = np.where(is_lowest, limits, np.nan)
        highest = np.where(is_highest, limits, np.nan)
        lowest = np.where(is_highest, np.fmin(lowest, far), lowest)
        highest = np.where(is_lowest, np.fmax(highest, far), highest)
        return np.array([np.fmin(lower, lowest), np.fmax(upper, highest)])

    def between(  # type: ignore[override]
        self, left: int, right: int, share: float
    ) -> WeightedDraws:
        """Return the distribution of one quantity, interpolated between two."""
        distribution = super().between(left, right, share)
        if np.isnan(self.edges[left]) or (share and self.edges[left] != self.edges[right]):
            return WeightedDraws(distribution.draws, distribution.weights)
        return distribution


@dataclass(frozen=True, eq=False)
class CombinedDraws(WeightedDraws):
    """Draws of a sum or a difference of two quantities, whose intervals agree with theirs.

    It ends where the ends of its terms allow. And it holds the difference of both lower ends, and
    that of both upper ends: without these it would rule out an end of one term, wherever the other
    one lies in its interval, as it would where a term reaches an edge that no draw does.
    """

    terms: tuple[WeightedDraws, WeightedDraws]
    operation: Callable[..., np.ndarray]  # `numpy.add` or `numpy.subtract`

    def reversed(self) -> Self:
        """Return the quantities in the opposite order."""
        first, second = self.terms
        return replace(super().reversed(), terms=(first.reversed(), second.reversed()))

    def between(  # type: ignore[override]
        self, left: int, right: int, share: float
    ) -> WeightedDraws:
        """Return the distribution of one quantity, interpolated between two."""
        first, second = (term.between(left, right, share) for term in self.terms)
        return first.combined(second, self.operation)

    def scaled(self, factor: float) -> Self:
        """Return the distribution of the quantities times a positive number."""
        first, second = self.terms
        return replace(super().scaled(factor), terms=(first.scaled(factor), second.scaled(factor)))

    def interval(self, level: float) -> np.ndarray:
        """Return both ends of the interval of each quantity, of shape (2, n_points)."""
        first, second = (term.interval(level) for term in self.terms)
        # The ends of a sum are those of a difference from the negated term.
        second = second[::-1] if self.operation is np.add else second
        with np.errstate(invalid="ignore"):
            held = self.operation(first, second)
            allowed = self.operation(first, second[::-1])

        lower, upper = super().interval(level)
        lower = np.fmax(np.fmin(lower, np.fmin(*held)), allowed[0])
        upper = np.fmin(np.fmax(upper, np.fmax(*held)), allowed[1])
        return np.array([lower, upper])


@dataclass(frozen=True, eq=False)
class CenteredDraws(WeightedDraws):
    """Draws around a separately known estimate, which replaces the median.

    Attributes
    ----------
    center : ndarray of shape (n_points,)
    """

    center: np.ndarray
    of_points: ClassVar[tuple[str, ...]] = ("draws", "center")

    def median(self) -> np.ndarray:
        """Return the estimate."""
        return self.center

    def combined(self, other: WeightedDraws, operation: Callable[..., np.ndarray]) -> WeightedDraws:
        """Return the distribution of an operation on both quantities, draw by draw."""
        distribution = super().combined(other, operation)
        if not isinstance(other, CenteredDraws):
            # For completed labels only the draws are known.
            return distribution
        return CenteredDraws(
            distribution.draws, distribution.weights, operation(self.center, other.center)
        )


@dataclass(frozen=True, eq=False)
class Proportions(ResultDistribution):
    """Probabilities counted over draws, with their Monte Carlo error.

    Given `n_draws` draws, each has the distribution Beta(k + 1/2, n_draws - k + 1/2) with k
    successes, the posterior under Jeffreys' prior.

    Attributes
    ----------
    shares : ndarray of shape (n_points,)
        The share of successes among the draws.
    n_draws : float
        The effective number of draws.
    """

    shares: np.ndarray
    n_draws: float
    of_points: ClassVar[tuple[str, ...]] = ("shares",)

    def quantile(self, levels: npt.ArrayLike) -> np.ndarray:
        """Return quantiles of shape (n_levels, n_points).

        Without successes the lower ones are 0, without failures the upper ones are 1, as is usual
        for Jeffreys intervals.
        """
        levels = np.atleast_1d(np.asarray(levels, dtype=float))[:, np.newaxis]
        hits = self.shares * self.n_draws
        quantiles = special.betaincinv(hits + 0.5, self.n_draws - hits + 0.5, levels)
        quantiles = np.where((self.shares <= 0.0) & (levels < 0.5), 0.0, quantiles)
        return np.where((self.shares >= 1.0) & (levels > 0.5), 1.0, quantiles)

    @property
    def draws(self) -> Any:
        """Not available."""
        raise AttributeError(
            "Counted probabilities have no draws and no weights; use value and interval()."
        )

    weights = draws

    @property
    def n_points(self) -> int:
        """Number of probabilities."""
        return len(self.shares)

    def median(self) -> np.ndarray:
        """Return the shares, the point estimates of the probabilities."""
        return self.shares

    def mean(self) -> np.ndarray:
        """Return the shares."""
        return self.shares

    def std(self) -> np.ndarray:
        """Return the standard deviation of each distribution."""
        alpha = self.shares * self.n_draws + 0.5
        beta = self.n_draws + 1.0 - alpha
        return np.sqrt(alpha * beta / (alpha + beta + 1.0)) / (alpha + beta)

    def envelope_level(self, level: float) -> float:
        """Return the pointwise level at which all points lie inside: Bonferroni's."""
        return 1.0 - (1.0 - level) / len(self.shares)


def check_level(level: float) -> float:
    """Return a level; raise unless it lies in (0, 1)."""
    return check_number(level, "confidence_level", "(0, 1)")


def check_level_of(result: Any, level: float | None) -> float:
    """Return a level, None for that of a result; warn if it has too few draws for an interval."""
    level = check_level(result.confidence_level if level is None else level)
    distribution = result.distribution
    # Two are not draws but the bounds of all possible values.
    if (
        isinstance(distribution, WeightedDraws)
        and not distribution.is_constant
        and len(distribution.weights) > 2
    ):
        more = "n_bootstrap" if getattr(result, "kind", "") == "bootstrap" else "n_draws"
        warn_of_few_draws(level, len(distribution.weights), 2, more, stacklevel=4)
    return level


def warn_of_few_draws(
    level: float, n_draws: int, n_sides: int = 2, more: str = "n_draws", stacklevel: int = 3
) -> None:
    """Warn if a level leaves out less than one draw on each of `n_sides` sides."""
    highest = 1.0 - n_sides / n_draws
    if level <= highest + ROUNDING:
        return
    needed = math.ceil(n_sides / max(1.0 - level, np.finfo(float).eps) * (1.0 - ROUNDING))
    warnings.warn(
        f"A level of {level:.6g} needs more than {n_draws} draws: intervals of levels from "
        f"{max(highest, 0.0):.6g} on end at the most extreme draws. Use a lower level, or fit "
        f"with {more}={needed} or more.",
        FewDrawsWarning,
        stacklevel=stacklevel,
    )


@dataclass(frozen=True, eq=False)
class LogitDistribution(ResultDistribution):
    """An estimate in [0, 1] with a scaled Student's t distribution of its log-odds."""

    value: float  # the estimate; NaN if there is none
    standard_error: float  # NaN if only the range is known
    degrees: float  # degrees of freedom of the standard error
    smallest: float = 0.0  # the bounds
    largest: float = 1.0

    n_points = 1

    @classmethod
    def unknown(
        cls, smallest: float = 0.0, largest: float = 1.0, value: float = np.nan
    ) -> LogitDistribution:
        """Make the distribution of a quantity of which only the range is known."""
        return cls(value, np.nan, np.nan, smallest, largest)

    def quantile(self, levels: npt.ArrayLike) -> np.ndarray:
        """Return quantiles of shape (n_levels, 1)."""
        levels = np.atleast_1d(np.asarray(levels, dtype=float))[:, np.newaxis]
        ends = np.where(levels == 0.5, self.value, np.where(levels < 0.5, 0.0, 1.0))

        if np.isfinite(self.standard_error):
            # An estimate of 0 or 1 has no log-odds; it is moved by half a label.
            edge = 0.5 / (self.degrees + 2.0)
            center = np.clip(self.value, edge, 1.0 - edge)
            steps = special.stdtrit(self.degrees, levels)
            scale = self.standard_error / (center * (1.0 - center))
            ends = special.expit(special.logit(center) + steps * scale)
            # The estimate lies in every interval.
            ends = np.where(levels < 0.5, np.minimum(ends, self.value), ends)
            ends = np.where(levels > 0.5, np.maximum(ends, self.value), ends)

        return np.clip(ends, self.smallest, self.largest)

    def median(self) -> np.ndarray:
        """Return the estimate, of shape (1,)."""
        return np.array([self.value])

    def mean(self) -> np.ndarray:
        """Return the estimate, of shape (1,)."""
        return self.median()

    def std(self) -> np.ndarray:
        """Return the standard error, of shape (1,)."""
        return np.array([self.standard_error])
