"""Design-based estimates of ranking metrics and of the precision-recall curve."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...betting._label_design import LabelDesign
from ...curves._grid import first_reaching
from ...metrics._division import ratio
from ...results._bands import CurveBand, ScalarEstimate
from ...results._distributions import CentredDraws
from ._labeled_counts import (
    counts_above,
    has_estimate,
    is_known,
    labeled,
    resampled,
    sums_above,
)
from ._logit_distribution import LogitDistribution

__all__ = ["design_precision_recall", "design_ranking_estimate"]

# The weight of Jeffreys' prior of a share, in labels of each class.
PRIOR_LABELS = 0.5


def design_ranking_estimate(
    design: LabelDesign,
    scores,
    metric: Callable,
    name: str,
    rng: np.random.Generator,
    *,
    n_resamples: int = 300,
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
            drawn = metric(*counts_above(design, scores, *resampled(design, rng, n_resamples)))
            drawn = drawn[np.isfinite(drawn)]
            error = float(np.std(drawn)) if len(drawn) > n_resamples / 2 else np.nan
            distribution = LogitDistribution(value, error, _degrees(design))
    return ScalarEstimate(name, distribution, confidence_level, "design")


def _degrees(design) -> float:
    """Return the effective number of labels of the rarer class, at least one."""
    weights, labels = (part[0][design.drawn] for part in labeled(design))
    of_class = [weights[labels == z] for z in (0.0, 1.0)]
    worth = [w.sum() ** 2 / (w**2).sum() if len(w) else 0.0 for w in of_class]
    return max(1.0, float(min(worth)))


def design_precision_recall(
    design: LabelDesign,
    scores,
    recalls,
    rng: np.random.Generator,
    *,
    n_resamples: int = 300,
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
    if np.isnan(value).any():
        curves = np.repeat([[0.0], [1.0]], len(recalls), axis=1)
    elif is_known(design):
        curves = value[np.newaxis]
    else:
        curves = _resampled_curves(design, scores, recalls, rng, n_resamples)
        curves = _about(value, curves[~np.isnan(curves[:, 0])])
    distribution = CentredDraws(curves, np.full(len(curves), 1.0 / len(curves)), value)
    names = ("recall", "precision")
    return CurveBand("precision_recall", recalls, distribution, *names, confidence_level, "design")


def _precision(tp, fp, recalls, prior=(0.0, 0.0, 0.0)):
    """Return the precision at the highest threshold of at least each recall."""
    if tp.shape[1] == 0:
        return np.full((len(tp), len(recalls)), np.nan)
    at = first_reaching(ratio(tp, tp[:, -1:]), recalls)
    unit = np.broadcast_to(prior[2], tp.shape)
    found, wrong, unit = (np.take_along_axis(counts, at, axis=1) for counts in (tp, fp, unit))
    found, wrong = found + prior[0] * unit, wrong + prior[1] * unit
    return np.where(tp[:, -1:] > 0.0, ratio(found, found + wrong), np.nan)


def _resampled_curves(design, scores, recalls, rng, n_resamples):
    weights, labels = resampled(design, rng, n_resamples)
    tp, fp = counts_above(design, scores, weights, labels)
    # Resampling has no variance where all labels above a threshold are equal. The prior counts have
    # the weight of the others there, and none once all items are labeled.
    (squares,) = sums_above(design, scores, weights**2)
    unit = np.nan_to_num(ratio(squares, tp + fp)) * design.free[-1].sum() / design.pool.sum()
    more = rng.standard_gamma(PRIOR_LABELS, size=(2, n_resamples, len(recalls)))
    return _precision(tp, fp, recalls, (*more, unit))


def _about(value, curves):
    """Recenter curves so that the estimate lies between their upper and lower half.

    Where all labels agree, at least half of the weight is at the estimate.
    """
    if len(curves) == 0:
        return np.repeat([[0.0], [1.0]], len(value), axis=1)
    upper = curves >= np.median(curves, axis=0)
    return np.where(upper, np.maximum(curves, value), np.minimum(curves, value))
