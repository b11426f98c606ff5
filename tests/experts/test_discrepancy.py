"""Discrepancy: a basis for a Gaussian process over the ranks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe.experts._expert import LENGTH, N_FUNCTIONS, REACH, rank_functions, rank_process
from tests.experts.problems import cells_of


@pytest.fixture
def cells(global_random_seed):
    # So few that all ranks are within reach.
    return cells_of(np.random.default_rng(global_random_seed).normal(size=2000))


def squared_exponential(x):
    return np.exp(-0.5 * ((x[:, np.newaxis] - x) / LENGTH) ** 2)


def test_the_basis_has_the_covariance_of_the_process_up_to_what_is_cut_off(cells):
    x, basis = cells.normal_ranks, rank_functions(cells.normal_ranks)
    inner = np.abs(x) < REACH - 3.0 * LENGTH
    x, basis = x[inner], basis[inner]
    missing = squared_exponential(x) - basis @ basis.T
    # The k-th eigenfunction on an interval of length 2 R oscillates about as fast as a wave of
    # frequency k pi / (2 R); what is cut off is the spectrum beyond. It is positive definite.
    cut = 2.0 * special.ndtr(-LENGTH * N_FUNCTIONS * np.pi / (2.0 * REACH))
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
    variance = (rank_functions(cells.normal_ranks) ** 2).sum(axis=1)
    spaced = np.interp(np.linspace(-3.2, 3.2, 400), cells.normal_ranks, variance)
    assert spaced.mean() == pytest.approx(values[:N_FUNCTIONS].sum() / (2.0 * REACH), abs=0.03)


def test_draws_are_smooth_over_the_ranks(cells, global_random_seed):
    draws = rank_process(cells, 500, np.random.default_rng([global_random_seed, 1]))
    x = cells.normal_ranks
    near = np.flatnonzero(np.diff(x) < 0.02)
    # The variance of a difference of a squared exponential process over a distance h is at most
    # (h / length)^2, and cutting off its fast part takes some of that away.
    steps = (draws[:, near + 1] - draws[:, near]).std(axis=0)
    assert (steps < 1.2 * np.diff(x)[near] / LENGTH + 1e-6).all()


@pytest.mark.parametrize("n", [30, 150])
def test_the_basis_of_reversed_scores_is_its_mirror_image(n, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = np.r_[rng.normal(size=n), np.full(n // 5, 0.3), np.full(n // 4, 9.0)]
    one, other = (rank_functions(cells_of(s, "margin").normal_ranks) for s in (scores, -scores))
    assert one.shape == other.shape
    # Up to signs of functions, which no normal coefficient feels.
    assert_allclose(other @ other.T, (one @ one.T)[::-1, ::-1], atol=1e-9)
