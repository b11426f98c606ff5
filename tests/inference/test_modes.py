import numpy as np
import pytest

from sklearn_spe.inference._modes import Modes, climb, find_modes

from .targets import banana, funnel, gaussian, two_modes


def test_gaussian_mode_and_curvature():
    target = gaussian(n_dim=6)
    modes = find_modes(target.value_and_gradient, target.starts)
    sd = np.sqrt(target.variance)
    assert len(modes) == 1
    np.testing.assert_allclose((modes.points[0] - target.mean) / sd, 0.0, atol=1e-2)
    np.testing.assert_allclose(np.diagonal(modes.covariances[0]), target.variance, rtol=1e-6)
    # Laplace's approximation is exact for a normal.
    np.testing.assert_allclose(modes.log_masses, target.log_evidence, atol=1e-3)


def test_curvature_of_a_banana_is_its_hessian():
    # -log density at (u0, b (u0^2 - 1)) in two dimensions; hessian by hand at u0 = 0.
    bend = 0.2
    modes = find_modes(banana(2, bend).value_and_gradient, [[0.1, -0.1]])
    np.testing.assert_allclose(modes.points[0], [0.0, -bend], atol=1e-3)
    np.testing.assert_allclose(modes.curvatures[0], np.eye(2), atol=1e-2)


def test_duplicates_merge_and_best_comes_first():
    target = two_modes(n_dim=2, share=0.3)
    starts = np.vstack([target.starts, target.starts + 0.2, target.starts - 0.1])
    modes = find_modes(target.value_and_gradient, starts)
    assert len(modes) == 2
    np.testing.assert_allclose(modes.points, [[8.0, 0.0], [0.0, 0.0]], atol=1e-2)
    assert modes.log_densities[0] - modes.log_densities[1] == pytest.approx(
        np.log(0.7 / 0.3), abs=1e-4
    )


def test_mode_without_mass_is_dropped():
    target = two_modes(n_dim=2, share=1.0 - 1e-8)
    modes = find_modes(target.value_and_gradient, target.starts)
    np.testing.assert_allclose(modes.points, np.zeros((1, 2)), atol=1e-2)


def _gamma(u):
    """Density of a gamma variable with shape 3 and mode 2; no density below zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(u[:, 0] > 0, 2.0 * np.log(u[:, 0]) - u[:, 0], -np.inf)
        return value, np.where(u > 0, 2.0 / u - 1.0, np.nan)


def test_hopeless_start_does_not_kill_the_rest():
    modes = find_modes(_gamma, [[-1.0], [5.0], [-3.0]])
    assert modes.points.shape == (1, 1)
    assert modes.points[0, 0] == pytest.approx(2.0, abs=1e-2)


def test_step_off_the_support_is_survived():
    modes = find_modes(_gamma, [[1e-3], [60.0]])
    np.testing.assert_allclose(modes.points, [[2.0]], atol=1e-2)


def test_all_starts_hopeless():
    with pytest.raises(ValueError, match="not finite at any of the 2 starts"):
        find_modes(_gamma, [[-1.0], [-2.0]])


def test_climbs_together_end_where_each_ends_alone(global_random_seed):
    target = funnel(4)
    # Not too narrow, where a first step leads out of what floats hold.
    starts = np.random.default_rng(global_random_seed).uniform(-1.0, 1.0, size=(6, 4))
    points, values = climb(target.value_and_gradient, starts)
    for start, point, value in zip(starts, points, values, strict=True):
        (end,), (height,) = climb(target.value_and_gradient, start[np.newaxis])
        np.testing.assert_allclose(end, point, atol=1e-6)
        np.testing.assert_allclose(height, value, atol=1e-9)


def test_a_climb_reaches_the_mode_of_a_funnel(global_random_seed):
    # With d - 1 coordinates of variance exp(x) the density is highest at x = -sigma^2 (d - 1) / 2.
    target = funnel(3, 1.0)
    start = np.random.default_rng(global_random_seed).normal(size=(1, 3))
    points, _ = climb(target.value_and_gradient, start, tolerance=1e-10)
    np.testing.assert_allclose(points, [[-1.0, 0.0, 0.0]], atol=1e-4)


@pytest.mark.parametrize("curvature", [np.diag([4.0, -4.0]), np.diag([4.0, 0.0]), np.zeros((2, 2))])
def test_repaired_covariance_is_positive_definite(curvature):
    modes = Modes(np.zeros((1, 2)), [0.0], curvature[np.newaxis])
    assert np.all(np.linalg.eigvalsh(modes.covariances[0]) > 0.0)
    assert np.isfinite(modes.log_masses).all()


def test_modes_are_read_only():
    modes = Modes(np.zeros((1, 2)), [0.0], np.eye(2)[np.newaxis])
    with pytest.raises(ValueError, match="read-only"):
        modes.points[0, 0] = 1.0
    assert repr(modes) == "Modes(n_modes=1, n_dim=2, best=0)"
