"""
Families compared, and how they can mislead
===========================================

The densities of the two classes come from families. Which pair describes the scores best can be
asked of the data; whether any of them splits the scores correctly is another question. Here are one
set of scores where the choice does no harm, and one where every choice is wrong.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import average_precision_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.display import ScoreMixtureDisplay

# From the root of a clone, or from examples/.
folder = Path("examples/data") if Path("examples/data").is_dir() else Path("data")
FAMILIES = ("truncnorm", "gamma", "gumbel_l")


def twenty_labels(name, seed=0):
    """Return the scores of a set, twenty of its labels at random, and all of them."""
    data = np.loadtxt(folder / f"{name}.csv.gz", delimiter=",", skiprows=1)
    scores, truth = data[:, 0], data[:, 1].astype(int)
    known = np.random.default_rng(seed).choice(len(scores), 20, replace=False)
    labels = np.full(len(scores), -1)
    labels[known] = truth[known]
    return scores, labels, truth


def estimates(scores, labels, pairs):
    """Return a fitted estimator for each pair of families."""
    return {
        pair: PerformanceCurveEstimator(
            SemisupervisedScoreMixture(*pair, n_draws=500, random_state=0), random_state=0
        ).fit(scores, labels)
        for pair in pairs
    }


def print_pairs(fitted, comparison, true_value):
    """Print what each pair says, beside the evidence for it."""
    evidence = dict(
        zip(
            zip(comparison.negative, comparison.positive, strict=True),
            comparison.log_evidence - comparison.log_evidence.max(),
            strict=True,
        )
    )
    print("negative   positive   log evidence   average precision, 90%")
    for pair in sorted(fitted, key=evidence.get, reverse=True):
        ap = fitted[pair].estimate("average_precision")
        low, high = ap.interval(0.9)
        print(
            f"{pair[0]:10} {pair[1]:10} {evidence[pair]:12.1f}   "
            f"{ap.value:.3f} [{low:.3f}, {high:.3f}]"
        )
    print(f"truth{'':32} {true_value:.3f}")
