"""Boards: the metric of each list, how one label moves it, and what labels would tell."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import (
    average_precision_score,
    f1_score,
    precision_score,
    recall_score,
    roc_auc_score,
)

from sklearn_spe.active._information import ListInformation
from sklearn_spe.active.lists._ranked_lists import RankedList, RankedLists, score_lists
from sklearn_spe.goals._question import Question
from sklearn_spe.inputs._groups import Partition
from sklearn_spe.metrics import PrecisionAtK
from sklearn_spe.metrics._ranking import AveragePrecision, RocAuc
from tests.active.lists import every_labeling, one_list
from tests.active.tiny import true_covariance, true_gain

DISTINCT = np.array([0.3, -1.0, 2.0, 0.9, -0.2, 1.4])
TIED = np.array([0.5, -1.0, 0.5, 2.0, -1.0, 2.0])
P = np.array([0.35, 0.1, 0.8, 0.5, 0.0, 0.6])
AP_OF_KNOWN = {"n_positive": 4}


def average_precision_of(labels, scores, n_positive):
    """Return the sum over positives of the precision at each, over a known number of them."""
    reached = scores[None, :] >= scores[:, None]
    precision = (reached * labels[None, :]).sum(axis=1) / reached.sum(axis=1)
    return (labels * precision).sum() / n_positive


def precision_at(labels, scores, k):
    """Return the expected precision of the k highest if ties are broken at random."""
    order = np.argsort(-scores, kind="stable")
    lowest = scores[order[k - 1]]
    higher, tied = scores > lowest, scores == lowest
    return (labels[higher].sum() + (k - higher.sum()) * labels[tied].mean()) / k


def drawn_labels(seed, n=30, size=15):
    labels = np.random.default_rng(seed).integers(0, 2, (size, n))
    labels[:, :2] = [0, 1]
    return labels


# --- values ----------------------------------------------------------------------------


@pytest.mark.parametrize("decimals", [8, 0], ids=["distinct", "tied"])
@pytest.mark.parametrize(
    ("metric", "reference"),
    [(AveragePrecision(), average_precision_score), (RocAuc(), roc_auc_score)],
)
def test_values_are_those_of_scikit_learn(metric, reference, decimals, global_random_seed):
    scores = np.round(np.random.default_rng(global_random_seed).normal(size=30), decimals)
    labels = drawn_labels(global_random_seed)
    want = [reference(row, scores) for row in labels]
    assert_allclose(one_list(scores, metric).values(labels)[:, 0], want, rtol=1e-12)


@pytest.mark.parametrize("scores", [DISTINCT, TIED], ids=["distinct", "tied"])
def test_positives_that_a_list_has_missed_count(scores):
    labels = np.array([row for row, _ in zip(*every_labeling(P[None]), strict=True)])
    want = [average_precision_of(row, scores, 9) for row in labels]
    assert_allclose(one_list(scores, n_positive=9).values(labels)[:, 0], want, rtol=1e-12)
    # If none is missed it is the average precision of scikit-learn.
    some = labels[labels.sum(axis=1) == 4]
    want = [average_precision_score(row, scores) for row in some]
    assert_allclose(one_list(scores, n_positive=4).values(some)[:, 0], want, rtol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("scores", [DISTINCT, TIED], ids=["distinct", "tied"])
def test_precision_at_k_shares_a_tie_that_does_not_fit(scores, k):
    labels, _ = every_labeling(P)
    ranked_lists = one_list(scores, PrecisionAtK(k))
    want = [precision_at(row, scores, k) for row in labels]
    assert_allclose(ranked_lists.values(labels)[:, 0], want, atol=1e-12)
    # All of them being vetted, those that are vetted are all.
    assert_allclose(ranked_lists.values(labels, np.ones(6))[:, 0], want, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "reference"),
    [("precision", precision_score), ("recall", recall_score), ("f1", f1_score)],
)
@pytest.mark.parametrize("threshold", [0.0, 9.0, -9.0])
def test_decisions_are_those_of_scikit_learn(name, reference, threshold, global_random_seed):
    scores = np.round(np.random.default_rng(global_random_seed).normal(size=30), 1)
    question = Question.of(name, threshold=threshold, recall=None, precision=None)
    ranked_lists, _ = score_lists(question, scores[:, None], None, None, None, threshold)
    labels = drawn_labels(global_random_seed)
    want = [reference(row, scores >= threshold, zero_division=np.nan) for row in labels]
    assert_allclose(ranked_lists.values(labels)[:, 0], want, rtol=1e-12)


def test_only_what_is_weighed_counts(global_random_seed):
    labels = drawn_labels(global_random_seed)
    scores = np.round(np.random.default_rng(global_random_seed).normal(size=30), 1)
    some = np.arange(30) % 3 != 1
    some[:2] = True
    for metric, reference in ((AveragePrecision(), average_precision_score), (RocAuc(), None)):
        reference = reference or roc_auc_score
        values = one_list(scores, metric).values(labels, some.astype(float))[:, 0]
        assert_allclose(values, [reference(row[some], scores[some]) for row in labels], rtol=1e-12)


def test_a_category_without_a_positive_is_left_out_of_the_mean(tagged):
    lists = tuple(
        RankedList.ranked(AveragePrecision(), own, tagged.scores[own], 0, c)
        for c, own in enumerate((np.arange(10), np.arange(10, 20)))
    )
    ranked_lists = RankedLists(
        tagged.scores[:20, None], None, Partition.numbered(np.repeat([0, 1], 10)), None, lists
    )
    labels = np.zeros((2, 20), int)
    labels[0, 3] = 1
    values = ranked_lists.values(labels)
    assert np.isnan(values[:, 1]).all()
    want = average_precision_score(labels[0, :10], tagged.scores[:10])
    assert_allclose(ranked_lists.mean(values), [[want], [np.nan]])
    assert_allclose(ranked_lists.by_category(values, 0), [[want, np.nan], [np.nan, np.nan]])


@pytest.mark.parametrize(("n_positive", "value"), [(3, 0.0), (None, np.nan)])
def test_a_list_of_nothing_has_found_nothing(n_positive, value):
    ranked = RankedList.ranked(
        AveragePrecision(), np.empty(0, int), np.empty(0), 0, 0, n_positive=n_positive
    )
    assert_array_equal(ranked.values(np.ones((2, 4))), [value, value])
    values, slopes = ranked.expected(np.full((2, 4), 0.5))
    assert_array_equal(values, [value, value])
    assert slopes.shape == (2, 0)


# --- the board of a pool -----------------------------------------------------------------


def test_there_is_a_list_for_every_system_and_category(tagged):
    question = Question.of("average_precision")
    X = np.column_stack([tagged.scores, tagged.other])
    ranked_lists, places = score_lists(question, X, None, Partition.numbered(tagged.tag), None)
    assert_array_equal(places, np.arange(300))
    values = ranked_lists.values(tagged.truth[None])[0]
    for ranked, value in zip(ranked_lists.lists, values, strict=True):
        own = ranked.group == tagged.tag
        want = average_precision_score(tagged.truth[own], X[own, ranked.system])
        assert value == pytest.approx(want, rel=1e-12)
    assert sorted(zip(ranked_lists.system, ranked_lists.list_group, strict=True)) == [
        (m, c) for m in range(2) for c in range(3)
    ]


def test_of_precision_at_k_only_the_highest_are_in_a_list(tagged):
    X = np.column_stack([tagged.scores, tagged.other])
    ranked_lists, places = score_lists(
        Question.of(PrecisionAtK(5)), X, None, Partition.numbered(tagged.tag), None
    )
    want = set()
    for c in range(3):
        own = np.flatnonzero(c == tagged.tag)
        for m in range(2):
            want |= set(own[np.argsort(-X[own, m])[:5]].tolist())
    assert set(places[ranked_lists.in_lists].tolist()) == want
    # All others inform the label model.
    assert_array_equal(places, np.arange(len(X)))
    assert_array_equal(ranked_lists.scores, X[places])
    assert_array_equal(ranked_lists.group, tagged.tag[places])
    # Those who tie with the last one are in it too.
    tied, places = score_lists(Question.of(PrecisionAtK(3)), TIED[:, None], None, None, None)
    assert_array_equal(places[tied.in_lists], [0, 2, 3, 5])
    assert tied.values(np.array([[1, 0, 0, 0, 0, 0]]))[0, 0] == pytest.approx(0.5 / 3.0)


# --- expectations, and how a label moves them ----------------------------------------------


def test_expected_precision_at_k_is_the_mean_probability_of_the_highest():
    # Equation 8: vetted labels count as they are, others by their probability.
    (ranked,) = one_list(DISTINCT, PrecisionAtK(3)).lists
    p = np.array([0.35, 0.1, 1.0, 0.5, 0.7, 0.0])
    value, slopes = ranked.expected(p[None])
    assert value[0] == pytest.approx((1.0 + 0.0 + 0.5) / 3.0, abs=1e-14)
    assert_allclose(slopes[0], [1 / 3, 1 / 3, 1 / 3, 0, 0, 0], atol=1e-14)
    # Equation 11: 2 p (1 - p) / k for those among the k highest.
    change = 2.0 * p * (1.0 - p) * one_list(DISTINCT, PrecisionAtK(3)).slopes(p)
    assert_allclose(change, [0, 0, 0, 2 * 0.25 / 3, 0, 0], atol=1e-14)


@pytest.mark.parametrize(
    ("scores", "p"),
    [
        (DISTINCT, P),
        (DISTINCT, np.array([1.0, 0.0, 0.3, 1.0, 0.9, 0.45])),
        # Of a tie all are as likely.
        (TIED, np.array([0.3, 0.6, 0.3, 0.8, 0.6, 0.8])),
    ],
    ids=["open", "some vetted", "tied"],
)
@pytest.mark.parametrize(
    ("metric", "fields", "of"),
    [
        (AveragePrecision(), AP_OF_KNOWN, lambda z, s: average_precision_of(z, s, 4)),
        (PrecisionAtK(3), {}, lambda z, s: precision_at(z, s, 3)),
    ],
    ids=["average precision", "precision at 3"],
)
def test_expected_change_of_a_label_is_that_of_brute_force(metric, fields, of, scores, p):
    ranked_lists = one_list(scores, metric, **fields)
    labels, chances = every_labeling(p)
    values = np.array([of(row, scores) for row in labels])
    expected = chances @ values
    assert ranked_lists.lists[0].expected(p[None])[0][0] == pytest.approx(expected, abs=1e-12)
    change = 2.0 * p * (1.0 - p) * ranked_lists.slopes(p)
    for item in range(6):
        moved = 0.0
        for z in (0, 1):
            told = np.where(labels[:, item] == z, chances, 0.0)
            if told.sum() > 0.0:
                moved += told.sum() * abs(told @ values / told.sum() - expected)
        assert change[item] == pytest.approx(moved, abs=1e-12)


def test_slopes_are_summed_over_systems():
    question = Question.of(PrecisionAtK(2))
    X = np.column_stack([DISTINCT, -DISTINCT])
    ranked_lists, places = score_lists(question, X, None, None, None)
    order = np.argsort(-DISTINCT)
    assert set(places[ranked_lists.in_lists].tolist()) == {*order[:2], *order[-2:]}
    p = np.full(len(places), 0.3)
    assert_allclose(ranked_lists.slopes(p), 0.5 * ranked_lists.in_lists)
    same, _ = score_lists(question, np.column_stack([DISTINCT] * 2), None, None, None)
    assert_allclose(same.slopes(p), 1.0 * same.in_lists)


# --- what labels would tell ------------------------------------------------------------------


def two_lists():
    """Return two systems' lists of six entries, in one category."""
    other = np.array([1.0, 0.2, 0.4, -0.3, 1.9, 0.6])
    lists = tuple(
        RankedList.ranked(AveragePrecision(), np.arange(6), s, m, 0, n_positive=4)
        for m, s in enumerate((DISTINCT, other))
    )
    scores = np.column_stack([DISTINCT, other])
    return RankedLists(scores, None, Partition.numbered(np.zeros(6, int)), None, lists), scores


