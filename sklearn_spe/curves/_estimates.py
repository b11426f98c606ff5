"""Estimates and bands from a posterior."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from ..metrics._ratios import Precision, Recall
from ..results._bands import CurveBand, ScalarEstimate
from ._edges import edges_of_labels
from ._operating_points import drawn_by_score, over_draws
from ._precision_recall import precision_at_recall, recall_at_precision

# Above this number of items, a callable metric gets counts as sample weights.
MAX_ITEMS = 2_000_000


def number(name, posterior, values, zero_division, task) -> ScalarEstimate:
    """Return the estimate of a number."""
    # A single completion of the labels is not a point estimate: no centre for drawn labels.
    return posterior.number(
        name,
        partial(values, task=task),
        task.undefined_as(zero_division),
        centred=not task.draws_labels,
        confidence_level=task.confidence_level,
        origin=_origin(posterior, task),
    )


def band(name, x, posterior, values, zero_division, task, *, x_name, y_name) -> CurveBand:
    """Return a curve with its pointwise credible band; parameters as in `number`."""
    values, undefined_as = partial(values, task=task), task.undefined_as(zero_division)
    distribution, undefined = posterior.distribution(
        values, undefined_as, centred=not task.draws_labels
    )
    return CurveBand(
        name,
        x,
        distribution,
        x_name,
        y_name,
        task.confidence_level,
        posterior.kind,
        undefined,
        origin=_origin(posterior, task),
    )


def _reaching(result, metric, sample, *thresholds):
    """Return a result whose intervals include the edges that no label rules out."""
    edges = edges_of_labels(metric, sample, *thresholds)
    return replace(result, distribution=result.distribution.reaching(edges, sample.is_of_one_class))


def _origin(posterior, task) -> str:
    """Return a key of the posterior and label draws, shared by results that can be paired."""
    return f"{posterior.digest}-{task.entropy}"


def curve_band(curve, posterior, task, *, n_points) -> CurveBand:
    """Return the band of a kind of curve.

    Parameters
    ----------
    curve : Curve
    posterior : Posterior
    task : Task
    n_points : int
    """
    x, names = curve.grid(n_points), {"x_name": curve.x_name, "y_name": curve.y_name}
    values = partial(over_draws, function=partial(_on_grid, curve, x))
    return band(curve.name, x, posterior, values, curve.zero_division, task, **names)


def threshold_band(metric, posterior, task, *, thresholds) -> CurveBand:
    """Return a metric as a function of the threshold, increasing."""
    names = {"x_name": "threshold", "y_name": metric.name}
    values = partial(_at_thresholds, metric, thresholds)
    found = band(metric.name, thresholds, posterior, values, metric.zero_division, task, **names)
    return _reaching(found, metric, posterior.sample, thresholds)


def threshold_estimate(metric, posterior, task, *, threshold) -> ScalarEstimate:
    """Return a metric at one threshold."""
    values = partial(_at_thresholds, metric, [threshold])
    found = number(metric.name, posterior, values, metric.zero_division, task)
    return _reaching(found, metric, posterior.sample, [threshold])


def selection_estimate(metric, posterior, task, *, threshold) -> ScalarEstimate:
    """Return a metric of the selection at a threshold, with known labels counted."""
    values = partial(_at_thresholds, metric, [threshold])
    found = number(metric.name, posterior, values, metric.zero_division, task)
    edges = edges_of_labels(metric, posterior.sample, [threshold])
    if posterior.sample.positive.any():
        # The selection holds the known positives: its precision cannot be 0.
        edges = np.where(edges == float(metric.greater_is_better), edges, np.nan)
    return replace(
        found, distribution=found.distribution.reaching(edges, posterior.sample.is_of_one_class)
    )


def ranking_estimate(metric, posterior, task) -> ScalarEstimate:
    """Return a metric of the ranking."""
    values = partial(over_draws, function=partial(_of_ranking, metric))
    found = number(metric.name, posterior, values, metric.zero_division, task)
    return _reaching(found, metric, posterior.sample)


def precision_at_recall_estimate(posterior, task, *, recall) -> ScalarEstimate:
    """Return the precision at a recall."""
    function = partial(precision_at_recall, recalls=np.array([recall]))
    values = partial(over_draws, function=function)
    return number("precision", posterior, values, Precision.zero_division, task)


def recall_at_precision_estimate(posterior, task, *, precision) -> ScalarEstimate:
    """Return the largest recall at a precision."""
    function = partial(recall_at_precision, precisions=[precision])
    values = partial(over_draws, function=function)
    return number("recall", posterior, values, Recall.zero_division, task)


def callable_estimate(metric, posterior, task) -> ScalarEstimate:
    """Return the estimate of ``metric(y_true, y_score)`` on completed labels of the sample.

    The metric is called once for each draw, with labels 0 and 1 and items sorted by score. If
    the counts of the items are not integers, or there are millions, they are passed as
    ``sample_weight``.
    """
    if not task.draws_labels:
        raise ValueError(
            "A callable metric is computed on completed labels; it needs target='sample', got "
            f"target={task.target!r}."
        )
    name = getattr(metric, "__name__", type(metric).__name__)
    return number(name, posterior, partial(_of_completions, metric), np.nan, task)


def _of_completions(metric, posterior, task):
    if not posterior.sample.unlabeled.any():
        return np.full((posterior.n_draws, 1), _value(metric, posterior.sample, 0.0))
    parts = Parallel(n_jobs=task.n_jobs)(
        delayed(_call_metric)(metric, posterior, block, task.entropy)
        for block in posterior.blocks()
    )
    return np.concatenate(parts)[:, np.newaxis]


def _call_metric(metric, posterior, block, entropy):
    cells = posterior.sample
    drawn = drawn_by_score(posterior, block, entropy)
    return np.array([_value(metric, cells, row) for rows in drawn for row in rows])


def _value(metric, cells, drawn) -> float:
    """Call a metric on completed labels; raise unless it returns a number."""
    value = _called(metric, cells, drawn)
    if not np.isscalar(value) or isinstance(value, str):
        raise ValueError(
            f"A callable metric(y_true, y_score) must return one number, got {value!r} from "
            f"{metric!r}. A metric of decisions needs a threshold inside, such as lambda y, s: "
            "metric(y, s >= 0.5)."
        )
    # Accept any numpy scalar.
    number: Any = value
    return float(number)


def _called(metric, cells, drawn):
    positive = cells.positive + drawn
    counts = np.r_[cells.counts - positive, positive]
    scores = np.r_[cells.scores, cells.scores]
    labels = np.repeat([0, 1], cells.n_cells)
    if counts.sum() <= MAX_ITEMS and (counts == np.round(counts)).all():
        order = np.argsort(np.repeat(scores, counts.astype(int)), kind="stable")
        expanded = (np.repeat(a, counts.astype(int))[order] for a in (labels, scores))
        return metric(*expanded)
    try:
        return metric(labels, scores, sample_weight=counts)
    except TypeError as error:
        raise ValueError(
            f"The items have non-integer weights, or there are more than {MAX_ITEMS:,}: the "
            f"metric must then take sample_weight=, and {metric!r} does not."
        ) from error


# Functions of operating points, at module level so that they can be pickled.


def _on_grid(curve, x, points):
    return curve.value(points, x)


def _of_ranking(metric, points):
    return metric.value(points.tp, points.fp, steps=points.steps)[:, np.newaxis]


def _at_thresholds(metric, thresholds, posterior, task):
    task.check_metric(metric)
    thresholds = np.asarray(thresholds, dtype=float)
    return over_draws(posterior, partial(_of_decision, metric), task, thresholds=thresholds)


def _of_decision(metric, points):
    return metric.value(points.tp, points.fp, points.n_positive, points.n_negative)
