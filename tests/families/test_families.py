"""What every family promises, checked for every entry of `FAMILIES`."""

import pickle
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.families import Gamma, Norm, NormMixture, TruncNorm
from sklearn_spe.families._family import POSITIVE, REAL_LINE, NormalPrior
from sklearn_spe.families._registry import FAMILIES, as_families, as_family
from tests.families.oracles import to_scipy

DEFAULTS = {name: cls() for name, cls in FAMILIES.items()}
# Members of a family that has more than one form.
INSTANCES = DEFAULTS | {"norm_mixture of three": NormMixture(n_components=3)}
EVERY_FAMILY = pytest.mark.parametrize("family", INSTANCES.values(), ids=INSTANCES)
EVERY_DEFAULT = pytest.mark.parametrize("family", DEFAULTS.values(), ids=DEFAULTS)

LEVELS = np.concatenate(
    [np.logspace(-12, -2, 11), np.linspace(0.03, 0.97, 48), 1.0 - np.logspace(-2, -12, 11)]
)
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(60)


def typical(family, seed):
    """Return nine combinations of typical values: all those of two parameters, some of more."""
    every = list(product(*(parameter.typical for parameter in family.parameters)))
    return [every[i] for i in np.random.default_rng(seed).permutation(len(every))[:9]]


def panels(family, values, function=lambda scores: 1.0):
    """Integrate function * density between the quantiles of LEVELS, by Gauss-Legendre.

    Densities on the half line are integrated over the logarithm of the score, for they
    may have a pole at zero and a heavy tail.
    """
    edges = family.ppf(LEVELS, *values)
    positive = family.support == POSITIVE
    edges = np.log(edges) if positive else edges
    half = 0.5 * np.diff(edges)[:, np.newaxis]
    x = (0.5 * (edges[1:] + edges[:-1]))[:, np.newaxis] + half * NODES
    scores = np.exp(x) if positive else x
    density = np.exp(family.logpdf(scores, *values)) * (scores if positive else 1.0)
    return np.sum(half * NODE_WEIGHTS * density * function(scores), axis=1)


# --- the density -----------------------------------------------------------------------


@EVERY_FAMILY
def test_density_integrates_to_one(family, global_random_seed):
    for values in typical(family, global_random_seed):
        assert_allclose(panels(family, values).sum(), 1.0, rtol=1e-9)


@EVERY_FAMILY
def test_density_agrees_with_scipy(family, global_random_seed):
    for values in typical(family, global_random_seed):
        oracle = to_scipy(family, *values)
        if oracle is None:
            pytest.skip("scipy has no such density; its integral and its gradient are tested")
        scores = family.ppf(LEVELS, *values)
        assert_allclose(family.logpdf(scores, *values), oracle.logpdf(scores), rtol=1e-9, atol=1e-9)
        # Survival functions of scipy lose digits to cancellation in the tails: absolute.
        assert_allclose(family.sf(scores, *values), oracle.sf(scores), rtol=1e-9, atol=1e-12)


@EVERY_FAMILY
def test_mean_and_std_are_those_of_the_density(family, global_random_seed):
    if not family.exact_moments:
        pytest.skip("mean and std are those before truncation, or nominal")
    for values in typical(family, global_random_seed):
        mean, std = values[:2]
        centered = panels(family, values, lambda scores, mean=mean: scores - mean).sum()
        square = panels(family, values, lambda scores, mean=mean: (scores - mean) ** 2).sum()
        # The tails beyond LEVELS are missing.
        assert_allclose([centered / std, square / std**2], [0.0, 1.0], atol=1e-4)


@EVERY_FAMILY
def test_gradient_is_the_slope_of_the_log_density(family, global_random_seed):
    for values in typical(family, global_random_seed):
        scores = family.ppf(np.linspace(0.01, 0.99, 23), *values)
        gradient = family.gradient(scores, *values)
        assert len(gradient) == len(values) == len(family.parameters)
        for i, part in enumerate(gradient):
            step = 1e-3 * max(1.0, abs(values[i])) if i > 1 else 1e-3 * values[1]
            assert_allclose(part, slope(family, scores, values, i, step), rtol=1e-6, atol=1e-6)


def slope(family, scores, values, i, step):
    """Return the central difference of sixth order in parameter i."""

    def at(multiple):
        moved = list(values)
        moved[i] += multiple * step
        return family.logpdf(scores, *moved)

    differences = [at(k) - at(-k) for k in (1, 2, 3)]
    return np.dot([45.0, -9.0, 1.0], differences) / (60.0 * step)


# --- the distribution function ---------------------------------------------------------


@EVERY_FAMILY
def test_sf_is_the_integral_of_the_density(family, global_random_seed):
    for values in typical(family, global_random_seed):
        sf = family.sf(family.ppf(LEVELS, *values), *values)
        assert_allclose(panels(family, values), -np.diff(sf), rtol=1e-9, atol=1e-12)


