"""The performance estimator that a display draws."""

from __future__ import annotations

from ..performance._performance import PerformanceCurveEstimator


def performance_of(estimator) -> PerformanceCurveEstimator:
    """Return the PerformanceCurveEstimator that an estimator is, or has as `performance_`."""
    reason = None
    performance = estimator
    if not isinstance(estimator, PerformanceCurveEstimator):
        try:
            performance = estimator.performance_
        except AttributeError as error:
            # Estimators that have one in some cases only raise with the reason.
            reason = error
    if not isinstance(performance, PerformanceCurveEstimator):
        raise TypeError(
            f"from_estimator draws a fitted PerformanceCurveEstimator, or a fitted estimator that "
            f"has one as performance_; got {type(estimator).__name__}. The scores of a classifier "
            f"go into PerformanceCurveEstimator().fit(scores, y)."
        ) from reason
    return performance
