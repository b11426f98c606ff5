"""Laws of the conditional accuracy: moments by theorem 4.1, distribution functions by scipy."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, special, stats

from sklearn_spe.extrapolation._accuracy_distributions import (
    ConditionalAccuracyDistribution,
    DistributionMixture,
    Points,
    Powers,
    ProbitNormals,
    Ramps,
)

COUNTS = np.array([1, 2, 3, 10, 100, 1000, 10**4, 10**5, 10**6])
U = np.concatenate([np.linspace(0.0, 0.99, 34), 1.0 - np.geomspace(1e-2, 1e-7, 16)])


def uniform(gap):
    return stats.uniform(1.0 - gap, gap).cdf


def probit_normal(mean, std):
    return lambda u: stats.norm.cdf(special.ndtri(u), mean, std)


# Components, the distribution function of each, and where these have kinks or steep places.
COMPONENTS = {
    "ramps": (
        Ramps(np.array([1.0, 0.5, 0.1, 1e-3, 1e-6])),
        [uniform(gap) for gap in (1.0, 0.5, 0.1, 1e-3, 1e-6)],
        [[], [0.5], [0.9], [1.0 - 1e-3], [1.0 - 1e-6]],
    ),
    "powers": (
        Powers(np.array([1.0, 3.0, 50.0, 1000.0])),
        [stats.beta(degree, 1).cdf for degree in (1.0, 3.0, 50.0, 1000.0)],
        [[], [], [], []],
    ),
    "probit normals": (
        ProbitNormals(np.array([-1.0, 0.0, 1.5, 2.5]), 0.7),
        [probit_normal(mean, 0.7) for mean in (-1.0, 0.0, 1.5, 2.5)],
        [special.ndtr(mean + 0.7 * np.arange(-6.0, 7.0)) for mean in (-1.0, 0.0, 1.5, 2.5)],
    ),
    "narrow probit normals": (
        ProbitNormals(np.array([-1.0, 0.5, 3.0]), 0.02),
        [probit_normal(mean, 0.02) for mean in (-1.0, 0.5, 3.0)],
        [special.ndtr(mean + 0.02 * np.arange(-6.0, 7.0)) for mean in (-1.0, 0.5, 3.0)],
    ),
    "wide probit normals": (
        ProbitNormals(np.array([0.0, 1.0]), 5.0),
        [probit_normal(mean, 5.0) for mean in (0.0, 1.0)],
        [special.ndtr(np.arange(-6.0, 7.0))] * 2,
    ),
    "points": (
        Points(np.log([0.2, 0.91, 1.0 - 3e-5])),
        [lambda u, value=value: np.greater_equal(u, value) for value in (0.2, 0.91, 1.0 - 3e-5)],
        [[0.2], [0.91], [1.0 - 3e-5]],
    ),
}
EVERY_COMPONENT = pytest.mark.parametrize("name", COMPONENTS)


def accuracy_by_theorem(distribution, k, breaks):
    """Return 1 - (k - 1) times the integral of D(u) u^(k - 2), with v = u^(k - 1)."""
    if k == 1:
        return 1.0
    edges = np.unique(np.concatenate([[0.0], np.asarray(breaks) ** (k - 1.0), [1.0]]))
    pieces = [
        integrate.quad(lambda v: distribution(v ** (1.0 / (k - 1.0))), *ends, limit=300)[0]
        for ends in pairwise(edges)
    ]
    return 1.0 - sum(pieces)


# --- components -----------------------------------------------------------------------------------


@EVERY_COMPONENT
def test_accuracies_are_the_integrals_of_theorem_4_1(name):
    components, distributions, breaks = COMPONENTS[name]
    counts = COUNTS[[0, 1, 3, 5, 8]]
    accuracies = components.accuracies(counts)
    assert accuracies.shape == (len(counts), len(distributions))
    for j, (distribution, places) in enumerate(zip(distributions, breaks, strict=True)):
        expected = [accuracy_by_theorem(distribution, k, places) for k in counts]
        assert_allclose(accuracies[:, j], expected, rtol=0.0, atol=2e-8)


@EVERY_COMPONENT
def test_distribution_functions_are_those_of_scipy(name):
    components, distributions, _ = COMPONENTS[name]
    expected = np.column_stack([distribution(U) for distribution in distributions])
    # 1 - u has an error of 1e-16, which the steepest ramp multiplies by a million.
    assert_allclose(components.distribution(U), expected, rtol=0.0, atol=1e-9)


def test_the_moments_of_splines_are_those_of_equation_13():
    # Of (u - t)_+ in closed form: 1 - t - (1 - t^k) / k. It is the law of a ramp times 1 - t.
    t = np.array([0.0, 0.25, 0.9])
    for k in (2, 5, 40):
        expected = 1.0 - t - (1.0 - t**k) / k
        errors = (1.0 - Ramps(1.0 - t).accuracies(np.array([k]))[0]) * (1.0 - t)
        assert_allclose(errors, expected, rtol=1e-12)


def test_gathered_points_keep_weight_and_mean_on_the_probit_scale(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    # Beyond 8 the normal distribution function is one.
    probits = np.clip(2.0 * rng.standard_normal(5000), -6.0, 6.0)
    weights = rng.dirichlet(np.ones(5000))
    points, shares = Points.gathered(probits, weights)
    places = special.ndtri(np.exp(points.log_values))
    assert len(shares) < 1500
    assert_allclose(shares.sum(), 1.0, rtol=1e-12)
    assert_allclose(shares @ places, weights @ probits, rtol=0.0, atol=1e-8)
    # Each value lies within a hundredth of its points, where log Phi(z) has a slope below 9, and
    # linear interpolation of U^(k-1) errs by the square of that times its curvature.
    counts = np.array([2, 10, 1000, 10**6])
    exact = Points(special.log_ndtr(probits)).accuracies(counts) @ weights
    assert_allclose(points.accuracies(counts) @ shares, exact, rtol=0.0, atol=1e-4)


# --- laws -----------------------------------------------------------------------------------------


def mixture():
    """Return a law of uniform parts with a third at U = 1."""
    return ConditionalAccuracyDistribution(Ramps(np.array([1.0, 0.5])), np.array([1 / 3, 1 / 3]))


def test_a_mixture_has_the_mean_moments_and_an_atom_at_one():
    distribution = mixture()
    parts = Ramps(np.array([1.0, 0.5])).accuracies(COUNTS)
    assert_allclose(distribution.accuracy(COUNTS), parts.mean(axis=1) * 2 / 3 + 1 / 3, rtol=1e-14)
    assert_allclose(distribution.always_right, 1 / 3, rtol=1e-14)
    assert_allclose(distribution.accuracy(np.array([10**12])), 1 / 3, rtol=1e-9)


def test_the_distribution_function_jumps_at_one():
    distribution = mixture()
    assert distribution(0.0) == 0.0
    assert type(distribution(0.0)) is float
    assert_allclose(distribution([0.25, 0.75]), [0.25 / 3, (0.75 + 0.5) / 3], rtol=1e-14)
    assert_allclose(distribution(1.0 - 1e-12), 2 / 3, rtol=1e-9)
    assert distribution(1.0) == 1.0
    assert distribution([1.0]).shape == (1,)
    ended = Points(np.array([-np.inf]))
    assert ConditionalAccuracyDistribution(ended, np.array([0.25]))(0.0) == 0.25


def test_the_moments_of_a_distribution_are_the_integral_of_its_distribution_function():
    distribution = DistributionMixture((mixture(), COMPONENT_LAW), (0.25, 0.75))
    for k in (2, 3, 50):
        expected = accuracy_by_theorem(distribution, k, [0.5, *special.ndtr(np.arange(-4.0, 7.0))])
        assert_allclose(distribution.accuracy(np.array([k])), expected, rtol=0.0, atol=2e-8)


COMPONENT_LAW = ConditionalAccuracyDistribution(ProbitNormals(np.array([1.0]), 0.8), np.ones(1))


def test_a_mixture_of_distributions_is_their_mean_everywhere():
    distributions, weights = (mixture(), COMPONENT_LAW), (0.25, 0.75)
    distribution = DistributionMixture(distributions, weights)
    mean = 0.25 * distributions[0].accuracy(COUNTS) + 0.75 * distributions[1].accuracy(COUNTS)
    assert_allclose(distribution.accuracy(COUNTS), mean, rtol=1e-15)
    assert_allclose(
        distribution(U), 0.25 * distributions[0](U) + 0.75 * distributions[1](U), rtol=1e-15
    )
    assert_allclose(distribution.always_right, 0.25 / 3, rtol=1e-14)
    assert distribution(1.0) == 1.0


@pytest.mark.parametrize(
    "distribution", [mixture(), DistributionMixture((mixture(),), (1.0,))], ids=["one", "mean"]
)
@pytest.mark.parametrize("u", [-0.1, 1.1, np.nan, [0.5, 2.0]], ids=str)
def test_only_probabilities_are_asked_for(distribution, u):
    with pytest.raises(ValueError, match=r"u must lie in \[0, 1\]"):
        distribution(u)
