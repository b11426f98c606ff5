"""Laplace's approximation: derivatives by differences and enumeration, modes, and quadrature."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, special, stats

from sklearn_spe.engine._components import Positions
from sklearn_spe.engine._curvature import DesignColumns
from sklearn_spe.engine._label_rows import LabelRows
from sklearn_spe.engine._laplace import Regressions

N_ROWS, N_PLAIN, N_STRETCHING, N_GROUPS, N_COMPONENTS = 6, 3, 2, 3, 4
D = N_PLAIN + N_STRETCHING + N_GROUPS
SINGLE_BLOCKS = tuple(slice(j, j + 1) for j in range(D))
TWO_BLOCKS = slice(0, 1), slice(1, 2)


def rows_of(positive, total, base, gain):
    """Return rows of labels; where they lie is told by the columns of a regression."""
    places = (Positions(np.zeros(len(total), dtype=int), np.zeros(len(total))),)
    return LabelRows(places, positive, total, base, gain, np.empty(0, dtype=int))


def drawn(rng, n_rows=N_ROWS, m=N_COMPONENTS, lapses=True, silent=True, once=False):
    """Return regressions whose every number is drawn."""
    total = np.ones(n_rows) if once else rng.integers(1, 5, n_rows).astype(float)
    positive = rng.binomial(total.astype(int), 0.5).astype(float)
    base, gain = np.zeros(n_rows), np.ones(n_rows)
    if silent:
        # Rows of items without a label: what is expected is a + b p.
        base[-2:], gain[-2:] = (0.3, 1.0), (0.7, -0.6)
    bottom, top = rng.uniform(0.0, 0.2 * lapses, (2, m, 1))
    return Regressions(
        rng.normal(0.0, 1.5, (m, n_rows)),
        DesignColumns(
            rng.normal(size=(n_rows, N_PLAIN)),
            rng.normal(size=(n_rows, N_STRETCHING)),
            np.eye(N_GROUPS)[rng.integers(N_GROUPS, size=n_rows)],
            SINGLE_BLOCKS,
        ),
        rng.uniform(0.2, 1.0, (m, D)),
        bottom,
        1.0 - bottom - top,
        rows_of(positive, total, base, gain),
    )


def success(regressions, k, c):
    """Return the chance of success of each row, for one component."""
    r, columns = regressions, regressions.columns
    scaled = r.scale[k] * c
    stretch = 1.0 + columns.stretching @ scaled[N_PLAIN : N_PLAIN + N_STRETCHING]
    added = columns.plain @ scaled[:N_PLAIN] + columns.groups @ scaled[N_PLAIN + N_STRETCHING :]
    s = special.expit(r.prior[k] * stretch + added)
    return r.rows.base + r.rows.gain * (r.bottom[k] + r.room[k] * s)


def log_density(regressions, k, c):
    rows, q = regressions.rows, success(regressions, k, c)
    log = rows.positive * np.log(q) + (rows.total - rows.positive) * np.log(1.0 - q)
    return log.sum() - 0.5 * c @ c


def whole(curvature):
    """Return curvatures as one matrix each."""
    groups = curvature.diagonal[:, :, np.newaxis] * np.eye(curvature.diagonal.shape[1])
    across = np.swapaxes(curvature.cross, 1, 2)
    return np.block([[curvature.dense, curvature.cross], [across, groups]])


def slopes(f, c, step=1e-6):
    """Return the derivatives of a function by central differences."""
    moves = step * np.eye(len(c))
    return np.array([(f(c + move) - f(c - move)) / (2.0 * step) for move in moves])


CASES = pytest.mark.parametrize(
    ("lapses", "silent"), [(False, False), (True, False), (True, True)], ids=str
)


@CASES
def test_the_density_and_its_gradient_are_those_of_the_formula(lapses, silent, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    regressions = drawn(rng, lapses=lapses, silent=silent)
    c = rng.normal(size=(N_COMPONENTS, D))
    gradient, _, height = regressions.derivatives(c)
    assert_allclose(height, regressions.log_density(c), rtol=1e-12)
    for k in range(N_COMPONENTS):
        assert height[k] == pytest.approx(log_density(regressions, k, c[k]), rel=1e-10)
        numerical = slopes(lambda x, k=k: log_density(regressions, k, x), c[k])
        assert_allclose(gradient[k], numerical, rtol=1e-5, atol=1e-6)


@CASES
def test_the_curvature_is_the_information_of_all_outcomes(lapses, silent, global_random_seed):
    # Every outcome of six trials, with its probability: the mean of the squared score.
    rng = np.random.default_rng(global_random_seed)
    given = drawn(rng, lapses=lapses, silent=silent, once=True)
    c = rng.normal(size=(N_COMPONENTS, D))
    expected = np.zeros((N_COMPONENTS, c.shape[1], c.shape[1]))
    rows = given.rows
    for outcome in itertools.product([0.0, 1.0], repeat=N_ROWS):
        y = np.array(outcome)
        seen = Regressions(
            given.prior,
            given.columns,
            given.scale,
            given.bottom,
            given.room,
            rows_of(y, rows.total, rows.base, rows.gain),
        )
        score = seen.derivatives(c)[0] + c
        for k in range(N_COMPONENTS):
            q = success(given, k, c[k])
            probability = np.prod(np.where(y == 1.0, q, 1.0 - q))
            expected[k] += probability * np.outer(score[k], score[k])
    expected += np.eye(c.shape[1])
    curvature = given.derivatives(c)[1]
    assert_allclose(whole(curvature), expected, rtol=1e-9, atol=1e-9)
    vector = rng.normal(size=c.shape)
    solved = np.linalg.solve(expected, vector[:, :, np.newaxis])[:, :, 0]
    assert_allclose(curvature.solve(vector), solved, rtol=1e-8, atol=1e-10)
    assert_allclose(curvature.log_det(), np.linalg.slogdet(expected)[1], rtol=1e-9)


def test_roots_and_groups_given_the_others_make_the_inverse(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    curvature = drawn(rng).derivatives(rng.normal(size=(N_COMPONENTS, D)))[1]
    roots, inverse, n = curvature.roots(), np.linalg.inv(whole(curvature)), D - N_GROUPS
    for k in range(N_COMPONENTS):
        root = roots.times(np.full(n, k), np.eye(n))
        covariance = root.T @ root
        assert_allclose(covariance, inverse[k][:n, :n], rtol=1e-8, atol=1e-10)
        # Groups are a linear function of the others, and independent errors.
        slope = roots.shifts_of_groups(np.full(n, k), np.eye(n))
        assert_allclose(covariance @ slope, inverse[k][:n, n:], rtol=1e-8, atol=1e-10)
        within = slope.T @ covariance @ slope + np.diag(roots.deviation[k] ** 2)
        assert_allclose(within, inverse[k][n:, n:], rtol=1e-8, atol=1e-10)
    log_det = 0.5 * np.linalg.slogdet(inverse[:, :n, :n])[1]
    assert_allclose(roots.log_det(), log_det, rtol=1e-9)


def test_groups_are_integrated_out_and_drawn(global_random_seed):
    # By a fine grid for each group: given the others they are independent.
    rng = np.random.default_rng(global_random_seed)
    regressions, n = drawn(rng, lapses=False), D - N_GROUPS
    mode = regressions.climb(np.zeros((N_COMPONENTS, D)), 300, 1e-14)[0]
    dense, center = mode[:, :n], mode[:, n:]
    deviation = regressions.derivatives(mode)[1].roots().deviation
    found = regressions.log_marginal(dense, center, deviation)
    gradient = regressions.marginal_gradient(dense, center, deviation)
    grid = np.linspace(-8.0, 8.0, 1601)
    n_draws = 4000
    for k in range(N_COMPONENTS):
        log = 0.0
        for j in range(N_GROUPS):
            rows = regressions.columns.groups[:, j] > 0.0
            c = np.tile(mode[k], (len(grid), 1))
            c[:, n + j] = grid
            q = np.array([success(regressions, k, own)[rows] for own in c])
            counts = regressions.rows.positive[rows], regressions.rows.total[rows]
            of_group = (counts[0] * np.log(q) + (counts[1] - counts[0]) * np.log1p(-q)).sum(axis=1)
            mass = np.exp(of_group) * stats.norm.pdf(grid)
            log += np.log(mass.sum() * (grid[1] - grid[0]))
            many = regressions.take(np.full(n_draws, k))
            at = (np.tile(own[k], (n_draws, 1)) for own in (dense, center, deviation))
            drawn_groups = many.draw_groups(*at, rng)[:, j]
            share = np.cumsum(mass) / mass.sum()
            level = np.interp(drawn_groups, grid, share)
            # The distance of Kolmogorov and Smirnov exceeds this once in a hundred million.
            assert stats.kstest(level, "uniform").statistic < 3.1 / np.sqrt(n_draws)
        log -= 0.5 * dense[k] @ dense[k]
        assert found[k] == pytest.approx(log, abs=2e-3)
        one = regressions.take([k])
        numerical = slopes(
            lambda x, k=k, one=one: one.log_marginal(x[np.newaxis], center[[k]], deviation[[k]])[0],
            dense[k],
        )
        assert_allclose(gradient[k], numerical, atol=2e-2)


@pytest.mark.parametrize("far", [1.0, 30.0, 300.0])
def test_integrals_of_groups_are_finite_wherever_their_centers_lie(far, global_random_seed):
    # A proposal of no weight: nodes nearer to the mode are more probable by hundreds.
    rng = np.random.default_rng(global_random_seed)
    regressions, n = drawn(rng), D - N_GROUPS
    dense = far * rng.normal(size=(N_COMPONENTS, n))
    center = far * rng.choice([-1.0, 1.0], size=(N_COMPONENTS, N_GROUPS))
    deviation = np.full_like(center, 0.4 * far)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        log = regressions.log_marginal(dense, center, deviation)
        gradient = regressions.marginal_gradient(dense, center, deviation)
    assert np.isfinite(log).all()
    assert np.isfinite(gradient).all()
    # No more than the likelihood one and the prior of the others allow, but for the quadrature.
    nodes, weights = np.polynomial.hermite_e.hermegauss(7)
    x = center[..., np.newaxis] + deviation[..., np.newaxis] * nodes
    masses = np.log(weights) + 0.5 * nodes**2 - 0.5 * x**2
    of_prior = special.logsumexp(masses, axis=-1) + np.log(deviation / np.sqrt(2.0 * np.pi))
    assert (log <= of_prior.sum(axis=1) - 0.5 * (dense**2).sum(axis=1) + 1e-9).all()


@CASES
def test_a_climb_ends_where_the_density_is_stationary(lapses, silent, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    regressions = drawn(rng, lapses=lapses, silent=silent)
    start = np.zeros((N_COMPONENTS, D))
    end = regressions.climb(start, 300, 1e-14)[0]
    # Scoring converges linearly where lapses bend the curve.
    assert_allclose(regressions.derivatives(end)[0], 0.0, atol=1e-3)
    assert (regressions.log_density(end) >= regressions.log_density(start)).all()
    for k in range(N_COMPONENTS):
        from_there = optimize.minimize(
            lambda x, k=k: -log_density(regressions, k, x), end[k], method="BFGS"
        )
        assert -from_there.fun == pytest.approx(regressions.log_density(end)[k], abs=1e-6)


def test_without_lapses_the_climb_finds_the_only_mode(global_random_seed):
    # The log density of a logistic regression is concave.
    rng = np.random.default_rng(global_random_seed)
    regressions = drawn(rng, lapses=False, silent=False)
    shape = N_COMPONENTS, D
    one, other = (
        regressions.climb(c, 300, 1e-14)[0] for c in (np.zeros(shape), rng.normal(size=shape))
    )
    assert_allclose(one, other, atol=1e-5)


def test_no_step_lowers_the_density(global_random_seed):
    # Far from the mode a whole step may overshoot.
    rng = np.random.default_rng(global_random_seed)
    regressions = drawn(rng, n_rows=30, m=50)
    c = 6.0 * rng.normal(size=(50, D))
    before = regressions.log_density(c)
    for _ in range(10):
        c = regressions.climb(c, 1, 0.0)[0]
        after = regressions.log_density(c)
        assert (after >= before - 1e-8).all()
        before = after


def test_components_are_climbed_by_themselves(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    regressions = drawn(rng)
    start = rng.normal(size=(N_COMPONENTS, D))
    together = regressions.climb(start, 30, 1e-3)[0]
    for k in range(N_COMPONENTS):
        alone = regressions.take([k]).climb(start[[k]], 30, 1e-3)[0]
        assert_allclose(alone[0], together[k], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("on", ["shift", "stretch", "both"])
@pytest.mark.parametrize("lapses", [0.0, 0.15])
def test_the_evidence_is_that_of_quadrature_once_weighted(on, lapses, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    prior = rng.normal(0.0, 1.5, (1, 8))
    y = (rng.random(8) < special.expit(prior[0])).astype(float)
    one, none = np.ones((8, 1)), np.zeros((8, 1))
    regressions = Regressions(
        prior,
        DesignColumns(
            none if on == "stretch" else one,
            none if on == "shift" else one,
            np.empty((8, 0)),
            TWO_BLOCKS,
        ),
        np.array([[1.2, 0.8]]),
        np.array([[lapses]]),
        np.array([[1.0 - 1.5 * lapses]]),
        rows_of(y, np.ones(8), np.zeros(8), np.ones(8)),
    )
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    grid = np.array([*itertools.product(nodes, nodes)])
    mass = np.outer(weights, weights).ravel() / weights.sum() ** 2
    many = regressions.take(np.zeros(len(grid), dtype=int))
    likelihood = np.exp(many.log_density(grid) + 0.5 * (grid**2).sum(axis=1))
    exact = mass @ likelihood

    mode, (log_evidence,), (rise,) = regressions.climb(np.zeros((1, 2)), 100, 1e-9)
    assert rise == pytest.approx(0.0, abs=1e-6)
    n = 20_000
    root = np.linalg.inv(np.linalg.cholesky(whole(regressions.derivatives(mode)[1])[0]))
    x = rng.standard_normal((n, 2))
    c = mode + x @ root
    log_q = -0.5 * (x**2).sum(axis=1) - np.log(np.diag(root)).sum()
    log_p = regressions.take(np.zeros(n, dtype=int)).log_density(c)
    ratio = np.exp(log_p - log_q - log_evidence)
    # Within a few percent by itself; exact by its importance weights.
    assert np.exp(log_evidence) == pytest.approx(exact, rel=0.25)
    error = ratio.std() / np.sqrt(n)
    assert ratio.mean() * np.exp(log_evidence) == pytest.approx(
        exact, abs=6.0 * error * np.exp(log_evidence)
    )
    mean_error = np.sqrt(np.mean((ratio[:, np.newaxis] * c - ratio.mean()) ** 2, axis=0) / n)
    expected = (mass * likelihood) @ grid / exact
    assert_allclose(ratio @ c / ratio.sum(), expected, atol=6.0 * mean_error.max())


@pytest.mark.parametrize("positive", [0.0, 1.0])
def test_labels_of_one_class_in_any_number_have_a_mode(positive):
    n = 1e6
    regressions = Regressions(
        np.array([[12.0, -12.0]]),
        DesignColumns(np.ones((2, 1)), np.ones((2, 1)), np.empty((2, 0)), TWO_BLOCKS),
        np.array([[1.0, 0.5]]),
        np.zeros((1, 1)),
        np.ones((1, 1)),
        rows_of(positive * np.full(2, n), np.full(2, n), np.zeros(2), np.ones(2)),
    )
    c, log_evidence, _ = regressions.climb(np.zeros((1, 2)), 200, 1e-8)
    assert np.isfinite(c).all()
    assert np.isfinite(log_evidence).all()
    assert regressions.log_density(c)[0] >= regressions.log_density(np.zeros((1, 2)))[0]
