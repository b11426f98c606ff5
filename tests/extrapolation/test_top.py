"""Accuracy within the first few classes, and that of each item: enumeration and quadrature."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe import AccuracyExtrapolator, ClassifierAccuracyExtrapolator, average_accuracy_curve
from sklearn_spe.extrapolation import GaussianClasses
from sklearn_spe.extrapolation._accuracy_curve import subset_accuracies
from sklearn_spe.extrapolation._accuracy_distributions import (
    ConditionalAccuracyDistribution,
    Points,
    Powers,
    ProbitNormals,
    Ramps,
)
from tests.extrapolation.data import NearestMean, clouds
from tests.extrapolation.pilots import assert_means, drawn, tied_scores
from tests.extrapolation.test_components import COMPONENTS, EVERY_COMPONENT

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")


def chance_within(scores, column, top):
    """Return the probability that a column is among the first, ties broken at random."""
    above = int((scores > scores[column]).sum())
    tied = int((scores == scores[column]).sum())
    return min(max(top - above, 0), tied) / tied


@pytest.mark.parametrize("top", [2, 3, 7])
def test_the_curve_is_the_accuracy_within_the_first_over_all_subsets(top, global_random_seed):
    scores, y = tied_scores(6, 20, global_random_seed)
    curve = average_accuracy_curve(y, scores, average="micro", top=top)
    for k in range(1, 7):
        right = [
            chance_within(scores[i, [y[i], *others]], 0, top)
            for i in range(len(y))
            for others in combinations([c for c in range(6) if c != y[i]], k - 1)
        ]
        assert_allclose(curve[k - 1], np.mean(right), rtol=1e-12)
    assert_allclose(curve[:top], 1.0, rtol=1e-12)


def test_every_number_of_wins_among_three_thousand_has_its_hypergeometric_share():
    histogram = np.zeros(3_000)
    wins = np.array([0, 5, 2_000, 2_990, 2_998, 2_999])
    histogram[wins] = 1.0 / len(wins)
    curve = subset_accuracies(histogram, top=5)
    for k in (2, 6, 100, 2_999, 3_000):
        # Of the k - 1 others that are drawn fewer than five may be above.
        shares = stats.hypergeom(2_999, 2_999 - wins, k - 1).cdf(4)
        assert_allclose(curve[k - 1], shares.mean(), rtol=1e-9, atol=1e-12)


def moments_within(components, k, top):
    """Return the probability that fewer than `top` of k - 1 are above, by moments of U."""
    moments = components.accuracies(np.arange(1, k + 1))
    within = np.zeros(moments.shape[1])
    for above in range(min(top, k)):
        # E[U^(k - 1 - j) (1 - U)^j], expanded.
        for i in range(above + 1):
            sign = (-1) ** i * comb(k - 1, above) * comb(above, i)
            within += sign * moments[k - 1 - above + i]
    return within


@EVERY_COMPONENT
@pytest.mark.parametrize("top", [2, 3, 5])
def test_accuracies_within_the_first_are_sums_of_moments(name, top):
    components = COMPONENTS[name][0]
    counts = np.arange(1, 11)
    expected = [moments_within(components, k, top) for k in counts]
    assert_allclose(components.accuracies(counts, top), expected, rtol=0.0, atol=1e-7)


QUANTILES = (
    (Ramps(np.array([0.02])), lambda p: 1.0 - 0.02 * (1.0 - p)),
    (Powers(np.array([50.0])), lambda p: p ** (1.0 / 50.0)),
    (ProbitNormals(np.array([1.5]), 0.7), lambda p: special.ndtr(1.5 + 0.7 * special.ndtri(p))),
)


@pytest.mark.parametrize(("components", "quantile"), QUANTILES, ids=["ramp", "power", "probit"])
def test_accuracies_within_the_first_are_means_of_binomial_probabilities(components, quantile):
    # Each even share of the values of U: the midpoint rule, for a function that increases.
    values = quantile((np.arange(20_000) + 0.5) / 20_000)
    for k, top in ((20, 5), (1000, 3), (10**6, 10)):
        expected = stats.binom(k - 1, 1.0 - values).cdf(top - 1).mean()
        assert_allclose(components.accuracies(np.array([k]), top)[0, 0], expected, atol=5e-5)


def test_the_curve_within_the_first_is_exact_inside_and_joined_beyond(global_random_seed):
    scores, y = drawn(20, 4, global_random_seed)
    extrapolator = AccuracyExtrapolator("moment", n_bootstrap=4, random_state=0).fit(scores, y)
    assert_array_equal(
        extrapolator.predict(np.arange(1, 21), top=3), average_accuracy_curve(y, scores, top=3)
    )
    inside, beyond = extrapolator.D_.accuracy([20, 100], top=3)
    assert_allclose(
        extrapolator.predict(100, top=3), extrapolator.predict(20, top=3) * beyond / inside
    )
    band = extrapolator.predict_band([3, 20, 100], top=3)
    low, high = band.interval()
    assert_array_equal(band.value, extrapolator.predict([3, 20, 100], top=3))
    assert (low <= band.value + 1e-12).all()
    assert (band.value <= high + 1e-12).all()
    assert low[0] == high[0] == pytest.approx(1.0)
    assert extrapolator.estimate(100, top=3).value == extrapolator.predict(100, top=3)
    assert (band.value >= extrapolator.predict([3, 20, 100])).all()


def test_the_average_within_the_first_is_unbiased(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    task = GaussianClasses(noise=0.7)
    few, many = [], []
    for _ in range(60):
        scores, y = task.draw(12, 2, rng)
        few.append(average_accuracy_curve(y, scores, n_classes=6, top=2))
        scores, y = task.draw(6, 4, rng)
        order = np.argsort(-scores, axis=1)[:, :2]
        many.append((order == y[:, np.newaxis]).any(axis=1).mean())
    assert_means(np.array(few) - np.array(many), 0.0)


# --- the accuracy of each item --------------------------------------------------------------------


def test_the_accuracy_of_an_item_is_the_moment_of_its_beta_posterior():
    # U uniform: given w of n wins it is Beta(w + 1, n - w + 1).
    uniform = ConditionalAccuracyDistribution(Ramps(np.array([1.0])), np.ones(1))
    counts = np.array([1, 2, 20, 300])
    wins = np.arange(31.0)[:, np.newaxis]
    posterior = special.betaln(wins + counts, 31.0 - wins) - special.betaln(wins + 1.0, 31.0 - wins)
    assert_allclose(uniform.accuracies_by_wins(30, counts), np.exp(posterior), rtol=2e-4)


def test_an_item_that_beat_all_is_one_of_those_that_always_do_or_of_the_others():
    half = ConditionalAccuracyDistribution(Points(np.log([0.5])), np.array([0.25]))
    always = 0.75 / (0.75 + 0.25 * 0.5**3)
    expected = always + (1.0 - always) * 0.5**4
    accuracies = half.accuracies_by_wins(3, np.array([5]))[:, 0]
    # The value lies at a node of the grid, up to half of its step.
    assert_allclose(accuracies, [0.5**4, 0.5**4, 0.5**4, expected], rtol=0.05)


def test_items_of_the_pilot_have_the_mean_accuracy_of_a_maximum_pseudolikelihood(
    global_random_seed,
):
    # The condition of the maximum: the mean posterior of the items is the distribution itself.
    scores, y = tied_scores(20, 100, global_random_seed)
    extrapolator = AccuracyExtrapolator("pseudolikelihood", average="micro", n_bootstrap=0)
    extrapolator.fit(scores, y)
    accuracies = extrapolator.item_accuracy(scores, y, [2, 20, 200])
    assert accuracies.shape == (100, 3)
    assert_allclose(accuracies.mean(axis=0), extrapolator.D_.accuracy([2, 20, 200]), atol=2e-3)
    alone = extrapolator.item_accuracy(scores, y, 20)
    assert_allclose(alone, accuracies[:, 1], rtol=1e-12)


def test_wins_that_the_distribution_rules_out_have_no_accuracy():
    always = ConditionalAccuracyDistribution(Points(np.array([0.0])), np.ones(1))
    accuracies = always.accuracies_by_wins(3, np.array([5]))[:, 0]
    assert_array_equal(accuracies, [np.nan, np.nan, np.nan, 1.0])


# --- fewer training items -------------------------------------------------------------------------


def fitted_with(n_train, X, y, **options):
    """Return an extrapolator of nearest means, of n_train items each."""
    options = {"retrain": False, "cv": 4, "random_state": 3, "n_train": n_train, **options}
    extrapolator = AccuracyExtrapolator("moment", n_bootstrap=0)
    options["extrapolator"] = extrapolator
    return ClassifierAccuracyExtrapolator(NearestMean(), **options).fit(X, y)


def test_all_training_items_are_those_of_the_splits(global_random_seed):
    X, y = clouds(seed=global_random_seed)
    assert_array_equal(fitted_with(6, X, y).model_.curve, fitted_with(None, X, y).model_.curve)
    with pytest.raises(ValueError, match=r"n_train=7 .* has 6 of one class"):
        fitted_with(7, X, y)


def test_accuracy_with_fewer_training_items_is_that_of_a_problem_with_so_many(global_random_seed):
    # Nearest means of two items, from classes with six to draw them from, or with two alone.
    rng = np.random.default_rng(global_random_seed)
    drawn_from_six, of_two, of_six = [], [], []
    for seed in rng.integers(2**31, size=25):
        X, y = clouds(seed=seed, noise=1.5)
        drawn_from_six.append(fitted_with(2, X, y).model_.curve[-1])
        of_six.append(fitted_with(None, X, y).model_.curve[-1])
        train = np.arange(len(y)) % 8 < 2
        split = [(np.flatnonzero(train), np.flatnonzero(~train))]
        of_two.append(fitted_with(None, X, y, cv=split).model_.curve[-1])
    assert_means(np.array(drawn_from_six) - np.array(of_two), 0.0)
    assert np.mean(of_six) > np.mean(of_two) + 0.05


def test_a_classifier_trained_again_has_no_accuracy_within_the_first(global_random_seed):
    X, y = clouds(seed=global_random_seed)
    again = fitted_with(None, X, y, retrain=True, n_sizes=3, n_repeats=2)
    with pytest.raises(ValueError, match=r"top=2 is not available for .* use scores_extrapolator_"):
        again.predict(40, top=2)
    assert 0.0 < again.scores_extrapolator_.predict(40, top=2) <= 1.0
