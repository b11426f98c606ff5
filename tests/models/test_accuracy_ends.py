"""A stated share of errors limits the accuracy of several classes, where no label does."""

import warnings

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.families import BetaPrior

from ..quick import EXPERTS


@pytest.mark.parametrize("are_right", [True, False])
def test_accuracy_reaches_what_a_stated_share_of_errors_allows(are_right, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    proba = rng.dirichlet(np.ones(3), 300)
    y = np.full(300, -1)
    predicted = proba.argmax(axis=1)
    y[:30] = predicted[:30] if are_right else (predicted[:30] + 1) % 3
    prior = BetaPrior.from_interval(0.2, 0.4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimates = [
            PerformanceCurveEstimator(
                SemisupervisedScoreMixture(
                    experts=EXPERTS, n_draws=128, prevalence_prior=stated, classes=[0, 1, 2]
                ),
                random_state=0,
            )
            .fit(proba, y)
            .estimate("accuracy")
            for stated in ("auto", prior)
        ]
    free, stated = estimates
    assert free.edge == float(are_right)
    assert free.interval()[int(are_right)] == float(are_right)
    assert stated.edge is None
    low, high = stated.interval()
    limit = 1.0 - prior.ppf(0.05 if are_right else 0.95)
    quantiles = stated.distribution.quantile([0.05, 0.975])[:, 0]
    if are_right:
        assert high == pytest.approx(max(limit, quantiles[1]), abs=1e-9)
    else:
        assert low == pytest.approx(min(limit, quantiles[0]), abs=1e-9)
