"""Scores of two normals of which few are labelled, and estimators that are quick to fit to them."""

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from sklearn_spe.metrics import METRICS, RankingMetric, ThresholdMetric

SCORES, LABELS = make_scores(200, random_state=0)
PARTIAL = np.where(np.arange(200) < 30, LABELS, -1)
TIED = np.round(SCORES, 1)
AT_THRESHOLD = [name for name, metric in METRICS.items() if issubclass(metric, ThresholdMetric)]
OF_RANKING = [name for name, metric in METRICS.items() if issubclass(metric, RankingMetric)]
CURVES = ["precision_recall", "roc", "det"]
# The experts, and the mixture of the papers without them.
KINDS = {"experts": "auto", "bare": None}
BOTH_KINDS = pytest.mark.parametrize("experts", KINDS.values(), ids=KINDS)


def make_mixture(experts="auto", **parameters):
    parameters = {"n_draws": 100, "random_state": 0, **parameters}
    return SemisupervisedScoreMixture("norm", "norm", experts=experts, **parameters)


def make_performance(mixture=None, experts="auto", n_draws=100, **parameters):
    mixture = mixture or make_mixture(experts, n_draws=n_draws)
    return PerformanceCurveEstimator(mixture, **{"n_points": 40, "random_state": 0, **parameters})
