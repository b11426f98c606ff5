"""The estimates that the replication compares, and what its scripts share."""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import special

from sklearn_spe import AccuracyExtrapolator
from sklearn_spe.exceptions import FarExtrapolationWarning, MisfitWarning, UnidentifiedWarning
from sklearn_spe.extrapolation import (
    BivariateNormalClasses,
    GaussianClasses,
    Moment,
    make_recognition_scores,
)

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "harness"))
import results  # noqa: E402 - a script's own folder is all that Python looks into

write_table, write_picture = results.write_table, results.write_picture

# Section 4.1 and figures 6 to 8.
CORRELATION = 0.7
CORRELATIONS = (0.3, 0.5, 0.7, 0.9)
# Section 5.1. The second is the first with one constraint more, the third is the package's own.
PAPER = Moment(n_basis=10_000, knots="uniform", constrained=False)
CONSTRAINED = Moment(n_basis=10_000, knots="uniform")
METHODS = {"paper": PAPER, "constrained": CONSTRAINED, "default": "auto"}
# What stands in for the faces if no data are given: as many classes and items as Omniglot.
STAND_IN = GaussianClasses(noise=0.55)
N_CLASSES, N_TEST = 136, 8


def toy(correlation=CORRELATION):
    """Return the paper's toy example."""
    return BivariateNormalClasses(correlation=correlation)


def label_set_accuracies(correlation, n_classes, n_sets, rng):
    """Return the accuracy of the Bayes rule on random label sets, each exactly.

    The paper's Risk(y_1, ..., y_k), which is the probability to be right. Regions are intervals
    between the midpoints of neighbouring centers. A midpoint at distance d from both centers adds
    2 Phi(d / s) - 1 to the sum of the k probabilities, which is 1 without any; s is the standard
    deviation within a class.
    """
    centers = np.sort(correlation * rng.standard_normal((n_sets, n_classes)), axis=1)
    halves = np.diff(centers, axis=1) / 2.0
    within = np.sqrt(1.0 - correlation**2)
    inner = special.erf(halves / (within * np.sqrt(2.0))).sum(axis=1)
    return (1.0 + inner) / n_classes


def fitted(method, scores, labels, columns=None, seed=0):
    """Return an extrapolator that was fitted to the scores, without resamples."""
    extrapolator = AccuracyExtrapolator(
        method, classes=columns, average="micro", n_bootstrap=0, random_state=seed
    )
    return silently(extrapolator.fit, scores, labels)


def predictions(scores, labels, counts, seed=0):
    """Return the predictions of the three methods for numbers of classes.

    The first two as the paper has them, by eq. 14 alone: neither joined to the curve that is known
    up to the pilot's classes, nor cut off at zero. The default as it is.
    """
    counts = np.atleast_1d(counts)
    columns = np.arange(scores.shape[1])
    found = {}
    for name, method in METHODS.items():
        extrapolator = fitted(method, scores, labels, columns, seed)
        if name == "default":
            found[name] = silently(extrapolator.predict, counts)
        else:
            found[name] = extrapolator.model_.distribution.accuracy(counts)
    return found


def subsample(scores, labels, n_classes, rng):
    """Return the scores and labels of some random classes, which are numbered anew."""
    kept = np.sort(rng.permutation(scores.shape[1])[:n_classes])
    rows = np.isin(labels, kept)
    return scores[np.ix_(rows, kept)], np.searchsorted(kept, labels[rows])


def rmse(estimates, truth):
    """Return the root of the mean squared error over the first axis."""
    return np.sqrt(np.mean((np.asarray(estimates) - truth) ** 2, axis=0))


def recognition_set(options):
    """Return a name, scores and labels: Omniglot from the folder of data, else a stand-in."""
    if options.data is not None:
        return "omniglot", *load(options.data, "omniglot_multiclass_lda")
    scores, labels = make_recognition_scores(
        N_CLASSES, task=STAND_IN, n_test=N_TEST, random_state=2017
    )
    return "gaussian", scores, labels


def load(folder, name):
    """Return the scores and labels of a file of scores."""
    with np.load(folder / f"{name}.npz", allow_pickle=False) as data:
        return data["scores"].astype(float), data["labels"].astype(int)


def silently(call, *arguments, **options):
    """Call, without the warnings that a small pilot may give."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in (FarExtrapolationWarning, MisfitWarning, UnidentifiedWarning):
            warnings.simplefilter("ignore", category)
        return call(*arguments, **options)


def read_options(description, repeats=None, data=False):
    """Return the command line: --quick, --repeats, --data, --out and --pictures."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="a small part, to see that it runs; writes no tables"
    )
    if repeats is not None:
        parser.add_argument(
            "--repeats", type=int, default=repeats, help="of each case (default: %(default)s)"
        )
    if data:
        parser.add_argument(
            "--data", type=Path, help="folder of the .npz files of scores (default: none)"
        )
    parser.add_argument("--out", type=Path, help="where the tables go (default: beside the script)")
    parser.add_argument("--pictures", type=Path, help="where pictures go (default: none)")
    options = parser.parse_args()
    if options.quick and repeats is not None:
        options.repeats = min(options.repeats, 3)
    if options.out is None and not options.quick:
        options.out = HERE
    return options
