"""The 32 sets of scores of the replication, and what its scripts share."""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.exceptions import (
    FewLabelsWarning,
    InvertedScoresWarning,
    MisfitWarning,
    SamplingWarning,
    UnidentifiedWarning,
)

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "harness"))
import results  # noqa: E402 - a script's own folder is all that Python looks into

write_table, write_picture = results.write_table, results.write_picture

DATA = HERE.parents[1] / "data"
DIGITS = [f"optdigits_{kind}{digit}" for kind in ("logres", "svm") for digit in range(10)]
SATELLITE = [f"sat_{kind}{land}" for kind in ("logres", "svm") for land in (1, 2, 3, 4, 5, 7)]
SETS = DIGITS + SATELLITE

# The paper's recommendation for the class conditionals, section 4.2.
FAMILIES = ("truncnorm", "gamma")
LEVEL = 0.9
N_POINTS = 200
RECALLS = np.arange(1, N_POINTS + 1) / N_POINTS
# What ten or twenty labels may legitimately warn of; it is counted.
EXPECTED = (
    SamplingWarning,
    FewLabelsWarning,
    InvertedScoresWarning,
    MisfitWarning,
    UnidentifiedWarning,
)


def load(name):
    """Return the scores and all labels of one set."""
    data = np.loadtxt(DATA / f"{name}.csv.gz", delimiter=",", skiprows=1)
    return data[:, 0], data[:, 1].astype(int)


def hide(labels, order, n_labels):
    """Return the labels of the first items of an order, -1 elsewhere."""
    known = np.full(len(labels), -1)
    known[order[:n_labels]] = labels[order[:n_labels]]
    return known


def precision_at_recall(labels, scores, recalls=RECALLS):
    """Return the precision at the highest threshold whose recall is at least the one asked for.

    It is not defined (NaN) if no label is positive. The scores must not have ties.
    """
    hits = np.cumsum(labels[np.argsort(-scores)])
    if hits[-1] == 0:
        return np.full(len(recalls), np.nan)
    at = np.searchsorted(hits / hits[-1], recalls - 1e-12)
    return hits[at] / (at + 1)


def published(proposal="diagonal", n_draws=1000, seed=0):
    """Return the method as the paper states it: the pair with the largest likelihood, on (0, 1]."""
    mixture = SemisupervisedScoreMixture(
        FAMILIES,
        FAMILIES,
        combine="likelihood",
        score_scale="unit",
        proposal=proposal,
        experts=None,
        n_draws=n_draws,
        random_state=seed,
    )
    return PerformanceCurveEstimator(
        mixture, confidence_level=LEVEL, n_points=N_POINTS, random_state=seed
    )


def fit_counting_warnings(estimator, scores, known):
    """Fit; return the estimator and how often each expected warning was given."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        for category in EXPECTED:
            warnings.simplefilter("always", category)
        estimator.fit(scores, known)
    return estimator, [sum(w.category is c for w in caught) for c in EXPECTED]


def read_options(description):
    """Return the command line: --quick, --out and --pictures."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--quick", action="store_true", help="a small part, to see that it runs; writes no tables"
    )
    parser.add_argument("--out", type=Path, help="where the tables go (default: beside the script)")
    parser.add_argument("--pictures", type=Path, help="where pictures go (default: none)")
    options = parser.parse_args()
    if options.out is None and not options.quick:
        options.out = HERE
    return options
