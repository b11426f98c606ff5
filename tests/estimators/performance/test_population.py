"""The population of two normals, of which the truth is known."""

import numpy as np
import pytest
from scipy import integrate, stats

from sklearn_spe.datasets import make_scores
from tests.estimators.performance.data import KINDS
from tests.quick import QUIET

pytestmark = QUIET


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS)
def population(problem, request):
    scores, labels = make_scores(8000, random_state=problem.seed)
    return problem.performance(experts=request.param, n_draws=400, target="population").fit(
        scores, labels
    )


def assert_covers(estimate, truth):
    # The posterior sd is the sampling error too; the second term is for grids of thresholds.
    assert abs(estimate.value - truth) < 5.0 * estimate.standard_error + 1e-3
    assert 0.0 < estimate.standard_error < 0.02


@pytest.mark.filterwarnings("error::sklearn_spe.exceptions.SamplingWarning")
def test_population_rates_at_a_threshold_are_those_of_two_normals(population):
    tpr, fpr = stats.norm.sf(1.0, 2.0, 1.0), stats.norm.sf(1.0)
    precision = 0.3 * tpr / (0.3 * tpr + 0.7 * fpr)
    for name, truth in {
        "recall": tpr,
        "false_positive_rate": fpr,
        "specificity": 1.0 - fpr,
        "precision": precision,
        "f1": 2.0 * precision * tpr / (precision + tpr),
        "accuracy": 0.3 * tpr + 0.7 * (1.0 - fpr),
    }.items():
        assert_covers(population.estimate(name, threshold=1.0), truth)


def test_population_numbers_of_the_ranking_are_those_of_two_normals(population):
    assert_covers(population.estimate("prevalence"), 0.3)
    assert_covers(population.estimate("roc_auc"), stats.norm.cdf(2.0 / np.sqrt(2.0)))
    assert_covers(population.estimate("equal_error_rate"), stats.norm.sf(1.0))
    grid = np.linspace(-8.0, 12.0, 40_001)
    tpr, fpr = stats.norm.sf(grid, 2.0), stats.norm.sf(grid)
    area = integrate.trapezoid((0.3 * tpr / (0.3 * tpr + 0.7 * fpr))[::-1], tpr[::-1])
    assert_covers(population.estimate("average_precision"), area)


def test_population_curves_are_those_of_two_normals(population):
    for recall in (0.1, 0.5, 0.9):
        fpr = stats.norm.sf(stats.norm.isf(recall, 2.0))
        truth = 0.3 * recall / (0.3 * recall + 0.7 * fpr)
        assert_covers(population.estimate("precision", recall=recall), truth)
        assert_covers(population.curve("precision_recall").at(recall), truth)
    for fpr in (2 / 39, 10 / 39):
        truth = stats.norm.sf(stats.norm.isf(fpr), 2.0)
        assert_covers(population.curve("roc").at(fpr), truth)
        assert_covers(population.curve("det").at(fpr), 1.0 - truth)
