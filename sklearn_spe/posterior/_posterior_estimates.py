"""Bands and estimates of curves, metrics, probabilities, reliability and trade-offs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..data._sample import ScoreSample
from ..inputs._validation import check_choice, check_count
from ..metrics._expectation import ratio
from ..metrics._metric import RankingMetric, ThresholdMetric, TradeoffMetric, with_origin
from ..metrics._tradeoff import ProbabilityMetric
from ..results._estimates import CurveBand, ScalarEstimate
from ._open_ends import ROUNDING, with_open_ends
from ._operating_points import Curve, OperatingPoints, Task, over_draws, values_of_completions
from ._posterior import Posterior

STRATEGIES = ("quantile", "uniform")
# Number of scores just below a threshold that are all evaluated, and number of those farther below.
N_NEAR, N_FAR = 2048, 1024


def number(
    name: str,
    posterior: Posterior,
    values: Callable[..., np.ndarray],
    zero_division: float,
    task: Task,
) -> ScalarEstimate:
    """Return the estimate of a number, without open ends.

    `values` maps a posterior and the task to an array (n_draws, 1), NaN where undefined.
    """
    draws = values(posterior, task=task)
    of_center = _of_center(posterior, values, task)
    undefined_as = task.undefined_as(zero_division)
    distribution, undefined = posterior.distribution(draws, undefined_as, of_center)
    if np.isclose(undefined[0], 1.0) and task.zero_division is None:
        # Nowhere defined, it is not a number.
        undefined_as = np.nan
        distribution, undefined = posterior.distribution(draws, undefined_as, of_center)

    # Draws as they enter differences.
    compared = None
    partner = None if task.draws_labels else posterior.compared
    if partner is not None:
        compared = values(partner, task=task)[:, 0]
        compared = np.where(np.isnan(compared), undefined_as, compared)

    return ScalarEstimate(
        name,
        distribution,
        task.confidence_level,
        posterior.kind,
        undefined=float(undefined[0]),
        origin=origin_of(posterior, task),
        n_items=posterior.n_weighted_items if task.draws_labels else None,
        compared=compared,
    )


def band(
    name: str,
    x: np.ndarray,
    posterior: Posterior,
    values: Callable[..., np.ndarray],
    zero_division: float,
    task: Task,
    *,
    x_name: str = "threshold",
    y_name: str | None = None,
) -> CurveBand:
    """Return a curve with its pointwise credible band; parameters as in `number`."""
    draws = values(posterior, task=task)
    of_center = _of_center(posterior, values, task)
    undefined_as = task.undefined_as(zero_division)
    distribution, undefined = posterior.distribution(draws, undefined_as, of_center)

    return CurveBand(
        name,
        x,
        distribution,
        x_name,
        name if y_name is None else y_name,
        task.confidence_level,
        posterior.kind,
        undefined,
        origin=origin_of(posterior, task),
        n_items=posterior.n_weighted_items if task.draws_labels else None,
    )


def _of_center(
    posterior: Posterior, values: Callable[..., np.ndarray], task: Task
) -> np.ndarray | None:
    """Return the values of the center of a posterior, if there is one.

    A single completion of the labels is not a point estimate: no center for drawn labels.
    """
    if task.draws_labels or posterior.center is None:
        return None
    return values(posterior.center, task=task)


def origin_of(posterior: Any, task: Task) -> str:
    """Return a key of the posterior and label draws, shared by results that can be paired."""
    return f"{posterior.digest}-{task.entropy}"


def curve_band(curve: Curve, posterior: Posterior, task: Task, *, n_points: int) -> CurveBand:
    """Return the band of a kind of curve.

    Parameters
    ----------
    curve : Curve
    posterior : Posterior
    task : Task
    n_points : int
    """
    x = curve.grid(n_points)
    values = partial(over_draws, function=partial(_at_rate, curve.value, x))

    return band(
        curve.name,
        x,
        posterior,
        values,
        curve.zero_division,
        task,
        x_name=curve.x_name,
        y_name=curve.y_name,
    )


def threshold_band(
    metric: ThresholdMetric, posterior: Posterior, task: Task, *, thresholds: np.ndarray
) -> CurveBand:
    """Return a metric as a function of the threshold, increasing."""
    metric = metric.at_thresholds(np.asarray(thresholds, dtype=float), posterior.ends)
    values = _at_thresholds(metric, thresholds, task)
    curve = band(metric.name, thresholds, posterior, values, metric.zero_division, task)
    return with_open_ends(curve, metric, posterior, thresholds)


def threshold_estimate(
    metric: ThresholdMetric, posterior: Posterior, task: Task, *, threshold: float
) -> ScalarEstimate:
    """Return a metric at one threshold: of a rule, or of the selection if known labels count."""
    metric = metric.at_thresholds(np.array([threshold], dtype=float), posterior.ends)
    values = _at_thresholds(metric, [threshold], task)
    estimate = number(metric.name, posterior, values, metric.zero_division, task)
    return with_open_ends(estimate, metric, posterior, [threshold], task.counts_known)


def ranking_estimate(metric: RankingMetric, posterior: Posterior, task: Task) -> ScalarEstimate:
    """Return a metric of the ranking."""
    task.check_metric(metric)
    values = partial(ranking_values, metric)
    estimate = number(metric.name, posterior, values, metric.zero_division, task)
    return with_open_ends(estimate, metric, posterior)


def ranking_values(metric: RankingMetric, posterior: Posterior, task: Task) -> np.ndarray:
    """Return a metric of the ranking in every draw, (n_draws, 1)."""
    thresholds = _with_boundary(metric, posterior) if task.draws_labels else None
    return over_draws(posterior, partial(_of_ranking, metric), task, thresholds=thresholds)


def _with_boundary(metric: RankingMetric, posterior: Posterior) -> np.ndarray | None:
    """Return decreasing thresholds that part the highest items that a metric counts from others.

    They are the cells of drawn labels, and the score of the last item with all scores above it.
    None if cells are scores, or the metric counts all items.
    """
    sample = posterior.sample
    cells = posterior.completed_cells
    if not metric.n_needed or cells is posterior.drawn_sample:
        return None

    n_above = np.cumsum(sample.counts[::-1])
    last = sample.n_cells - 1 - np.searchsorted(n_above, metric.n_needed * (1.0 - ROUNDING))
    first = max(int(last), 0)
    boundary = sample.lower[first : first + 2]
    return np.union1d(cells.lower, boundary)[::-1]


def rate_estimate(
    metric: ThresholdMetric,
    posterior: Posterior,
    task: Task,
    *,
    function: Callable[..., np.ndarray],
    rate: float,
) -> ScalarEstimate:
    """Return a metric at a given value of another, such as precision at a recall.

    `function` maps operating points and rates, (n_rates,), to the metric, (n_rows, n_rates).
    """
    values = partial(over_draws, function=partial(_at_rate, function, np.array([rate])))
    return number(metric.name, posterior, values, metric.zero_division, task)


# Functions of operating points, at module level so that they can be pickled.


def _at_rate(
    function: Callable[..., np.ndarray], rates: np.ndarray, points: OperatingPoints
) -> np.ndarray:
    """Return a metric at given values of another, (n_rows, n_rates)."""
    return function(points, rates)


def _of_ranking(metric: Any, points: OperatingPoints) -> np.ndarray:
    # Items at the end of a selection count in part, whether they are tied or not.
    steps = points.steps if not (points.is_sample and metric.n_needed) else True
    return metric.value(points.tp, points.fp, steps=steps)[:, np.newaxis]


def _at_thresholds(
    metric: ThresholdMetric, thresholds: np.ndarray | list[float], task: Task
) -> Callable[..., np.ndarray]:
    """Return a function that evaluates a metric at thresholds, in the draws of a posterior."""
    task.check_metric(metric)
    function = partial(_of_decision, metric)
    return partial(over_draws, function=function, thresholds=np.asarray(thresholds, dtype=float))


def _of_decision(metric: ThresholdMetric, points: OperatingPoints) -> np.ndarray:
    return metric.value(points.tp, points.fp, points.n_positive, points.n_negative)


def probability_estimate(
    metric: ProbabilityMetric,
    posterior: Posterior,
    task: Task,
    *,
    predicted: Callable[[np.ndarray], np.ndarray] | None = None,
) -> ScalarEstimate:
    """Return a metric of predicted probabilities.

    Parameters
    ----------
    metric : ProbabilityMetric
    posterior : Posterior
    task : Task
    predicted : callable, default=None
        From scores to predicted probabilities, both of shape (n_scores,). None uses the scores.

    Raises
    ------
    ValueError
        If the predicted probabilities lie outside [0, 1], or have another shape.
    """
    function = posterior.taken_for_probability if predicted is None else predicted
    source = "the scores" if predicted is None else "the values of predicted="
    checked = partial(_probabilities, metric.name, function, source)
    values = partial(_probability_values, metric, checked)
    return number(metric.name, posterior, values, metric.zero_division, task)


def predictions(predicted: Callable[[np.ndarray], np.ndarray], scores: np.ndarray) -> np.ndarray:
    """Return the output of a user's function of the scores, one number for each."""
    numbers = np.asarray(predicted(scores), dtype=float)
    if numbers.shape != scores.shape:
        raise ValueError(
            f"predicted must return one probability for each of {len(scores)} scores, got an array "
            f"of shape {numbers.shape}."
        )
    return numbers


