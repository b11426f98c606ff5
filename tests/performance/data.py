"""Scores of two normals of which few are labelled, and performances that are quick to fit."""

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.metrics import METRICS, RankingMetric, ThresholdMetric
from tests.score_mixture.data import BOTH_KINDS, KINDS, QUICK, QUIET, Problem

__all__ = [
    "AT_THRESHOLD",
    "BOTH_KINDS",
    "CURVES",
    "KINDS",
    "LABELS",
    "OF_RANKING",
    "PARTIAL",
    "QUIET",
    "SCORES",
    "TIED",
    "PerformanceProblem",
    "make_mixture",
    "make_performance",
]

AT_THRESHOLD = [name for name, metric in METRICS.items() if issubclass(metric, ThresholdMetric)]
OF_RANKING = [name for name, metric in METRICS.items() if issubclass(metric, RankingMetric)]
CURVES = ["precision_recall", "roc", "det"]


class PerformanceProblem(Problem):
    """The same scores and labels, and the performance that they show."""

    def performance(self, mixture=None, experts=QUICK, n_draws=100, **parameters):
        mixture = mixture or self.mixture(experts=experts, n_draws=n_draws)
        parameters = {"n_points": 40, "random_state": self.seed, **parameters}
        return PerformanceCurveEstimator(mixture, **parameters)


# For tests that have one seed.
ONE = PerformanceProblem.of(0)
SCORES, LABELS, PARTIAL, TIED = ONE.scores, ONE.labels, ONE.partial, ONE.tied
make_performance = ONE.performance


def make_mixture(experts=QUICK, **parameters):
    return ONE.mixture(experts=experts, **parameters)
