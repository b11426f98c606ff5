"""Two values have shares of positives of their own, by Jeffreys; more values leave this out."""

import numpy as np
import pytest
from scipy import special, stats

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.engine._components import CurveComponents
from sklearn_spe.engine._random_effects import RandomEffects
from sklearn_spe.experts import ValueShares
from sklearn_spe.families._family import BetaPrior
from tests.engine.updates import update_scores
from tests.experts.problems import cells_of, ensemble_of, sample_of

N_DRAWS = 2000
# The curves are as many points, and what fills the gaps widens the prior a little.
OFF = 0.02


def two_values(share, n=1000):
    return (np.arange(n) >= (1.0 - share) * n).astype(float)


def test_both_shares_are_independent_and_jeffreys(global_random_seed):
    cells = cells_of(two_values(0.1))
    curves = ValueShares().curves(cells, np.random.default_rng(global_random_seed))
    shares = special.expit(curves)
    for own in shares.T:
        assert stats.kstest(own, stats.beta(0.5, 0.5).cdf).statistic < OFF
    assert abs(np.corrcoef(shares.T)[0, 1]) < OFF


def test_only_two_values_let_it_in_unless_a_weight_is_given():
    two, three = cells_of(two_values(0.5)), cells_of(np.arange(300) % 3 / 2.0)
    assert ValueShares().prior_weight(two) > 0.0
    assert ValueShares().prior_weight(three) == 0.0
    assert ValueShares(weight=0.3).prior_weight(three) == 0.3


@pytest.mark.parametrize("labels", [(5, 0, 5, 4), (40, 0, 3, 3), (20, 13, 50, 6), (900, 0, 0, 0)])
def test_labels_update_both_as_conjugate_priors(labels, global_random_seed):
    # Labels at either value, and the positives among them.
    n_low, k_low, n_high, k_high = labels
    scores, y = two_values(0.5, 2000), np.full(2000, -1)
    y[:n_low] = np.arange(n_low) < k_low
    y[1000 : 1000 + n_high] = np.arange(n_high) < k_high
    rng = np.random.default_rng(global_random_seed)
    ensemble = ensemble_of(cells_of(scores), [ValueShares()])
    components = CurveComponents.drawn((ensemble,), (1.0,), ensemble.names, RandomEffects(), rng)
    updated = update_scores(components, sample_of(scores, y), BetaPrior(), N_DRAWS, rng)
    shares = special.expit(updated.log_odds)
    for own, n, k in zip(shares.T, (n_low, n_high), (k_low, k_high), strict=True):
        # Of nearly a thousand negatives the lower tail lies beyond what curves reach.
        levels = np.array([0.5, 0.75, 0.95] if k == 0 else [0.05, 0.5, 0.95])
        below = (own[:, np.newaxis] < stats.beta(k + 0.5, n - k + 0.5).ppf(levels)).mean(axis=0)
        # Five standard errors of half as many draws as are effective: some are repeated.
        error = 5.0 * np.sqrt(levels * (1.0 - levels) / (updated.ess / 2.0))
        np.testing.assert_array_less(np.abs(below - levels), error + OFF)


def test_categories_leave_it_out(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = rng.integers(2, size=60)
    verdicts, y = np.where(rng.random(60) < 0.8, truth, 1 - truth), truth.copy()
    y[20:] = -1
    performance = PerformanceCurveEstimator(
        SemisupervisedScoreMixture(n_draws=50), classes=[0, 1], random_state=global_random_seed
    )
    found = {}
    for name, structure in {"none": {}, "category": {"category": np.arange(60) % 2}}.items():
        fit = performance.fit(None, y, judges=verdicts, **structure)
        experts = fit.model_.posterior.updated.weights.names
        found[name] = any(expert.startswith(ValueShares.name) for expert in experts)
    assert found == {"none": True, "category": False}
