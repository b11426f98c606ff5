"""Coverage of nominal 90% intervals at fixed truths, where the families are right.

A posterior interval covers its level on average over the prior, not at each truth. This script
draws data again and again from one truth (two normal classes), labels ten items at random, and
counts how often the 90% interval of a population quantity holds the true one. The model is the
mixture of the 2013 paper alone (``experts=None``), with the paper's proposal and with the adaptive
one. Run ``python examples/benchmarks/coverage.py``; with 200 draws a share near 0.9 has a
standard error of 0.02. ``--csv FILE`` writes the table.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import special
from threadpoolctl import threadpool_limits

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from sklearn_spe.exceptions import MisfitWarning, SamplingWarning, UnidentifiedWarning

sys.path.append(str(Path(__file__).resolve().parent / "harness"))

from draw_tables import print_table

N_ITEMS, N_LABELS, SEPARATION, THRESHOLD = 1000, 10, 2.5, 1.5
PREVALENCES = (0.02, 0.1, 0.3)


def truth(prevalence):
    """Return the true prevalence, recall and precision at the threshold."""
    recall = special.ndtr(SEPARATION - THRESHOLD)
    above = prevalence * recall + (1.0 - prevalence) * special.ndtr(-THRESHOLD)
    return np.array([prevalence, recall, prevalence * recall / above])


def covered(prevalence, proposal, seed):
    """Return whether the intervals hold the truth, and the effective sample size."""
    scores, labels = make_scores(
        N_ITEMS, prevalence=prevalence, positive_values=(SEPARATION, 1.0), random_state=seed
    )
    y = np.full(N_ITEMS, -1)
    y[:N_LABELS] = labels[:N_LABELS]
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", proposal=proposal, experts=None, random_state=seed
    )
    performance = PerformanceCurveEstimator(mixture, target="population", random_state=seed).fit(
        scores, y
    )
    low, high = np.transpose(
        [
            performance.estimate("prevalence").interval(0.9),
            performance.estimate("recall", threshold=THRESHOLD).interval(0.9),
            performance.estimate("precision", threshold=THRESHOLD).interval(0.9),
        ]
    )
    true = truth(prevalence)
    return (low <= true) & (true <= high), performance.mixture_.ess_


def table(n_repeats):
    """Return a row for each prevalence and proposal."""
    rows = []
    for prevalence in PREVALENCES:
        for proposal in ("diagonal", "adaptive"):
            fits = [covered(prevalence, proposal, seed) for seed in range(n_repeats)]
            shares = np.mean([held for held, _ in fits], axis=0)
            ess = np.array([size for _, size in fits])
            rows.append(
                {
                    "positives": f"{prevalence:.0%}",
                    "proposal": proposal,
                    "prevalence": f"{shares[0]:.2f}",
                    "recall": f"{shares[1]:.2f}",
                    "precision": f"{shares[2]:.2f}",
                    "median effective draws": f"{np.median(ess):.0f}",
                }
            )
    return rows


if __name__ == "__main__":
    for warning in (MisfitWarning, SamplingWarning, UnidentifiedWarning):
        warnings.simplefilter("ignore", warning)
    with threadpool_limits(limits=1):
        print_table(__doc__, table, 200)
