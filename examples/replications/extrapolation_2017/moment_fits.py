"""The moment method of section 4.3 with one assumption after the other taken away.

D(u) is a combination of functions h_l. Its moments H_{l,k} = (k - 1) times the integral of
h_l(u) u^(k - 2) turn the combination into errors with k classes (eq. 13), and the combination is
the one whose errors are closest to those that were measured. What the package has is used from
there, as `package_fit`; the rest is here: steps, and combinations of any sign.
"""

import numpy as np
from scipy.optimize import nnls

# Knots as those of the package's splines: as near to 1 as 1 - 1e-6.
GEOMETRIC = 1.0 - np.geomspace(1.0, 1e-6, 200)
# A few splines that least squares can tell apart.
FEW_KNOTS = np.array([0.0, 0.5, 0.75, 0.9, 0.97])
DEGREES = np.arange(1, 5)
# The row for D(1) counts as much as so many others.
HEAVY = 1e3


def step_moments(knots, counts):
    """Return H for h(u) = 1{u >= t}, of shape (n_counts, n_knots)."""
    return 1.0 - knots ** (np.asarray(counts, dtype=float)[:, np.newaxis] - 1.0)


def spline_moments(knots, counts):
    """Return H for h(u) = (u - t)_+, of shape (n_counts, n_knots)."""
    k = np.asarray(counts, dtype=float)[:, np.newaxis]
    return 1.0 - knots - (1.0 - knots**k) / k


def power_moments(degrees, counts):
    """Return H for h(u) = u^d, of shape (n_counts, n_degrees)."""
    k = np.asarray(counts, dtype=float)[:, np.newaxis]
    return (k - 1.0) / (k - 1.0 + degrees)


def ends(moments_of, places):
    """Return h(1) for each function: the limit of its moments for ever more classes."""
    return 1.0 - places if moments_of is spline_moments else np.ones(len(places))


def non_negative(moments, at_one, targets, bounded):
    """Return non-negative weights by least squares; `bounded` keeps D(1) at most 1."""
    if bounded:
        # What is missing to D(1) = 1 takes a weight without a moment.
        moments = np.column_stack([moments, np.zeros(len(moments))])
        moments = np.vstack([moments, HEAVY * np.append(at_one, 1.0)])
        targets = np.append(targets, HEAVY)
    weights, _ = nnls(moments, targets, maxiter=30 * moments.shape[1])
    return weights[: len(at_one)]


def any_sign(moments, at_one, targets, bounded):
    """Return weights of any sign by least squares; `bounded` keeps D(1) at most 1."""
    weights = np.linalg.lstsq(moments, targets, rcond=None)[0]
    if not bounded or at_one @ weights <= 1.0:
        return weights
    # The best weights with D(1) = 1: the last is what the others leave.
    shares = at_one[:-1] / at_one[-1]
    others = moments[:, :-1] - np.outer(moments[:, -1], shares)
    rest = targets - moments[:, -1] / at_one[-1]
    weights = np.linalg.lstsq(others, rest, rcond=None)[0]
    return np.append(weights, (1.0 - at_one[:-1] @ weights) / at_one[-1])


def fit(moments_of, places, solve, bounded):
    """Return a function from a curve of accuracies to those with more classes."""

    def predict(curve, wanted):
        counts = np.arange(2, len(curve) + 1)
        moments, at_one = moments_of(places, counts), ends(moments_of, places)
        weights = solve(moments, at_one, 1.0 - curve[1:], bounded)
        return 1.0 - moments_of(places, wanted) @ weights

    return predict


def package_fit(method):
    """Return the same of a method of the package that sees the curve only."""

    def predict(curve, wanted):
        counts = np.arange(2, len(curve) + 1)
        distribution = method.fit_curve(
            counts, curve[1:], np.ones(len(counts)), np.random.default_rng(0)
        )
        return distribution.accuracy(wanted)

    return predict
