"""When a selector stops, what it says on the way, and what it remembers."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import Goal, SemisupervisedScoreMixture
from sklearn_spe.active import ExpectedChange, HalfWidth, MaxLabels
from sklearn_spe.active.strategies._strategy import ranks_from_top
from sklearn_spe.exceptions import (
    InvertedScoresWarning,
    MisfitWarning,
    RepeatedLooksWarning,
)
from tests.active.selectors import AT, assert_same, fork, numbers, quietly, state
from tests.quick import QUIET

pytestmark = QUIET
SHARE = {"metric": "accuracy", "threshold": AT}


@pytest.fixture(scope="module")
def begun(pool):
    """Return a selector with twenty labels; tests work on a fork of it."""
    return pool.label(pool.fitted(**SHARE), rounds=2)


# --- when to stop ----------------------------------------------------------------------


def test_it_stops_at_so_many_labels_those_of_before_included(pool):
    chosen = pool.selector().fit(pool.scores, pool.partly(12))
    rounds = 0
    while not quietly(chosen.should_stop, max_labels=32):
        assert chosen.stop_reason_ is None
        pool.label(chosen)
        rounds += 1
    assert rounds == 2
    assert chosen.n_labels_ == 32
    assert chosen.stop_reason_ == "there are 32 labels"


def test_it_stops_once_the_interval_is_narrow(pool):
    chosen = pool.fitted(**SHARE)
    with pytest.warns(
        RepeatedLooksWarning, match="interval='anytime' is valid at any stopping time"
    ):
        assert not chosen.should_stop(half_width=0.05)
    with warnings.catch_warnings():
        # Once is enough.
        warnings.simplefilter("error", RepeatedLooksWarning)
        assert not chosen.should_stop(half_width=0.05)
    while not quietly(chosen.should_stop, HalfWidth(0.05)):
        assert np.diff(chosen.estimate_.interval()) > 0.1
        pool.label(chosen, 20)
    assert np.diff(chosen.estimate_.interval()) <= 0.1
    assert "half width" in chosen.stop_reason_


def test_an_interval_for_all_times_is_drawn_for_as_importance_draws(pool):
    chosen, by_importance, as_stated = (
        pool.fitted(interval="anytime", strategy=strategy, **SHARE)
        for strategy in ("expected_change", "adaptive_importance", ExpectedChange(power=1.0))
    )
    assert_array_equal(chosen.utilities_, by_importance.utilities_)
    assert (as_stated.utilities_ != chosen.utilities_).any()
    for _ in range(2):
        items = chosen.query(10)
        assert_array_equal(items, by_importance.query(10))
        assert_array_equal(chosen.query_proba_, by_importance.query_proba_)
        for of_pool in (chosen, by_importance):
            of_pool.update(items, pool.truth[items])


def test_it_stops_when_nothing_is_left(pool):
    chosen = pool.fitted()
    items = chosen.query(300)
    assert not quietly(chosen.should_stop, half_width=1e-9)
    quietly(chosen.update, items[:-60], pool.truth[items[:-60]])
    # Sixty answers are still to come.
    assert not quietly(chosen.should_stop, half_width=1e-9)
    quietly(chosen.update, items[-60:], np.full(60, None))
    assert quietly(chosen.should_stop, half_width=1e-9)
    assert chosen.stop_reason_ == "no item is left to label"


def test_a_rule_that_can_never_hold_is_named(begun):
    chosen = fork(begun)
    with pytest.raises(ValueError, match="there are 301 labels can never be met: there are 300 "):
        chosen.should_stop(max_labels=301)
    with pytest.raises(ValueError, match="can never be met"):
        chosen.should_stop(HalfWidth(0.1) & MaxLabels(1000))
    assert not quietly(chosen.should_stop, HalfWidth(0.01) | MaxLabels(1000))
    with pytest.raises(ValueError, match="should_stop needs a rule"):
        chosen.should_stop()


# --- what is said once ------------------------------------------------------------------


def said_while_labeling(pool, chosen, truth, category, rounds=6):
    said = []
    for _ in range(rounds):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pool.label(chosen, 10, truth=truth)
            assert chosen.verdict_ is not None
        said += [w for w in caught if issubclass(w.category, category)]
    return said


def test_a_misfit_is_said_once_and_stays_in_the_verdict(pool):
    rng = np.random.default_rng([pool.seed, 1])
    wrong = (rng.random(300) < 1.0 / (1.0 + np.exp(3.0 * pool.scores))).astype(int)
    chosen = pool.fitted(strategy="random", **SHARE)
    (said,) = said_while_labeling(pool, chosen, wrong, InvertedScoresWarning)
    assert said.filename.endswith("test_progress.py")
    assert chosen.verdict_ == "misfit"


@pytest.mark.slow
def test_labels_that_surprise_the_model_are_said_once_and_the_design_is_believed(pool):
    # Two clusters, which a bare mixture takes for the classes: a fifth of the upper is positive.
    rng = np.random.default_rng(pool.seed)
    scores = np.r_[rng.normal(-4.0, 1.0, 150), rng.normal(4.0, 1.0, 150)]
    truth = ((scores > 0.0) & (np.arange(300) % 5 == 0)).astype(int)
    quick = {"experts": None, "n_draws": 300, "random_state": pool.seed}
    bare = SemisupervisedScoreMixture("norm", "norm", **quick)
    chosen = pool.selector("precision", threshold=0.0, label_model=bare, strategy="random").fit(
        scores
    )
    said = said_while_labeling(pool, chosen, truth, MisfitWarning)
    assert len([w for w in said if "(improbable labels)" in str(w.message)]) == 1
    assert chosen.verdict_ == "misfit"
    assert "improbable_labels" in [r.name for r in chosen.verdict_.reasons]
    assert chosen.model_weight_ < 0.01
    # The design alone is then left.
    assert chosen.estimate_.value == pytest.approx(chosen.design_estimate_.value, abs=0.02)
    assert chosen.model_estimate_.interval()[0] > truth[scores > 0.0].mean()


# --- history ---------------------------------------------------------------------------


def test_history_is_what_was_known_after_every_batch(pool):
    chosen = pool.fitted(**SHARE)
    seen = [numbers(chosen.estimate_)]
    for _ in range(3):
        pool.label(chosen)
        seen.append(numbers(chosen.estimate_))
    history = chosen.history_
    assert history.column("n_labels").tolist() == [0, 10, 20, 30]
    for name, column in zip(("estimate", "low", "high"), np.transpose(seen), strict=True):
        assert_array_equal(history.column(name), column)
    last = history[-1]
    assert last.model == chosen.model_estimate_.value
    assert (last.model_low, last.model_high) == chosen.model_estimate_.interval()
    assert last.design == chosen.design_estimate_.value
    assert last.naive == chosen.naive_estimate_
    assert last.model_weight == chosen.model_weight_
    assert np.isnan(history[0].naive)
    assert history[0].labels_only == history[0].model
    frame = history.to_frame()
    assert_array_equal(frame["n_labels"], [0, 10, 20, 30])
    assert list(frame.columns) == list(vars(last))


KINDS = {
    "a number": SHARE,
    "a curve": {"metric": "precision_recall"},
    "a goal": {"metric": Goal.of(precision=0.5)},
    "a proof": {"metric": Goal.of(precision=0.5), "interval": "anytime"},
    "anytime": {"metric": "f1", "threshold": AT, "interval": "anytime"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_changes_no_later_answer(pool, kind):
    read, unread = pool.fitted(**KINDS[kind]), pool.fitted(**KINDS[kind])
    for _ in range(3):
        for chosen in (read, unread):
            pool.label(chosen, 7)
        state(read)
    # Neither in this process nor in the next one.
    resumed = pickle.loads(pickle.dumps(unread))
    for chosen in (read, unread, resumed):
        pool.label(chosen, 7)
    assert_same(state(read), state(unread))
    assert_same(state(read), state(resumed))


@pytest.mark.parametrize("structure", ["category", "groups"])
def test_what_is_read_of_parts_changes_no_later_answer(pool, structure):
    number = np.arange(300) % 3 if structure == "category" else np.arange(300) // 3
    read, unread = (
        pool.selector("roc_auc").fit(pool.scores, **{structure: number}) for _ in range(2)
    )
    for _ in range(2):
        for chosen in (read, unread):
            pool.label(chosen, 7)
        numbers(read.estimate_)
    assert_array_equal(numbers(read.estimate_), numbers(unread.estimate_))
    assert_array_equal(read.label_proba_, unread.label_proba_)
    rows, others = ([list(vars(row).values()) for row in each.history_] for each in (read, unread))
    assert_array_equal(rows, others)


def test_nothing_is_estimated_before_it_is_read_and_then_once(pool):
    n_calls = []

    def share(y_true, y_score):
        n_calls.append(1)
        return float(y_true.mean())

    chosen = pool.fitted(share, strategy="random")
    n_calls.clear()
    pool.label(chosen, 10, rounds=3)
    assert not chosen.should_stop(max_labels=200)
    assert len(n_calls) == 0
    numbers(chosen.estimate_)
    once = len(n_calls)
    for _ in range(2):
        numbers(chosen.estimate_)
        assert chosen.verdict_ is not None
        assert not quietly(chosen.should_stop, half_width=0.001)
    assert len(n_calls) == once > 0


def test_what_labels_alone_bought_is_the_model_of_before_with_them_known(pool):
    # Accuracy is linear in labels: each moves it by what it differs from its probability.
    chosen = pool.fitted(**SHARE)
    before = chosen.label_proba_
    items = chosen.query(10)
    chosen.update(items, pool.truth[items])
    agree = np.where(pool.scores[items] >= AT, 1.0, -1.0)
    moves = agree * (pool.truth[items] - before[items]) / 300.0
    first, second = chosen.history_
    # Probabilities of items lie between those of their cells.
    error = 0.03 * np.abs(moves).sum()
    assert second.labels_only - first.model == pytest.approx(moves.sum(), abs=error)


def test_an_expected_change_of_ones_own_is_used(pool):
    # Without sharpness a cell is as good as any other, and in it an item; a fifth is exploration,
    # half of it even and half even in log rank.
    chosen = pool.fitted(strategy=ExpectedChange(sharpness=0.0, sharp_until=1000))
    (first,) = chosen.query(1)
    cells, ranks = chosen._session.model.item_cells, ranks_from_top(pool.scores)
    in_cell = np.bincount(cells)
    by_cell = 1.0 / ((in_cell > 0).sum() * in_cell[cells[first]])
    by_rank = 1.0 / (ranks[first] * (1.0 / ranks).sum())
    want = 0.8 * by_cell + 0.1 / 300.0 + 0.1 * by_rank
    assert chosen.query_proba_[first] == pytest.approx(want, rel=1e-9)
