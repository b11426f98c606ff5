"""Populations of equal weights: what their agreement and their pool may not depend on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe.inference._draws import Draws
from sklearn_spe.inference._proposals import StudentMixture
from sklearn_spe.inference._sampling import (
    _SAME_MEANS,
    DrawPool,
    _agree,
    _pooled,
    _populations,
)

N = 400


def population(points, log_evidence=0.0, pareto_k=0.1):
    return Draws(points, np.full(len(points), -np.log(len(points))), pareto_k, log_evidence)


@pytest.mark.parametrize("unit", [1.0, 1e3])
def test_populations_agree_whose_means_are_near_in_standard_deviations(unit, global_random_seed):
    points = np.random.default_rng(global_random_seed).normal(size=(N, 3))
    points *= np.array([1.0, unit, 1.0 / unit])
    deviation = points.std(axis=0)
    for share, agrees in ((0.98, True), (1.02, False)):
        other = population(points + share * _SAME_MEANS * deviation)
        assert _agree(population(points), other) is agrees
        assert _agree(other, population(points)) is agrees
    # One of three coordinates alone may be off by the root of three as much.
    shift = np.array([0.0, 1.7 * _SAME_MEANS * deviation[1], 0.0])
    assert _agree(population(points), population(points + shift))
    assert not _agree(population(points), population(points, log_evidence=1.5))


@pytest.mark.parametrize("n_draws", [7, 8])
def test_a_pool_has_draws_of_several_populations_in_turn(n_draws, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    one, other = rng.normal(size=(2, 4, 3))
    pooled = _pooled(
        [population(one, np.log(1.0), 0.1), population(other, np.log(3.0), 0.4)], n_draws
    )
    assert_array_equal(pooled.points, np.stack([one, other], axis=1).reshape(8, 3)[:n_draws])
    assert_allclose(pooled.weights, 1.0 / n_draws)
    # Evidence has a mean, and the worse k-hat is that of both.
    assert pooled.log_evidence == pytest.approx(np.log(2.0))
    assert pooled.pareto_k == 0.4


@pytest.mark.parametrize("n_draws", [30, 1001])
def test_populations_have_as_many_draws_as_asked_for(n_draws, global_random_seed):
    mixture = StudentMixture([1.0], np.zeros((1, 8)), np.eye(8)[np.newaxis])
    pool = DrawPool(
        lambda u: -0.5 * np.einsum("ij,ij->i", u, u), np.random.default_rng(global_random_seed)
    )
    draws = _populations(pool, mixture, n_draws)
    assert draws.points.shape == (n_draws, 8)
    assert draws.log_evidence == pytest.approx(4.0 * np.log(2.0 * np.pi), abs=0.5)
