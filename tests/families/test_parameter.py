"""Parameters: their maps to the real line, and their priors there."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe.families import Norm, NormMixture, TruncNorm
from sklearn_spe.families._family import (
    BetaPrior,
    GammaPrior,
    NormalPrior,
    Parameter,
    as_prevalence_prior,
)
from sklearn_spe.families._registry import FAMILIES

PRIORS = [
    (NormalPrior(), stats.norm()),
    (NormalPrior(-1.5, 3.0), stats.norm(-1.5, 3.0)),
    (GammaPrior(), stats.gamma(2.0, scale=0.5)),
    (GammaPrior(0.7, 2.0), stats.gamma(0.7, scale=2.0)),
    (BetaPrior(), stats.beta(1.0, 1.0)),
    (BetaPrior(2.0, 0.5), stats.beta(2.0, 0.5)),
]
# Location, spread and resolution of scores: standard ones, and others far from them.
UNITS = [(0.0, 1.0, 1e-3), (2.5, 1.0, 0.005), (40.0, 0.02, 1e-4)]
LEVELS = np.linspace(0.02, 0.98, 25)


# The parameters of each family in all units, and those that are no family's.
PARAMETERS = {
    name: [p.in_units(*units) for p in family().parameters for units in UNITS]
    for name, family in FAMILIES.items()
} | {
    "bounded": [
        Parameter("prevalence", "shape", BetaPrior(), 0.0, 1.0),
        Parameter("prevalence", "shape", BetaPrior(2.0, 5.0), 0.0, 1.0),
        Parameter("cut on both sides", "location", NormalPrior(), -0.5, 2.0),
    ]
}
EVERY_PARAMETER = pytest.mark.parametrize("parameters", PARAMETERS.values(), ids=PARAMETERS)
EVERY_PRIOR = pytest.mark.parametrize(("prior", "oracle"), PRIORS, ids=[repr(p[0]) for p in PRIORS])


def typical_u(parameter, levels=LEVELS):
    """Return quantiles of the prior on the real line."""
    low, high = parameter.prior.cdf(parameter.lower), parameter.prior.cdf(parameter.upper)
    return parameter.real(parameter.prior.ppf(low + (high - low) * np.asarray(levels)))


@EVERY_PRIOR
def test_priors_agree_with_scipy(prior, oracle):
    levels = np.linspace(0.01, 0.99, 33)
    values = oracle.ppf(levels)
    assert_allclose(prior.ppf(levels), values, rtol=1e-9, atol=1e-12)
    assert_allclose(prior.cdf(values), levels, rtol=1e-9)
    assert_allclose(prior.logpdf(values), oracle.logpdf(values), rtol=1e-9, atol=1e-12)


@EVERY_PRIOR
def test_the_score_of_a_prior_is_the_slope_of_its_log_density(prior, oracle):
    values = oracle.ppf(np.linspace(0.05, 0.95, 19))
    step = 1e-6 * (1.0 + np.abs(values)) * np.minimum(1.0, np.abs(1.0 - values))
    slope = (prior.logpdf(values + step) - prior.logpdf(values - step)) / (2.0 * step)
    assert_allclose(prior.score(values), slope, rtol=1e-5, atol=1e-7)


def test_rescaled_priors_are_the_distribution_of_the_rescaled_value():
    levels = np.linspace(0.1, 0.9, 9)
    normal, gamma, beta = NormalPrior(1.0, 2.0), GammaPrior(3.0, 0.5), BetaPrior(2.0, 3.0)
    assert_allclose(normal.rescaled(5.0, 0.1).ppf(levels), 5.0 + 0.1 * normal.ppf(levels))
    # Scales change their unit only, and shapes nothing.
    assert_allclose(gamma.rescaled(5.0, 0.1).ppf(levels), 0.1 * gamma.ppf(levels))
    assert beta.rescaled(5.0, 0.1) == beta


@EVERY_PARAMETER
def test_the_maps_are_inverse(parameters):
    for parameter in parameters:
        u = typical_u(parameter)
        assert_allclose(parameter.real(parameter.value(u)), u, rtol=1e-7, atol=1e-7)


@EVERY_PARAMETER
def test_values_at_the_bounds_are_moved_inside(parameters):
    for parameter in parameters:
        ends = np.array([end for end in (parameter.lower, parameter.upper) if np.isfinite(end)])
        inside = parameter.value(parameter.real(ends))
        assert np.isfinite(parameter.real(ends)).all()
        assert_allclose(inside, ends, atol=1e-7 * (1.0 + np.abs(ends)).max(initial=1.0))


@EVERY_PARAMETER
def test_the_slope_is_that_of_the_map(parameters):
    for parameter in parameters:
        u = typical_u(parameter)
        step = 1e-5
        slope = (parameter.value(u + step) - parameter.value(u - step)) / (2.0 * step)
        assert_allclose(parameter.slope(parameter.value(u)), slope, rtol=1e-5, atol=1e-9)


@EVERY_PARAMETER
def test_the_gradient_of_the_log_prior_is_its_slope(parameters):
    for parameter in parameters:
        u = typical_u(parameter)
        step = 1e-5 * (1.0 if np.isfinite(parameter.lower) else parameter.prior.scale)
        below, above = (parameter.log_prior(v, parameter.value(v)) for v in (u - step, u + step))
        slope = (above - below) / (2.0 * step)
        value = parameter.value(u)
        score = parameter.prior_score(u, value, parameter.slope(value))
        assert_allclose(score, slope, rtol=1e-4, atol=1e-5)


@EVERY_PARAMETER
def test_the_prior_integrates_to_one_on_the_real_line(parameters):
    for parameter in parameters:
        # Between two extreme quantiles, by the trapezoid rule, which converges geometrically for
        # smooth densities that fade out at both ends.
        u = np.linspace(*typical_u(parameter, [1e-11, 1.0 - 1e-11]), 20_001)
        density = np.exp(parameter.log_prior(u, parameter.value(u)))
        assert_allclose(density.sum() * (u[1] - u[0]), 1.0, rtol=1e-7)


@EVERY_PARAMETER
def test_far_out_the_log_prior_stays_a_number(parameters):
    for parameter in parameters:
        u = np.array([-1e4, -200.0, 200.0, 1e4])
        value = parameter.value(u)
        log_density = parameter.log_prior(u, value)
        gradient = parameter.prior_score(u, value, parameter.slope(value))
        assert (log_density < np.log(1e-60)).all()
        assert not np.isnan(gradient).any()


@EVERY_PARAMETER
def test_draws_follow_the_prior_cut_to_the_bounds(parameters, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for parameter in parameters:
        values = parameter.ppf(rng.random(500))
        low, high = parameter.prior.cdf(parameter.lower), parameter.prior.cdf(parameter.upper)
        assert values.shape == (500,)
        assert (values >= parameter.lower).all()
        assert (values <= parameter.upper).all()
        levels = (parameter.prior.cdf(values) - low) / (high - low)
        # A hundred parameters: a false alarm in 100,000 runs.
        assert stats.kstest(levels, "uniform").pvalue > 1e-7


@pytest.mark.parametrize("units", UNITS)
def test_scales_are_bounded_below_by_the_resolution(units):
    location, spread, resolution = units
    for family in FAMILIES.values():
        mean, std = (p.in_units(*units) for p in family().parameters[:2])
        assert std.lower == resolution
        assert std.prior == GammaPrior(2.0, 0.5 * spread)
        assert mean.prior == NormalPrior(location, 3.0 * spread)
        assert mean.lower == family.mean_lower


@pytest.mark.parametrize("probability", [0.5, 0.9, 0.99])
@pytest.mark.parametrize(
    "interval", [(0.01, 0.05), (1e-4, 1e-3), (0.05, 0.95), (0.4, 0.41), (0.001, 0.5), (0.9, 0.999)]
)
def test_a_prior_from_an_interval_has_equal_tails_on_both_sides(interval, probability):
    prior = BetaPrior.from_interval(*interval, probability)
    tail = (1.0 - probability) / 2.0
    oracle = stats.beta(prior.a, prior.b)
    assert_allclose(oracle.cdf(interval), [tail, 1.0 - tail], atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 0.2), "low must be smaller than high"),
        ((0.2, 0.2), "low must be smaller than high"),
        ((0.0, 0.2), r"low must lie in \(0, 1\)"),
        ((0.2, 1.0), r"high must lie in \(0, 1\)"),
        ((0.1, 0.2, 1.0), r"probability must lie in \(0, 1\)"),
        ((0.1, 0.2, 3e-42), "probability 3e-42"),
        ((1e-300, 0.9), "No beta prior was found with 90%"),
    ],
)
def test_an_interval_that_is_none_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        BetaPrior.from_interval(*arguments)


@pytest.mark.parametrize("prior", [(0.0, 1.0), (1.0, -1.0), (np.nan, 1.0)])
def test_the_parameters_of_a_prevalence_prior_are_positive(prior):
    with pytest.raises(ValueError, match=r"prevalence_prior must lie in \(0, inf\)"):
        as_prevalence_prior(prior)


@pytest.mark.parametrize("prior", [BetaPrior(2.0, 8.0), (2, 8.0), np.array([2.0, 8.0])], ids=repr)
def test_a_prevalence_prior_is_one_or_the_pair_of_its_parameters(prior):
    assert as_prevalence_prior(prior) == BetaPrior(2.0, 8.0)


@pytest.mark.parametrize("prior", [0.1, (1.0, 2.0, 3.0), "ab", None])
def test_what_is_no_pair_is_no_prevalence_prior(prior):
    with pytest.raises(ValueError, match=r"the two parameters of a beta density, .*; got "):
        as_prevalence_prior(prior)


def test_a_range_is_not_taken_for_the_parameters_of_a_density():
    with pytest.raises(ValueError, match=r"pass BetaPrior.from_interval\(0\.01, 0\.05\); if you"):
        as_prevalence_prior((0.05, 0.01))
    # One of them may be as small: nearly all mass is at one end, as it may be meant.
    assert as_prevalence_prior((0.05, 1.0)) == BetaPrior(0.05, 1.0)


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: NormalPrior(0.0, -1.0), ValueError, r"scale must lie in \(0, inf\), got -1"),
        (lambda: NormalPrior(np.nan), ValueError, r"location must lie in \(-inf, inf\), got nan"),
        (lambda: NormalPrior("0"), TypeError, "location must be a number"),
        (lambda: GammaPrior(0.0), ValueError, "shape must lie"),
        (lambda: GammaPrior(2.0, np.inf), ValueError, "scale must lie"),
        (lambda: BetaPrior(1.0, -1.0), ValueError, "b must lie"),
        (lambda: TruncNorm(mean_prior=3.0), TypeError, "mean_prior of TruncNorm must be a prior"),
        (lambda: Norm(std_prior=GammaPrior), TypeError, "std_prior of Norm must be a prior"),
        (lambda: NormMixture(log_width_prior=None), TypeError, "log_width_prior of NormMixture"),
    ],
)
def test_priors_and_families_are_checked_when_they_are_made(make, error, says):
    with pytest.raises(error, match=says):
        make()
