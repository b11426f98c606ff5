"""From a posterior to the values that users see."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from .._random import spawn
from ..bands import CurveBand, ScalarEstimate
from ._operating_points import FINEST_CELLS, draw_positives, over_draws
from ._precision_recall import precision_at_recall, recall_at_precision

# With more items than this a callable metric gets counts as sample weights.
MOST_ITEMS = 2_000_000


def curve_band(curve, posterior, *, n_points, confidence_level, zero_division=None, **task):
    """Return the band of a kind of curve.

    Parameters
    ----------
    curve : Curve
    posterior : MixturePosterior
    n_points : int
    confidence_level : float
    zero_division : float, default=None
        What takes the place of undefined values; None means the curve's own choice.
    **task
        As `over_draws` takes them.
    """
    x = curve.grid(n_points)
    axes = {"x_name": curve.x_name, "y_name": curve.y_name, "confidence_level": confidence_level}
    replacement = curve.zero_division if zero_division is None else zero_division
    return _band(curve.name, x, posterior, partial(_on_grid, curve, x), replacement, task, axes)


def threshold_band(metric, posterior, *, thresholds, confidence_level, zero_division=None, **task):
    """Return a metric against the threshold, which rises."""
    axes = {"x_name": "threshold", "y_name": metric.name, "confidence_level": confidence_level}
    replacement = metric.zero_division if zero_division is None else zero_division
    task = {"thresholds": thresholds, **task}
    function = partial(_of_decision, metric)
    return _band(metric.name, thresholds, posterior, function, replacement, task, axes)


def _band(name, x, posterior, function, replacement, task, axes) -> CurveBand:
    law, undefined = posterior.law(
        lambda draws: over_draws(draws, function, **task),
        replacement,
        around=task["target"] == "population",
    )
    return CurveBand(name, x, law, kind=posterior.kind, undefined=undefined, **axes)


def threshold_estimate(metric, posterior, *, threshold, **options):
    """Return a metric at one threshold."""
    function = partial(_of_decision, metric)
    options["thresholds"] = np.array([threshold], dtype=float)
    return _number(metric.name, posterior, function, metric.zero_division, **options)


def ranking_estimate(metric, posterior, **options):
    """Return a metric of the whole ranking."""
    function = partial(_of_ranking, metric)
    return _number(metric.name, posterior, function, metric.zero_division, **options)


def precision_at_recall_estimate(posterior, *, recall, **options):
    """Return the precision at a recall."""
    function = partial(precision_at_recall, recalls=np.array([recall]))
    return _number("precision", posterior, function, 0.0, **options)


def recall_at_precision_estimate(posterior, *, precision, **options):
    """Return the largest recall at a precision."""
    function = partial(recall_at_precision, precisions=[precision])
    return _number("recall", posterior, function, 0.0, **options)


def _number(
    name, posterior, function, own, *, confidence_level, zero_division=None, **task
) -> ScalarEstimate:
    return posterior.number(
        name,
        lambda draws: over_draws(draws, function, **task),
        own if zero_division is None else zero_division,
        around=task["target"] == "population",
        confidence_level=confidence_level,
    )


def callable_estimate(
    metric, posterior, *, confidence_level, entropy, zero_division=None, n_jobs=None
):
    """Return any ``metric(y_true, y_score)`` of this very sample, by completing its labels.

    The metric is called once for each draw, with labels 0 and 1 and items sorted by score. If
    the counts of the items are no whole numbers, or there are millions, it gets them as
    ``sample_weight``.
    """

    def values(posterior):
        if not posterior.sample.unlabeled.any():
            return np.full((posterior.n_draws, 1), _value(metric, posterior.sample, 0.0))
        parts = Parallel(n_jobs=n_jobs)(
            delayed(_call_metric)(metric, posterior, block, entropy) for block in posterior.blocks()
        )
        return np.concatenate(parts)[:, np.newaxis]

    name = getattr(metric, "__name__", type(metric).__name__)
    replacement = np.nan if zero_division is None else zero_division
    return posterior.number(
        name, values, replacement, around=False, confidence_level=confidence_level
    )


def _call_metric(metric, posterior, block, entropy):
    cells = posterior.sample
    rng = spawn(entropy, 1, block.index)
    values = []
    # All draws of a block together, as for the named metrics, unless that takes much memory.
    for part in (block,) if cells.n_cells <= FINEST_CELLS else block.each():
        probability = posterior.positive_probability(cells.scores, part)
        drawn = draw_positives(rng, cells.unlabeled, probability)
        values += [_value(metric, cells, row) for row in drawn]
    return np.array(values)


def _value(metric, cells, drawn) -> float:
    """Call a metric on completed labels, and make sure that it is a number."""
    value = _called(metric, cells, drawn)
    if not np.isscalar(value) or isinstance(value, str):
        raise ValueError(
            f"A callable metric(y_true, y_score) must return one number, got {value!r} from "
            f"{metric!r}. A metric of decisions needs a threshold of its own, such as "
            f"lambda y, s: metric(y, s >= 0.5)."
        )
    return float(value)


def _called(metric, cells, drawn):
    positive = cells.positive + drawn
    counts = np.r_[cells.counts - positive, positive]
    scores = np.r_[cells.scores, cells.scores]
    labels = np.repeat([0, 1], cells.n_cells)
    if counts.sum() <= MOST_ITEMS and (counts == np.round(counts)).all():
        order = np.argsort(np.repeat(scores, counts.astype(int)), kind="stable")
        expanded = (np.repeat(a, counts.astype(int))[order] for a in (labels, scores))
        return metric(*expanded)
    try:
        return metric(labels, scores, sample_weight=counts)
    except TypeError as error:
        raise ValueError(
            f"The items have weights that are no whole numbers, or there are more than "
            f"{MOST_ITEMS:,}: the metric must then take sample_weight=, and {metric!r} does not."
        ) from error


# Functions of operating points, at the top of a module so that any worker can load them.


def _on_grid(curve, x, points):
    return curve.value(points, x)


def _of_ranking(metric, points):
    return metric.value(points.tp, points.fp, steps=points.steps)[:, np.newaxis]


def _of_decision(metric, points):
    return metric.value(points.tp, points.fp, points.n_positive, points.n_negative)
