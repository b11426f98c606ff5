"""Vetting of noisy labels: what is asked for and answered, and what does not matter to it."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.active.strategies._registry import STRATEGIES
from sklearn_spe.exceptions import MisfitWarning
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


def test_only_the_order_of_the_scores_matters(tagged, plain):
    # Unlike an exponential this makes no ties of scores far from zero.
    other = tagged.counted(X=5.0 + np.arcsinh(tagged.scores))
    assert_same(after_labels(tagged, other), plain)


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


def test_a_label_that_does_not_matter_is_not_taken(tagged):
    chosen = tagged.counted(PrecisionAtK(K))
    before = state(chosen)
    item = int(np.setdiff1d(np.arange(300), tagged.top(K))[0])
    with pytest.raises(ValueError, match=f"Item {item} is not among the k highest of any list"):
        chosen.update([int(tagged.top(K)[0]), item], [1, 1])
    assert_same(state(chosen), before)


def test_fit_again_forgets(pool, tagged, begun):
    chosen = pickle.loads(begun).set_params(label_model=pool.model(n_draws=60))
    chosen.fit(tagged.scores)
    assert chosen.performance_.posterior_.n_draws > 0
    with pytest.raises(AttributeError, match="flip_rates_ exists only with noisy labels"):
        chosen.flip_rates_  # noqa: B018
    chosen.set_params(label_model="counts").fit(tagged.scores, **tagged.both)
    assert not hasattr(chosen, "performance_")
    assert_same(state(chosen), state(tagged.counted()))


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
