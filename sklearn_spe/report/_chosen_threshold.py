"""The threshold that meets a goal, and what it achieves."""

from __future__ import annotations

from dataclasses import dataclass

from ..results._estimate_table import EstimateTable, line_of

__all__ = ["ChosenThreshold"]


@dataclass(frozen=True, eq=False)
class ChosenThreshold:
    """A threshold that meets a goal.

    Attributes
    ----------
    goal : str
        Such as "precision >= 0.9".
    threshold : float
    probability : float
        With which it meets the goal.
    n_items : float
        How many items are called positive.
    greater_is_positive : bool
    estimates : EstimateTable
        What is achieved there.
    """

    goal: str
    threshold: float
    probability: float
    n_items: float
    greater_is_positive: bool
    estimates: EstimateTable

    @classmethod
    def of(cls, performance, goal: dict, probability: float) -> ChosenThreshold:
        """Choose the most useful one.

        Parameters
        ----------
        performance : PerformanceCurveEstimator
            Fitted.
        goal : dict
            From metrics to bounds, as `PerformanceCurveEstimator.threshold_for` takes them.
        probability : float
            With which the goal must be met.

        Raises
        ------
        UnreachableGoalError
            If no threshold meets it.
        """
        threshold = performance.threshold_for(confidence_level=probability, **goal)
        band = performance.goal_probability(thresholds=[threshold], **goal)
        orientation, sample = performance.orientation_, performance.posterior_.sample
        passing = sample.counts[sample.lower >= orientation.turn(threshold)].sum()
        names = tuple(dict.fromkeys((*goal, "precision", "recall", "f1")))
        estimates = tuple(performance.estimate(name, threshold=threshold) for name in names)
        return cls(
            band.name,
            threshold,
            float(band.value[0]),
            float(passing),
            orientation.greater_is_positive,
            EstimateTable(names, estimates),
        )

    def describe(self) -> str:
        """Return it as lines of text."""
        side = "at least" if self.greater_is_positive else "at most"
        lines = [
            # In full: a threshold that is rounded may lie beyond the item that it comes from.
            f"Threshold: scores of {side} {self.threshold!r} meet {self.goal} with probability "
            f"{self.probability:.3g}; {self.n_items:,.0f} items have them."
        ]
        for name, estimate in zip(self.estimates.names, self.estimates.estimates, strict=True):
            lines.append(line_of(f"{name.replace('_', ' ')} there", estimate))
        return "\n".join(lines)
