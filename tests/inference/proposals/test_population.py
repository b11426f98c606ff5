import numpy as np
import pytest

from sklearn_spe.inference._proposals import (
    StudentMixture,
    enriched_mixture,
    fit_student_mixture,
    scattered_mixture,
)

TRUTH = StudentMixture(
    [0.65, 0.35],
    [[0.0, 0.0], [7.0, 3.0]],
    [[[1.0, 0.7], [0.7, 1.0]], [[0.5, 0.0], [0.0, 2.0]]],
)


def _fit(start, seed, n_draws=4000, n_iterations=40):
    points = TRUTH.rvs(np.random.default_rng(seed), n_draws)
    weights = np.full(n_draws, 1.0 / n_draws)
    return fit_student_mixture(points, weights, start, n_iterations), points, weights


def test_em_recovers_the_mixture(global_random_seed):
    start = StudentMixture([0.5, 0.5], [[1.0, 1.0], [5.0, 1.0]], np.repeat(np.eye(2)[None], 2, 0))
    fitted, _, _ = _fit(start, global_random_seed)
    # About five standard errors at 1,400 draws of the smaller component.
    np.testing.assert_allclose(fitted.weights, TRUTH.weights, atol=0.01)
    np.testing.assert_allclose(fitted.means, TRUTH.means, atol=0.2)
    np.testing.assert_allclose(fitted.scales, TRUTH.scales, atol=0.35)


def test_weighted_draws_equal_repeated_draws(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    points, counts = TRUTH.rvs(rng, 200), rng.integers(1, 4, size=200)
    start = TRUTH.widened(1.5)
    repeated = np.repeat(points, counts, axis=0)
    size = len(repeated)
    once = fit_student_mixture(repeated, np.full(size, 1.0 / size), start, 5)
    weighted = fit_student_mixture(points, counts / size, start, 5)
    # They differ by their effective sizes alone: 200 weighted draws count for less.
    np.testing.assert_allclose(weighted.means, once.means, atol=0.05)
    np.testing.assert_allclose(weighted.weights, once.weights, atol=0.02)


def test_em_raises_the_likelihood(global_random_seed):
    start = TRUTH.widened(3.0)
    fitted, points, _ = _fit(start, global_random_seed, n_iterations=3)
    assert fitted.logpdf(points).mean() > start.logpdf(points).mean() + 0.5


def test_one_heavy_draw_does_not_collapse_a_component(global_random_seed):
    points = TRUTH.rvs(np.random.default_rng(global_random_seed), 300)
    weights = np.full(300, 1e-9)
    weights[0] = 1.0
    fitted = fit_student_mixture(points, weights / weights.sum(), TRUTH, 20)
    shrinkage = np.linalg.eigvalsh(fitted.scales) / np.linalg.eigvalsh(TRUTH.scales)
    assert shrinkage.min() > 0.5
    assert fitted.weights.min() > 0.005


def test_scattered_start_finds_both_groups(global_random_seed):
    fitted, points, weights = _fit(TRUTH, global_random_seed)
    # Half of the centers lie in either group: all twenty in one less than once in a million times.
    start = scattered_mixture(points, weights, 20, np.random.default_rng(global_random_seed))
    assert start.n_components == 20
    assert (start.means[:, 0] > 4.0).any()
    assert (start.means[:, 0] < 3.0).any()
    refit = fit_student_mixture(points, weights, start, 20)
    assert refit.logpdf(points).mean() > fitted.logpdf(points).mean() - 0.05


def test_enriched_mixture_covers_what_was_missed(global_random_seed):
    points = TRUTH.rvs(np.random.default_rng(global_random_seed), 2000)
    weights = np.full(2000, 1.0 / 2000)
    alone = StudentMixture([1.0], TRUTH.means[:1], TRUTH.scales[:1])
    richer = enriched_mixture(alone, points, weights, 40, np.random.default_rng(global_random_seed))
    assert richer.n_components == 40
    np.testing.assert_array_equal(richer.means[0], alone.means[0])
    assert richer.weights.sum() == pytest.approx(1.0)
    # Two new centers in five lie there: all 39 miss it less than once in a million times.
    assert np.linalg.norm(richer.means[1:] - TRUTH.means[1], axis=1).min() < 4.0


def test_enriching_to_no_more_components_changes_nothing():
    assert enriched_mixture(TRUTH, None, None, 2, None) is TRUTH
