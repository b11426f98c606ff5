"""Design-based estimates of ratios and of rankings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..metrics._expectation import ratio
from ..posterior._operating_points import first_reaching
from ..results._distributions import CenteredDraws, LogitDistribution
from ..results._estimates import CurveBand, ScalarEstimate
from ._label_design import (
    LabelDesign,
    counts_above,
    draw_weights,
    has_estimate,
    is_known,
    labeled,
    resampled,
    shrunk_predictions,
    sums_above,
)
from ._ratio_test import possible_range

# Prior weight, in draws, of the model's prediction of the variance of a draw.
MODEL_DRAWS = 4.0
N_RESAMPLES = 300
# The weight of Jeffreys' prior of a share, in labels of each class.
PRIOR_LABELS = 0.5


def design_estimate(
    design: LabelDesign,
    numerator: np.ndarray,
    denominator: np.ndarray,
    name: str,
    *,
    confidence_level: float = 0.9,
) -> ScalarEstimate:
    r"""Estimate a metric that is a ratio of two sums over the pool.

    Both sums are averages of the totals of the draws, with the weights :math:`w_t` of
    `draw_weights`: :math:`\hat\theta = \sum_t w_t Z_t^{num} / \sum_t w_t Z_t^{den}`. The error of
    the ratio is to first order the average of :math:`e_t = Z_t^{num} - \hat\theta Z_t^{den}`, which
    are uncorrelated: its variance is :math:`\sum_t w_t^2 e_t^2 / (\sum_t w_t Z_t^{den})^2`. As few
    draws may by chance be equal, or all lie on one side of the threshold, the variance is shrunk to
    its prediction, less with each draw. The interval is that of Student's t on the log-odds.
    """
    distribution = _distribution(design, numerator, denominator)
    return ScalarEstimate(
        name, distribution, confidence_level, "design", n_items=float(design.pool.sum())
    )


def _distribution(
    design: LabelDesign, numerator: np.ndarray, denominator: np.ndarray
) -> LogitDistribution:
    """Return the distribution of the ratio, within the range that the labels allow."""
    smallest, largest = possible_range(design, numerator, denominator)
    if np.isnan(smallest):
        return LogitDistribution.unknown()
    if smallest == largest:
        return LogitDistribution.unknown(smallest, largest, smallest)

    # The totals that each draw estimates, and their weighted averages.
    rows = design.drawn
    weights = draw_weights(design)
    numerators = design.totals(numerator)[rows]
    denominators = design.totals(denominator)[rows]
    total = (weights * denominators).sum()
    if not total > 0.0:
        return LogitDistribution.unknown(smallest, largest)
    value = float((weights * numerators).sum() / total)
    inside = float(np.clip(value, smallest, largest))
    if len(rows) == 1:
        return LogitDistribution.unknown(smallest, largest, inside)

    # The standard error of the ratio, to first order.
    errors = numerators - value * denominators
    squares = _squares(design, numerator - value * denominator, errors)
    error = float(np.sqrt((weights**2 * squares).sum()) / total)
    return LogitDistribution(inside, error, len(rows) - 1.0, smallest, largest)


def _squares(design: LabelDesign, influence: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Return the expected squared error of each draw, of shape (n_draws,)."""
    rows = design.drawn
    n = len(rows)
    side = design.above[rows].astype(int)
    leverage = (influence[1] - influence[0]) ** 2
    p = shrunk_predictions(design.predictions[rows])
    modeled = leverage[side] * p * (1.0 - p) / design.chances[rows] ** 2

    squares = (n * errors**2 * n / (n - 1.0) + MODEL_DRAWS * modeled) / (n + MODEL_DRAWS)

    # A side with few draws has unknown variance: bounded by the model's prediction.
    expected = design.expected_positives[rows]
    reach = design.reach[rows]
    bound = np.minimum(
        reach[:, 0] * (design.free[:-1][rows] - expected),
        reach[:, 1] * expected,
    )
    n_drawn = np.bincount(side, minlength=2)
    return squares + (leverage * np.maximum(bound, 0.0) / (n_drawn + 1.0)).sum(axis=1)


