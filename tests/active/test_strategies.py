"""What every strategy for labels promises."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sklearn_spe.active import ExpectedChange, Strategy, Tail
from sklearn_spe.active.strategies._registry import STRATEGIES
from sklearn_spe.active.strategies._strategy import best, ranks_from_top

# What arrays of scores, labels and probabilities do not tell.
ONLY_IN_A_SELECTOR = {"terms", "information", "change"}


def each(strategies):
    return pytest.mark.parametrize("strategy", strategies, ids=[s.name for s in strategies])


ALL = [cls() for cls in STRATEGIES.values()]
EVERY_STRATEGY = each(ALL)
ON_ARRAYS = each([s for s in ALL if not ONLY_IN_A_SELECTOR & set(s.needs)])


# --- every strategy --------------------------------------------------------------------


@EVERY_STRATEGY
def test_as_many_items_as_asked_for_each_once_and_none_that_has_a_label(scored, strategy):
    for n_labels in (0, 1, 10, 40):
        chosen = scored.best(strategy, n_labels)
        assert chosen.shape == (n_labels,)
        assert chosen.dtype.kind == "i"
        assert len(set(chosen.tolist())) == n_labels
        assert set(chosen.tolist()) <= set(scored.free.tolist())


@EVERY_STRATEGY
def test_the_first_items_of_a_longer_list_are_the_shorter_list(scored, strategy):
    assert_array_equal(scored.best(strategy, 20)[:7], scored.best(strategy, 7))


@EVERY_STRATEGY
def test_chance_decides_among_equals_and_the_seed_what_chance_is(scored, strategy):
    # Forty equals: a false alarm of all strategies comes once in 100,000 runs.
    tied = {"scores": np.zeros(60), "probability": np.full(60, 0.5), "cells": np.zeros(60, int)}
    pool, counts, rng = scored.pool(**tied), np.zeros(60), np.random.default_rng(scored.seed)
    for _ in range(600):
        counts[best(strategy, pool, 1, rng)] += 1.0
    assert stats.chisquare(counts[scored.free]).pvalue > 1e-6
    assert_array_equal(scored.best(strategy, 9, **tied), scored.best(strategy, 9, **tied))


@EVERY_STRATEGY
def test_the_order_of_the_items_says_nothing(scored, strategy):
    # By chance alone: every item keeps its weight wherever it stands in the file.
    rng = np.random.default_rng(scored.seed)
    tied = np.round(scored.scores, 0)
    order = rng.permutation(60)
    cells = np.unique(tied, return_inverse=True)[1]
    pools = [
        scored.pool(
            tied[at], scored.labels[at], np.round(scored.probability, 1)[at], cells=cells[at]
        )
        for at in (np.arange(60), order)
    ]
    weights, moved = (strategy.weights(pool) for pool in pools)
    free = pools[1].free
    assert_allclose(moved[free], weights[order][free], rtol=1e-12)
    utilities, moved = (strategy.utilities(pool) for pool in pools)
    assert_allclose(moved[free], utilities[order][free], rtol=1e-12)


@EVERY_STRATEGY
def test_weights_are_not_negative_and_leave_something_to_draw(scored, strategy):
    for codes in (scored.labels, np.full(60, -1)):
        pool = scored.pool(codes=codes)
        weights = strategy.weights(pool)
        assert weights.shape == (60,)
        assert (weights[pool.free] >= 0.0).all()
        assert np.isfinite(weights[pool.free]).all()
        assert weights[pool.free].sum() > 0.0


@EVERY_STRATEGY
def test_what_the_labels_say_does_not_matter_beyond_what_a_model_makes_of_it(scored, strategy):
    flipped = np.where(scored.labels == -1, -1, 1 - scored.labels)
    assert_array_equal(scored.best(strategy, 20, codes=flipped), scored.best(strategy, 20))


@EVERY_STRATEGY
def test_what_it_needs_is_named_if_it_is_missing(scored, strategy):
    for need in strategy.needs:
        assert strategy.lacks(scored.pool()) is None
        lacking = strategy.lacks(scored.pool(**{need: None}))
        assert lacking.startswith(f"{type(strategy).__name__} needs ")


@EVERY_STRATEGY
def test_utilities_change_with_what_is_asked_for_only_if_it_says_so(scored, strategy):
    if strategy.looks_again:
        return
    pool = scored.pool()
    first = strategy.utilities(pool)
    assert_array_equal(strategy.utilities(pool.after(int(scored.free[0]))), first)


# --- on arrays of scores and labels ----------------------------------------------------


@ON_ARRAYS
def test_a_query_is_the_best_of_the_pool(scored, strategy):
    pool = scored.pool(above=None, terms=None, information=None, cells=None, change=None)
    chosen = scored.query(strategy, n_labels=15)
    assert set(chosen.tolist()) <= set(scored.free.tolist())
    if not strategy.looks_again:
        utilities = strategy.utilities(pool)
        assert_array_equal(
            chosen, scored.free[np.argsort(-utilities[scored.free], kind="stable")][:15]
        )


# One that arrays are enough for, and one that needs a selector.
@each([Tail(), ExpectedChange()])
@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"X": np.full(60, np.nan)}, ValueError, "NaN"),
        ({"X": np.r_[np.inf, np.arange(59.0)]}, ValueError, "infinity"),
        ({"X": np.full((60, 2), 0.5)}, ValueError, "1d array"),
        ({"y": np.full(50, -1)}, ValueError, "X has 60, y has 50"),
        ({"n_labels": -1}, ValueError, "n_labels must be at least 0, got -1"),
        ({"n_labels": 1.5}, TypeError, "n_labels must be a whole number, got 1.5"),
        ({"probability": np.full(5, 0.5)}, ValueError, r"must have shape \(60,\).*got \(5,\)"),
        (
            {"probability": np.full((60, 2), 0.5)},
            ValueError,
            r"must have shape \(60,\)",
        ),
        ({"probability": np.full(60, 1.1)}, ValueError, r"must lie in \[0, 1\]"),
        ({"probability": np.full(60, np.nan)}, ValueError, r"must lie in \[0, 1\]"),
        ({"category": ["a", "b"]}, ValueError, r"category must have shape \(60,\)"),
    ],
)
def test_bad_input_is_named(scored, strategy, changes, error, message):
    with pytest.raises(error, match=message):
        scored.query(strategy, **changes)


def test_minus_one_may_be_a_class():
    y = np.array([-1.0, 1.0, np.nan, np.nan, 1.0, -1.0])
    with pytest.raises(ValueError, match="a class or a second marker"):
        Tail().query(np.arange(6.0), y, 2)
    assert Tail().query(np.arange(6.0), y, 3, classes=[-1, 1]).tolist() == [3, 2]


def test_a_strategy_of_ones_own_may_leave_items_out(scored):
    class Above(Strategy):
        name = "above"

        def utilities(self, pool):
            return np.where(pool.scores > 0.0, -pool.scores, -np.inf)

    class AboveOneByOne(Above):
        looks_again = True

    above = scored.free[scored.scores[scored.free] > 0.0]
    for strategy in (Above(), AboveOneByOne()):
        chosen = strategy.query(scored.scores, scored.labels, 1000)
        assert_array_equal(chosen, above[np.argsort(scored.scores[above])])
    # By chance the best one is drawn.
    (drawn,) = np.flatnonzero(Above().weights(scored.pool()))
    assert drawn == chosen[0]


# --- ranks -----------------------------------------------------------------------------


def test_ranks_are_counted_from_the_top_and_ties_share_them():
    scores = np.array([2.0, 5.0, 2.0, -1.0, 2.0, 7.0])
    assert ranks_from_top(scores).tolist() == [4.0, 2.0, 4.0, 6.0, 4.0, 1.0]
    assert_array_equal(ranks_from_top(scores), stats.rankdata(-scores))
