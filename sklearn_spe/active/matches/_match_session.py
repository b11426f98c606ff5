"""Objects that are being vetted, and the detections that claim them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...curves._question import Question
from ...inputs._array_like import unmasked
from ...results._verdict import Reason
from ..boards._items import BoardItems
from ..label_models._label_draws import CORRELATION, Coupling
from ..sessions._answers import check_indices, check_new
from ..sessions._board_session import BoardSession
from ._match_board import match_board
from ._matches import SegmentationMatches
from ._overlap import OverlapModel

__all__ = ["MatchSession", "as_overlaps"]


class MatchSession(BoardSession):
    """A session whose items are objects: each settles all claims on it, at all thresholds.

    Attributes
    ----------
    matches : SegmentationMatches
    """

    def __init__(self, question: Question, matches: SegmentationMatches, overlaps, *model):
        self.matches = matches
        board, places = match_board(question.metric, matches), matches.items
        known = _is_vetted(matches.claims[places], overlaps[places])
        board = board.vetted(*_settled(matches.claims, overlaps, places[known]))
        item = _items_of(board, places)
        items = BoardItems(places, matches.n_objects, np.where(known, 1, -1), item)
        super().__init__(question, board, items, *model)

    # An object is vetted or not: overlaps are no two classes.
    n_kinds = 1

    @property
    def codes(self):
        return self.board.codes

    @property
    def label_proba(self):
        return self.probability

    def simulated_labels(self, rng):
        raise ValueError(
            "plan() simulates labels, and vetted objects have overlaps: it is not there for "
            "SegmentationMatches. Label some more, and look at history_."
        )

    def read(self, indices, labels, names):
        rows = check_indices(indices, self.n_rows)
        overlaps = as_overlaps(labels, len(rows), self.matches.n_systems)
        items = self.items_of(rows)
        if (items < 0).any():
            raise ValueError(
                f"Object {rows[items < 0][0]} is claimed by no detection: its mask does not "
                f"matter. Leave it out; nothing was changed."
            )
        claims = self.matches.claims[rows]
        values = np.where(claims >= 0, overlaps, 0.0)
        missing = np.isnan(values)
        skipped = (missing | (claims < 0)).all(axis=1)
        partly = missing.any(axis=1) & ~skipped
        if partly.any():
            raise ValueError(
                f"Object {rows[partly][0]} has no overlap for some system that claims it, and has "
                f"one for another; a mask tells all of them. Nothing was changed."
            )
        if len(np.unique(rows)) < len(rows):
            raise ValueError("An object comes twice; nothing was changed.")
        codes = np.where(skipped, -1, 1)
        again = (self.query_log.codes[items] >= 0) & ~skipped
        _, known = _settled(self.matches.claims, self._overlaps(), rows[again])
        _, now = _settled(self.matches.claims, self._spread(rows, overlaps), rows[again])
        if not np.allclose(known, now):
            raise ValueError(
                f"An object, {rows[again][0]} say, was vetted before and gets other overlaps "
                f"now; nothing was changed."
            )
        items, codes = check_new(items, codes, self)
        return items, codes, self._spread(rows, overlaps)

    def _overlaps(self):
        """Return what is known of the overlaps, (n_objects, n_systems)."""
        of_detection = np.full(self.matches.n_detections, np.nan)
        of_detection[self.board.detection] = self.board.overlap
        return self.matches.overlaps_of(of_detection, np.arange(self.matches.n_objects))

    def _spread(self, rows, overlaps):
        spread = np.full((self.matches.n_objects, self.matches.n_systems), np.nan)
        spread[rows] = overlaps
        return spread

    def _take(self, items, codes, overlaps):
        rows = self.places[items[codes >= 0]]
        self.board = self.board.vetted(*_settled(self.matches.claims, overlaps, rows))

    def _fit(self):
        super()._fit()
        if self._label_draws.coupling is None:
            coupling = Coupling(self.board.claim, self.board.owner, CORRELATION)
            self._label_draws = replace(self._label_draws, coupling=coupling)

    def _model_reasons(self):
        reasons = super()._model_reasons()
        if not isinstance(self.label_model, OverlapModel):
            text = (
                f"label_model={self.label_model.name!r} takes what a mask tells at each threshold "
                f"for independent, and its intervals are too narrow; 'overlap' does not."
            )
            reasons.append(Reason("dependent_thresholds", "ok", text, 1.0, 0.0))
        return reasons

    def _checked(self, items, codes):
        # Overlaps are no labels of two kinds: there is nothing to bet on.
        return self.model_check

    def vetted_values(self):
        """Return the metric of each list with vetted objects alone.

        Detections without an object count as much as there are vetted objects of their category.
        """
        board, share = self.board, self._share_vetted
        weights = np.where(board.claim < 0, share[board.group], self.codes >= 0)
        values = board.values(np.maximum(self.codes, 0)[np.newaxis], weights, share)[0]
        return np.where(self._has_vetted, values, np.nan)

    @property
    def _has_vetted(self):
        # An object that a system has missed tells of it as well.
        return self._share_vetted[self.board.list_group] > 0.0

    @property
    def _share_vetted(self) -> np.ndarray:
        """Return the share of vetted objects, one where no object is claimed, (n_groups,)."""
        board, group = self.board, self.items.groups(self.board.group)
        n_items = np.bincount(group, minlength=board.n_groups)
        n_vetted = np.bincount(group, self.query_log.codes >= 0, board.n_groups)
        return np.where(n_items > 0, n_vetted / np.maximum(n_items, 1), 1.0)


def as_overlaps(labels, n_objects: int, n_systems: int) -> np.ndarray:
    """Return overlaps of objects, (n_objects, n_systems), NaN where there is none.

    Raises
    ------
    ValueError
        If the shape is wrong, or a number lies outside [0, 1].
    """
    labels = unmasked(labels)
    labels = np.asarray(labels.to_numpy() if hasattr(labels, "to_numpy") else labels, dtype=object)
    if labels.ndim == 1:
        # One system, or nobody could draw a mask.
        labels = np.repeat(labels[:, np.newaxis], 1 if _is_told(labels) else n_systems, axis=1)
    overlaps = np.where(labels == None, np.nan, labels).astype(float)  # noqa: E711
    if overlaps.shape != (n_objects, n_systems):
        raise ValueError(
            f"Vetted objects have one true overlap a system, of shape ({n_objects}, {n_systems}), "
            f"NaN where a system does not claim the object; got {overlaps.shape}. "
            f"SegmentationMatches.overlaps_of makes them of the overlaps of detections."
        )
    wrong = (overlaps < 0.0) | (overlaps > 1.0)
    if wrong.any():
        raise ValueError(f"Overlaps must lie in [0, 1], got {overlaps[wrong][0]}.")
    return overlaps


def _is_told(column) -> bool:
    """Return whether any of the values is there."""
    return any(value is not None and value == value for value in column)


def _is_vetted(claims, overlaps) -> np.ndarray:
    """Return which objects have an overlap for every claim; raise where some have."""
    known = ~np.isnan(np.where(claims >= 0, overlaps, 0.0))
    some = (known & (claims >= 0)).any(axis=1) & ~known.all(axis=1)
    if some.any():
        raise ValueError(
            f"{int(some.sum())} objects have a true overlap for some of the systems that claim "
            f"them, and none for others; a mask tells all of them."
        )
    return np.asarray(known.all(axis=1))


def _settled(claims, overlaps, rows):
    """Return the detections that claim objects, and their overlaps."""
    claimed = claims[rows] >= 0
    detections, values = claims[rows][claimed], overlaps[rows][claimed]
    order = np.argsort(detections)
    return detections[order], values[order]


def _items_of(board, places) -> np.ndarray:
    owner = np.searchsorted(places, board.owner)
    return np.where(board.claim < 0, -1, owner[board.claim])
