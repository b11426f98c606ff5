"""Scores of two normals of which few are labelled, and performances that are quick to fit."""

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.metrics import RankingMetric, ThresholdMetric
from sklearn_spe.metrics._registry import METRICS
from tests.estimators.score_mixture.data import BOTH_KINDS, KINDS, QUICK, Problem

__all__ = [
    "AT_THRESHOLD",
    "BOTH_KINDS",
    "CURVES",
    "KINDS",
    "OF_RANKING",
    "PerformanceProblem",
]

# Those that take any scores.
AT_THRESHOLD = [
    name
    for name, metric in METRICS.items()
    if issubclass(metric, ThresholdMetric) and not metric.takes_threshold
]
OF_RANKING = [name for name, metric in METRICS.items() if issubclass(metric, RankingMetric)]
CURVES = ["precision_recall", "roc", "det"]


class PerformanceProblem(Problem):
    """The same scores and labels, and the performance that they show."""

    def performance(self, mixture=None, experts=QUICK, n_draws=100, **parameters):
        mixture = mixture or self.mixture(experts=experts, n_draws=n_draws)
        parameters = {"n_points": 40, "random_state": self.seed, **parameters}
        return PerformanceCurveEstimator(mixture, **parameters)
