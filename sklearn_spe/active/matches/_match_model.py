"""The model of objects that are being verified, and of the detections matched to them."""

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
    """A label model of detections; an item is an object, which determines all its matches."""

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
            "plan() simulates binary labels, and is not supported for SegmentationMatches, whose "
            "verified objects have overlaps. Label some more, and see history_."
        )

    # --- overlaps -------------------------------------------------------------------------------

    def read(self, indices, labels, names, query_log):
        objects = check_indices(indices, self.rows.n_rows)
        overlaps = as_overlaps(labels, len(objects), self.matches.n_systems)
        items, claims = self.rows.items_at(objects), self.matches.claims[objects]
        if (items < 0).any():
            raise ValueError(
                f"Object {objects[items < 0][0]} is matched to no detection: its mask does not "
                "matter. Leave it out; nothing was changed."
            )
        missing = np.isnan(np.where(claims >= 0, overlaps, 0.0))
        skipped = (missing | (claims < 0)).all(axis=1)
        partly = missing.any(axis=1) & ~skipped
        if partly.any():
            raise ValueError(
                f"Object {objects[partly][0]} lacks the overlap of some system matched to it, and "
                "has that of another; one mask determines all of them. Nothing was changed."
            )
        if len(np.unique(objects)) < len(objects):
            raise ValueError("An object is duplicated; nothing was changed.")
        again = (query_log.codes[items] >= 0) & ~skipped
        detections, now = settled(claims[again], overlaps[again])
        if not np.allclose(self.board.overlap_of(detections), now):
            raise ValueError(
                f"Objects such as {objects[again][0]} were verified before with other overlaps; "
                "nothing was changed."
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
                f"label_model={self.label_model.name!r} treats the thresholds of a mask as "
                "independent, so that its intervals are too narrow; 'overlap' does not."
            )
            reasons.append(Reason("dependent_thresholds", "ok", text, 1.0, 0.0))
        return reasons

    def _vetted_values(self):
        # Detections without an object have the weight of the verified objects of their category.
        board, share = self.board, self._share_vetted
        weights = np.where(board.claim < 0, share[board.group], self.entry_codes >= 0)
        values = board.values(np.maximum(self.entry_codes, 0)[np.newaxis], weights, share)[0]
        return np.where(self._has_vetted, values, np.nan)

    @property
    def _has_vetted(self):
        # An object that a system missed enters its recall as well.
        return self._share_vetted[self.board.list_group] > 0.0

    @property
    def _share_vetted(self) -> np.ndarray:
        """Return the share of verified objects, one where no object is matched, (n_groups,)."""
        board, group = self.board, self.items.groups(self.board.group)
        n_items = np.bincount(group, minlength=board.n_groups)
        n_vetted = np.bincount(group, self.codes >= 0, board.n_groups)
        return np.where(n_items > 0, n_vetted / np.maximum(n_items, 1), 1.0)

    # --- output ---------------------------------------------------------------------------------

    def columns(self):
        raise ValueError(
            "Overlaps of SegmentationMatches cannot be stored in a table of labels. To resume "
            "later, keep the verified objects and their overlaps, and pass them as y to fit."
        )
