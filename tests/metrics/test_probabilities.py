"""Measures of predicted probabilities against scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as oracle

from sklearn_spe.metrics._registry import METRICS
from sklearn_spe.metrics._tradeoff import BrierScore, LogLoss, ProbabilityMetric


def calibration_error(labels, probability, sample_weight=None):
    """Return the mean over items of the distance in the bin of each, bin by bin."""
    weights = np.ones(len(labels)) if sample_weight is None else sample_weight
    upper = np.arange(1, 11) / 10.0
    bins = np.array([np.flatnonzero(p <= upper + 1e-12)[0] for p in probability])
    distance = 0.0
    for b in set(bins.tolist()):
        of_bin = bins == b
        means = [np.average(x[of_bin], weights=weights[of_bin]) for x in (labels, probability)]
        distance += weights[of_bin].sum() * abs(means[0] - means[1])
    return distance / weights.sum()


ORACLES = {
    "brier_score": oracle.brier_score_loss,
    "log_loss": oracle.log_loss,
    "expected_calibration_error": calibration_error,
}
EVERY = pytest.mark.parametrize("name", ORACLES)


def test_every_measure_of_probabilities_has_an_oracle():
    names = {name for name, cls in METRICS.items() if issubclass(cls, ProbabilityMetric)}
    assert names == ORACLES.keys()


@EVERY
def test_it_equals_scikit_learn_with_certain_probabilities_and_weights(name, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = np.r_[0, 1, rng.integers(0, 2, 58)]
    # Some are certain, and some of these are wrong.
    probability = np.clip(rng.uniform(-0.2, 1.2, 60), 0.0, 1.0)
    weights = rng.uniform(0.1, 3.0, 60)
    metric = METRICS[name]()
    for w in (np.ones(60), weights):
        expected = ORACLES[name](labels, probability, sample_weight=w)
        value = metric.value(w * labels, w * (1 - labels), probability)
        assert_allclose(value, expected, rtol=1e-12)
    assert_allclose(metric(labels, probability), ORACLES[name](labels, probability), rtol=1e-12)


def test_what_is_certain_and_wrong_costs_what_the_docstring_says():
    one, none, certain = np.ones(1), np.zeros(1), np.ones(1)
    assert BrierScore().value(none, one, certain) == 1.0
    assert_allclose(LogLoss().value(none, one, certain), oracle.log_loss([0], [1.0], labels=[0, 1]))
    assert_allclose(LogLoss().value(none, one, certain), 36.04, atol=0.005)
    assert_allclose(LogLoss().value(one, none, certain), 0.0, atol=1e-15)


@EVERY
def test_each_draw_is_treated_on_its_own_and_of_no_item_it_is_not_a_number(name):
    probability, metric = np.array([0.1, 0.5, 0.8]), METRICS[name]()
    positive = np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    negative = np.array([[2.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    together = metric.value(positive, negative, probability)
    alone = [metric.value(p, n, probability) for p, n in zip(positive, negative, strict=True)]
    assert_allclose(together, alone, rtol=1e-15, equal_nan=True)
    assert np.isnan(together).tolist() == [False, False, True]
    assert not metric.has_expectation
