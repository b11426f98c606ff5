"""Vetting of noisy labels: what is asked for and answered, and what does not matter to it."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from sklearn_spe.active import STRATEGIES
from sklearn_spe.exceptions import (
    MisfitWarning,
    OutsideDesignWarning,
    SkippedLabelsWarning,
)
from sklearn_spe.metrics import PrecisionAtK
from tests.active.lists import (
    NOISY,
    SCORES,
    TAG,
    TRUTH,
    noisy_fit,
    partly,
    state,
)
from tests.active.selectors import assert_same, label, numbers

K = 8
TOP = np.unique(
    np.concatenate([np.flatnonzero(c == TAG)[np.argsort(-SCORES[c == TAG])[:K]] for c in range(3)])
)


@pytest.fixture(scope="module")
def begun():
    """Return the bytes of a selector with twenty labels."""
    return pickle.dumps(label(noisy_fit(), truth=TRUTH, rounds=2))


# --- what does not matter ------------------------------------------------------------


def twice(one, other, truth=TRUTH, of_other=None):
    """Let both label, and return what they know."""
    label(one, truth=truth, rounds=2)
    label(other, truth=truth if of_other is None else of_other, rounds=2)
    return state(one), state(other)


# One labelling in twenty may surprise a model that is right.
@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.MisfitWarning")
@pytest.mark.parametrize(
    "strategy", ["expected_change", "estimator_change", "confident_mistake", "random", "entropy"]
)
def test_the_same_seed_asks_and_says_the_same(strategy):
    assert_same(*twice(noisy_fit(strategy=strategy), noisy_fit(strategy=strategy)))


def test_another_seed_asks_others():
    assert not np.array_equal(noisy_fit().query(15), noisy_fit(random_state=1).query(15))


def test_names_of_categories_do_not_matter():
    names = np.array(["a", "b", "c"])[TAG]
    given = {"noisy_labels": NOISY, "category": names}
    assert_same(*twice(noisy_fit(), noisy_fit(given=given)))


@pytest.mark.parametrize(
    ("names", "pos_label"),
    [(["no", "yes"], "yes"), ([False, True], None), (["b", "a"], "a"), ([0.0, 1.0], None)],
)
def test_names_of_classes_do_not_matter(names, pos_label):
    names = np.array(names)
    given = {"noisy_labels": names[NOISY], "category": TAG}
    other = noisy_fit(given=given, pos_label=pos_label)
    assert_same(*twice(noisy_fit(), other, TRUTH, names[TRUTH]))
    assert set(other.classes_) == set(names)


@pytest.mark.parametrize("transform", [np.exp, lambda s: s**3, lambda s: 5.0 + s / 100.0])
def test_only_the_order_of_the_scores_matters(transform):
    one, other = twice(noisy_fit(), noisy_fit(X=transform(SCORES)))
    assert_same(one, other)


def test_smaller_scores_may_mean_positive():
    assert_same(*twice(noisy_fit(), noisy_fit(X=-SCORES, greater_is_positive=False)))
    where = {"metric": "f1", "label_model": "joint"}
    one = noisy_fit(threshold=-1.0, **where)
    other = noisy_fit(X=-SCORES, greater_is_positive=False, threshold=1.0, **where)
    assert_same(*twice(one, other))


def test_the_order_of_the_rows_does_not_matter():
    order = np.random.default_rng(9).permutation(300)
    y = partly(60)
    given = {"noisy_labels": NOISY[order], "category": TAG[order]}
    for strategy in ("estimator_change", "confident_mistake"):
        one = noisy_fit(y=y, strategy=strategy, n_draws=400)
        other = noisy_fit(X=SCORES[order], y=y[order], given=given, strategy=strategy, n_draws=400)
        assert_allclose(other.label_proba_, one.label_proba_[order], atol=1e-6)
        assert_allclose(other.utilities_, one.utilities_[order], atol=1e-6)
        # Labels are drawn anew for each row: means agree up to their errors.
        spread = np.hypot(one.model_estimate_.standard_error, other.model_estimate_.standard_error)
        off = one.model_estimate_.mean() - other.model_estimate_.mean()
        assert abs(off) < 5.0 * spread / np.sqrt(400.0)


def test_lists_and_frames_are_arrays():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"tag": TAG, "noisy": NOISY, "size": SCORES**2})
    one = noisy_fit(given={"noisy_labels": NOISY, "category": TAG, "features": SCORES**2})
    given = {"noisy_labels": frame["noisy"], "category": frame["tag"], "features": frame[["size"]]}
    other = noisy_fit(X=SCORES.tolist(), given=given)
    assert_same(*twice(one, other))


def test_what_is_given_is_not_written_to():
    parts = [part.copy() for part in (SCORES, NOISY, TAG)]
    y = partly(30)
    given = dict(zip(("noisy_labels", "category"), parts[1:], strict=True))
    chosen = label(noisy_fit(X=parts[0], y=y, given=given), truth=TRUTH)
    before = state(chosen)
    for part, was in zip(parts, (SCORES, NOISY, TAG), strict=True):
        assert_array_equal(part, was)
        part[:] = 0
    assert_array_equal(y, partly(30))
    assert_same(state(chosen), before)


# --- asking and answering ------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_asks_for_what_matters_only(strategy):
    # Precision at k of one list is a ratio of sums; so every strategy has what it needs.
    chosen = noisy_fit(PrecisionAtK(20), X=SCORES, given={"noisy_labels": NOISY}, strategy=strategy)
    label(chosen, 5, truth=TRUTH, rounds=2)
    items = np.flatnonzero(chosen._session.over_rows(chosen._session.ledger.codes, -1) >= 0)
    assert set(items) <= set(np.argsort(-SCORES)[:20])
    assert chosen.n_left_ == 10
    rest = label(chosen, None, truth=TRUTH)
    assert sorted(rest.label_proba_[np.argsort(-SCORES)[:20]]) == sorted(
        TRUTH[np.argsort(-SCORES)[:20]]
    )
    assert_allclose(numbers(chosen.estimate_), TRUTH[np.argsort(-SCORES)[:20]].mean())


def test_what_is_told_of_items_is_of_rows():
    chosen = noisy_fit(PrecisionAtK(K))
    asked = chosen.query(6)
    chosen.update(asked[:4], TRUTH[asked[:4]])
    outside = np.setdiff1d(np.arange(300), TOP)
    for told in (chosen.label_proba_, chosen.query_proba_, chosen.utilities_):
        assert told.shape == (300,)
        assert np.isnan(told[outside]).all()
    assert np.isfinite(chosen.label_proba_[TOP]).all()
    assert_array_equal(np.flatnonzero(~np.isnan(chosen.query_proba_)), np.sort(asked))
    free = np.setdiff1d(TOP, asked)
    assert_array_equal(np.flatnonzero(~np.isnan(chosen.utilities_)), free)
    assert_array_equal(chosen.label_proba_[asked[:4]], TRUTH[asked[:4]])
    assert_array_equal(chosen.pending_, asked[4:])
    items, utilities = chosen.query(2, return_utilities=True)
    assert utilities.shape == (300,)
    assert np.isfinite(utilities[items]).all()


def test_a_label_that_does_not_matter_is_not_taken():
    chosen = noisy_fit(PrecisionAtK(K))
    before = state(chosen)
    item = int(np.setdiff1d(np.arange(300), TOP)[0])
    with pytest.raises(ValueError, match=f"Item {item} is in no list among the k highest"):
        chosen.update([int(TOP[0]), item], [1, 1])
    assert_same(state(chosen), before)


@pytest.mark.parametrize(
    ("indices", "labels", "message"),
    [
        ([300], [1], "between 0 and 299"),
        ([1, 2], [1], "same length"),
        ([1, 1], [0, 1], "comes twice"),
        ([1], ["x"], "x"),
    ],
)
def test_a_wrong_update_changes_nothing(begun, indices, labels, message):
    chosen = pickle.loads(begun)
    before = state(chosen)
    with pytest.raises(ValueError, match=message):
        chosen.update(indices, labels)
    assert_same(state(chosen), before)


def test_a_label_is_not_taken_back(begun):
    chosen = pickle.loads(begun)
    item = int(np.flatnonzero(chosen._session.ledger.codes >= 0)[0])
    before = state(chosen)
    with pytest.raises(ValueError, match=f"Item {item} was labelled"):
        chosen.update([item], [1 - TRUTH[item]])
    assert_same(state(chosen), before)
    assert chosen.update([item], [TRUTH[item]]) is chosen
    assert_same(state(chosen), before)


def test_skips_and_items_that_were_not_asked_for_are_warned_of(begun):
    chosen = pickle.loads(begun)
    asked = chosen.query(4)
    with pytest.warns(SkippedLabelsWarning, match="1 of 4 items have no label"):
        chosen.update(asked, [None, *TRUTH[asked[1:]]])
    assert chosen.n_labels_ == 23
    assert 0.0 < chosen.label_proba_[asked[0]] < 1.0
    assert asked[0] not in chosen.query(chosen.n_left_)
    other = pickle.loads(begun)
    free = np.flatnonzero(other._session.ledger.free)[:2]
    with pytest.warns(OutsideDesignWarning, match="2 of 2 items were not asked for"):
        other.update(free, TRUTH[free])
    assert other.n_labels_ == 22


def test_a_pickle_and_a_clone(begun):
    one, other = pickle.loads(begun), pickle.loads(begun)
    assert_same(*twice(one, other))
    bare = clone(one)
    assert not hasattr(bare, "estimate_")
    assert_same(*twice(bare.fit(SCORES, noisy_labels=NOISY, category=TAG), noisy_fit()))


def test_fit_again_forgets(begun):
    chosen = pickle.loads(begun)
    chosen.fit(SCORES)
    assert chosen.performance_.posterior_.n_draws > 0
    with pytest.raises(AttributeError, match="flip_rates_ is there with noisy labels"):
        chosen.flip_rates_  # noqa: B018
    chosen.fit(SCORES, noisy_labels=NOISY, category=TAG)
    assert not hasattr(chosen, "performance_")
    assert_same(state(chosen), state(noisy_fit()))


def test_a_fit_that_fails_changes_nothing(begun):
    chosen = pickle.loads(begun)
    before = state(chosen)
    with pytest.raises(ValueError, match="noisy_labels must have one label an item"):
        chosen.fit(SCORES, noisy_labels=NOISY[:7])
    assert_same(state(chosen), before)


def test_counted_flips_of_chosen_items_are_warned_of_once():
    with pytest.warns(MisfitWarning, match="Use label_model='joint'"):
        chosen = noisy_fit(label_model="counts")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        label(chosen, truth=TRUTH)
    assert not [w for w in caught if "counts how often" in str(w.message)]
    assert "counted_flips" in [reason.name for reason in chosen.verdict_.reasons]
    # Of items that are chosen by chance they may be counted.
    noisy_fit(label_model="counts", strategy="random")
