"""Draws of the normal law around a maximum, where that law is known."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.inference._draws import Draws
from sklearn_spe.inference._modes import Modes, NormalDraws, find_modes, modes_at, normal_draws

from .targets import banana, gaussian, student

TARGET = gaussian(n_dim=4)
MODES = modes_at(TARGET.value_and_gradient, TARGET.mean)


def flat(u):
    return np.zeros(len(u))


def rng(seed):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("n_draws", [2, 100])
def test_the_mean_of_the_draws_is_the_centre(n_draws, global_random_seed):
    draws = normal_draws(TARGET.log_density, MODES, n_draws, rng(global_random_seed))
    assert_allclose(draws.points.mean(axis=0), TARGET.mean, atol=1e-12)
    pairs = draws.points[::2] + draws.points[1::2]
    assert_allclose(pairs, np.broadcast_to(2.0 * TARGET.mean, pairs.shape), atol=1e-12)


def test_an_odd_number_of_draws_is_as_many(global_random_seed):
    draws = normal_draws(TARGET.log_density, MODES, 7, rng(global_random_seed))
    assert draws.points.shape == (7, 4)
    assert_allclose(draws.weights, np.full(7, 1.0 / 7.0), rtol=1e-12)
    assert draws.ess == pytest.approx(7.0)


def test_the_covariance_of_the_draws_is_the_inverse_of_the_curvature(global_random_seed):
    n_draws = 20_000
    draws = normal_draws(TARGET.log_density, MODES, n_draws, rng(global_random_seed))
    steps = draws.points - TARGET.mean
    root = np.linalg.cholesky(np.linalg.inv(MODES.curvatures[0]))
    z = np.linalg.solve(root, steps.T)
    # Of n / 2 pairs, the mean of z_i z_j has a variance of (1 + [i = j]) / (n / 2).
    errors = np.sqrt((1.0 + np.eye(4)) / (n_draws / 2))
    assert (np.abs(z @ z.T / n_draws - np.eye(4)) < 5.0 * errors).all()


def test_the_evidence_of_a_normal_is_exact(global_random_seed):
    draws = normal_draws(TARGET.log_density, MODES, 10, rng(global_random_seed))
    # Curvatures by differences are right to about the square of their step.
    assert_allclose(draws.log_evidence, TARGET.log_evidence, atol=1e-6)


def test_k_hat_tells_a_density_that_is_nearly_normal_from_one_with_heavy_tails(global_random_seed):
    assert normal_draws(TARGET.log_density, MODES, 2000, rng(global_random_seed)).pareto_k < 0.5
    heavy, n_draws = student(2, dof=1.0), 1_000_000
    modes = modes_at(heavy.value_and_gradient, np.zeros(2))
    # Against a normal law the weights of a power law have no moments at all. Of so many the k-hat
    # is about 0.85, give or take 0.06.
    draws = normal_draws(heavy.log_density, modes, n_draws, rng(global_random_seed))
    assert draws.pareto_k > 0.5


def test_the_best_mode_is_the_centre(global_random_seed):
    two = Modes([[1.0], [5.0]], [0.0, -1.0], [[[4.0]], [[0.01]]])
    draws = normal_draws(flat, two, 100, rng(global_random_seed))
    assert draws.center.tolist() == [1.0]
    assert np.abs(draws.points - 1.0).max() < 0.5 * 6.0


def test_a_direction_that_curves_upwards_counts_with_its_size(global_random_seed):
    saddle = Modes(np.zeros((1, 2)), [0.0], np.diag([4.0, -1.0])[None])
    bowl = Modes(np.zeros((1, 2)), [0.0], np.diag([4.0, 1.0])[None])
    ends = [normal_draws(flat, modes, 50, rng(global_random_seed)) for modes in (saddle, bowl)]
    assert_allclose(ends[0].points, ends[1].points, atol=1e-12)


def test_the_same_generator_gives_the_same_draws_and_another_one_others(global_random_seed):
    draws = normal_draws(TARGET.log_density, MODES, 20, rng(global_random_seed))
    assert np.array_equal(
        draws.points, normal_draws(TARGET.log_density, MODES, 20, rng(global_random_seed)).points
    )
    other = normal_draws(
        TARGET.log_density, MODES, 20, np.random.default_rng(global_random_seed + 1)
    )
    assert not np.array_equal(draws.points, other.points)


def test_at_the_centre_there_is_one_draw_of_all_the_weight(global_random_seed):
    draws = normal_draws(TARGET.log_density, MODES, 20, rng(global_random_seed))
    center = draws.centered
    assert type(center) is Draws
    assert np.array_equal(center.points, TARGET.mean[np.newaxis])
    assert center.weights.tolist() == [1.0]
    assert center.log_evidence == draws.log_evidence


def test_a_pickle_keeps_all_and_stays_read_only(global_random_seed):
    draws = normal_draws(
        TARGET.log_density, MODES, 20, rng(global_random_seed), last_change=0.25, converged=False
    )
    again = pickle.loads(pickle.dumps(draws))
    assert type(again) is NormalDraws
    assert (again.last_change, again.converged) == (0.25, False)
    for one in (draws, again):
        assert np.array_equal(one.center, TARGET.mean)
        assert np.array_equal(one.points, draws.points)
        for name in ("center", "points", "log_weights"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(one, name)[0] = 1.0


def test_the_centre_is_a_copy(global_random_seed):
    points = np.array(MODES.points)
    modes = Modes(points, MODES.log_densities, MODES.curvatures)
    draws = normal_draws(TARGET.log_density, modes, 4, rng(global_random_seed))
    points[0, 0] = 99.0
    assert np.array_equal(draws.center, TARGET.mean)


def test_draws_without_news_of_a_climb_count_as_converged(global_random_seed):
    draws = normal_draws(TARGET.log_density, MODES, 4, rng(global_random_seed))
    assert (draws.last_change, draws.converged) == (0.0, True)


# --- modes that are given ----------------------------------------------------------------


def test_modes_at_maxima_are_those_that_a_climb_finds():
    target = banana(3, 0.2)
    found = find_modes(target.value_and_gradient, target.starts)
    given = modes_at(target.value_and_gradient, found.points)
    assert np.array_equal(given.points, found.points)
    assert_allclose(given.log_densities, found.log_densities, atol=1e-9)
    assert_allclose(given.curvatures, found.curvatures, atol=1e-9)


def test_modes_at_points_have_the_height_and_the_curvature_there():
    # -log density u^4 + u_1^2 / 2: the Hessian by hand.
    def quartic(u):
        value = -(u[:, 0] ** 4) - 0.5 * u[:, 1] ** 2
        return value, -np.column_stack([4.0 * u[:, 0] ** 3, u[:, 1]])

    points = np.array([[0.5, 0.0], [1.0, 2.0]])
    modes = modes_at(quartic, points)
    # Not sorted, not merged, not dropped.
    assert np.array_equal(modes.points, points)
    assert_allclose(modes.log_densities, [-0.0625, -3.0])
    assert_allclose(modes.curvatures[0], np.diag([3.0, 1.0]), atol=1e-6)
    assert_allclose(modes.curvatures[1], np.diag([12.0, 1.0]), atol=1e-6)
    assert len(modes_at(quartic, points[1])) == 1
