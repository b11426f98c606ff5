import numpy as np
import pytest

from sklearn_spe.inference._proposals import StudentMixture
from sklearn_spe.inference._sampling import importance_sample, reweighted

from .targets import assert_moments, banana, gaussian, student


def _proposal(n_dim, mean=0.0, scale=1.0):
    return StudentMixture([1.0], np.full((1, n_dim), mean), scale * np.eye(n_dim)[np.newaxis])


@pytest.mark.parametrize("target", [student(3), banana(3, 0.5)], ids=lambda target: target.name)
def test_moments_and_evidence(target, global_random_seed):
    proposal, target.n_rows = _proposal(3, mean=0.3, scale=2.0), 0
    draws = importance_sample(
        target.log_density, proposal, 4000, np.random.default_rng(global_random_seed)
    )
    assert draws.pareto_k < 0.7
    assert_moments(draws, target)
    assert target.n_rows == 4000


def test_evidence_is_exact_where_the_proposal_is_the_target(global_random_seed):
    proposal = _proposal(4)
    shift = -1234.5
    draws = importance_sample(
        lambda u: proposal.logpdf(u) + shift,
        proposal,
        100,
        np.random.default_rng(global_random_seed),
    )
    assert draws.log_evidence == pytest.approx(shift, abs=1e-9)
    assert draws.ess == pytest.approx(100.0)


def test_evidence_is_unbiased(global_random_seed):
    target, n_repeats = gaussian(2, 0.5), 500
    rng = np.random.default_rng(global_random_seed)
    proposal = StudentMixture([1.0], [target.mean + 0.3], 3.0 * np.diag(target.variance)[None])
    ratios = [
        np.exp(
            importance_sample(target.log_density, proposal, 60, rng).log_evidence
            - target.log_evidence
        )
        for _ in range(n_repeats)
    ]
    error = np.std(ratios) / np.sqrt(n_repeats)
    assert error < 0.05
    # Five standard errors are passed once in two million times.
    assert abs(np.mean(ratios) - 1.0) < 5.0 * error


def test_half_of_the_proposal_off_the_support(global_random_seed):
    def half_normal(u):
        return np.where(u[:, 0] > 0, -0.5 * u[:, 0] ** 2, -np.inf)

    draws = importance_sample(
        half_normal, _proposal(1), 4000, np.random.default_rng(global_random_seed)
    )
    error = np.sqrt(1.0 / draws.ess)
    assert abs(draws.log_evidence - 0.5 * np.log(np.pi / 2)) < 5.0 * error
    assert abs((draws.weights * draws.points[:, 0]).sum() - np.sqrt(2 / np.pi)) < 5.0 * error


def test_same_seed_same_bits(global_random_seed):
    target = banana(3)
    one, two = (
        importance_sample(
            target.log_density, _proposal(3), 200, np.random.default_rng(global_random_seed)
        )
        for _ in range(2)
    )
    assert np.array_equal(one.points, two.points)
    assert np.array_equal(one.log_weights, two.log_weights)


@pytest.mark.parametrize(("value", "message"), [(np.nan, "nan"), (-np.inf, "All weights are zero")])
def test_density_without_values(value, message, global_random_seed):
    with pytest.raises(ValueError, match=message):
        importance_sample(
            lambda u: np.full(len(u), value),
            _proposal(2),
            50,
            np.random.default_rng(global_random_seed),
        )


def test_draws_weighted_anew_are_those_of_the_other_density(global_random_seed):
    target, other = gaussian(2, 0.5), gaussian(2, 0.3)
    proposal = StudentMixture([1.0], [target.mean], 3.0 * np.diag(target.variance)[None])
    rng = np.random.default_rng(global_random_seed)
    draws = importance_sample(target.log_density, proposal, 4000, rng)
    log_ratios = other.log_density(draws.points) - target.log_density(draws.points)
    assert_moments(reweighted(draws, log_ratios), other)


def test_a_constant_ratio_changes_the_evidence_alone(global_random_seed):
    target = gaussian(2, 0.5)
    rng = np.random.default_rng(global_random_seed)
    draws = importance_sample(target.log_density, _proposal(2, 1.5), 400, rng)
    shifted = reweighted(draws, np.full(len(draws), 3.0))
    assert shifted.log_evidence == pytest.approx(draws.log_evidence + 3.0)
    assert shifted.pareto_k == draws.pareto_k
