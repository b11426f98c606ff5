"""Metrics of a ranking from the labels of a design."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...results._bands import ScalarEstimate
from ._label_design import LabelDesign
from ._labelled_counts import counts_above, has_estimate, is_known, labelled, resampled
from ._logit_law import LogitLaw

__all__ = ["design_ranking_estimate"]


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
