"""An example of every parameter that needs one, by its name, and of what calls are made on."""

import tempfile
from functools import cache
from pathlib import Path

import dask.array as dask_array
import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score

from sklearn_spe import (
    AccuracyExtrapolator,
    ActiveTestSelector,
    Goal,
    MeanEstimator,
    NightlyGate,
    PerformanceCurveEstimator,
    PerformanceReport,
    ScoreHistogram,
    SemisupervisedScoreMixture,
    display,
    extrapolation,
)
from sklearn_spe.active import GoalPlan, MaxLabels
from sklearn_spe.application import main_estimates
from sklearn_spe.families import NormalPrior
from sklearn_spe.results import Reason
from tests.quick import EXPERTS

N = 40
_rng = np.random.default_rng(7)
SCORES = np.round(_rng.normal(size=N), 3)
TRUTH = (SCORES + _rng.normal(size=N) > 0.3).astype(int)
PARTLY = np.where(np.arange(N) % 3 == 0, TRUTH, -1)
FEATURES = np.column_stack([SCORES, _rng.normal(size=N)])
# Two columns without names may be the logits of one classifier.
SYSTEMS = np.column_stack([FEATURES, FEATURES.sum(axis=1)])
# Of seven classes: (n_test, n_classes), and features of which they can be told.
OF_CLASSES = np.repeat(np.arange(7), 6)
TABLE = _rng.normal(size=(42, 7)) + 1.5 * np.eye(7)[OF_CLASSES]
CLASSES_PARTLY = np.where(np.arange(42) % 2, OF_CLASSES, -1)
SCORE_FOLDER = tempfile.TemporaryDirectory()
QUICK = {"experts": EXPERTS, "n_draws": 50, "random_state": 0}


def mixture():
    """Return a mixture that is quick to fit."""
    return SemisupervisedScoreMixture("norm", "norm", **QUICK)


def classifier():
    """Return a classifier that is fitted, and is not fitted again."""
    return FrozenEstimator(LogisticRegression().fit(FEATURES, TRUTH))


def extrapolator():
    """Return an extrapolator that is quick to fit."""
    return AccuracyExtrapolator("probit", n_bootstrap=5, random_state=0)


def performance():
    """Return a fitted estimator of performance."""
    return PerformanceCurveEstimator(mixture(), n_points=10, random_state=0).fit(SCORES, PARTLY)


# One image of one category: two objects, and detections of both.
COCO_ANNOTATIONS = {
    "images": [{"id": 1, "width": 40, "height": 40}],
    "categories": [{"id": 1, "name": "dog"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10], "iscrowd": 0},
        {"id": 2, "image_id": 1, "category_id": 1, "bbox": [20, 20, 10, 10], "iscrowd": 0},
    ],
}
COCO_RESULTS = [
    {"image_id": 1, "category_id": 1, "bbox": [0, 1, 10, 10], "score": 0.9},
    {"image_id": 1, "category_id": 1, "bbox": [21, 20, 10, 10], "score": 0.6},
]


def systems(**given):
    """Return an estimator of the performance of several systems, or in categories."""
    X = SCORES if given else SYSTEMS
    return PerformanceCurveEstimator(mixture(), n_points=10, random_state=0).fit(X, PARTLY, **given)


@cache
def score_file():
    """Return the path of a Parquet file of scores, which is there as long as this process is."""
    path = Path(SCORE_FOLDER.name) / "scores.parquet"
    pd.DataFrame({"score": SCORES}).to_parquet(path)
    return str(path)


@cache
def memory_file():
    """Return the path of the memory of a gate, which is there as long as this process is."""
    path = Path(SCORE_FOLDER.name) / "night.json"
    gate = NightlyGate(random_state=0)
    gate.update(TRUTH)
    gate.save(path)
    return str(path)


def gate():
    """Return a gate that has seen one night."""
    night_gate = NightlyGate(random_state=0)
    night_gate.update(TRUTH)
    return night_gate


def score_partitions():
    """Return a collection of dask."""
    return dask_array.from_array(SCORES, chunks=15)


