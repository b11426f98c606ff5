"""A labelling, done again as a table tells it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from ..exceptions import OutsideDesignWarning
from ..inputs._labels import BinaryLabels
from ..inputs._listed import MOST_NAMED, listed
from ._exchange import LabellingTable
from ._given_labels import Writing
from ._opening import open_session
from ._parameters import as_strategy, how_drawn
from .sessions._query_log import NEVER
from .sessions._session import Session

__all__ = ["Replay"]

# Chances are computed again up to rounding.
SAME_CHANCE = 1e-6
# A reach with which no bet can be made.
UNBOUNDED = 1e100
OTHER_CHANCES = (
    "The chances in the table are not those that come out now: a score was changed since, or what "
    "was passed again is another. The recorded chances are used; an interval that holds at all "
    "times does not learn from these items."
)


@dataclass(frozen=True, eq=False)
class Replay:
    """What became of a labelling, and what was filled in since.

    Attributes
    ----------
    session : Session
    rows : ndarray of int
        The rows of X that were filled in.
    labels : ndarray of shape (n,)
        Theirs, as they are written; None where the annotator could not say.
    """

    session: Session
    rows: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(cls, selector, table: LabellingTable) -> Replay:
        """Do again what a table tells, with the parameters of a selector.

        Parameters
        ----------
        selector : ActiveTestSelector
        table : LabellingTable
        """
        columns, writing = table.columns, Writing.of(selector)
        labels, answers = (_labels_of(columns[name], writing) for name in ("label", "answer"))
        asked, answered = (columns[name].astype(float) for name in ("asked", "answered"))
        at_first = labels.copy()
        at_first[answered != 0] = None
        session = open_session(selector, y=at_first, **table.given())
        told = np.array([label is not None for label in labels])
        written = np.r_[labels[told], [answer for answer in answers if answer is not None]]
        names = writing.names_after(written, session.labels, session.query_log.n_labels)
        codes, before = (names.codes(of, len(of)) for of in (labels, answers))
        corrected = np.flatnonzero((answered != NEVER) & (codes != before))
        session, are_same = _done_again(selector, session, columns, codes, names)
        if len(corrected) or not are_same:
            # That chances are others now follows from corrections.
            text = _of_corrections(corrected, before, codes, names)
            text = text if len(corrected) else OTHER_CHANCES
            warnings.warn(text, OutsideDesignWarning, stacklevel=3)
        skipped = np.isin(columns["skipped"].astype(str), ("True", "true", "TRUE", "1", "1.0"))
        new = np.flatnonzero((answered == NEVER) & (told | (skipped & (asked != NEVER))))
        return cls(session, new, labels[new])


def _done_again(selector, session: Session, columns, codes, names: BinaryLabels):
    """Return the session after all queries and answers, and whether chances are as recorded."""
    order, query, asked, answered = (
        columns[name].astype(float).astype(int) for name in ("order", "query", "asked", "answered")
    )
    chances, are_same = columns["chance"].astype(float), True
    in_order = np.argsort(order, kind="stable")
    in_order = in_order[order[in_order] != NEVER]
    for k in range(max(asked.max(), answered.max() - 1) + 1):
        now = in_order[asked[in_order] == k]
        for number in np.unique(query[now]):
            rows = now[query[now] == number]
            are_same &= _asked_again(selector, session, rows, chances[rows])
        rows = in_order[answered[in_order] == k + 1]
        if len(rows):
            session = session.after(session.model.rows.items_at(rows), codes[rows], names)
    return session, are_same


def _asked_again(selector, session: Session, rows, recorded) -> bool:
    """Ask for rows once more, and return whether their chances are as recorded."""
    items = session.model.rows.items_at(rows)
    strategy, how = as_strategy(selector.strategy), how_drawn(selector, session.interval)
    batch, _ = session.ask(strategy, len(items), items=items, **how)
    if np.allclose(batch.chances, recorded, rtol=SAME_CHANCE, equal_nan=True):
        return True
    # Nothing is known of the chances of the other items: no more can be bet.
    unbounded = np.full_like(batch.reach, UNBOUNDED)
    nothing = np.zeros(len(items))
    unknown = replace(batch, chances=recorded, least=nothing, reach=unbounded, sides=())
    session.query_log.correct(unknown)
    return False


def _of_corrections(rows, before, codes, names: BinaryLabels) -> str:
    shown = [
        f"item {row} from {_shown(before[row], names)} to {_shown(codes[row], names)}"
        for row in rows[:MOST_NAMED]
    ]
    return (
        f"{len(rows)} labels are not those that were answered: {listed(shown, len(rows))}. They "
        f"are taken as they are now. Items that were drawn since were drawn by the old ones: "
        f"their recorded chances are used, and an interval that holds at all times does not "
        f"learn from them."
    )


def _shown(code, names: BinaryLabels) -> str:
    return "nothing" if code < 0 else repr(names.decode(np.array([code])).tolist()[0])


def _labels_of(column, writing: Writing) -> np.ndarray:
    """Return labels as they were written before the table made numbers of them, or None."""
    labels, missing = column.astype(object), writing.is_unlabeled(column.astype(object))
    if all(isinstance(label, float) and label.is_integer() for label in labels[~missing]):
        # Where labels are missing tables make 1 a 1.0.
        labels[~missing] = labels[~missing].astype(int)
    labels[missing] = None
    return labels
