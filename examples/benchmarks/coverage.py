"""Coverage of nominal 90% intervals at fixed truths, where the families are right.

A posterior interval covers its level on average over the prior, not at each truth. This script
draws data again and again from one truth (two normal classes), labels ten items at random, and
counts how often the 90% interval of a population quantity holds the true one. The model is the
mixture of the 2013 paper alone (``experts=None``), with the paper's proposal and with the adaptive
one. Run ``python examples/benchmarks/coverage.py``.
"""

import argparse
import warnings

import numpy as np
from scipy import special
from threadpoolctl import threadpool_limits

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from sklearn_spe.exceptions import MisfitWarning, SamplingWarning, UnidentifiedWarning

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


def main(n_repeats):
    """Print one row for each prevalence and proposal."""
    for warning in (MisfitWarning, SamplingWarning, UnidentifiedWarning):
        warnings.simplefilter("ignore", warning)
    print(f"{N_ITEMS} items, {N_LABELS} labels, {n_repeats} repeats; a share of these has a")
    print(f"standard error of at most {0.5 / np.sqrt(n_repeats):.3f}")
    print("positives  proposal   prevalence  recall  precision  median ess  ess under 100")
    for prevalence in PREVALENCES:
        for proposal in ("diagonal", "adaptive"):
            fits = [covered(prevalence, proposal, seed) for seed in range(n_repeats)]
            share = np.mean([held for held, _ in fits], axis=0)
            ess = np.array([size for _, size in fits])
            print(
                f"{prevalence:9.0%}  {proposal:10}{share[0]:11.2f}{share[1]:8.2f}{share[2]:11.2f}"
                f"{np.median(ess):12.0f}{np.mean(ess < 100):15.2f}"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=200)
    with threadpool_limits(limits=1):
        main(parser.parse_args().repeats)
