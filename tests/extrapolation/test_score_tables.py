"""What the method of scores makes of scores: their scale, their place, and how it is read."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats
from scipy.optimize import check_grad

from sklearn_spe.extrapolation import Scores
from sklearn_spe.extrapolation.methods._curve_methods import Probit
from sklearn_spe.extrapolation.methods._tail import (
    Calibration,
    NormalScores,
    RowScale,
    ScoreTransform,
    split_scores,
)
from tests.extrapolation.pilots import COUNTS, drawn, pilot_of


@pytest.fixture(scope="module")
def accuracies(global_random_seed):
    """Return a function that fits a method with the one seed and asks for accuracies."""

    def ask(scores, y, method=None):
        method = Scores() if method is None else method
        distribution = method.fit(pilot_of(scores, y), np.random.default_rng(global_random_seed))
        return distribution.accuracy(COUNTS)

    return ask


# --- scale --------------------------------------------------------------------------------------


def test_negative_squared_distances_and_distances_are_taken_to_like_powers(
    accuracies, global_random_seed
):
    # Chi-square variables: the skewness of the power 1/3 of them vanishes nearly.
    scores, y = drawn(60, 2, global_random_seed, n_features=10)
    wrong = split_scores(scores, y)[1]
    scaled = ScoreTransform.learn(wrong)(wrong)
    assert abs(np.median(stats.skew(scaled, axis=1))) < 0.15
    assert np.median(stats.skew(wrong, axis=1)) < -0.3
    # Higher stays higher.
    assert_array_equal(np.argsort(scaled, axis=1), np.argsort(wrong, axis=1))
    squares = accuracies(scores, y)
    distances = accuracies(-np.sqrt(-scores), y)
    near = COUNTS <= 120
    assert_allclose(distances[near], squares[near], atol=0.02)


# --- place --------------------------------------------------------------------------------------


def test_rows_are_standardised_by_the_others_of_each_value(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    wrong = np.exp(rng.standard_normal((50, 1))) * rng.standard_normal((50, 12)) + 3.0
    rows = RowScale.learn(wrong)
    found = rows.of_each_left_out(wrong)
    for i, j in ((0, 0), (7, 3), (49, 11)):
        others = np.delete(wrong[i], j)
        # Standard deviations are drawn together as those of whole rows are.
        std = others.std(ddof=1) * rows.stds[i] / wrong[i].std(ddof=1)
        assert_allclose(found[i, j], (wrong[i, j] - others.mean()) / std, rtol=1e-10)


def test_standard_deviations_that_differ_by_chance_are_drawn_together(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    alike = rng.standard_normal((400, 40))
    unlike = np.exp(rng.standard_normal((400, 1))) * alike
    # The log of the standard deviation of forty normal values has a variance of about 1 / 78.
    for wrong, low, high in ((alike, 0.0, 0.35), (unlike, 0.85, 1.0)):
        rows = RowScale.learn(wrong)
        logs, alone = np.log(rows.stds), np.log(wrong.std(axis=1, ddof=1))
        share = np.polyfit(alone, logs, 1)[0]
        assert low <= share <= high


@pytest.mark.parametrize(
    "distribution", [stats.norm, stats.gumbel_r, stats.t(4)], ids=["n", "g", "t"]
)
def test_pooled_values_become_standard_normal(distribution):
    values = distribution.ppf((np.arange(20_000) + 0.5) / 20_000)
    images = NormalScores.learn(values)
    places = np.array([-3.0, -2.0, -1.0, 0.0, 0.5, 1.5, 2.5, 3.0])
    assert_allclose(images(distribution.ppf(special.ndtr(places))), places, atol=0.05)
    # The map rises, to both sides without end.
    assert (np.diff(images(np.linspace(values[0] - 50.0, values[-1] + 50.0, 999))) > 0.0).all()


# --- reading --------------------------------------------------------------------------------------


def test_the_gradient_of_the_likelihood_is_its_slope(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    x, variance = rng.normal(1.0, 1.0, 30), rng.uniform(0.01, 0.3, 30)
    trials = np.full(30, 9.0)
    wins, weights = rng.binomial(9, 0.8, 30) - 0.0, rng.uniform(0.5, 2.0, 30)
    data = x, variance, wins, trials, weights
    for parameters in ([0.1, 1.0, -1.9], [-0.5, 0.7, 0.2], [1.0, 2.0, -4.0]):
        value = Calibration(*parameters).log_likelihood(*data)[0]
        error = check_grad(
            lambda p: Calibration(*p).log_likelihood(*data)[0],
            lambda p: Calibration(*p).log_likelihood(*data)[1],
            np.array(parameters),
        )
        assert error < 1e-5 * abs(value)


def test_the_likelihood_is_that_of_binomial_wins_with_a_probit_normal_chance():
    # Far out the nodes are too few for a narrow likelihood: wins of few trials.
    x, variance, wins, trials = 0.8, 0.05, 3.0, 4.0
    intercept, slope, log_std = 0.2, 0.9, np.log(0.3)
    spread = 0.3**2 + variance
    center = (intercept + slope * x) * np.sqrt(1.0 + spread)
    z = np.linspace(-10.0, 10.0, 20_001)
    u = special.ndtr(center + np.sqrt(spread) * z)
    density = stats.norm.pdf(z) * (z[1] - z[0])
    expected = np.log(np.sum(u**wins * (1.0 - u) ** (trials - wins) * density))
    value, _ = Calibration(intercept, slope, log_std).log_likelihood(
        *(np.array([v]) for v in (x, variance, wins, trials, 1.0))
    )
    assert_allclose(value, expected, rtol=1e-9)


def test_a_wrong_class_beats_another_every_other_time():
    # With intercept 0 and slope 1 over standard normal coordinates, whatever the spread.
    z = np.linspace(-9.0, 9.0, 4001)
    density = stats.norm.pdf(z) * (z[1] - z[0])
    nodes, shares = np.polynomial.hermite_e.hermegauss(20)
    for log_std in (-3.0, -1.0, 0.5):
        probits = Calibration(0.0, 1.0, log_std).probits(z, np.zeros_like(z), nodes)
        mean = special.ndtr(probits) @ (shares / shares.sum())
        assert_allclose(density @ mean, 0.5, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
def test_with_fewer_than_six_classes_the_distribution_is_that_of_ranks(
    n_classes, accuracies, global_random_seed
):
    scores, y = drawn(n_classes, 5, global_random_seed)
    assert_array_equal(accuracies(scores, y), accuracies(scores, y, Probit()))
