"""The accuracy with fewer classes is the one that counting all subsets finds."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special
from sklearn.metrics import accuracy_score, balanced_accuracy_score

from sklearn_spe import average_accuracy_curve
from sklearn_spe.extrapolation._accuracy_curve import subset_accuracies
from sklearn_spe.extrapolation._pilot import count_wins, wins_histogram
from tests.extrapolation.pilots import counted_curve, linear_scores, tied_scores

EVERY_AVERAGE = pytest.mark.parametrize("average", ["micro", "macro"])


# --- all subsets, counted -----------------------------------------------------------------------


@EVERY_AVERAGE
def test_the_curve_is_the_accuracy_over_all_subsets_with_ties_broken_at_random(
    average, global_random_seed
):
    for n_classes in (2, 3, 4, 5, 6, 7):
        scores, y = tied_scores(n_classes, 2 * n_classes + 3, global_random_seed)
        curve = average_accuracy_curve(y, scores, average=average)
        expected = counted_curve(scores, y, average=average)
        assert_allclose(curve, expected, rtol=0.0, atol=1e-12)


@EVERY_AVERAGE
def test_weighted_items_count_by_their_weights_in_all_subsets(average, global_random_seed):
    scores, y = tied_scores(5, 13, global_random_seed)
    weights = np.random.default_rng(global_random_seed).uniform(0.1, 3.0, 13)
    curve = average_accuracy_curve(y, scores, sample_weight=weights, average=average)
    assert_allclose(curve, counted_curve(scores, y, weights, average), rtol=0.0, atol=1e-12)


def test_ties_follow_the_closed_form():
    # One item with w wins and t ties among n wrong classes, for all w and t that there are.
    for n_wrong in (1, 4, 6):
        for wins in range(n_wrong + 1):
            for ties in range(n_wrong - wins + 1):
                losses = n_wrong - wins - ties
                scores = [[1.0] + [0.0] * wins + [1.0] * ties + [2.0] * losses]
                curve = average_accuracy_curve([0], scores, labels=np.arange(n_wrong + 1))
                expected = [
                    (comb(wins + ties + 1, k) - comb(wins, k)) / ((ties + 1) * comb(n_wrong, k - 1))
                    for k in range(1, n_wrong + 2)
                ]
                assert_allclose(curve, expected, rtol=1e-13)


@EVERY_AVERAGE
def test_classes_that_are_ruled_out_are_below_all_others(average, global_random_seed):
    scores, y = tied_scores(6, 15, global_random_seed)
    lowest = np.where(scores <= 1.0, -np.inf, scores)
    low = np.where(scores <= 1.0, -100.0, scores)
    curve = average_accuracy_curve(y, lowest, average=average)
    assert_array_equal(curve, average_accuracy_curve(y, low, average=average))
    assert_allclose(curve, counted_curve(low, y, average=average), rtol=0.0, atol=1e-12)


# --- ends and shape -------------------------------------------------------------------------------


def test_with_all_classes_it_is_the_accuracy_of_scikit_learn(global_random_seed):
    scores, _ = linear_scores(9, 6, seed=global_random_seed)
    y = np.concatenate(
        [np.arange(9), np.random.default_rng(global_random_seed).integers(9, size=45)]
    )
    scores[np.arange(54), y] += 1.0
    predicted, weights = (
        scores.argmax(axis=1),
        np.random.default_rng(global_random_seed).uniform(size=54),
    )
    for sample_weight in (None, weights):
        micro, macro = (
            average_accuracy_curve(y, scores, sample_weight=sample_weight, average=average)
            for average in ("micro", "macro")
        )
        expected = accuracy_score(y, predicted, sample_weight=sample_weight)
        assert_allclose(micro[-1], expected, rtol=1e-13)
        expected = balanced_accuracy_score(y, predicted, sample_weight=sample_weight)
        assert_allclose(macro[-1], expected, rtol=1e-13)
    # Else the two averages would not be told apart; without weights they may be equal by chance.
    assert abs(micro[-1] - macro[-1]) > 1e-6


# --- what changes nothing -------------------------------------------------------------------------


@EVERY_AVERAGE
def test_a_weight_is_as_many_repetitions(average, global_random_seed):
    scores, y = tied_scores(6, 14, global_random_seed)
    times = np.random.default_rng(global_random_seed).integers(0, 4, 14)
    labels = np.arange(6)
    weighted = average_accuracy_curve(
        y, scores, labels=labels, sample_weight=times, average=average
    )
    repeated = average_accuracy_curve(
        np.repeat(y, times), np.repeat(scores, times, axis=0), labels=labels, average=average
    )
    assert_allclose(weighted, repeated, rtol=1e-13)


@EVERY_AVERAGE
def test_the_order_of_items_and_of_columns_does_not_matter(average, global_random_seed):
    scores, y = tied_scores(7, 20, global_random_seed)
    curve = average_accuracy_curve(y, scores, average=average)
    rng = np.random.default_rng(global_random_seed)
    rows, columns = rng.permutation(20), rng.permutation(7)
    shuffled = average_accuracy_curve(
        y[rows], scores[np.ix_(rows, columns)], labels=columns, average=average
    )
    assert_allclose(shuffled, curve, rtol=1e-13)


@EVERY_AVERAGE
def test_only_ranks_within_an_item_matter(average, global_random_seed):
    scores, y = tied_scores(7, 20, global_random_seed)
    slopes = np.random.default_rng(global_random_seed).uniform(0.1, 3.0, (20, 1))
    transformed = np.exp(slopes * scores) - 10.0 * slopes
    assert_array_equal(
        average_accuracy_curve(y, transformed, average=average),
        average_accuracy_curve(y, scores, average=average),
    )


# --- wins -----------------------------------------------------------------------------------------


def test_wins_and_ties_are_counted_against_wrong_classes_only(global_random_seed):
    # More items than one tile holds.
    rng = np.random.default_rng(global_random_seed)
    scores, columns = rng.integers(0, 50, (3000, 90)).astype(float), rng.integers(90, size=3000)
    wins, ties = count_wins(scores, columns)
    for i in range(0, 3000, 7):
        wrong = np.delete(scores[i], columns[i])
        assert wins[i] == np.sum(wrong < scores[i, columns[i]])
        assert ties[i] == np.sum(wrong == scores[i, columns[i]])


def test_a_tied_item_wins_against_each_number_of_its_ties_alike():
    wins, ties = np.array([0, 3, 1, 2]), np.array([5, 0, 2, 0])
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    expected = np.zeros(6)
    for w, t, weight in zip(wins, ties, weights, strict=True):
        expected[w : w + t + 1] += weight / (t + 1)
    assert_allclose(wins_histogram(wins, ties, weights, 5), expected, rtol=0.0, atol=1e-15)


# --- ten thousand classes -------------------------------------------------------------------------


def test_ten_thousand_classes_lose_no_digit():
    n_wrong = 9999
    wins = {9999: Fraction(1, 4), 9998: Fraction(1, 8), 9900: Fraction(1, 8), 5000: Fraction(1, 2)}
    histogram = np.zeros(n_wrong + 1)
    for w, share in wins.items():
        histogram[w] = float(share)
    curve = subset_accuracies(histogram)
    assert ((curve >= 0.0) & (curve <= 1.0)).all()
    assert (np.diff(curve) <= 0.0).all()
    for k in (1, 2, 3, 10, 500, 5000, 9900, 9999, 10000):
        exact = sum(
            share * Fraction(comb(w, k - 1), comb(n_wrong, k - 1)) for w, share in wins.items()
        )
        assert_allclose(curve[k - 1], float(exact), rtol=1e-12)


def test_every_number_of_wins_among_ten_thousand_classes_has_its_hypergeometric_share(
    global_random_seed,
):
    rng = np.random.default_rng(global_random_seed)
    histogram = rng.dirichlet(np.ones(10_000))
    curve = subset_accuracies(histogram)
    assert ((curve >= 0.0) & (curve <= 1.0 + 1e-15)).all()
    wins = np.arange(10_000)
    for k in (2, 7, 100, 3000):
        able = wins >= k - 1
        log_share = special.gammaln(wins[able] + 1.0) - special.gammaln(wins[able] - k + 2.0)
        log_share -= special.gammaln(10_000.0) - special.gammaln(10_000.0 - k + 1.0)
        # Logarithms of factorials near 8e4 have twelve digits after the point.
        expected = np.dot(histogram[able], np.exp(log_share))
        assert_allclose(curve[k - 1], expected, rtol=1e-9)
