"""Accuracies of a classifier that is trained again on fewer classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.utils.parallel import Parallel, delayed

from .._frozen import FrozenArrays
from .._random import spawn
from .._rows import rows_of
from ._seeds import Place

__all__ = ["RetrainedCurve", "retrain", "subset_sizes"]

# The smallest subsets hold this share of the classes.
SMALLEST_SHARE = 1.0 / 16.0


@dataclass(frozen=True, eq=False)
class RetrainedCurve(FrozenArrays):
    """Accuracies after training again on random subsets of the classes.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of classes, rising.
    accuracies : ndarray of shape (n_sizes, n_subsets)
        On the test items of the classes of each subset.
    n_items : ndarray of shape (n_sizes,)
        How many test items all subsets of a size have together.
    """

    sizes: np.ndarray
    accuracies: np.ndarray
    n_items: np.ndarray

    def mean(self) -> np.ndarray:
        """Return the mean accuracy of each size."""
        return self.accuracies.mean(axis=1)

    def variances(self) -> np.ndarray:
        """Return the variances of the means: that over subsets, at least that of counting."""
        mean, n_subsets = self.mean(), self.accuracies.shape[1]
        over_subsets = self.accuracies.var(axis=1, ddof=1) / n_subsets if n_subsets > 1 else 0.0
        # Half an error more, so that no size counts without end.
        by_counting = (mean + 0.5 / self.n_items) * (1.0 - mean + 0.5 / self.n_items) / self.n_items
        return np.maximum(over_subsets, by_counting)

    def falling(self, accuracies) -> np.ndarray:
        """Return accuracies with 1, 2, ... all classes: falling, between those of the sizes."""
        fit = IsotonicRegression(increasing=False, y_min=0.0, y_max=1.0)
        weights = 1.0 / self.variances()
        smooth = fit.fit_transform(self.sizes, accuracies, sample_weight=weights)
        sizes, smooth = np.append(1, self.sizes), np.append(1.0, smooth)
        return np.interp(np.log(np.arange(1, self.sizes[-1] + 1)), np.log(sizes), smooth)

    def resampled(self, rng) -> np.ndarray:
        """Return the mean accuracies of subsets drawn with replacement."""
        n_subsets = self.accuracies.shape[1]
        draws = rng.integers(n_subsets, size=self.accuracies.shape)
        return np.take_along_axis(self.accuracies, draws, axis=1).mean(axis=1)


def subset_sizes(n_classes: int, n_sizes: int) -> np.ndarray:
    """Return sizes of subsets, from a few classes to all, about geometrically spaced."""
    smallest = max(2.0, n_classes * SMALLEST_SHARE)
    return np.unique(np.rint(np.geomspace(smallest, n_classes, n_sizes)).astype(int))


def retrain(estimator, X, codes, splits, sizes, n_subsets: int, entropy: int, n_jobs=None):
    """Train a classifier on subsets of the classes, and test it on theirs.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n_samples, n_features)
    codes : ndarray of shape (n_samples,), dtype=int
        The class of each item, from 0.
    splits : list of (train, test)
        Indices of items; the subsets take turns.
    sizes : ndarray of shape (n_sizes,), dtype=int
    n_subsets : int
        Of each size.
    entropy : int
        From which the subsets come.
    n_jobs : int, default=None

    Returns
    -------
    curve : RetrainedCurve
    """
    tested = Parallel(n_jobs=n_jobs)(
        delayed(_accuracy)(estimator, X, codes, splits[j % len(splits)], size, (entropy, i, j))
        for i, size in enumerate(sizes)
        for j in range(n_subsets)
    )
    shape = len(sizes), n_subsets
    accuracies, n_items = (np.reshape(part, shape) for part in zip(*tested, strict=True))
    return RetrainedCurve(sizes, accuracies, n_items.sum(axis=1))


def _accuracy(estimator, X, codes, split, size, path) -> tuple[float, int]:
    n_classes = codes.max() + 1
    rng = spawn(path[0], Place.SUBSETS, *path[1:])
    chosen = np.zeros(n_classes, dtype=bool)
    chosen[rng.permutation(n_classes)[:size]] = True
    train, test = (rows[chosen[codes[rows]]] for rows in split)
    if not len(test):
        raise ValueError(
            f"No item of {size} classes is left to test on: pass fewer folds (cv=), or more items "
            f"of each class."
        )
    fitted = clone(estimator).fit(rows_of(X, train), codes[train])
    return float(np.mean(fitted.predict(rows_of(X, test)) == codes[test])), len(test)
