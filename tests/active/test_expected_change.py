"""What the expected change chooses."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe.active import ExpectedChange
from sklearn_spe.active.strategies._strategy import best


def test_expected_change_is_the_gain_of_the_cell(scored):
    pool = scored.pool()
    assert_array_equal(ExpectedChange().utilities(pool), pool.information.gains[pool.cells])
    first = scored.best(ExpectedChange(), 1)[0]
    assert (
        pool.information.gains[pool.cells[first]]
        == pool.information.gains[pool.cells[scored.free]].max()
    )


@pytest.mark.parametrize("n_labeled", [0, 19, 20, 40])
def test_cells_are_drawn_by_a_power_of_their_gain_and_items_alike(scored, n_labeled):
    codes = np.where(np.arange(60) < n_labeled, 1, -1)
    pool = scored.pool(codes=codes)
    weights = np.where(pool.free, ExpectedChange(20, 8.0, 2.0).weights(pool), 0.0)
    by_cell = np.bincount(pool.cells, weights, 12)
    left = np.bincount(pool.cells[pool.free], minlength=12) > 0
    want = np.where(left, pool.information.gains, 0.0) ** (8.0 if n_labeled < 20 else 2.0)
    assert_allclose(by_cell / by_cell.sum(), want / want.sum(), rtol=1e-12, atol=1e-300)
    for cell in np.flatnonzero(left):
        assert len(np.unique(weights[pool.free & (pool.cells == cell)])) == 1


def test_a_batch_looks_again_after_every_item(scored):
    pool, rng = scored.pool(), np.random.default_rng(scored.seed)
    for item in best(ExpectedChange(), pool, 15, rng):
        gains = np.where(pool.free, pool.information.gains[pool.cells], -np.inf)
        assert gains[item] == gains.max()
        pool = pool.after(int(item))


@pytest.mark.parametrize(("share", "power"), [(0.01, 8.0), (0.99, 8.0), (0.1, 2.0)])
def test_the_power_stays_high_where_one_class_is_rare(scored, share, power):
    codes = np.where(np.arange(60) < 30, int(share > 0.5), -1)
    pool = dataclasses.replace(scored.pool(codes=codes), probability=np.full(60, share))
    expected = np.where(codes < 0, share, codes == 1).mean()
    assert pool.share_of_rarer == pytest.approx(min(expected, 1.0 - expected))
    strategy = ExpectedChange(20, 8.0, 2.0)
    assert_allclose(
        strategy.weights(pool), dataclasses.replace(strategy, power=power).weights(pool)
    )
