"""Curvatures in the space of labeled rows: those of coefficients, and of the closed form."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.engine._components import Positions
from sklearn_spe.engine._curvature import DesignColumns
from sklearn_spe.engine._label_rows import LabelRows
from sklearn_spe.engine._laplace import Regressions

N_REGRESSIONS, N_PLAIN, N_STRETCHING, N_GROUPS = 5, 4, 3, 3
N_DENSE = N_PLAIN + N_STRETCHING
N = N_DENSE + N_GROUPS
# The level, basis functions, two that stretch, one more that does, and groups.
BLOCKS = slice(0, 1), slice(1, 4), slice(4, 6), slice(6, 7), slice(7, 10)
# Both spaces solve systems whose condition is at most 1 + the trace of Z'WZ, some thousands here:
# with 2e-16 a number and a few hundred sums, errors are below 1e-10 of the largest number.
RTOL = ATOL = 1e-9
# Steps among rows have single precision: 6e-8 instead.
SINGLE = 1e-4


def drawn(rng, n_rows, blocks=BLOCKS):
    """Return regressions with columns of one scale a block, with lapses."""
    total = rng.integers(1, 4, n_rows).astype(float)
    positive = rng.binomial(total.astype(int), 0.5).astype(float)
    places = (Positions(np.zeros(n_rows, dtype=int), np.zeros(n_rows)),)
    items = np.empty(0, dtype=int)
    rows = LabelRows(places, positive, total, np.zeros(n_rows), np.ones(n_rows), items)
    columns = DesignColumns(
        rng.normal(size=(n_rows, N_PLAIN)),
        rng.normal(size=(n_rows, N_STRETCHING)),
        np.eye(N_GROUPS)[rng.integers(N_GROUPS, size=n_rows)],
        blocks,
    )
    scale = np.empty((N_REGRESSIONS, N))
    for block in blocks:
        scale[:, block] = rng.uniform(0.2, 1.0, (N_REGRESSIONS, 1))
    bottom, top = rng.uniform(0.0, 0.1, (2, N_REGRESSIONS, 1))
    prior = rng.normal(0.0, 1.5, (N_REGRESSIONS, n_rows))
    return Regressions(prior, columns, scale, bottom, 1.0 - bottom - top, rows)


def padded(regressions, n_added):
    """Return the same regressions with stretching columns of scale zero, and where others went."""
    columns = regressions.columns
    added = np.ones((columns.n_rows, n_added))
    after = slice(N_DENSE + n_added, N + n_added)
    blocks = (*columns.blocks[:-1], slice(N_DENSE, N_DENSE + n_added), after)
    scale = np.insert(regressions.scale, np.full(n_added, N_DENSE), 0.0, axis=1)
    stretching = np.hstack([columns.stretching, added])
    wide = replace(columns, stretching=stretching, blocks=blocks)
    return replace(regressions, columns=wide, scale=scale), np.r_[:N_DENSE, after]


def in_both_spaces(rng, n_rows=12):
    """Return regressions with many rows, and the same ones with columns of scale zero."""
    by_coefficients = drawn(rng, n_rows)
    by_rows, index = padded(by_coefficients, 3 * n_rows)
    assert not by_coefficients.columns.has_few_rows
    assert by_rows.columns.has_few_rows
    return by_coefficients, by_rows, index


def design(regressions, k):
    """Return the scaled design of one regression, (n_rows, n)."""
    columns, prior = regressions.columns, regressions.prior[k][:, np.newaxis]
    unscaled = np.hstack([columns.plain, prior * columns.stretching, columns.groups])
    return unscaled * regressions.scale[k]


@pytest.mark.parametrize("n_rows", [1, 5, 12])
def test_rows_and_coefficients_have_the_curvature_of_the_closed_form(n_rows, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    regressions = drawn(rng, n_rows)
    weights = rng.exponential(size=(N_REGRESSIONS, n_rows))
    vector = rng.normal(size=(N_REGRESSIONS, N))
    kernels = regressions.columns.kernels(regressions.prior, regressions.scale)
    for k in range(N_REGRESSIONS):
        z = design(regressions, k)
        assert_allclose(kernels[k], z @ z.T, rtol=RTOL, atol=ATOL)

    for curvature in (
        regressions.curvature(weights, None),
        regressions.curvature(weights, kernels.copy()),
    ):
        solved, log_det = curvature.solve(vector), curvature.log_det()
        for k in range(N_REGRESSIONS):
            z = design(regressions, k)
            whole = np.eye(N) + z.T @ (weights[k][:, np.newaxis] * z)
            assert_allclose(whole @ solved[k], vector[k], rtol=RTOL, atol=ATOL)
            assert log_det[k] == pytest.approx(np.linalg.slogdet(whole)[1], rel=RTOL, abs=ATOL)
            assert_allclose(curvature.diagonal[k], np.diag(whole)[N_DENSE:], rtol=RTOL)
        chosen = np.arange(N_REGRESSIONS) % 2 == 0
        assert_allclose(curvature.log_det(chosen), log_det[chosen], rtol=RTOL)


def test_draws_have_the_moments_of_the_inverse_in_the_space_of_rows(global_random_seed):
    # Roots times every unit vector: the exact covariance of draws.
    rng = np.random.default_rng(global_random_seed)
    regressions = drawn(rng, 6)
    weights = rng.exponential(size=(N_REGRESSIONS, 6))
    roots = regressions.curvature(weights, None).roots()
    by_rows = regressions.curvature(
        weights, regressions.columns.kernels(regressions.prior, regressions.scale)
    )
    unit = np.eye(N_DENSE)
    covariance = np.stack(
        [by_rows.solve(np.tile(row, (N_REGRESSIONS, 1))) for row in np.eye(N)], axis=1
    )
    for k in range(N_REGRESSIONS):
        index = np.full(N_DENSE, k)
        root = roots.times(index, unit)
        assert_allclose(root.T @ root, covariance[k, :N_DENSE, :N_DENSE], rtol=RTOL, atol=ATOL)
        implied = root.T @ roots.shifts_of_groups(index, root)
        assert_allclose(implied, covariance[k, :N_DENSE, N_DENSE:], rtol=RTOL, atol=ATOL)

    of_groups = np.log(by_rows.diagonal).sum(axis=1)
    assert_allclose(roots.log_det(), -0.5 * (by_rows.log_det() - of_groups), rtol=RTOL, atol=ATOL)


@pytest.mark.parametrize("n_steps", [1, 2, 20])
def test_steps_and_evidence_are_the_same_in_both_spaces(n_steps, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    by_coefficients, by_rows, index = in_both_spaces(rng)
    start = rng.normal(size=(N_REGRESSIONS, N))
    wide_start = np.zeros((N_REGRESSIONS, by_rows.columns.n))
    wide_start[:, index] = start

    c, log_evidence, rise = by_coefficients.climb(start, n_steps, 1e-3)
    wide, wide_log_evidence, wide_rise = by_rows.climb(wide_start, n_steps, 1e-3)
    assert_allclose(wide[:, index], c, rtol=SINGLE, atol=SINGLE)
    # Columns of no effect stay at their prior mean.
    assert_allclose(np.delete(wide, index, axis=1), 0.0, atol=ATOL)
    assert_allclose(wide_log_evidence, log_evidence, rtol=SINGLE)
    assert_allclose(wide_rise, rise, rtol=SINGLE, atol=SINGLE)

    c, log_evidence = by_coefficients.marginal_climb(c, n_steps)
    wide, wide_log_evidence = by_rows.marginal_climb(wide, n_steps)
    assert_allclose(wide[:, index], c, rtol=SINGLE, atol=SINGLE)
    assert_allclose(wide_log_evidence, log_evidence, rtol=SINGLE)


def test_a_climb_among_few_rows_ends_where_the_gradient_is_zero(global_random_seed):
    _, regressions, _ = in_both_spaces(np.random.default_rng(global_random_seed))
    start = np.zeros((N_REGRESSIONS, regressions.columns.n))
    mode = regressions.climb(start, 300, 1e-14)[0]
    assert_allclose(regressions.derivatives(mode)[0], 0.0, atol=1e-5)
    assert (regressions.log_density(mode) >= regressions.log_density(start)).all()


def test_the_mirror_image_of_few_rows_has_the_mirrored_mode(global_random_seed):
    # Classes and the sign of the log-odds change: so do shifts, but not what stretches the curve.
    _, regressions, index = in_both_spaces(np.random.default_rng(global_random_seed))
    rows = regressions.rows
    mirrored = replace(
        regressions,
        prior=-regressions.prior,
        bottom=1.0 - regressions.bottom - regressions.room,
        rows=replace(rows, positive=rows.total - rows.positive),
    )
    start = np.zeros((N_REGRESSIONS, regressions.columns.n))
    c, log_evidence, rise = regressions.climb(start, 20, 1e-3)
    image, image_log_evidence, image_rise = mirrored.climb(start, 20, 1e-3)
    sign = np.ones(regressions.columns.n)
    sign[:N_PLAIN], sign[index[N_DENSE:]] = -1.0, -1.0
    assert_allclose(image, sign * c, rtol=1e-7, atol=1e-8)
    assert_allclose(image_log_evidence, log_evidence, rtol=1e-7)
    assert_allclose(image_rise, rise, rtol=1e-6, atol=1e-8)
