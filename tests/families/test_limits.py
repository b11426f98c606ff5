"""Limits, identities and extremes of single families."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import signal, stats

from sklearn_spe.families import (
    Gamma,
    Gompertz,
    GumbelL,
    GumbelR,
    InvWeibull,
    LogGamma,
    LogNorm,
    Norm,
    NormalPrior,
    NormMixture,
    SkewNorm,
    TruncNorm,
    TruncT,
    Uniform,
)
from sklearn_spe.families._real_line import log_add_exp
from tests.families.oracles import to_scipy

SCORES = np.linspace(-3.0, 3.0, 25)
Q = (-2.0, -0.5, -1e-2, -1e-4, 0.0, 1e-4, 1e-2, 0.5, 2.0)


def slope(function, value, step):
    """Return the central difference of sixth order."""
    differences = [function(value + k * step) - function(value - k * step) for k in (1, 2, 3)]
    return np.dot([45.0, -9.0, 1.0], differences) / (60.0 * step)


# --- invweibull ------------------------------------------------------------------------


def test_invweibull_is_finite_where_scipy_is_not():
    mean, std = 1.0, 0.5
    score = np.array([0.05])
    oracle = to_scipy(InvWeibull(), mean, std)
    exponent, scale = oracle.args[0], oracle.kwds["scale"]
    x = score / scale
    log_density = np.log(exponent / scale) - (exponent + 1.0) * np.log(x) - x**-exponent
    with np.errstate(divide="ignore"):
        assert oracle.logpdf(score) == -np.inf
    assert -1e5 < log_density < -745.0
    assert_allclose(InvWeibull().logpdf(score, mean, std), log_density, rtol=1e-12)


def test_exponentiated_families_are_distributions_of_logarithms():
    tau = np.sqrt(np.log1p(0.25))
    log_mean = np.log(2.0) - 0.5 * tau**2
    scores = np.exp(SCORES)
    for family, parent in ((LogNorm(), Norm()), (InvWeibull(), GumbelR())):
        assert_allclose(
            family.logpdf(scores, 2.0, 1.0), parent.logpdf(SCORES, log_mean, tau) - SCORES
        )


# --- families truncated at zero --------------------------------------------------------


@pytest.mark.parametrize("family", [TruncNorm(), Gompertz()], ids=lambda family: family.name)
def test_far_below_zero_a_truncated_density_is_exponential(family):
    mean, std = -30.0, 1.0
    # The hazard at zero: that of the left Gumbel is exp(z) / scale.
    scale = np.sqrt(6.0) / np.pi
    gumbel_hazard = np.exp(30.0 / scale - np.euler_gamma) / scale
    hazard = {"truncnorm": 30.0 + 1.0 / 30.0, "gompertz": gumbel_hazard}[family.name]
    levels = np.array([0.1, 0.5, 0.9])
    quantiles = -np.log1p(-levels) / hazard
    assert_allclose(family.ppf(levels, mean, std), quantiles, rtol=5e-3)
    assert_allclose(family.sf(quantiles, mean, std), 1.0 - levels, rtol=5e-3)
    log_density = np.log(hazard) + np.log1p(-levels)
    assert_allclose(family.logpdf(quantiles, mean, std), log_density, atol=5e-3)


@pytest.mark.parametrize("mean", [-300.0, -30.0, -5.0, 0.0, 5.0, 300.0])
def test_truncated_normal_has_the_slope_of_the_normal(mean):
    family, std = TruncNorm(), 2.0
    scores = family.ppf(np.array([0.1, 0.5, 0.9]), mean, std)
    by_score = slope(lambda shift: family.logpdf(scores + shift, mean, std), 0.0, scores[0] * 1e-2)
    assert_allclose(by_score, (mean - scores) / std**2, rtol=1e-6, atol=1e-6)
    assert_allclose(family.sf(scores, mean, std), [0.9, 0.5, 0.1], rtol=1e-9)


@pytest.mark.parametrize("family", [TruncNorm(), Gompertz()], ids=lambda family: family.name)
@pytest.mark.parametrize("mean", [-30.0, -8.0, -1.0])
def test_gradients_far_below_zero(family, mean):
    std = 1.0
    scores = family.ppf(np.array([0.05, 0.5, 0.95]), mean, std)
    by_mean, by_std = family.gradient(scores, mean, std)
    close = {"rtol": 1e-6, "atol": 1e-6}
    assert_allclose(by_mean, slope(lambda m: family.logpdf(scores, m, std), mean, 3e-3), **close)
    assert_allclose(by_std, slope(lambda s: family.logpdf(scores, mean, s), std, 1e-3), **close)


def test_gompertz_is_the_left_gumbel_cut_at_zero():
    scores = np.linspace(0.01, 4.0, 20)
    expected = GumbelL().logpdf(scores, 1.0, 1.5) - np.log(GumbelL().sf(0.0, 1.0, 1.5))
    assert_allclose(Gompertz().logpdf(scores, 1.0, 1.5), expected, rtol=1e-12)


def test_truncated_t_far_below_zero_is_a_power_law():
    # T < -a has probability ~ a^-df: given that the score is positive, a + score is Pareto.
    mean, df = -1e6, 3.0
    scores = np.array([1e4, 1e6, 1e8])
    for family_mean in (mean, 1e3 * mean):
        ratio = 1.0 - scores / family_mean
        assert_allclose(TruncT().sf(scores, family_mean, 1.0, df), ratio**-df, rtol=1e-9)


def test_truncated_t_keeps_its_tail_where_the_distribution_function_underflows():
    mean, df, scores = -1e6, 90.0, np.array([1e3, 1e4])
    expected = (1.0 - scores / mean) ** -df
    assert_allclose(TruncT().sf(scores, mean, 1.0, df), expected, rtol=1e-6)
    log_density = np.log(df / -mean) + (df + 1.0) * -np.log1p(scores / -mean)
    assert_allclose(TruncT().logpdf(scores, mean, 1.0, df), log_density, rtol=1e-6)


@pytest.mark.parametrize("mean", [-2.0, 2.0])
def test_truncated_t_at_one_degree_of_freedom_is_a_cut_cauchy(mean):
    scores = np.array([0.3, 2.0, 50.0])
    mass = 0.5 + np.arctan(mean) / np.pi
    expected = -np.log(np.pi * (1.0 + (scores - mean) ** 2) * mass)
    assert_allclose(TruncT().logpdf(scores, mean, 1.0, 1.0), expected, rtol=1e-12)


@pytest.mark.parametrize("family", [TruncNorm(), TruncT(), Gompertz()], ids=lambda f: f.name)
def test_scores_like_an_exponential_start_from_below_zero(family):
    scores = -np.log1p(-(np.arange(500) + 0.5) / 500)
    mean, std, *shapes = family.start(scores, None)
    started = np.mean(family.logpdf(scores, mean, std, *shapes))
    assert mean < 0.0
    assert started > np.mean(-scores) - 0.05


# --- skewed families -------------------------------------------------------------------


@pytest.mark.parametrize("family", [SkewNorm(), LogGamma()], ids=lambda family: family.name)
def test_shape_zero_is_normal(family):
    values = (0.5, 2.0)
    assert_allclose(family.logpdf(SCORES, *values, 0.0), Norm().logpdf(SCORES, *values), rtol=1e-14)
    assert_allclose(family.sf(SCORES, *values, 0.0), Norm().sf(SCORES, *values), rtol=1e-14)
    for ours, normal in zip(
        family.gradient(SCORES, *values, 0.0), Norm().gradient(SCORES, *values), strict=False
    ):
        assert_allclose(ours, normal, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("family", [SkewNorm(), LogGamma()], ids=lambda family: family.name)
@pytest.mark.parametrize("shape", [0.1, 0.7, 3.0])
def test_opposite_shapes_are_mirror_images(family, shape):
    mirrored = family.logpdf(-SCORES, -0.5, 2.0, -shape)
    assert_allclose(family.logpdf(SCORES, 0.5, 2.0, shape), mirrored, rtol=1e-12)
    other_side = 1.0 - family.sf(-SCORES, -0.5, 2.0, -shape)
    assert_allclose(family.sf(SCORES, 0.5, 2.0, shape), other_side, rtol=1e-9, atol=1e-14)
    levels = np.array([0.01, 0.3, 0.8])
    assert_allclose(
        family.ppf(levels, 0.5, 2.0, shape), -family.ppf(1.0 - levels, -0.5, 2.0, -shape)
    )


def test_loggamma_has_both_gumbels():
    values = (0.5, 2.0)
    for shape, gumbel in ((1.0, GumbelL()), (-1.0, GumbelR())):
        assert_allclose(LogGamma().logpdf(SCORES, *values, shape), gumbel.logpdf(SCORES, *values))


@pytest.mark.parametrize("q", Q)
def test_loggamma_gradient_in_the_shape_is_right_through_zero(q):
    by_shape = LogGamma().gradient(SCORES, 0.2, 1.1, q)[2]
    expected = slope(lambda shape: LogGamma().logpdf(SCORES, 0.2, 1.1, shape), q, 1e-3)
    assert_allclose(by_shape, expected, rtol=1e-7, atol=1e-9)


def test_loggamma_gradient_at_zero_is_the_third_hermite_polynomial():
    # The first term of the Edgeworth series, with skewness -q.
    by_shape = LogGamma().gradient(SCORES, 0.0, 1.0, 0.0)[2]
    assert_allclose(by_shape, -(SCORES**3 - 3.0 * SCORES) / 6.0, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("q", [1e-5, 1e-4, 9.9e-3, -1e-4, -9.9e-3])
def test_loggamma_distribution_function_of_a_tiny_shape(q):
    # By Simpson's rule: scipy's incomplete gamma functions are wrong in the tails here.
    edges = np.linspace(-5.0, 5.0, 41)
    middles = 0.5 * (edges[1:] + edges[:-1])
    fine = np.linspace(edges[:-1], edges[1:], 201, axis=1)
    weights = np.tile([2.0, 4.0], 101)[:-1]
    weights[[0, -1]] = 1.0
    mass = np.exp(LogGamma().logpdf(fine, 0.0, 1.0, q)) @ weights * 0.25 / 600.0
    assert_allclose(-np.diff(LogGamma().sf(edges, 0.0, 1.0, q)), mass, rtol=1e-9, atol=1e-12)
    levels = 1.0 - LogGamma().sf(middles, 0.0, 1.0, q)
    assert_allclose(LogGamma().ppf(levels, 0.0, 1.0, q), middles, rtol=1e-7)


@pytest.mark.parametrize("center", [0.01, 0.05, 0.2])
def test_loggamma_has_no_seam_where_its_series_begin(center):
    q = center * (1.0 + np.array([[-1e-9], [1e-9]]))
    for function in (LogGamma().logpdf, lambda *a: LogGamma().gradient(*a)[2], LogGamma().sf):
        below, above = function(SCORES, 0.0, 1.0, q)
        assert_allclose(below, above, rtol=2e-8, atol=1e-9)


def test_loggamma_of_a_tiny_shape_keeps_its_digits():
    for q in (1e-3, 1e-5, 1e-7, 1e-9):
        edgeworth = 1.0 - q * (SCORES**3 - 3.0 * SCORES) / 6.0
        expected = Norm().logpdf(SCORES, 0.0, 1.0) + np.log(edgeworth)
        # What is left out is of the order q^2 times a polynomial of degree six.
        assert_allclose(LogGamma().logpdf(SCORES, 0.0, 1.0, q), expected, atol=50 * q**2 + 1e-14)


def test_loggamma_quantiles_survive_the_underflow_of_gamma_quantiles():
    levels = np.array([1e-12, 1e-8, 1e-3])
    scores = LogGamma().ppf(levels, 0.0, 1.0, 6.0)
    # The left tail of a log-gamma variable is exponential: its log probability is linear.
    slopes = np.diff(np.log(levels)) / np.diff(scores)
    assert np.all(np.isfinite(scores))
    assert_allclose(slopes, slopes[0], rtol=1e-9)


def test_strong_skewness_is_kept_in_the_deep_tail():
    # For a large shape the skew normal tends to the half normal.
    levels = np.array([0.1, 0.5, 0.9, 0.999])
    half = np.sqrt(1.0 - 2.0 / np.pi)
    expected = -Norm().ppf(0.5 * (1.0 - levels), 0.0, 1.0) - np.sqrt(2.0 / np.pi)
    assert_allclose(SkewNorm().ppf(levels, 0.0, half, 1e6), expected, rtol=1e-5)


# --- norm_mixture ----------------------------------------------------------------------


def test_norm_mixture_of_alike_components_in_one_place_is_normal():
    for family, log_odds in ((NormMixture(), (1.3,)), (NormMixture(n_components=3), (1.3, -0.4))):
        shapes = *log_odds, *[1e-9] * len(log_odds), *[0.0] * len(log_odds)
        expected = Norm().logpdf(SCORES, 0.5, 2.0)
        assert_allclose(family.logpdf(SCORES, 0.5, 2.0, *shapes), expected, rtol=1e-12)
        assert_allclose(family.sf(SCORES, 0.5, 2.0, *shapes), Norm().sf(SCORES, 0.5, 2.0))


@pytest.mark.parametrize(
    ("weights", "means", "stds"),
    [
        ((0.8, 0.2), (-1.0, 2.0), (0.7, 0.4)),
        ((0.1, 0.9), (3.0, 3.5), (1.0, 2.0)),
        ((0.3, 0.5, 0.2), (-2.0, 0.0, 2.5), (0.6, 0.9, 0.3)),
    ],
)
def test_norm_mixture_is_the_sum_of_the_normals_that_its_shapes_describe(weights, means, stds):
    weights, means, stds = np.array([weights, means, stds])
    mean = weights @ means
    std = np.sqrt(weights @ (stds**2 + (means - mean) ** 2))
    reference = 1 if len(weights) == 3 else 0
    others = np.delete(np.arange(len(weights)), reference)
    shapes = (
        *np.log(weights / weights[reference])[others],
        *np.diff(means) / np.sqrt(weights @ stds**2),
        *np.log(stds / stds[reference])[others],
    )
    family, normals = NormMixture(n_components=len(weights)), stats.norm(means, stds)
    density = normals.pdf(SCORES[:, np.newaxis]) @ weights
    assert_allclose(family.logpdf(SCORES, mean, std, *shapes), np.log(density), rtol=1e-12)
    survival = normals.sf(SCORES[:, np.newaxis]) @ weights
    assert_allclose(family.sf(SCORES, mean, std, *shapes), survival, rtol=1e-12)


@pytest.mark.parametrize(
    ("shapes", "mirrored"),
    [
        ((0.7, 2.0, -0.4), (-0.7, 2.0, 0.4)),
        ((0.7, -1.0, 2.0, 3.0, -0.4, 0.2), (-1.0, 0.7, 3.0, 2.0, 0.2, -0.4)),
    ],
)
def test_norm_mixture_with_its_components_exchanged_is_the_mirror_image(shapes, mirrored):
    family = NormMixture(n_components=1 + len(shapes) // 3)
    assert_allclose(
        family.logpdf(SCORES, 0.5, 2.0, *shapes), family.logpdf(-SCORES, -0.5, 2.0, *mirrored)
    )
    levels = np.array([1e-9, 0.2, 0.5, 0.9])
    assert_allclose(
        family.ppf(levels, 0.5, 2.0, *shapes), -family.ppf(1.0 - levels, -0.5, 2.0, *mirrored)
    )
    # The prior does not say which of two forms is the mirror image.
    values = zip(shapes, mirrored, strict=True)
    priors = [p.prior for p in family.parameters[2:]]
    ours, theirs = np.sum(
        [[q.logpdf(v) for v in pair] for q, pair in zip(priors, values, strict=True)], axis=0
    )
    assert_allclose(ours, theirs)


@pytest.mark.parametrize(("separation", "n_modes"), [(1.9, 1), (2.1, 2), (6.0, 2)])
def test_norm_mixture_of_two_alike_has_two_modes_beyond_a_separation_of_two(separation, n_modes):
    density = NormMixture().logpdf(np.linspace(-4.0, 4.0, 4001), 0.0, 1.0, 0.0, separation, 0.0)
    assert len(signal.find_peaks(density)[0]) == n_modes


def test_norm_mixture_starts_at_the_heaps_of_a_class():
    truth = 0.0, 1.0, -1.0, 5.0, 0.3
    draws = NormMixture().ppf((np.arange(2000) + 0.5) / 2000, *truth)
    assert_allclose(NormMixture().start(draws, None), truth, atol=0.05)
    truth = 0.0, 1.0, -1.0, -0.5, 5.0, 5.0, 0.3, -0.2
    three = NormMixture(n_components=3)
    draws = three.ppf((np.arange(2000) + 0.5) / 2000, *truth)
    assert_allclose(three.start(draws, None), truth, atol=0.1)


@pytest.mark.parametrize("wrong", [1, 4, 2.5, "two"])
def test_norm_mixture_has_two_or_three_components(wrong):
    with pytest.raises(ValueError, match=f"n_components must be 2 or 3, got {wrong!r}"):
        NormMixture(n_components=wrong)


def test_norm_mixture_of_three_shares_its_priors_among_shapes_of_a_kind():
    family = NormMixture(n_components=3, separation_prior=NormalPrior(1.0, 0.5))
    names = [p.name for p in family.parameters if p.prior == NormalPrior(1.0, 0.5)]
    assert names == ["separation_1", "separation_2"]
    assert "n_components=3" in repr(family)


# --- the rest --------------------------------------------------------------------------


def test_gamma_with_equal_mean_and_std_is_exponential():
    scores = np.array([0.1, 1.0, 5.0])
    assert_allclose(Gamma().logpdf(scores, 2.0, 2.0), -0.5 * scores - np.log(2.0), rtol=1e-14)
    assert_allclose(Gamma().ppf(0.5, 2.0, 2.0), 2.0 * np.log(2.0), rtol=1e-14)


def test_gumbels_are_mirror_images():
    assert_allclose(GumbelL().logpdf(SCORES, 0.5, 2.0), GumbelR().logpdf(-SCORES, -0.5, 2.0))
    assert_allclose(GumbelL().sf(SCORES, 0.5, 2.0), 1.0 - GumbelR().sf(-SCORES, -0.5, 2.0))


def test_uniform_starts_where_every_weighted_score_has_density():
    scores = np.array([0.0, 0.1, 0.1, 0.1, 8.0, 99.0])
    values = Uniform().start(scores, np.array([1, 1, 1, 1, 1, 0]))
    log_density = Uniform().logpdf(scores, *values)
    assert_allclose(log_density[:5], -np.log(8.0), rtol=1e-5)
    assert log_density[5] == -np.inf


@pytest.mark.parametrize("first", [0.0, -np.inf, np.array([-np.inf, 2.0, -900.0, -np.inf])])
def test_logarithms_of_sums_are_those_of_numpy_also_of_zeros(first):
    second = np.array([-np.inf, -np.inf, -901.0, 3.0])
    for one, other in ((first, second), (second, first)):
        assert_allclose(log_add_exp(one, other), np.logaddexp(one, other), rtol=1e-15)
    assert log_add_exp(-np.inf, -np.inf) == -np.inf
