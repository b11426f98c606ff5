"""Predicted classes without probabilities: a column of class names for each classifier.

They are read as probabilities of 0 and 1, so no item is more certain than another.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..exceptions import ParameterError
from ..inputs._arrays import FrozenArrays
from ..inputs._frames import read_column
from ..inputs._labels import encode_labels, is_unlabeled, read_classes
from ..inputs._validation import as_plain, listed, refuse_text, shape_of, unmasked
from ._class_scores import ClassScores


@dataclass(frozen=True, eq=False)
class PredictedClasses(FrozenArrays):
    """The predicted classes of items, by one or several classifiers."""

    argument: str  # {"X", "judges"}, which holds them
    systems: tuple[Hashable, ...]  # name or number of each classifier
    columns: tuple[np.ndarray, ...]  # (n_items,) each, as passed
    marker: Any  # marks a missing prediction, as it does a missing label

    @classmethod
    def found_in(cls, X: Any, judges: Any, marker: Any) -> PredictedClasses | None:
        """Return the columns that may hold predicted classes: text, or numbers of one each."""
        argument = "judges" if X is None else "X"
        columns = _columns_of(judges if X is None else X, are_several=X is None)
        if not columns:
            return None
        return cls(argument, tuple(columns), tuple(columns.values()), marker)

    @property
    def are_text(self) -> bool:
        """Whether there is text, which cannot be scores."""
        return any(map(_is_text, self.columns))

    def classes_with(self, y: Any) -> np.ndarray | None:
        """Return the classes of text in X and of labels together.

        None of numbers, which may be scores, and of raters, who give the classes of the labels.
        Raise ParameterError if all of the text is numbers, none of which is a label: scores.
        """
        if not self.are_text or self.argument != "X":
            return None
        labels: list[Any] = []
        if y is not None:
            values = np.asarray(unmasked(read_column(y, "y")), dtype=object).reshape(-1)
            labels = values[~is_unlabeled(y, unlabeled_label=self.marker)].tolist()
        predicted = [column[~self._is_missing(column)] for column in self.columns]
        texts = np.unique(np.concatenate(predicted).astype(str)).tolist()
        shared = {label for label in labels if isinstance(label, str)}.intersection(texts)
        if labels and not shared and all(map(_is_number, texts)):
            refuse_text("X", texts[0])
        return read_classes([*labels, *texts])

    def are_of(self, classes: np.ndarray) -> bool:
        """Return whether these are predictions of more than two classes, not scores.

        Raise ParameterError if some of the numbers are classes, and others are not.
        """
        if len(classes) <= 2:
            return False
        if self.are_text:
            return True
        if classes.dtype.kind not in "iuf":
            return False

        values = np.unique(np.concatenate(self.columns))
        values = values[~np.isnan(values)]
        are_classes = np.isin(values, classes)
        if are_classes.all() or not are_classes.any() or (values != np.round(values)).any():
            return bool(are_classes.all() and len(values))
        raise ParameterError.of(
            self.argument,
            f"holds whole numbers, of which some are among the classes "
            f"{listed(map(str, classes.tolist()))} and {values[~are_classes][0]:g} is not.",
            "If they are predicted classes, pass classes= with all of them; if they are scores, y "
            "must have two classes.",
        )

    def scores(self, classes: np.ndarray) -> tuple[ClassScores, ...]:
        """Return the predictions of each classifier as probabilities that are zero or one."""
        return tuple(
            ClassScores.of_predictions(self._codes(name, column, classes), len(classes))
            for name, column in zip(self.systems, self.columns, strict=True)
        )

    def _codes(self, name: Hashable, column: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """Return the index of the predicted class of each item, (n_items,)."""
        place = self.argument if len(self.systems) == 1 else f"{self.argument}[{name!r}]"
        missing = np.flatnonzero(self._is_missing(column))
        if len(missing):
            raise ParameterError.of(
                self.argument,
                f"has no predicted class in {len(missing)} of {len(column)} rows of {place}, the "
                f"first of index {missing[0]}: every item needs one.",
                "Leave these items out, or write another class for them, such as 'none'.",
            )

        if unknown := set(column.tolist()).difference(classes.tolist()):
            raise ParameterError.of(
                self.argument,
                f"predicts {listed(sorted(map(repr, unknown)))} in {place}, not among the classes "
                f"{listed(map(repr, classes.tolist()))}.",
                "Pass classes= with the names of all.",
            )
        codes, _ = encode_labels(column, classes=classes, unlabeled_label=None)
        return codes.astype(np.intp)

    def _is_missing(self, column: np.ndarray) -> np.ndarray:
        marker = self.marker if _is_text(column) else None
        return is_unlabeled(column, unlabeled_label=marker)


def _columns_of(values: Any, are_several: bool) -> dict[Hashable, np.ndarray]:
    """Return the columns that may be predictions, by classifier; maybe none.

    `are_several` says that columns of numbers are of several classifiers, not of classes.
    """
    if values is None:
        return {}
    if isinstance(values, Mapping):
        if any(len(shape_of(column)) != 1 for column in values.values()):
            return {}
        return _of_one_type({name: _as_column(column) for name, column in values.items()})

    shape = shape_of(values)
    n_columns = shape[1] if len(shape) == 2 else 1
    if len(shape) not in (1, 2) or not n_columns:
        return {}
    if hasattr(values, "columns") and not isinstance(values, np.ndarray):
        names = list(values.columns)
        columns = {name: _as_column(values[name]) for name in names}
        if n_columns == 1:
            (column,) = columns.values()
            columns = {(names[0] if are_several else 0): column}
    else:
        plain = as_plain(unmasked(values), "X").reshape(shape[0], n_columns)
        columns = {number: _as_column(plain[:, number]) for number in range(n_columns)}

    columns = _of_one_type(columns)
    is_for_classes = n_columns > 1 and not are_several
    are_text = any(map(_is_text, columns.values()))
    return columns if are_text or not is_for_classes else {}


def _of_one_type(columns: dict[Hashable, np.ndarray]) -> dict[Hashable, np.ndarray]:
    """Return the columns if all are text, or all are numbers; else none."""
    are_text = {_is_text(column) for column in columns.values()}
    are_numbers = all(column.dtype.kind in "iuf" for column in columns.values())
    return columns if len(are_text) == 1 and (are_numbers or True in are_text) else {}


def _as_column(values: Any) -> np.ndarray:
    """Return a column as text or numbers, (n_items,)."""
    column = np.asarray(unmasked(values))
    return column.astype(object) if column.dtype.kind in "UST" else column


def _is_number(text: str) -> bool:
    """Return whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_text(column: np.ndarray) -> bool:
    return column.dtype.kind == "O" and any(isinstance(value, str) for value in column.tolist())
