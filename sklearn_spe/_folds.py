"""Folds of the labelled rows: which to train on, and which rows the model then scores."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedKFold

from ._labels import UNLABELED
from ._numbers import check_count

__all__ = ["folds_of", "single_labels"]

MOST_FOLDS = 5


def folds_of(codes, cv=None) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the rows to train on and the rows to score, fold by fold.

    Rows that are not labelled are scored in every fold, and a class with a single label is
    always trained on.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        The class of each row, -1 where it is not labelled.
    cv : int, splitter or iterable of (train, test), default=None
        As `SemisupervisedCalibratedClassifier` takes it.

    Raises
    ------
    ValueError
        If there are fewer labels of a class than folds, or one label of each class only.
    """
    labeled, unlabeled = np.flatnonzero(codes != UNLABELED), np.flatnonzero(codes == UNLABELED)
    if cv is not None and not hasattr(cv, "split") and np.iterable(cv):
        splits = [[np.intersect1d(part, labeled) for part in split] for split in cv]
    else:
        single = single_labels(codes)
        several = np.setdiff1d(labeled, single)
        splits = [
            (np.sort(np.r_[several[train], single]), several[held_out])
            for train, held_out in _splitter(cv, codes[several]).split(several, codes[several])
        ]
    return [(train, np.sort(np.r_[held_out, unlabeled])) for train, held_out in splits]


def single_labels(codes) -> np.ndarray:
    """Return the rows that are the only labelled ones of their class."""
    labeled = np.flatnonzero(codes != UNLABELED)
    counts = np.bincount(codes[labeled])
    return labeled[counts[codes[labeled]] == 1]


def _splitter(cv, codes):
    if hasattr(cv, "split"):
        return cv
    if not len(codes):
        raise ValueError(
            "Every class has a single label, and none is left to judge a classifier that was "
            "fitted to the others. Label more items, or freeze a fitted classifier."
        )
    counts = np.unique(codes, return_counts=True)[1]
    if cv is None:
        return StratifiedKFold(min(MOST_FOLDS, int(counts.min())))
    n_folds = check_count(cv, "cv", 2)
    if n_folds > counts.min():
        raise ValueError(
            f"cv={n_folds} folds need as many labels of each class, got {counts.min()} of the "
            f"rarest with two or more; cv=None takes as many folds as there can be."
        )
    return StratifiedKFold(n_folds)