@EVERY_FAMILY
def test_ppf_inverts_sf(family, global_random_seed):
    for values in typical(family, global_random_seed):
        scores = family.ppf(LEVELS, *values)
        assert_allclose(family.sf(scores, *values), 1.0 - LEVELS, rtol=1e-10, atol=1e-14)
        assert np.all(np.diff(scores) > 0.0)


@EVERY_FAMILY
def test_ppf_of_zero_and_one_are_the_ends_of_the_support(family, global_random_seed):
    for values in typical(family, global_random_seed):
        with np.errstate(all="raise"):
            low, high = family.ppf(np.array([0.0, 1.0]), *values)
        assert family.support[0] <= low < family.ppf(1e-12, *values)
        assert family.ppf(1.0 - 1e-12, *values) < high <= family.support[1]
        if np.isfinite(low):
            assert family.sf(low, *values) >= 1.0 - 1e-15
        if np.isfinite(high):
            assert family.sf(high, *values) <= 1e-15


@EVERY_FAMILY
def test_draws_follow_the_distribution(family, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    # With all families and values, a false alarm in 80,000 runs.
    n_draws, error_rate = 2000, 1e-7
    for values in typical(family, global_random_seed):
        draws = np.sort(family.rvs(rng, n_draws, *values))
        rank = np.arange(n_draws + 1) / n_draws
        cdf = 1.0 - family.sf(draws, *values)
        distance = max(np.max(rank[1:] - cdf), np.max(cdf - rank[:-1]))
        # The Dvoretzky-Kiefer-Wolfowitz inequality.
        assert distance < np.sqrt(np.log(2.0 / error_rate) / (2.0 * n_draws))


# --- shapes, edges and warnings --------------------------------------------------------


@EVERY_FAMILY
def test_extreme_scores_give_neither_nan_nor_warnings(family, global_random_seed):
    for values in typical(family, global_random_seed):
        scores = np.array([-1e8, -1e3, -1e-300, 0.0, 1e-300, 1e-10, 1e-3, 30.0, 1e3, 1e8])
        with np.errstate(all="raise"):
            log_density = family.logpdf(scores, *values)
            sf = family.sf(scores, *values)
            gradient = np.array(family.gradient(scores, *values))
        outside = (scores <= family.support[0]) | (scores >= family.support[1])
        assert np.all(log_density[outside] == -np.inf)
        assert not np.any(np.isnan(log_density))
        assert np.all(log_density < np.inf)
        assert np.all(np.isfinite(gradient))
        assert np.all((sf >= 0.0) & (sf <= 1.0))
        assert np.all(np.diff(sf) <= 1e-15)


@EVERY_FAMILY
def test_extreme_scales_give_neither_nan_nor_warnings(family):
    shapes = [parameter.typical[0] for parameter in family.parameters[2:]]
    scores = np.array([1e-6, 0.1, 1.0, 1.1, 50.0])
    for extreme in (1e-6, 1e-3, 1e3, 1e6):
        with np.errstate(all="raise"):
            log_density = family.logpdf(scores, 1.0, extreme, *shapes)
            gradient = family.gradient(scores, 1.0, extreme, *shapes)
            sf = family.sf(scores, 1.0, extreme, *shapes)
            quantiles = family.ppf(np.array([1e-6, 0.5, 1.0 - 1e-6]), 1.0, extreme, *shapes)
        assert not np.any(np.isnan(log_density))
        assert np.isfinite(log_density[2])
        assert np.all(np.isfinite(gradient))
        assert np.all(np.diff(sf) <= 0.0)
        assert np.all(np.diff(quantiles) >= 0.0)


# --- parameters and starts -------------------------------------------------------------


@EVERY_FAMILY
def test_parameters_are_the_mean_the_std_and_shapes(family):
    names = [parameter.name for parameter in family.parameters]
    roles = [parameter.role for parameter in family.parameters]
    assert names[:2] == ["mean", "std"]
    assert roles == ["location", "scale"] + ["shape"] * (len(roles) - 2)
    assert family.support in (REAL_LINE, POSITIVE)
    for parameter in family.parameters:
        assert parameter.typical
        assert all(parameter.lower < value < parameter.upper for value in parameter.typical)


@EVERY_FAMILY
def test_start_lies_within_the_bounds(family, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    samples = {
        "spread": rng.gamma(2.0, 1.0, 50),
        "exponential": rng.exponential(1.0, 50),
        "heavy": np.exp(rng.normal(0.0, 2.0, 50)),
        "mirrored": 10.0 - np.minimum(rng.exponential(1.0, 50), 9.0),
        "two": np.array([0.5, 2.0]),
        "tied": np.full(5, 0.3),
        "single": np.array([0.3]),
    }
    for scores in samples.values():
        with np.errstate(all="raise"):
            values = family.start(scores, np.ones(scores.size))
        assert len(values) == len(family.parameters)
        for parameter, value in zip(family.parameters, values, strict=True):
            assert type(value) is float
            assert parameter.lower < value < parameter.upper
        assert np.all(np.isfinite(family.logpdf(scores, *values)))


@EVERY_FAMILY
def test_start_with_weights_equals_repeated_scores(family, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, weights = rng.gamma(2.0, 1.0, 40), rng.integers(1, 5, 40)
    repeated = np.repeat(scores, weights)
    assert_allclose(family.start(scores, weights), family.start(repeated, None), rtol=1e-9)
    ignored = np.append(scores, 100.0), np.append(weights, 0)
    assert_allclose(family.start(*ignored), family.start(scores, weights), rtol=1e-9)


@EVERY_FAMILY
def test_start_is_close_to_the_truth_in_likelihood(family, global_random_seed):
    for values in typical(family, global_random_seed):
        # Quantiles: moments of heavy tails, and with them the start, are luck for draws.
        scores = family.ppf((np.arange(1000) + 0.5) / 1000, *values)
        started = family.logpdf(scores, *family.start(scores, None))
        # Half a nat a score: a bad start loses many.
        assert np.mean(started) > np.mean(family.logpdf(scores, *values)) - 0.5


# --- value semantics -------------------------------------------------------------------


@EVERY_DEFAULT
def test_families_are_values(family):
    same = pickle.loads(pickle.dumps(family))
    assert same == family
    assert hash(same) == hash(family)
    assert repr(family) == f"{type(family).__name__}()"
    other = type(family)(mean_prior=NormalPrior(1.0, 2.0))
    assert other != family
    assert (
        repr(other) == f"{type(family).__name__}(mean_prior=NormalPrior(location=1.0, scale=2.0))"
    )
    assert other.parameters[0].prior == NormalPrior(1.0, 2.0)
    with pytest.raises(AttributeError):
        family.mean_prior = NormalPrior()


@EVERY_DEFAULT
def test_every_prior_is_a_field_that_reaches_its_parameter(family):
    for parameter in family.parameters:
        prior = NormalPrior(0.123, 4.0)
        changed = type(family)(**{f"{parameter.name}_prior": prior})
        priors = {p.name: p.prior for p in changed.parameters}
        assert priors.pop(parameter.name) == prior
        assert priors.items() <= {p.name: p.prior for p in family.parameters}.items()


@pytest.mark.parametrize("wrong", [None, 3, ("norm",)])
def test_as_family_rejects_other_types(wrong):
    with pytest.raises(TypeError, match="must be a name or an instance"):
        as_family(wrong)


def test_a_family_is_given_by_name_or_as_an_instance():
    own = Norm(mean_prior=NormalPrior(1.0, 2.0))
    assert as_family(own) is own
    assert as_family("norm_mixture") == NormMixture()


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (Norm, TypeError, r"Got the class Norm; pass an instance, Norm\(\)"),
        (np.array(0.5), TypeError, "A family must be a name"),
        ("normal", ValueError, "Unknown family 'normal'; choose one of truncnorm, trunct, gamma,"),
    ],
)
def test_a_class_or_an_unknown_name_is_refused_with_the_remedy(wrong, error, message):
    for read in (as_family, as_families, lambda family: as_families(["norm", family])):
        with pytest.raises(error, match=message):
            read(wrong)


@pytest.mark.parametrize(
    ("families", "read"),
    [
        ("auto", [TruncNorm(), Gamma()]),
        ("norm", [Norm()]),
        (Norm(), [Norm()]),
        (("gamma", Norm()), [Gamma(), Norm()]),
        (np.array(["gamma", "norm"]), [Gamma(), Norm()]),
    ],
    ids=repr,
)
def test_families_are_one_or_several(families, read):
    assert as_families(families) == read


def test_no_family_is_refused():
    with pytest.raises(ValueError, match="The sequence of families is empty; name at least one"):
        as_families([])


@EVERY_FAMILY
def test_any_one_value_may_vary_over_draws(family):
    scores = np.array([0.3, 1.1, 2.7])
    typical = [parameter.typical[0] for parameter in family.parameters]
    for varying, parameter in enumerate(family.parameters):
        column = np.array(parameter.typical)[:, np.newaxis]
        values = [column if j == varying else v for j, v in enumerate(typical)]
        rows = [
            family.logpdf(scores, *(v[i, 0] if j == varying else v for j, v in enumerate(values)))
            for i in range(len(column))
        ]
        assert_allclose(family.logpdf(scores, *values), rows, rtol=1e-13)


@EVERY_FAMILY
def test_the_derivatives_of_the_centre_are_its_slopes(family):
    values = [np.array(parameter.typical[:3]) for parameter in family.parameters]
    values = [np.resize(v, 3) + 0.05 for v in values]
    _, slopes = family.center(*values)
    for j, slope in enumerate(slopes):
        ends = [
            family.center(*(v + sign * 1e-4 * (i == j) for i, v in enumerate(values)))[0]
            for sign in (1, -1)
        ]
        assert_allclose(slope, (ends[0] - ends[1]) / 2e-4, rtol=1e-4, atol=1e-5)
