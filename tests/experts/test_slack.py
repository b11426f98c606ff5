"""Slack: a prior, moves that leave it as it is, and a basis for a Gaussian process."""

from dataclasses import fields, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.experts import Slack, SlackScale, propose
from sklearn_spe.experts._slack import LENGTH, N_WAVES, REACH, ROUGHNESS, ROUGHNESS_WEIGHTS
from tests.experts.problems import NO_SLACK, cells_of

N = 20_000
# The chance of a false alarm of one of some ten assertions of a test, and how many standard errors
# a normal variable is off as rarely.
ALARM, FAR = 1e-7, 5.4
# Lapses so often that their law can be seen.
SCALE = replace(SlackScale(), lapse=0.4, plateau=0.3, wide_share=0.5)


@pytest.fixture
def slack(global_random_seed):
    return Slack.on(cells_of(np.random.default_rng(global_random_seed).normal(size=3000)))


def standard(draws):
    """Return everything that is standard normal under the prior, and the lapses."""
    return {
        "shift": draws.shift / draws.shift_scale,
        "log stretch": draws.log_stretch / draws.stretch_scale,
        "first wave": draws.waves[:, 0] / draws.roughness,
        "last wave": draws.waves[:, -1] / draws.roughness,
    }


def moved(slack, rng, n_moves, steps=(0.2, 0.9), redraw=0.3):
    draws = first = slack.draw(rng, N, SCALE)
    for _ in range(n_moves):
        draws = propose(rng, draws, rng.choice(steps, N), redraw)
    return first, draws


def assert_prior(first, draws):
    # Eight tests: the chance of a false alarm is 1e-6.
    for name, values in standard(draws).items():
        assert stats.kstest(values, "norm").pvalue > ALARM, name
    for lapse, share in ((draws.bottom, SCALE.lapse), (draws.top, SCALE.plateau)):
        error = np.sqrt(share * (1.0 - share) / N)
        assert abs(np.mean(lapse > 0.0) - share) < FAR * error
    # Of those that lapse, the law of the rates is that of fresh draws.
    for name in ("bottom", "top"):
        rates = [getattr(d, name)[getattr(d, name) > 0.0] for d in (first, draws)]
        assert stats.ks_2samp(*rates).pvalue > ALARM, name


def test_draws_have_the_law_of_the_scale(slack, global_random_seed):
    first, other = (
        slack.draw(np.random.default_rng([global_random_seed, k]), N, SCALE) for k in (0, 1)
    )
    assert_prior(first, other)
    assert abs(np.mean(first.shift_scale == SCALE.wide_shift) - 0.5) < FAR * 0.5 / np.sqrt(N)
    for size, share in zip(ROUGHNESS, ROUGHNESS_WEIGHTS, strict=True):
        assert abs(np.mean(first.roughness == size) - share) < FAR * 0.5 / np.sqrt(N)
    # Whatever the curve says, what lies between is a probability.
    for rate in (first.bottom, first.top):
        assert (rate >= 0.0).all()
        assert (rate < 1.0).all()


@pytest.mark.parametrize("n_moves", [1, 3, 40])
def test_moves_leave_the_prior_as_it_is(slack, n_moves, global_random_seed):
    first, draws = moved(slack, np.random.default_rng([global_random_seed, n_moves]), n_moves)
    assert_prior(first, draws)
    # No draw changes its scales.
    for name in ("shift_scale", "stretch_scale", "roughness", "lapse"):
        assert_array_equal(getattr(draws, name), getattr(first, name))


@pytest.mark.parametrize("step", [0.1, 0.5, 1.0])
def test_a_move_goes_as_far_as_its_step_says(slack, step, global_random_seed):
    first, draws = moved(slack, np.random.default_rng(global_random_seed), 1, steps=(step,))
    for name, now in standard(draws).items():
        # The correlation of a first-order autoregression; its standard error is below 1/sqrt(N).
        correlation = np.corrcoef(standard(first)[name], now)[0, 1]
        assert correlation == pytest.approx(np.sqrt(1.0 - step**2), abs=FAR / np.sqrt(N)), name


def test_a_move_and_its_reverse_are_equally_probable(slack, global_random_seed):
    # Detailed balance: pairs (before, after) have the law of (after, before).
    first, draws = moved(slack, np.random.default_rng(global_random_seed), 1, redraw=0.5)
    for name, before in {**standard(first), "top": first.top, "bottom": first.bottom}.items():
        after = {**standard(draws), "top": draws.top, "bottom": draws.bottom}[name]
        # Odd functions of the pair have mean zero.
        for odd in (before**2 * after - after**2 * before, before**3 - after**3):
            assert abs(odd.mean()) < FAR * odd.std() / np.sqrt(N) + 1e-12, name


