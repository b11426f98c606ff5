"""Answers of annotators: in any order and any notation, partial, skipped, wrong."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe.active import ActiveTestSelector
from sklearn_spe.exceptions import OutsideDesignWarning, SkippedLabelsWarning
from tests.active.selectors import (
    AT,
    assert_same,
    fork,
    numbers,
    quietly,
    selector,
    state,
    true_share,
)
from tests.quick import QUIET

pytestmark = QUIET
SHARE = {"metric": "accuracy", "threshold": AT}
LEARNED = ("model", "design", "naive", "labels", "codes", "pending", "free", "chances")


@pytest.fixture(scope="module")
def asked(pool):
    """Return a selector that waits for twelve labels; tests work on a fork of it."""
    chosen = pool.label(pool.fitted(**SHARE))
    chosen.query(12)
    return chosen


def part(chosen, names=LEARNED):
    now = state(chosen)
    return {name: now[name] for name in names}


# --- notation --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answered(pool, asked):
    """Return what is known once the twelve are labelled."""
    chosen, items = fork(asked), asked.pending_
    return state(chosen.update(items, pool.truth[items]))


def test_names_may_be_parameters_of_the_selector(pool):
    chosen = pool.fitted(classes=("ham", "spam"), pos_label="spam", **SHARE)
    chosen.update(chosen.query(1), ["spam"])
    assert chosen.naive_estimate_ in (0.0, 1.0)
    assert chosen.classes_.tolist() == ["ham", "spam"]


# --- order and parts -------------------------------------------------------------------


def test_the_order_of_answers_does_not_matter(pool, asked):
    items = asked.pending_
    one, other = fork(asked), fork(asked)
    one.update(items, pool.truth[items])
    other.update(items[::-1], pool.truth[items[::-1]])
    assert_same(state(one), state(other))


def test_answers_may_come_in_parts(pool, asked):
    items = asked.pending_
    whole, parts = fork(asked), fork(asked)
    whole.update(items, pool.truth[items])
    for some in (items[7:], items[2:7], items[:2]):
        parts.update(some, pool.truth[some])
        assert not np.isin(some, parts.pending_).any()
    assert_same(part(parts), part(whole))
    assert len(parts.history_) == len(whole.history_) + 2


def test_the_design_waits_for_the_whole_batch_the_model_does_not(pool, asked):
    chosen, items = fork(asked), asked.pending_
    chosen.update(items[1:], pool.truth[items[1:]])
    assert chosen.n_labels_ == 21
    assert_array_equal(numbers(chosen.design_estimate_), numbers(asked.design_estimate_))
    assert not np.array_equal(numbers(chosen.model_estimate_), numbers(asked.model_estimate_))
    assert chosen.pending_.tolist() == [items[0]]
    # So does whatever was drawn later.
    later = chosen.query(5)
    chosen.update(later, pool.truth[later])
    assert_array_equal(numbers(chosen.design_estimate_), numbers(asked.design_estimate_))
    chosen.update(items[:1], pool.truth[items[:1]])
    assert chosen._session.query_log.design.items[-17:].tolist() == [*items, *later]


# --- what nobody can say ----------------------------------------------------------------


def test_what_is_skipped_is_recorded_and_not_asked_for_again(pool, asked):
    chosen, items = fork(asked), asked.pending_
    with pytest.warns(SkippedLabelsWarning, match="2 of 12 items have no label"):
        chosen.update(items, [None, np.nan, *pool.truth[items[2:]]])
    assert chosen.n_labels_ == 20
    assert len(chosen.pending_) == 0
    assert not np.isin(items[:2], chosen.query(chosen.n_left_)).any()
    (reason,) = [r for r in chosen.verdict_.reasons if r.name == "skipped_labels"]
    assert reason.value == 2.0


@pytest.mark.parametrize("asked_for", [True, False])
def test_what_was_skipped_cannot_be_labeled_after_all(pool, asked_for):
    # The design, and bets on it, went on without it.
    chosen = pool.fitted(**SHARE)
    items = chosen.query(5)
    late = items[0] if asked_for else np.setdiff1d(np.arange(300), items)[0]
    quietly(chosen.update, [late], [None])
    before = state(chosen)
    with pytest.raises(ValueError, match=f"Item {late} was skipped before.*from_frame"):
        chosen.update([late, items[1]], pool.truth[[late, items[1]]])
    assert_same(state(chosen), before)


def test_with_every_label_but_the_skipped_the_design_is_that_of_the_others(pool):
    chosen = pool.fitted(strategy="random", **SHARE)
    items = chosen.query(20)
    quietly(chosen.update, items, np.where(np.arange(20) < 4, -1, pool.truth[items]))
    quietly(pool.label, chosen, chosen.n_left_)
    told = np.setdiff1d(np.arange(300), items[:4])
    truth = np.mean((pool.scores[told] >= AT) == pool.truth[told])
    assert_allclose(numbers(chosen.design_estimate_), truth, atol=1e-12)
    assert chosen.naive_estimate_ == pytest.approx(truth)
    assert chosen.model_estimate_.value == pytest.approx(truth, abs=4.0 / 300.0)


def test_answers_that_will_not_come_may_be_given_up(pool, asked):
    chosen, items = fork(asked), asked.pending_
    chosen.update(items[3:], pool.truth[items[3:]])
    (reason,) = [r for r in chosen.verdict_.reasons if r.name == "waiting_labels"]
    assert reason.value == 9.0
    quietly(chosen.update, chosen.pending_, np.full(3, None))
    assert "waiting_labels" not in [r.name for r in chosen.verdict_.reasons]
    assert chosen._session.query_log.design.n_rows == 22


# --- what was not asked for -------------------------------------------------------------


def test_labels_that_were_not_asked_for_are_taken_and_noted(pool, asked):
    chosen = fork(asked)
    free = np.flatnonzero(chosen._session.query_log.free)[:3]
    both = np.r_[free, chosen.pending_]
    with pytest.warns(OutsideDesignWarning, match="3 of 15 items were not queried"):
        chosen.update(both, pool.truth[both])
    assert chosen.n_labels_ == 25
    assert np.isnan(chosen.query_proba_[free]).all()
    (reason,) = [r for r in chosen.verdict_.reasons if r.name == "outside_design"]
    assert reason.value == 3.0
    assert not np.isin(free, chosen.query(chosen.n_left_)).any()


# --- what is wrong ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("indices", "labels", "message"),
    [
        ("known", "flipped", "was labeled [01] before and has another label now"),
        ("pending twice", "both", "is duplicated, with two different labels"),
        ([300], [1], "indices must lie between 0 and 299, got 300"),
        ([1.0, 2.0], [1, 0], "indices must be whole numbers"),
        ([True, False], [1, 0], "for a mask pass np.flatnonzero"),
        ([1, 2, 3], [1, 0], "same length, got 3 and 2"),
        # Where a draw has shown one class only, another name asks which is positive.
    ],
)
def test_wrong_answers_are_named_and_change_nothing(
    pool, asked, answered, indices, labels, message
):
    chosen = fork(asked)
    if isinstance(labels, str) and labels == "flipped":
        indices = np.flatnonzero(chosen._session.query_log.codes >= 0)[:2]
        labels = [pool.truth[indices[0]], 1 - pool.truth[indices[1]]]
    elif isinstance(labels, str):
        indices, labels = np.repeat(chosen.pending_[:2], 2), [1, 1, 0, 1]
    before = state(chosen)
    with pytest.raises(ValueError, match=message):
        chosen.update(indices, labels)
    assert_same(state(chosen), before)
    # It goes on as if nothing had been.
    items = chosen.pending_
    chosen.update(items, pool.truth[items])
    assert_same(state(chosen), answered)


@pytest.mark.parametrize(
    ("n", "error", "message"),
    [
        (279, ValueError, "279 items were requested, but only 278"),
        (-1, ValueError, "n must be at least 0"),
        (1.5, TypeError, "n must be a whole number"),
        (True, TypeError, "n must be a whole number"),
    ],
)
def test_wrong_queries_are_named_and_change_nothing(asked, n, error, message):
    chosen = fork(asked)
    before = state(chosen)
    with pytest.raises(error, match=message):
        chosen.query(n)
    assert_same(state(chosen), before)
    assert len(chosen.query(278)) == 278


def test_a_metric_that_fails_loses_no_label(pool):
    fails = []

    def fragile(y_true, y_score):
        if fails:
            raise RuntimeError("no more")
        return float(y_true.mean())

    chosen = pool.fitted(fragile)
    other = pool.fitted(fragile)
    items = chosen.query(10)
    assert_array_equal(other.query(10), items)
    fails.append(1)
    # It is computed when it is read.
    chosen.update(items, pool.truth[items])
    with pytest.raises(RuntimeError, match="no more"):
        chosen.estimate_  # noqa: B018
    fails.clear()
    other.update(items, pool.truth[items])
    assert chosen.n_labels_ == 10
    assert_same(state(chosen), state(other))


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        (
            {"metric": "aucc"},
            ValueError,
            r"'aucc'. Did you mean .*Choose one of precision",
        ),
        ({"metric": 5}, ValueError, "Unknown metric 5"),
        ({"metric": "precision"}, ValueError, "needs exactly one of threshold="),
        ({"metric": "f1", "recall": 0.5}, ValueError, "f1"),
        ({"metric": "roc_auc", "threshold": 0.0}, ValueError, "does not take threshold="),
        ({"strategy": "best"}, ValueError, "Unknown strategy 'best'; choose one of random"),
        ({"draw": "best"}, ValueError, "draw must be one of sample, argmax"),
        ({"interval": "bayes"}, ValueError, "interval must be one of posterior"),
        ({"label_model": "nn"}, ValueError, "label_model must be one of auto, naive"),
        ({"exploration": 1.5}, ValueError, r"exploration must lie in \[0, 1\]"),
        ({"confidence_level": 1.0}, ValueError, r"confidence_level must lie in \(0, 1\)"),
        (
            {"interval": "anytime", "draw": "argmax", **SHARE},
            ValueError,
            "needs inclusion probabilities: draw='sample'",
        ),
        ({"interval": "design", "exploration": 0.0, **SHARE}, ValueError, "exploration above 0"),
        ({"interval": "design", "metric": true_share}, ValueError, "No design-based estimate"),
    ],
)
def test_wrong_parameters_are_named(pool, parameters, error, message):
    with pytest.raises(error, match=message):
        pool.fitted(**parameters)


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.OutsideDesignWarning")
@pytest.mark.parametrize("scores", ["distinct", "tied"])
def test_a_metric_of_ones_own_gets_the_rows_in_their_order(scores, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = np.r_[0, 1, rng.integers(0, 2, 198)]
    X = rng.normal(labels)
    X = np.round(X) if scores == "tied" else X
    amounts, chosen = rng.lognormal(size=200), np.r_[0, 1, rng.permutation(np.arange(2, 200))[:38]]
    known = np.zeros(200, dtype=bool)

    def recall_of_amounts(y_true, y_score):
        # A column of all rows: of the labeled rows alone it is not defined.
        return (amounts * y_true * (y_score >= 0.5)).sum() / (amounts * y_true).sum()

    def keeps_rows(y_true, y_score):
        if len(y_true) < len(X):
            return np.nan
        return float(np.array_equal(y_score, X) and (y_true == labels)[known].all())

    for metric in (keeps_rows, recall_of_amounts):
        active = selector(metric).fit(X, np.where(np.isin(np.arange(200), chosen[:2]), labels, -1))
        known[:] = False
        known[chosen] = True
        active.update(chosen[2:], labels[chosen[2:]])
        assert np.isnan(active.naive_estimate_)
        if metric is keeps_rows:
            assert (active.estimate_.draws == 1.0).all()
    every = np.setdiff1d(np.arange(200), chosen)
    active.update(every, labels[every])
    expected = (amounts * labels * (X >= 0.5)).sum() / (amounts * labels).sum()
    np.testing.assert_allclose(active.estimate_.value, expected)


def test_a_metric_of_values_is_told_to_close_over_them():
    with pytest.raises(ValueError, match=r"which a selector lacks\. Pass a callable that closes"):
        ActiveTestSelector("value_weighted_recall", threshold=0.5).fit([0.1, 0.9], [0, 1])
