"""Replay of a labeling session from its table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from ..exceptions import OutsideDesignWarning
from ..inputs._labels import BinaryLabels
from ..inputs._listed import MAX_NAMED, listed
from ._exchange import SessionTable
from ._given_labels import LabelFormat
from ._parameters import as_strategy, how_drawn
from ._start import start_session
from .sessions._query_log import NEVER
from .sessions._session import Session

__all__ = ["Replay"]

# Recomputed inclusion probabilities agree up to rounding.
SAME_CHANCE = 1e-6
# A bound with which no bet can be made.
UNBOUNDED = 1e100
OTHER_CHANCES = (
    "The inclusion probabilities in the table differ from the recomputed ones: a score was changed "
    "since, or an argument that was passed again differs. The recorded probabilities are used; an "
    "anytime-valid interval does not use these items."
)


@dataclass(frozen=True, eq=False)
class Replay:
    """A replayed session, and the labels filled in since."""

    session: Session
    rows: np.ndarray  # rows of X that were filled in
    labels: np.ndarray  # (n,); their labels as written; None where skipped

    @classmethod
    def of(cls, selector, table: SessionTable) -> Replay:
        """Replay a table with the parameters of a selector."""
        columns, label_format = table.columns, LabelFormat.of(selector)
        labels, answers = (_labels_of(columns[name], label_format) for name in ("label", "answer"))
        asked, answered = (columns[name].astype(float) for name in ("asked", "answered"))
        at_first = labels.copy()
        at_first[answered != 0] = None
        session = start_session(selector, y=at_first, **table.given())
        labeled = np.array([label is not None for label in labels])
        written = np.r_[labels[labeled], [answer for answer in answers if answer is not None]]
        names = label_format.names_after(written, session.labels, session.query_log.n_labels)
        codes, before = (names.codes(of, len(of)) for of in (labels, answers))
        corrected = np.flatnonzero((answered != NEVER) & (codes != before))
        session, are_same = _done_again(selector, session, columns, codes, names)
        if len(corrected) or not are_same:
            # Different inclusion probabilities are then due to the corrections.
            text = _of_corrections(corrected, before, codes, names)
            text = text if len(corrected) else OTHER_CHANCES
            warnings.warn(text, OutsideDesignWarning, stacklevel=3)
        skipped = np.isin(columns["skipped"].astype(str), ("True", "true", "TRUE", "1", "1.0"))
        new = np.flatnonzero((answered == NEVER) & (labeled | (skipped & (asked != NEVER))))
        return cls(session, new, labels[new])


def _done_again(selector, session: Session, columns, codes, names: BinaryLabels):
    """Return the session after the replay, and whether the probabilities are as recorded."""
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
    """Repeat a query, and return whether the inclusion probabilities are as recorded."""
    items = session.model.rows.items_at(rows)
    strategy, how = as_strategy(selector.strategy), how_drawn(selector, session.interval)
    batch, _ = session.ask(strategy, len(items), items=items, **how)
    if np.allclose(batch.chances, recorded, rtol=SAME_CHANCE, equal_nan=True):
        return True
    # The probabilities of the other items are unknown: no further bets can be made.
    unbounded = np.full_like(batch.reach, UNBOUNDED)
    nothing = np.zeros(len(items))
    unknown = replace(batch, chances=recorded, least=nothing, reach=unbounded, threshold_counts=())
    session.query_log.correct(unknown)
    return False


def _of_corrections(rows, before, codes, names: BinaryLabels) -> str:
    shown = [
        f"item {row} from {_shown(before[row], names)} to {_shown(codes[row], names)}"
        for row in rows[:MAX_NAMED]
    ]
    return (
        f"{len(rows)} labels differ from the recorded answers: {listed(shown, len(rows))}. The "
        "present labels are used. Later items were drawn given the old ones: their recorded "
        "inclusion probabilities are used, and an anytime-valid interval does not use them."
    )


def _shown(code, names: BinaryLabels) -> str:
    return "nothing" if code < 0 else repr(names.decode(np.array([code])).tolist()[0])


def _labels_of(column, label_format: LabelFormat) -> np.ndarray:
    """Return labels as written before the table converted them to numbers, or None."""
    labels, missing = column.astype(object), label_format.is_unlabeled(column.astype(object))
    if all(isinstance(label, float) and label.is_integer() for label in labels[~missing]):
        # Tables with missing labels store 1 as 1.0.
        labels[~missing] = labels[~missing].astype(int)
    labels[missing] = None
    return labels