def _probabilities(
    name: str, predicted: Callable[[np.ndarray], np.ndarray], source: str, scores: np.ndarray
) -> np.ndarray:
    """Return predicted probabilities of scores; raise unless they lie in [0, 1]."""
    probability = predictions(predicted, scores)
    if not ((probability >= 0.0) & (probability <= 1.0)).all():
        raise ValueError(
            f"{name!r} needs predicted probabilities of the positive class, but {source} run from "
            f"{probability.min():.6g} to {probability.max():.6g}. Fit to probabilities "
            f"(scipy.special.expit(scores), if they are log-odds), pass predicted=, a function "
            f"from scores or grades to probabilities, or recalibrate them: "
            f"SemisupervisedCalibratedClassifier has estimate({name!r}) too."
        )
    return probability


def _probability_values(
    metric: ProbabilityMetric,
    predicted: Callable[[np.ndarray], np.ndarray],
    posterior: Posterior,
    task: Task,
) -> np.ndarray:
    """Return the metric for every draw, of shape (n_draws, 1)."""
    sample = posterior.drawn_sample
    if not task.draws_labels:
        cells = posterior.completed_cells
        function = partial(_of_shares, metric, predicted(cells.scores)[::-1])
        return over_draws(posterior, function, task, thresholds=cells.lower[::-1])

    probability = predicted(sample.scores)
    function = partial(_of_labels, metric, probability, sample)
    return values_of_completions(posterior, function, task)


