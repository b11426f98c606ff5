"""Pilots, and accuracies by counting all subsets: what the tests of extrapolation share."""

from itertools import combinations

import numpy as np

from sklearn_spe.extrapolation import GaussianClasses
from sklearn_spe.extrapolation._pilot import Pilot

# Where accuracies are asked for: inside, next to, and far beyond a small pilot.
COUNTS = np.array([1, 2, 3, 5, 8, 12, 13, 20, 50, 120, 1000, 10**5, 10**6, 10**9])


def drawn(n_classes=12, n_test=4, seed=0, **options):
    """Return scores and labels of normal clouds."""
    task = GaussianClasses(**{"noise": 0.7, **options})
    return task.draw(n_classes, n_test, np.random.default_rng(seed))


def linear_scores(n_classes=12, n_test=4, seed=0, signal=2.0):
    """Return scores of either sign, with a bonus for the true class, and labels."""
    y = np.repeat(np.arange(n_classes), n_test)
    noise = np.random.default_rng(seed).standard_normal((len(y), n_classes))
    return noise + signal * np.eye(n_classes)[y], y


def tied_scores(n_classes, n_items, seed):
    """Return scores that are small whole numbers, and labels with unequal counts of classes."""
    rng = np.random.default_rng(seed)
    rest = rng.choice(n_classes, size=n_items - n_classes, p=_decreasing(n_classes))
    y = np.concatenate([np.arange(n_classes), rest])
    return rng.integers(0, 4, (n_items, n_classes)) + np.eye(n_classes)[y], y


def _decreasing(n):
    shares = np.arange(n, 0.0, -1.0)
    return shares / shares.sum()


def pilot_of(scores, y, **options):
    """Return a pilot whose columns are the classes 0, 1, ..."""
    return Pilot.of(scores, y, np.arange(np.shape(scores)[1]), **options)


def chance_right(scores, column):
    """Return the probability that a column comes first, ties broken at random."""
    best = scores == scores.max()
    return best[column] / best.sum()


def counted_curve(scores, y, weights=None, average="macro"):
    """Return the average accuracy over all subsets of classes, one subset after the other.

    "micro" pools all predictions on all subsets of a size; "macro" is the mean over subsets and
    their classes that have items.
    """
    scores, n_classes = np.asarray(scores, dtype=float), np.shape(scores)[1]
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    curve = []
    for k in range(1, n_classes + 1):
        right = total = 0.0
        of_class = []
        for subset in combinations(range(n_classes), k):
            for place, column in enumerate(subset):
                rows = np.flatnonzero(y == column)
                chances = [chance_right(scores[i, list(subset)], place) for i in rows]
                right += np.dot(weights[rows], chances)
                total += weights[rows].sum()
                if average == "macro" and len(rows):
                    of_class.append(np.average(chances, weights=weights[rows]))
        curve.append(right / total if average == "micro" else np.mean(of_class))
    return np.array(curve)


def assert_means(draws, expected):
    """Compare means of independent draws: five standard errors off once in two million times."""
    draws = np.asarray(draws)
    errors = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - expected) <= 5.0 * errors + 1e-12).all()
