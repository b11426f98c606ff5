"""Tables: what is asked for and labelled, out to a spreadsheet and back."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._labels import is_unlabeled
from ..exceptions import OutsideDesignWarning
from ._answers import check_indices
from ._label_studio import tasks_of
from ._ledger import NEVER
from ._parameters import as_strategy

__all__ = ["TableExchange"]

RECORD = ("order", "chance", "asked", "answered", "skipped")
# Chances are computed again up to rounding.
SAME_CHANCE = 1e-6


class TableExchange:
    """Mixin of what writes all that it knows of its items as a table, and resumes from one.

    It needs `fit`, `update` and `_publish`, and the attributes of `ActiveTestSelector`.
    """

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
            "item", the place in X; "score"; "label", missing where there is none; "probability"
            to be positive; and how the label came about: "order" among all items asked for or
            labelled, "chance" of the draw, "asked" and "answered", the number of updates before
            it was asked for and of the one that brought its label (-1 for never), "skipped".

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
        session, ledger = self._session, self._session.ledger
        n = len(ledger.codes)
        order = np.full(n, NEVER)
        order[ledger.order] = np.arange(len(ledger.order))
        label = np.full(n, None, dtype=object)
        known = ledger.codes >= 0
        label[known] = self.performance_.mixture_.labels_.decode(ledger.codes[known]).tolist()
        columns = {
            "item": np.arange(n),
            "score": self.performance_.orientation_.turn(session.scores),
            "label": label,
            "probability": self.label_proba_,
            "order": order,
            "chance": ledger.chances,
            "asked": ledger.asked,
            "answered": ledger.answered,
            "skipped": ledger.skipped,
        }
        if session.category is not None:
            columns["category"] = session.category
        rows = slice(None) if indices is None else check_indices(indices, n)
        return {name: np.array(column[rows]) for name, column in columns.items()}

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
    def from_frame(cls, frame, **parameters):
        """Resume from a table, whether or not labels were filled in since.

        Parameters
        ----------
        frame : DataFrame or mapping of str to array-like
            As :meth:`to_frame` returned it for all items, rows in any order; or any table with
            columns "score" and "label", which is then the start. Labels that were filled in are
            taken as one update.
        **parameters
            Of the selector: those with which the table was made, `random_state` too, continue as
            if labelling had never stopped.

        Returns
        -------
        selector : ActiveTestSelector
            Fitted.

        Raises
        ------
        ValueError
            If a column is missing.
        """
        columns = {name: np.asarray(frame[name]) for name in frame}
        missing = [name for name in ("score", "label") if name not in columns]
        if missing:
            raise ValueError(
                f"The table has no column {', '.join(missing)}; it has {', '.join(columns)}."
            )
        if "item" in columns:
            rows = np.argsort(columns["item"], kind="stable")
            columns = {name: column[rows] for name, column in columns.items()}
        selector = cls(**parameters)
        if not set(RECORD) <= set(columns):
            return selector.fit(
                columns["score"], columns["label"], category=columns.get("category")
            )
        selector._resume(columns)
        return selector

    def _resume(self, columns) -> None:
        """Do again what a table tells."""
        marker = getattr(self.label_model, "unlabeled_label", -1)
        classes = getattr(self.label_model, "classes", self.classes)
        labels = columns["label"].astype(object)
        told = ~is_unlabeled(labels, classes=classes, unlabeled_label=marker)
        order, asked, answered = (
            columns[name].astype(float).astype(int) for name in ("order", "asked", "answered")
        )
        chances = columns["chance"].astype(float)
        skipped = np.isin(columns["skipped"].astype(str), ("True", "true", "TRUE", "1", "1.0"))
        started = np.where(answered == 0, labels, None)
        self._begin(columns["score"], started, columns.get("category"))
        session, names = self._session, self._labels_with(labels[told])
        codes = names.codes(np.where(told, labels, None), len(labels))
        in_order = np.argsort(order, kind="stable")
        in_order = in_order[order[in_order] != NEVER]
        for k in range(max(asked.max(), answered.max() - 1) + 1):
            self._ask_again(in_order[asked[in_order] == k], chances)
            items = in_order[answered[in_order] == k + 1]
            if len(items):
                session.take(items, codes[items], names)
        self._guessed = self._guessed and not session.ledger.n_labels
        self._publish()
        new = np.flatnonzero((answered == NEVER) & (told | (skipped & (asked != NEVER))))
        if len(new):
            self.update(new, np.where(told, labels, None)[new])

    def _ask_again(self, items, chances) -> None:
        if not len(items):
            return
        how = {"draw": self.draw, "exploration": self.exploration}
        batch, _ = self._session.ask(as_strategy(self.strategy), len(items), items=items, **how)
        recorded = chances[items]
        if not np.allclose(batch.chances, recorded, rtol=SAME_CHANCE, equal_nan=True):
            warnings.warn(
                "The chances in the table are not those that these parameters give: pass the "
                "parameters, and the random_state, with which it was made. The recorded chances "
                "are used; intervals that hold at all times may hold less often.",
                OutsideDesignWarning,
                stacklevel=5,
            )
            self._session.ledger.correct(replace(batch, chances=recorded))
