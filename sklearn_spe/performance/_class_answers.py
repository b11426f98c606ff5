"""What a fit answers of several classes."""

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
    """One classifier of several classes, and how questions about it are answered.

    Attributes
    ----------
    model : MeasuredClassifier
    seed, n_points : int
    target : str
    confidence_level : float
    n_jobs : int or None
    """

    model: MeasuredClassifier
    seed: int
    n_points: int
    target: str
    confidence_level: float
    n_jobs: int | None

    @classmethod
    def of(cls, performance) -> ClassAnswers:
        """Return the answers of a performance estimator."""
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
                f"Of several classes there is the curve 'accuracy_coverage', without thresholds=; "
                f"got {name!r}. For a curve of one class against the rest fit its column: "
                f"fit(X[:, c], y == classes[c]), with missing labels kept missing."
            )
        return accuracy_coverage(self.model, self._task(target, zero_division), self.n_points)

    def estimate(
        self, metric, *, predicted, target, zero_division, pos_label=None, average=None, **where
    ) -> ScalarEstimate:
        """Return a number, as `PerformanceCurveEstimator.estimate`."""
        given = [name for name, value in where.items() if value is not None]
        if given or predicted is not None:
            raise ValueError(
                f"{' and '.join(given) or 'predicted'}= is about a score, and of several classes "
                f"the most probable one is decided for; ask for metrics of that decision."
            )
        average = AVERAGES[0] if average is None else average
        question = ClassQuestion.of(metric, pos_label=pos_label, average=average)
        return question.estimate(self.model, self._task(target, zero_division))

    def by_class(self, metric, *, target=None, zero_division=None) -> EstimateTable:
        """Return a number of each class."""
        return by_class(metric, self.model, self._task(target, zero_division))

    def confusion_matrix(self, *, normalize=None, target=None) -> ConfusionMatrix:
        """Return how often each class is taken for each."""
        return confusion_matrix(self.model, self._task(target), normalize)

    def calibration_curve(self, *args, **where):
        """Raise: there is no such answer."""
        raise ValueError(two_only("calibration_curve"))

    def goal_probability(self, *args, **where):
        """Raise: there is no such answer."""
        raise ValueError(two_only("goal_probability"))

    def threshold_for(self, *args, **where):
        """Raise: there is no such answer."""
        raise ValueError(two_only("threshold_for"))

    def thresholds_for(self, *args, **where):
        """Raise: there is no such answer."""
        raise ValueError(two_only("thresholds_for"))

    def answer(self, *args, **where):
        """Raise: there is no such answer."""
        raise ValueError(two_only("answer"))

    def answer_estimate(self, *args, **where):
        """Raise: there is no such answer."""
        raise ValueError(two_only("answer_estimate"))

    def plan(self, *args, **where):
        """Raise: there is no such answer."""
        raise ValueError(two_only("plan"))

    def _task(self, target=None, zero_division=None) -> Task:
        target = self.target if target is None else target
        return Task(target, self.seed, self.n_jobs, self.confidence_level, zero_division)


def class_answers(performance, system=None) -> ClassAnswers:
    """Return the answers of an estimator that was fitted to several classes."""
    check_is_fitted(performance, "posterior_")
    if not isinstance(performance.model_, ClassesModel):
        raise ValueError(
            "X holds no classes but scores of two: this is asked of several classes, which y or "
            "classes= names, with one column of X each."
        )
    return ClassAnswers.of(performance.of(system=system))


def two_only(name: str) -> str:
    """Return why something is not asked of several classes."""
    return (
        f"{name} is about a threshold of one score, and there are several classes: fit one of them "
        f"against the rest, fit(X[:, c], y == classes[c]), with missing labels kept missing."
    )
