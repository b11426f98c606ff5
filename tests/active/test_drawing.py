"""Drawing a batch: chances are what is recorded, all are possible, and it can be told again."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sklearn_spe.active import STRATEGIES, Random, Tail, _drawing
from sklearn_spe.active._drawing import draw_batch
from sklearn_spe.active.strategies import best
from tests.active.pools import FREE, LABELS, PROBABILITY, pool_of

EVERY_STRATEGY = pytest.mark.parametrize(
    "strategy", [cls() for cls in STRATEGIES.values()], ids=list(STRATEGIES)
)
HOW = {"draw": "sample", "exploration": 0.2}


def chances_of(strategy, pool, free, exploration):
    return _drawing.chances_of(strategy.weights(pool)[free], pool.ranks[free], exploration)


def drawn(strategy, n=8, seed=0, pool=None, **how):
    pool = pool_of() if pool is None else pool
    return draw_batch(strategy, pool, n, rng=np.random.default_rng(seed), **{**HOW, **how})


# --- chances ---------------------------------------------------------------------------


@EVERY_STRATEGY
@pytest.mark.parametrize("exploration", [0.1, 0.5, 1.0])
def test_chances_sum_to_one_and_nothing_is_impossible(strategy, exploration):
    pool = pool_of()
    while len(free := np.flatnonzero(pool.free)):
        q = chances_of(strategy, pool, free, exploration)
        assert q.shape == (len(free),)
        assert q.sum() == pytest.approx(1.0, abs=1e-12)
        # Half of the exploration is even, whatever the strategy wants.
        assert q.min() >= exploration * 0.5 / len(free) * (1.0 - 1e-12)
        # The other half is even in log rank.
        by_rank = 0.5 * exploration / pool.ranks[free] / (1.0 / pool.ranks[free]).sum()
        assert (q >= by_rank * (1.0 - 1e-12)).all()
        pool = pool.after(int(free[len(free) // 2]))


@EVERY_STRATEGY
def test_without_exploration_chances_are_the_weights(strategy):
    pool = pool_of()
    weights = strategy.weights(pool)[FREE]
    assert_allclose(chances_of(strategy, pool, FREE, 0.0), weights / weights.sum())


def test_a_strategy_that_wants_nothing_leaves_it_to_chance():
    class Nothing(Random):
        def weights(self, pool):
            return np.zeros(pool.n_items)

    assert_allclose(chances_of(Nothing(), pool_of(), FREE, 0.0), np.full(40, 1.0 / 40.0))


@EVERY_STRATEGY
def test_items_are_drawn_as_often_as_their_chances_say(strategy):
    # Of twelve items two at a time: the first, and the second given the first.
    pool = pool_of(np.linspace(-1.0, 2.0, 12), np.full(12, -1), PROBABILITY[:12], n_cells=4)
    n, firsts, seconds = 2000, np.zeros(12), np.zeros((12, 12))
    for seed in range(n):
        batch = drawn(strategy, 2, seed, pool)
        firsts[batch.items[0]] += 1
        seconds[tuple(batch.items)] += 1
    expected = chances_of(strategy, pool, np.arange(12), 0.2)
    assert stats.chisquare(firsts, n * expected).pvalue > 1e-6
    top = int(np.argmax(firsts))
    left = np.setdiff1d(np.arange(12), [top])
    after = chances_of(strategy, pool.after(top), left, 0.2)
    assert seconds[top, top] == 0.0
    assert stats.chisquare(seconds[top, left], firsts[top] * after).pvalue > 1e-6


@EVERY_STRATEGY
def test_what_is_recorded_is_what_it_was_drawn_with(strategy):
    pool = pool_of()
    batch = drawn(strategy)
    assert len(set(batch.items.tolist())) == 8
    assert set(batch.items.tolist()) <= set(FREE.tolist())
    assert_array_equal(batch.predictions, PROBABILITY[batch.items])
    expected = [
        PROBABILITY[FREE][~pool.above[FREE]].sum(),
        PROBABILITY[FREE][pool.above[FREE]].sum(),
    ]
    assert_allclose(batch.rest, expected)
    for item, chance, reach in zip(batch.items, batch.chances, batch.reach, strict=True):
        free = np.flatnonzero(pool.free)
        exploration = 0.2 if strategy.explores else 0.0
        q = chances_of(strategy, pool, free, exploration)
        assert chance == q[np.searchsorted(free, item)]
        for z in (0, 1):
            for side in (0, 1):
                at = pool.above[free] == side
                want = np.max(np.abs(z - PROBABILITY[free][at]) / q[at], initial=0.0)
                assert reach[z, side] == pytest.approx(want, rel=1e-12)
        pool = pool.after(int(item))


@EVERY_STRATEGY
def test_a_batch_told_again_has_the_same_chances(strategy):
    first = drawn(strategy)
    again = drawn(strategy, seed=99, items=first.items)
    for field in dataclasses.fields(first):
        assert_array_equal(getattr(again, field.name), getattr(first, field.name))
    other = drawn(strategy, seed=99, items=first.items[::-1])
    assert_array_equal(other.items, first.items[::-1])
    assert_array_equal(other.rest, first.rest)


def test_a_pool_without_decision_has_one_side():
    batch = drawn(Random(), pool=pool_of(above=None))
    assert batch.rest[0] == pytest.approx(PROBABILITY[FREE].sum())
    assert batch.rest[1] == 0.0
    assert not batch.reach[:, :, 1].any()


@EVERY_STRATEGY
@pytest.mark.parametrize("draw", ["sample", "argmax"])
def test_no_more_is_drawn_than_is_left(strategy, draw):
    everything = drawn(strategy, 1000, draw=draw)
    assert sorted(everything.items.tolist()) == FREE.tolist()
    nothing = drawn(strategy, 0, draw=draw)
    assert nothing.items.shape == nothing.chances.shape == nothing.predictions.shape == (0,)
    assert nothing.reach.shape == (0, 2, 2)
    none_left = drawn(strategy, 3, draw=draw, pool=pool_of(codes=np.ones(60, dtype=int)))
    assert none_left.items.shape == (0,)


@EVERY_STRATEGY
def test_the_seed_decides(strategy):
    assert_array_equal(drawn(strategy).items, drawn(strategy).items)
    # Eight items of forty, or twenty percent of them by chance: some seed differs.
    assert any(
        not np.array_equal(drawn(strategy, seed=seed).items, drawn(strategy).items)
        for seed in range(1, 20)
    )


# --- the best --------------------------------------------------------------------------


@EVERY_STRATEGY
def test_the_best_are_taken_without_chances(strategy):
    batch = drawn(strategy, draw="argmax")
    assert_array_equal(batch.items, best(strategy, pool_of(), 8, np.random.default_rng(0)))
    assert np.isnan(batch.chances).all()
    assert np.isnan(batch.reach).all()
    assert np.isnan(batch.rest).all()
    assert_array_equal(batch.predictions, PROBABILITY[batch.items])
    told = drawn(strategy, draw="argmax", seed=5, items=batch.items)
    assert_array_equal(told.items, batch.items)


# --- the pool --------------------------------------------------------------------------


def test_what_is_asked_for_is_not_free_and_counts_as_a_label():
    pool = pool_of()
    after = pool.after(int(FREE[3]))
    assert pool.n_labeled == 20
    assert after.n_labeled == 21
    assert pool.free[FREE[3]]
    assert not after.free[FREE[3]]
    assert_array_equal(after.codes, LABELS)
    assert after.outlook.gains.sum() < pool.outlook.gains.sum()
    assert pool_of(outlook=None).after(int(FREE[3])).outlook is None


def test_the_tail_is_explored_too():
    batch = drawn(Tail(), 30)
    best_first = FREE[np.argsort(-pool_of().scores[FREE])][:30]
    assert not np.array_equal(np.sort(batch.items), np.sort(best_first))
