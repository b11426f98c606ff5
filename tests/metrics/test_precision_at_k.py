"""Precision among the highest scores."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import precision_score

from sklearn_spe import PerformanceCurveEstimator, ScoreHistogram, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from sklearn_spe.metrics import PrecisionAtK
from sklearn_spe.metrics._expectation import LabelDistribution
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET


def cumulative(labels, scores):
    above = scores >= np.unique(scores)[::-1, np.newaxis]
    return tuple(np.sum(above & (labels == c), axis=1)[np.newaxis].astype(float) for c in (1, 0))


@pytest.mark.parametrize("k", [1, 7, 40])
def test_without_ties_it_is_the_precision_of_calling_the_first_k(k):
    rng = np.random.default_rng(k)
    labels, scores = rng.integers(0, 2, 40), rng.normal(size=40)
    first = np.argsort(np.argsort(-scores)) < k
    value = PrecisionAtK(k).value(*cumulative(labels, scores))
    assert_allclose(value, [precision_score(labels, first)], rtol=1e-14)


@pytest.mark.parametrize("k", range(1, 7))
def test_ties_are_broken_at_random(k):
    labels, scores = np.array([1, 0, 0, 1, 1, 0]), np.array([3, 2, 2, 2, 1, 1])
    order = np.argsort(-scores, kind="stable")
    # Every order of the items that sorts the scores.
    orders = [p for p in permutations(order) if np.all(np.diff(scores[list(p)]) <= 0)]
    expected = np.mean([labels[list(p)][:k].mean() for p in orders])
    assert_allclose(PrecisionAtK(k).value(*cumulative(labels, scores)), [expected], rtol=1e-14)


def test_of_as_many_as_there_are_it_is_the_prevalence_whatever_the_rounding():
    # Ten weights of 0.1 add up to a little less than one.
    tp, fp = np.cumsum(np.full((1, 10), 0.1), axis=1), np.zeros((1, 10))
    assert tp[0, -1] < 1.0
    assert_allclose(PrecisionAtK(1).value(tp, fp), [1.0], rtol=1e-14)


def test_more_than_there_are_is_an_error():
    counts = np.array([[1.0, 2.0]]), np.array([[0.0, 3.0]])
    with pytest.raises(ValueError, match=r"k=6 items, but there are 5; pass PrecisionAtK\(k\)"):
        PrecisionAtK(6).value(*counts)
    assert_allclose(PrecisionAtK(5).value(*counts), [0.4])
    distribution = LabelDistribution([2, 3], [0.5, 0.1])
    with pytest.raises(ValueError, match="k=6 items, but there are 5"):
        PrecisionAtK(6).expectation(distribution)
    assert_allclose(PrecisionAtK(5).expectation(distribution), [0.26])


@pytest.mark.parametrize(("k", "error"), [(0, ValueError), (2.0, TypeError), ("3", TypeError)])
def test_k_is_a_number_of_items(k, error):
    with pytest.raises(error, match="k must be"):
        PrecisionAtK(k)


def test_it_is_a_question_about_a_sample_and_none_about_a_population(global_random_seed):
    scores, labels = make_scores(200, random_state=global_random_seed)
    y = np.where(np.arange(200) < 30, labels, -1)
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts="rank_binormal", n_draws=50, random_state=global_random_seed
    )
    performance = PerformanceCurveEstimator(mixture, random_state=global_random_seed).fit(scores, y)
    draws = 20 * performance.estimate(PrecisionAtK(20)).draws
    # Of the 20 highest scores of this sample some labels are known, and the others are drawn.
    highest = y[np.argsort(-scores)[:20]]
    assert_allclose(draws, np.round(draws), atol=1e-9)
    assert np.sum(highest == 1) - 1e-9 <= draws.min()
    assert draws.max() <= np.sum(highest != 0) + 1e-9
    with pytest.raises(ValueError, match="use target='sample'"):
        performance.estimate(PrecisionAtK(1), target="population")


def test_all_labeled_sample_gives_the_number_itself(global_random_seed):
    scores, labels = make_scores(200, random_state=global_random_seed)
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts="rank_binormal", n_draws=50, random_state=global_random_seed
    )
    performance = PerformanceCurveEstimator(mixture, random_state=global_random_seed)
    performance.fit(scores, labels)
    truth = labels[np.argsort(-scores)[:10]].mean()
    assert_allclose(performance.estimate("precision_at_k").draws, truth)


# Above 4,096 scores labels are drawn in cells of neighbors.
N_MANY = 5000


def fit_scores(performance, scores, y):
    return performance.fit(scores, y)


def fit_counts(performance, scores, y):
    known = y >= 0
    histogram = ScoreHistogram(scale="identity").update(scores)
    return performance.fit(histogram.with_labels(scores[known], y[known]))


def fit_systems(performance, scores, y):
    return performance.fit({"one": scores, "other": -scores}, y).of(system="one")


def fit_categories(performance, scores, y):
    return performance.fit(scores, y, category=np.arange(len(y)) % 2)


@pytest.mark.parametrize("decimals", [12, 2], ids=["distinct", "tied"])
@pytest.mark.parametrize("experts", [EXPERTS, None], ids=["experts", "mixture"])
@pytest.mark.parametrize("fit", [fit_scores, fit_counts, fit_systems, fit_categories])
def test_with_the_k_highest_of_many_labeled_it_is_exact(fit, experts, decimals, global_random_seed):
    if experts is None and fit in (fit_systems, fit_categories):
        pytest.skip("The bare mixture is of one column of scores.")
    if fit is fit_counts and decimals > 2:
        pytest.skip("Scores of one bin of a histogram have no order.")
    scores, labels = make_scores(N_MANY, random_state=global_random_seed)
    scores = np.round(scores, decimals)
    # Of a tie at the end all are labeled.
    last = np.sort(scores)[-150]
    y = np.where(scores >= last, labels, -1)
    y[: N_MANY // 100] = labels[: N_MANY // 100]
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=experts, n_draws=64, random_state=global_random_seed
    )
    performance = fit(PerformanceCurveEstimator(mixture, random_state=0), scores, y)
    for k in (150, 149, 120):
        higher, tied = scores > np.sort(scores)[-k], scores == np.sort(scores)[-k]
        truth = (labels[higher].sum() + (k - higher.sum()) * labels[tied].mean()) / k
        assert_allclose(performance.estimate(PrecisionAtK(k)).draws, truth, rtol=1e-9)
