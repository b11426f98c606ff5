"""Regression with effects of unknown sizes, against quadrature and against plain columns."""

import numpy as np
from numpy.testing import assert_allclose
from scipy import special, stats

from sklearn_spe.inference._sized_regression import (
    BinaryRows,
    SizedEffect,
    _mode,
    _NormalPrior,
    draw_regression,
    steepness_of,
)

N_DRAWS = 4000


def rows_of(columns, counts, positive, member=None):
    n_rows = len(columns)
    n_members = 0 if member is None else int(member.max()) + 1
    member = np.zeros(n_rows, dtype=int) if member is None else member
    return BinaryRows(columns, member, n_members, np.asarray(counts), np.asarray(positive))


def test_the_posterior_of_one_rate_is_that_of_a_grid(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    grid = np.linspace(-12.0, 12.0, 4001)
    for positive, n in ((1.0, 5.0), (5.0, 5.0), (30.0, 40.0)):
        rows = rows_of(np.ones((1, 1)), [n], [positive])
        effects = [SizedEffect(slice(0, 1), (2.0,), (1.0,), mean=0.5)]
        drawn = draw_regression(rows, effects, N_DRAWS, rng).coefficients[:, 0]
        log_density = positive * special.log_expit(grid) + (n - positive) * special.log_expit(-grid)
        density = special.softmax(log_density + stats.norm.logpdf(grid, 0.5, 2.0))
        mean = density @ grid
        std = np.sqrt(density @ (grid - mean) ** 2)
        # Resampled draws repeat some proposals.
        assert abs(drawn.mean() - mean) < 8.0 * std / np.sqrt(N_DRAWS)
        assert_allclose(drawn.std(), std, rtol=0.08)


def test_sizes_have_the_weight_of_their_evidence(global_random_seed):
    # Six rates far apart: of a normal size that is small or large.
    rng = np.random.default_rng(global_random_seed)
    n, positive = np.full(6, 12.0), np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    log_evidence = []
    for size in (0.5, 2.0):
        p = special.expit(size * nodes)
        likelihood = p ** positive[:, np.newaxis] * (1.0 - p) ** (n - positive)[:, np.newaxis]
        log_evidence.append(np.log(likelihood @ weights / weights.sum()).sum())
    exact = special.softmax(log_evidence)

    rows = rows_of(np.eye(6), n, positive)
    effects = [SizedEffect(slice(0, 6), (0.5, 2.0), (0.5, 0.5))]
    drawn = draw_regression(rows, effects, N_DRAWS, rng).coefficients
    # Coefficients of the larger size spread farther; Laplace's evidence is close.
    assert exact[1] > 0.99
    assert drawn[:, 5].mean() - drawn[:, 0].mean() > 2.0


def test_sizes_are_drawn_as_often_as_their_evidence_says(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n, positive = np.full(6, 40.0), np.array([10.0, 14.0, 19.0, 23.0, 26.0, 31.0])
    shares, sizes = (0.7, 0.3), (0.3, 1.0)
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    log_joint = np.log(shares)
    for k, size in enumerate(sizes):
        log = positive[:, np.newaxis] * special.log_expit(size * nodes)
        log = log + (n - positive)[:, np.newaxis] * special.log_expit(-size * nodes)
        log_joint[k] += special.logsumexp(log, axis=1, b=weights / weights.sum()).sum()
    exact = special.softmax(log_joint)
    assert 0.1 < exact[1] < 0.9

    rows = rows_of(np.zeros((6, 1)), n, positive, np.arange(6))
    effects = [SizedEffect(None, sizes, shares)]
    drawn = draw_regression(rows, effects, N_DRAWS, rng)
    # Laplace's evidence is off by some hundredths.
    error = 6.0 * np.sqrt(exact.prod() / N_DRAWS)
    assert abs(np.mean(drawn.size == 1.0) - exact[1]) < error + 0.03
    # A column without an effect has the standard normal prior.
    assert stats.kstest(drawn.coefficients[:, 0], "norm").statistic < 3.1 / np.sqrt(N_DRAWS)


def test_members_are_columns_whose_block_is_eliminated(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_rows, n_members, size = 60, 8, 1.4
    columns = np.column_stack([np.ones(n_rows), rng.normal(size=n_rows)])
    member = rng.integers(n_members, size=n_rows)
    member[:n_members] = np.arange(n_members)
    positive = (rng.random(n_rows) < 0.6).astype(float)
    counts = np.ones(n_rows)
    fixed = SizedEffect(slice(0, 2), (1.5,), (1.0,))

    rows = rows_of(columns, counts, positive, member)
    effects = [fixed, SizedEffect(None, (size,), (1.0,))]
    eliminated = draw_regression(rows, effects, N_DRAWS, rng)
    assert (eliminated.size == size).all()

    indicators = (member[:, np.newaxis] == np.arange(n_members)).astype(float)
    plain = np.hstack([steepness_of(size) * columns, indicators])
    effects = [fixed, SizedEffect(slice(2, 2 + n_members), (size,), (1.0,))]
    dense = draw_regression(rows_of(plain, counts, positive), effects, N_DRAWS, rng)

    both = np.hstack([eliminated.coefficients, eliminated.members])
    std = dense.coefficients.std(axis=0)
    error = np.abs(both.mean(axis=0) - dense.coefficients.mean(axis=0))
    # Both means scatter, by draws of which some are repeated.
    assert (error < 10.0 * std / np.sqrt(N_DRAWS)).all()
    assert_allclose(both.std(axis=0), std, rtol=0.12)


def test_a_member_without_labels_and_no_label_at_all_leave_the_prior(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rows = rows_of(np.empty((0, 1)), [], [])
    effects = [SizedEffect(slice(0, 1), (2.0,), (1.0,))]
    drawn = draw_regression(rows, effects, N_DRAWS, rng).coefficients[:, 0]
    assert_allclose(drawn.std(), 2.0, rtol=0.1)
    assert abs(drawn.mean()) < 8.0 * 2.0 / np.sqrt(N_DRAWS)


def test_the_mean_over_members_is_that_of_the_coefficients():
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    log_odds = np.linspace(-6.0, 6.0, 61)[:, np.newaxis]
    for size in (0.6, 1.4, 2.0, 4.0):
        p = special.expit(steepness_of(size) * log_odds + size * nodes) @ weights
        # The approximation of Zeger, Liang and Albert (1988) is off by .0107 at most.
        assert_allclose(p / weights.sum(), special.expit(log_odds[:, 0]), atol=0.0108)


def test_the_prior_of_a_combination_is_normal_of_its_sizes(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    effects = [
        SizedEffect(slice(0, 2), (0.5, 3.0), (0.5, 0.5), mean=0.7),
        SizedEffect(None, (0.4, 1.5), (0.5, 0.5)),
    ]
    prior = _NormalPrior.of(effects, (1, 0), 3)
    coefficients, members = rng.normal(size=(2, 3)), rng.normal(size=(2, 4))
    log_density = stats.norm.logpdf(coefficients, [0.7, 0.7, 0.0], [3.0, 3.0, 1.0]).sum(axis=1)
    log_density += stats.norm.logpdf(members, 0.0, 0.4).sum(axis=1)
    # Up to a constant of the sizes.
    assert_allclose(np.diff(prior.log_density(coefficients, members)), np.diff(log_density))


def test_a_mode_is_stationary_and_its_evidence_that_of_laplace(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    columns, member = rng.normal(size=(40, 2)), np.arange(40) % 3
    counts = rng.integers(1, 6, 40).astype(float)
    rows = rows_of(columns, counts, np.minimum(rng.integers(0, 6, 40), counts), member)
    effects = [
        SizedEffect(slice(0, 2), (0.8,), (1.0,), mean=1.5),
        SizedEffect(None, (0.6,), (1.0,)),
    ]
    prior = _NormalPrior.of(effects, (0, 0), 2)

    def log_density(u):
        log_odds = steepness_of(0.6) * columns @ u[:2] + u[2 + member]
        log_prior = stats.norm.logpdf(u, [1.5, 1.5, 0.0, 0.0, 0.0], [0.8, 0.8, 0.6, 0.6, 0.6]).sum()
        return rows.positive @ log_odds - counts @ np.logaddexp(0.0, log_odds) + log_prior

    mode = _mode(rows, prior, np.zeros(2), np.zeros(3))
    u = np.r_[mode.coefficients, mode.members]
    steps = 1e-3 * np.eye(5)
    slopes = [(log_density(u + step) - log_density(u - step)) / 2e-3 for step in steps]
    assert_allclose(slopes, 0.0, atol=1e-3)
    hessian = [
        [
            log_density(u + a + b)
            - log_density(u + a - b)
            - log_density(u - a + b)
            + log_density(u - a - b)
            for b in steps
        ]
        for a in steps
    ]
    log_det = np.linalg.slogdet(-np.array(hessian) / 4e-6)[1]
    laplace = log_density(u) + 2.5 * np.log(2.0 * np.pi) - 0.5 * log_det
    assert_allclose(mode.log_evidence, laplace, atol=1e-3)
