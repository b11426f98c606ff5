"""The ranking of items by the confidence of one multiclass classifier."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partialmethod
from typing import Any, NoReturn

from numpy.typing import ArrayLike

from ..goals._question import Question
from ..inputs._validation import check_aligned_with
from ..metrics._metric import Metric, MetricLike
from ..posterior._operating_points import Curve, Task
from ..results._estimates import CurveBand, ScalarEstimate
from ..results._tables import ConfusionMatrix, EstimateTable
from ._class_draws import MeasuredClassifier
from ._class_questions import (
    AVERAGES,
    ClassQuestion,
    accuracy_coverage,
    by_class,
    confusion_matrix,
)
from ._ranking_value import MetricArguments, Ranking, check_single
from ._ranking_view import check_decision

# Arguments of a metric that have no meaning with several classes.
OF_ONE_SCORE = ("threshold", "recall", "precision", "selection", "predicted")


def two_only(name: str) -> str:
    """Return the message that a method requires two classes."""
    return (
        f"{name} requires a threshold of one score, but there are several classes: choose one "
        "against the rest, of(pos_label=...)."
    )


def _refuse(self: ClassRanking, name: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise: not defined for several classes."""
    raise ValueError(two_only(name))


@dataclass(frozen=True, eq=False, repr=False)
class ClassRanking(Ranking):
    """The predictions of one multiclass classifier."""

    classifier: MeasuredClassifier  # with the draws that evaluate it

    calibration_curve = partialmethod(_refuse, "calibration_curve")
    goal_probability = partialmethod(_refuse, "goal_probability")
    _threshold_for = partialmethod(_refuse, "threshold_for")
    supported_threshold = partialmethod(_refuse, "threshold_for")
    selection = partialmethod(_refuse, "selection")
    plan = partialmethod(_refuse, "plan")

    def curve(
        self,
        name: str | Curve | Metric = "precision_recall",
        *,
        target: str | None = None,
        thresholds: ArrayLike | None = None,
        zero_division: float | None = None,
    ) -> CurveBand:
        if not isinstance(name, str) or name != "accuracy_coverage" or thresholds is not None:
            raise ValueError(
                "With several classes the only curve is 'accuracy_coverage', without "
                f"thresholds=; got {name!r}. For the curve of a class against the rest choose it: "
                "of(pos_label=...)."
            )
        task = self._task(target, zero_division)
        band = accuracy_coverage(self.classifier, task, self.settings.n_points)
        verdict = self.model.verdict_on(self.view, of_sample=task.draws_labels)
        return replace(band, verdict=verdict)

    def _estimate_of(self, arguments: MetricArguments) -> ScalarEstimate:
        check_single(arguments.readers)
        names = [name for name in arguments.names if name in OF_ONE_SCORE]
        if names:
            raise ValueError(
                f"{' and '.join(names)}= applies to a single score, but with "
                "several classes the most probable one is predicted; use a metric of that "
                "prediction."
            )
        if arguments.sample_columns is not None:
            index = self.settings.row_index
            check_aligned_with(index, "X", sample_columns=arguments.sample_columns)

        question = ClassQuestion.of(
            arguments.metric,
            pos_label=arguments.pos_label,
            average=AVERAGES[0] if arguments.average is None else arguments.average,
            sample_columns=arguments.sample_columns,
        )
        task = self._task(arguments.target, arguments.zero_division)
        return self._of_class(question.estimate(self.classifier, task), task)

    def by_class(
        self,
        metric: MetricLike | Question,
        *,
        target: str | None = None,
        zero_division: float | None = None,
    ) -> EstimateTable:
        """Return an estimate for each class."""
        task = self._task(target, zero_division)
        table = by_class(metric, self.classifier, task)
        estimates = tuple(self._of_class(estimate, task) for estimate in table.estimates)
        return replace(table, estimates=estimates)

    def _of_class(self, estimate: ScalarEstimate, task: Task) -> ScalarEstimate:
        """Return an estimate of one class, or of all, with the verdict on it."""
        reasons = self.model.reasons_of_class(estimate.pos_label, estimate.name)
        verdict = self.model.verdict_on(self.view, of_sample=task.draws_labels)
        return replace(estimate, verdict=verdict.worsened(reasons))

    def confusion_matrix(
        self,
        *,
        threshold: float | None = None,
        normalize: str | None = None,
        target: str | None = None,
    ) -> ConfusionMatrix:
        if check_decision(threshold) is not None:
            raise ValueError(two_only("threshold="))
        return confusion_matrix(self.classifier, self._task(target), normalize)


def table_by_class(
    ranking: Ranking,
    metric: MetricLike | Question,
    *,
    target: str | None = None,
    zero_division: float | None = None,
) -> EstimateTable:
    """Return a one-vs-rest estimate for each of several classes; raise if there are two."""
    if not isinstance(ranking, ClassRanking):
        raise ValueError(
            "This requires more than two classes, named by y or classes=, with one column of X "
            "each; fit was given two."
        )
    return ranking.by_class(metric, target=target, zero_division=zero_division)
