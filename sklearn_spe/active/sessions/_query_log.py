"""Log of queries: rows of items, their labels, and the batches."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...design._committed_order import CommittedOrder
from ...design._goal_certificate import GoalCertificate
from ...design._label_design import LabelDesign
from ...design._ratio_test import RatioTest
from ...design._recall_certificate import Review
from ...exceptions import OutsideDesignWarning, ParameterError, SkippedLabelsWarning
from ...inputs._arrays import FrozenArrays
from ...inputs._frames import read_column
from ...inputs._labels import BinaryLabels
from ...inputs._validation import as_plain, check_aligned, check_labels_of
from .._query import Batch

# Marks events that have not happened.
NEVER = -1
# The record of an item that tables and files store, and what it is where nothing is recorded.
RECORD: dict[str, Any] = {
    "order": NEVER,
    "chance": np.nan,
    "query": NEVER,
    "asked": NEVER,
    "answered": NEVER,
    "skipped": False,
    "answer": None,
}
# The part of it that is kept as an array; the order and changed answers are lists of few items.
OF_ITEMS = tuple(name for name in RECORD if name not in ("order", "answer"))


@dataclass(frozen=True, eq=False)
class ItemRows(FrozenArrays):
    """The rows of X that may be labeled."""

    n_rows: int  # number of rows of X
    places: np.ndarray  # (n_items,), of int; row of each item, increasing

    # Whether tables list every row, besides those that were queried.
    is_listed: ClassVar[bool] = True

    def of_items(self, items: np.ndarray) -> np.ndarray:
        """Return the rows of items."""
        return self.places[items]

    def items_at(self, rows: np.ndarray) -> np.ndarray:
        """Return the items at rows, -1 for rows that are not items."""
        items = np.minimum(np.searchsorted(self.places, rows), len(self.places) - 1)
        return np.where(self.places[items] == rows, items, -1)

    def checked(self, rows: np.ndarray) -> np.ndarray:
        """Return the items at rows; raise for a row that is none."""
        items = self.items_at(rows)
        if (items < 0).any():
            raise ValueError(self.refusal(rows[items < 0][0]))
        return items

    def places_at(self, rows: np.ndarray) -> np.ndarray:
        """Return the items at rows, or the items that represent these rows."""
        return self.items_at(rows)

    def ranks(self, scores: np.ndarray) -> np.ndarray | None:
        """Return the rank of each item, from 0, in a ranking by the scores; None without one."""
        ranks = np.empty(len(scores), dtype=int)
        ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
        return ranks

    def listed(self, scores: np.ndarray) -> np.ndarray:
        """Return the scores for a table, given those of the items."""
        return scores

    def item_threshold(self, scores: np.ndarray, threshold: float) -> float:
        """Return the threshold of rows of X that selects the rows of the items above one."""
        return threshold

    def refusal(self, row: int) -> str:
        """Return the message for a row without an item."""
        return (
            f"Item {row} is not among the k highest of any list: the metric does not count its "
            "label, which informs the label model if it is known at the start. Leave it out, or "
            "pass it to fit; nothing was changed."
        )

    def spread(self, values: Any, fill: float) -> np.ndarray:
        """Return values of items as values of rows, (n_rows,)."""
        spread = np.full(self.n_rows, fill, dtype=np.result_type(values, type(fill)))
        spread[self.places] = values
        return spread


class QueryLog:
    """Labels, pending queries, and the design of both.

    Labels enter the design batch by batch, in the order of the draws: a batch with a missing answer
    waits, and so do all later ones. The model is updated by every label at once.

    Attributes
    ----------
    codes : ndarray of shape (n_items,)
        1, 0, -1 without a label.
    chance, query, asked, answered, skipped : ndarray of shape (n_items,)
        The record of each item, as a table stores it.
    design : LabelDesign
    e_process : RatioTest or None
        For a metric that is a ratio of sums.
    certificate : GoalCertificate or None
        For a goal that is to be proved.
    counts : ndarray of shape (n_items,)
        Number of exchangeable items that each represents.
    n_updates : int
    """

    def __init__(self, model, confidence_level: float, certificate: GoalCertificate | None) -> None:
        """Start with the labels that a model knows."""
        codes = model.codes
        n = len(codes)
        self.codes = codes
        self.counts = np.ones(n) if model.counts is None else model.counts
        self.side = np.zeros(n, dtype=bool) if model.above is None else model.above
        self.may_be_asked = model.may_be_asked
        self.chance, self.query, self.asked, self.answered, self.skipped = (
            np.full(n, RECORD[name]) for name in OF_ITEMS
        )
        # Labels known at the start count as answers to no query.
        self.answered[codes >= 0] = 0
        self.order = np.flatnonzero(codes >= 0).tolist()

        self.design = LabelDesign.empty(self.side, model.counts)
        self.e_process = None
        if model.terms is not None:
            self.e_process = RatioTest.start(*model.terms, confidence_level=confidence_level)
        self.certificate = certificate

        # The answer, 1, 0 or -1, of each item whose label was changed later.
        self.first_answers: dict[int, int] = {}
        self.n_updates = 0
        self.n_queries = 0
        self._waiting: list[tuple[np.ndarray, Batch | None]] = []
        if self.order:
            self._enter(np.array(self.order), None)

    def __getstate__(self) -> dict[str, Any]:
        # Most items have no record.
        items = np.flatnonzero((self.asked != NEVER) | (self.answered != NEVER))
        recorded = {name: getattr(self, name)[items] for name in OF_ITEMS}
        return vars(self) | recorded | {"_recorded": items}

    def __setstate__(self, state: dict[str, Any]) -> None:
        items = state.pop("_recorded")
        n = len(state["codes"])
        for name in OF_ITEMS:
            values = np.full(n, RECORD[name])
            values[items] = state[name]
            state[name] = values
        vars(self).update(state)

    def copy(self) -> QueryLog:
        """Return an independent copy, so that failures change nothing."""
        other = copy(self)
        for name in ("codes", *OF_ITEMS):
            setattr(other, name, getattr(self, name).copy())
        other.order = list(self.order)
        other._waiting = list(self._waiting)
        return other

    @property
    def free(self) -> np.ndarray:
        """Which items are neither labeled nor pending nor skipped."""
        return (self.codes < 0) & (self.asked == NEVER) & ~self.skipped

    @property
    def candidates(self) -> np.ndarray:
        """Which items may be queried, and count for the metric."""
        return self.free if self.may_be_asked is None else self.free & self.may_be_asked

    @property
    def n_left(self) -> int:
        """Number of items that may be queried."""
        return int(self.counts[self.candidates].sum())

    @property
    def n_items(self) -> int:
        return int(self.counts.sum())

    @property
    def is_complete(self) -> bool:
        """Whether all items are labeled."""
        return not (self.codes < 0).any()

    @property
    def is_over(self) -> bool:
        """Whether no item is left to label."""
        return not self.candidates.any() and not len(self.pending)

    @property
    def pending(self) -> np.ndarray:
        """The queried items without an answer, in order."""
        order = np.array(self.order, dtype=np.intp)
        return order[self.answered[order] == NEVER]

    @property
    def n_labels(self) -> int:
        return int(np.count_nonzero(self.codes >= 0))

    @property
    def place(self) -> np.ndarray:
        """Position of each item among all queried or labeled ones; -1 for others."""
        place = np.full(len(self.codes), NEVER)
        place[self.order] = np.arange(len(self.order))
        return place

    @property
    def in_part(self) -> bool:
        """Whether a batch is partly answered."""
        return any(
            batch is not None and 0 < np.count_nonzero(self.answered[items] != NEVER) < len(items)
            for items, batch in self._waiting
        )

    @property
    def n_waiting(self) -> int:
        """Number of answers that wait for earlier ones to enter the design."""
        return sum(int((self.answered[items] != NEVER).sum()) for items, _ in self._waiting)

    @property
    def outside(self) -> np.ndarray:
        """The items that were labeled without a query, except at the start."""
        return np.flatnonzero((self.asked == NEVER) & (self.answered > 0))

    @property
    def n_labels_at_looks(self) -> list[int]:
        """Number of labels in the design after each update that completed a batch."""
        answered = np.maximum.accumulate(self.answered[self.design.items])
        ends = np.flatnonzero(np.diff(answered, append=np.inf)) + 1
        return ends.tolist()

    def review(self, ranks: np.ndarray | None, order: CommittedOrder | None) -> Review:
        """Return labels and inclusion probabilities in the order of draws; `ranks` or None."""
        design = self.design
        items = np.asarray(design.items, dtype=np.intp)
        ranks = None if ranks is None else ranks[items]
        is_drawn = np.isclose(design.chances * design.free[:-1].sum(axis=1), 1.0)
        return Review(self.n_items, items, ranks, design.labels, is_drawn, order)

    def record(self, labels: BinaryLabels) -> dict[str, np.ndarray]:
        """Return the labels of all items, and their record, as users write labels."""
        label = np.full(len(self.codes), None, dtype=object)
        is_labeled = self.codes >= 0
        label[is_labeled] = labels.decode(self.codes[is_labeled]).tolist()

        # A label that was changed stays a changed one, however often the table is read.
        answer = label.copy()
        for item, code in self.first_answers.items():
            answer[item] = None if code < 0 else labels.decode(np.array([code])).tolist()[0]

        columns = {name: getattr(self, name) for name in OF_ITEMS}
        columns |= {"order": self.place, "answer": answer}
        return {"label": label} | {name: columns[name] for name in RECORD}

    def set_apart(self, origins: np.ndarray, counts: np.ndarray | None) -> None:
        """Make room for items that are separated from the rows `origins` (n_new,)."""
        for name in ("codes", "side", *OF_ITEMS):
            values = getattr(self, name)
            setattr(self, name, np.append(values, values[origins]))
        self.counts = counts

    def ask(self, batch: Batch) -> None:
        """Record a query."""
        self._note(batch)
        self.asked[batch.items] = self.n_updates
        self.query[batch.items] = self.n_queries
        self.n_queries += 1
        self.order += batch.items.tolist()
        self._waiting.append((batch.items, batch))

    def correct(self, batch: Batch) -> None:
        """Replace the last batch by another one of the same items."""
        self._note(batch)
        self._waiting[-1] = (batch.items, batch)

    def _note(self, batch: Batch) -> None:
        """Record the inclusion probabilities of a batch."""
        self.chance[batch.items] = batch.chances

    def selection(self, items: np.ndarray, codes: np.ndarray) -> None:
        """Record labels: 1, 0, and -1 for skipped items."""
        self.n_updates += 1
        outside = items[self.asked[items] == NEVER]
        self.order += outside.tolist()

        self.codes[items] = codes
        self.skipped[items] = codes < 0
        self.answered[items] = self.n_updates

        # Batches enter the design in the order of the draws, up to the first incomplete one.
        if len(outside):
            self._waiting.append((outside, None))
        while self._waiting and (self.answered[self._waiting[0][0]] != NEVER).all():
            self._enter(*self._waiting.pop(0))
        if self.e_process is not None:
            self.e_process = self.e_process.extended(self.design)

    def _enter(self, items: np.ndarray, batch: Batch | None) -> None:
        """Add a complete batch to the design; None for labels without a query."""
        labels = np.where(self.codes[items] < 0, np.nan, self.codes[items].astype(float))
        side = self.side[items]
        if batch is None or np.isnan(batch.chances).any():
            self.design = self.design.extended(items, labels, side)
        else:
            self.design = self.design.extended(
                items,
                labels,
                side,
                chances=batch.chances,
                predictions=batch.predictions,
                expected_positives=batch.expected_positives,
                reach=batch.reach,
                squares=batch.squares,
            )

        if self.certificate is not None:
            self.certificate = self._certified(self.certificate, items, batch)

    def _certified(
        self, certificate: GoalCertificate, items: np.ndarray, batch: Batch | None
    ) -> GoalCertificate:
        """Return the updated certificate; labels that were not drawn are known from now on."""
        codes = self.codes[items]
        if batch is None or not batch.threshold_counts:
            # Those known at the start are set aside already.
            is_new = ~certificate.is_known(items)
            return certificate.with_labels(items[is_new], codes[is_new])
        for draw in zip(items, codes, batch.chances, batch.threshold_counts, strict=True):
            certificate = certificate.drawn(*draw)
        return certificate


def as_lists(indices: Any, labels: Any, index: Any) -> tuple[Any, Any]:
    """Return indices and labels as lists; check a pandas index of labels against that of X."""
    indices = read_column(indices, "indices")
    labels = read_column(labels, "labels")
    if _is_single(indices) and _is_single(labels):
        return [indices], [labels]
    check_aligned(indices=indices, labels=labels)
    check_labels_of(indices, labels, index)
    return indices, labels


def _is_single(value: object) -> bool:
    """Return whether a value is a scalar, not a list or an array."""
    is_text = isinstance(value, (str, bytes))
    return is_text or not hasattr(value, "__len__") or getattr(value, "shape", None) == ()


def check_indices(indices: ArrayLike, n_items: int) -> np.ndarray:
    """Return the validated indices of items."""
    is_one = np.isscalar(indices) or getattr(indices, "ndim", 1) == 0
    places = as_plain(np.atleast_1d(indices) if is_one else indices, "indices")

    if places.dtype.kind == "b":
        raise ValueError("indices must be row numbers of X; for a mask pass np.flatnonzero(mask).")
    if places.ndim != 1 or (places.dtype.kind not in "iu" and len(places)):
        raise ValueError(
            f"indices must be whole numbers, row numbers of X; got an array of shape "
            f"{places.shape} and dtype {places.dtype}."
        )

    is_outside = (places < 0) | (places >= n_items)
    if is_outside.any():
        raise ValueError(
            f"indices must lie between 0 and {n_items - 1}, got {places[is_outside][0]}; they are "
            "row numbers of the X passed to fit."
        )
    return places.astype(np.intp)


def check_answers(
    indices: ArrayLike,
    codes: np.ndarray,
    rows: ItemRows,
    query_log: QueryLog,
    labels: BinaryLabels,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the items without an answer before, and their codes, -1 if skipped now."""
    row_numbers = check_indices(indices, rows.n_rows)
    if len(row_numbers) != len(codes):
        raise ValueError(
            f"indices and labels must have the same length, got {len(row_numbers)} and "
            f"{len(codes)}."
        )

    # An item may be repeated with the same label: its first place counts.
    places = rows.checked(row_numbers)
    _, first, inverse = np.unique(places, return_index=True, return_inverse=True)
    is_contradicted = codes != codes[first][inverse]
    if is_contradicted.any():
        item = row_numbers[is_contradicted][0]
        raise ValueError(
            f"Item {item} is duplicated, with two different labels or once without one. Correct "
            "it; nothing was changed."
        )
    first = np.sort(first)
    items = places[first]
    codes = codes[first]

    # A missing answer does not remove an earlier label.
    earlier = query_log.codes[items]
    is_changed = (earlier >= 0) & (codes >= 0) & (codes != earlier)
    if is_changed.any():
        item = rows.of_items(items[is_changed])[0]
        label = labels.decode(earlier[is_changed]).tolist()[0]
        raise ParameterError(
            f"Item {item} was labeled {label!r} before and has "
            "another label now; nothing was changed.",
            "To correct a label, correct it in the table (to_frame) and resume from there "
            "(from_frame).",
            "labels",
        )
    return check_new(items, codes, rows, query_log)


