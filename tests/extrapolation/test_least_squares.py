"""Least squares on average accuracies: mixtures are found again, and the estimate is unbiased."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.extrapolation._accuracy_curve import subset_accuracies
from sklearn_spe.extrapolation._accuracy_distributions import Points, Powers, ProbitNormals, Ramps
from sklearn_spe.extrapolation.methods._curve_methods import LeastSquares
from tests.extrapolation.pilots import COUNTS, assert_means

TRIED = np.arange(2, 31)
# Few components that are well told apart, and weights of which the rest is at U = 1.
MIXTURES = {
    "ramps": (Ramps(np.array([1.0, 0.2, 0.02])), np.array([0.2, 0.3, 0.1])),
    "powers": (Powers(np.array([1.0, 6.0, 80.0])), np.array([0.1, 0.25, 0.3])),
    "probit normals": (ProbitNormals(np.array([-0.5, 1.0, 2.5]), 0.5), np.array([0.2, 0.3, 0.3])),
    "points": (Points(np.log([0.3, 0.8, 0.99])), np.array([0.1, 0.3, 0.5])),
}
EVERY_MIXTURE = pytest.mark.parametrize("name", MIXTURES)


def curve_of(components, weights, counts=TRIED):
    return 1.0 - (1.0 - components.accuracies(counts)) @ weights


@EVERY_MIXTURE
@pytest.mark.parametrize("constrained", [True, False])
@pytest.mark.parametrize("n_counts", [3, 29])
def test_the_weights_of_a_mixture_are_found_again(name, constrained, n_counts):
    components, weights = MIXTURES[name]
    counts = TRIED[-n_counts:]
    fit = LeastSquares(components, counts, constrained=constrained)
    distribution = fit.closest(curve_of(components, weights, counts))
    assert_allclose(distribution.weights, weights, rtol=1e-5)
    assert_allclose(distribution.accuracy(COUNTS), curve_of(components, weights, COUNTS), atol=1e-6)
    assert_allclose(distribution.always_right, 1.0 - weights.sum(), rtol=1e-5)


def test_constrained_weights_are_those_of_a_distribution(global_random_seed):
    # Curves that fall so fast that no law has them: errors above all of uniform components.
    rng = np.random.default_rng(global_random_seed)
    curve = np.sort(rng.uniform(0.0, 0.3, len(TRIED)))[::-1]
    components = Ramps(np.geomspace(1.0, 1e-3, 30))
    distribution = LeastSquares(components, TRIED).closest(curve)
    assert (distribution.weights >= 0.0).all()
    assert distribution.weights.sum() <= 1.0 + 1e-15
    assert (distribution.accuracy(COUNTS) >= -1e-15).all()


def test_the_estimate_of_the_paper_may_be_no_distribution():
    components = Ramps(np.geomspace(1.0, 1e-3, 30))
    # Hardly any error among few classes, and every item wrong among all.
    curve = np.linspace(1.0, 0.0, len(TRIED))
    free, held = (
        LeastSquares(components, TRIED, constrained=constrained).closest(curve)
        for constrained in (False, True)
    )
    assert free.always_right < -0.1
    assert free.accuracy(np.array([10**4]))[0] < 0.0
    assert held.always_right >= -1e-15
    # What is constrained less is closer.
    distance = [
        np.sum((distribution.accuracy(TRIED) - curve) ** 2) for distribution in (free, held)
    ]
    assert distance[0] < distance[1]


def test_no_other_weights_are_closer(global_random_seed):
    # Karush, Kuhn and Tucker: downhill is only where a weight is 0.
    rng = np.random.default_rng(global_random_seed)
    components, count_weights = Ramps(np.geomspace(1.0, 1e-2, 12)), rng.uniform(0.5, 2.0, 29)
    mixed = curve_of(components, rng.dirichlet(np.ones(13))[:12])
    curve = mixed + 0.01 * rng.standard_normal(29)
    fit = LeastSquares(components, TRIED, count_weights, constrained=False)
    distribution = fit.closest(curve)
    moments = 1.0 - components.accuracies(TRIED)
    off = (1.0 - distribution.accuracy(TRIED)) - (1.0 - curve)
    slopes = moments.T @ (count_weights * off)
    used = np.isin(components.gaps, distribution.components.gaps)
    assert 1 < used.sum() < 12
    assert_allclose(slopes[used], 0.0, atol=1e-9)
    assert (slopes[~used] > -1e-9).all()


def test_a_count_of_weight_four_counts_four_times(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    components = Ramps(np.geomspace(1.0, 1e-2, 12))
    curve = curve_of(components, rng.dirichlet(np.ones(12))) + 0.01 * rng.standard_normal(29)
    times = rng.integers(1, 5, 29)
    weighted = LeastSquares(components, TRIED, times.astype(float)).closest(curve)
    repeated = LeastSquares(components, np.repeat(TRIED, times)).closest(np.repeat(curve, times))
    assert_allclose(weighted.accuracy(COUNTS), repeated.accuracy(COUNTS), atol=1e-9)


@pytest.mark.parametrize("constrained", [True, False])
def test_the_regression_is_unbiased_if_the_model_holds(constrained, global_random_seed):
    # Equation 14: weights so far inside that no constraint is met.
    components, weights, n_wrong = Points(np.log([0.4, 0.93])), np.array([0.35, 0.4]), 14
    counts = np.arange(2, n_wrong + 2)
    fit = LeastSquares(components, counts, constrained=constrained)
    rng = np.random.default_rng(global_random_seed)
    found = []
    for _ in range(400):
        u = rng.choice([0.4, 0.93, 1.0], size=300, p=[0.35, 0.4, 0.25])
        wins = rng.binomial(n_wrong, u)
        histogram = np.bincount(wins, minlength=n_wrong + 1) / 300
        distribution = fit.closest(subset_accuracies(histogram)[1:])
        assert len(distribution.weights) == 2
        found.append([*distribution.weights, *distribution.accuracy(np.array([50, 1000]))])
    assert_means(found, [*weights, *curve_of(components, weights, np.array([50, 1000]))])
