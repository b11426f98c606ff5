"""Rows to look at: those to label next, and those with suspect labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..active._rows_to_label import rows_to_label
from ..inputs._array_like import as_plain

__all__ = ["CONSENSUS", "NamedRow", "RowNames", "next_rows", "suspect_rows"]

N_NEXT = 10
MAX_SUSPECT = 25
# The score axis used to rank items with several columns.
CONSENSUS = "consensus of all"


@dataclass(frozen=True)
class NamedRow:
    """One row."""

    name: str  # name of the row
    score: float  # on the user's scale
    probability: float  # P(y = 1); for a suspect label, given the other labels
    label: object = None  # None if unlabeled
    of: str | None = None  # whose score it is, if there are several systems or judges


@dataclass(frozen=True, eq=False)
class RowNames:
    """The names of the rows of X."""

    unit: str = "row"  # what a name is: "row", "line", or a column name
    names: Any = None  # one for each row; None for their numbers

    @classmethod
    def of(cls, items, n_rows: int) -> RowNames:
        """Return names given by the user; raise unless there is one for each row."""
        if items is None or isinstance(items, RowNames):
            return items or cls()
        names = as_plain(items, "items")
        if names.ndim != 1 or len(names) != n_rows:
            raise ValueError(
                f"items must hold a name for each of the {n_rows} rows of X, got an array of shape "
                f"{names.shape}."
            )
        return cls("item", names)

    def __getitem__(self, row: int) -> str:
        return str(row if self.names is None else self.names[row])


def next_rows(views: Mapping[str | None, Any], names: RowNames) -> tuple[NamedRow, ...]:
    """Return the rows whose labels are most informative about average precision.

    With several systems, the best rows of each are taken in turn, as a label serves all systems.
    """
    found = {name: _next_of(view) for name, view in views.items()}
    kept: dict[int, NamedRow] = {}
    for place in range(N_NEXT):
        for name, rows in found.items():
            if place < len(rows) and len(kept) < N_NEXT:
                row, score, probability, is_one = rows[place]
                called = names[row] if is_one else "one of several"
                kept.setdefault(row, NamedRow(called, score, probability, of=name))
    return tuple(kept.values())


def _next_of(performance) -> list[tuple[int, float, float, bool]]:
    """Return rows, their scores, probabilities, and whether each represents one item."""
    asked = performance.subject_.rows(performance.shown_.asked)
    rows = rows_to_label(performance, N_NEXT)
    # A row may represent several items, any of which may be labeled.
    is_one = performance.posterior_.sample.counts.sum() == np.count_nonzero(asked.asked)
    scores = asked.scores[rows]
    probabilities = performance.posterior_.expected_probability(scores)
    flipped = performance.score_direction_.flip(scores)
    columns = zip(rows.tolist(), flipped.tolist(), probabilities.tolist(), strict=True)
    return [(*cells, bool(is_one)) for cells in columns]


def suspect_rows(performance, names: RowNames) -> tuple[NamedRow, ...]:
    """Return the first rows with suspect labels."""
    found = performance.suspect_labels_
    several = len(performance.systems_) + len(performance.judges_) > 1
    of = CONSENSUS if several else None
    columns = (part[:MAX_SUSPECT].tolist() for part in (found.item, found.score))
    cells = (part[:MAX_SUSPECT].tolist() for part in (found.probability, found.label))
    return tuple(
        NamedRow(names[item], score, probability, label, of)
        for item, score, probability, label in zip(*columns, *cells, strict=True)
    )
