"""The numbers of a performance, as text."""

from __future__ import annotations

from ..estimate_table import line_of


def summarise(performance, threshold: float | None = None) -> str:
    """Return the main numbers of a fitted performance estimator as lines of text.

    Parameters
    ----------
    performance : PerformanceCurveEstimator
        Fitted.
    threshold : float, default=None
        If given, precision, recall and F1 at this threshold are added.

    Returns
    -------
    text : str
    """
    return str(performance.summary(threshold=threshold))


def describe_threshold(performance, goal: dict, probability: float) -> str:
    """Return the threshold that meets a goal, and what it achieves, as lines of text.

    Parameters
    ----------
    performance : PerformanceCurveEstimator
        Fitted.
    goal : dict
        From metrics to bounds, as `PerformanceCurveEstimator.threshold_for` takes them.
    probability : float
        With which the goal must be met.

    Returns
    -------
    text : str

    Raises
    ------
    UnreachableGoalError
        If no threshold meets it.
    """
    threshold = performance.threshold_for(confidence_level=probability, **goal)
    band = performance.goal_probability(thresholds=[threshold], **goal)
    orientation, sample = performance.orientation_, performance.posterior_.sample
    side = "at least" if orientation.greater_is_positive else "at most"
    passing = sample.counts[sample.lower >= orientation.turn(threshold)].sum()
    lines = [
        # In full: a threshold that is rounded may lie beyond the item that it comes from.
        f"\nThreshold: scores of {side} {threshold!r} meet {band.name} with probability "
        f"{band.value[0]:.3g}; {passing:,.0f} items have them."
    ]
    for name in dict.fromkeys((*goal, "precision", "recall", "f1")):
        estimate = performance.estimate(name, threshold=threshold)
        lines.append(line_of(f"{name.replace('_', ' ')} there", estimate))
    return "\n".join(lines)
