"""Tails of scores: transforms, the coordinate of the tail, calibrated wins."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from numpy.polynomial import hermite_e
from scipy import optimize, special

from ...inputs._arrays import FrozenArrays
from .._pilot import Pilot

# Tolerance of the sum of probabilities in a row.
SUM_TOLERANCE = 1e-3
# Candidate powers of distances. A chi-square variable is nearly normal with power 1 / 3.
POWERS = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15)
ENOUGH_SCORES = 1 << 18
# Minimum reduction of the skewness for which a power is used.
WORTHWHILE = 0.02
# Number of values at either end beyond which the map is linear.
NEAREST_RANK = 15
N_KNOTS = 60
# Number of knots over which the slope of the line is computed.
LINE_KNOTS = 12
# A wrong class that scores higher with a probability below 1e-30 never does.
FARTHEST = 12.0
# Minimum spread of a row with equal scores, as a share of the pooled spread.
MIN_SPREAD = 1e-6
# Decimals to which standardized scores that agree are ties.
DECIMALS = 9
# The normal prior of the calibration (intercept, slope, log spread), chosen on the design problems
# of examples/benchmarks/extrapolation; with slope 1 and intercept 0 true and wrong classes with the
# same statistic are exchangeable.
PRIOR_MEANS = np.array([0.1, 1.0, np.log(0.1)])
PRIOR_STDS = np.array([0.25, 0.1, 0.4])
BOUNDS = ((-4.0, 4.0), (0.05, 4.0), (np.log(0.01), np.log(3.0)))
# Maximum number of parts of an item with ties.
MAX_PARTS = 5
# Nodes of a standard normal distribution, and the logarithms of their weights: a likelihood of few
# trials is smooth; a power of U with many classes is steep.
FEW_NODES, FEW_WEIGHTS = hermite_e.hermegauss(12)
LOG_FEW_WEIGHTS = np.log(FEW_WEIGHTS / FEW_WEIGHTS.sum())
NODES, NODE_WEIGHTS = hermite_e.hermegauss(20)
LOG_NODE_WEIGHTS = np.log(NODE_WEIGHTS / NODE_WEIGHTS.sum())


@dataclass(frozen=True)
class ScoreTransform:
    """One increasing map of all scores.

    Probabilities become their logarithms. Scores with upper bound 0, such as negative distances,
    are transformed by the power that minimizes the skewness of the wrong scores of an item. Other
    scores are unchanged.
    """

    logarithm: bool = False
    power: float = 1.0  # of the negative score; 1 changes nothing
    floor: float = 0.0  # replaces -inf on the new scale, below all other scores

    @classmethod
    def learn(cls, scores: np.ndarray) -> ScoreTransform:
        """Find the scale of a table of scores."""
        logarithm = _are_probabilities(scores)
        bounded = not logarithm and scores.max() <= 0.0 and not _are_log_probabilities(scores)
        power = _min_skewness_power(scores) if bounded else 1.0
        return cls(logarithm, power)

    def floored(self, scores: np.ndarray) -> ScoreTransform:
        """Return the scale with a floor below all finite scores."""
        bottom = 0.0 if self.logarithm else -np.inf
        if scores.min() > bottom:
            return self
        finite = scores > bottom
        if not finite.any():
            return self
        # The map is increasing: its ends are those of the finite scores.
        finite_range = np.array([scores.min(where=finite, initial=np.inf), scores.max()])
        lowest, highest = self(finite_range)
        return replace(self, floor=float(lowest - max(highest - lowest, 1.0)))

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        """Return scores on the new scale."""
        scores = np.asarray(scores, dtype=float)
        if self.logarithm:
            with np.errstate(divide="ignore"):
                scores = np.log(scores)
        elif self.power != 1.0:
            scores = -((-scores) ** self.power)
        return np.where(np.isneginf(scores), self.floor, scores)


def split_scores(scores: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of the true class of each item, and those of the others."""
    columns = columns[:, np.newaxis]
    true = np.take_along_axis(scores, columns, axis=1)[:, 0]
    wrong = np.take_along_axis(scores, wrong_columns(columns, scores.shape[1]), axis=1)
    return true, wrong