def test_gains_are_what_a_label_takes_off_the_variance(global_random_seed):
    ranked_lists, scores = two_lists()
    rng = np.random.default_rng(global_random_seed)
    p = np.clip(P + 0.3 * rng.normal(size=(5, 1)) + 0.1 * rng.normal(size=(5, 6)), 0.02, 0.98)
    p[:, 2] = 1.0
    item = np.array([0, 1, -1, 3, 4, 5])
    information = ListInformation.of(ranked_lists, p, item)
    labels, chances = every_labeling(p)
    values = np.array([[average_precision_of(z, s, 4) for s in scores.T] for z in labels])
    for j in (0, 1, 3, 4, 5):
        want = sum(true_gain(column, labels, chances, j) for column in values.T)
        assert information.gains[j] == pytest.approx(want, rel=1e-9)
        covariance = true_covariance(values, labels, chances, j)
        assert_allclose(information.parts[0].covariance[:, j], covariance, rtol=1e-9, atol=1e-15)
    # What is known has nothing to tell.
    assert information.gains[2] == 0.0


def test_a_label_that_is_asked_for_tells_of_its_own_category_only(tagged, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    ranked_lists, _ = score_lists(
        Question.of("average_precision"),
        tagged.scores[:, None],
        None,
        Partition.numbered(tagged.tag),
        None,
    )
    p = 1.0 / (1.0 + np.exp(-rng.normal(size=(20, 3))[:, tagged.tag] - tagged.scores))
    before = ListInformation.of(ranked_lists, p, np.arange(300))
    after = before.after(7)
    own = tagged.tag[7] == tagged.tag
    assert_array_equal(after.gains[~own], before.gains[~own])
    assert after.gains[7] < before.gains[7]
