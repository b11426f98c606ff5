import importlib

import numpy as np
import pytest
from scipy import special, stats

from sklearn_spe.inference._draws import fit_generalized_pareto, smooth_log_weights


def _normalised(log_weights):
    return log_weights - special.logsumexp(log_weights)


@pytest.mark.parametrize("n_draws", [60, 200, 1000, 10_000])
@pytest.mark.parametrize("shape", [0.2, 0.6, 1.2])
def test_agrees_with_arviz(n_draws, shape):
    # Older ones take another share of the weights for the tail.
    pytest.importorskip("arviz_stats", minversion="0.8")
    base = importlib.import_module("arviz_stats.base")
    # One-sided on purpose: with the sign wrong the other tail would be smoothed.
    log_weights = shape * np.random.default_rng(n_draws).exponential(size=n_draws)
    smoothed, pareto_k = smooth_log_weights(log_weights)
    # arviz takes log likelihoods, whose negatives are the log weights.
    expected, expected_k = base.array_stats.psislw(-log_weights)
    assert pareto_k == pytest.approx(float(expected_k), abs=1e-3)
    np.testing.assert_allclose(smoothed, expected, atol=1e-3)


@pytest.mark.parametrize("shape", [0.1, 0.5, 0.9])
def test_k_hat_of_pareto_weights(shape, global_random_seed):
    rng, n_draws, n_repeats = np.random.default_rng(global_random_seed), 10_000, 40
    # U^-k is Pareto with tail index 1 / k.
    k_hats = [
        smooth_log_weights(shape * rng.exponential(size=n_draws))[1] for _ in range(n_repeats)
    ]
    n_tail = 3 * np.sqrt(n_draws)
    expected = (n_tail * shape + 5.0) / (n_tail + 10.0)
    error = (1.0 + shape) / np.sqrt(n_tail * n_repeats)
    assert abs(np.mean(k_hats) - expected) < 4.0 * error + 0.005


@pytest.mark.parametrize(("shape", "scale"), [(-0.3, 2.0), (0.3, 0.5), (0.8, 10.0)])
def test_generalized_pareto_fit(shape, scale, global_random_seed):
    rng, n = np.random.default_rng(global_random_seed), 4000
    sample = np.sort(stats.genpareto.rvs(shape, scale=scale, size=n, random_state=rng))
    fitted_shape, fitted_scale = fit_generalized_pareto(sample)
    error = (1.0 + shape) / np.sqrt(n)
    assert fitted_shape == pytest.approx(shape, abs=4.0 * error + 10.0 / n)
    assert fitted_scale == pytest.approx(scale, rel=4.0 * np.sqrt(2.0 * (1.0 + shape) / n))


def test_only_the_tail_changes_and_the_order_stays(global_random_seed):
    raw = 0.8 * np.random.default_rng(global_random_seed).exponential(size=400)
    smoothed, _ = smooth_log_weights(raw)
    body = np.argsort(raw)[:-60]
    shift = smoothed[body] - raw[body]
    np.testing.assert_allclose(shift, shift[0], atol=1e-12)
    np.testing.assert_array_equal(np.argsort(smoothed), np.argsort(raw))
    assert np.exp(smoothed).sum() == pytest.approx(1.0)
    # No smoothed weight exceeds the largest raw one.
    assert (smoothed - shift[0]).max() <= raw.max() + 1e-12


def test_input_is_not_changed(global_random_seed):
    raw = np.random.default_rng(global_random_seed).exponential(size=100)
    before = raw.copy()
    smooth_log_weights(raw)
    np.testing.assert_array_equal(raw, before)


def test_equal_weights_have_no_tail():
    log_weights, pareto_k = smooth_log_weights(np.full(1000, -700.0))
    np.testing.assert_allclose(np.exp(log_weights), 1e-3)
    assert pareto_k == -np.inf


def test_zero_weights_stay_zero(global_random_seed):
    raw = 0.5 * np.random.default_rng(global_random_seed).exponential(size=1000)
    raw[::3] = -np.inf
    log_weights, pareto_k = smooth_log_weights(raw)
    assert np.all(np.isneginf(log_weights[::3]))
    assert np.exp(log_weights).sum() == pytest.approx(1.0)
    assert np.isfinite(pareto_k)


@pytest.mark.parametrize("n_positive", [1, 3, 5])
def test_a_handful_of_positive_weights_is_no_evidence_of_a_tail(n_positive):
    raw = np.full(1000, -np.inf)
    raw[:n_positive] = np.arange(n_positive)
    log_weights, pareto_k = smooth_log_weights(raw)
    np.testing.assert_allclose(log_weights[:n_positive], _normalised(raw[:n_positive]))
    assert pareto_k == np.inf


@pytest.mark.parametrize("n_draws", [1, 4, 24])
def test_few_draws_are_normalised_only(n_draws):
    raw = np.linspace(-2.0, 3.0, n_draws)
    log_weights, pareto_k = smooth_log_weights(raw)
    np.testing.assert_allclose(log_weights, _normalised(raw), atol=1e-12)
    assert pareto_k == np.inf


def test_huge_range_is_harmless():
    log_weights, pareto_k = smooth_log_weights(np.linspace(-1e5, 1e5, 1000))
    assert np.exp(log_weights).sum() == pytest.approx(1.0)
    assert pareto_k > 0.7


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([0.0, np.nan], "got nan or"),
        ([0.0, np.inf], "got nan or"),
        ([-np.inf, -np.inf], "All weights are zero"),
        ([], "non-empty vector"),
        ([[0.0]], "non-empty vector"),
    ],
)
def test_bad_weights(bad, message):
    with pytest.raises(ValueError, match=message):
        smooth_log_weights(bad)


@pytest.mark.parametrize("n", range(100, 122))
def test_equal_exceedances_have_a_finite_fit(n):
    # The rate is zero at one point of the grid for these numbers, and 0 / 0 there.
    with np.errstate(all="raise"):
        shape, scale = fit_generalized_pareto(np.full(n, 0.25))
    assert np.isfinite([shape, scale]).all()
    assert scale > 0.0


@pytest.mark.parametrize("unit", [1e-12, 1e12])
@pytest.mark.parametrize("kind", ["drawn", "equal"])
def test_a_fit_has_the_unit_of_the_exceedances(kind, unit, global_random_seed):
    exceedances = np.sort(np.random.default_rng(global_random_seed).exponential(size=50))
    if kind == "equal":
        # A rate on the grid of a hundred is exactly zero: the exponential distribution, a limit.
        exceedances = np.full(100, 2.0)
    shape, scale = fit_generalized_pareto(exceedances)
    in_unit = fit_generalized_pareto(unit * exceedances)
    np.testing.assert_allclose(in_unit, (shape, unit * scale), rtol=1e-6)
