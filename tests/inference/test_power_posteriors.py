import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

from sklearn_spe.inference import power_posteriors

# A normal prior, and the log likelihood of a normal observation.
PRIOR_MEAN, PRIOR_STD = np.array([0.5, -1.0]), np.array([2.0, 0.7])
SEEN, NOISE = np.array([3.0, 0.0]), np.array([1.5, 1.0])
POWERS = (0.5, 3.0, 8.0, 40.0)
N_DRAWS, N_RUNS = 400, 12


def log_normal(points, mean, std):
    return -0.5 * (((points - mean) / std) ** 2).sum(axis=1)


def run(seed, powers=POWERS, n_draws=N_DRAWS, shift=0.0):
    rng = np.random.default_rng(seed)
    return power_posteriors(
        lambda u: log_normal(u, SEEN, NOISE) + shift,
        lambda n: rng.normal(PRIOR_MEAN, PRIOR_STD, (n, 2)),
        lambda u: log_normal(u, PRIOR_MEAN, PRIOR_STD),
        powers,
        n_draws,
        rng,
    )


def exact(power):
    """Return mean and standard deviation of the conjugate normal posterior."""
    precision = PRIOR_STD**-2.0 + power * NOISE**-2.0
    return (PRIOR_MEAN * PRIOR_STD**-2.0 + power * SEEN * NOISE**-2.0) / precision, precision**-0.5


def test_every_power_has_its_conjugate_posterior(global_random_seed):
    # Draws depend on one another, so the error is taken from the scatter over runs.
    runs = [run([global_random_seed, k]) for k in range(N_RUNS)]
    for k, power in enumerate(POWERS):
        mean, std = exact(power)
        for values, truth in (
            (np.array([(r[k] - mean) / std for r in runs]).mean(axis=1), 0.0),
            (np.array([((r[k] - mean) / std) ** 2 for r in runs]).mean(axis=1), 1.0),
        ):
            error = values.std(axis=0, ddof=1) / np.sqrt(N_RUNS)
            # A t value with 11 degrees of freedom passes 10 once in a million times.
            assert (np.abs(values.mean(axis=0) - truth) < 10.0 * error).all(), power
            assert (error < 0.1).all()


def test_draws_are_normal(global_random_seed):
    mean, std = exact(POWERS[-1])
    z = (run(global_random_seed, n_draws=4000)[-1] - mean) / std
    # Dependent draws: a lenient level.
    assert all(stats.kstest(column, "norm").statistic < 0.05 for column in z.T)


def test_there_is_one_set_of_draws_for_each_power(global_random_seed):
    runs = run(global_random_seed)
    assert [part.shape for part in runs] == [(N_DRAWS, 2)] * len(POWERS)
    # The ladder goes on: later powers change nothing of earlier ones.
    assert_array_equal(runs[0], run(global_random_seed, POWERS[:1])[0])
    assert_array_equal(runs[1], run(global_random_seed, POWERS[:2])[1])


def test_a_constant_in_the_likelihood_changes_nothing(global_random_seed):
    for plain, shifted in zip(
        run(global_random_seed), run(global_random_seed, shift=-512.0), strict=True
    ):
        assert np.median(np.abs(plain - shifted)) < 1e-6


def test_two_modes_keep_their_shares(global_random_seed):
    # Two equal humps in the likelihood, far apart: at power t the shares stay equal.
    def log_likelihood(u):
        return np.logaddexp(-0.5 * (u[:, 0] - 3.0) ** 2, -0.5 * (u[:, 0] + 3.0) ** 2)

    shares = []
    for rng in np.random.default_rng(global_random_seed).spawn(N_RUNS):
        (draws,) = power_posteriors(
            log_likelihood,
            lambda n, rng=rng: 4.0 * rng.standard_normal((n, 1)),
            lambda u: -0.5 * (u[:, 0] / 4.0) ** 2,
            (16.0,),
            N_DRAWS,
            rng,
        )
        shares.append(np.mean(draws > 0.0))
        assert np.abs(draws).min() > 1.0
    error = np.std(shares, ddof=1) / np.sqrt(N_RUNS)
    assert np.mean(shares) == pytest.approx(0.5, abs=10.0 * error)
