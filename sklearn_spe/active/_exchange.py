"""Tables: what is asked for and labelled, out to a spreadsheet and back."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..exceptions import OutsideDesignWarning
from ..inputs._array_like import unmasked
from ..inputs._listed import MOST_NAMED, listed
from ._given_labels import Writing
from ._label_studio import tasks_of
from ._memory import is_memory, memory_of, parameters_of
from ._parameters import as_strategy
from ._record import RECORD, checked_rows
from .sessions._answers import check_indices
from .sessions._query_log import NEVER
from .sessions._session import Session
from .strategies._strategy import Strategy

__all__ = ["TableExchange"]

# Chances are computed again up to rounding.
SAME_CHANCE = 1e-6
# A reach with which no bet can be made.
UNBOUNDED = 1e100


class TableExchange:
    """Mixin of what writes all that it knows of its items as a table, and resumes from one.

    It needs what `ActiveTestSelector` has: `fit`, `update`, a session, and its parameters.
    """

    strategy: str | Strategy
    categories_: np.ndarray | None
    update: Callable
    _session: Session
    _said: set[str]
    _begin: Callable
    _drawing: Callable[[], dict]
    _labels_with: Callable
    _publish: Callable[[], None]

    def to_frame(self, indices=None):
        """Return a pandas DataFrame with one row an item, from which labelling can be resumed.

        Parameters
        ----------
        indices : array-like of int, default=None
            Which items, in this order, such as what `query` returned; None returns all, as
            resuming needs them.

        Returns
        -------
        frame : DataFrame
            "item", the place in X; "score", or "score_0", "score_1", ... of several systems; what
            else was given, "noisy_label", "category", "feature_0", ...; "label", missing where
            there is none; "probability" to be positive; and how the label came about: "order"
            among all items asked for or labelled, "chance" of the draw, "query" that asked for
            it, "asked" and "answered", the number of updates before that query and of the one
            that brought its label (-1 for never), "skipped", "answer", the label as it was
            answered; "session", the parameters of the selector, the same text in every row.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, truth = make_scores(2000, random_state=0)
        >>> selector = ActiveTestSelector(random_state=0).fit(scores)
        >>> frame = selector.to_frame(selector.query(3))
        >>> frame.columns[:4].tolist()
        ['item', 'score', 'label', 'probability']
        """
        import pandas as pd

        return pd.DataFrame(self.to_columns(indices))

    def to_columns(self, indices=None) -> dict:
        """Return the columns of :meth:`to_frame` as a dict of arrays."""
        check_is_fitted(self, "estimate_")
        session, query_log = self._session, self._session.query_log
        rows = session.model.rows
        columns = {"item": np.arange(rows.n_rows), **session.model.columns()}
        label = np.full(len(query_log.codes), None, dtype=object)
        known = query_log.codes >= 0
        label[known] = session.labels.decode(query_log.codes[known]).tolist()
        of_items = {
            "label": (label, None),
            "probability": (session.model.label_proba, np.nan),
            "order": (query_log.place, NEVER),
            "chance": (query_log.chances, np.nan),
            "query": (query_log.query, NEVER),
            "asked": (query_log.asked, NEVER),
            "answered": (query_log.answered, NEVER),
            "skipped": (query_log.skipped, False),
            "answer": (label, None),
        }
        columns |= {name: rows.spread(*column) for name, column in of_items.items()}
        if session.categories is not None:
            columns["category"] = session.categories[columns["category"]]
        n = rows.n_rows
        columns["session"] = np.full(n, memory_of(self, n), dtype=object)
        kept = slice(None) if indices is None else check_indices(indices, n)
        return {name: np.array(column[kept]) for name, column in columns.items()}

    def to_label_studio(self, indices, data=None) -> list[dict]:
        """Return tasks for Label Studio, to be written by ``json.dump``.

        Parameters
        ----------
        indices : array-like of int
            Which items, such as what `query` returned.
        data : sequence of dict, default=None
            What annotators shall see of each, such as ``{"text": ...}`` or ``{"image": ...}``.

        Returns
        -------
        tasks : list of dict
            The place of the item is its "item"; :func:`~sklearn_spe.active.read_label_studio`
            finds it in the export.
        """
        return tasks_of(self.to_columns(indices), data)

    @classmethod
    def from_frame(cls, frame, *, names=None, **parameters):
        """Resume from a table, whether or not labels were filled in since.

        Parameters
        ----------
        frame : DataFrame or mapping of str to array-like
            As :meth:`to_frame` returned it for all items, rows in any order; or any table with
            columns "score" and "label", which is then the start. Labels that were filled in are
            taken as one update.
        names : mapping of str to str, default=None
            How the table names columns that :meth:`to_frame` names otherwise, such as
            ``{"score": "logit", "label": "truth"}``.
        **parameters
            Of the selector. The table remembers those with which it was begun, the seed too, and
            goes on as if labelling had never stopped; only what it cannot hold, such as a function
            or a fitted classifier, must be passed again. Others than those of before are refused.

        Returns
        -------
        selector : ActiveTestSelector
            Fitted.

        Raises
        ------
        TypeError
            If it has no columns.
        ValueError
            If a column or a row is missing, a row comes twice, the record is not as it was
            written, or a parameter is another than when the table was begun.

        Warns
        -----
        OutsideDesignWarning
            If labels are not those that were answered; each is named.
        """
        columns, names = _columns_of(frame, {} if names is None else names)
        found = [name for name in RECORD if name in columns]
        # A table of somebody else may have a column of one of these names.
        if 2 * len(found) <= len(RECORD) and not is_memory(columns.get("session", ())):
            selector = cls(**parameters)
            return selector.fit(_scores_of(columns), columns["label"], **_others_of(columns))
        if lost := [names[name] for name in RECORD if name not in columns]:
            raise ValueError(
                f"The table has columns of a labelling that was begun, but not "
                f"{', '.join(map(repr, lost))}: go on from a copy that has all of them; or leave "
                f"all of them out, and its labels are those of a new start."
            )
        memory, rows = checked_rows(columns, names)
        known = cls().get_params(deep=False)
        selector = cls(**parameters_of(memory, parameters, known))
        selector._resume({name: column[rows] for name, column in columns.items()})
        return selector

    def _resume(self, columns) -> None:
        """Do again what a table tells."""
        writing = Writing.of(self)
        labels, answers = (_labels_of(columns[name], writing) for name in ("label", "answer"))
        told, was_told = ~writing.is_unlabeled(labels), ~writing.is_unlabeled(answers)
        order, query, asked, answered = (
            columns[name].astype(float).astype(int)
            for name in ("order", "query", "asked", "answered")
        )
        chances = columns["chance"].astype(float)
        skipped = np.isin(columns["skipped"].astype(str), ("True", "true", "TRUE", "1", "1.0"))
        started = _only(labels, answered == 0)
        self._begin(_scores_of(columns), started, **_others_of(columns))
        names = self._labels_with(np.r_[labels[told], answers[was_told]])
        codes = names.codes(_only(labels, told), len(labels))
        before = names.codes(_only(answers, was_told), len(labels))
        corrected = np.flatnonzero((answered != NEVER) & (codes != before))
        if len(corrected):
            self._warn_of_corrections(corrected, before, codes, names)
        in_order = np.argsort(order, kind="stable")
        in_order = in_order[order[in_order] != NEVER]
        for k in range(max(asked.max(), answered.max() - 1) + 1):
            now = in_order[asked[in_order] == k]
            for number in np.unique(query[now]):
                self._ask_again(now[query[now] == number], chances)
            rows = in_order[answered[in_order] == k + 1]
            if len(rows):
                items = self._session.model.rows.items_at(rows)
                self._session = self._session.after(items, codes[rows], names)
        self._publish()
        new = np.flatnonzero((answered == NEVER) & (told | (skipped & (asked != NEVER))))
        if len(new):
            self.update(new, _only(labels, told)[new])

    def _warn_of_corrections(self, items, before, codes, names) -> None:
        shown = [
            f"item {item} from {_shown(before[item], names)} to {_shown(codes[item], names)}"
            for item in items[:MOST_NAMED]
        ]
        warnings.warn(
            f"{len(items)} labels are not those that were answered: {listed(shown, len(items))}. "
            f"They are taken as they are now. Items that were drawn since were drawn by the old "
            f"ones: their recorded chances are used, and an interval that holds at all times does "
            f"not learn from them.",
            OutsideDesignWarning,
            stacklevel=4,
        )
        # That chances are others now is the consequence.
        self._said.add("other_chances")

    def _ask_again(self, rows, chances) -> None:
        items = self._session.model.rows.items_at(rows)
        batch, _ = self._session.ask(
            as_strategy(self.strategy), len(items), items=items, **self._drawing()
        )
        recorded = chances[rows]
        if np.allclose(batch.chances, recorded, rtol=SAME_CHANCE, equal_nan=True):
            return
        if "other_chances" not in self._said:
            warnings.warn(
                "The chances in the table are not those that come out now: a score was changed "
                "since, or what was passed again is another. "
                "The recorded chances are used; an interval that holds at all times does not learn "
                "from these items.",
                OutsideDesignWarning,
                stacklevel=5,
            )
            self._said.add("other_chances")
        # Nothing is known of the chances of the other items: no more can be bet.
        unbounded = np.full_like(batch.reach, UNBOUNDED)
        self._session.query_log.correct(replace(batch, chances=recorded, reach=unbounded))


def _only(labels, known) -> np.ndarray:
    """Return labels, None where they are not known."""
    kept = labels.astype(object)
    kept[~known] = None
    return kept


def _scores_of(columns) -> np.ndarray:
    """Return the scores in a table, of one system or of several."""
    numbered = _numbered(columns, "score")
    return columns["score"] if numbered is None else numbered


def _others_of(columns) -> dict:
    """Return what else `fit` takes and a table holds."""
    noisy = columns.get("noisy_label")
    return {
        "noisy_labels": noisy,
        "category": columns.get("category"),
        "features": _numbered(columns, "feature"),
    }


def _numbered(columns, name) -> np.ndarray | None:
    """Return the columns name_0, name_1, ... side by side; None if there are none."""
    found: list[np.ndarray] = []
    while f"{name}_{len(found)}" in columns:
        found.append(columns[f"{name}_{len(found)}"].astype(float))
    return np.stack(found, axis=1) if found else None


def _columns_of(frame, names) -> tuple[dict, dict]:
    """Return the columns of a table by the names of `to_frame`, and how the table names them."""
    has_columns = hasattr(frame, "columns") or hasattr(frame, "keys")
    if isinstance(frame, type) or not has_columns:
        raise TypeError(
            f"from_frame takes a table with columns such as 'score' and 'label', a DataFrame "
            f"or a dictionary; got {frame!r}."
        )
    if not isinstance(names, Mapping):
        raise TypeError(f"names must be a dictionary from our names to yours, got {names!r}.")
    # A frame of polars runs over columns, not over their names.
    theirs = list(getattr(frame, "columns", frame))
    if len(set(theirs)) < len(theirs):
        raise ValueError(f"The table names a column twice; it has {', '.join(map(repr, theirs))}.")
    ours = {their: name for name, their in names.items()}
    # What is named goes before what happens to have one of our names.
    taken = [their for their in theirs if their in ours or their not in names]
    columns = {ours.get(their, their): np.asarray(unmasked(frame[their])) for their in taken}
    names = {name: names.get(name, name) for name in (*RECORD, "score", "label", *columns)}
    score = "score_0" if "score_0" in columns else "score"
    if missing := [names[name] for name in (score, "label") if name not in columns]:
        raise ValueError(
            f"The table has no column {', '.join(map(repr, missing))}; it has "
            f"{', '.join(map(repr, theirs))}."
        )
    return columns, names


def _labels_of(column, writing) -> np.ndarray:
    labels = column.astype(object)
    told = ~writing.is_unlabeled(labels)
    if all(isinstance(value, float) and value.is_integer() for value in labels[told]):
        # Where labels are missing tables make 1 a 1.0.
        labels[told] = labels[told].astype(int)
    return labels


def _shown(code, names) -> str:
    return "nothing" if code < 0 else repr(names.decode(np.array([code])).tolist()[0])