def test_without_redraws_lapses_stay(slack, global_random_seed):
    first, draws = moved(slack, np.random.default_rng(global_random_seed), 5, redraw=0.0)
    assert_array_equal(first.bottom, draws.bottom)
    assert_array_equal(first.top, draws.top)


def test_a_scale_of_zeros_is_no_slack(slack, global_random_seed):
    drawn = slack.draw(np.random.default_rng(global_random_seed), 50, NO_SLACK)
    for draws in (
        drawn,
        propose(np.random.default_rng([global_random_seed, 1]), drawn, np.full(50, 0.5), 0.5),
    ):
        for field in fields(draws):
            assert not getattr(draws, field.name).any(), field.name


def squared_exponential(x):
    return np.exp(-0.5 * ((x[:, np.newaxis] - x) / LENGTH) ** 2)


def test_the_basis_has_the_covariance_of_the_process_up_to_what_is_cut_off(
    slack, global_random_seed
):
    cells = cells_of(np.random.default_rng(global_random_seed).normal(size=3000))
    x, basis = cells.normal_ranks, slack.basis
    inner = np.abs(x) < REACH - 3.0 * LENGTH
    x, basis = x[inner], basis[inner]
    missing = squared_exponential(x) - basis @ basis.T
    # The k-th eigenfunction on an interval of length 2 R oscillates about as fast as a wave of
    # frequency k pi / (2 R); what is cut off is the spectrum beyond. It is positive definite.
    cut = 2.0 * special.ndtr(-LENGTH * N_WAVES * np.pi / (2.0 * REACH))
    assert np.trace(missing) / inner.sum() == pytest.approx(cut, abs=0.02)
    # By Cauchy and Schwarz no entry is larger than the largest on the diagonal.
    assert np.abs(missing).max() <= np.diag(missing).max() + 1e-3
    assert np.linalg.eigvalsh(missing).min() > -1e-3 * len(x)


def test_all_of_the_variance_is_that_of_the_leading_eigenvalues():
    # Over evenly spaced points of the whole interval, by numerical integration of the operator.
    nodes, weights = np.polynomial.legendre.leggauss(200)
    kernel = squared_exponential(REACH * nodes)
    root = np.sqrt(REACH * weights)
    values = np.linalg.eigvalsh(root[:, np.newaxis] * kernel * root)[::-1]
    # Scores whose normal ranks are evenly spaced.
    ends = special.ndtr(np.linspace(-3.4, 3.4, 137))
    cells = cells_of(np.arange(136.0), "margin", np.diff(ends))
    variance = (Slack.on(cells).basis ** 2).sum(axis=1)
    spaced = np.interp(np.linspace(-3.2, 3.2, 400), cells.normal_ranks, variance)
    assert spaced.mean() == pytest.approx(values[:N_WAVES].sum() / (2.0 * REACH), abs=0.03)


def test_heavy_ties_have_an_effect_of_their_own(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = np.r_[rng.normal(size=2000), np.zeros(800), np.full(400, 1.5)]
    cells = cells_of(scores)
    plain = Slack.on(cells_of(rng.normal(size=3200))).n_basis
    basis = Slack.on(cells).basis
    assert basis.shape == (cells.n_cells, plain + 2)
    own = basis[:, plain:]
    # The heaviest first; nobody else is touched.
    assert_array_equal(cells.scores[own.argmax(axis=0)], [0.0, 1.5])
    assert_array_equal(np.count_nonzero(own, axis=0), [1, 1])
    assert (own.max(axis=0) > 0.0).all()


def test_draws_can_be_taken_joined_and_exchanged(slack, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    one, other = slack.draw(rng, 6, SCALE), slack.draw(rng, 6, SCALE)
    both = type(one).joined([one, other])
    mask = np.array([True, False, True, True, False, False])
    mixed = one.where(mask, other)
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        assert_array_equal(getattr(both, field.name), np.concatenate([a, b]))
        assert_array_equal(getattr(both.take([7, 0]), field.name), [b[1], a[0]])
        assert_array_equal(getattr(mixed, field.name)[mask], b[mask])
        assert_array_equal(getattr(mixed, field.name)[~mask], a[~mask])


def test_waves_are_smooth_where_scores_are_not_heavy(slack, global_random_seed):
    cells = cells_of(np.random.default_rng(global_random_seed).normal(size=3000))
    draws = slack.draw(np.random.default_rng([global_random_seed, 1]), 500, SCALE)
    waves = (draws.waves / draws.roughness[:, np.newaxis]) @ slack.basis.T
    x = cells.normal_ranks
    near = np.flatnonzero(np.diff(x) < 0.02)
    # The variance of a difference of a squared exponential process over a distance h is at most
    # (h / length)^2, and cutting off its fast part takes some of that away.
    steps = (waves[:, near + 1] - waves[:, near]).std(axis=0)
    assert (steps < 1.2 * np.diff(x)[near] / LENGTH + 1e-6).all()
    assert_allclose(waves.mean(), 0.0, atol=0.2)
