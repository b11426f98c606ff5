"""Drawing a batch: chances are what is recorded, all are possible, and it can be told again."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sklearn_spe.active import ExpectedChange, Random, Reading, _query
from sklearn_spe.active._query import draw_batch
from sklearn_spe.active.strategies._registry import STRATEGIES
from sklearn_spe.active.strategies._strategy import best

# What is read has no chance: see the tests of reviews.
DRAWING = {name: cls() for name, cls in STRATEGIES.items() if cls is not Reading}
EVERY_STRATEGY = pytest.mark.parametrize("strategy", DRAWING.values(), ids=list(DRAWING))
HOW = {"draw": "sample", "exploration": 0.2}


def draw_proba(strategy, pool, free, exploration):
    return _query.draw_proba(strategy.weights(pool)[free], pool.ranks[free], exploration)


def drawn(scored, strategy, n=8, pool=None, more=0, **how):
    """Return a batch; another number for `more` makes it another draw."""
    pool = scored.pool() if pool is None else pool
    rng = np.random.default_rng([scored.seed, more])
    return draw_batch(strategy, pool, n, rng=rng, **{**HOW, **how})


# --- chances ---------------------------------------------------------------------------


@EVERY_STRATEGY
@pytest.mark.parametrize("exploration", [0.1, 1.0])
def test_chances_sum_to_one_and_nothing_is_impossible(scored, strategy, exploration):
    pool = scored.pool()
    while len(free := np.flatnonzero(pool.free)):
        q = draw_proba(strategy, pool, free, exploration)
        assert q.shape == (len(free),)
        assert q.sum() == pytest.approx(1.0, abs=1e-12)
        # Half of the exploration is even, whatever the strategy wants.
        assert q.min() >= exploration * 0.5 / len(free) * (1.0 - 1e-12)
        # The other half is even in log rank.
        by_rank = 0.5 * exploration / pool.ranks[free] / (1.0 / pool.ranks[free]).sum()
        assert (q >= by_rank * (1.0 - 1e-12)).all()
        pool = pool.after(int(free[len(free) // 2]))


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [Random(), ExpectedChange()], ids=["once", "again"])
def test_items_are_drawn_as_often_as_their_chances_say(scored, strategy):
    # Of twelve items two at a time: the first, and the second given the first; of a strategy that
    # looks once and one that looks again. A false alarm comes once in 250,000 runs.
    pool = scored.pool(
        np.linspace(-1.0, 2.0, 12), np.full(12, -1), scored.probability[:12], n_cells=4
    )
    n, firsts, seconds = 1000, np.zeros(12), np.zeros((12, 12))
    for more in range(n):
        batch = drawn(scored, strategy, 2, pool, more)
        firsts[batch.items[0]] += 1
        seconds[tuple(batch.items)] += 1
    expected = draw_proba(strategy, pool, np.arange(12), 0.2)
    assert stats.chisquare(firsts, n * expected).pvalue > 1e-6
    top = int(np.argmax(firsts))
    left = np.setdiff1d(np.arange(12), [top])
    after = draw_proba(strategy, pool.after(top), left, 0.2)
    assert seconds[top, top] == 0.0
    assert stats.chisquare(seconds[top, left], firsts[top] * after).pvalue > 1e-6


@EVERY_STRATEGY
def test_what_is_recorded_is_what_it_was_drawn_with(scored, strategy):
    pool = scored.pool()
    batch = drawn(scored, strategy)
    assert len(set(batch.items.tolist())) == 8
    assert set(batch.items.tolist()) <= set(scored.free.tolist())
    assert_array_equal(batch.predictions, scored.probability[batch.items])
    expected = [
        scored.probability[scored.free][~pool.above[scored.free]].sum(),
        scored.probability[scored.free][pool.above[scored.free]].sum(),
    ]
    assert_allclose(batch.expected_positives, expected)
    for item, chance, reach in zip(batch.items, batch.chances, batch.reach, strict=True):
        free = np.flatnonzero(pool.free)
        exploration = 0.2 if strategy.explores else 0.0
        q = draw_proba(strategy, pool, free, exploration)
        assert chance == pytest.approx(q[np.searchsorted(free, item)], rel=1e-12)
        for z in (0, 1):
            for side in (0, 1):
                at = pool.above[free] == side
                want = np.max(np.abs(z - scored.probability[free][at]) / q[at], initial=0.0)
                assert reach[z, side] == pytest.approx(want, rel=1e-12)
        pool = pool.after(int(item))


@EVERY_STRATEGY
def test_a_batch_updated_again_has_the_same_chances(scored, strategy):
    first = drawn(scored, strategy)
    again = drawn(scored, strategy, more=99, items=first.items)
    for field in dataclasses.fields(first):
        assert_array_equal(getattr(again, field.name), getattr(first, field.name))
    other = drawn(scored, strategy, more=99, items=first.items[::-1])
    assert_array_equal(other.items, first.items[::-1])
    assert_array_equal(other.expected_positives, first.expected_positives)


@EVERY_STRATEGY
@pytest.mark.parametrize("draw", ["sample", "argmax"])
def test_no_more_is_drawn_than_is_left(scored, strategy, draw):
    everything = drawn(scored, strategy, 1000, draw=draw)
    assert sorted(everything.items.tolist()) == scored.free.tolist()
    nothing = drawn(scored, strategy, 0, draw=draw)
    assert nothing.items.shape == nothing.chances.shape == nothing.predictions.shape == (0,)
    assert nothing.reach.shape == (0, 2, 2)
    none_left = drawn(
        scored, strategy, 3, draw=draw, pool=scored.pool(codes=np.ones(60, dtype=int))
    )
    assert none_left.items.shape == (0,)


# --- the best --------------------------------------------------------------------------


@EVERY_STRATEGY
def test_the_best_are_taken_without_chances(scored, strategy):
    batch = drawn(scored, strategy, draw="argmax")
    rng = np.random.default_rng([scored.seed, 0])
    assert_array_equal(batch.items, best(strategy, scored.pool(), 8, rng))
    assert np.isnan(batch.chances).all()
    assert np.isnan(batch.reach).all()
    assert np.isnan(batch.expected_positives).all()
    assert_array_equal(batch.predictions, scored.probability[batch.items])
    told = drawn(scored, strategy, draw="argmax", more=5, items=batch.items)
    assert_array_equal(told.items, batch.items)


# --- the pool --------------------------------------------------------------------------


def test_what_is_asked_for_is_not_free_and_counts_as_a_label(scored):
    pool = scored.pool()
    after = pool.after(int(scored.free[3]))
    assert pool.n_labeled == 20
    assert after.n_labeled == 21
    assert pool.free[scored.free[3]]
    assert not after.free[scored.free[3]]
    assert_array_equal(after.codes, scored.labels)
    # What is known of one label leaves no cell less known.
    assert (after.information.variance <= pool.information.variance + 1e-12).all()
    assert after.information.variance.sum() < pool.information.variance.sum()
    assert scored.pool(information=None).after(int(scored.free[3])).information is None
