"""The precision-recall curve."""

from __future__ import annotations

import numpy as np

from ..metrics._division import ratio
from ._grid import Curve, above_zero, first_reaching, interpolate_rows


def precision_at_recall(points, recalls) -> np.ndarray:
    """Return the precision at given recalls, of shape (n_draws, n_recalls).

    On a sample it is the precision at the highest threshold whose recall is at least r; on a
    population at the threshold with exactly that recall, P(R^-1(r)). NaN if there is no positive.
    """
    recall = ratio(points.tp, points.n_positive)
    if np.all(points.steps):
        at = first_reaching(recall, recalls)
        tp, fp = (np.take_along_axis(c, at, axis=1) for c in (points.tp, points.fp))
        return np.where(points.n_positive > 0.0, ratio(tp, tp + fp), np.nan)
    # Interpolate the odds of a negative linearly in the log of recall.
    tiny = np.finfo(float).tiny
    log_recall = np.log(np.maximum(recall, tiny))
    odds = np.log(np.maximum(points.fp, tiny)) - np.log(np.maximum(points.tp, tiny))
    log_recall, odds = _with_jumps(log_recall, odds, points.steps)
    return 1.0 / (1.0 + np.exp(interpolate_rows(log_recall, odds, np.log(recalls))))


def _with_jumps(x, y, steps):
    """Repeat the points after jumps, first at the x of the previous point."""
    at = np.repeat(np.arange(x.shape[1]), 1 + np.asarray(steps))
    first = np.r_[at[1:] == at[:-1], False]
    return x[:, np.maximum(at - first, 0)], y[:, at]


def recall_at_precision(points, precisions) -> np.ndarray:
    """Return the largest recall with at least the given precision.

    On a population precision is interpolated linearly between thresholds, except at a tie. NaN if
    no threshold reaches that precision.
    """
    precision = ratio(points.tp, points.tp + points.fp)
    recall = ratio(points.tp, points.n_positive)
    best = np.full((len(recall), len(precisions)), np.nan)
    for j, wanted in enumerate(precisions):
        reached = precision >= wanted
        rows = np.flatnonzero(reached.any(axis=1))
        last = recall.shape[1] - 1 - np.argmax(reached[rows, ::-1], axis=1)
        best[rows, j] = recall[rows, last]
        if not np.all(points.steps):
            after = np.minimum(last + 1, recall.shape[1] - 1)
            fall = precision[rows, last] - precision[rows, after]
            share = ratio(precision[rows, last] - wanted, fall)
            smooth = (after > last) & ~np.asarray(points.steps)[after]
            share = np.where(smooth, np.nan_to_num(share), 0.0)
            best[rows, j] += share * (recall[rows, after] - recall[rows, last])
    return best


PRECISION_RECALL = Curve(
    name="precision_recall",
    x_name="recall",
    y_name="precision",
    grid=above_zero,
    value=precision_at_recall,
    zero_division=0.0,
)
