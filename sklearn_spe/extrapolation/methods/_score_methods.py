"""Methods that need scores: a tail statistic calibrated by wins, and kernel densities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import fft, special

from ...inputs._arrays import row_tiles
from ...inputs._validation import check_choice, check_count
from .._accuracy_distributions import (
    ConditionalAccuracyDistribution,
    Distribution,
    DistributionMixture,
    Points,
)
from .._pilot import Pilot
from ._curve_methods import ClassExReg, CurveMethod, Method, Probit
from ._tail import Calibration, ScoreTransform, TailAxis, split_scores, split_ties

# With fewer classes the wrong scores of an item have little information on their spread.
MIN_CLASSES = 6
N_BINS = 512
MIN_EXTENT = 1e-9
# Candidate bandwidths, as shares of the largest sensible one: that of normal data.
SHARES = np.geomspace(0.1, 1.0, 25)
LARGEST_SHARE = 1.144
# Of cross-validation: unbiased, and biased.
CRITERIA = ("ucv", "bcv")


@dataclass(frozen=True)
class Scores(Method):
    r"""A tail statistic of the scores, calibrated by the observed wins.

    Ranks are unbiased but have limited resolution: with k classes they cannot distinguish whether a
    wrong class beats the true class with probability 1 / 10 k or never. Scores have this
    information but are biased. This method combines both. The covariate :math:`x_i` is the position
    of the true class's score among the scores of wrong classes, on the probit scale, standardized
    over all items. It is calibrated by the wins :math:`w_i` against :math:`n_i` classes that were
    held out from its computation,

    .. math::
        w_i \mid x_i \sim \mathrm{Bin}(n_i, U_i), \qquad
        U_i = \Phi\Bigl((a + b x_i) \sqrt{1 + \sigma_i^2} + \sigma_i \varepsilon_i\Bigr), \qquad
        \varepsilon_i \sim N(0, 1),

    where :math:`\sigma_i^2` is :math:`s^2` plus the known noise variance of :math:`x_i`. With a = 0
    and b = 1, a wrong class, whose covariate is standard normal, beats another wrong class with
    probability 1/2. The posterior mode of (a, b, log s) is found by composite likelihood over folds
    of classes. The accuracy is the mean of :math:`E[U_i^{k - 1} \mid w_i]`.

    Probabilities are replaced by their logarithms. Scores without positive values, such as negative
    distances, are transformed by the power that minimizes their skewness. For other scores the
    covariate does not change if a constant is added to all scores of an item. An item with ties is
    split into items that win none, some or all of the ties. With fewer than six classes the method
    "probit" is used.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_folds : int, default=4
        Number of folds of classes.

    See Also
    --------
    Blend : The mean of this method and two methods that use ranks only.

    Examples
    --------
    The result is invariant under a constant added to all scores of an item, such as the
    normalization of its log-probabilities.

    >>> import numpy as np
    >>> from sklearn_spe import AccuracyExtrapolator
    >>> from sklearn_spe.extrapolation import GaussianClasses, make_recognition_scores
    >>> from sklearn_spe.extrapolation import Scores
    >>> task = GaussianClasses(rule="linear_discriminant")
    >>> X, y = make_recognition_scores(50, task=task, random_state=0)
    >>> extrapolator = AccuracyExtrapolator(Scores(), n_bootstrap=0, random_state=0)
    >>> accuracy = extrapolator.fit(X, y).predict(500)
    >>> moved = X + np.random.default_rng(0).standard_normal((50, 1))
    >>> bool(np.isclose(extrapolator.fit(moved, y).predict(500), accuracy))
    True
    """

    name: ClassVar[str] = "scores"

    n_folds: int = 4

    def __post_init__(self) -> None:
        check_count(self.n_folds, "n_folds", 2)

    def fit(self, pilot: Pilot, rng: np.random.Generator) -> Distribution:
        """Return the distribution estimated from scores and wins."""
        if pilot.n_classes < MIN_CLASSES:
            return Probit().fit(pilot, rng)

        # The scale and the calibration, from as many scores as they need.
        sample = pilot.thinned()
        scale = ScoreTransform.learn(sample.scores).floored(pilot.scores)
        scaled = Pilot(scale(sample.scores), sample.columns, sample.weights)
        calibration = Calibration.learn(scaled, min(self.n_folds, pilot.n_classes // 2), rng)
        _, wrong = split_scores(scaled.scores, scaled.columns)
        tail_axis = TailAxis.learn(wrong)

        # The posterior of each item, of items with ties that of each of their parts.
        wins, ties = pilot.wins_and_ties
        probits = []
        weights = []
        for tile in row_tiles(len(pilot.columns), pilot.n_classes * 4):
            true, wrong = split_scores(scale(pilot.scores[tile]), pilot.columns[tile])
            x, variance = tail_axis(true, wrong)
            items, won, shares = split_ties(wins[tile], ties[tile])
            trials = np.full(len(items), float(pilot.n_wrong))
            item_probits, posterior = calibration.posterior(x[items], variance[items], won, trials)
            shares *= pilot.weights[tile][items]
            probits.append(item_probits.ravel())
            weights.append((posterior * shares[:, np.newaxis]).ravel())

        points, point_weights = Points.gathered(np.concatenate(probits), np.concatenate(weights))
        return ConditionalAccuracyDistribution(points, point_weights)


@dataclass(frozen=True)
class KernelDensity(Method):
    r"""A Gaussian kernel density of the wrong scores of each item [1]_.

    The conditional accuracy of an item is the smoothed share of its wrong classes that score below
    the true class, :math:`U_i = \mathrm{mean}_j \Phi((c_i - w_{ij}) / h_i)`. Here :math:`c_i` is
    the score of the true class and :math:`w_{ij}` are those of the wrong classes.

    .. versionadded:: 0.1

    Parameters
    ----------
    bandwidth : {"ucv", "bcv"}, default="ucv"
        The selection of the bandwidth h of each item, by unbiased or biased cross-validation.

    References
    ----------
    .. [1] K. N. Kay, T. Naselaris, R. J. Prenger, J. L. Gallant. "Identifying natural images
       from human brain activity." Nature 452, 2008.

    Examples
    --------
    The result is invariant under affine maps of the scores, but not under others: distances work
    better than their squares.

    >>> import numpy as np
    >>> from sklearn_spe import AccuracyExtrapolator
    >>> from sklearn_spe.extrapolation import make_recognition_scores
    >>> from sklearn_spe.extrapolation import KernelDensity
    >>> X, y = make_recognition_scores(50, random_state=0)
    >>> X = -np.sqrt(-X)
    >>> extrapolator = AccuracyExtrapolator(KernelDensity("bcv"), n_bootstrap=0)
    >>> accuracy = extrapolator.fit(X, y).predict(500)
    >>> bool(np.isclose(extrapolator.fit(2 * X + 1, y).predict(500), accuracy))
    True
    """

    name: ClassVar[str] = "kde"

    bandwidth: str = "ucv"

    def __post_init__(self) -> None:
        check_choice(self.bandwidth, "bandwidth", CRITERIA)

    def fit(self, pilot: Pilot, rng: np.random.Generator) -> ConditionalAccuracyDistribution:
        """Return the distribution of the smoothed conditional accuracies."""
        log_accuracies = np.empty(len(pilot.columns))
        scale = ScoreTransform().floored(pilot.scores)
        for tile in row_tiles(*pilot.scores.shape):
            true, wrong = split_scores(scale(pilot.scores[tile]), pilot.columns[tile])
            bandwidths = _bandwidths(wrong, self.bandwidth)
            gaps = (wrong - true[:, np.newaxis]) / bandwidths[:, np.newaxis]
            above = special.ndtr(gaps).mean(axis=1)
            with np.errstate(divide="ignore"):
                log_accuracies[tile] = np.log1p(-above)
        return ConditionalAccuracyDistribution(Points(log_accuracies), pilot.weights)


def _bandwidths(values: np.ndarray, criterion: str) -> np.ndarray:
    """Return the bandwidth of each row that minimizes a cross-validation criterion."""
    n = values.shape[1]
    lowest = values.min(axis=1)
    extent = np.ptp(values, axis=1)
    # Where all scores are equal, any width that is negligible beside them will do.
    extent = np.maximum(extent, MIN_EXTENT * np.maximum(np.abs(values).max(axis=1), 1.0))
    width = extent / N_BINS
    bins = ((values - lowest[:, np.newaxis]) / width[:, np.newaxis]).astype(int)
    pairs = _pair_counts(bins)

    largest = np.maximum(LARGEST_SHARE * values.std(axis=1, ddof=min(1, n - 1)) * n**-0.2, width)

    best = largest
    lowest_loss = np.full(len(values), np.inf)
    lags = np.arange(N_BINS)
    for share in SHARES:
        bandwidth = share * largest
        squares = (lags * (width / bandwidth)[:, np.newaxis]) ** 2
        with np.errstate(under="ignore"):
            loss = _loss(criterion, squares, pairs, n) / bandwidth
        better = loss < lowest_loss
        best = np.where(better, bandwidth, best)
        lowest_loss = np.where(better, loss, lowest_loss)
    return best


def _pair_counts(bins: np.ndarray) -> np.ndarray:
    """Return the number of pairs of each row that are 0, 1, ... bins apart, (n_rows, N_BINS)."""
    n_rows, n = bins.shape
    first_bin = N_BINS * np.arange(n_rows)[:, np.newaxis]
    cells = np.minimum(bins, N_BINS - 1) + first_bin
    counts = np.bincount(cells.ravel(), minlength=n_rows * N_BINS)
    counts = counts.reshape(n_rows, N_BINS)

    # The number of pairs at each distance is the autocorrelation of the counts.
    spectrum = fft.rfft(counts, 2 * N_BINS, axis=1)
    autocorrelation = fft.irfft(np.abs(spectrum) ** 2, axis=1)
    pairs = np.rint(autocorrelation[:, :N_BINS])
    # Each pair within a bin is counted twice, and each value with itself.
    pairs[:, 0] = (pairs[:, 0] - n) / 2.0
    return pairs


def _loss(criterion: str, squares: np.ndarray, pairs: np.ndarray, n: int) -> np.ndarray:
    """Return a cross-validation criterion of Scott and Terrell (1987), up to constant factors.

    Unbiased ("ucv") or biased ("bcv"), (n_rows,), from squared distances in bandwidths and the
    numbers of pairs that far apart.
    """
    kernel = np.exp(-squares / 4.0)
    if criterion == "ucv":
        terms = kernel - np.sqrt(8.0) * np.exp(-squares / 2.0)
        return 0.5 + (terms * pairs).sum(axis=1) / n
    terms = kernel * (squares**2 - 12.0 * squares + 12.0)
    return 1.0 + (terms * pairs).sum(axis=1) / (32.0 * n)


@dataclass(frozen=True)
class Blend(CurveMethod):
    """A weighted mean of three methods: scores, and two that use ranks only.

    `ClassExReg` tends to overestimate far extrapolations and `Probit` to underestimate them;
    `Scores`, which uses more data, does neither but has a larger variance in small pilots. For a
    curve of accuracies without scores the blend is the mean of the other two.

    .. versionadded:: 0.1

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.extrapolation.methods._curve_methods import ClassExReg, Probit
    >>> from sklearn_spe.extrapolation.methods._score_methods import Blend
    >>> n_classes = np.arange(2, 21)
    >>> curve = n_classes, n_classes**-0.3, np.ones(19), np.random.default_rng(0)
    >>> blend, classexreg, probit = (
    ...     method.fit_curve(*curve).accuracy(np.array([200]))
    ...     for method in (Blend(), ClassExReg(), Probit())
    ... )
    >>> bool(np.isclose(blend, 0.5 * (classexreg + probit))[0])
    True
    """

    name: ClassVar[str] = "blend"

    # On simulated problems any weight of the scores from 0.6 to 0.8 did as well.
    PARTS: ClassVar = ((Scores(), 0.7), (ClassExReg(), 0.15), (Probit(), 0.15))

    def fit(self, pilot: Pilot, rng: np.random.Generator) -> DistributionMixture:
        """Return the mixture of the distributions fitted by the methods."""
        distributions = [method.fit(pilot, rng) for method, _ in self.PARTS]
        return DistributionMixture(tuple(distributions), tuple(weight for _, weight in self.PARTS))

    def fit_curve(
        self,
        n_classes: np.ndarray,
        accuracies: np.ndarray,
        count_weights: np.ndarray,
        rng: np.random.Generator,
    ) -> DistributionMixture:
        """Return the mixture of the distributions fitted by the methods that need no scores."""
        parts = [part for part in self.PARTS if isinstance(part[0], CurveMethod)]
        total = sum(weight for _, weight in parts)
        distributions = [m.fit_curve(n_classes, accuracies, count_weights, rng) for m, _ in parts]
        return DistributionMixture(
            tuple(distributions), tuple(weight / total for _, weight in parts)
        )
