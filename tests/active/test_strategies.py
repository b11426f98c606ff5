"""What every strategy for labels promises."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sklearn_spe.active import (
    STRATEGIES,
    Strategy,
    Tail,
)
from sklearn_spe.active.strategies import best, ranks_from_top
from tests.active.pools import FREE, LABELS, PROBABILITY, SCORES, pool_of

# What arrays of scores, labels and probabilities do not tell.
ONLY_IN_A_SELECTOR = {"terms", "outlook", "change"}


def each(strategies):
    return pytest.mark.parametrize("strategy", strategies, ids=[s.name for s in strategies])


ALL = [cls() for cls in STRATEGIES.values()]
EVERY_STRATEGY = each(ALL)
ON_ARRAYS = each([s for s in ALL if not ONLY_IN_A_SELECTOR & set(s.needs)])
IN_A_SELECTOR = each([s for s in ALL if ONLY_IN_A_SELECTOR & set(s.needs)])


def query(strategy, X=SCORES, y=LABELS, n_labels=10, **options):
    options = {"random_state": 0, "probability": PROBABILITY, **options}
    return strategy.query(X, y, n_labels, **options)


def chosen_of(strategy, n, seed=0, **pool):
    return best(strategy, pool_of(**pool), n, np.random.default_rng(seed))


# --- every strategy --------------------------------------------------------------------


@EVERY_STRATEGY
def test_it_is_listed_under_its_name(strategy):
    assert STRATEGIES[strategy.name] is type(strategy)
    assert isinstance(strategy, Strategy)
    assert strategy == type(strategy)()


@EVERY_STRATEGY
@pytest.mark.parametrize("n_labels", [0, 1, 10, 40])
def test_as_many_items_as_asked_for_each_once_and_none_that_has_a_label(strategy, n_labels):
    chosen = chosen_of(strategy, n_labels)
    assert chosen.shape == (n_labels,)
    assert chosen.dtype.kind == "i"
    assert len(set(chosen.tolist())) == n_labels
    assert set(chosen.tolist()) <= set(FREE.tolist())


@EVERY_STRATEGY
def test_the_first_items_of_a_longer_list_are_the_shorter_list(strategy):
    assert_array_equal(chosen_of(strategy, 20)[:7], chosen_of(strategy, 7))


@EVERY_STRATEGY
def test_fewer_items_are_returned_if_fewer_are_left(strategy):
    assert sorted(chosen_of(strategy, 1000).tolist()) == FREE.tolist()
    assert chosen_of(strategy, 5, codes=np.zeros(60, dtype=int)).tolist() == []


@EVERY_STRATEGY
def test_without_labels_every_item_may_be_chosen(strategy):
    assert sorted(chosen_of(strategy, 60, codes=np.full(60, -1)).tolist()) == list(range(60))


@EVERY_STRATEGY
def test_chance_decides_among_equals_and_the_seed_what_chance_is(strategy):
    tied = {"scores": np.zeros(60), "probability": np.full(60, 0.5), "cells": np.zeros(60, int)}
    counts = np.zeros(60)
    for seed in range(900):
        counts[chosen_of(strategy, 1, seed, **tied)] += 1.0
    assert stats.chisquare(counts[FREE]).pvalue > 1e-6
    assert_array_equal(chosen_of(strategy, 9, 5, **tied), chosen_of(strategy, 9, 5, **tied))


@EVERY_STRATEGY
def test_the_order_of_the_items_says_nothing(strategy):
    # By chance alone: every item keeps its weight wherever it stands in the file.
    rng = np.random.default_rng(2)
    tied = np.round(SCORES, 0)
    order = rng.permutation(60)
    cells = np.unique(tied, return_inverse=True)[1]
    pools = [
        pool_of(tied[at], LABELS[at], np.round(PROBABILITY, 1)[at], cells=cells[at])
        for at in (np.arange(60), order)
    ]
    weights, moved = (strategy.weights(pool) for pool in pools)
    free = pools[1].free
    assert_allclose(moved[free], weights[order][free], rtol=1e-12)
    utilities, moved = (strategy.utilities(pool) for pool in pools)
    assert_allclose(moved[free], utilities[order][free], rtol=1e-12)


@EVERY_STRATEGY
def test_weights_are_not_negative_and_leave_something_to_draw(strategy):
    for codes in (LABELS, np.full(60, -1)):
        pool = pool_of(codes=codes)
        weights = strategy.weights(pool)
        assert weights.shape == (60,)
        assert (weights[pool.free] >= 0.0).all()
        assert np.isfinite(weights[pool.free]).all()
        assert weights[pool.free].sum() > 0.0


@EVERY_STRATEGY
def test_what_the_labels_say_does_not_matter_beyond_what_a_model_makes_of_it(strategy):
    flipped = np.where(LABELS == -1, -1, 1 - LABELS)
    assert_array_equal(chosen_of(strategy, 20, codes=flipped), chosen_of(strategy, 20))


@EVERY_STRATEGY
def test_what_it_needs_is_named_if_it_is_missing(strategy):
    for need in strategy.needs:
        assert strategy.lacks(pool_of()) is None
        lacking = strategy.lacks(pool_of(**{need: None}))
        assert lacking.startswith(f"{type(strategy).__name__} needs ")


@EVERY_STRATEGY
def test_it_is_a_value(strategy):
    assert hash(strategy) == hash(type(strategy)())
    for field in dataclasses.fields(strategy):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(strategy, field.name, 1)


@EVERY_STRATEGY
def test_utilities_change_with_what_is_asked_for_only_if_it_says_so(strategy):
    if strategy.looks_again:
        return
    pool = pool_of()
    first = strategy.utilities(pool)
    assert_array_equal(strategy.utilities(pool.after(int(FREE[0]))), first)


# --- on arrays of scores and labels ----------------------------------------------------


@IN_A_SELECTOR
def test_what_arrays_do_not_tell_is_said_to_be_missing(strategy):
    with pytest.raises(ValueError, match=rf"{type(strategy).__name__} needs .*ActiveTestSelector"):
        query(strategy)


@ON_ARRAYS
def test_a_query_is_the_best_of_the_pool(strategy):
    pool = pool_of(above=None, terms=None, outlook=None, cells=None, change=None)
    chosen = query(strategy, n_labels=15)
    assert set(chosen.tolist()) <= set(FREE.tolist())
    if not strategy.looks_again:
        utilities = strategy.utilities(pool)
        assert_array_equal(chosen, FREE[np.argsort(-utilities[FREE], kind="stable")][:15])


@ON_ARRAYS
def test_the_random_state_decides(strategy):
    tied = {"X": np.zeros(60), "probability": np.full(60, 0.5)}
    first, again, other = (query(strategy, random_state=seed, **tied) for seed in (0, 0, 1))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@ON_ARRAYS
@pytest.mark.parametrize("marker", [-1, np.nan, None])
def test_every_marker_of_a_missing_label_is_known(strategy, marker):
    y = np.array([marker if label == -1 else label for label in LABELS], dtype=object)
    assert_array_equal(query(strategy, y=y), query(strategy))


@ON_ARRAYS
def test_markers_of_pandas_and_of_ones_own_are_known(strategy):
    pd = pytest.importorskip("pandas")
    y = pd.array([pd.NA if label == -1 else int(label) for label in LABELS], dtype="Int64")
    assert_array_equal(query(strategy, y=y), query(strategy))
    names = np.array(["?", "fine", "fraud"], dtype=object)[LABELS + 1]
    own = query(strategy, y=names, unlabeled_label="?")
    assert_array_equal(own, query(strategy))


@ON_ARRAYS
def test_labels_of_one_class_may_be_plus_and_minus_one(strategy):
    # -1 marks, whatever it could mean elsewhere.
    y = np.where(LABELS == -1, -1, 1)
    assert_array_equal(query(strategy, y=y), query(strategy))


@ON_ARRAYS
def test_one_column_of_scores_is_scores(strategy):
    assert_array_equal(query(strategy, X=SCORES[:, np.newaxis]), query(strategy))
    assert_array_equal(query(strategy, X=SCORES.tolist(), y=LABELS.tolist()), query(strategy))


@EVERY_STRATEGY
@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"X": np.full(60, np.nan)}, ValueError, "NaN"),
        ({"X": np.r_[np.inf, SCORES[1:]]}, ValueError, "infinity"),
        ({"X": np.column_stack([1.0 - PROBABILITY, PROBABILITY])}, ValueError, "1d array"),
        ({"y": LABELS[:50]}, ValueError, "X holds 60, y 50"),
        ({"n_labels": -1}, ValueError, "n_labels must be at least 0, got -1"),
        ({"n_labels": 1.5}, TypeError, "n_labels must be a whole number, got 1.5"),
        ({"probability": PROBABILITY[:5]}, ValueError, r"must have shape \(60,\).*got \(5,\)"),
        (
            {"probability": np.column_stack([1.0 - PROBABILITY, PROBABILITY])},
            ValueError,
            "pass the column of the positive class",
        ),
        ({"probability": np.full(60, 1.1)}, ValueError, r"must lie in \[0, 1\]"),
        ({"probability": np.full(60, np.nan)}, ValueError, r"must lie in \[0, 1\]"),
        ({"category": ["a", "b"]}, ValueError, r"category must have shape \(60,\)"),
    ],
)
def test_bad_input_is_named(strategy, changes, error, message):
    with pytest.raises(error, match=message):
        query(strategy, **changes)


def test_minus_one_may_be_a_class():
    y = np.array([-1.0, 1.0, np.nan, np.nan, 1.0, -1.0])
    with pytest.raises(ValueError, match="a class or a second mark"):
        Tail().query(np.arange(6.0), y, 2)
    assert Tail().query(np.arange(6.0), y, 3, classes=[-1, 1]).tolist() == [3, 2]


def test_a_strategy_of_ones_own_may_leave_items_out():
    class Above(Strategy):
        name = "above"

        def utilities(self, pool):
            return np.where(pool.scores > 0.0, -pool.scores, -np.inf)

    class AboveOneByOne(Above):
        looks_again = True

    above = FREE[SCORES[FREE] > 0.0]
    for strategy in (Above(), AboveOneByOne()):
        chosen = strategy.query(SCORES, LABELS, 1000)
        assert_array_equal(chosen, above[np.argsort(SCORES[above])])
    # By chance the best one is drawn.
    (drawn,) = np.flatnonzero(Above().weights(pool_of()))
    assert drawn == chosen[0]


# --- ranks -----------------------------------------------------------------------------


def test_ranks_are_counted_from_the_top_and_ties_share_them():
    scores = np.array([2.0, 5.0, 2.0, -1.0, 2.0, 7.0])
    assert ranks_from_top(scores).tolist() == [4.0, 2.0, 4.0, 6.0, 4.0, 1.0]
    assert_array_equal(ranks_from_top(scores), stats.rankdata(-scores))