def design_ranking_estimate(
    design: LabelDesign,
    scores: np.ndarray,
    metric: Callable[..., Any],
    name: str,
    rng: np.random.Generator,
    *,
    confidence_level: float = 0.9,
) -> ScalarEstimate:
    """Estimate a ranking metric, which is not a ratio of sums over items.

    The metric is that of the labeled items with the weights of `label_weights`. Its standard error
    is found by resampling the weights of the draws (the Bayesian bootstrap, [1]_), and vanishes
    once all items are labeled. The interval is that of Student's t on the log-odds, with the
    effective number of labels of the rarer class as degrees of freedom.

    References
    ----------
    .. [1] D. B. Rubin. "The Bayesian bootstrap." Annals of Statistics 9 (1981) 130-134.
    """
    distribution = LogitDistribution.unknown()
    if has_estimate(design):
        value = float(metric(*counts_above(design, scores, *labeled(design)))[0])
        if is_known(design) and np.isfinite(value):
            distribution = LogitDistribution.unknown(value, value, value)
        elif np.isfinite(value):
            # The standard error of the Bayesian bootstrap, if most resamples define the metric.
            weights, labels = resampled(design, rng, N_RESAMPLES)
            draws = metric(*counts_above(design, scores, weights, labels))
            draws = draws[np.isfinite(draws)]
            error = float(np.std(draws)) if len(draws) > N_RESAMPLES / 2 else np.nan
            distribution = LogitDistribution(value, error, _degrees(design))

    return ScalarEstimate(
        name, distribution, confidence_level, "design", n_items=float(design.pool.sum())
    )


def _degrees(design: LabelDesign) -> float:
    """Return the effective number of labels of the rarer class, at least one."""
    weights, labels = (part[0][design.drawn] for part in labeled(design))
    of_class = [weights[labels == z] for z in (0.0, 1.0)]
    worth = [w.sum() ** 2 / (w**2).sum() if len(w) else 0.0 for w in of_class]
    return max(1.0, float(min(worth)))


def design_precision_recall(
    design: LabelDesign,
    scores: np.ndarray,
    recalls: np.ndarray,
    rng: np.random.Generator,
    *,
    confidence_level: float = 0.9,
) -> CurveBand:
    """Estimate the precision at given recalls.

    The precision at a threshold is the share of positives among the labeled items above it, with
    the weights of `label_weights`. (The number of pool items above is known, but dividing by it has
    a larger variance, as the same few large weights enter both counts.) The band is found by
    resampling the weights of the draws, with Jeffreys' prior counts above each threshold.
    """
    recalls = np.asarray(recalls, dtype=float)
    value = np.full(len(recalls), np.nan)
    if has_estimate(design):
        tp, fp = counts_above(design, scores, *labeled(design))
        value = _precision(tp, fp, recalls)[0]

    # Without an estimate nothing is known; with all labels there is no error.
    if np.isnan(value).any():
        curves = np.repeat([[0.0], [1.0]], len(recalls), axis=1)
    elif is_known(design):
        curves = value[np.newaxis]
    else:
        curves = _resampled_curves(design, scores, recalls, rng)
        is_defined = ~np.isnan(curves[:, 0])
        curves = _about(value, curves[is_defined])

    distribution = CenteredDraws(curves, np.full(len(curves), 1.0 / len(curves)), value)
    names = ("recall", "precision")
    return CurveBand("precision_recall", recalls, distribution, *names, confidence_level, "design")


def _precision(tp: np.ndarray, fp: np.ndarray, recalls: np.ndarray, prior=(0.0, 0.0, 0.0)):
    """Return the precision at the highest threshold of at least each recall."""
    index = first_reaching(ratio(tp, tp[:, -1:]), recalls)
    unit = np.take_along_axis(np.broadcast_to(prior[2], tp.shape), index, axis=1)
    true_positives = np.take_along_axis(tp, index, axis=1) + prior[0] * unit
    false_positives = np.take_along_axis(fp, index, axis=1) + prior[1] * unit
    precision = ratio(true_positives, true_positives + false_positives)
    return np.where(tp[:, -1:] > 0.0, precision, np.nan)


def _resampled_curves(
    design: LabelDesign, scores: np.ndarray, recalls: np.ndarray, rng: np.random.Generator
):
    weights, labels = resampled(design, rng, N_RESAMPLES)
    tp, fp = counts_above(design, scores, weights, labels)
    # Resampling has no variance where all labels above a threshold are equal. The prior counts have
    # the weight of the others there, and none once all items are labeled.
    (squares,) = sums_above(design, scores, weights**2)
    unit = np.nan_to_num(ratio(squares, tp + fp)) * design.free[-1].sum() / design.pool.sum()
    more = rng.standard_gamma(PRIOR_LABELS, size=(2, N_RESAMPLES, len(recalls)))
    return _precision(tp, fp, recalls, (*more, unit))


def _about(value: np.ndarray, curves: np.ndarray) -> np.ndarray:
    """Recenter draws of curves so that the estimate is their pointwise median.

    Where all labels agree, at least half of the weight is at the estimate.
    """
    upper = curves >= np.median(curves, axis=0)
    return np.where(upper, np.maximum(curves, value), np.minimum(curves, value))