def several_classes():
    """Return an estimator of the performance of a classifier of several classes."""
    chosen = PerformanceCurveEstimator(mixture(), n_points=10, random_state=0)
    return chosen.fit(TABLE, CLASSES_PARTLY)


def classifiers():
    """Return an estimator of the performance of two classifiers of several classes."""
    chosen = PerformanceCurveEstimator(mixture(), n_points=10, random_state=0)
    return chosen.fit({"one": TABLE, "other": TABLE[:, ::-1]}, CLASSES_PARTLY)


def selector():
    """Return a selector that has asked for some labels."""
    found = ActiveTestSelector(label_model=mixture(), random_state=0).fit(SCORES, PARTLY)
    found.query(3)
    return found


def ranked_lists(**given):
    """Return a selector that is fitted to several systems, or to categories."""
    chosen = ActiveTestSelector(label_model="naive", n_draws=50, random_state=0)
    X = SCORES if given else SYSTEMS
    return chosen.fit(X, PARTLY, noisy_labels=TRUTH[::-1], **given)


def means(**given):
    """Return a fitted estimator of a mean."""
    return MeanEstimator(n_draws=50, random_state=0).fit(SCORES, GRADES, **given)


def band():
    """Return a band of a precision-recall curve."""
    return performance().curve()


PARTS = np.arange(N) % 2
GRADES = np.where(np.arange(N) % 3 == 0, SCORES + 0.1 * np.arange(N), np.nan)
JUDGES = np.column_stack([TRUTH[::-1], SCORES])
# By "kind.method.parameter", "kind.parameter", "Owner.method.parameter", "Owner.parameter" or
# "parameter", the first that there is; what is no example here takes its default. Functions are
# called. `OTHERS` says what a kind is.
EXAMPLES = {
    "X": SCORES,
    "y": PARTLY,
    "y_true": PARTLY,
    "y_score": SCORES,
    "mixture": mixture,
    "experts": ["rank_binormal", "score_log_odds"],
    "label_model": mixture,
    "extrapolator": extrapolator,
    "estimator": performance,
    "n_draws": 50,
    "n_points": 10,
    "n_bootstrap": 5,
    "random_state": 0,
    "confidence_level": 0.8,
    "n_classes": 20,
    "n_labels": 10,
    "n_samples": 30,
    "name": "roc",
    "History.column.name": "n_labels",
    "draws": SCORES,
    "weights": np.ones(N),
    "x": np.linspace(0.0, 1.0, 5),
    "CurveBand.draws": np.sort(_rng.random((N, 5)), axis=1),
    "CurveBand.at.x": 0.5,
    "metric": "roc_auc",
    "negative": "norm",
    "positive": "norm",
    "**goal": {"precision": 0.3},
    "**where": {"threshold": 0.2},
    "PerformanceCurveEstimator.plan.metric": "precision",
    "PerformanceCurveEstimator.score.y": TRUTH,
    "arrange_readings.y": TRUTH[np.arange(N) // 2],
    "arrange_readings.case": np.arange(N) // 2,
    "arrange_readings.reader": PARTS,
    "prefer": None,
    "rule": None,
    "**wanted": {"precision": (0.3, 0.9), "recall": 0.2},
    "PerformanceCurveEstimator.threshold_for.confidence_level": 0.1,
    "PerformanceCurveEstimator.threshold_for.negative": None,
    "PerformanceCurveEstimator.selection.threshold": 0.5,
    "SemisupervisedThresholdClassifier.precision": 0.3,
    "SemisupervisedThresholdClassifier.confidence_level": 0.1,
    "indices": lambda: np.array([1, 2, 4]),
    "labels": lambda: TRUTH[[1, 2, 4]],
    "AccuracyExtrapolator.classes": None,
    "frame": lambda: selector().to_frame(),
    "ActiveTestSelector.difference.a": 0,
    "ActiveTestSelector.difference.b": 1,
    "ConfusionShare.true": 1,
    "ConfusionShare.predicted": 2,
    "ScoreShape.kind": "heaps",
    "ScoreShape.scores": lambda: np.linspace(-5.5, 5.5, 4401),
    "ScoreShape.probabilities": lambda: np.linspace(0.0, 1.0, 4401),
    "ScoreShape.random.kind": "heaps",
    "half_width": 0.1,
    "GoalReached.least": 0.5,
    "RecallReached.recall": 0.7,
    "RecallReached.n_unscored": 2,
    "Reading.aim": 0.8,
    "Goal.bounds": lambda: Goal.of(precision=0.3).bounds,
    "width": 0.2,
    "reasons": lambda: [Reason("few_draws", "unreliable", "It failed.", 9.0, 100.0)],
    "words": lambda: {"score_kind": "state it"},
    "results": lambda: [performance().estimate("roc_auc")],
    "rules": lambda: (MaxLabels(5), MaxLabels(10)),
    "*rules": lambda: (MaxLabels(20),),
    "tasks": lambda: [
        {"id": 3, "data": {"item": 4}, "annotations": [{"result": [{"value": {"choices": ["1"]}}]}]}
    ],
    "ActiveTestSelector.find.budget": 3,
    "ActiveTestSelector.find.oracle": lambda: lambda items: TRUTH[items],
    "ActiveTestSelector.from_frame.**parameters": lambda: {"label_model": mixture()},
    "Strategy.probability": lambda: np.linspace(0.1, 0.9, N),
    "history": lambda: selector().history_,
    "iterable": lambda: selector().history_,
    "scores": SCORES,
    "SourceScores.labels": TRUTH,
    "families": "auto",
    "family": "norm",
    "prevalence": 0.3,
    "negative_values": (0.0, 1.0),
    "positive_values": (2.0, 1.0),
    "n_items": 200,
    "n_unlabeled": 100,
    "n_images": 20,
    "n_tags": 4,
    "n_categories": 2,
    "n_systems": 2,
    "n_test": 2,
    "make_recognition_scores.n_classes": 8,
    "low": 0.05,
    "high": 0.4,
    "band": band,
    "bands": lambda: [band()],
    "AccuracyExtrapolationDisplay.n_classes": lambda: np.array([10, 20]),
    "accuracy": 0.8,
    "accuracies": lambda: [np.array([0.9, 0.8])],
    "n_tried": 5,
    "classifier": LogisticRegression,
    "function": lambda: accuracy_score,
    "mean_prior": NormalPrior(0.0, 3.0),
    "performance": performance,
    "PerformanceReport.from_estimator.items": [f"item {k}" for k in range(N)],
    "PerformanceReport.from_estimator.threshold": 0.5,
    "PerformanceReport.from_estimator.title": "May",
    "PerformanceReport.from_estimator.metric": "recall",
    "PerformanceReport.from_estimator.compared_with": lambda: main_estimates(
        performance()
    ).to_dict(),
    "EstimateDisplay.estimates": lambda: {"a": performance().estimate("roc_auc")},
    "EstimateDisplay.estimator": systems,
    "EstimateDisplay.from_confusion_matrix.matrix": lambda: several_classes().confusion_matrix(),
    "DifferenceDisplay.differences": lambda: {"b": systems().difference("roc_auc", 1, 0)},
    "DifferenceDisplay.probabilities": [0.9],
    "DifferenceDisplay.what": "area",
    "DifferenceDisplay.estimator": systems,
    "GoalProbabilityDisplay.bands": lambda: [performance().goal_probability(precision=0.3)],
    "GoalProbabilityDisplay.goals": {"precision": 0.3, "recall": 0.2},
    "CalibrationBandDisplay.bands": lambda: {"a": performance().calibration_curve()},
    "TopKAccuracy.k": 2,
    **dict.fromkeys(
        [
            f"PerformanceCurveEstimator.{method}.metric"
            for method in ("by_category", "difference", "order_proba", "ranking_proba")
        ],
        "precision",
    ),
    **dict.fromkeys(["of systems.noisy_labels", "in categories.noisy_labels"], TRUTH[::-1]),
    "of systems.X": SYSTEMS,
    "of systems.system": 1,
    "of systems.by_category.system": 0,
    "in categories.category": 1,
    **{f"in categories.{method}.category": PARTS for method in ("fit", "update")},
    **{f"with judges.{method}.judges": JUDGES for method in ("fit", "update")},
    "with judges.judge": 0,
    "of classes.X": TABLE,
    "of classes.y": CLASSES_PARTLY,
    "of classes.metric": "accuracy",
    "of classes.name": "accuracy_coverage",
    "of classes.estimate.threshold": None,
    # Detections of two systems and what they claim.
    "score": np.array([0.9, 0.8, 0.7, 0.6]),
    "category": None,
    "groups": None,
    "judges": None,
    "judge": None,
    "system": None,
    "PerformanceCurveEstimator.confusion_matrix.system": "one",
    "PerformanceCurveEstimator.confusion_matrix.threshold": None,
    "PerformanceCurveEstimator.ranking_proba.greater_is_better": False,
    "PerformanceCurveEstimator.order_proba.greater_is_better": True,
    "PerformanceCurveEstimator.difference.a": 0,
    "PerformanceCurveEstimator.difference.b": 1,
    "EstimateTable.a": 0,
    "EstimateTable.b": 1,
    "EstimateTable.reference": 0,
    "SegmentationMatches.category": np.array([0, 0, 0, 1]),
    "object": np.array([0, 1, -1, 2]),
    "coarse_overlap": np.array([0.8, 0.7, 0.0, 0.9]),
    "object_category": np.array([0, 0, 1]),
    "overlap": np.array([0.7, 0.6, 0.0, 0.9]),
    "objects": np.array([0, 1]),
    "SegmentationMatches.annotations": COCO_ANNOTATIONS,
    "SegmentationMatches.results": COCO_RESULTS,
    "MeanEstimator.y": GRADES,
    "MeanEstimator.difference.a": 0,
    "MeanEstimator.difference.b": 1,
    "SemisupervisedCalibratedClassifier.X": FEATURES,
    "SemisupervisedThresholdClassifier.X": FEATURES,
    "SemisupervisedCalibratedClassifier.estimator": classifier,
    "SemisupervisedThresholdClassifier.estimator": classifier,
    "AccuracyExtrapolator.X": TABLE,
    "AccuracyExtrapolator.y": OF_CLASSES,
    "AccuracyExtrapolator.method": "probit",
    "AccuracyComparison.X": lambda: [TABLE, TABLE[:, ::-1]],
    "AccuracyComparison.y": OF_CLASSES,
    "ClassifierAccuracyExtrapolator.X": TABLE,
    "ClassifierAccuracyExtrapolator.y": OF_CLASSES,
    "ClassifierAccuracyExtrapolator.estimator": LogisticRegression,
    "ClassifierAccuracyExtrapolator.retrain": False,
    "ClassifierAccuracyExtrapolator.cv": 3,
    "average_accuracy_curve.y_true": OF_CLASSES,
    "average_accuracy_curve.y_score": TABLE,
    "average_accuracy_curve.labels": None,
    "average_accuracy_curve.n_classes": None,
    "ScoreHistogram.scale": "identity",
    "ScoreHistogram.resolution": 64,
    "ScoreHistogram.chunks": lambda: [SCORES, SCORES],
    "ScoreHistogram.scores": SCORES,
    "ScoreHistogram.counts": np.ones(N, dtype=int),
    "ScoreHistogram.keys": np.arange(N),
    "ScoreHistogram.y": TRUTH,
    "ScoreHistogram.column": "score",
    "ScoreHistogram.path": score_file,
    "ScoreHistogram.from_dask.scores": score_partitions,
    "ScoreHistogram.find.chunks": lambda: [SCORES[:9], SCORES[9:]],
    "ScoreHistogram.items": lambda: np.array([0, 5, N - 1]),
    "ScoreHistogram.threshold": 0.25,
    "ScoreHistogram.n_above": int((SCORES >= 0.25).sum()),
    "NightlyGate.path": memory_file,
    "NightlyGate.verdicts": TRUTH,
    "compare_versions.old": TRUTH,
    "compare_versions.new": TRUTH[::-1],
    "compare_versions.groups": None,
    "compare_versions.margin": 0.1,
    "estimate_each.parts": lambda: {"one": (SCORES, PARTLY)},
    "estimate_each.metrics": ["roc_auc"],
    "label_log_likelihood.estimator": lambda: mixture().fit(SCORES, PARTLY),
    "make_semisupervised_scorer.metric": "accuracy",
    "ActiveTestDisplay.estimator": selector,
    "ScoreMixtureDisplay.negative": band,
    "ScoreMixtureDisplay.positive": band,
    "ScoreMixtureDisplay.total": band,
    "ScoreMixtureDisplay.cells": lambda: performance().posterior_.sample,
    "ScoreMixtureDisplay.estimator": lambda: mixture().fit(SCORES, PARTLY),
    "AccuracyExtrapolationDisplay.estimator": lambda: extrapolator().fit(TABLE, OF_CLASSES),
}
# What methods are called on, by "Owner.method" or "Owner", where parameters do not make it.
MADE = {
    "ScalarEstimate": lambda: performance().estimate("roc_auc"),
    "CurveBand": band,
    "History": lambda: selector().history_,
    "LabelPlan": lambda: selector().plan([20], n_simulations=1),
    "GoalPlan": lambda: GoalPlan(np.array([9]), SCORES[:1, None] ** 2, SCORES[1:2, None] ** 2, 0.5),
    "Goal": lambda: Goal.of(precision=0.3),
    "PerformanceReport": lambda: PerformanceReport.from_estimator(performance()),
    "ScoreHistogram": lambda: ScoreHistogram("identity").update(SCORES),
    "Verdict": lambda: performance().verdict_,
    "Reason": lambda: Reason("few_draws", "unreliable", "The computation failed.", 9.0, 100.0),
    "EstimateTable": lambda: main_estimates(performance()),
    **dict.fromkeys(
        [f"EstimateTable.{name}" for name in ("difference", "differences", "proba_ahead_of")],
        lambda: systems(category=PARTS).by_category("roc_auc"),
    ),
    "ConfusionMatrix": lambda: several_classes().confusion_matrix(),
    "PerformanceCurveEstimator.difference": systems,
    "PerformanceCurveEstimator.ranking_proba": systems,
    "PerformanceCurveEstimator.order_proba": systems,
    "PerformanceCurveEstimator.by_class": several_classes,
    "PerformanceCurveEstimator.confusion_matrix": classifiers,
    "PerformanceCurveEstimator.by_category": lambda: systems(category=PARTS),
    "MeanEstimator": means,
    "NightlyGate": gate,
    "MeanEstimator.by_category": lambda: means(category=PARTS),
    "MeanEstimator.difference": lambda: means(category=PARTS),
    "ActiveTestSelector": selector,
    "ActiveTestSelector.by_category": lambda: ranked_lists(category=PARTS),
    "ActiveTestSelector.difference": lambda: ranked_lists(),
    "AccuracyExtrapolationDisplay.plot": lambda: (
        extrapolation.AccuracyExtrapolationDisplay.from_estimator(
            extrapolator().fit(TABLE, OF_CLASSES), [10, 20]
        )
    ),
    "CalibrationBandDisplay.plot": lambda: display.CalibrationBandDisplay.from_estimator(
        performance()
    ),
    "GoalProbabilityDisplay.plot_boxes": lambda: display.GoalProbabilityDisplay.from_estimator(
        performance(), {"precision": 0.3, "recall": 0.2}
    ),
    "ScoreMixtureDisplay.plot": lambda: display.ScoreMixtureDisplay.from_estimator(
        mixture().fit(SCORES, PARTLY)
    ),
}
# What else methods of a class are called on: by the class and a kind, whose examples come first.
OTHERS = {
    "PerformanceCurveEstimator of systems": systems,
    "PerformanceCurveEstimator in categories": lambda: systems(category=PARTS),
    "PerformanceCurveEstimator with judges": lambda: systems(judges=JUDGES),
    "PerformanceCurveEstimator of classes": several_classes,
    "MeanEstimator in categories": lambda: means(category=PARTS),
    "ActiveTestSelector of systems": ranked_lists,
    "ActiveTestSelector in categories": lambda: ranked_lists(category=PARTS),
}
