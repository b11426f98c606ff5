"""What a fit answers about one ranking, or about one classifier of several classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..goals._goal import Goal
from ..posterior._operating_points import Task
from ..results._estimates import CurveBand, ScalarEstimate
from ..results._tables import ConfusionMatrix, DecisionZone, EstimateTable
from ..results._verdict import Reason, Verdict
from ._ranking_view import RankingView

# Arguments of a metric that set a point of a curve.
PLACES = ("threshold", "recall", "precision")


@dataclass(frozen=True)
class AnswerSettings:
    """How questions are answered if they do not say it themselves."""

    target: str = "sample"
    confidence_level: float = 0.9
    n_points: int = 200  # of a curve
    n_jobs: int | None = None


@dataclass(frozen=True, eq=False)
class Answers(ABC):
    """Estimates and curves of one ranking of a fit; the methods are the estimator's."""

    model: Any  # `FittedModel`
    view: RankingView
    settings: AnswerSettings

    def task(self, target: str | None = None, zero_division: float | None = None) -> Task:
        """Return how a question is evaluated; None means as the settings say."""
        settings = self.settings
        target = settings.target if target is None else target
        level = settings.confidence_level
        return Task(target, self.model.seed, settings.n_jobs, level, zero_division)

    def verdict(self, task: Task, reasons: Iterable[Reason] = ()) -> Verdict:
        """Return the verdict on the part that is asked, worsened by reasons about the question."""
        of_sample = task.target == "sample"
        return self.model.verdict_on(self.view, of_sample=of_sample).worsened(reasons)

    @abstractmethod
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
        """Return an estimate."""

    @abstractmethod
    def curve(
        self, name: Any, *, target: str | None, thresholds: Any, zero_division: float | None
    ) -> CurveBand:
        """Return a curve."""

    @abstractmethod
    def confusion_matrix(
        self,
        *,
        normalize: str | None = None,
        target: str | None = None,
        threshold: float | None = None,
    ) -> ConfusionMatrix:
        """Return the confusion matrix with intervals."""

    @abstractmethod
    def by_class(
        self, metric: Any, *, target: str | None = None, zero_division: float | None = None
    ) -> EstimateTable:
        """Return an estimate for each of several classes."""

    @abstractmethod
    def calibration_curve(self, predicted: Any, *, n_bins: int, strategy: str) -> CurveBand:
        """Return the reliability of the scores, or of predicted probabilities."""

    @abstractmethod
    def goal_probability(self, goal: Goal, *, thresholds: Any, target: str | None) -> CurveBand:
        """Return the probability of a goal over thresholds."""

    @abstractmethod
    def threshold_for(
        self,
        goal: Goal,
        *,
        confidence_level: float,
        guarantee: str = "posterior",
        prefer: str | None = None,
        target: str | None = None,
    ) -> float:
        """Return a threshold that meets a goal."""

    @abstractmethod
    def supported_threshold(
        self,
        goal: Goal,
        *,
        confidence_level: float,
        guarantee: str = "posterior",
        prefer: str | None = None,
        target: str | None = None,
    ) -> tuple[float, Verdict]:
        """Return a threshold, and the verdict on its selection."""

    @abstractmethod
    def thresholds_for(
        self,
        positive: Goal,
        negative: Goal,
        *,
        confidence_level: float,
        target: str | None,
        guarantee: str,
    ) -> DecisionZone:
        """Return two thresholds, with undecided items between them."""

    @abstractmethod
    def selection(self, threshold: float) -> np.ndarray:
        """Return the selected rows of X."""

    @abstractmethod
    def selection_estimate(self, metric: Any, *, threshold: float) -> ScalarEstimate:
        """Return an estimate of a selection."""

    @abstractmethod
    def plan(
        self, n_labels: Any, metric: Any, *, strategy: str, where: dict[str, Any]
    ) -> np.ndarray:
        """Return expected widths of an interval after further labels."""
