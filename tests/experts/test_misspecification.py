"""Experts of scores that are wrong."""

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.data._cells import ScoreCells, ScoreKind
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.experts import RankProcess

N_CURVES = 1500


@pytest.fixture(scope="module")
def cells(global_random_seed):
    scores = np.random.default_rng(global_random_seed).standard_normal(1000)
    sample = ScoreSample.from_items(scores, np.full(1000, -1), np.ones(1000))
    return ScoreCells.of(sample, ScoreKind("unknown"))


@pytest.fixture
def rng(global_random_seed):
    return np.random.default_rng([1, global_random_seed])


def test_curves_of_any_order_are_of_two_kinds(cells, rng):
    expert = RankProcess(N_CURVES)
    curves, shares = expert.curves(cells, rng), expert.shares()
    change = np.diff(curves, axis=1)
    falling, rising = (change < 0.0).all(axis=1), (change > 0.0).all(axis=1)
    half = N_CURVES // 2
    anything, decreasing = slice(half), slice(half, None)
    assert falling[decreasing].all()
    assert (falling | rising)[anything].mean() < 0.2
    total = [shares[kind].sum() / shares.sum() for kind in (anything, decreasing)]
    np.testing.assert_allclose(total, np.array([15.0, 9.0]) / 24.0)


def test_levels_of_curves_are_normal(cells, rng):
    curves = RankProcess(N_CURVES).curves(cells, rng)
    # Those that decrease do so by the rank alone, which is zero in the middle.
    decreasing = curves[N_CURVES // 2 :]
    level = [np.interp(0.0, cells.normal_ranks, curve) for curve in decreasing]
    assert stats.kstest(level, stats.norm(0.0, 2.0).cdf).pvalue > 1e-6
