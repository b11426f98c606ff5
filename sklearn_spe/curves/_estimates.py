"""From a posterior to the values that users see."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from ..metrics._ratios import Precision, Recall
from ..results._bands import CurveBand, ScalarEstimate
from ._operating_points import drawn_by_score, over_draws
from ._precision_recall import precision_at_recall, recall_at_precision

# With more items than this a callable metric gets counts as sample weights.
MOST_ITEMS = 2_000_000


def number(
    name, posterior, values, asked, *, confidence_level, zero_division=None, **task
) -> ScalarEstimate:
    """Return a number with its uncertainty.

    Parameters
    ----------
    name : str
    posterior : Posterior
    values : callable
        From a posterior, and the task, to an array of shape (n_draws, 1).
    asked : Metric or Curve
        What takes the place of undefined values is its `zero_division`.
    confidence_level : float
    zero_division : float, default=None
        Instead of its own, if not None.
    **task
        As `over_draws` takes it.
    """
    how = _how(asked, zero_division, task)
    fields = {"confidence_level": confidence_level, "origin": origin(posterior, task["entropy"])}
    return posterior.number(name, partial(values, **task), **how, **fields)


def band(
    name,
    x,
    posterior,
    values,
    asked,
    *,
    confidence_level,
    x_name,
    y_name,
    zero_division=None,
    **task,
) -> CurveBand:
    """Return a curve with its band; parameters as those of `number`."""
    law, undefined = posterior.law(partial(values, **task), **_how(asked, zero_division, task))
    return CurveBand(
        name,
        x,
        law,
        x_name,
        y_name,
        confidence_level,
        posterior.kind,
        undefined,
        origin=origin(posterior, task["entropy"]),
    )


def origin(posterior, entropy: int) -> str:
    """Return what answers have in common whose draws, and whose drawn labels, are the same."""
    return f"{posterior.digest}-{entropy}"


def _how(asked, zero_division, task):
    undefined_as = asked.zero_division if zero_division is None else zero_division
    # Labels are drawn once for each draw of a posterior: one completion is no estimate.
    return {"undefined_as": undefined_as, "centred": task["target"] == "population"}


def curve_band(curve, posterior, *, n_points, **options):
    """Return the band of a kind of curve.

    Parameters
    ----------
    curve : Curve
    posterior : Posterior
    n_points : int
    **options
        As `band` takes them.
    """
    x, names = curve.grid(n_points), {"x_name": curve.x_name, "y_name": curve.y_name}
    values = partial(over_draws, function=partial(_on_grid, curve, x))
    return band(curve.name, x, posterior, values, curve, **names, **options)


def threshold_band(metric, posterior, *, thresholds, **options):
    """Return a metric against the threshold, which rises."""
    names = {"x_name": "threshold", "y_name": metric.name}
    values = partial(_at_thresholds, metric, thresholds)
    return band(metric.name, thresholds, posterior, values, metric, **names, **options)


def threshold_estimate(metric, posterior, *, threshold, **options):
    """Return a metric at one threshold."""
    values = partial(_at_thresholds, metric, [threshold])
    return number(metric.name, posterior, values, metric, **options)


def ranking_estimate(metric, posterior, **options):
    """Return a metric of the whole ranking."""
    values = partial(over_draws, function=partial(_of_ranking, metric))
    return number(metric.name, posterior, values, metric, **options)


def precision_at_recall_estimate(posterior, *, recall, **options):
    """Return the precision at a recall."""
    function = partial(precision_at_recall, recalls=np.array([recall]))
    return number(
        "precision", posterior, partial(over_draws, function=function), Precision, **options
    )


def recall_at_precision_estimate(posterior, *, precision, **options):
    """Return the largest recall at a precision."""
    function = partial(recall_at_precision, precisions=[precision])
    return number("recall", posterior, partial(over_draws, function=function), Recall, **options)


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
    fields = {"confidence_level": confidence_level, "origin": origin(posterior, entropy)}
    return posterior.number(name, values, replacement, centred=False, **fields)


def _call_metric(metric, posterior, block, entropy):
    cells = posterior.sample
    drawn = drawn_by_score(posterior, block, entropy)
    return np.array([_value(metric, cells, row) for rows in drawn for row in rows])


def _value(metric, cells, drawn) -> float:
    """Call a metric on completed labels, and make sure that it is a number."""
    value = _called(metric, cells, drawn)
    if not np.isscalar(value) or isinstance(value, str):
        raise ValueError(
            f"A callable metric(y_true, y_score) must return one number, got {value!r} from "
            f"{metric!r}. A metric of decisions needs a threshold of its own, such as "
            f"lambda y, s: metric(y, s >= 0.5)."
        )
    # Whatever numpy says is a scalar.
    number: Any = value
    return float(number)


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


def _at_thresholds(metric, thresholds, posterior, **task):
    thresholds = np.asarray(thresholds, dtype=float)
    return over_draws(posterior, partial(_of_decision, metric), thresholds=thresholds, **task)


def _of_decision(metric, points):
    return metric.value(points.tp, points.fp, points.n_positive, points.n_negative)
