import numpy as np
import pytest

from sklearn_spe.inference._sampling import kish_ess, normalized, power_with_ess


def test_power_keeps_the_effective_size_asked_for(global_random_seed):
    log_weights = 5.0 * np.random.default_rng(global_random_seed).normal(size=500)
    power = power_with_ess(log_weights, 250.0)
    assert kish_ess(power * log_weights) == pytest.approx(250.0, rel=1e-6)


def test_power_stops_at_the_limit():
    assert power_with_ess(np.zeros(10), 5.0, limit=0.3) == 0.3


def test_zero_weights_do_not_count():
    log_weights = np.array([-np.inf, 0.0, 4.0, -np.inf, 1.0])
    power = power_with_ess(log_weights, 5.0)
    assert kish_ess(power * log_weights[[1, 2, 4]]) == pytest.approx(2.7, rel=1e-6)


def test_normalised():
    np.testing.assert_allclose(normalized(np.array([1e4, 1e4 + np.log(3.0)])), [0.25, 0.75])
