"""Thresholds that labels drawn at random prove, whatever the model believes."""

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.exceptions import UnprovedGoalError
from tests.estimators.performance.several import mixture
from tests.quick import QUIET

pytestmark = QUIET
N, SHARE = 500, 0.4


@pytest.fixture(scope="module")
def pool(global_random_seed):
    """Return scores that tell the classes apart, their labels, and those of two in five."""
    rng = np.random.default_rng(global_random_seed)
    labels = rng.integers(0, 2, N)
    scores = 3.0 * labels + rng.normal(size=N)
    return scores, labels, np.where(rng.random(N) < SHARE, labels, -1)


def fitted(pool, inclusion_proba=None, **parameters):
    scores, _, y = pool
    performance = PerformanceCurveEstimator(mixture(), random_state=0, **parameters)
    return performance.fit(scores, y, inclusion_proba=inclusion_proba)


@pytest.fixture(scope="module")
def performance(pool):
    return fitted(pool, np.full(N, SHARE))


def precision_of(performance, threshold, labels):
    return labels[performance.selection(threshold)].mean()


def test_a_proved_threshold_keeps_its_goal(performance, pool):
    scores, labels, _ = pool
    proved = performance.threshold_for(precision=0.8, guarantee="anytime", confidence_level=0.99)
    assert proved in scores
    # Not proved, but never so wrong: broken in less than one of 100 pools, and by so much in fewer.
    assert precision_of(performance, proved, labels) > 0.75
    # Labels alone prove less than a model that is right knows.
    recall = performance.threshold_for(recall=0.8, guarantee="anytime", confidence_level=0.99)
    assert recall <= performance.threshold_for(recall=0.8, confidence_level=0.99)
    assert labels[performance.selection(recall)].sum() > 0.75 * labels.sum()


def test_items_that_are_labeled_in_any_case_are_known(pool):
    scores, labels, y = pool
    always = np.arange(N) < 50
    chances = np.where(always, 1.0, SHARE)
    performance = fitted((scores, labels, np.where(always, labels, y)), chances)
    threshold = performance.threshold_for(precision=0.8, guarantee="anytime")
    assert precision_of(performance, threshold, labels) > 0.7


def test_what_is_not_proved_is_said(performance):
    with pytest.raises(UnprovedGoalError, match="prove for no threshold") as caught:
        performance.threshold_for(precision=0.999, recall=0.999, guarantee="anytime")
    assert caught.value.best_probability < 0.95


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ({}, "needs the inclusion probabilities"),
        ({"inclusion_proba": {0: SHARE, 1: SHARE}}, "needs the inclusion probabilities"),
        (
            {"inclusion_proba": np.where(np.arange(N) % 2, SHARE, 0.4001)},
            "equal inclusion probabilities",
        ),
    ],
    ids=["no chances", "by class", "two chances"],
)
def test_what_labels_cannot_prove_is_refused(pool, how, match):
    with pytest.raises(ValueError, match=match):
        fitted(pool, **how).threshold_for(precision=0.8, guarantee="anytime")


@pytest.mark.parametrize(
    ("asked", "match"),
    [
        ({"target": "population"}, "applies to this sample"),
        ({"guarantee": "certain"}, "must be one of"),
        ({"matthews_corrcoef": 0.5}, "ratios of sums"),
    ],
    ids=["population", "unknown", "no ratio"],
)
def test_what_cannot_be_proved_is_refused(performance, asked, match):
    with pytest.raises(ValueError, match=match):
        performance.threshold_for(**{"precision": 0.8, "guarantee": "anytime", **asked})
