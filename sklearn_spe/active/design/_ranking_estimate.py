"""Metrics of a ranking, and its precision-recall curve, from the labels of a design."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...betting._label_design import LabelDesign
from ...curves._grid import first_at_least
from ...metrics._division import ratio
from ...results._bands import CurveBand, ScalarEstimate
from ...results._laws import CentredDraws
from ._labelled_counts import (
    counts_above,
    has_estimate,
    is_known,
    labelled,
    resampled,
    sums_above,
)
from ._logit_law import LogitLaw

__all__ = ["design_precision_recall", "design_ranking_estimate"]

# As much as Jeffreys' prior of a share says, in labels of each class.
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
    """Estimate a metric of the ranking, which is no ratio of sums over items.

    Each label counts as many times as `label_weights` says, and the metric is that of the
    labelled items. Its standard error is found by resampling the weights of the draws (the
    Bayesian bootstrap, [1]_), which vanishes once all is labelled, and the interval by Student's t
    on the log-odds, with as many degrees of freedom as labels of the rarer class are worth.

    Parameters
    ----------
    design : LabelDesign
    scores : ndarray of shape (n_items,)
        Of the whole pool, larger for positives.
    metric : callable
        ``metric(tp, fp)``, both of shape (n_resamples, n_thresholds), as
        `RankingMetric.value`. It lies in [0, 1].
    name : str
    rng : numpy.random.Generator
    n_resamples : int, default=300
    confidence_level : float in (0, 1), default=0.9

    Returns
    -------
    estimate : ScalarEstimate
        Of kind "design". Its value is NaN, and its interval [0, 1], if nothing was drawn or the
        metric is not defined for the labelled items.

    References
    ----------
    .. [1] D. B. Rubin. "The Bayesian bootstrap." Annals of Statistics 9 (1981) 130-134.
    """
    law = LogitLaw.unknown()
    if has_estimate(design):
        value = float(metric(*counts_above(design, scores, *labelled(design)))[0])
        if is_known(design) and np.isfinite(value):
            law = LogitLaw.unknown(value, value, value)
        elif np.isfinite(value):
            drawn = metric(*counts_above(design, scores, *resampled(design, rng, n_resamples)))
            drawn = drawn[np.isfinite(drawn)]
            error = float(np.std(drawn)) if len(drawn) > n_resamples / 2 else np.nan
            law = LogitLaw(value, error, _degrees(design))
    return ScalarEstimate(name, law, confidence_level, "design")


def _degrees(design) -> float:
    """Return how many labels of the rarer class there are, at least one.

    Labels of unlike weights are worth fewer: the square of the sum over the sum of squares.
    """
    weights, labels = (part[0][design.drawn] for part in labelled(design))
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

    The precision at a threshold is the share of positives among the labelled items above it, each
    counted as many times as `label_weights` says. (How many items of the pool lie above is
    known; but to divide by that is worse, as the same few large weights are
    in both counts of the labelled.) The band is found by resampling the weights of the draws,
    with the labels of Jeffreys' prior above each threshold.

    Parameters
    ----------
    design : LabelDesign
    scores : ndarray of shape (n_items,)
        Of the whole pool, larger for positives.
    recalls : array-like of shape (n_points,)
        Rising, in (0, 1].
    rng : numpy.random.Generator
    n_resamples : int, default=300
    confidence_level : float in (0, 1), default=0.9

    Returns
    -------
    band : CurveBand
        Of kind "design". Its value is NaN, and its band [0, 1], if nothing was drawn or no
        positive is labelled.
    """
    recalls = np.asarray(recalls, dtype=float)
    value = np.full(len(recalls), np.nan)
    if has_estimate(design):
        tp, fp = counts_above(design, scores, *labelled(design))
        value = _precision(tp, fp, recalls)[0]
    if np.isnan(value).any():
        curves = np.repeat([[0.0], [1.0]], len(recalls), axis=1)
    elif is_known(design):
        curves = value[np.newaxis]
    else:
        curves = _resampled_curves(design, scores, recalls, rng, n_resamples)
        curves = _about(value, curves[~np.isnan(curves[:, 0])])
    law = CentredDraws(curves, np.full(len(curves), 1.0 / len(curves)), value)
    names = ("recall", "precision")
    return CurveBand("precision_recall", recalls, law, *names, confidence_level, "design")


def _precision(tp, fp, recalls, prior=(0.0, 0.0, 0.0)):
    """Return the precision at the highest threshold of at least each recall."""
    if tp.shape[1] == 0:
        return np.full((len(tp), len(recalls)), np.nan)
    at = first_at_least(ratio(tp, tp[:, -1:]), recalls)
    unit = np.broadcast_to(prior[2], tp.shape)
    found, wrong, unit = (np.take_along_axis(counts, at, axis=1) for counts in (tp, fp, unit))
    found, wrong = found + prior[0] * unit, wrong + prior[1] * unit
    return np.where(tp[:, -1:] > 0.0, ratio(found, found + wrong), np.nan)


def _resampled_curves(design, scores, recalls, rng, n_resamples):
    weights, labels = resampled(design, rng, n_resamples)
    tp, fp = counts_above(design, scores, weights, labels)
    # Where all labels above a threshold are alike resampling finds no doubt. The labels of the
    # prior count as much as the others there, and nothing once all is labelled.
    (squares,) = sums_above(design, scores, weights**2)
    unit = np.nan_to_num(ratio(squares, tp + fp)) * design.free[-1].sum() / design.pool.sum()
    more = rng.standard_gamma(PRIOR_LABELS, size=(2, n_resamples, len(recalls)))
    return _precision(tp, fp, recalls, (*more, unit))


def _about(value, curves):
    """Move the curves so far out that the estimate lies between the upper and the lower half.

    What all labels say is certain is so with no less than half of the weight.
    """
    if len(curves) == 0:
        return np.repeat([[0.0], [1.0]], len(value), axis=1)
    upper = curves >= np.median(curves, axis=0)
    return np.where(upper, np.maximum(curves, value), np.minimum(curves, value))
