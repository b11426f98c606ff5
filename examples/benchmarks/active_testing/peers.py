"""Straightforward designs: which items they label, with what weights, and the metric of these.

Functions ``peer(pool, counts, rng)`` that yield items and weights for each number of labels, the
same for all metrics. An addition is one function and one entry in `PEERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from answers import LEVEL, Estimate
from scipy import stats
from sklearn.metrics import average_precision_score

# Which part of the draws of importance sampling is uniform: probabilities may be wrong.
UNIFORM = 0.1
N_BINS, N_STRATA = 200, 10
# The smallest share of either class that a stratum is believed to hold.
MIN_SHARE = 0.02
# A smaller standard deviation is rounding.
SMALLEST = 1e-9


@dataclass(frozen=True)
class Peer:
    """A design.

    Attributes
    ----------
    draw : callable
        ``draw(pool, counts, rng)``.
    independent : bool
        Whether draws are independent, so that the delta method gives an interval of F1.
    """

    draw: Callable
    independent: bool = True

    def answers(self, pool, metric, counts, rng):
        """Yield an estimate for each number of labels."""
        for items, weights in self.draw(pool, counts, rng):
            value, half = METRICS[metric](pool, items, weights)
            half = half if self.independent else np.nan
            yield Estimate(value, max(value - half, 0.0), min(value + half, 1.0))


def f1(pool, items, weights):
    """Return weighted F1, and half the width of its interval by the delta method.

    Without a positive, labelled or predicted, it is 0, as in scikit-learn. Where items do not
    differ the interval is everything.
    """
    above, labels = pool.above[items], pool.labels[items]
    numerator, denominator = 2.0 * above * labels, above + labels.astype(float)
    total = weights @ denominator
    if total == 0.0:
        return 0.0, 1.0
    value = weights @ numerator / total
    residuals = weights * (numerator - value * denominator)
    deviation = np.sqrt(residuals @ residuals) / total
    # Without an error among few items the method knows of no deviation.
    half = stats.norm.ppf(0.5 + LEVEL / 2.0) * deviation if deviation > SMALLEST else 1.0
    return value, half


def average_precision(pool, items, weights):
    """Return weighted average precision, 0 without a positive; it has no simple interval."""
    labels = pool.labels[items]
    if not labels.any():
        return 0.0, np.nan
    return average_precision_score(labels, pool.scores[items], sample_weight=weights), np.nan


METRICS = {"f1": f1, "average_precision": average_precision}


def uniform(pool, counts, rng):
    """Label at random; look at the labelled items alone."""
    order = rng.permutation(len(pool.labels))
    for n in counts:
        yield order[:n], np.ones(n)


def importance(pool, counts, rng, paid_once=True):
    """Draw with replacement in proportion to how far an item may move F1 [1]_.

    The classifier's own probabilities are believed. Items that are drawn again are labelled
    already; if `paid_once` is false, they are paid again all the same.

    References
    ----------
    .. [1] C. Sawade, N. Landwehr, T. Scheffer. "Active estimation of F-measures." NIPS 2010.
    """
    p, above = pool.probability, pool.above
    expected = 2.0 * (above * p).sum() / (above + p).sum()
    if_positive, if_negative = 2.0 * above - expected * (above + 1.0), expected * above
    chances = np.sqrt(p * if_positive**2 + (1.0 - p) * if_negative**2)
    chances = (1.0 - UNIFORM) * chances / chances.sum() + UNIFORM / len(p)
    draws, ends = np.empty(0, dtype=int), []
    while len(ends) < max(counts):
        draws = np.append(draws, rng.choice(len(p), max(counts), p=chances))
        first = np.sort(np.unique(draws, return_index=True)[1])
        ends = first + 1 if paid_once else np.arange(1, len(draws) + 1)
    for n in counts:
        items = draws[: ends[n - 1]]
        yield items, 1.0 / chances[items]


def neyman(pool, counts, rng):
    """Label in strata of scores, in proportion to size and deviation of labels (Neyman).

    Strata by the cumulative root frequency rule; the classifier's own probabilities are believed.
    """
    frequency, edges = np.histogram(pool.scores, bins=N_BINS)
    reached = np.cumsum(np.sqrt(frequency))
    cuts = np.searchsorted(reached, reached[-1] * np.arange(1, N_STRATA) / N_STRATA)
    stratum = np.searchsorted(np.unique(edges[cuts + 1]), pool.scores)
    stratum = np.unique(stratum, return_inverse=True)[1]
    size = np.bincount(stratum)
    share = np.bincount(stratum, pool.probability) / size
    share = np.clip(share, MIN_SHARE, 1.0 - MIN_SHARE)
    wanted = size * np.sqrt(share * (1.0 - share))
    wanted /= wanted.sum()
    left = [list(rng.permutation(np.flatnonzero(stratum == h))) for h in range(len(size))]
    items, taken = [], np.zeros(len(size))
    for n in counts:
        while len(items) < n:
            due = np.where(taken < size, (len(items) + 1.0) * wanted - taken, -np.inf)
            h = int(np.argmax(due))
            items.append(left[h].pop())
            taken[h] += 1.0
        chosen = np.array(items)
        yield chosen, (size / np.maximum(taken, 1.0))[stratum[chosen]]


PEERS = {
    "labels_alone": Peer(uniform),
    "neyman": Peer(neyman, independent=False),
    "importance": Peer(importance),
    "importance_draws": Peer(partial(importance, paid_once=False)),
}
