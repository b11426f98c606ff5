"""Families with a formula for the values that maximise a weighted likelihood."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, special, stats

from sklearn_spe.families import Gamma, LogNorm, Norm, Uniform
from sklearn_spe.families._registry import FAMILIES

DEFAULTS = {name: cls() for name, cls in FAMILIES.items()}


def weighted_scores(seed, n=60, whole=False):
    """Return positive scores within the reach of every family, and weights, some of them zero."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, n).astype(float) if whole else rng.uniform(0.0, 2.0, n)
    return rng.gamma(3.0, 0.5, n), weights


FORMULAS = {
    name: family
    for name, family in DEFAULTS.items()
    if family.maximum_likelihood(*weighted_scores(0)) is not None
}
EVERY_FORMULA = pytest.mark.parametrize("family", FORMULAS.values(), ids=FORMULAS)
REGULAR = {name: family for name, family in FORMULAS.items() if family.regular}
EVERY_REGULAR = pytest.mark.parametrize("family", REGULAR.values(), ids=REGULAR)
EVERY_DEFAULT = pytest.mark.parametrize("family", DEFAULTS.values(), ids=DEFAULTS)


def log_likelihood(family, values, scores, weights):
    return weights @ family.logpdf(scores, *values)


@EVERY_FORMULA
def test_no_values_next_to_the_formula_are_likelier(family, global_random_seed):
    scores, weights = weighted_scores(global_random_seed)
    values = family.maximum_likelihood(scores, weights)
    highest = log_likelihood(family, values, scores, weights)
    assert np.isfinite(highest)
    rng = np.random.default_rng(global_random_seed)
    # Not below 1e-4: the interval of the uniform is wider than the scores by 1e-6 on purpose.
    for size in (1e-4, 1e-2, 0.3):
        for _ in range(100):
            step = size * rng.choice([-1.0, 1.0], len(values)) * rng.uniform(0.5, 1.0, len(values))
            moved = np.array(values) * np.exp(step)
            assert log_likelihood(family, moved, scores, weights) <= highest + 1e-10 * abs(highest)


@EVERY_REGULAR
def test_a_climb_without_gradient_ends_no_higher(family, global_random_seed):
    scores, weights = weighted_scores(global_random_seed)
    highest = log_likelihood(family, family.maximum_likelihood(scores, weights), scores, weights)
    end = optimize.minimize(
        lambda logs: -log_likelihood(family, np.exp(logs), scores, weights),
        np.log(family.start(scores, weights)),
        method="Nelder-Mead",
        options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000},
    )
    assert end.success
    assert abs(highest + end.fun) < 1e-8 * abs(highest)


@EVERY_REGULAR
def test_the_gradient_is_zero_there(family, global_random_seed):
    scores, weights = weighted_scores(global_random_seed)
    values = family.maximum_likelihood(scores, weights)
    for slopes in family.gradient(scores, *values):
        # In units of the slopes that cancel.
        assert abs(weights @ slopes) < 1e-10 * (weights @ np.abs(slopes))


SCIPY = {
    "norm": (Norm(), lambda s: stats.norm(*stats.norm.fit(s))),
    "gamma": (Gamma(), lambda s: stats.gamma(*stats.gamma.fit(s, floc=0.0))),
    "lognorm": (LogNorm(), lambda s: stats.lognorm(*stats.lognorm.fit(s, floc=0.0))),
}


@pytest.mark.parametrize(("family", "fit"), SCIPY.values(), ids=SCIPY)
def test_scores_of_equal_weight_are_fitted_as_scipy_does(family, fit, global_random_seed):
    scores, _ = weighted_scores(global_random_seed)
    distribution = fit(scores)
    values = family.maximum_likelihood(scores, np.ones(len(scores)))
    assert_allclose(values, [distribution.mean(), distribution.std()], rtol=1e-6)


def test_the_uniform_is_as_narrow_as_the_scores_allow(global_random_seed):
    scores, weights = weighted_scores(global_random_seed)
    mean, std = Uniform().maximum_likelihood(scores, weights)
    distribution = stats.uniform(*stats.uniform.fit(scores[weights > 0.0]))
    assert_allclose([mean, std], [distribution.mean(), distribution.std()], rtol=2e-6)
    assert np.isfinite(Uniform().logpdf(scores[weights > 0.0], mean, std)).all()


@pytest.mark.parametrize("shape", [0.02, 0.3, 1.0, 7.0, 300.0, 1e4])
def test_the_shape_of_a_gamma_solves_its_equation(shape):
    # Scores whose mean and mean logarithm are those of the density, by quantiles.
    levels = (np.arange(2000) + 0.5) / 2000
    scores = special.gammaincinv(shape, levels)
    scores, weights = scores[scores > 0.0], np.ones(np.sum(scores > 0.0))
    mean, std = Gamma().maximum_likelihood(scores, weights)
    k = (mean / std) ** 2
    assert_allclose(mean, scores.mean(), rtol=1e-12)
    gap = np.log(scores.mean()) - np.log(scores).mean()
    # Logarithms of scores near one another cancel.
    assert_allclose(np.log(k) - special.psi(k), gap, rtol=1e-9, atol=1e-14)


@EVERY_FORMULA
def test_frequency_weights_stand_for_repeated_scores(family, global_random_seed):
    scores, times = weighted_scores(global_random_seed, whole=True)
    repeated = np.repeat(scores, times.astype(int))
    assert_allclose(
        family.maximum_likelihood(scores, times),
        family.maximum_likelihood(repeated, np.ones(len(repeated))),
        rtol=1e-9,
    )


@EVERY_FORMULA
def test_a_score_of_no_weight_is_not_seen_wherever_it_lies(family, global_random_seed):
    scores, weights = weighted_scores(global_random_seed)
    values = family.maximum_likelihood(scores[weights > 0.0], weights[weights > 0.0])
    with_more = family.maximum_likelihood(np.r_[-50.0, 0.0, scores], np.r_[0.0, 0.0, weights])
    assert_allclose(with_more, values, rtol=1e-12)


@EVERY_FORMULA
def test_larger_units_scale_the_values(family, global_random_seed):
    scores, weights = weighted_scores(global_random_seed)
    values = np.array(family.maximum_likelihood(scores, weights))
    assert_allclose(family.maximum_likelihood(1e3 * scores, weights), 1e3 * values, rtol=1e-9)


@EVERY_FORMULA
def test_a_score_that_is_alone_is_the_mean_and_has_hardly_any_spread(family):
    mean, std = family.maximum_likelihood(np.array([1.7]), np.array([0.5]))
    assert_allclose(mean, 1.7, rtol=1e-12)
    # Rounding of a variance leaves its root.
    assert 0.0 <= std < 1e-7


@EVERY_DEFAULT
def test_a_family_is_regular_if_its_support_does_not_depend_on_its_values(family):
    ends = np.array(
        [
            family.ppf(np.array([0.0, 1.0]), *values)
            for values in product(*(parameter.typical for parameter in family.parameters))
        ]
    )
    # A quantile of zero may come out as a rounding error above zero.
    with np.errstate(invalid="ignore"):
        moves = not (np.isclose(ends, ends[0], atol=1e-12) | (ends == ends[0])).all()
    assert family.regular == (not moves)
