"""Rows that somebody should look at: those to label next, and those whose labels surprise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..active._rows_to_label import rows_to_label
from ..inputs._array_like import as_plain

__all__ = ["CONSENSUS", "NamedRow", "RowNames", "next_rows", "surprising_rows"]

N_NEXT = 10
MOST_SURPRISING = 25
# Whose score ranks items that several columns speak of.
CONSENSUS = "consensus of all"


@dataclass(frozen=True)
class NamedRow:
    """One row.

    Attributes
    ----------
    name : str
        What it is called.
    score : float
        On the user's scale.
    probability : float
        That it is positive; of a label that surprises what the other labels give it.
    label : object
        None if it has none.
    of : str or None
        Whose score that is, if there are several systems or judges.
    """

    name: str
    score: float
    probability: float
    label: object = None
    of: str | None = None


@dataclass(frozen=True, eq=False)
class RowNames:
    """What rows of X are called.

    Attributes
    ----------
    unit : str
        What a name is: "row", "line", or that of a column.
    names : sequence or None
        One for each row; None for their numbers.
    """

    unit: str = "row"
    names: Any = None

    @classmethod
    def of(cls, items, n_rows: int) -> RowNames:
        """Return names that a user gives.

        Raises
        ------
        ValueError
            If there is not one for each row.
        """
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
    """Return the rows whose labels would tell most of average precision.

    Of several systems they are taken in turn, from what serves each of them best: a label is one
    of all systems.

    Parameters
    ----------
    views : mapping of str to PerformanceCurveEstimator
        Fitted, each showing one ranking, by the names of systems; None is the only one.
    names : RowNames
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
    """Return rows, their scores, probabilities, and whether each stands for one item."""
    asked = performance.subject_.rows(performance.shown_.asked)
    rows = rows_to_label(performance, N_NEXT)
    # A row may stand for several items, any of which may be labelled.
    is_one = performance.posterior_.sample.counts.sum() == np.count_nonzero(asked.asked)
    scores = asked.scores[rows]
    probabilities = performance.posterior_.expected_probability(scores)
    turned = performance.orientation_.turn(scores)
    columns = zip(rows.tolist(), turned.tolist(), probabilities.tolist(), strict=True)
    return [(*told, bool(is_one)) for told in columns]


def surprising_rows(performance, names: RowNames) -> tuple[NamedRow, ...]:
    """Return the labelled rows whose labels the others do not expect, the first of them."""
    found = performance.surprising_items_
    several = len(performance.systems_) + len(performance.judges_) > 1
    of = CONSENSUS if several else None
    columns = (part[:MOST_SURPRISING].tolist() for part in (found.item, found.score))
    told = (part[:MOST_SURPRISING].tolist() for part in (found.probability, found.label))
    return tuple(
        NamedRow(names[item], score, probability, label, of)
        for item, score, probability, label in zip(*columns, *told, strict=True)
    )
