"""The pseudolikelihood of the wins: a distribution of U without a parametric form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special
from scipy.optimize import nnls

from .._accuracy_distributions import ConditionalAccuracyDistribution, Points
from .._pilot import Pilot
from ._curve_methods import SUM_ROW, Method

# Values of U are tried on an even grid of their probits, and at 0 and 1, which must differ from it.
PROBITS = np.arange(-5.0, 5.001, 0.05)
MAX_STEPS = 200
# The mean log-likelihood of an item is at most this below its maximum.
TOLERANCE = 1e-10
# A step gains at least this share of what its slope promises, or is halved.
SUFFICIENT_GAIN = 0.1
SMALLEST_STEP = 1e-9


@dataclass(frozen=True)
class Pseudolikelihood(Method):
    r"""Maximum pseudolikelihood of the wins, binomial given U, with any distribution of U.

    Given its conditional accuracy an item wins against each of the :math:`n = k_1 - 1` wrong
    classes with probability U, so

    .. math::
        \sum_i v_i \log \int \binom{n}{w_i} u^{w_i} (1 - u)^{n - w_i}\, d\bar D(u)

    is its log-likelihood, summed as if items were independent: all are compared with the same
    classes, which is why the abstract of [1]_ calls it a pseudolikelihood. It is maximized over all
    distributions on a grid of U, 0 and 1 among its values. The problem is concave; each step solves
    its second-order approximation by non-negative least squares.

    Among n wrong classes an item that beats all of them is most likely one that beats every class:
    far beyond the pilot the accuracy is mostly too high.

    .. versionadded:: 0.1

    See Also
    --------
    Moment : Least squares on the average accuracies, the method that the paper describes in full.
    Scores : Uses the scores too, with smaller errors far from the pilot.

    References
    ----------
    .. [1] C. Y. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for
       recognition tasks." 2017.

    Examples
    --------
    Up to the classes of the pilot it is close to the exact curve; far beyond it is mostly too high.

    >>> import numpy as np
    >>> from sklearn_spe import AccuracyExtrapolator
    >>> from sklearn_spe.extrapolation import GaussianClasses
    >>> from sklearn_spe.extrapolation.methods._pseudolikelihood import Pseudolikelihood
    >>> X, y = GaussianClasses(noise=0.4).draw(100, 5, np.random.default_rng(0))
    >>> extrapolator = AccuracyExtrapolator(Pseudolikelihood(), n_bootstrap=0).fit(X, y)
    >>> bool(abs(extrapolator.D_.accuracy(50) - extrapolator.predict(50)) < 0.01)
    True
    """

    name: ClassVar[str] = "pseudolikelihood"

    def fit(self, pilot: Pilot, rng: np.random.Generator) -> ConditionalAccuracyDistribution:
        """Return the distribution on the grid under which the wins are most likely."""
        wins = np.flatnonzero(pilot.histogram > 0.0)
        shares = pilot.histogram[wins] / pilot.histogram[wins].sum()
        weights = most_likely_weights(_binomial(wins, pilot.n_wrong), shares)

        log_values = np.concatenate([[-np.inf], special.log_ndtr(PROBITS), [0.0]])
        positive = weights > 0.0
        return ConditionalAccuracyDistribution(Points(log_values[positive]), weights[positive])


def most_likely_weights(likelihood: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the weights of components that maximize the mean log of a mixture's likelihood.

    Parameters
    ----------
    likelihood : ndarray of shape (n_observations, n_components)
    shares : ndarray of shape (n_observations,)
        The weight of each observation, summing to one.
    """
    weights = np.full(likelihood.shape[1], 1.0 / likelihood.shape[1])
    scale = np.sqrt(shares)
    for _ in range(MAX_STEPS):
        marginal = likelihood @ weights
        ratios = likelihood / marginal[:, np.newaxis]
        # What a component's weight would add; the largest bounds what is left to gain.
        gains = shares @ ratios - 1.0
        if gains.max() <= TOLERANCE:
            break

        target = _quadratic_optimum(scale[:, np.newaxis] * ratios, 2.0 * scale)
        change = target - weights
        slope = gains @ change
        step = 1.0
        growth = (likelihood @ change) / marginal
        while step > SMALLEST_STEP:
            if shares @ np.log1p(step * growth) >= SUFFICIENT_GAIN * step * slope:
                break
            step /= 2.0
        if step <= SMALLEST_STEP:
            break
        weights = weights + step * change

    return np.maximum(weights, 0.0) / weights.sum()


def _quadratic_optimum(rows: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the weights, summing to one, that minimize the second-order approximation."""
    if len(rows) > rows.shape[1]:
        # No more rows than columns are needed.
        basis, rows = np.linalg.qr(rows)
        target = basis.T @ target
    rows = np.vstack([rows, np.full(rows.shape[1], SUM_ROW)])
    weights, _ = nnls(rows, np.append(target, SUM_ROW), maxiter=30 * rows.shape[1])
    return weights / weights.sum()


def _binomial(wins: np.ndarray, n_wrong: int) -> np.ndarray:
    """Return binomial probabilities, up to a factor, of shape (n_wins, n_values)."""
    wins = wins[:, np.newaxis].astype(float)
    losses = n_wrong - wins
    log_proba = wins * special.log_ndtr(PROBITS) + losses * special.log_ndtr(-PROBITS)
    largest = log_proba.max(axis=1, keepdims=True)
    inside = np.exp(log_proba - largest)

    # At 0 every wrong class wins, and at 1 none: on the scale of each row.
    certain = np.exp(-largest)
    at_zero = np.where(wins == 0.0, certain, 0.0)
    at_one = np.where(losses == 0.0, certain, 0.0)
    return np.hstack([at_zero, inside, at_one])
