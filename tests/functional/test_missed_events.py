"""Intervals of the recall of an alarm system hold it as often as they say."""

import numpy as np
import pytest
from scipy import stats

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.datasets import make_scores

N_SETS = 24


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("distance", [2.5, 3.0])
def test_the_default_holds_the_recall_of_rare_events_if_only_the_tail_is_labelled(distance):
    held = 0
    for seed in range(N_SETS):
        scores, truth = make_scores(
            10_000, prevalence=0.01, positive_values=(distance, 1.0), random_state=seed
        )
        alarm = np.sort(scores)[-200]
        y = np.where(scores >= alarm, truth, -1)
        performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
        low, high = performance.estimate("recall", threshold=alarm).interval(0.9)
        held += low <= (scores >= alarm)[truth == 1].mean() <= high
    # Nine in ten, less what happens by chance once in a thousand.
    assert held >= stats.binom.ppf(1e-3, N_SETS, 0.9)
