"""Which labelled rows a classifier is fitted to, and which rows it then scores."""

from __future__ import annotations

import inspect

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from ..inputs._labels import UNLABELED
from ..inputs._numbers import check_count
from ..inputs._rows import PartlyLabeled, rows_of

__all__ = ["folds_of", "held_out"]

MOST_FOLDS = 5


def folds_of(data: PartlyLabeled, cv=None, params=None) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the rows to train on and the rows to score, fold by fold.

    Rows that are not labelled are scored in every fold, and a class with a single label is
    always trained on.
    """
    if isinstance(cv, str) or inspect.isclass(cv):
        raise TypeError(
            f"cv must be an int, a splitter such as StratifiedKFold(3), or an iterable of (train, "
            f"test); got {cv!r}. A classifier that is already fitted goes into FrozenEstimator."
        )
    if cv is not None and not hasattr(cv, "split") and np.iterable(cv):
        splits = [[_labeled_rows(data, part) for part in split] for split in cv]
    else:
        splits = _split(data, cv, params or {})
    if not splits:
        raise ValueError(f"cv={cv!r} holds no fold.")
    for train, test in splits:
        _check_classes(data, train)
        if len(np.intersect1d(train, test)):
            raise ValueError(
                "A fold holds rows both to train on and to judge; a classifier looks better than "
                "it is on the rows that it was fitted to."
            )
    unlabeled = np.flatnonzero(data.codes == UNLABELED)
    return [(train, np.sort(np.r_[test, unlabeled])) for train, test in splits]


def held_out(data: PartlyLabeled, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to train on and the rows to score, of one split."""
    single, several = _by_labels(data.codes)
    split = StratifiedShuffleSplit(1, test_size=fraction, random_state=seed % 2**32)
    try:
        train, test = next(split.split(several, data.codes[several]))
    except ValueError as error:
        raise ValueError(
            f"{len(several)} labelled rows of classes with two labels or more cannot be split "
            f"into rows to fit the classifier and rows to find its threshold "
            f"(validation_fraction={fraction}): {error} Label more items, or freeze a fitted "
            f"classifier."
        ) from error
    unlabeled = np.flatnonzero(data.codes == UNLABELED)
    return np.sort(np.r_[several[train], single]), np.sort(np.r_[several[test], unlabeled])


def _split(data, cv, params):
    single, several = _by_labels(data.codes)
    splitter = _splitter(cv, data.codes[several])
    cut = {name: rows_of(value, several) for name, value in params.items() if value is not None}
    try:
        return [
            (np.sort(np.r_[several[train], single]), several[test])
            for train, test in splitter.split(rows_of(data.X, several), data.codes[several], **cut)
        ]
    except IndexError as error:
        raise ValueError(
            f"cv={cv!r} names rows that there are not: a splitter sees the {len(several)} labelled "
            f"rows alone. An iterable of (train, test) holds indices of all rows."
        ) from error


def _by_labels(codes) -> tuple[np.ndarray, np.ndarray]:
    """Return the labelled rows that are the only ones of their class, and the others."""
    labeled = np.flatnonzero(codes != UNLABELED)
    alone = np.bincount(codes[labeled])[codes[labeled]] == 1
    return labeled[alone], labeled[~alone]


def _labeled_rows(data, part) -> np.ndarray:
    rows = np.asarray(part)
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    return rows[data.codes[rows] != UNLABELED]


def _check_classes(data, train) -> None:
    missing = np.setdiff1d(np.arange(len(data.classes)), data.codes[train])
    if not len(missing):
        return
    names = data.classes[missing].tolist()
    if len(np.intersect1d(missing, data.codes)):
        raise ValueError(
            f"A fold has no label of the classes {names} to train on; use cv=None, or folds that "
            f"hold every class."
        )
    raise ValueError(
        f"No item of the classes {names} is labelled, and a classifier cannot be fitted without; "
        f"label some, or leave them out of classes=."
    )


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
