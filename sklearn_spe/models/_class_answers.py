"""Answers about one multiclass classifier."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partialmethod
from typing import Any

from ..posterior._operating_points import Task
from ..results._estimates import CurveBand, ScalarEstimate
from ..results._tables import ConfusionMatrix, EstimateTable
from ._answers import Answers
from ._class_draws import MeasuredClassifier
from ._class_questions import (
    AVERAGES,
    ClassQuestion,
    accuracy_coverage,
    by_class,
    confusion_matrix,
)


def two_only(name: str) -> str:
    """Return the message that a method requires two classes."""
    return (
        f"{name} requires a threshold of one score, but there are several classes: fit one class "
        "against the rest, fit(X[:, c], y == classes[c]), with missing labels kept missing."
    )


def _refuse(self: Any, name: str, *args: Any, **where: Any) -> Any:
    """Raise: not defined for several classes."""
    raise ValueError(two_only(name))


@dataclass(frozen=True, eq=False)
class ClassAnswers(Answers):
    """Estimates of one multiclass classifier."""

    classifier: MeasuredClassifier  # with the draws that evaluate it

    calibration_curve = partialmethod(_refuse, "calibration_curve")
    goal_probability = partialmethod(_refuse, "goal_probability")
    threshold_for = partialmethod(_refuse, "threshold_for")
    supported_threshold = partialmethod(_refuse, "threshold_for")
    thresholds_for = partialmethod(_refuse, "thresholds_for")
    selection = partialmethod(_refuse, "selection")
    selection_estimate = partialmethod(_refuse, "selection_estimate")
    plan = partialmethod(_refuse, "plan")

    def curve(self, name, *, target, thresholds, zero_division) -> CurveBand:
        """Return the accuracy of the most confident items."""
        if not isinstance(name, str) or name != "accuracy_coverage" or thresholds is not None:
            raise ValueError(
                "With several classes the only curve is 'accuracy_coverage', without "
                f"thresholds=; got {name!r}. For a one-vs-rest curve of a class, fit its column: "
                "fit(X[:, c], y == classes[c]), with missing labels kept missing."
            )
        task = self.task(target, zero_division)
        band = accuracy_coverage(self.classifier, task, self.settings.n_points)
        return replace(band, verdict=self.verdict(task))

    def estimate(
        self,
        metric: Any,
        *,
        threshold: float | None = None,
        recall: float | None = None,
        precision: float | None = None,
        predicted: Any = None,
        target: str | None = None,
        zero_division: float | None = None,
        pos_label: Any = None,
        average: str | None = None,
        sample_columns: Any = None,
    ) -> ScalarEstimate:
        """Return an estimate, as `PerformanceCurveEstimator.estimate`."""
        places = {"threshold": threshold, "recall": recall, "precision": precision}
        names = [name for name, value in places.items() if value is not None]
        if names or predicted is not None:
            raise ValueError(
                f"{' and '.join(names) or 'predicted'}= applies to a single score, but with "
                "several classes the most probable one is predicted; use a metric of that "
                "prediction."
            )
        average = AVERAGES[0] if average is None else average
        question = ClassQuestion.of(
            metric, pos_label=pos_label, average=average, sample_columns=sample_columns
        )
        task = self.task(target, zero_division)
        return self._of_class(question.estimate(self.classifier, task), task)

    def by_class(self, metric, *, target=None, zero_division=None) -> EstimateTable:
        """Return an estimate for each class."""
        task = self.task(target, zero_division)
        table = by_class(metric, self.classifier, task)
        estimates = tuple(self._of_class(estimate, task) for estimate in table.estimates)
        return replace(table, estimates=estimates)

    def _of_class(self, estimate: ScalarEstimate, task: Task) -> ScalarEstimate:
        """Return an estimate of one class, or of all, with the verdict on it."""
        reasons = self.model.reasons_of_class(estimate.pos_label, estimate.name)
        return replace(estimate, verdict=self.verdict(task, reasons))

    def confusion_matrix(self, *, normalize=None, target=None, threshold=None) -> ConfusionMatrix:
        """Return the confusion matrix with intervals."""
        if threshold is not None:
            raise ValueError(two_only("threshold="))
        return confusion_matrix(self.classifier, self.task(target), normalize)