def check_new(
    items: np.ndarray, codes: np.ndarray, rows: ItemRows, query_log: QueryLog
) -> tuple[np.ndarray, np.ndarray]:
    """Return the answers of items that had none; raise for a label of a skipped item."""
    is_late = query_log.skipped[items] & (codes >= 0)
    if is_late.any():
        raise ParameterError(
            f"Item {rows.of_items(items[is_late])[0]} was skipped before, and the estimate "
            "excludes it; nothing was changed.",
            "To add it, write its label into the table (to_frame) and resume from it (from_frame).",
            "labels",
        )

    is_new = (query_log.codes[items] < 0) & ~query_log.skipped[items]
    return items[is_new], codes[is_new]


def warn_of_answers(items: np.ndarray, codes: np.ndarray, query_log: QueryLog) -> None:
    """Warn of items that were not queried, and of skipped ones."""
    n_outside = int(np.count_nonzero(query_log.asked[items] == NEVER))
    if n_outside:
        warnings.warn(
            f"{n_outside} of {len(items)} items were not queried. They are used as known labels; "
            "they must have been chosen by their scores and earlier labels alone.",
            OutsideDesignWarning,
            stacklevel=3,
        )

    n_skipped = int(np.count_nonzero(codes < 0))
    if n_skipped:
        warnings.warn(
            f"{n_skipped} of {len(items)} items have no label: they count as skipped, and will not "
            "be queried again. Skipped items are rarely a random sample.",
            SkippedLabelsWarning,
            stacklevel=3,
        )
