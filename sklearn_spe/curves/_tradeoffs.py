"""What a lower threshold would buy and cost."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..metrics._metric import TradeoffMetric
from ..results._bands import CurveBand, ScalarEstimate
from ._estimates import band, number
from ._operating_points import over_draws

# So many scores below the thresholds asked for are all looked at, and so many further down, in all.
N_NEAR, N_FAR = 2048, 1024


def tradeoff_estimate(metric: TradeoffMetric, posterior, task, *, threshold) -> ScalarEstimate:
    """Return what a threshold lower than the given one would buy and cost."""
    at = np.array([threshold], dtype=float)
    values = partial(_values, metric, at)
    return number(metric.name, posterior, values, metric.zero_division, task)


def tradeoff_band(metric: TradeoffMetric, posterior, task, *, thresholds) -> CurveBand:
    """Return the same against the threshold, which rises."""
    values = partial(_values, metric, np.asarray(thresholds, dtype=float))
    names = {"x_name": "threshold", "y_name": metric.name}
    return band(metric.name, thresholds, posterior, values, metric.zero_division, task, **names)


def _values(metric, thresholds, posterior, task) -> np.ndarray:
    """Return the metric at thresholds for every draw."""
    sample = posterior.sample
    at, n = np.r_[thresholds, _below(sample, thresholds)], len(thresholds)
    if task.draws_labels or _is_discrete(sample):
        size = 1.0 if task.draws_labels else sample.counts.sum()
        return over_draws(posterior, partial(_of_steps, metric, n, size), task, thresholds=at)
    tp, fp, n_positive = np.split(over_draws(posterior, _counts, task, thresholds=at), 3, axis=1)
    blocks = posterior.blocks()
    probability = np.concatenate([posterior.positive_probability(thresholds, b) for b in blocks])
    return metric.value(*_parted(tp, fp, n_positive[:, :1], n), probability)


def _is_discrete(sample) -> bool:
    """Return whether most items share their score with others: the curve then goes by steps."""
    return 2.0 * sample.counts[sample.counts > 1.0].sum() > sample.counts.sum()


def _below(sample, thresholds) -> np.ndarray:
    """Return falling thresholds, from the highest one on.

    Every score below each threshold at first, then ever fewer: near a threshold, where few items
    are called positive, each of them counts.
    """
    falling = np.r_[thresholds[-1], sample.lower[sample.lower < thresholds[-1]][::-1]]
    last = len(falling) - 1
    n_near, n_far = max(1, N_NEAR // len(thresholds)), max(2, N_FAR // len(thresholds))
    parts = [np.arange(last + 1) if last < N_NEAR else np.linspace(0, last, N_FAR).astype(int)]
    for first in np.searchsorted(-falling, -thresholds):
        far = np.geomspace(n_near, max(last - first, n_near), n_far).astype(int)
        parts.append(first + np.r_[np.arange(n_near), far])
    kept = np.unique(np.concatenate(parts))
    return falling[kept[kept <= last]]


def _of_steps(metric, n, size, points):
    # Shares of a population count as those of as many items as the sample has.
    counts = (size * c for c in (points.tp, points.fp, points.n_positive))
    return metric.value(*_parted(*counts, n))


def _counts(points):
    n_positive = np.broadcast_to(points.n_positive, points.tp.shape)
    return np.concatenate([points.tp, points.fp, n_positive], axis=1)


def _parted(tp, fp, n_positive, n):
    """Return the counts at the thresholds and below, in the order in which a metric has them."""
    return tp[:, :n], fp[:, :n], n_positive, tp[:, n:], fp[:, n:]
