"""The types that a user's checker sees: it is checked by mypy, and need not run."""

from __future__ import annotations

from typing import assert_type

import numpy as np

from sklearn_spe import (
    AccuracyExtrapolator,
    ActiveTestSelector,
    Goal,
    MeanEstimator,
    PerformanceCurveEstimator,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
)
from sklearn_spe.application import MeanReport
from sklearn_spe.families import Norm, NormalPrior
from sklearn_spe.metrics import FBeta
from sklearn_spe.models import Ranking
from sklearn_spe.results import CurveBand, EstimateTable, ScalarEstimate
from sklearn_spe.results._tables import ConfusionMatrix, DecisionZone

scores = np.linspace(-1.0, 1.0, 100)
y = [1, None, 0, -1] * 25


def performance_of_a_classifier() -> None:
    performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
    assert_type(performance, PerformanceCurveEstimator)
    assert_type(performance.update(scores, y), PerformanceCurveEstimator)
    assert_type(performance.estimate("recall", threshold=0.0), ScalarEstimate)
    assert_type(performance.estimate(FBeta(2.0), threshold=0.0).value, float)
    assert_type(performance.estimate("roc_auc").interval(), tuple[float, float])
    assert_type(performance.curve("roc"), CurveBand)
    assert_type(performance.curve("roc").value, np.ndarray)
    assert_type(performance.threshold_for(precision=0.9), float)
    assert_type(performance.threshold_for((FBeta(2.0), 0.8)), float)
    assert_type(performance.threshold_for(cost=(1.0, 5.0)), float)
    zone = performance.threshold_for(Goal.of(recall=0.9), negative={"recall": 0.9})
    assert_type(zone, DecisionZone)
    assert_type(performance.goal_probability(recall=(0.5, None)), CurveBand)
    assert_type(performance.selection(0.5), np.ndarray)
    assert_type(performance.plan([10, 20]), np.ndarray)
    assert_type(performance.confusion_matrix(threshold=0.0), ConfusionMatrix)


def one_of_several_rankings() -> None:
    systems = {"old": scores, "new": scores}
    performance = PerformanceCurveEstimator().fit(systems, y, category=["a", "b"] * 50)
    ranking = performance.of(system="new", category="a")
    assert_type(ranking, Ranking)
    assert_type(ranking.estimate("average_precision"), ScalarEstimate)
    assert_type(ranking.curve(), CurveBand)
    assert_type(ranking.threshold_for(recall=0.9), float)
    assert_type(ranking.selection(0.0), np.ndarray)
    assert_type(performance.of(system=["old", "new"]), Ranking)
    assert_type(performance.by_category("roc_auc", by="system"), EstimateTable)
    assert_type(performance.difference("roc_auc", "new", "old"), ScalarEstimate)
    assert_type(performance.ranking_proba(), np.ndarray)


def mixture_of_scores() -> None:
    mixture = SemisupervisedScoreMixture(Norm(mean_prior=NormalPrior(0.0, 2.0)), ["norm", "gamma"])
    assert_type(mixture.fit(scores, y), SemisupervisedScoreMixture)
    assert_type(mixture.predict_proba(scores), np.ndarray)
    assert_type(mixture.sample(10, random_state=0), tuple[np.ndarray, np.ndarray])


def classifier_on_top(classifier: object) -> None:
    calibrated = SemisupervisedCalibratedClassifier(classifier).fit(scores[:, np.newaxis], y)
    assert_type(calibrated.predict_proba(scores[:, np.newaxis]), np.ndarray)
    assert_type(calibrated.estimate("roc_auc"), ScalarEstimate)


def mean_of_labels() -> None:
    mean = MeanEstimator(random_state=0).fit(scores, y)
    assert_type(mean, MeanEstimator)
    assert_type(MeanReport.from_estimator(mean).to_html(), str | None)
    assert_type(mean.estimate(), ScalarEstimate)


def labels_to_ask_for() -> None:
    selector = ActiveTestSelector("recall", threshold=0.0, random_state=0).fit(scores)
    assert_type(selector, ActiveTestSelector)
    assert_type(selector.query(5), np.ndarray)
    assert_type(selector.query(5, return_utilities=True), tuple[np.ndarray, np.ndarray])
    assert_type(selector.update([1, 2], [0, None]), ActiveTestSelector)
    assert_type(selector.by_category(), EstimateTable)
    assert_type(ActiveTestSelector(Goal.of(precision=0.9)).fit(scores).selected_, np.ndarray)


def accuracy_with_more_classes() -> None:
    extrapolator = AccuracyExtrapolator().fit(np.eye(3), [0, 1, 2])
    assert_type(extrapolator, AccuracyExtrapolator)
    assert_type(extrapolator.estimate(10), ScalarEstimate)
    assert_type(extrapolator.predict_band([10, 100]), CurveBand)
