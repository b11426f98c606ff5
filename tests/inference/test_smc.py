import numpy as np
import pytest
from scipy import stats

from sklearn_spe.inference._proposals import StudentMixture
from sklearn_spe.inference._sampling import systematic_resample, tempered_smc

from .targets import banana, funnel, gaussian, two_modes


def _base(target, scale=3.0):
    n_dim = target.n_dim
    return StudentMixture([1.0], np.zeros((1, n_dim)), scale**2 * np.eye(n_dim)[np.newaxis])


@pytest.mark.parametrize(
    ("target", "by_parts"),
    [
        (gaussian(3, 0.8), False),
        (banana(3, 1.0), False),
        (funnel(3, 1.0), False),
        (two_modes(2, 6.0), False),
        (funnel(3, 1.0), True),
        (gaussian(5, 0.3), True),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_evidence_and_means_over_runs(target, by_parts, global_random_seed):
    # Draws are dependent, so the error is taken from the scatter over seeds.
    runs = [
        tempered_smc(target.log_density, _base(target), 500, rng, by_parts=by_parts)
        for rng in np.random.default_rng(global_random_seed).spawn(12)
    ]
    # Student's t with 11 degrees of freedom passes 10 once in a million times.
    ratios = np.exp([run.log_evidence - target.log_evidence for run in runs])
    assert abs(ratios.mean() - 1.0) < 10.0 * ratios.std(ddof=1) / np.sqrt(len(runs))
    means = np.array([run.points[:, 0].mean() for run in runs])
    error = means.std(ddof=1) / np.sqrt(len(runs))
    assert abs(means.mean() - target.mean[0]) < 10.0 * error
    assert error < 0.1 * np.sqrt(target.variance[0])


def test_draws_of_a_normal_are_normal(global_random_seed):
    target = gaussian(2, 0.5)
    draws = tempered_smc(
        target.log_density, _base(target), 2000, np.random.default_rng(global_random_seed)
    )
    z = (draws.points - target.mean) / np.sqrt(target.variance)
    # The draws are dependent: a lenient level.
    assert all(stats.kstest(column, "norm").statistic < 0.06 for column in z.T)
    assert draws.ess == pytest.approx(2000.0)
    assert draws.pareto_k < 0.7


def test_start_takes_the_place_of_draws_from_the_base(global_random_seed):
    target, rng = gaussian(2, 0.0), np.random.default_rng(global_random_seed)
    base = _base(target)
    start = base.rvs(np.random.default_rng(global_random_seed), 400)
    draws = tempered_smc(target.log_density, base, 400, rng, start=start)
    z = (draws.points.mean(axis=0) - target.mean) / np.sqrt(target.variance)
    assert np.all(np.abs(z) < 0.3)
    with pytest.raises(ValueError, match="n_draws=300"):
        tempered_smc(target.log_density, base, 300, rng, start=start)


def test_part_of_the_base_off_the_support(global_random_seed):
    def exponential(u):
        return np.where((u > 0).all(axis=1), -np.abs(u).sum(axis=1), -np.inf)

    base = StudentMixture([1.0], np.zeros((1, 2)), 4.0 * np.eye(2)[np.newaxis])
    draws = tempered_smc(exponential, base, 2000, np.random.default_rng(global_random_seed))
    assert draws.points.min() > 0.0
    assert abs(draws.log_evidence) < 0.2
    assert np.all(np.abs(draws.points.mean(axis=0) - 1.0) < 0.15)


def test_base_off_the_support(global_random_seed):
    target = gaussian(2, 0.0)
    with pytest.raises(ValueError, match="positive target density"):
        tempered_smc(
            lambda u: np.full(len(u), -np.inf),
            _base(target),
            50,
            np.random.default_rng(global_random_seed),
        )


def test_systematic_resampling_rounds_the_expected_counts(global_random_seed):
    weights = np.array([0.5, 0.0, 0.24, 0.26])
    rng = np.random.default_rng(global_random_seed)
    for _ in range(20):
        counts = np.bincount(systematic_resample(weights, rng), minlength=4)
        assert np.all(np.abs(counts - 4 * weights) < 1.0)
