"""What is believed of objects that are being vetted, and of the detections that claim them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...curves._question import Question
from ...results._verdict import Reason
from ..boards._items import BoardItems
from ..sessions._answers import check_indices, check_new
from ..sessions._board_model import BoardModel
from ._coupling import CORRELATION, ClaimCoupling
from ._match_board import MatchBoard, match_board
from ._matches import SegmentationMatches
from ._overlap import OverlapModel
from ._vetted_overlaps import as_overlaps, is_vetted, settled

__all__ = ["MatchModel"]


class MatchModel(BoardModel):
    """A label model of a board of detections.

    Items are objects: one settles all claims on it, at all thresholds, and its code says whether
    it is vetted.

    Attributes
    ----------
    matches : SegmentationMatches
    """

    board: MatchBoard
    has_classes = False

    def __init__(self, question: Question, matches: SegmentationMatches, overlaps, *model, **how):
        places = matches.items
        claims, overlaps = matches.claims[places], overlaps[places]
        known = is_vetted(claims, overlaps)
        board = match_board(question.metric, matches).vetted(
            *settled(claims[known], overlaps[known])
        )
        owner = np.searchsorted(places, board.owner)
        item = np.where(board.claim < 0, -1, owner[board.claim])
        items = BoardItems(places, matches.n_objects, np.where(known, 1, -1), item)
        super().__init__(question, board, items, *model, **how)
        self.matches = matches

    @property
    def entry_codes(self):
        return self.board.codes

    def _drawn(self):
        draws, board = super()._drawn(), self.board
        if draws.coupling is None:
            draws = replace(draws, coupling=ClaimCoupling(board.claim, board.owner, CORRELATION))
        return draws

    def simulated_labels(self, rng):
        raise ValueError(
            "plan() simulates labels, and vetted objects have overlaps: it is not there for "
            "SegmentationMatches. Label some more, and look at history_."
        )

    # --- overlaps -------------------------------------------------------------------------------

    def read(self, indices, labels, names, query_log):
        objects = check_indices(indices, self.rows.n_rows)
        overlaps = as_overlaps(labels, len(objects), self.matches.n_systems)
        items, claims = self.rows.items_at(objects), self.matches.claims[objects]
        if (items < 0).any():
            raise ValueError(
                f"Object {objects[items < 0][0]} is claimed by no detection: its mask does not "
                f"matter. Leave it out; nothing was changed."
            )
        missing = np.isnan(np.where(claims >= 0, overlaps, 0.0))
        skipped = (missing | (claims < 0)).all(axis=1)
        partly = missing.any(axis=1) & ~skipped
        if partly.any():
            raise ValueError(
                f"Object {objects[partly][0]} has no overlap for some system that claims it, and "
                f"has one for another; a mask tells all of them. Nothing was changed."
            )
        if len(np.unique(objects)) < len(objects):
            raise ValueError("An object comes twice; nothing was changed.")
        again = (query_log.codes[items] >= 0) & ~skipped
        detections, now = settled(claims[again], overlaps[again])
        if not np.allclose(self.board.overlap_of(detections), now):
            raise ValueError(
                f"An object, {objects[again][0]} say, was vetted before and gets other overlaps "
                f"now; nothing was changed."
            )
        new = ~skipped & ~again
        codes = np.where(skipped, -1, 1)
        checked = check_new(items, codes, self.rows, query_log)
        return *checked, settled(claims[new], overlaps[new])

    def learned(self, codes, labels, told=None):
        new = super().learned(codes, labels)
        return new if told is None else new._changed(board=self.board.vetted(*told))

    # --- the metric -----------------------------------------------------------------------------

    def reasons(self, at_random):
        reasons = super().reasons(at_random)
        if not isinstance(self.label_model, OverlapModel):
            text = (
                f"label_model={self.label_model.name!r} takes what a mask tells at each threshold "
                f"for independent, and its intervals are too narrow; 'overlap' does not."
            )
            reasons.append(Reason("dependent_thresholds", "ok", text, 1.0, 0.0))
        return reasons

    def _vetted_values(self):
        # Detections without an object count as much as there are vetted objects of their category.
        board, share = self.board, self._share_vetted
        weights = np.where(board.claim < 0, share[board.group], self.entry_codes >= 0)
        values = board.values(np.maximum(self.entry_codes, 0)[np.newaxis], weights, share)[0]
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
        n_vetted = np.bincount(group, self.codes >= 0, board.n_groups)
        return np.where(n_items > 0, n_vetted / np.maximum(n_items, 1), 1.0)

    # --- outside --------------------------------------------------------------------------------

    def columns(self):
        raise ValueError(
            "Overlaps of SegmentationMatches do not fit in a table of labels. To resume later, "
            "keep the objects that were vetted and their overlaps, and pass them as y to fit."
        )
