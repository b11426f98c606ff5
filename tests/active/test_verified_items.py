"""Vetting of noisy labels: what is asked for and answered, and what does not matter to it."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from sklearn_spe.active.strategies._registry import STRATEGIES
from sklearn_spe.exceptions import MisfitWarning, OutsideDesignWarning, SkippedLabelsWarning
from sklearn_spe.metrics import PrecisionAtK
from tests.active.lists import state
from tests.active.selectors import assert_same, numbers
from tests.quick import QUIET

pytestmark = QUIET

K = 8


@pytest.fixture(scope="module")
def begun(tagged):
    """Return the bytes of a selector with twenty labels."""
    return pickle.dumps(tagged.label(tagged.counted(), rounds=2))


# --- what does not matter ------------------------------------------------------------


def after_labels(tagged, chosen, truth=None):
    """Return what a selector knows after two batches."""
    return state(tagged.label(chosen, truth=truth, rounds=2))


@pytest.fixture(scope="module")
def plain(tagged):
    """Return what a selector knows that was given all there is, as it is."""
    return after_labels(tagged, tagged.counted())


@pytest.mark.parametrize("strategy", ["expected_change", "estimator_change", "random"])
def test_the_same_seed_asks_and_says_the_same(tagged, strategy):
    one, other = (after_labels(tagged, tagged.counted(strategy=strategy)) for _ in "ab")
    assert_same(one, other)


def test_another_seed_asks_others(tagged):
    other = tagged.counted(random_state=tagged.seed + 1)
    assert not np.array_equal(tagged.counted().query(15), other.query(15))


def test_names_of_categories_do_not_matter(tagged, plain):
    names = np.array(["a", "b", "c"])[tagged.tag]
    given = {"noisy_labels": tagged.noisy, "category": names}
    assert_same(after_labels(tagged, tagged.counted(given=given)), plain)


@pytest.mark.parametrize(("names", "pos_label"), [(["b", "a"], "a"), ([False, True], None)])
def test_names_of_classes_do_not_matter(tagged, plain, names, pos_label):
    names = np.array(names)
    given = {"noisy_labels": names[tagged.noisy], "category": tagged.tag}
    other = tagged.counted(given=given, pos_label=pos_label)
    assert_same(after_labels(tagged, other, names[tagged.truth]), plain)
    assert set(other.classes_) == set(names)


def test_only_the_order_of_the_scores_matters(tagged, plain):
    # Unlike an exponential this makes no ties of scores far from zero.
    other = tagged.counted(X=5.0 + np.arcsinh(tagged.scores))
    assert_same(after_labels(tagged, other), plain)


def test_smaller_scores_may_mean_positive(tagged):
    one = tagged.counted("f1", threshold=-1.0)
    other = tagged.counted("f1", X=-tagged.scores, greater_is_positive=False, threshold=1.0)
    assert_same(after_labels(tagged, one), after_labels(tagged, other))


def test_the_order_of_the_rows_does_not_matter(tagged):
    order = np.random.default_rng(tagged.seed).permutation(300)
    y = tagged.partly(60)
    given = {"noisy_labels": tagged.noisy[order], "category": tagged.tag[order]}
    for strategy in ("estimator_change", "confident_mistake"):
        one = tagged.counted(y=y, strategy=strategy, n_draws=400)
        other = tagged.counted(
            X=tagged.scores[order], y=y[order], given=given, strategy=strategy, n_draws=400
        )
        assert_allclose(other.label_proba_, one.label_proba_[order], atol=1e-6)
        assert_allclose(other.utilities_, one.utilities_[order], atol=1e-6)
        # Labels are drawn anew for each row: means agree up to their errors.
        spread = np.hypot(one.model_estimate_.standard_error, other.model_estimate_.standard_error)
        off = one.model_estimate_.mean() - other.model_estimate_.mean()
        assert abs(off) < 5.0 * spread / np.sqrt(400.0)


def test_lists_and_frames_are_arrays(tagged):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"tag": tagged.tag, "noisy": tagged.noisy, "size": tagged.scores**2})
    one = tagged.counted(
        given={"noisy_labels": tagged.noisy, "category": tagged.tag, "features": tagged.scores**2}
    )
    given = {"noisy_labels": frame["noisy"], "category": frame["tag"], "features": frame[["size"]]}
    other = tagged.counted(X=tagged.scores.tolist(), given=given)
    assert_same(state(tagged.label(one)), state(tagged.label(other)))


def test_what_is_given_is_not_written_to(tagged):
    parts = [part.copy() for part in (tagged.scores, tagged.noisy, tagged.tag)]
    y = tagged.partly(30)
    given = dict(zip(("noisy_labels", "category"), parts[1:], strict=True))
    chosen = tagged.label(tagged.counted(X=parts[0], y=y, given=given))
    before = state(chosen)
    for part, was in zip(parts, (tagged.scores, tagged.noisy, tagged.tag), strict=True):
        assert_array_equal(part, was)
        part[:] = 0
    assert_array_equal(y, tagged.partly(30))
    assert_same(state(chosen), before)


# --- asking and answering ------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_asks_for_what_matters_only(tagged, strategy):
    # Precision at k of one list is a ratio of sums; so every strategy has what it needs.
    chosen = tagged.counted(
        PrecisionAtK(20), X=tagged.scores, given={"noisy_labels": tagged.noisy}, strategy=strategy
    )
    tagged.label(chosen, 5, rounds=2)
    items = np.flatnonzero(
        chosen._session.model.rows.spread(chosen._session.query_log.codes, -1) >= 0
    )
    assert set(items) <= set(np.argsort(-tagged.scores)[:20])
    assert chosen.n_left_ == 10
    rest = tagged.label(chosen, None)
    assert sorted(rest.label_proba_[np.argsort(-tagged.scores)[:20]]) == sorted(
        tagged.truth[np.argsort(-tagged.scores)[:20]]
    )
    assert_allclose(numbers(chosen.estimate_), tagged.truth[np.argsort(-tagged.scores)[:20]].mean())


def test_estimates_of_items_are_those_of_rows(tagged):
    chosen = tagged.counted(PrecisionAtK(K))
    asked = chosen.query(6)
    chosen.update(asked[:4], tagged.truth[asked[:4]])
    outside = np.setdiff1d(np.arange(300), tagged.top(K))
    for told in (chosen.label_proba_, chosen.query_proba_, chosen.utilities_):
        assert told.shape == (300,)
        assert np.isnan(told[outside]).all()
    assert np.isfinite(chosen.label_proba_[tagged.top(K)]).all()
    assert_array_equal(np.flatnonzero(~np.isnan(chosen.query_proba_)), np.sort(asked))
    free = np.setdiff1d(tagged.top(K), asked)
    assert_array_equal(np.flatnonzero(~np.isnan(chosen.utilities_)), free)
    assert_array_equal(chosen.label_proba_[asked[:4]], tagged.truth[asked[:4]])
    assert_array_equal(chosen.pending_, asked[4:])
    items, utilities = chosen.query(2, return_utilities=True)
    assert utilities.shape == (300,)
    assert np.isfinite(utilities[items]).all()


def test_a_label_that_does_not_matter_is_not_taken(tagged):
    chosen = tagged.counted(PrecisionAtK(K))
    before = state(chosen)
    item = int(np.setdiff1d(np.arange(300), tagged.top(K))[0])
    with pytest.raises(ValueError, match=f"Item {item} is not among the k highest of any list"):
        chosen.update([int(tagged.top(K)[0]), item], [1, 1])
    assert_same(state(chosen), before)


@pytest.mark.parametrize(
    ("indices", "labels", "message"),
    [
        ([300], [1], "between 0 and 299"),
        ([1, 2], [1], "same length"),
        ([1, 1], [0, 1], "is duplicated"),
        ([1], ["x"], "x"),
    ],
)
def test_a_wrong_update_changes_nothing(begun, indices, labels, message):
    chosen = pickle.loads(begun)
    before = state(chosen)
    with pytest.raises(ValueError, match=message):
        chosen.update(indices, labels)
    assert_same(state(chosen), before)


def test_a_label_is_not_taken_back(tagged, begun):
    chosen = pickle.loads(begun)
    item = int(np.flatnonzero(chosen._session.query_log.codes >= 0)[0])
    before = state(chosen)
    with pytest.raises(ValueError, match=f"Item {item} was labeled"):
        chosen.update([item], [1 - tagged.truth[item]])
    assert_same(state(chosen), before)
    assert chosen.update([item], [tagged.truth[item]]) is chosen
    assert_same(state(chosen), before)


def test_skips_and_items_that_were_not_asked_for_are_warned_of(tagged, begun):
    chosen = pickle.loads(begun)
    asked = chosen.query(4)
    with pytest.warns(SkippedLabelsWarning, match="1 of 4 items have no label"):
        chosen.update(asked, [None, *tagged.truth[asked[1:]]])
    assert chosen.n_labels_ == 23
    assert 0.0 < chosen.label_proba_[asked[0]] < 1.0
    assert asked[0] not in chosen.query(chosen.n_left_)
    other = pickle.loads(begun)
    free = np.flatnonzero(other._session.query_log.free)[:2]
    with pytest.warns(OutsideDesignWarning, match="2 of 2 items were not queried"):
        other.update(free, tagged.truth[free])
    assert other.n_labels_ == 22


def test_a_pickle_and_a_clone(tagged, begun, plain):
    one = pickle.loads(begun)
    assert_same(state(one), plain)
    bare = clone(one)
    assert not hasattr(bare, "estimate_")
    assert_same(after_labels(tagged, bare.fit(tagged.scores, **tagged.both)), plain)


def test_fit_again_forgets(pool, tagged, begun):
    chosen = pickle.loads(begun).set_params(label_model=pool.model(n_draws=60))
    chosen.fit(tagged.scores)
    assert chosen.performance_.posterior_.n_draws > 0
    with pytest.raises(AttributeError, match="flip_rates_ exists only with noisy labels"):
        chosen.flip_rates_  # noqa: B018
    chosen.set_params(label_model="counts").fit(tagged.scores, **tagged.both)
    assert not hasattr(chosen, "performance_")
    assert_same(state(chosen), state(tagged.counted()))


def test_a_fit_that_fails_changes_nothing(tagged, begun):
    chosen = pickle.loads(begun)
    before = state(chosen)
    with pytest.raises(ValueError, match="noisy_labels must have one label an item"):
        chosen.fit(tagged.scores, noisy_labels=tagged.noisy[:7])
    assert_same(state(chosen), before)


def test_counted_flips_of_chosen_items_are_warned_of_once(tagged):
    with pytest.warns(MisfitWarning, match="Use label_model='joint'"):
        chosen = tagged.counted(label_model="counts")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tagged.label(chosen)
    assert not [w for w in caught if "(counted flips)" in str(w.message)]
    assert "counted_flips" in [reason.name for reason in chosen.verdict_.reasons]
    # Of items that are chosen by chance they may be counted.
    tagged.counted(label_model="counts", strategy="random")
