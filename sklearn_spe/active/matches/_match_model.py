"""The model of objects that are being verified, and of the detections matched to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...curves._question import Question
from ...results._verdict import Reason
from ..lists._items import ListItems
from ..sessions._answers import check_indices, check_new
from ..sessions._list_model import ListModel
from ._coupling import CORRELATION, MatchCoupling
from ._match_lists import MatchLists, match_lists
from ._matches import SegmentationMatches
from ._overlap import OverlapModel
from ._verified_overlaps import as_overlaps, is_verified, settled

__all__ = ["MatchModel"]


class MatchModel(ListModel):
    """A label model of detections; an item is an object, which determines all its matches."""

    ranked_lists: MatchLists
    has_classes = False

    def __init__(self, question: Question, matches: SegmentationMatches, overlaps, *model, **how):
        places = matches.items
        matched_detections, overlaps = matches.matched_detections[places], overlaps[places]
        known = is_verified(matched_detections, overlaps)
        ranked_lists = match_lists(question.metric, matches).verified(
            *settled(matched_detections[known], overlaps[known])
        )
        owner = np.searchsorted(places, ranked_lists.owner)
        item = np.where(ranked_lists.match < 0, -1, owner[ranked_lists.match])
        items = ListItems(places, matches.n_objects, np.where(known, 1, -1), item)
        super().__init__(question, ranked_lists, items, *model, **how)
        self.matches = matches

    @property
    def row_codes(self):
        return self.ranked_lists.codes

    def _drawn(self):
        draws, ranked_lists = super()._drawn(), self.ranked_lists
        if draws.coupling is None:
            draws = replace(
                draws, coupling=MatchCoupling(ranked_lists.match, ranked_lists.owner, CORRELATION)
            )
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
        items, matched_detections = (
            self.rows.items_at(objects),
            self.matches.matched_detections[objects],
        )
        if (items < 0).any():
            raise ValueError(
                f"Object {objects[items < 0][0]} is matched to no detection: its mask does not "
                "matter. Leave it out; nothing was changed."
            )
        missing = np.isnan(np.where(matched_detections >= 0, overlaps, 0.0))
        skipped = (missing | (matched_detections < 0)).all(axis=1)
        partly = missing.any(axis=1) & ~skipped
        if partly.any():
            raise ValueError(
                f"Object {objects[partly][0]} lacks the overlap of some system matched to it, and "
                "has that of another; one mask determines all of them. Nothing was changed."
            )
        if len(np.unique(objects)) < len(objects):
            raise ValueError("An object is duplicated; nothing was changed.")
        again = (query_log.codes[items] >= 0) & ~skipped
        detections, now = settled(matched_detections[again], overlaps[again])
        if not np.allclose(self.ranked_lists.overlap_of(detections), now):
            raise ValueError(
                f"Objects such as {objects[again][0]} were verified before with other overlaps; "
                "nothing was changed."
            )
        new = ~skipped & ~again
        codes = np.where(skipped, -1, 1)
        checked = check_new(items, codes, self.rows, query_log)
        return *checked, settled(matched_detections[new], overlaps[new])

    def updated(self, codes, labels, details=None):
        new = super().updated(codes, labels)
        return (
            new
            if details is None
            else new._changed(ranked_lists=self.ranked_lists.verified(*details))
        )

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

    def _verified_values(self):
        # Detections without an object have the weight of the verified objects of their category.
        ranked_lists, share = self.ranked_lists, self._share_verified
        weights = np.where(ranked_lists.match < 0, share[ranked_lists.group], self.row_codes >= 0)
        values = ranked_lists.values(np.maximum(self.row_codes, 0)[np.newaxis], weights, share)[0]
        return np.where(self._has_verified, values, np.nan)

    @property
    def _has_verified(self):
        # An object that a system missed enters its recall as well.
        return self._share_verified[self.ranked_lists.list_group] > 0.0

    @property
    def _share_verified(self) -> np.ndarray:
        """Return the share of verified objects, one where no object is matched, (n_groups,)."""
        ranked_lists, group = self.ranked_lists, self.items.groups(self.ranked_lists.group)
        n_items = np.bincount(group, minlength=ranked_lists.n_groups)
        n_verified = np.bincount(group, self.codes >= 0, ranked_lists.n_groups)
        return np.where(n_items > 0, n_verified / np.maximum(n_items, 1), 1.0)

    # --- output ---------------------------------------------------------------------------------

    def columns(self):
        raise ValueError(
            "Overlaps of SegmentationMatches cannot be stored in a table of labels. To resume "
            "later, keep the verified objects and their overlaps, and pass them as y to fit."
        )