def wrong_columns(columns: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the columns of the wrong classes of each item, in order."""
    # Columns before the true one, and those after it shifted by one.
    before = np.arange(n_classes - 1)
    return before + (before >= columns)


def _are_probabilities(scores: np.ndarray) -> bool:
    if scores.min() < 0.0 or scores.max() > 1.0 + SUM_TOLERANCE:
        return False
    return bool(np.abs(scores.sum(axis=1) - 1.0).max() < SUM_TOLERANCE)


def _are_log_probabilities(scores: np.ndarray) -> bool:
    return bool(np.abs(np.exp(scores).sum(axis=1) - 1.0).max() < SUM_TOLERANCE)


def _min_skewness_power(scores: np.ndarray) -> float:
    """Return the power of negative scores whose rows are the least skewed, in the median."""
    # A median over a subsample of items if there are many scores.
    scores = scores[:: 1 + scores.size // ENOUGH_SCORES]
    finite = np.isfinite(scores)
    n_finite = finite.sum(axis=1, keepdims=True)

    skewness = []
    for power in POWERS:
        values = np.where(finite, -((-scores) ** power), 0.0)
        mean = values.sum(axis=1, keepdims=True) / np.maximum(n_finite, 1)
        deviations = np.where(finite, values - mean, 0.0)
        variance = (deviations**2).sum(axis=1)
        third = (deviations**3).sum(axis=1)

        spread = variance > 0.0
        if not spread.any():
            return 1.0
        ratio = third[spread] * np.sqrt(n_finite[spread, 0]) / variance[spread] ** 1.5
        skewness.append(abs(np.median(ratio)))

    best = int(np.argmin(skewness))
    return POWERS[best] if skewness[best] < skewness[0] - WORTHWHILE else 1.0


@dataclass(frozen=True)
class SpreadPrior:
    """Empirical Bayes prior of the spread of a row, from the other rows."""

    center: float  # typical log standard deviation
    kept: float  # shrinkage factor: the share of the deviation that is kept
    log_variance: float  # posterior variance of the log standard deviation
    least: float  # minimum standard deviation of a row, whose scores may all be equal

    @classmethod
    def learn(cls, alone: np.ndarray, deviations: np.ndarray) -> SpreadPrior:
        """Fit the prior to the standard deviations of rows, and their deviations from the means."""
        n_wrong = deviations.shape[1]
        least = MIN_SPREAD * (float(np.median(alone)) or 1.0)
        logs = np.log(np.maximum(alone, least))

        squares = deviations**2
        with np.errstate(invalid="ignore", divide="ignore"):
            kurtosis = n_wrong * (squares**2).sum(axis=1) / squares.sum(axis=1) ** 2
        typical = np.nanmedian(kurtosis) if np.isfinite(kurtosis).any() else 3.0

        # The sampling variance of the log standard deviation of n values.
        by_chance = max(typical - 1.0, 0.2) / (4.0 * n_wrong)
        center = float(np.median(logs))
        between_rows = max(0.0, float(np.mean((logs - center) ** 2)) - by_chance)
        shrinkage = between_rows / (between_rows + by_chance)
        return cls(center, shrinkage, shrinkage * by_chance, least)


@dataclass(frozen=True, eq=False)
class RowScale(FrozenArrays):
    """Mean and standard deviation of the wrong scores of each item.

    The log standard deviations are shrunk by empirical Bayes, as part of their differences is
    sampling error.
    """

    means: np.ndarray  # (n_items,)
    stds: np.ndarray  # (n_items,)
    n_wrong: int  # number of wrong scores per item
    alone: np.ndarray  # (n_items,); standard deviations before shrinkage
    spreads: SpreadPrior  # the prior of the shrinkage

    @classmethod
    def learn(cls, wrong: np.ndarray, spreads: SpreadPrior | None = None) -> RowScale:
        """Compute the scale of the rows of a table of shape (n_items, n_wrong)."""
        n_wrong = wrong.shape[1]
        means = wrong.mean(axis=1)
        deviations = wrong - means[:, np.newaxis]
        squares = np.einsum("ij,ij->i", deviations, deviations)
        alone = np.sqrt(squares / max(n_wrong - 1, 1))

        if spreads is None:
            spreads = SpreadPrior.learn(alone, deviations)
        alone = np.maximum(alone, spreads.least)
        stds = np.exp(spreads.center + spreads.kept * (np.log(alone) - spreads.center))
        return cls(means, stds, n_wrong, alone, spreads)

    def of(self, true: np.ndarray) -> np.ndarray:
        """Return the standardized scores of the true classes, of shape (n_items,)."""
        return (true - self.means) / self.stds

    def of_each_left_out(self, wrong: np.ndarray) -> np.ndarray:
        """Return the standardized wrong scores, each by the others of its row.

        This makes them comparable to the score of a true class, which does not enter the mean.
        """
        n = self.n_wrong
        row_means = self.means[:, np.newaxis]
        row_stds = self.alone[:, np.newaxis]

        # Mean and standard deviation without the score itself.
        deviations = wrong - row_means
        means = row_means - deviations / (n - 1)
        squares = (n - 1) * row_stds**2 - deviations**2 * n / (n - 1)
        variances = np.maximum(squares / max(n - 2, 1), (MIN_SPREAD * row_stds) ** 2)

        # Shrunk by as much as that of the row.
        shrinkage = (self.stds / self.alone)[:, np.newaxis]
        return (wrong - means) / (np.sqrt(variances) * shrinkage)


@dataclass(frozen=True, eq=False)
class NormalScores(FrozenArrays):
    r"""The increasing map that makes pooled values standard normal.

    Linear between its knots and beyond the last ones, where fewer than `NEAREST_RANK` values are
    left: a normal tail.
    """

    knots: np.ndarray  # (n_knots,)
    images: np.ndarray  # (n_knots,)

    @classmethod
    def learn(cls, values: np.ndarray) -> NormalScores:
        """Fit the map to the ranks of pooled values."""
        values = np.sort(values, axis=None)
        n = len(values)
        nearest = min(NEAREST_RANK, max(1, n // 20))

        # Ranks from the top that are dense at both ends.
        tail = np.geomspace(nearest, max(n / 2.0, nearest + 1.0), N_KNOTS // 2).astype(int)
        n_above = np.unique(np.concatenate([tail, n - tail]))
        n_above = n_above[(n_above >= 1) & (n_above < n)]
        knots = values[n - n_above]
        images = -special.ndtri(n_above / (n + 1.0))

        # Ties, also up to rounding, have their mean rank.
        _, first, group = np.unique(
            np.round(knots, DECIMALS), return_index=True, return_inverse=True
        )
        images = np.bincount(group, images) / np.bincount(group)
        return cls(knots[first], images)

    def __call__(self, values: npt.ArrayLike) -> np.ndarray:
        """Return the images of values, of the same shape."""
        values = np.asarray(values, dtype=float)
        if len(self.knots) < 2:
            return np.sign(values - self.knots[0]) if len(self.knots) else np.zeros_like(values)
        images = np.interp(values, self.knots, self.images)

        # Beyond the outermost knots, along the line through the end and an inner knot.
        step = min(LINE_KNOTS, len(self.knots) - 1)
        for end, inner, is_beyond in (
            (-1, -1 - step, values > self.knots[-1]),
            (0, step, values < self.knots[0]),
        ):
            rise = self.images[end] - self.images[inner]
            slope = rise / (self.knots[end] - self.knots[inner])
            images[is_beyond] = self.images[end] + slope * (values[is_beyond] - self.knots[end])
        return images


@dataclass(frozen=True, eq=False)
class TailAxis:
    """The probit position of an item's true score among wrong ones, and its noise."""

    images: NormalScores  # from standardized scores to positions
    spreads: SpreadPrior  # for standardizing the scores of an item

    @classmethod
    def learn(cls, wrong: np.ndarray) -> TailAxis:
        """Fit to a table of wrong scores, of shape (n_items, n_wrong)."""
        rows = RowScale.learn(wrong)
        return cls(NormalScores.learn(rows.of_each_left_out(wrong)), rows.spreads)

    def __call__(self, true: np.ndarray, wrong: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and their variances, each of shape (n_items,)."""
        rows = RowScale.learn(wrong, self.spreads)
        x = np.clip(self.images(rows.of(true)), -FARTHEST, FARTHEST)
        return x, 1.0 / rows.n_wrong + x**2 * self.spreads.log_variance


@dataclass(frozen=True)
class Calibration:
    r"""The distribution of the conditional accuracy given the tail statistic.

    :math:`U = \Phi((a + b x) \sqrt{1 + \sigma^2} + \sigma \varepsilon)`, with a the intercept, b
    the slope and :math:`\sigma^2` the squared spread plus the variance of the statistic.
    """

    intercept: float
    slope: float
    log_std: float

    @classmethod
    def learn(cls, pilot: Pilot, n_folds: int, rng: np.random.Generator) -> Calibration:
        """Return the posterior mode by composite likelihood over folds of classes."""
        x, variance, wins, trials, weights = _held_out(pilot, n_folds, rng)

        def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = cls(*parameters).log_likelihood(x, variance, wins, trials, weights)
            deviations = (parameters - PRIOR_MEANS) / PRIOR_STDS
            penalty = 0.5 * deviations @ deviations
            return penalty - value, deviations / PRIOR_STDS - gradient

        mode = optimize.minimize(loss, PRIOR_MEANS, jac=True, method="L-BFGS-B", bounds=BOUNDS)
        return cls(*mode.x)

    def probits(self, x: np.ndarray, variance: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        """Return the probits of U at the nodes, of shape (n_items, n_nodes)."""
        spread = np.exp(2.0 * self.log_std) + variance
        center = (self.intercept + self.slope * x) * np.sqrt(1.0 + spread)
        return center[:, np.newaxis] + np.sqrt(spread)[:, np.newaxis] * nodes

    def posterior(
        self, x: np.ndarray, variance: np.ndarray, wins: np.ndarray, trials: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return probits of U, and the posterior probabilities of each given the wins."""
        probits = self.probits(x, variance, NODES)
        log_joint = _log_binomial(probits, wins, trials) + LOG_NODE_WEIGHTS
        return probits, special.softmax(log_joint, axis=1)

    def log_likelihood(
        self,
        x: np.ndarray,
        variance: np.ndarray,
        wins: np.ndarray,
        trials: np.ndarray,
        weights: np.ndarray,
    ) -> tuple[float, np.ndarray]:
        """Return the log likelihood and its gradient."""
        probits = self.probits(x, variance, FEW_NODES)
        log_win = special.log_ndtr(probits)
        log_loss = special.log_ndtr(-probits)
        losses = (trials - wins)[:, np.newaxis]
        wins = wins[:, np.newaxis]

        # Integrate over U given the statistic.
        log_joint = wins * log_win + losses * log_loss + LOG_FEW_WEIGHTS
        total = special.logsumexp(log_joint, axis=1, keepdims=True)

        # The derivative by each probit, weighted by the posterior of its node.
        log_density = -0.5 * (probits**2 + np.log(2.0 * np.pi))
        slopes = wins * np.exp(log_density - log_win) - losses * np.exp(log_density - log_loss)
        slopes *= np.exp(log_joint - total) * weights[:, np.newaxis]

        # By the chain rule to the three parameters.
        spread = np.exp(2.0 * self.log_std) + variance
        widening = np.sqrt(1.0 + spread)
        of_center = slopes.sum(axis=1)
        center = self.intercept + self.slope * x
        of_spread = of_center * center / widening + slopes @ FEW_NODES / np.sqrt(spread)
        gradient = (
            of_center @ widening,
            of_center @ (widening * x),
            of_spread.sum() * np.exp(2.0 * self.log_std),
        )
        return float(weights @ total[:, 0]), np.array(gradient)


def split_ties(wins: np.ndarray, ties: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return items with ties as several without: with 0, 1, ... or all of the ties won.

    Counting half a win per tie would imply a precise U near 1/2; a long run of ties is thinned.
    """
    n_parts = np.minimum(ties + 1, MAX_PARTS)
    rows = np.repeat(np.arange(len(wins)), n_parts)
    part = np.arange(len(rows)) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
    gaps = ties / np.maximum(n_parts - 1, 1)
    return rows, wins[rows] + part * gaps[rows], 1.0 / n_parts[rows]


def _log_binomial(probits: np.ndarray, wins: np.ndarray, trials: np.ndarray) -> np.ndarray:
    losses = (trials - wins)[:, np.newaxis]
    wins = wins[:, np.newaxis]
    return wins * special.log_ndtr(probits) + losses * special.log_ndtr(-probits)


def _held_out(pilot: Pilot, n_folds: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return statistics, their variances, wins, trials and weights, over all folds."""
    weights = pilot.weights * pilot.effective_items
    true, wrong = split_scores(pilot.scores, pilot.columns)
    wrong_classes = wrong_columns(pilot.columns[:, np.newaxis], pilot.n_classes)
    fold_of = rng.permutation(np.arange(pilot.n_classes) % n_folds)[wrong_classes]
    parts = [_fold(true, wrong, fold_of == fold, weights) for fold in range(n_folds)]
    return [np.concatenate(part) for part in zip(*parts, strict=True)]


def _fold(
    true: np.ndarray, wrong: np.ndarray, inside: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return statistics from the classes outside a fold, and the wins against those inside."""
    # Items of a class outside the fold have one wrong class less there: all use the same number.
    is_used = ~inside
    n_outside = is_used.sum(axis=1)
    longer = np.flatnonzero(n_outside > n_outside.min())
    is_used[longer, is_used.shape[1] - 1 - np.argmax(is_used[longer, ::-1], axis=1)] = False
    outside = wrong[is_used].reshape(len(wrong), n_outside.min())

    x, variance = TailAxis.learn(outside)(true, outside)

    true = true[:, np.newaxis]
    wins = (inside & (wrong < true)).sum(axis=1)
    ties = (inside & (wrong == true)).sum(axis=1)
    rows, wins, shares = split_ties(wins, ties)

    return (
        x[rows],
        variance[rows],
        wins,
        inside.sum(axis=1)[rows].astype(float),
        shares * weights[rows],
    )
