"""Splits into rows to train a classifier on and rows to score."""

from __future__ import annotations

import inspect

import numpy as np
from sklearn.model_selection import (
    GroupShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from ..inputs._labels import UNLABELED
from ..inputs._numbers import check_count
from ..inputs._rows import PartlyLabeled, rows_of

__all__ = ["folds_of", "held_out"]

MAX_FOLDS = 5
# Number of random group splits tried for one with every class on both sides.
MAX_TRIES = 50


def folds_of(data: PartlyLabeled, cv=None, params=None) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the rows to train on and the rows to score, for each fold.

    Unlabeled rows are scored in every fold, and a class with a single label is always in the
    training set. Groups are not split: no row is scored by a classifier that was trained on its
    group.
    """
    if isinstance(cv, str) or inspect.isclass(cv):
        raise TypeError(
            "cv must be an int, a splitter such as StratifiedKFold(3), or an iterable of "
            f"(train, test); got {cv!r}. Wrap a fitted classifier in FrozenEstimator."
        )
    if cv is not None and not hasattr(cv, "split") and np.iterable(cv):
        splits = [[_labeled_rows(data, part) for part in split] for split in cv]
    else:
        splits = _split(data, cv, params or {})
    if not splits:
        raise ValueError(f"cv={cv!r} has no fold.")
    for train, test in splits:
        _check_classes(data, train)
        if len(np.intersect1d(train, test)):
            raise ValueError(
                "A fold uses rows both to train on and to evaluate; a classifier overfits the "
                "rows that it was fitted to."
            )
        if np.isin(data.parts[test], data.parts[train]).any():
            raise ValueError(
                f"cv={cv!r} has rows of one group both to train on and to evaluate; use cv=None, "
                "a number of folds, or GroupKFold."
            )
    folds = [(train, _scored(data, train, test)) for train, test in splits]
    if not all(len(scored) for _, scored in folds):
        raise ValueError(f"A fold of cv={cv!r} leaves no row to score outside its training set.")
    return folds


def held_out(data: PartlyLabeled, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to train on and the rows to score, for one split."""
    single, several = _by_labels(data)
    try:
        train, test = _shuffled(data, several, fraction, seed % 2**32)
    except ValueError as error:
        raise ValueError(
            f"{len(several)} labeled rows of classes with two labels or more cannot be split "
            f"into rows to fit the classifier and rows to find its threshold "
            f"(validation_fraction={fraction}): {error} Label more items, or freeze a fitted "
            f"classifier."
        ) from error
    train = np.sort(np.r_[several[train], single])
    return train, _scored(data, train, several[test])


def _shuffled(data, rows, fraction, seed) -> tuple[np.ndarray, np.ndarray]:
    """Return a random split of the labeled rows, with every class on both sides."""
    codes = data.codes[rows]
    if data.groups is None:
        split = StratifiedShuffleSplit(1, test_size=fraction, random_state=seed)
        return next(split.split(rows, codes))
    split = GroupShuffleSplit(MAX_TRIES, test_size=fraction, random_state=seed)
    for train, test in split.split(rows, codes, data.groups[rows]) if len(rows) else ():
        if all(np.isin(codes, codes[side]).all() for side in (train, test)):
            return train, test
    raise ValueError("No split of whole groups was found with every class on both sides.")


def _scored(data, train, test) -> np.ndarray:
    """Return the rows to score: held-out rows, and unlabeled rows outside the training groups."""
    free = (data.codes == UNLABELED) & ~np.isin(data.parts, data.parts[train])
    return np.sort(np.r_[test, np.flatnonzero(free)])


def _split(data, cv, params):
    single, several = _by_labels(data)
    splitter = _splitter(cv, data, several)
    if data.groups is not None:
        params = {**params, "groups": data.groups}
    cut = {name: rows_of(value, several) for name, value in params.items() if value is not None}
    try:
        return [
            (np.sort(np.r_[several[train], single]), several[test])
            for train, test in splitter.split(rows_of(data.X, several), data.codes[several], **cut)
        ]
    except IndexError as error:
        raise ValueError(
            f"cv={cv!r} has row indices out of range: a splitter gets the {len(several)} labeled "
            "rows only. An iterable of (train, test) must hold indices of all rows."
        ) from error


def _by_labels(data) -> tuple[np.ndarray, np.ndarray]:
    """Return the labeled rows that alone have their class, and the others."""
    labeled = np.flatnonzero(data.codes != UNLABELED)
    parts, codes = data.parts[labeled], data.codes[labeled]
    pairs = np.unique(np.stack([codes, parts]), axis=1)
    alone = pairs[1, np.bincount(pairs[0])[pairs[0]] == 1]
    is_alone = np.isin(parts, alone)
    return labeled[is_alone], labeled[~is_alone]


def _labeled_rows(data, part) -> np.ndarray:
    rows = np.asarray(part)
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    if not rows.size:
        rows = rows.astype(int)
    return rows[data.codes[rows] != UNLABELED]


def _check_classes(data, train) -> None:
    missing = np.setdiff1d(np.arange(len(data.classes)), data.codes[train])
    if not len(missing):
        return
    names = data.classes[missing].tolist()
    if len(np.intersect1d(missing, data.codes)):
        raise ValueError(
            f"A fold has no label of the classes {names} to train on; use cv=None, or folds with "
            "every class."
        )
    raise ValueError(
        f"No item of the classes {names} is labeled, and a classifier cannot be fitted without; "
        "label some, or leave them out of classes=."
    )


def _splitter(cv, data, rows):
    if hasattr(cv, "split"):
        return cv
    if len(np.unique(data.parts[rows])) < 2:
        what = "a single label" if data.groups is None else "labels in a single group"
        raise ValueError(
            f"Every class has {what}, so none is left to evaluate a classifier fitted to the "
            "others. Label more items, or freeze a fitted classifier."
        )
    pairs = np.unique(np.stack([data.codes[rows], data.parts[rows]]), axis=1)
    # One group of a class is enough if the rest is always in the training set.
    most = max(2, int(np.unique(pairs[0], return_counts=True)[1].min()))
    n_folds = min(MAX_FOLDS, most) if cv is None else check_count(cv, "cv", 2)
    if n_folds > most:
        what = "labels" if data.groups is None else "labeled groups"
        raise ValueError(
            f"cv={cv} folds need as many {what} of each class, got {most} of the rarest with two "
            "or more; cv=None uses as many folds as possible."
        )
    return StratifiedKFold(n_folds) if data.groups is None else StratifiedGroupKFold(n_folds)
