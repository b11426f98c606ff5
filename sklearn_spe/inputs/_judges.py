"""What judges say of items that somebody else should label: verdicts or scores, some missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from .._arrays import FrozenArrays
from ._array_like import as_numbers, as_plain, is_missing, shape_of
from ._labels import BinaryLabels
from ._names import place_of_system
from ._scores import within_unit

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
    def read(cls, judges, n_items: int | None, labels: BinaryLabels) -> Judges:
        """Read what a user passes: a column for each judge.

        Parameters
        ----------
        judges : array-like of shape (n_items,) or (n_items, n_judges), or mapping of columns
            Of the classes of the labels, or numbers that are larger for positives; None, NaN or
            ``pd.NA`` where a judge said nothing.
        n_items : int or None
            None takes as many as the first column has.
        labels : BinaryLabels
            How labels are written, and which class is positive.

        Raises
        ------
        ValueError
            If shapes differ, a judge names other classes, or says nothing at all.
        """
        names, columns = _columns(judges)
        read = [
            _column(column, name, n_items, labels)
            for name, column in zip(names, columns, strict=True)
        ]
        scores, are_verdicts = zip(*read, strict=True)
        lengths = {len(column) for column in scores}
        if len(lengths) > 1:
            raise ValueError(f"Columns of judges differ in length: {sorted(lengths)}.")
        return cls(names, np.column_stack(scores), are_verdicts)

    @staticmethod
    def n_items_of(judges) -> int:
        """Return of how many items what a user passes speaks."""
        names, columns = _columns(judges)
        return len(_plain(columns[0], names[0]))

    def in_place_of(self, X, greater_is_positive: bool):
        """Return scores that were passed; where there are none, what judges say together.

        Raises
        ------
        ValueError
            If there are none, and smaller ones are said to mean positive.
        """
        if X is not None:
            return X
        if not greater_is_positive:
            raise ValueError(
                "greater_is_positive=False is about the scores in X, and there are none: larger "
                "numbers of judges mean positive. Leave it out, and turn a judge by its sign."
            )
        return self.together()

    def decoded(self, labels: BinaryLabels) -> list[np.ndarray]:
        """Return what each said: scores, or verdicts as labels are written, None for silence."""
        columns = []
        for said, spoke, is_verdict in zip(
            self.scores.T, self.spoke.T, self.are_verdicts, strict=True
        ):
            column = np.array(said)
            if is_verdict:
                column = np.full(len(said), None, dtype=object)
                column[spoke] = labels.decode(said[spoke].astype(int)).tolist()
            columns.append(column)
        return columns

    @property
    def n_judges(self) -> int:
        return len(self.names)

    @property
    def spoke(self) -> np.ndarray:
        """Whether a judge said anything of an item, (n_items, n_judges)."""
        return ~np.isnan(self.scores)

    def together(self) -> np.ndarray:
        """Return one score of each item: what the only judge says, or the mean of several.

        Of several each is taken in its own standard deviations from its mean, so that 0 is where
        none said anything. Of the only one that is its mean, in its own units.
        """
        if self.n_judges == 1:
            (said,) = self.scores.T
            return np.where(np.isnan(said), np.nanmean(said), said)
        spread = np.nanstd(self.scores, axis=0)
        # One that says one thing only tells no item from another.
        z = (self.scores - np.nanmean(self.scores, axis=0)) / np.where(spread > 0.0, spread, 1.0)
        return np.where(self.spoke, z, 0.0).sum(axis=1) / np.maximum(self.spoke.sum(axis=1), 1)

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
    """Return the names of judges, at least one, and what each says."""
    names, columns = _named(judges)
    if not names:
        raise ValueError("judges holds no column: leave it out, or pass one for each judge.")
    return names, columns


def _named(judges):
    if isinstance(judges, Mapping):
        return tuple(judges), list(judges.values())
    shape = shape_of(judges)
    if len(shape) == 1 or not hasattr(judges, "columns"):
        plain = judges if len(shape) == 1 else as_plain(judges, "judges")
        if len(shape) == 1:
            name = getattr(judges, "name", None)
            return (0 if name is None else name,), [plain]
        if plain.ndim != 2:
            raise ValueError(
                f"judges must have shape (n_items,) or (n_items, n_judges), got {plain.shape}."
            )
        return tuple(range(plain.shape[1])), list(plain.T)
    names = tuple(judges.columns)
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"judges has several columns of one name, such as {twice.pop()!r}.")
    return names, [judges[name] for name in names]


def _column(column, name, n_items, labels) -> tuple[np.ndarray, bool]:
    """Return the scores of one judge, and whether they are verdicts."""
    said = _called(name)
    Said = f"{said[0].upper()}{said[1:]}"
    plain = _plain(column, name)
    if plain.ndim != 1 or n_items not in (None, len(plain)):
        raise ValueError(
            f"judges must say something, or nothing, of each item, in shape "
            f"({n_items or 'n_items'},) a judge; {said} has shape {plain.shape}."
        )
    silent = is_missing(plain)
    try:
        values = set(plain[~silent].tolist())
    except TypeError as error:
        raise TypeError(f"{Said} must hold verdicts or numbers; {error}.") from None
    if _verdicts(values - {labels.marker}, labels) is not None:
        # What marks an item without a label marks one without a verdict too.
        values -= {labels.marker} - set(labels.classes.tolist())
        silent |= np.array([value not in values for value in plain.tolist()], dtype=bool)
    if silent.all():
        raise ValueError(f"{Said} holds no verdict at all: leave it out.")
    if len(values) == 1 and labels.marker in plain.tolist():
        raise ValueError(
            f"{Said} holds {values.pop()!r} and {labels.marker!r}, which marks what is missing: "
            f"pass classes= if {labels.marker!r} is a verdict, or write verdicts as labels are "
            f"written; write None or NaN if it is none."
        )
    scores, verdicts = np.full(len(plain), np.nan), _verdicts(values, labels)
    if verdicts is None:
        scores[~silent] = _numbers(plain[~silent], Said, values, labels)
    else:
        scores[~silent] = [verdicts[value] for value in plain[~silent].tolist()]
    return scores, verdicts is not None


def _verdicts(values, labels: BinaryLabels) -> dict | None:
    """Return 1 for the positive class and 0 for the negative one; None where there are others."""
    classes = {c: float(k == labels.positive) for k, c in enumerate(labels.classes.tolist())}
    # Yes and no are understood whatever the classes are called.
    for meant in (classes, {0: 0.0, 1: 1.0}):
        if values <= meant.keys():
            return meant
    return None


def _numbers(values, said, distinct, labels) -> np.ndarray:
    """Return scores; words that are no class are refused."""
    words = [value for value in distinct if isinstance(value, (str, bytes))]
    if words:
        classes = labels.classes.tolist()
        shown = ", ".join(map(repr, classes))
        unknown = next((word for word in words if word not in classes), words[0])
        raise ValueError(
            f"{said} holds {unknown!r}, which is none of the classes {shown} of the labels. Write "
            f"verdicts as labels are written, and None where there is none; grades as numbers that "
            f"are larger for positives, such as 0, 0.5 and 1."
        )
    numbers = as_numbers(values, said)
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"{said} holds {numbers[~np.isfinite(numbers)][0]}: scores of judges must be finite, "
            f"and None or NaN where there is none."
        )
    rest = numbers[numbers != -1.0]
    if len(rest) < len(numbers) and len(rest) and rest.min() >= 0.0 and rest.max() <= 1.0:
        raise ValueError(
            f"{said} holds -1 beside numbers in [0, 1]: if it says that there is no score write "
            f"None or NaN; if it is one pass other numbers of the same order, such as ranks."
        )
    return within_unit(numbers)


def _called(name) -> str:
    return f"the column {name!r} of judges"


def _plain(column, name) -> np.ndarray:
    """Return what one judge says as an array."""
    if not hasattr(column, "__len__"):
        raise TypeError(
            f"judges must say something, or nothing, of each item; {_called(name)} is {column!r}."
        )
    return as_plain(column if hasattr(column, "dtype") else _objects(column), _called(name))


def _objects(values) -> np.ndarray:
    return np.fromiter(values, dtype=object, count=len(values))
