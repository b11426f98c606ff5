"""One set of draws answers all questions about a part, by every door."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sklearn_spe import MeanEstimator, PerformanceCurveEstimator
from tests.quick import QUIET

pytestmark = QUIET
PART, THRESHOLD = 1, 0.0
TARGETS = ("sample", "population")


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(7)
    category = rng.integers(2, size=400)
    scores = rng.normal(size=400)
    labels = (rng.random(400) < 1.0 / (1.0 + np.exp(-scores - category))).astype(int)
    return scores, np.where(rng.random(400) < 0.15, labels, -1), category


@pytest.fixture(scope="module")
def fit(problem):
    scores, y, category = problem
    return PerformanceCurveEstimator(random_state=0).fit(scores, y, category=category)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("metric", ["prevalence", "f1", "recall", "average_precision"])
def test_a_table_of_categories_has_the_draws_of_each(metric, target, fit):
    at = {"threshold": THRESHOLD} if metric in ("f1", "recall") else {}
    of_part = fit.of(category=PART).estimate(metric, target=target, **at)
    in_table = fit.by_category(metric, target=target, **at).estimates[PART]
    assert_array_equal(of_part.draws, in_table.draws)


def test_rates_of_a_part_are_of_the_same_labels(problem, fit):
    scores, _, category = problem
    ranking = fit.of(category=PART)
    precision, recall, f1 = (
        ranking.estimate(name, threshold=THRESHOLD).draws for name in ("precision", "recall", "f1")
    )
    assert_allclose(f1, 2.0 * precision * recall / (precision + recall))
    prevalence = ranking.estimate("prevalence").draws
    # Both are the positives at or above the threshold.
    selected = np.sum((scores >= THRESHOLD) & (category == PART))
    n_positive = prevalence * np.sum(category == PART)
    assert_allclose(precision * selected, recall * n_positive)
    assert_allclose(ranking.estimate(lambda labels, scores: labels.mean()).draws, prevalence)


def test_the_mean_of_a_part_is_its_prevalence(problem, fit):
    scores, y, category = problem
    labels = np.where(y < 0, np.nan, y)
    mean = MeanEstimator(random_state=0).fit(scores, labels, category=category)
    expected = fit.of(category=PART).estimate("prevalence")
    assert mean.by_category().estimates[PART].interval() == expected.interval()


@pytest.mark.parametrize("n", [5, 10])
def test_labels_alone_cover_as_the_interval_of_jeffreys(n):
    # All outcomes of n random labels among many items, none found among them.
    counts = np.arange(n + 1)
    unlabeled = np.full(1000, -1)
    intervals = []
    for n_positive in counts:
        y = np.r_[counts[1:] <= n_positive, unlabeled].astype(int)
        performance = PerformanceCurveEstimator(
            classes=[0, 1], confidence_level=0.95, random_state=0
        )
        intervals.append(performance.fit(None, y).estimate("prevalence").interval())
    of_jeffreys = stats.beta.ppf([[0.025], [0.975]], counts + 0.5, n - counts + 0.5)
    of_jeffreys[0, 0], of_jeffreys[1, -1] = 0.0, 1.0

    rates = np.linspace(0.005, 0.995, 67)[:, np.newaxis]
    chance = stats.binom.pmf(counts, n, rates)
    covered, expected = (
        np.einsum("ij,ij->i", chance, (ends[0] <= rates) & (rates <= ends[1]))
        for ends in (np.array(intervals).T, of_jeffreys)
    )
    # Ends are quantiles of a thousand draws, and steps of coverage are where an end is.
    assert covered.min() > expected.min() - 0.03
    # A rate that no label of this many would show is not ruled out.
    assert intervals[0][1] >= of_jeffreys[1, 0] - 0.02
