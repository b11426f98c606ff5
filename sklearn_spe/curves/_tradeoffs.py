"""Gain and cost of a lower threshold."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..metrics._metric import TradeoffMetric
from ..results._bands import CurveBand, ScalarEstimate
from ._estimates import band, number
from ._operating_points import over_draws

# Number of scores just below a threshold that are all evaluated, and number of those farther below.
N_NEAR, N_FAR = 2048, 1024


def tradeoff_estimate(metric: TradeoffMetric, posterior, task, *, threshold) -> ScalarEstimate:
    """Return the gain and cost of a threshold lower than the given one."""
    at = np.array([threshold], dtype=float)
    values = partial(_values, metric, at)
    return number(metric.name, posterior, values, metric.zero_division, task)


def tradeoff_band(metric: TradeoffMetric, posterior, task, *, thresholds) -> CurveBand:
    """Return the same as a function of the threshold, increasing."""
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
    """Return whether most items share their score with others, so that the curve has steps."""
    return 2.0 * sample.counts[sample.counts > 1.0].sum() > sample.counts.sum()


def _below(sample, thresholds) -> np.ndarray:
    """Return decreasing thresholds, starting at the highest one.

    Every score just below each threshold, then increasingly sparse: near a threshold with few
    predicted positives, each item matters.
    """
    decreasing = np.r_[thresholds[-1], sample.lower[sample.lower < thresholds[-1]][::-1]]
    last = len(decreasing) - 1
    n_near, n_far = max(1, N_NEAR // len(thresholds)), max(2, N_FAR // len(thresholds))
    parts = [np.arange(last + 1) if last < N_NEAR else np.linspace(0, last, N_FAR).astype(int)]
    for first in np.searchsorted(-decreasing, -thresholds):
        far = np.geomspace(n_near, max(last - first, n_near), n_far).astype(int)
        parts.append(first + np.r_[np.arange(n_near), far])
    kept = np.unique(np.concatenate(parts))
    return decreasing[kept[kept <= last]]


def _of_steps(metric, n, size, points):
    # Scale population shares to the number of items of the sample.
    counts = (size * c for c in (points.tp, points.fp, points.n_positive))
    return metric.value(*_parted(*counts, n))


def _counts(points):
    n_positive = np.broadcast_to(points.n_positive, points.tp.shape)
    return np.concatenate([points.tp, points.fp, n_positive], axis=1)


def _parted(tp, fp, n_positive, n):
    """Return the counts at and below the thresholds, in the argument order of a metric."""
    return tp[:, :n], fp[:, :n], n_positive, tp[:, n:], fp[:, n:]
