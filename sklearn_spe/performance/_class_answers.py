"""Estimates of a multiclass fit."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.utils.validation import check_is_fitted

from ..curves._task import Task
from ..multiclass._class_questions import (
    AVERAGES,
    ClassQuestion,
    accuracy_coverage,
    by_class,
    confusion_matrix,
)
from ..multiclass._classes_model import ClassesModel
from ..multiclass._confusion_matrix import ConfusionMatrix
from ..multiclass._measured_classifier import MeasuredClassifier
from ..results._bands import CurveBand, ScalarEstimate
from ..results._estimate_table import EstimateTable

__all__ = ["ClassAnswers", "class_answers", "two_only"]


@dataclass(frozen=True, eq=False)
class ClassAnswers:
    """Estimates of one multiclass classifier."""

    model: MeasuredClassifier
    seed: int
    n_points: int
    target: str
    confidence_level: float
    n_jobs: int | None

    @classmethod
    def of(cls, performance) -> ClassAnswers:
        """Return the estimates for a performance estimator."""
        return cls(
            performance.model_.measured(
                performance.shown_.asked.system, performance.shown_.asked.category
            ),
            performance.seed_,
            performance.n_points,
            performance.target,
            performance.confidence_level,
            performance.n_jobs,
        )

    def curve(self, name, *, target, thresholds, zero_division) -> CurveBand:
        """Return the accuracy of the most confident items."""
        if not isinstance(name, str) or name != "accuracy_coverage" or thresholds is not None:
            raise ValueError(
                "With several classes the only curve is 'accuracy_coverage', without "
                f"thresholds=; got {name!r}. For a one-vs-rest curve of a class, fit its column: "
                "fit(X[:, c], y == classes[c]), with missing labels kept missing."
            )
        return accuracy_coverage(self.model, self._task(target, zero_division), self.n_points)

    def estimate(
        self, metric, *, predicted, target, zero_division, pos_label=None, average=None, **where
    ) -> ScalarEstimate:
        """Return an estimate, as `PerformanceCurveEstimator.estimate`."""
        given = [name for name, value in where.items() if value is not None]
        if given or predicted is not None:
            raise ValueError(
                f"{' and '.join(given) or 'predicted'}= applies to a single score, but with "
                "several classes the most probable one is predicted; use a metric of that "
                "prediction."
            )
        average = AVERAGES[0] if average is None else average
        question = ClassQuestion.of(metric, pos_label=pos_label, average=average)
        return question.estimate(self.model, self._task(target, zero_division))

    def by_class(self, metric, *, target=None, zero_division=None) -> EstimateTable:
        """Return an estimate for each class."""
        return by_class(metric, self.model, self._task(target, zero_division))

    def confusion_matrix(self, *, normalize=None, target=None) -> ConfusionMatrix:
        """Return the confusion matrix with intervals."""
        return confusion_matrix(self.model, self._task(target), normalize)

    def calibration_curve(self, *args, **where):
        """Raise: not defined for several classes."""
        raise ValueError(two_only("calibration_curve"))

    def goal_probability(self, *args, **where):
        """Raise: not defined for several classes."""
        raise ValueError(two_only("goal_probability"))

    def threshold_for(self, *args, **where):
        """Raise: not defined for several classes."""
        raise ValueError(two_only("threshold_for"))

    def thresholds_for(self, *args, **where):
        """Raise: not defined for several classes."""
        raise ValueError(two_only("thresholds_for"))

    def selection(self, *args, **where):
        """Raise: not defined for several classes."""
        raise ValueError(two_only("selection"))

    def selection_estimate(self, *args, **where):
        """Raise: not defined for several classes."""
        raise ValueError(two_only("selection_estimate"))

    def plan(self, *args, **where):
        """Raise: not defined for several classes."""
        raise ValueError(two_only("plan"))

    def _task(self, target=None, zero_division=None) -> Task:
        target = self.target if target is None else target
        return Task(target, self.seed, self.n_jobs, self.confidence_level, zero_division)


def class_answers(performance, system=None) -> ClassAnswers:
    """Return the estimates of a multiclass fit; raise for two classes."""
    check_is_fitted(performance, "posterior_")
    if not isinstance(performance.model_, ClassesModel):
        raise ValueError(
            "This requires more than two classes, named by y or classes=, with one column of X "
            "each; fit was given two."
        )
    return ClassAnswers.of(performance.of(system=system))


def two_only(name: str) -> str:
    """Return the message that a method requires two classes."""
    return (
        f"{name} requires a threshold of one score, but there are several classes: fit one class "
        "against the rest, fit(X[:, c], y == classes[c]), with missing labels kept missing."
    )
