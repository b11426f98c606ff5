"""Costs of errors: at one probability a call and none cost the same, and benefits are costs."""

import numpy as np
import pytest

from sklearn_spe.exceptions import ParameterError
from sklearn_spe.goals._mistake_costs import MistakeCosts


@pytest.mark.parametrize(("false_alarm", "miss"), [(1.0, 1.0), (2.0, 7.0), (5.0, 0.3)])
def test_net_benefits_are_costs_saved_by_calls(false_alarm, miss, global_random_seed):
    costs = MistakeCosts.of((false_alarm, miss))
    probability = costs.threshold_probability
    assert probability * miss == pytest.approx((1.0 - probability) * false_alarm)

    rng = np.random.default_rng(global_random_seed)
    labels, called = rng.random((2, 50)) < 0.4
    tp, fp, n_positive = (labels & called).sum(), (~labels & called).sum(), labels.sum()
    cost = (false_alarm * fp + miss * (n_positive - tp)) / 50.0
    benefit = costs.net_benefit.value(
        *(np.array([n]) for n in (tp, fp, n_positive, 50 - n_positive))
    )
    assert cost == pytest.approx(miss * (n_positive / 50.0 - benefit[0]))


@pytest.mark.parametrize("cost", [3.0, (1.0,), (1.0, 0.0), (1e-300, 1e300), (1.0, np.inf)])
def test_costs_that_are_none_are_refused(cost):
    with pytest.raises(ParameterError, match="cost"):
        MistakeCosts.of(cost)
