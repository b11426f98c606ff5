"""What judges say of items that somebody else should label: verdicts or scores, some missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from .._arrays import FrozenArrays
from ._array_like import as_numbers, as_plain, is_missing, shape_of
from ._labels import BinaryLabels, class_index
from ._names import place_of_system

__all__ = ["Judges"]


@dataclass(frozen=True, eq=False)
class Judges(FrozenArrays):
    """Verdicts or scores of judges, one column each.

    Attributes
    ----------
    names : tuple
        What each is called: the name of its column, or its number.
    scores : ndarray of shape (n_items, n_judges)
        Larger for positives; NaN where a judge said nothing. Of verdicts 1 and 0.
    are_verdicts : tuple of bool
        Which judges name one of the two classes, and no score.
    """

    names: tuple
    scores: np.ndarray
    are_verdicts: tuple[bool, ...]

    @classmethod
    def read(cls, judges, n_items: int, labels: BinaryLabels) -> Judges:
        """Read what a user passes: a column for each judge.

        Parameters
        ----------
        judges : array-like of shape (n_items,) or (n_items, n_judges), or mapping of columns
            Of the classes of the labels, or numbers that are larger for positives; None, NaN or
            ``pd.NA`` where a judge said nothing.
        n_items : int
        labels : BinaryLabels
            How labels are written, and which class is positive.

        Raises
        ------
        ValueError
            If shapes differ, a judge names other classes, says one thing only or nothing at all.
        """
        names, columns = _columns(judges)
        if not names:
            raise ValueError("judges holds no column: leave it out, or pass one for each judge.")
        read = [
            _column(column, name, n_items, labels)
            for name, column in zip(names, columns, strict=True)
        ]
        scores, are_verdicts = zip(*read, strict=True)
        return cls(names, np.column_stack(scores), are_verdicts)

    @property
    def n_judges(self) -> int:
        return len(self.names)

    @property
    def spoke(self) -> np.ndarray:
        """Whether a judge said anything of an item, (n_items, n_judges)."""
        return ~np.isnan(self.scores)

    def take(self, rows) -> Judges:
        """Return what judges say of some items."""
        return replace(self, scores=self.scores[rows])

    def number_of(self, judge) -> int:
        """Return the number of a judge that is asked for by name or number."""
        return place_of_system(judge, self.names, "judge")

    def is_same(self, other: Judges | None) -> bool:
        """Return whether the same judges say the same."""
        if other is None:
            return False
        same = np.array_equal(self.scores, other.scores, equal_nan=True)
        return same and self.names == other.names


def _columns(judges):
    """Return the names of judges, and what each says."""
    if isinstance(judges, Mapping):
        return tuple(judges), list(judges.values())
    shape = shape_of(judges)
    if len(shape) == 1 or not hasattr(judges, "columns"):
        plain = judges if len(shape) == 1 else as_plain(judges, "judges")
        if len(shape) == 1:
            return (getattr(judges, "name", None) or 0,), [plain]
        if plain.ndim != 2:
            raise ValueError(
                f"judges must have shape (n_items,) or (n_items, n_judges), got {plain.shape}."
            )
        return tuple(range(plain.shape[1])), list(plain.T)
    names = tuple(judges.columns)
    return names, [judges[name] for name in names]


def _column(column, name, n_items, labels) -> tuple[np.ndarray, bool]:
    """Return the scores of one judge, and whether they are verdicts."""
    said = f"the column {name!r} of judges"
    plain = as_plain(column if hasattr(column, "dtype") else _objects(column), said)
    if plain.shape != (n_items,):
        raise ValueError(
            f"judges must say something, or nothing, of each of the {n_items} items; {said} has "
            f"shape {plain.shape}."
        )
    missing = is_missing(plain)
    if missing.all():
        raise ValueError(f"{said[0].upper()}{said[1:]} holds no verdict at all: leave it out.")
    scores, is_verdict = np.full(n_items, np.nan), _names_classes(plain[~missing], labels)
    if is_verdict:
        present, at = np.unique(plain[~missing], return_inverse=True)
        positive = [class_index(labels.classes, value) == labels.positive for value in present]
        scores[~missing] = np.array(positive, dtype=float)[at]
    else:
        scores[~missing] = _numbers(plain[~missing], said, labels)
    if np.ptp(scores[~missing]) == 0.0:
        raise ValueError(
            f"{said[0].upper()}{said[1:]} says one thing only, {plain[~missing][0]!r}, which "
            f"tells items from each other as little as nothing: leave it out."
        )
    return scores, is_verdict


def _names_classes(values, labels: BinaryLabels) -> bool:
    """Return whether all values are classes of the labels."""
    classes = labels.classes.tolist()
    return all(
        any((type(c) is type(v) and c == v) or _is_number(c, v) for c in classes)
        for v in set(values.tolist())
    )


def _is_number(one, other) -> bool:
    numbers = (int, float, np.integer, np.floating)
    return isinstance(one, numbers) and isinstance(other, numbers) and one == other


def _numbers(values, said, labels) -> np.ndarray:
    """Return scores; words that are no class are refused."""
    words = [value for value in values.tolist() if isinstance(value, (str, bytes))]
    if words:
        shown = ", ".join(map(repr, labels.classes.tolist()))
        raise ValueError(
            f"{said[0].upper()}{said[1:]} holds {words[0]!r}, which is none of the classes {shown} "
            f"of the labels, and no number. Write verdicts as labels are written, and None where "
            f"there is none."
        )
    numbers = as_numbers(values, said)
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"{said[0].upper()}{said[1:]} holds {numbers[~np.isfinite(numbers)][0]}: scores of "
            f"judges must be finite, and None or NaN where there is none."
        )
    return numbers


def _objects(values) -> np.ndarray:
    return np.fromiter(values, dtype=object, count=len(values))
