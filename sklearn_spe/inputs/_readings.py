"""Tables with one row per reading of a case by a reader, as one row per case."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import ParameterError
from ._arrays import FrozenArrays
from ._frames import read_column, read_frames
from ._groups import Partition
from ._validation import MARKER, as_plain, as_vector, check_columns_aligned, is_missing, shape_of


@dataclass(frozen=True, eq=False)
class Readings(FrozenArrays):
    """The scores of cases by readers, with one column for each reader and modality."""

    cases: np.ndarray  # (n_cases,), names, in order of appearance
    systems: list[Hashable]  # (n_systems,), a reader, or modality and reader
    scores: np.ndarray  # (n_cases, n_systems), NaN if a reader did not read a case
    rows: np.ndarray  # (n_cases,), a row of each case, with its label if any row has it

    @classmethod
    def read(
        cls,
        scores: Any,
        labels: Any = None,
        *,
        case: Any,
        reader: Any,
        modality: Any = None,
        of_case: Mapping[str, Any] | None = None,
    ) -> Readings:
        """Arrange readings, of shape (n_readings,) each; `of_case` must be constant in a case.

        Raise ParameterError if a reader read a case twice, or a label or another constant column
        differs within a case.
        """
        of_case = {name: value for name, value in (of_case or {}).items() if value is not None}
        scores = read_column(scores, "X")
        labels = read_column(labels, "y")
        of_case = read_frames(of_case)
        check_columns_aligned(
            {"X": scores, "y": labels, "case": case, "reader": reader, "modality": modality}
            | of_case
        )
        shape = shape_of(scores)
        n_rows = shape[0] if len(shape) == 1 else -1
        numbers = as_vector(scores, "X", n_rows) if n_rows >= 0 else _refuse(shape)
        cases = Partition.read(case, "case", n_rows)
        readers = Partition.read(reader, "reader", n_rows)

        # A system is a reader, or a reader with a modality.
        names: list[Hashable] = readers.names.tolist()
        systems = readers.codes

        if modality is not None:
            modalities = Partition.read(modality, "modality", n_rows)
            names = [(one, other) for one in modalities.names.tolist() for other in names]
            systems = modalities.codes * readers.n_parts + readers.codes

        _check_once(cases, systems, names)

        present, columns = np.unique(systems, return_inverse=True)
        first, order = _first_rows(cases.codes)
        wide = np.full((len(first), len(present)), np.nan)
        wide[order, columns] = numbers

        for name, column in of_case.items():
            _check_constant(as_plain(column, name), name, cases, first, order)

        rows = first if labels is None else _labeled_rows(labels, cases, first, order, n_rows)
        case_names = cases.names[cases.codes[first]]
        return cls(case_names, [names[k] for k in present], wide, rows)


def arrange_readings(
    X: ArrayLike,
    y: Any = None,
    *,
    case: Any,
    reader: Any,
    modality: Any = None,
    category: Any = None,
    groups: Any = None,
) -> dict[str, Any]:
    """Return the arguments of `fit` for a table with one row per reading of a case.

    Each case is one item, even if several readers read it.

    .. versionadded:: 0.1

    Parameters
    ----------
    X : array-like of shape (n_readings,)
        The score that the reader gave: a rating, a probability, or a decision of 0 or 1. It may be
        missing, and a reader may skip cases.
    y : array-like of shape (n_readings,), default=None
        The label of the case, in one or all of its rows; missing or -1 if the case is not verified.
    case, reader : array-like of shape (n_readings,)
        Names of the case and the reader.
    modality : array-like of shape (n_readings,), default=None
        How the case was read: CT or MR, with or without an aid.
    category, groups : array-like of shape (n_readings,), default=None
        As in `fit`, with the same value in all rows of a case, such as its site or its patient.

    Returns
    -------
    arguments : dict
        "X" is a data frame with one row for each case, in order of appearance, and one column for
        each reader, or each modality and reader. "y", "category" and "groups", if given, have one
        value for each case. `fit` of :class:`~sklearn_spe.ActiveTestSelector` also takes these
        arguments.

    Raises
    ------
    ParameterError
        If a reader read a case twice, or `y`, `category` or `groups` differ within a case.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_spe.inputs import arrange_readings
    >>> readings = pd.DataFrame({
    ...     "case": ["a", "a", "b", "b"],
    ...     "reader": ["Ann", "Ben", "Ann", "Ben"],
    ...     "rating": [4, 5, 1, 2],
    ...     "truth": [1, 1, 0, 0],
    ... })
    >>> arranged = arrange_readings(
    ...     readings["rating"], readings["truth"], case=readings["case"],
    ...     reader=readings["reader"])
    >>> arranged["X"]
    reader  Ann  Ben
    case
    a       4.0  5.0
    b       1.0  2.0
    """
    import pandas as pd

    of_case = {"category": category, "groups": groups}
    readings = Readings.read(X, y, case=case, reader=reader, modality=modality, of_case=of_case)

    index = pd.Index(readings.cases, name="case")
    columns = pd.Index(readings.systems)
    columns = columns.set_names(["modality", "reader"][-columns.nlevels :])

    arguments: dict[str, Any] = {"X": pd.DataFrame(readings.scores, index=index, columns=columns)}
    for name, column in {"y": y, **of_case}.items():
        if column is not None:
            arguments[name] = pd.Series(column).iloc[readings.rows].set_axis(index)
    return arguments


def _refuse(shape: tuple[int, ...]) -> NoReturn:
    raise ParameterError.of(
        "X", f"must have one score for each reading, of shape (n_readings,); got shape {shape}."
    )


def _first_rows(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first row of each case, in order, and the index of each row's case among them."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    index = np.empty(len(first), dtype=int)
    index[np.argsort(first)] = np.arange(len(first))
    return np.sort(first), index[inverse]


def _check_once(cases: Partition, systems: np.ndarray, names: list[Hashable]) -> None:
    """Raise if a case has two rows of one reader and modality."""
    key = cases.codes * len(names) + systems
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    if (counts > 1).any():
        row = int(first[counts > 1][0])
        case = cases.names[cases.codes[row]]
        name = names[systems[row]]
        raise ParameterError(
            f"Case {case!r} has {counts[counts > 1][0]} rows of reader {name!r}, and there are "
            f"{int((counts > 1).sum()):,} such pairs.",
            "Pass modality= if the rows differ in it, or keep one row of each.",
            "modality",
        )


def _check_constant(
    column: np.ndarray, name: str, cases: Partition, first: np.ndarray, order: np.ndarray
) -> None:
    """Raise if a column differs within a case."""
    _check_length(column, name, len(order))
    of_first = column[first][order]
    missing = is_missing(column)
    differs = (missing != is_missing(of_first)) | (~missing & (column != of_first))
    if differs.any():
        row = int(np.argmax(differs))
        raise ParameterError.of(
            name,
            f"must be the same in all rows of a case; case "
            f"{cases.names[cases.codes[row]]!r} has {of_first[row]!r} and {column[row]!r}.",
        )


def _check_length(column: np.ndarray, name: str, n_rows: int) -> None:
    if column.shape != (n_rows,):
        raise ParameterError.of(
            name, f"must have shape ({n_rows},), one value for each reading; got {column.shape}."
        )


def _labeled_rows(
    labels: Any, cases: Partition, first: np.ndarray, order: np.ndarray, n_rows: int
) -> np.ndarray:
    """Return a row of each case that has its label, or the first if none has one."""
    plain = as_plain(labels, "y")
    _check_length(plain, "y", n_rows)
    known = ~is_missing(plain)
    if len(set(plain[known].tolist()) - {MARKER}) > 0:
        known &= np.array([label != MARKER for label in plain.tolist()], dtype=bool)

    rows = first.copy()

    # The first labeled row of each case.
    labeled = np.flatnonzero(known)[::-1]
    rows[order[labeled]] = labeled
    differs = known & (plain != plain[rows][order])
    if differs.any():
        row = int(np.argmax(differs))
        raise ParameterError.of(
            "y",
            f"must be the same in all rows of a case; case {cases.names[cases.codes[row]]!r} has "
            f"{plain[rows][order][row]!r} and {plain[row]!r}.",
            "If the label is of a reading and not of the case, such as a reader's decision, it is "
            "a score: pass it as X, and the truth of the case as y.",
        )

    return rows
