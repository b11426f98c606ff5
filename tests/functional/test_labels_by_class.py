"""Labels that were drawn by class, or by a feature that goes with it: intervals hold."""

import warnings

import numpy as np
import pytest
from scipy import special
from sklearn.metrics import average_precision_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from tests.functional.problems import least_hits, seeds
from tests.quick import EXPERTS, QUIET

pytestmark = [*QUIET, pytest.mark.slow]
N, PREVALENCE = 2000, 0.05


@pytest.fixture(autouse=True)
def _quietly():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def pool(seed):
    """Return a generator, two normals of scores, and labels."""
    rng = np.random.default_rng([seed, 37])
    labels = (rng.random(N) < PREVALENCE).astype(int)
    return rng, rng.normal(2.0 * labels), labels


def fitted(scores, y, **said):
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=EXPERTS, n_draws=300, random_state=0
    )
    return PerformanceCurveEstimator(mixture, random_state=0).fit(scores, y, **said)


def holds(estimate, truth):
    low, high = estimate.interval(0.9)
    return low <= truth <= high


def test_intervals_of_a_case_control_study_hold(global_random_seed):
    shares, n_repeats, held, without = {0: 0.02, 1: 0.5}, 12, np.zeros(3), 0
    for seed in seeds(global_random_seed, n_repeats):
        rng, scores, labels = pool(seed)
        chance = np.where(labels == 1, shares[1], shares[0])
        y = np.where(rng.random(N) < chance, labels, -1)
        told = fitted(scores, y, inclusion_proba=shares)
        held += [
            holds(told.estimate("average_precision"), average_precision_score(labels, scores)),
            holds(told.estimate("prevalence"), labels.mean()),
            holds(told.estimate("prevalence", target="population"), PREVALENCE),
        ]
        # About half of the labels are positive, and so would be as many items.
        without += seed % 4 == 0 and fitted(scores, y).estimate("prevalence").interval(0.9)[0] > 0.1
    assert (held >= least_hits(n_repeats, 0.9)).all()
    assert without == n_repeats / 4


def test_intervals_hold_where_a_stratum_with_more_positives_is_labeled_more(global_random_seed):
    n_repeats, held, without = 12, np.zeros(2), 0
    for seed in seeds(global_random_seed, n_repeats):
        rng = np.random.default_rng([seed, 41])
        stratum, scores = rng.random(N) < 0.3, rng.normal(size=N)
        labels = (rng.random(N) < special.expit(-2.0 + 1.5 * scores + 2.0 * stratum)).astype(int)
        chances = np.where(stratum, 0.3, 0.03)
        y = np.where(rng.random(N) < chances, labels, -1)
        told = fitted(scores, y, inclusion_proba=chances)
        held += [
            holds(told.estimate("average_precision"), average_precision_score(labels, scores)),
            holds(told.estimate("prevalence"), labels.mean()),
        ]
        without += seed % 4 == 0 and not holds(
            fitted(scores, y).estimate("prevalence"), labels.mean()
        )
    # The weights know nothing of the strata's sizes, and the labels of one are few.
    assert (held >= least_hits(n_repeats, 0.87)).all()
    assert without == n_repeats / 4
