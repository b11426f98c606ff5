"""The published methods report the quantiles of their draws, whatever labels leave open."""

import warnings

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.estimators._performance import performance_of

N_ITEMS = 300
QUESTIONS = (
    ("average_precision", {}),
    ("prevalence", {}),
    ("recall", {"threshold": 1.0}),
    ("precision", {"threshold": 1.0}),
)
LABELINGS = ("random", "no positive", "top")


def labeled(kind, rng):
    truth = (rng.random(N_ITEMS) < 0.3).astype(int)
    scores = rng.normal(2.0 * truth)
    chosen = {
        "random": np.arange(12),
        "no positive": np.flatnonzero(truth == 0)[:12],
        "top": np.argsort(-scores)[:12],
    }[kind]
    y = np.full(N_ITEMS, -1)
    y[chosen] = truth[chosen]
    return scores, y


def weighted_quantiles(draws, weights, levels):
    """Return quantiles that are linear between draws, each at the middle of its weight."""
    draws, weights = draws[weights > 0.0], weights[weights > 0.0]
    order = np.argsort(draws)
    draws, weights = draws[order], weights[order]
    ranks = np.cumsum(weights) - weights / 2.0
    return np.interp(levels, ranks / weights.sum(), draws)


METHODS = (
    {"experts": None},
    {"experts": None, "proposal": "diagonal"},
    {"method": "em"},
)


@pytest.mark.parametrize("method", METHODS, ids=["adaptive", "diagonal", "em"])
@pytest.mark.parametrize("kind", LABELINGS)
def test_intervals_are_the_quantiles_of_the_draws(method, kind, global_random_seed):
    scores, y = labeled(kind, np.random.default_rng(global_random_seed))
    mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=200, classes=[0, 1], **method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        performance = PerformanceCurveEstimator(mixture, random_state=0).fit(scores, y)
    assert not performance.posterior_.reaches_open_edges
    for name, where in QUESTIONS:
        for target in ("sample", "population"):
            estimate = performance.estimate(name, target=target, **where)
            assert estimate.edge is None
            defined = ~np.isnan(estimate.draws)
            for level in (0.5, 0.9):
                expected = weighted_quantiles(
                    estimate.draws[defined],
                    estimate.distribution.weights[defined],
                    [(1.0 - level) / 2.0, (1.0 + level) / 2.0],
                )
                np.testing.assert_allclose(estimate.interval(level), expected, atol=1e-12)
    prevalence = performance.mixture_.prevalence_
    assert prevalence.edge is None
    other = performance_of(performance.mixture_, pos_label=0)
    assert other.estimate("prevalence").edge is None
