"""Retraining a classifier on fewer classes: held-out scores and accuracies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.utils.parallel import Parallel, delayed

from .._arrays import FrozenArrays
from ..inputs._numbers import check_choice
from ..inputs._random_state import spawn
from ..inputs._rows import rows_of
from ._seeds import Place
from ._uncertainty import logits

__all__ = [
    "SCORE_METHODS",
    "RetrainedCurve",
    "fit_drift",
    "held_out_scores",
    "retrain",
    "score_method",
    "subset_sizes",
]

# The exponent of the weight of a subset in its share of the classes, and the standard deviation of
# the prior: chosen on seven kinds of classifiers, trained on ten times as many classes.
SHARE_POWER = 2.0
DRIFT_STD = 0.2
# The size of the smallest subsets, as a share of the classes.
SMALLEST_SHARE = 1.0 / 8.0
# Unnormalized scores first: those of a class depend on that class alone. Votes, which tie, last.
SCORE_METHODS = (
    "decision_function",
    "predict_joint_log_proba",
    "predict_log_proba",
    "predict_proba",
)


@dataclass(frozen=True, eq=False)
class RetrainedCurve(FrozenArrays):
    """Accuracies after retraining on random subsets of the classes."""

    sizes: np.ndarray  # (n_sizes,); numbers of classes, increasing
    accuracies: np.ndarray  # (n_sizes, n_repeats); on the test items of all subsets of a repeat
    n_items: np.ndarray  # (n_sizes,); total number of test items over repeats

    def mean(self) -> np.ndarray:
        """Return the mean accuracy of each size."""
        return self.accuracies.mean(axis=1)

    def variances(self) -> np.ndarray:
        """Return the variances of the means: between repeats, at least the binomial one."""
        mean, n_repeats = self.mean(), self.accuracies.shape[1]
        over_repeats = self.accuracies.var(axis=1, ddof=1) / n_repeats if n_repeats > 1 else 0.0
        # Half an error more, so that no size has infinite weight.
        by_counting = (mean + 0.5 / self.n_items) * (1.0 - mean + 0.5 / self.n_items) / self.n_items
        return np.maximum(over_repeats, by_counting)

    def decreasing(self, accuracies) -> np.ndarray:
        """Return accuracies with 1, 2, ... all classes: decreasing interpolation between sizes."""
        fit = IsotonicRegression(increasing=False, y_min=0.0, y_max=1.0)
        weights = 1.0 / self.variances()
        smooth = fit.fit_transform(self.sizes, accuracies, sample_weight=weights)
        sizes, smooth = np.append(1, self.sizes), np.append(1.0, smooth)
        return np.interp(np.log(np.arange(1, self.sizes[-1] + 1)), np.log(sizes), smooth)

    def resampled(self, rng) -> np.ndarray:
        """Return mean accuracies perturbed by their sampling errors."""
        noise = np.sqrt(self.variances()) * rng.standard_normal(len(self.sizes))
        return np.clip(self.mean() + noise, 0.0, 1.0)


def fit_drift(curve: RetrainedCurve, expected) -> tuple[float, float]:
    """Return the slope of the gap to the scores by log(n_classes), and its standard error.

    The gap, on the logit scale, is a line through 0 at all classes against the logarithm of the
    number of classes. Large subsets have more weight, as they are closer to the extrapolation; a
    normal prior shrinks the slope to 0.
    """
    mean, n_items = curve.mean(), curve.n_items
    gap = logits(mean, n_items) - logits(expected, n_items)
    clear = np.maximum(mean * (1.0 - mean), 0.5 / n_items)
    variances = curve.variances() / clear**2
    shares = curve.sizes / curve.sizes[-1]
    place = np.log(shares)
    weights = shares**SHARE_POWER / variances
    precision = weights @ place**2 + 1.0 / DRIFT_STD**2
    slope = weights @ (place * gap) / precision
    error = np.sqrt(weights**2 @ (place**2 * variances) + 1.0 / DRIFT_STD**2) / precision
    return float(slope), float(error)


def subset_sizes(n_classes: int, n_sizes: int) -> np.ndarray:
    """Return sizes of subsets, from a few classes to all, geometrically spaced."""
    smallest = max(2.0, n_classes * SMALLEST_SHARE)
    return np.unique(np.rint(np.geomspace(smallest, n_classes, n_sizes)).astype(int))


def retrain(estimator, X, y, splits, sizes, n_repeats: int, entropy: int, n_jobs=None):
    """Train a classifier on subsets of the classes, and test it on theirs.

    In each repeat all classes are split at random into subsets of one size, so that all sizes have
    the same number of test items.
    """
    tested = Parallel(n_jobs=n_jobs)(
        delayed(_accuracy)(estimator, X, y, splits[j % len(splits)], size, (entropy, i, j))
        for i, size in enumerate(sizes)
        for j in range(n_repeats)
    )
    shape = len(sizes), n_repeats
    accuracies, n_items = (np.reshape(part, shape) for part in zip(*tested, strict=True))
    return RetrainedCurve(sizes, accuracies, n_items.sum(axis=1))


def _accuracy(estimator, X, y, split, size, path) -> tuple[float, int]:
    """Return the accuracy over the subsets of one repeat, and the number of test items."""
    classes, codes = np.unique(y, return_inverse=True)
    order = spawn(path[0], Place.SUBSETS, *path[1:]).permutation(len(classes))
    n_right = n_tested = 0
    for first in range(0, len(classes) - size + 1, size):
        chosen = np.zeros(len(classes), dtype=bool)
        chosen[order[first : first + size]] = True
        train, test = (rows[chosen[codes[rows]]] for rows in split)
        if len(test):
            n_right += int(
                np.count_nonzero(_predicted(estimator, X, y, train, test, size) == y[test])
            )
            n_tested += len(test)
    if not n_tested:
        raise ValueError(
            "One of the splits (cv=) has no test items: each class needs items on "
            "both sides. Pass a stratified cv, such as the default, or leave out rare classes."
        )
    return n_right / n_tested, n_tested


def _predicted(estimator, X, y, train, test, size) -> np.ndarray:
    try:
        fitted = clone(estimator).fit(rows_of(X, train), y[train])
    except ValueError as error:
        raise ValueError(
            f"{estimator!r} could not be trained on {size} of the classes. If its parameters name "
            f"classes, or need all of them, pass retrain=False; else see the error above."
        ) from error
    return np.asarray(fitted.predict(rows_of(X, test)))


def score_method(estimator, response_method: str) -> str:
    """Return the method of an estimator that scores classes."""
    check_choice(response_method, "response_method", ("auto", *SCORE_METHODS))
    wanted = SCORE_METHODS if response_method == "auto" else (response_method,)
    for method in wanted:
        if hasattr(estimator, method):
            return method
    raise TypeError(
        f"{estimator!r} has no {', no '.join(wanted)}, which are needed for scores of classes. "
        "Pass a classifier that has one."
    )


def held_out_scores(estimator, X, y, classes, splits, method: str, n_jobs=None):
    """Score each item by a classifier trained on others."""
    scores = Parallel(n_jobs=n_jobs)(
        delayed(_scores_of)(estimator, X, y, classes, train, test, method) for train, test in splits
    )
    return np.concatenate(scores), np.concatenate([test for _, test in splits])


def _scores_of(estimator, X, y, classes, train, test, method) -> np.ndarray:
    fitted = clone(estimator).fit(rows_of(X, train), y[train])
    # Trees and votes may give probability 0, whose logarithm -inf ranks last.
    with np.errstate(divide="ignore"):
        found = np.asarray(getattr(fitted, method)(rows_of(X, test)), dtype=float)
    in_pairs = any(
        name.endswith("decision_function_shape") and value == "ovo"
        for name, value in fitted.get_params().items()
    )
    if found.ndim != 2 or found.shape[1] != len(fitted.classes_) or in_pairs:
        raise ValueError(
            f"{method} of {estimator!r} must return a column for each of the "
            f"{len(fitted.classes_)} classes, got shape {found.shape}. Classifiers that compare "
            "classes in pairs need decision_function_shape='ovr'."
        )
    table = np.full((len(test), len(classes)), -np.inf)
    table[:, np.searchsorted(classes, fitted.classes_)] = found
    return table
