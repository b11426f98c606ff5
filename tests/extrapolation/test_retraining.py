"""Accuracies of classifiers that are trained on subsets of the classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from sklearn_spe import average_accuracy_curve
from sklearn_spe.extrapolation._retraining import RetrainedCurve, retrain, subset_sizes
from tests.extrapolation.data import NearestMean, clouds, extrapolated
from tests.extrapolation.pilots import assert_means

X, Y = clouds(12, 8)
FOLDS = list(StratifiedKFold(4).split(X, Y))


def test_sizes_rise_about_geometrically_from_a_sixteenth_to_all():
    assert_array_equal(subset_sizes(160, 5), [10, 20, 40, 80, 160])
    assert_array_equal(subset_sizes(8, 3), [2, 4, 8])
    # Small numbers of classes have no more sizes than there are.
    assert_array_equal(subset_sizes(3, 8), [2, 3])
    for n_classes in (3, 10, 47, 1000):
        sizes = subset_sizes(n_classes, 8)
        assert (np.diff(sizes) > 0).all()
        assert sizes[0] >= 2
        assert sizes[-1] == n_classes


@pytest.mark.parametrize("estimator", [NearestMean(), LogisticRegression()], ids=str)
def test_with_all_classes_and_a_subset_a_fold_it_is_the_cross_validated_accuracy(estimator):
    curve = retrain(estimator, X, Y, FOLDS, np.array([2, 12]), 4, entropy=0)
    expected = cross_val_score(estimator, X, Y, cv=StratifiedKFold(4))
    assert_allclose(curve.accuracies[1], expected, rtol=1e-12)
    assert curve.n_items[1] == len(Y)
    fitted = extrapolated(estimator, X, Y, cv=4, n_subsets=4)
    assert_allclose(fitted.retrained_curve_.mean()[-1], expected.mean(), rtol=1e-12)
    assert_allclose(fitted.predict(12), expected.mean(), rtol=1e-9)


def test_of_a_marginal_classifier_the_mean_is_the_accuracy_of_its_scores():
    # Subsets of one fold: scores of the same training items, over all subsets.
    train, test = FOLDS[0]
    scores = NearestMean().fit(X[train], Y[train]).decision_function(X[test])
    sizes = np.array([2, 3, 6, 12])
    curve = retrain(NearestMean(), X, Y, FOLDS[:1], sizes, 300, entropy=0)
    expected = average_accuracy_curve(Y[test], scores, n_classes=sizes)
    assert_means(curve.accuracies.T, expected)


def test_subsets_are_drawn_anew_each_time_and_are_the_same_for_the_same_seed():
    sizes = np.array([3, 6])
    first, again, other = (
        retrain(NearestMean(), X, Y, FOLDS, sizes, 6, entropy=seed) for seed in (0, 0, 1)
    )
    assert_array_equal(first.accuracies, again.accuracies)
    assert not np.array_equal(first.accuracies, other.accuracies)
    assert len(np.unique(first.accuracies[0])) > 1
    assert_array_equal(first.n_items, [6 * 3 * 2, 6 * 6 * 2])


def test_folds_without_an_item_of_the_subset_are_an_error():
    y = np.repeat(np.arange(12), 8)
    folds = [(np.flatnonzero(y < 12), np.flatnonzero(y == 0))]
    with pytest.raises(ValueError, match="No item of 2 classes is left to test on: pass fewer"):
        retrain(NearestMean(), X, y, folds, np.array([2]), 20, entropy=0)


# --- the curve ------------------------------------------------------------------------------------

CURVE = RetrainedCurve(
    np.array([2, 5, 10]),
    np.array([[0.9, 1.0, 0.8], [0.7, 0.7, 0.7], [0.5, 0.4, 0.75]]),
    np.array([60, 150, 300]),
)


def test_variances_are_those_over_subsets_and_at_least_those_of_counting():
    assert_allclose(CURVE.mean(), [0.9, 0.7, 0.55])
    over_subsets = CURVE.accuracies.var(axis=1, ddof=1) / 3
    counting = CURVE.mean() * (1.0 - CURVE.mean()) / CURVE.n_items
    assert (CURVE.variances() >= over_subsets).all()
    assert (CURVE.variances() >= counting).all()
    assert_allclose(CURVE.variances()[2], over_subsets[2])
    # Seven of ten in each subset: nothing varies, and counting has an error of about 0.04.
    assert_allclose(CURVE.variances()[1], counting[1], rtol=0.05)
    perfect = RetrainedCurve(np.array([2]), np.ones((1, 1)), np.array([50]))
    assert 0.0 < perfect.variances()[0] < 1e-3


def test_a_falling_curve_passes_through_its_sizes_and_a_rising_stretch_is_pooled():
    accuracies = np.array([0.9, 0.7, 0.55])
    falling = CURVE.falling(accuracies)
    assert falling.shape == (10,)
    assert_allclose(falling[[0, 1, 4, 9]], [1.0, *accuracies], rtol=1e-12)
    assert (np.diff(falling) < 0.0).all()
    # Linear in the logarithm of the number of classes.
    share = np.log(3 / 2) / np.log(5 / 2)
    assert_allclose(falling[2], 0.9 + share * (0.7 - 0.9), rtol=1e-12)
    rising = CURVE.falling(np.array([0.6, 0.8, 0.5]))
    weights = 1.0 / CURVE.variances()[:2]
    pooled = (weights @ [0.6, 0.8]) / weights.sum()
    assert_allclose(rising[[1, 4, 9]], [pooled, pooled, 0.5], rtol=1e-12)


def test_subsets_drawn_with_replacement_vary_as_the_mean_does():
    rng = np.random.default_rng(0)
    draws = np.array([CURVE.resampled(rng) for _ in range(3000)])
    assert_means(draws, CURVE.mean())
    # The variance of a mean of three draws with replacement.
    expected = CURVE.accuracies.var(axis=1) / 3
    assert_allclose(draws.var(axis=0)[[0, 2]], expected[[0, 2]], rtol=0.15)
    assert_allclose(draws[:, 1], 0.7, rtol=1e-12)
