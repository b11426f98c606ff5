import numpy as np
import pytest
from scipy import stats

from sklearn_spe.inference._proposals import DiagonalNormal, diagonal_normal
from sklearn_spe.inference._sampling import importance_sample

from ..targets import gaussian, two_modes


@pytest.mark.parametrize("scale", [1e-2, 1.0, 30.0])
def test_conditional_not_marginal_standard_deviations(scale):
    target = gaussian(n_dim=4, correlation=0.8, scale=scale)
    proposal = diagonal_normal(target.log_density, target.mean)
    sd = np.sqrt(target.variance)
    correlations = np.full((4, 4), 0.8) + 0.2 * np.eye(4)
    conditional = sd / np.sqrt(np.diagonal(np.linalg.inv(correlations)))
    np.testing.assert_allclose(proposal.standard_deviation, conditional, rtol=1e-3)
    np.testing.assert_array_equal(proposal.mean, target.mean)


def test_a_proposal_as_narrow_as_that_leaves_the_weights_a_heavy_tail(global_random_seed):
    target, rng = gaussian(n_dim=4, correlation=0.99), np.random.default_rng(global_random_seed)
    proposal = diagonal_normal(target.log_density, target.mean)
    draws = importance_sample(target.log_density, proposal, 64_000, rng)
    # The index of the tail is nearly one, and k-hat of so many weights about 0.9, give or take
    # 0.06: above a half there is no variance.
    assert draws.pareto_k > 0.5


def test_second_moment_about_the_mode_of_a_skewed_density():
    # Exponential to the right, nothing to the left: E[u^2] = 2.
    proposal = diagonal_normal(lambda u: np.where(u[:, 0] < 0, -np.inf, -u[:, 0]), [0.0])
    assert proposal.standard_deviation[0] == pytest.approx(np.sqrt(2.0), rel=0.02)


def test_another_mode_is_not_counted():
    target = two_modes(n_dim=2, distance=12.0, share=0.5)
    proposal = diagonal_normal(target.log_density, np.zeros(2))
    np.testing.assert_allclose(proposal.standard_deviation, 1.0, rtol=0.01)


def test_zero_density_at_the_mode():
    with pytest.raises(ValueError, match="must be finite"):
        diagonal_normal(lambda u: np.full(len(u), -np.inf), [0.0])


def test_logpdf_and_draws(global_random_seed):
    proposal = DiagonalNormal([1.0, -2.0], [0.5, 3.0])
    draws = proposal.rvs(np.random.default_rng(global_random_seed), 500)
    expected = stats.norm.logpdf(draws, [1.0, -2.0], [0.5, 3.0]).sum(axis=1)
    np.testing.assert_allclose(proposal.logpdf(draws), expected, rtol=1e-12)
    for column, mean, sd in zip(draws.T, [1.0, -2.0], [0.5, 3.0], strict=True):
        assert stats.kstest(column, "norm", (mean, sd)).pvalue > 1e-6
