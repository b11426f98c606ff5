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
    draws = over_draws(posterior, partial(_on_grid, curve, x), **task)
    replacement = curve.zero_division if zero_division is None else zero_division
    draws, undefined = _replace_undefined(draws, posterior.weights, replacement)
    return CurveBand.from_draws(
        curve.name,
        x,
        draws,
        posterior.weights,
        x_name=curve.x_name,
        y_name=curve.y_name,
        confidence_level=confidence_level,
        undefined=undefined,
    )


def threshold_band(metric, posterior, *, thresholds, confidence_level, zero_division=None, **task):
    """Return a metric against the threshold, which rises."""
    draws = _at_thresholds(metric, posterior, thresholds, **task)
    replacement = metric.zero_division if zero_division is None else zero_division
    draws, undefined = _replace_undefined(draws, posterior.weights, replacement)
    return CurveBand.from_draws(
        metric.name,
        thresholds,
        draws,
        posterior.weights,
        x_name="threshold",
        y_name=metric.name,
        confidence_level=confidence_level,
        undefined=undefined,
    )


def threshold_estimate(metric, posterior, *, threshold, zero_division=None, **options):
    """Return a metric at one threshold."""
    confidence_level = options.pop("confidence_level")
    draws = _at_thresholds(metric, posterior, [threshold], **options)
    replacement = metric.zero_division if zero_division is None else zero_division
    return _scalar(metric.name, draws, posterior.weights, replacement, confidence_level)


def ranking_estimate(metric, posterior, *, confidence_level, zero_division=None, **task):
    """Return a metric of the whole ranking."""
    draws = over_draws(posterior, partial(_of_ranking, metric), **task)
    replacement = metric.zero_division if zero_division is None else zero_division
    return _scalar(metric.name, draws, posterior.weights, replacement, confidence_level)


def precision_at_recall_estimate(
    posterior, *, recall, confidence_level, zero_division=None, **task
):
    """Return the precision at a recall."""
    draws = over_draws(posterior, partial(precision_at_recall, recalls=np.array([recall])), **task)
    replacement = 0.0 if zero_division is None else zero_division
    return _scalar("precision", draws, posterior.weights, replacement, confidence_level)


def recall_at_precision_estimate(
    posterior, *, precision, confidence_level, zero_division=None, **task
):
    """Return the largest recall at a precision."""
    draws = over_draws(posterior, partial(recall_at_precision, precisions=[precision]), **task)
    replacement = 0.0 if zero_division is None else zero_division
    return _scalar("recall", draws, posterior.weights, replacement, confidence_level)


def callable_estimate(
    metric, posterior, *, confidence_level, entropy, zero_division=None, n_jobs=None
):
    """Return any ``metric(y_true, y_score)`` of this very sample, by completing its labels.

    The metric is called once for each draw, with labels 0 and 1 and items sorted by score. If
    the counts of the items are no whole numbers, or there are millions, it gets them as
    ``sample_weight``.
    """
    if not posterior.sample.unlabeled.any():
        draws = np.full(posterior.n_draws, _value(metric, posterior.sample, 0.0))
    else:
        draws = np.concatenate(
            Parallel(n_jobs=n_jobs)(
                delayed(_call_metric)(metric, posterior, block, entropy)
                for block in posterior.blocks()
            )
        )
    name = getattr(metric, "__name__", type(metric).__name__)
    replacement = np.nan if zero_division is None else zero_division
    return _scalar(name, draws[:, np.newaxis], posterior.weights, replacement, confidence_level)


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


def _at_thresholds(metric, posterior, thresholds, **task):
    thresholds = np.asarray(thresholds, dtype=float)
    return over_draws(posterior, partial(_of_decision, metric), thresholds=thresholds, **task)


# Functions of operating points, at the top of a module so that any worker can load them.


def _on_grid(curve, x, points):
    return curve.value(points, x)


def _of_ranking(metric, points):
    return metric.value(points.tp, points.fp, steps=points.steps)[:, np.newaxis]


def _of_decision(metric, points):
    return metric.value(points.tp, points.fp, points.n_positive, points.n_negative)


def _scalar(name, draws, weights, replacement, confidence_level) -> ScalarEstimate:
    draws, undefined = _replace_undefined(draws, weights, replacement)
    return ScalarEstimate.from_draws(
        name,
        draws[:, 0],
        weights,
        confidence_level=confidence_level,
        undefined=float(undefined[0]),
    )


def _replace_undefined(draws, weights, replacement):
    """Put a value where a draw is not defined; return the weight of those draws too."""
    missing = np.isnan(draws)
    undefined = np.einsum("i,ij->j", weights, missing)
    return np.where(missing, replacement, draws), undefined
