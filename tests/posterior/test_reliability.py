"""The reliability of predicted probabilities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special
from sklearn.calibration import calibration_curve

from tests.estimators.performance.data import KINDS, PerformanceProblem
from tests.quick import QUIET

pytestmark = QUIET


def too_sure(scores):
    return special.expit(3.0 * (scores - 1.0))


def backwards(scores):
    return special.expit(1.0 - np.abs(scores))


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return PerformanceProblem.of(global_random_seed)


@pytest.fixture(scope="module")
def performance(problem):
    return problem.performance().fit(problem.scores, problem.partial)


@pytest.fixture(scope="module")
def complete(problem):
    return problem.performance(experts=None).fit(problem.scores, problem.labels)


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
@pytest.mark.parametrize("n_bins", [1, 5])
@pytest.mark.parametrize("predicted", [too_sure, backwards])
def test_with_all_labels_it_is_that_of_scikit_learn(problem, complete, predicted, n_bins, strategy):
    # Of 200 items in that many bins quantiles leave no choice.
    band = complete.calibration_curve(predicted, n_bins=n_bins, strategy=strategy)
    true, mean = calibration_curve(
        problem.labels, predicted(problem.scores), n_bins=n_bins, strategy=strategy
    )
    assert_allclose(band.x, mean, rtol=1e-12)
    assert_allclose(band.value, true, rtol=1e-12, atol=1e-15)
    lower, upper = band.interval(0.99)
    assert np.array_equal(lower, upper)


def test_ties_are_in_one_bin(problem):
    performance = problem.performance(experts=None).fit(problem.tied, problem.labels)
    band = performance.calibration_curve(too_sure, n_bins=7, strategy="uniform")
    true, mean = calibration_curve(problem.labels, too_sure(problem.tied), n_bins=7)
    assert_allclose(band.x, mean, rtol=1e-9)
    assert_allclose(band.value, true, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
@pytest.mark.parametrize("predicted", [too_sure, backwards])
def test_its_mean_counts_labels_and_expected_labels(problem, performance, predicted, strategy):
    band = performance.calibration_curve(predicted, n_bins=5, strategy=strategy)
    expected = performance.posterior_.expected_probability(problem.scores)
    labels = np.where(problem.partial < 0, expected, problem.partial)
    p = predicted(problem.scores)
    _, mean = calibration_curve(problem.labels, p, n_bins=5, strategy=strategy)
    assert_allclose(band.x, mean, rtol=1e-12)
    if strategy == "uniform":
        bins = np.searchsorted(np.linspace(0.0, 1.0, 6)[1:-1], p)
    else:
        bins = np.argsort(np.argsort(p)) * 5 // 200
    shares = [labels[bins == b].mean() for b in np.unique(bins)]
    # Labels are drawn once for each draw.
    error = band.distribution.std() * np.sqrt(np.sum(performance.posterior_.weights**2))
    assert (np.abs(band.mean() - shares) <= 5.0 * error + 1e-12).all()
    assert band.distribution.std().max() > 0.0


def test_recalibrated_probabilities_are_the_default(performance):
    def recalibrated(scores):
        return performance.mixture_.predict_proba(scores)[:, 1]

    default, told = performance.calibration_curve(), performance.calibration_curve(recalibrated)
    assert_allclose(default.x, told.x, rtol=1e-12)
    assert_allclose(default.value, told.value, rtol=1e-12)
    assert len(default.x) == 10
    assert (default.x_name, default.y_name) == (
        "mean predicted probability",
        "fraction of positives",
    )
    # They are reliable as far as the posterior goes.
    lower, upper = default.interval(0.999)
    assert ((lower <= default.x) & (default.x <= upper)).mean() > 0.8


@pytest.mark.parametrize("experts", KINDS.values(), ids=KINDS)
def test_scores_of_the_other_sign_have_the_same_reliability(problem, experts):
    increasing = problem.performance(experts=experts).fit(problem.scores, problem.partial)
    decreasing = problem.performance(problem.mixture(experts=experts, greater_is_positive=False))
    decreasing.fit(-problem.scores, problem.partial)
    for one, other in (
        (increasing.calibration_curve(), decreasing.calibration_curve()),
        (
            increasing.calibration_curve(too_sure),
            decreasing.calibration_curve(lambda scores: too_sure(-scores)),
        ),
    ):
        assert np.array_equal(one.x, other.x)
        assert np.array_equal(one.draws, other.draws)


def test_weights_count_items(problem):
    weights = np.random.default_rng(problem.seed).integers(0, 4, 200)
    weighted = problem.performance(experts=None).fit(
        problem.scores, problem.labels, sample_weight=weights
    )
    band = weighted.calibration_curve(too_sure, n_bins=6, strategy="uniform")
    labels, p = np.repeat(problem.labels, weights), np.repeat(too_sure(problem.scores), weights)
    true, mean = calibration_curve(labels, p, n_bins=6)
    assert_allclose(band.x, mean, rtol=1e-12)
    assert_allclose(band.value, true, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"predicted": lambda s: s}, ValueError, r"must lie in \[0, 1\].*needs probabilities"),
        ({"predicted": lambda s: np.full_like(s, np.nan)}, ValueError, r"must lie in \[0, 1\]"),
        ({"strategy": "even"}, ValueError, "strategy must be one of quantile, uniform"),
        ({"n_bins": 0}, ValueError, "n_bins must be at least 1, got 0"),
        ({"n_bins": 2.5}, TypeError, "n_bins must be a whole number"),
    ],
    ids=["scores", "nan", "strategy", "no bins", "broken bins"],
)
def test_what_is_no_reliability_is_an_error(performance, parameters, error, message):
    with pytest.raises(error, match=message):
        performance.calibration_curve(**parameters)
