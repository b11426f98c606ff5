"""Simulations with a known truth: the lemma, how near methods come, and how often bands hold."""

import numpy as np
import pytest
from scipy import special, stats

from sklearn_spe import AccuracyExtrapolator, average_accuracy_curve
from sklearn_spe.extrapolation import BivariateNormalClasses, GaussianClasses
from sklearn_spe.extrapolation._uncertainty import NEAR_ERROR
from sklearn_spe.extrapolation.methods._registry import METHODS
from tests.extrapolation.pilots import assert_means, pilot_of

# Pilots with a few errors among many classes: so says every verdict on such a pilot.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
TASKS = (
    GaussianClasses(noise=0.7),
    GaussianClasses(n_features=4, noise=0.4, n_train=3, rule="linear_discriminant"),
    BivariateNormalClasses(0.9),
)


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_the_average_accuracy_is_unbiased_for_any_number_of_classes(task, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    micro, macro = [], []
    # Some classes have one item, others two.
    kept = np.repeat(np.arange(10), 2) < 5
    kept[::2] = True
    for _ in range(100):
        scores, y = task.draw(10, 2, rng)
        micro.append(average_accuracy_curve(y, scores, average="micro"))
        macro.append(average_accuracy_curve(y[kept], scores[kept], average="macro"))
    for curves in (micro, macro):
        assert_means(curves, task.accuracy(np.arange(1, 11)))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["blend", "scores", "probit"])
def test_twice_the_classes_are_predicted_to_within_the_uncertainty_of_the_method(
    method, global_random_seed
):
    task, n_tried = GaussianClasses(noise=0.6), 30
    truth = task.accuracy(2 * n_tried)
    rng = np.random.default_rng(global_random_seed)
    estimates = []
    for _ in range(12):
        scores, y = task.draw(n_tried, 4, rng)
        distribution = METHODS[method]().fit(pilot_of(scores, y), rng)
        inside, beyond = distribution.accuracy(np.array([n_tried, 2 * n_tried]))
        estimates.append(average_accuracy_curve(y, scores, n_classes=n_tried) * beyond / inside)
    off = special.logit(np.mean(estimates)) - special.logit(truth)
    error = np.std(estimates, ddof=1) / np.sqrt(12) / (truth * (1.0 - truth))
    # The doubt is a standard deviation over problems; Student's t with 11 degrees of freedom
    # passes 9.7 once in a million times.
    assert abs(off) < 3.0 * NEAR_ERROR * np.log(2.0) + 9.7 * error


@pytest.mark.slow
def test_bands_hold_the_truth_as_often_as_they_say(global_random_seed):
    # Pilots of thirty classes, four times as many asked for, tasks of all kinds of difficulty.
    rng = np.random.default_rng(global_random_seed)
    tasks = [
        GaussianClasses(n_features, noise=noise)
        for n_features, noise in ((10, 0.5), (10, 0.9), (3, 0.2), (30, 0.9))
    ]
    held = []
    for i in range(12):
        task = tasks[i % 4]
        scores, y = task.draw(30, 2, rng)
        extrapolator = AccuracyExtrapolator(n_bootstrap=3, random_state=i).fit(scores, y)
        low, high = extrapolator.predict_band([30, 120]).interval()
        held.append((low <= task.accuracy([30, 120])) & (task.accuracy([30, 120]) <= high))
    # At least 85%: fewer than these happen once in a million times.
    fewest = stats.binom(12, 0.85).ppf(1e-6)
    assert (np.sum(held, axis=0) >= fewest).all()
