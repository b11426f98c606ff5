"""Two classifiers side by side: who leads, by how much, and whether it stays so."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe import AccuracyComparison, AccuracyExtrapolator, CurveBand
from sklearn_spe.extrapolation import GaussianClasses
from tests.extrapolation.pilots import drawn

# A small pilot may have few errors, or errors of few classes: so says its verdict.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
Y = np.repeat(np.arange(15), 4)
COUNTS = np.array([1, 2, 15, 30, 150])


@pytest.fixture(scope="module")
def first(global_random_seed):
    """Return the scores of one classifier."""
    return drawn(15, 4, seed=global_random_seed)[0]


@pytest.fixture(scope="module")
def second(global_random_seed):
    """Return those of another, on items of its own."""
    return drawn(15, 4, seed=global_random_seed + 100)[0]


@pytest.fixture(scope="module")
def fitted(first, second, global_random_seed):
    """Return a function that compares, by default the two."""

    def fit(tables=(first, second), y=Y, sample_weight=None, **options):
        options = {
            "method": "moment",
            "n_bootstrap": 6,
            "random_state": global_random_seed,
            **options,
        }
        return AccuracyComparison(AccuracyExtrapolator(**options)).fit(tables, y, sample_weight)

    return fit


def pilots(first, second, seed, n_classes=60, n_test=4):
    """Draw a pilot of each of two tasks."""
    rng = np.random.default_rng(seed)
    (one, y), (other, _) = (task.draw(n_classes, n_test, rng) for task in (first, second))
    return (one, other), y


# --- the difference -------------------------------------------------------------------------------


def test_the_difference_is_that_of_the_predictions(fitted):
    comparison = fitted()
    band = comparison.difference_band([150, 2, 15, 30, 1, 2])
    assert isinstance(band, CurveBand)
    assert_array_equal(band.x, COUNTS)
    first, second = (e.predict(COUNTS) for e in comparison.extrapolators_)
    assert_allclose(band.value, first - second, rtol=0.0, atol=1e-14)
    assert (band.name, band.kind, band.confidence_level) == (
        "accuracy difference",
        "bootstrap",
        0.9,
    )
    low, high = band.interval()
    assert low[0] == high[0] == band.value[0] == 0.0
    assert (low[1:] < high[1:]).all()
    assert (low >= -1.0).all()
    assert (high <= 1.0).all()


def test_the_other_way_round_the_difference_and_the_leader_change_signs(fitted, first, second):
    one, other = fitted(), fitted((second, first))
    # None of two that are right alike.
    assert {one.leader_, other.leader_} in ({0, 1}, {None})
    assert_allclose(
        one.difference_band(COUNTS).value, -other.difference_band(COUNTS).value, atol=1e-14
    )
    if one.leader_ is not None:
        best = max(one.extrapolators_, key=lambda e: e.accuracy_curve_[-1])
        assert one.extrapolators_[one.leader_] is best


@pytest.mark.parametrize("method", ["moment", "blend"])
def test_the_same_scores_twice_lead_nowhere(method, fitted, first):
    comparison = fitted((first, first), method=method, n_bootstrap=2)
    assert comparison.leader_ is None
    assert_array_equal(comparison.difference_band(COUNTS).value, 0.0)
    assert np.isnan(comparison.switch_probability(30))
    assert_array_equal(comparison.switch_probability([15, 30]), [np.nan, np.nan])


def test_resampled_together_two_that_find_the_same_classes_hard_differ_less(
    fitted, global_random_seed
):
    scores, y = drawn(40, 4, seed=global_random_seed, noise=0.9)
    rng = np.random.default_rng(global_random_seed)
    alike = scores + 0.3 * rng.standard_normal(scores.shape)
    apart = drawn(40, 4, seed=global_random_seed + 100, noise=0.9)[0]
    near, far = (
        np.subtract(*fitted((scores, other), y).difference_band(40).interval()[::-1])
        for other in (alike, apart)
    )
    assert near < far


# --- the ranking ----------------------------------------------------------------------------------


def test_a_lead_that_grows_with_the_classes_stays(fitted, global_random_seed):
    many, few = GaussianClasses(30, noise=0.7), GaussianClasses(3, noise=0.2)
    lead = many.accuracy([60, 1500]) - few.accuracy([60, 1500])
    assert (lead > 0.2).all()
    tables, y = pilots(few, many, global_random_seed)
    comparison = fitted(tables, y, method="scores")
    assert comparison.leader_ == 1
    assert (comparison.switch_probability([60, 300, 1500]) < 0.3).all()


@pytest.mark.slow
def test_a_lead_of_few_features_is_lost_among_many_classes(fitted, global_random_seed):
    few, many = GaussianClasses(1, noise=0.002), GaussianClasses(50, noise=1.05)
    truth = few.accuracy([150, 3000]) - many.accuracy([150, 3000])
    assert truth[0] > 0.1
    assert truth[1] < -0.15
    tables, y = pilots(few, many, global_random_seed, 150, 6)
    comparison = fitted(tables, y, method="scores")
    assert comparison.leader_ == 0
    probabilities = comparison.switch_probability([150, 600, 3000])
    assert probabilities[0] < 0.5 < probabilities[2]
    assert (np.diff(probabilities) > 0.0).all()
    assert comparison.difference_band(3000).value[0] < 0.0


def test_probabilities_are_shares_of_the_draws(fitted):
    comparison = fitted()
    counts = [150, 2, 15, 15]
    probabilities = comparison.switch_probability(counts)
    if comparison.leader_ is None:
        # Of two that are right alike none can be overtaken.
        assert np.isnan(probabilities).all()
        return
    assert ((probabilities >= 0.0) & (probabilities <= 1.0)).all()
    draws = comparison.difference_band(counts).draws[:, [2, 0, 1, 1]]
    lead = draws if comparison.leader_ == 0 else -draws
    assert_allclose(probabilities, (lead < 0.0).mean(axis=0), atol=1e-12)
    assert type(comparison.switch_probability(150)) is float
    # Alone it is a sum of another order.
    assert_allclose(comparison.switch_probability(150), probabilities[0], rtol=1e-12)
    # Alone all are right: neither leads.
    assert_allclose(comparison.switch_probability(1), 0.5, rtol=1e-12)


# --- conventions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spoil", "options", "message"),
    [
        (lambda one, _: (one,), {}, "two tables of scores"),
        (lambda one, other: (one, other, one), {}, "two tables of scores"),
        (lambda one, other: (one, other[:, :14]), {}, r"shapes .*\(60, 15\).* \(60, 14\)"),
        (lambda one, other: (one, other[:59]), {}, r"shapes .*\(60, 15\).* \(59, 15\)"),
        (lambda one, _: one, {}, "two tables of scores"),
        (lambda *both: both, {"n_bootstrap": 0}, "needs resampled classes, got n_bootstrap=0"),
        (lambda *both: both, {"n_bootstrap": 1}, "at least 2; got 1"),
        (lambda *both: both, {"method": "mean"}, "method must be one of"),
        (lambda one, other: (one, np.where(other.max() > other, other, np.nan)), {}, "got NaN in"),
        (lambda one, other: (one.T, other.T), {}, r"transpose them, X\.T"),
    ],
)
def test_what_cannot_be_compared_is_named(first, second, fitted, spoil, options, message):
    with pytest.raises(ValueError, match=message):
        fitted(spoil(first, second), **options)
