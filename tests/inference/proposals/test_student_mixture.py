import numpy as np
import pytest
from scipy import special, stats

from sklearn_spe.inference._modes import Modes
from sklearn_spe.inference._proposals import (
    StudentMixture,
    _m_step,
    enriched_mixture,
)

WEIGHTS = [0.7, 0.3]
MEANS = [[0.0, 1.0], [6.0, -2.0]]
SCALES = [[[1.0, 0.6], [0.6, 2.0]], [[0.5, -0.2], [-0.2, 0.3]]]


@pytest.fixture
def mixture():
    return StudentMixture(WEIGHTS, MEANS, SCALES, dof=5.0)


def test_logpdf_against_scipy(mixture, global_random_seed):
    u = 4.0 * np.random.default_rng(global_random_seed).normal(size=(50, 2))
    parts = [
        np.log(weight) + stats.multivariate_t.logpdf(u, mean, scale, df=5.0)
        for weight, mean, scale in zip(WEIGHTS, MEANS, SCALES, strict=True)
    ]
    np.testing.assert_allclose(mixture.logpdf(u), special.logsumexp(parts, axis=0), rtol=1e-10)


def test_logpdf_has_the_same_bits_in_blocks(mixture, global_random_seed):
    u = np.random.default_rng(global_random_seed).normal(size=(101, 2))
    blocks = [mixture.logpdf(block) for block in np.array_split(u, 13)]
    assert np.array_equal(mixture.logpdf(u), np.concatenate(blocks))


def test_draws_follow_the_density(mixture, global_random_seed):
    draws = mixture.rvs(np.random.default_rng(global_random_seed), 4000)
    first = 0.7 * stats.t.cdf(draws[:, 0], 5) + 0.3 * stats.t.cdf(
        (draws[:, 0] - 6.0) / np.sqrt(0.5), 5
    )
    assert stats.kstest(first, "uniform").pvalue > 1e-6
    sums = draws.sum(axis=1)
    along = 0.7 * stats.t.cdf((sums - 1.0) / np.sqrt(4.2), 5)
    along += 0.3 * stats.t.cdf((sums - 4.0) / np.sqrt(0.4), 5)
    assert stats.kstest(along, "uniform").pvalue > 1e-6


def test_components_get_their_share_of_draws(mixture, global_random_seed):
    draws = mixture.rvs(np.random.default_rng(global_random_seed), 10)
    assert (draws[:, 0] > 4.0).sum() == pytest.approx(3, abs=1)


def test_any_part_of_the_draws_is_a_sample(mixture, global_random_seed):
    halves = np.split(mixture.rvs(np.random.default_rng(global_random_seed), 4000), 2)
    shares = [(half[:, 0] > 4.0).mean() for half in halves]
    assert abs(shares[0] - shares[1]) < 5.0 * np.sqrt(0.3 * 0.7 / 1000)


def test_defence_bounds_the_loss_and_covers(mixture, global_random_seed):
    defended = mixture.defended(share=0.1, factor=3.0)
    u = np.random.default_rng(global_random_seed).normal(size=(30, 2))
    assert np.all(defended.logpdf(u) >= mixture.logpdf(u) + np.log(0.9) - 1e-12)
    assert defended.logpdf(np.array([[3.0, 9.0]]))[0] > mixture.logpdf(np.array([[3.0, 9.0]]))[0]
    # Mean and scatter of the whole: by the law of total variance.
    steps = np.array(MEANS) - defended.means[-1]
    total = np.einsum("k,kij->ij", WEIGHTS, SCALES) + np.einsum("k,ki,kj", WEIGHTS, steps, steps)
    np.testing.assert_allclose(defended.scales[-1], 9.0 * total)


def test_widened(mixture):
    np.testing.assert_allclose(mixture.widened(2.0).scales, 4.0 * np.array(SCALES))


def test_from_modes_weights_by_mass_with_a_floor():
    curvatures = np.array([np.diag([1.0, 4.0]), np.diag([100.0, 100.0])])
    modes = Modes([[0.0, 0.0], [9.0, 0.0]], [0.0, 0.0], curvatures)
    mixture = StudentMixture.from_modes(modes)
    masses = np.array([1.0 / 2.0, 1.0 / 100.0])
    np.testing.assert_allclose(mixture.weights, 0.8 * masses / masses.sum() + 0.1)
    np.testing.assert_allclose(mixture.scales[0], np.diag([1.0, 0.25]))


def test_from_modes_repairs_a_saddle():
    modes = Modes(np.zeros((1, 2)), [0.0], np.diag([4.0, -1.0])[np.newaxis])
    assert np.isfinite(StudentMixture.from_modes(modes).logpdf(np.ones((2, 2)))).all()


def test_enriched_mixtures_keep_the_old_components_at_their_share(mixture, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    points = rng.normal(0.0, 9.0, (500, 2))
    richer = enriched_mixture(mixture, points, np.full(500, 1.0 / 500), 5, rng)
    assert richer.n_components == 5
    np.testing.assert_allclose(richer.weights, np.r_[0.4 * np.array(WEIGHTS), np.full(3, 0.2)])
    np.testing.assert_array_equal(richer.means[:2], MEANS)
    np.testing.assert_array_equal(richer.scales[:2], SCALES)
    for mean in richer.means[2:]:
        assert (points == mean).all(axis=1).any()
    assert enriched_mixture(richer, points, np.full(500, 1.0 / 500), 5, rng) is richer


def test_an_m_step_maximizes_the_posterior_density(global_random_seed):
    """Of weighted normal draws with a prior of both, that is worth one draw of the mean."""
    rng = np.random.default_rng(global_random_seed)
    points, precise = rng.normal(2.0, 1.5, (9, 2)), rng.uniform(0.2, 1.0, 9)
    size, prior_mean, prior_scale = 7.0, np.array([0.5, -1.0]), np.array([[1.0, 0.2], [0.2, 0.6]])
    strength = 2 + 2.0

    def log_density(mean, scale):
        steps = np.vstack([points - mean, prior_mean - mean])
        distance = np.einsum("ni,ij,nj->n", steps, np.linalg.inv(scale), steps)
        trace = np.trace(np.linalg.solve(scale, prior_scale))
        log_det = np.linalg.slogdet(scale)[1]
        return -0.5 * (np.append(precise, 1.0) @ distance + strength * trace) - 0.5 * log_det * (
            size + strength
        )

    mean, scale = _m_step(points, precise, size, prior_mean, prior_scale)
    best = log_density(mean, scale)
    for _ in range(40):
        root = rng.normal(0.0, 0.05, (2, 2))
        assert log_density(mean + rng.normal(0.0, 0.05, 2), scale) < best
        assert log_density(mean, scale + root + root.T) < best
