"""Paths of curves over strata of rank: all paths enumerated, and what no path may depend on."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.data._cells import FIRST_RANK, strata_of
from sklearn_spe.engine._components import CurveComponents
from sklearn_spe.engine._curve_paths import PathFilters, resampled
from sklearn_spe.engine._random_effects import RandomEffects
from sklearn_spe.families._family import BetaPrior
from tests.engine.updates import update_scores
from tests.experts.problems import FixedCurves, cells_of, ensemble_of, line, sample_of

N_STRATA, N_CURVES = 3, 4
SWITCHES = ([0.0, 0.0], [0.05, 0.05], [0.4, 0.0], [1.0, 0.3])
# How many standard errors a normal variable is off once in ten millions; tests have a handful.
FAR = 5.4


def problem(seed, n_draws=1):
    """Return the prior of a few curves, and the log likelihood of each stratum by each."""
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.ones(N_CURVES))
    return prior, rng.normal(0.0, 2.0, (n_draws, N_STRATA, N_CURVES))


def enumerated(prior, log_likelihood, switches, n_strata=N_STRATA):
    """Return all paths, and the log of the joint density of each and the labels."""
    paths = np.array([*itertools.product(range(len(prior)), repeat=n_strata)])
    density = prior[paths[:, 0]]
    for switch, (before, after) in zip(switches, itertools.pairwise(paths.T), strict=True):
        density = density * ((1.0 - switch) * (before == after) + switch * prior[after])
    likelihood = log_likelihood[np.arange(n_strata), paths].sum(axis=1)
    with np.errstate(divide="ignore"):
        return paths, np.log(density) + likelihood


@pytest.mark.parametrize("switches", SWITCHES)
def test_evidence_and_marginals_are_those_of_all_paths(switches, global_random_seed):
    prior, log_likelihood = problem(global_random_seed, n_draws=3)
    filters = PathFilters.of(prior, log_likelihood, switches)
    marginals = filters.marginals()
    for k, of_draw in enumerate(log_likelihood):
        paths, log_joint = enumerated(prior, of_draw, switches)
        assert filters.log_evidence[k] == pytest.approx(special.logsumexp(log_joint), rel=1e-10)
        chances = special.softmax(log_joint)
        for stratum in range(N_STRATA):
            exact = np.bincount(paths[:, stratum], chances, N_CURVES)
            assert_allclose(marginals[k, stratum], exact, atol=1e-12)


@pytest.mark.parametrize("switches", SWITCHES)
def test_paths_are_drawn_as_often_as_they_are_probable(switches, global_random_seed):
    n = 20_000
    prior, log_likelihood = problem(global_random_seed, n_draws=2)
    filters = PathFilters.of(prior, log_likelihood, switches)
    draws = np.repeat([0, 1], n)
    drawn = filters.draw(draws, np.random.default_rng(global_random_seed))
    for k in (0, 1):
        paths, log_joint = enumerated(prior, log_likelihood[k], switches)
        exact = special.softmax(log_joint)
        number = drawn[draws == k] @ N_CURVES ** np.arange(N_STRATA)[::-1]
        count = stats.binom(n, exact)
        n_drawn = np.bincount(number, minlength=len(paths))
        tail = np.minimum(count.cdf(n_drawn), count.sf(n_drawn - 1))
        assert (tail >= stats.norm.sf(FAR)).all()


@pytest.mark.parametrize("switches", SWITCHES)
def test_from_above_and_from_below_paths_are_the_same(switches, global_random_seed):
    prior, log_likelihood = problem(global_random_seed)
    one = PathFilters.of(prior, log_likelihood, switches)
    other = PathFilters.of(prior, log_likelihood[:, ::-1], switches[::-1])
    assert_allclose(one.log_evidence, other.log_evidence, rtol=1e-10)
    assert_allclose(one.marginals(), other.marginals()[:, ::-1], atol=1e-12)


def test_without_a_switch_one_curve_has_all_strata(global_random_seed):
    prior, log_likelihood = problem(global_random_seed)
    filters = PathFilters.of(prior, log_likelihood, [0.0, 0.0])
    rng = np.random.default_rng(global_random_seed)
    paths = filters.draw(np.zeros(500, dtype=int), rng)
    assert_array_equal(paths, paths[:, :1] + np.zeros((1, N_STRATA), dtype=int))
    exact = special.softmax(np.log(prior) + filters.of_one_curve[0])
    assert_allclose(filters.marginals()[0, 1], exact, atol=1e-12)


def test_where_nothing_is_labeled_the_prior_returns(global_random_seed):
    prior, log_likelihood = problem(global_random_seed)
    far = np.zeros((1, 60, N_CURVES))
    far[:, 0] = 50.0 * log_likelihood[:, 0]
    marginals = PathFilters.of(prior, far, np.full(59, 0.2)).marginals()[0]
    distance = np.abs(marginals - prior).max(axis=1)
    assert (np.diff(distance) <= 1e-12).all()
    assert distance[-1] < 1e-5 < 1e-3 < distance[0]


@pytest.mark.parametrize("n", [1, 2, 30, 1001])
def test_strata_halve_from_both_ends(n, global_random_seed):
    scores = np.sort(np.random.default_rng(global_random_seed).normal(size=n))
    cells, mirrored = cells_of(scores, "margin"), cells_of(-scores, "margin")
    stratum = strata_of(cells.counts)
    assert stratum[0] == 0
    assert set(np.diff(stratum)) <= {0, 1}
    image = strata_of(mirrored.counts)[::-1]
    assert_array_equal(stratum == stratum[0], image == image[0])
    # The item in the middle, which has no side, belongs to one.
    if n % 2 == 0:
        assert_array_equal(image, stratum.max() - stratum)
    if n == 1001:
        sizes = np.bincount(stratum, cells.counts)
        assert sizes[0] == pytest.approx(FIRST_RANK, abs=1.0)
        assert_allclose(sizes[1:4], FIRST_RANK * 2.0 ** np.arange(3), atol=2.0)


CURVES = (line(-2.0), line(-1.0, 2.0), line(0.5, 0.3))
SCORES = np.linspace(-2.0, 2.0, 40)
CODES = np.array([0, 1, 0, 0, 1, 1])
# Labeled items, and at which of three boundaries of strata a path may switch: not in a gap between
# labels.
PLANS = (
    ([0, 3, 20, 31, 36, 39], [False, False, True]),
    ([12, 13, 15, 21, 24, 28], [True, True, True]),
    ([0, 1, 2, 3, 4, 5], [True, True, True]),
    ([1, 2, 5, 31, 36, 39], [False, False, False]),
)


@pytest.mark.parametrize(("labeled", "may_switch"), PLANS, ids=["gap", "middle", "end", "ends"])
@pytest.mark.parametrize("prior", [BetaPrior(), BetaPrior(2.0, 9.0)], ids=["flat", "rare"])
def test_an_update_has_the_posterior_of_all_paths(labeled, may_switch, prior, global_random_seed):
    # The prior of the prevalence is that of the path, not of any of its curves.
    cells = cells_of(SCORES, "margin")
    codes = np.full(len(SCORES), -1)
    codes[labeled] = CODES
    ensemble = ensemble_of(cells, [FixedCurves(3, functions=CURVES)])
    rng = np.random.default_rng(global_random_seed)
    components = CurveComponents.drawn((ensemble,), (1.0,), ensemble.names, RandomEffects(), rng)
    updated = update_scores(components, sample_of(SCORES, codes), prior, 4000, rng, switch=0.1)

    stratum = strata_of(cells.counts)
    at_cells = np.array([f(cells.scores) for f in CURVES])
    sign = 2.0 * CODES - 1.0
    log_likelihood = np.zeros((stratum.max() + 1, len(CURVES)))
    np.add.at(log_likelihood, stratum[labeled], special.log_expit(sign * at_cells[:, labeled]).T)
    third = np.full(len(CURVES), 1.0 / 3.0)
    switches = 0.1 * np.array(may_switch)
    paths, log_joint = enumerated(third, log_likelihood, switches, stratum.max() + 1)
    p = special.expit(at_cells[paths[:, stratum], np.arange(cells.n_cells)])
    prevalence = p @ cells.shares
    chances = special.softmax(log_joint + stats.beta(prior.a, prior.b).logpdf(prevalence))

    drawn = special.expit(updated.log_odds)
    exact = chances @ p
    error = np.sqrt(np.maximum(chances @ (p - exact) ** 2, 1e-12) / updated.ess)
    assert (np.abs(drawn.mean(axis=0) - exact) < FAR * error).all()
    assert updated.ess > 1000.0


def test_resampled_draws_are_as_many_as_their_weights_are_effective(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    # Equal weights lose none; one alone makes all draws alike.
    drawn, ess = resampled(np.full(60, -7.0), 20, rng)
    assert len(np.unique(drawn)) == 20
    assert ess == pytest.approx(20.0)
    drawn, ess = resampled(np.where(np.arange(60) == 8, 0.0, -900.0), 20, rng)
    assert_array_equal(drawn, 8)
    assert 0.9 < ess < 1.1
    # k of many weigh the same, others nothing: as many effective ones as draws of k can be.
    drawn, ess = resampled(np.where(np.arange(4000) < 20, 0.0, -900.0), 4000, rng)
    assert_array_equal(np.bincount(drawn), 200)
    assert ess == pytest.approx(20.0)
