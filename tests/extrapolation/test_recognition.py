"""Recognition problems: what is drawn, by whatever name, and which requests are refused."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

from sklearn_spe.extrapolation import (
    BivariateNormalClasses,
    GaussianClasses,
    make_recognition_scores,
)

TASKS = (
    BivariateNormalClasses(),
    GaussianClasses(),
    GaussianClasses(n_features=3, noise=1.0, n_train=4),
    GaussianClasses(n_features=3, n_train=4, rule="linear_discriminant"),
)
# The chance of a false alarm of each statistical assertion below.
ALARM = 1e-6
EVERY_TASK = pytest.mark.parametrize("task", TASKS, ids=repr)


@EVERY_TASK
def test_each_class_has_its_items_in_order(task, global_random_seed):
    scores, labels = make_recognition_scores(
        7, task=task, n_test=3, random_state=global_random_seed
    )
    assert scores.shape == (21, 7)
    assert_array_equal(labels, np.repeat(np.arange(7), 3))
    assert labels.dtype == np.int64
    assert np.isfinite(scores).all()


def own_and_other(task, seed, n_classes=3000):
    """Return independent scores of true classes, and of wrong ones."""
    scores, labels = task.draw(n_classes, 1, np.random.default_rng(seed))
    assert_array_equal(labels, np.arange(n_classes))
    items = np.arange(0, n_classes, 2)
    return scores[items, items], scores[items, items + 1]


def test_scores_on_a_line_are_log_densities(global_random_seed):
    own, other = own_and_other(BivariateNormalClasses(0.8), global_random_seed)
    constant = np.log(2.0 * np.pi * 0.36)
    # Of the test point and its own center 0.8 Y the difference has variance 0.36; another center
    # is independent of it.
    for scores, variance in ((own, 0.36), (other, 1.0 + 0.64)):
        squares = 0.36 * (-2.0 * scores - constant)
        assert stats.kstest(squares / variance, stats.chi2(1).cdf).pvalue > ALARM


@pytest.mark.parametrize("rule", ["nearest_neighbor", "linear_discriminant"])
def test_scores_in_space_are_those_of_clouds_as_wide_as_the_noise(rule, global_random_seed):
    task = GaussianClasses(n_features=4, noise=0.3, rule=rule)
    own, other = own_and_other(task, global_random_seed)
    if rule == "nearest_neighbor":
        within, between = 0.09 + 0.09, 2.0 + 0.18
        assert stats.kstest(-own / within, stats.chi2(4).cdf).pvalue > ALARM
        assert stats.kstest(-other / between, stats.chi2(4).cdf).pvalue > ALARM
    else:
        # The means of (x m - m^2 / 2) / 0.09: of x m it is 1 a feature, of m^2 it is 1.09.
        for scores, covariance in ((own, 1.0), (other, 0.0)):
            expected = 4 * (covariance - 0.5 * 1.09) / 0.09
            error = scores.std(ddof=1) / np.sqrt(len(scores))
            assert abs(scores.mean() - expected) < 4.9 * error


def test_both_rules_draw_the_same_points_and_agree_on_one_training_point(global_random_seed):
    near, linear = (
        GaussianClasses(n_features=4, rule=rule).draw(
            40, 2, np.random.default_rng(global_random_seed)
        )[0]
        for rule in ("nearest_neighbor", "linear_discriminant")
    )
    assert_array_equal(np.argsort(near, axis=1), np.argsort(linear, axis=1))
    # (x - m)^2 = x^2 - 2 (x m - m^2 / 2): within a row they differ by what is common to all.
    rest = near - 2.0 * 0.25 * linear
    assert np.ptp(rest, axis=1).max() < 1e-12


def test_the_distribution_is_made_again_and_not_sent_around():
    task = GaussianClasses()
    accuracy = task.accuracy(10)
    sent = pickle.dumps(task)
    assert len(sent) < 1000
    assert pickle.loads(sent).accuracy(10) == accuracy


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_classes": 1}, ValueError, "n_classes must be at least 2, got 1"),
        ({"n_classes": 2.5}, TypeError, "n_classes must be a whole number"),
        ({"n_test": 0}, ValueError, "n_test must be at least 1, got 0"),
        ({"n_test": True}, TypeError, "n_test must be a whole number"),
        ({"task": "normal"}, ValueError, "task must be one of gaussian, bivariate_normal or"),
        ({"task": GaussianClasses}, ValueError, "an instance of a RecognitionTask such as"),
        ({"task": None}, ValueError, "got None"),
        ({"random_state": "seed"}, ValueError, "random_state must be None, an int"),
    ],
)
def test_bad_requests_are_named(options, error, message):
    for task in ("gaussian", "bivariate_normal"):
        with pytest.raises(error, match=message):
            make_recognition_scores(**{"n_classes": 5, "task": task, **options})


@pytest.mark.parametrize("u", [-0.1, 1.5, np.nan, [0.5, 2.0]])
def test_bad_conditional_accuracies_are_named(u):
    with pytest.raises(ValueError, match=r"u must lie in \[0, 1\], got"):
        GaussianClasses().distribution(u)
