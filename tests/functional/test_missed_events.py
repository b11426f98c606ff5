"""Intervals of the recall of an alarm system hold it as often as they say."""

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from tests.functional.problems import least_hits, seeds
from tests.quick import QUIET

pytestmark = QUIET

N_SETS = 8


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore::sklearn_spe.exceptions.SamplingWarning",
    "ignore::sklearn_spe.exceptions.UnidentifiedWarning",
    "ignore::sklearn_spe.exceptions.MisfitWarning",
)
def test_the_default_holds_the_recall_of_rare_events_if_only_the_tail_is_labeled(
    global_random_seed,
):
    held = 0
    for seed in seeds(global_random_seed, N_SETS):
        scores, truth = make_scores(
            5000, prevalence=0.01, positive_values=(2.5 + seed % 2 / 2.0, 1.0), random_state=seed
        )
        alarm = np.sort(scores)[-100]
        y = np.where(scores >= alarm, truth, -1)
        mixture = SemisupervisedScoreMixture(n_draws=200, random_state=seed)
        performance = PerformanceCurveEstimator(mixture, random_state=seed).fit(scores, y)
        low, high = performance.estimate("recall", threshold=alarm).interval(0.9)
        held += low <= (scores >= alarm)[truth == 1].mean() <= high
    # Nine in ten, less what happens by chance once in a million.
    assert held >= least_hits(N_SETS, 0.9)
