"""Several systems on the same items: one estimate each, differences, and who is better."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score, precision_score

from sklearn_spe import ActiveTestSelector
from sklearn_spe.active import MaxLabels, RankingSettled
from sklearn_spe.exceptions import RepeatedLooksWarning
from sklearn_spe.metrics import PrecisionAtK
from tests.active.selectors import numbers, quietly
from tests.quick import QUIET

pytestmark = QUIET


@pytest.fixture(scope="module")
def X(tagged):
    """Return the scores of three systems: the second is the best, the third knows nothing."""
    return tagged.systems[:, [1, 0, 2]]


@pytest.fixture(scope="module")
def begun(tagged, X):
    return pickle.dumps(tagged.label(tagged.counted(X=X), rounds=3))


def test_with_everything_verified_each_is_the_macro_mean(tagged, X):
    chosen = tagged.counted(X=X, y=tagged.truth)
    want = [tagged.macro(average_precision_score, scores=column) for column in X.T]
    for part in (chosen.estimate_.value, *chosen.estimate_.interval()):
        assert_allclose(part, want, rtol=1e-12)
    assert_allclose(chosen.verified_estimate_, want, rtol=1e-12)
    assert_allclose(chosen.naive_estimate_, want, rtol=1e-12)
    for m in range(3):
        each = [
            average_precision_score(tagged.truth[c == tagged.tag], X[c == tagged.tag, m])
            for c in range(3)
        ]
        assert_allclose(chosen.by_category(m).values, each, rtol=1e-12)
    off = chosen.difference(1, 2)
    assert_allclose(numbers(off), want[1] - want[2], rtol=1e-12)
    order = np.argsort(np.argsort(want))
    assert_array_equal(chosen.ranking_proba_, (np.sign(order[:, None] - order) + 1) / 2)


def test_a_threshold_is_one_for_all(tagged, X):
    # In every category every system has something above it.
    at = min(X[tagged.tag == c].max(axis=0).min() for c in range(3))
    chosen = tagged.fitted("precision", X=X, y=tagged.truth, threshold=at, label_model="naive")
    want = [tagged.macro(lambda z, s: precision_score(z, s >= at), scores=c) for c in X.T]
    assert_allclose(chosen.estimate_.value, want, rtol=1e-12)


def test_a_system_is_evaluated_by_the_same_labels_as_if_it_were_alone(tagged, X):
    chosen = tagged.fitted(X=X, y=tagged.partly(100), label_model="naive")
    for m, column in enumerate(X.T):
        alone = tagged.fitted(X=column, y=tagged.partly(100), label_model="naive")
        assert chosen.estimate_.value[m] == pytest.approx(alone.estimate_.value, rel=1e-12)


def test_who_is_better_is_consistent(begun):
    chosen = pickle.loads(begun)
    better = chosen.ranking_proba_
    assert better.shape == (3, 3)
    assert_allclose(better + better.T, 1.0, atol=1e-12)
    assert_array_equal(np.diag(better), 0.5)
    # The share of the draws in which the difference is positive.
    for i, j in ((0, 1), (1, 2), (2, 0)):
        off = chosen.difference(i, j)
        assert better[i, j] == pytest.approx(np.mean(off.draws > 0) + np.mean(off.draws == 0) / 2)
        assert_allclose(off.draws, -chosen.difference(j, i).draws)
        assert_allclose(off.draws, (chosen.estimate_.draws[:, i] - chosen.estimate_.draws[:, j]))


def test_labeling_stops_when_the_order_is_settled(tagged, X):
    # Both classes are among those that are known: before nothing is settled.
    chosen = tagged.label(tagged.counted(X=tagged.near, y=tagged.partly(60), n_draws=200))
    means = chosen.estimate_.draws
    order = np.argsort(-chosen.estimate_.value)
    settled = (np.diff(means[:, order], axis=1) <= 0.0).all(axis=1).mean()
    assert 0.0 < settled < 1.0
    with pytest.warns(RepeatedLooksWarning):
        assert not chosen.should_stop(RankingSettled(settled + 1e-6))
    assert chosen.stop_reason_ is None
    assert chosen.should_stop(RankingSettled(settled - 1e-6) | MaxLabels(300))
    assert chosen.stop_reason_.startswith("the order is settled")
    known = tagged.counted(X=X, y=tagged.truth)
    assert quietly(known.should_stop, RankingSettled(0.999))
    assert known.stop_reason_.startswith("the order")
    with pytest.raises(ValueError, match="RankingSettled compares several systems"):
        tagged.counted(average="micro").should_stop(RankingSettled())


def test_of_precision_at_k_all_lists_are_asked_about(tagged, X):
    chosen = tagged.counted(PrecisionAtK(6), X=X, strategy="estimator_change", n_draws=400)
    lists = np.zeros((300, 3), bool)
    for m in range(3):
        for c in range(3):
            own = np.flatnonzero(c == tagged.tag)
            lists[own[np.argsort(-X[own, m])[:6]], m] = True
    inside = lists.any(axis=1)
    assert_array_equal(~np.isnan(chosen.label_proba_), inside)
    p = chosen.label_proba_
    # The change is summed over the systems in whose list an item stands.
    want = (2.0 * p * (1.0 - p) * lists.sum(axis=1) / 6.0)[inside]
    assert_allclose(chosen.utilities_[inside], want, rtol=1e-6)
    means = np.array([p[lists[:, m]].mean() for m in range(3)])
    error = chosen.estimate_.draws.std(axis=0) / np.sqrt(400.0)
    assert (np.abs(chosen.estimate_.draws.mean(axis=0) - means) < 5.0 * error).all()
    tagged.label(chosen, chosen.n_left_)
    assert_allclose(chosen.estimate_.value, [tagged.truth[lists[:, m]].mean() for m in range(3)])


@pytest.mark.slow
def test_systems_may_miss_scores(tagged, X, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    gaps = X.copy()
    gaps[rng.random(len(X)) < 0.4, 1] = np.nan
    own = ~np.isnan(gaps[:, 1])
    chosen = tagged.fitted(X=gaps, y=tagged.truth, average="micro", label_model="shared_curves")
    expected = average_precision_score(tagged.truth[own], gaps[own, 1])
    assert_allclose(chosen.estimate_.value[1], expected, rtol=1e-12)
    begun = tagged.fitted(X=gaps, average="micro", label_model="shared_curves", n_draws=60)
    items = begun.query(5)
    begun.update(items, tagged.truth[items])
    again = ActiveTestSelector.from_frame(begun.to_frame(), **begun.get_params())
    assert_allclose(again.estimate_.value, begun.estimate_.value)
    with pytest.raises(ValueError, match="label_model='naive' does not support missing scores"):
        tagged.fitted(X=gaps, label_model="naive")
