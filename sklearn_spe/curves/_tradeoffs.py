"""What a lower threshold would buy and cost."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..bands import CurveBand, ScalarEstimate
from ..metrics import PrecisionAfterGain, PrecisionRecallSlope, TradeoffMetric, ratio
from ._operating_points import FINEST_CELLS, over_draws

# Thresholds below the one at hand, among which the curve of a population is straight.
N_BELOW = 512


def tradeoff_estimate(
    metric: TradeoffMetric, posterior, *, threshold, confidence_level, zero_division=None, **task
) -> ScalarEstimate:
    """Return what a threshold lower than the given one would buy and cost."""
    return posterior.number(
        metric.name,
        partial(_DRAWS[type(metric)], metric, np.array([threshold], dtype=float), **task),
        metric.zero_division if zero_division is None else zero_division,
        around=task["target"] == "population",
        confidence_level=confidence_level,
    )


def tradeoff_band(
    metric: TradeoffMetric, posterior, *, thresholds, confidence_level, zero_division=None, **task
) -> CurveBand:
    """Return the same against the threshold, which rises."""
    law, undefined = posterior.law(
        partial(_DRAWS[type(metric)], metric, np.asarray(thresholds, dtype=float), **task),
        metric.zero_division if zero_division is None else zero_division,
        around=task["target"] == "population",
    )
    return CurveBand(
        metric.name,
        thresholds,
        law,
        x_name="threshold",
        y_name=metric.name,
        confidence_level=confidence_level,
        kind=posterior.kind,
        undefined=undefined,
    )


def _slopes(metric: PrecisionRecallSlope, thresholds, posterior, *, target, **task):
    """Return the slopes at thresholds for every draw."""
    if target == "population":
        counts = over_draws(posterior, _counts, target=target, thresholds=thresholds, **task)
        blocks = posterior.blocks()
        probability = [posterior.positive_probability(thresholds, block) for block in blocks]
        return metric.tangent(*np.split(counts, 3, axis=1), np.concatenate(probability))
    sample = posterior.sample
    above = np.cumsum(sample.counts[::-1])[::-1]
    called = np.r_[above, 0.0][np.searchsorted(sample.lower, thresholds)]
    # The highest score at or above which so many more items lie.
    wanted = called + metric.span(above[0])
    lower = sample.lower[np.maximum(np.searchsorted(-above, -wanted, side="right") - 1, 0)]
    both = np.r_[thresholds, lower]
    counts = over_draws(posterior, _counts, target=target, thresholds=both, **task)
    tp, fp, n_positive = (np.split(c, 2, axis=1) for c in np.split(counts, 3, axis=1))
    return metric.secant(tp[0], fp[0], n_positive[0], tp[1], fp[1])


def _counts(points):
    n_positive = np.broadcast_to(points.n_positive, points.tp.shape)
    return np.concatenate([points.tp, points.fp, n_positive], axis=1)


def _precisions_after_gain(metric: PrecisionAfterGain, thresholds, posterior, *, target, **task):
    """Return the precision after the gain, from thresholds, for every draw."""
    sample = posterior.sample
    n = N_BELOW if target == "population" else FINEST_CELLS
    below = sample.lower[sample.lower <= thresholds[-1]][::-1]
    below = below[np.unique(np.linspace(0, max(len(below) - 1, 0), n).astype(int))]
    steps = target == "sample"
    function = partial(_after_gain, metric.recall_gain, len(thresholds), steps)
    both = np.r_[thresholds, below]
    return over_draws(posterior, function, target=target, thresholds=both, **task)


def _after_gain(gain, n_thresholds, steps, points):
    recall = ratio(points.tp, points.n_positive)
    precision = ratio(points.tp, points.tp + points.fp)
    wanted, recall = recall[:, :n_thresholds] + gain, recall[:, n_thresholds:]
    precision = precision[:, n_thresholds:]
    after = np.full(wanted.shape, np.nan)
    for i in range(len(after)):
        # Sums of counts reach a recall only up to rounding.
        reached = np.searchsorted(recall[i], wanted[i] - 1e-12)
        found = np.flatnonzero(reached < recall.shape[1])
        if steps:
            after[i, found] = precision[i, reached[found]]
        else:
            after[i, found] = np.interp(wanted[i, found], recall[i], precision[i])
    return after


_DRAWS = {PrecisionRecallSlope: _slopes, PrecisionAfterGain: _precisions_after_gain}