def _of_labels(
    metric: ProbabilityMetric, probability: np.ndarray, sample: ScoreSample, drawn: np.ndarray
) -> np.ndarray:
    """Return the metric of completed labels, for each draw of them."""
    positive = sample.positive + drawn
    return metric.value(positive, sample.counts - positive, probability)[:, np.newaxis]


def _of_shares(
    metric: ProbabilityMetric, probability: np.ndarray, points: OperatingPoints
) -> np.ndarray:
    """Return the metric of a population, constant within cells of decreasing scores."""
    positive = _masses(points.tp, points.n_positive)
    negative = _masses(points.fp, points.n_negative)
    return metric.value(positive, negative, probability)[:, np.newaxis]


def _masses(above: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return the mass of each cell, given that at or above it, (n_draws, n_cells)."""
    # The mass below all scores of the sample belongs to the lowest cell.
    above = np.concatenate([above[:, :-1], total], axis=1)
    return np.diff(with_origin(above), axis=1)


def reliability_band(
    posterior: Posterior,
    predicted: Callable[[np.ndarray], np.ndarray],
    task: Task,
    *,
    n_bins: int,
    strategy: str,
) -> CurveBand:
    """Return the fraction of positives in bins of predicted probability.

    Parameters
    ----------
    posterior : Posterior
    predicted : callable
        From scores to predicted probabilities, both of shape (n_scores,).
    task : Task
        With target "sample".
    n_bins : int
    strategy : {"quantile", "uniform"}
        Bins with equal numbers of items, or of equal width.
    """
    check_count(n_bins, "n_bins", 1)
    check_choice(strategy, "strategy", STRATEGIES)
    cells = posterior.completed_cells
    probabilities = predictions(predicted, cells.scores)
    if not ((probabilities >= 0.0) & (probabilities <= 1.0)).all():
        raise ValueError(
            f"Predicted probabilities must lie in [0, 1], got {probabilities.min():.6g} to "
            f"{probabilities.max():.6g}. A reliability curve needs probabilities."
        )

    bins = _bins(probabilities, cells.counts, n_bins, strategy)
    # Decreasing thresholds: the order of the cells of operating points.
    weights = np.zeros((cells.n_cells, bins.max() + 1))
    weights[np.arange(cells.n_cells), bins] = cells.counts
    sizes = weights.sum(axis=0)
    means = probabilities @ weights / sizes
    values = partial(over_draws, function=partial(_shares, bins[::-1], sizes))
    return band(
        "calibration",
        means,
        posterior,
        values,
        np.nan,
        task,
        x_name="mean predicted probability",
        y_name="fraction of positives",
    )


def _bins(probabilities: np.ndarray, counts: np.ndarray, n_bins: int, strategy: str) -> np.ndarray:
    """Return the bin of each cell, numbered over nonempty bins."""
    if strategy == "uniform":
        edges = np.arange(1, n_bins) / n_bins
    else:
        order = np.argsort(probabilities, kind="stable")
        cumulated = np.cumsum(counts[order])
        index = np.searchsorted(cumulated, cumulated[-1] * np.arange(1, n_bins) / n_bins)
        edges = np.unique(probabilities[order][index])
    return np.unique(np.searchsorted(edges, probabilities), return_inverse=True)[1]


def _shares(bins: np.ndarray, counts: np.ndarray, points: OperatingPoints) -> np.ndarray:
    positives = np.diff(points.tp, axis=1, prepend=0.0)
    in_bins = np.zeros((len(positives), len(counts)))
    # Bins need not be contiguous if the probabilities do not increase with the score.
    np.add.at(in_bins.T, bins, positives.T)
    return ratio(in_bins, counts)


def tradeoff_estimate(
    metric: TradeoffMetric, posterior: Posterior, task: Task, *, threshold: float
) -> ScalarEstimate:
    """Return the gain and cost of a threshold lower than the given one."""
    at = np.array([threshold], dtype=float)
    values = partial(_tradeoff_values, metric, at)
    return number(metric.name, posterior, values, metric.zero_division, task)


def tradeoff_band(
    metric: TradeoffMetric, posterior: Posterior, task: Task, *, thresholds: np.ndarray
) -> CurveBand:
    """Return the same as a function of the threshold, increasing."""
    values = partial(_tradeoff_values, metric, np.asarray(thresholds, dtype=float))
    return band(metric.name, thresholds, posterior, values, metric.zero_division, task)


def _tradeoff_values(
    metric: Any, thresholds: np.ndarray, posterior: Posterior, task: Task
) -> np.ndarray:
    """Return the metric at thresholds for every draw."""
    sample = posterior.sample
    all_thresholds = np.r_[thresholds, _below(sample, thresholds)]
    n = len(thresholds)

    if task.draws_labels or _is_discrete(sample):
        size = 1.0 if task.draws_labels else sample.counts.sum()
        return over_draws(
            posterior, partial(_of_steps, metric, n, size), task, thresholds=all_thresholds
        )

    counts = over_draws(posterior, _counts, task, thresholds=all_thresholds)
    tp, fp, n_positive = np.split(counts, 3, axis=1)
    probability = posterior.weighted_draws(thresholds)
    return metric.value(*_parted(tp, fp, n_positive[:, :1], n), probability)


def _is_discrete(sample: ScoreSample) -> bool:
    """Return whether most items share their score with others, so the curve has steps."""
    return 2.0 * sample.counts[sample.counts > 1.0].sum() > sample.counts.sum()


def _below(sample: ScoreSample, thresholds: np.ndarray) -> np.ndarray:
    """Return decreasing thresholds, starting at the highest one.

    Every score just below each threshold, then increasingly sparse: near a threshold with few
    predicted positives, each item matters.
    """
    highest = thresholds[-1]
    lower = sample.lower[sample.lower < highest]
    decreasing = np.r_[highest, lower[::-1]]
    last = len(decreasing) - 1

    n_near = max(1, N_NEAR // len(thresholds))
    n_far = max(2, N_FAR // len(thresholds))
    grid = np.arange(last + 1) if last < N_NEAR else np.linspace(0, last, N_FAR).astype(int)
    parts = [grid]
    near = np.arange(n_near)
    for first in np.searchsorted(-decreasing, -thresholds):
        farthest = max(last - first, n_near)
        far = np.geomspace(n_near, farthest, n_far).astype(int)
        parts.append(first + np.r_[near, far])

    indices = np.unique(np.concatenate(parts))
    return decreasing[indices[indices <= last]]


def _of_steps(metric: TradeoffMetric, n: int, size: float, points: OperatingPoints) -> np.ndarray:
    # Scale population shares to the number of items of the sample.
    tp = size * points.tp
    fp = size * points.fp
    n_positive = size * points.n_positive
    return metric.value(*_parted(tp, fp, n_positive, n))


def _counts(points: OperatingPoints) -> np.ndarray:
    n_positive = np.broadcast_to(points.n_positive, points.tp.shape)
    return np.concatenate([points.tp, points.fp, n_positive], axis=1)


def _parted(
    tp: np.ndarray, fp: np.ndarray, n_positive: np.ndarray, n: int
) -> tuple[np.ndarray, ...]:
    """Return the counts at and below the thresholds, in the argument order of a metric."""
    return tp[:, :n], fp[:, :n], n_positive, tp[:, n:], fp[:, n:]
