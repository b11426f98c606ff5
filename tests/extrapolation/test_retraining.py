"""Accuracies of classifiers that are trained on subsets of the classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from sklearn_spe import average_accuracy_curve
from sklearn_spe.extrapolation._classifier_extrapolator import (
    RetrainedCurve,
    fit_drift,
    retrain,
    subset_sizes,
)
from tests.extrapolation.data import NearestMean, clouds, extrapolated
from tests.extrapolation.pilots import assert_means

Y = np.repeat(np.arange(12), 8)
FOLDS = list(StratifiedKFold(4).split(Y, Y))


@pytest.fixture(scope="module")
def X(global_random_seed):
    return clouds(12, 8, seed=global_random_seed)[0]


def test_sizes_rise_about_geometrically_from_an_eighth_to_all():
    assert_array_equal(subset_sizes(160, 4), [20, 40, 80, 160])
    assert_array_equal(subset_sizes(8, 3), [2, 4, 8])
    # Small numbers of classes have no more sizes than there are.
    assert_array_equal(subset_sizes(3, 8), [2, 3])
    for n_classes in (3, 10, 47, 1000):
        sizes = subset_sizes(n_classes, 8)
        assert (np.diff(sizes) > 0).all()
        assert sizes[0] >= 2
        assert sizes[-1] == n_classes


@pytest.mark.parametrize("estimator", [NearestMean(), LogisticRegression()], ids=str)
def test_with_all_classes_and_a_subset_a_fold_it_is_the_cross_validated_accuracy(
    estimator, X, global_random_seed
):
    curve = retrain(estimator, X, Y, FOLDS, np.array([2, 12]), 4, entropy=global_random_seed)
    expected = cross_val_score(estimator, X, Y, cv=StratifiedKFold(4))
    assert_allclose(curve.accuracies[1], expected, rtol=1e-12)
    assert curve.n_items[1] == len(Y)
    fitted = extrapolated(estimator, X, Y, cv=4, n_repeats=4, random_state=global_random_seed)
    *fewer, last = fitted.retrained_curve_.mean()
    assert_allclose(last, expected.mean(), rtol=1e-12)
    # Where accuracies of fewer classes are lower by chance, the prediction falls all the same.
    assert min(*fewer, last) - 1e-9 <= fitted.predict(12) <= last + 1e-9


def test_of_a_marginal_classifier_the_mean_is_the_accuracy_of_its_scores(X, global_random_seed):
    # Subsets of one fold: scores of the same training items, over all subsets.
    train, test = FOLDS[0]
    scores = NearestMean().fit(X[train], Y[train]).decision_function(X[test])
    sizes = np.array([2, 3, 6, 12])
    curve = retrain(NearestMean(), X, Y, FOLDS[:1], sizes, 300, entropy=global_random_seed)
    expected = average_accuracy_curve(Y[test], scores, n_classes=sizes)
    assert_means(curve.accuracies.T, expected)


def test_folds_without_an_item_to_test_are_an_error(X, global_random_seed):
    folds = [(np.arange(len(Y)), np.arange(0))]
    with pytest.raises(ValueError, match="One of the splits"):
        retrain(NearestMean(), X, Y, folds, np.array([2]), 3, entropy=global_random_seed)


def test_a_classifier_that_cannot_be_trained_on_some_classes_is_reported(X, global_random_seed):
    priors = GaussianNB(priors=np.full(12, 1.0 / 12.0))
    with pytest.raises(ValueError, match="could not be trained on 2 of the classes"):
        retrain(priors, X, Y, FOLDS, np.array([2]), 1, entropy=global_random_seed)


def test_the_drift_of_a_gap_that_is_a_line_is_its_slope():
    # Very many items: the prior does not matter.
    sizes = np.array([5, 10, 20, 40])
    expected = np.array([0.9, 0.8, 0.7, 0.6])
    gap = 0.3 * np.log(sizes / 40.0)
    accuracies = special.expit(special.logit(expected) + gap)
    curve = RetrainedCurve(sizes, np.tile(accuracies[:, None], (1, 3)), np.full(4, 1e8))
    slope, error = fit_drift(curve, expected)
    assert_allclose(slope, 0.3, rtol=1e-4)
    assert error < 1e-3


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


def test_a_decreasing_curve_passes_through_its_sizes_and_an_increasing_stretch_is_pooled():
    accuracies = np.array([0.9, 0.7, 0.55])
    decreasing = CURVE.decreasing(accuracies)
    assert decreasing.shape == (10,)
    assert_allclose(decreasing[[0, 1, 4, 9]], [1.0, *accuracies], rtol=1e-12)
    assert (np.diff(decreasing) < 0.0).all()
    # Linear in the logarithm of the number of classes.
    share = np.log(3 / 2) / np.log(5 / 2)
    assert_allclose(decreasing[2], 0.9 + share * (0.7 - 0.9), rtol=1e-12)
    increasing = CURVE.decreasing(np.array([0.6, 0.8, 0.5]))
    weights = 1.0 / CURVE.variances()[:2]
    pooled = (weights @ [0.6, 0.8]) / weights.sum()
    assert_allclose(increasing[[1, 4, 9]], [pooled, pooled, 0.5], rtol=1e-12)
