"""Ranked lists of detections, one for each system, category and overlap threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..lists._items import members_of
from ..lists._ranked_list import RankedList
from ..lists._ranked_lists import RankedLists
from ._matches import SegmentationMatches

__all__ = ["MatchLists", "match_lists"]


@dataclass(frozen=True, eq=False)
class MatchLists(RankedLists):
    """Ranked lists of detections at all thresholds."""

    # (n_rows,), of int; index of the match, -1 for detections without an object.
    match: np.ndarray
    threshold: np.ndarray  # (n_rows,); NaN for detections without an object
    owner: np.ndarray  # (n_matches,), of int; the object of each match
    detection: np.ndarray  # (n_matches,), of int
    overlap: np.ndarray  # (n_matches,); the true overlap, NaN where unknown

    stand_in: ClassVar[str] = "overlap"

    @property
    def codes(self) -> np.ndarray:
        """The known labels, (n_rows,)."""
        overlap = np.where(self.match < 0, 0.0, self.overlap[self.match])
        reached = overlap >= np.nan_to_num(self.threshold, nan=2.0)
        return np.where(np.isnan(overlap), -1, reached.astype(int))

    def overlap_of(self, detections) -> np.ndarray:
        """Return the true overlaps of detections that are matched to an object."""
        return self.overlap[np.searchsorted(self.detection, detections)]

    def verified(self, detections, overlaps) -> MatchLists:
        """Return the lists with some more true overlaps."""
        overlap = self.overlap.copy()
        overlap[np.searchsorted(self.detection, detections)] = overlaps
        return replace(self, overlap=overlap)


def match_lists(metric, matches: SegmentationMatches) -> MatchLists:
    """Return the ranked lists of detections at all thresholds."""
    if not len(matches.items):
        raise ValueError("No detection is matched to an object: no item can be verified.")
    thresholds = matches.thresholds
    matched, lost = np.flatnonzero(matches.object >= 0), np.flatnonzero(matches.object < 0)
    detection = np.r_[np.repeat(matched, len(thresholds)), lost]
    threshold = np.r_[np.tile(thresholds, len(matched)), np.full(len(lost), np.nan)]
    number = np.r_[np.tile(np.arange(len(thresholds)), len(matched)), np.full(len(lost), -1)]
    found = matches.coarse_overlap[detection] >= np.nan_to_num(threshold, nan=2.0)
    n_groups = int(matches.object_category.max(initial=-1)) + 1
    n_groups = max(n_groups, int(matches.category.max()) + 1)
    n_objects = np.bincount(matches.object_category, minlength=n_groups)
    # Rows by system and category, then by threshold: one pass over all of them.
    place = matches.system[detection] * n_groups + matches.category[detection]
    members = members_of(place, matches.n_systems * n_groups)
    lists = []
    for cell, own in enumerate(members):
        system, group = divmod(cell, n_groups)
        if not n_objects[group]:
            continue
        for k in range(len(thresholds)):
            rows = own[(number[own] == k) | (number[own] < 0)]
            scores = matches.score[detection[rows]]
            lists.append(
                RankedList.ranked(
                    metric, rows, scores, system, group, n_positive=int(n_objects[group])
                )
            )
    return MatchLists(
        _ranked_within(matches)[detection][:, np.newaxis],
        found.astype(int),
        matches.category[detection],
        n_groups,
        _features(matches, detection, threshold),
        tuple(lists),
        match=np.r_[np.repeat(np.arange(len(matched)), len(thresholds)), np.full(len(lost), -1)],
        threshold=threshold,
        owner=matches.object[matched],
        detection=matched,
        overlap=np.full(len(matched), np.nan),
    )


def _ranked_within(matches) -> np.ndarray:
    """Return the share of the detections of the same system with a smaller score."""
    shares = np.empty(matches.n_detections)
    for system in range(matches.n_systems):
        own = matches.system == system
        values, tie = np.unique(matches.score[own], return_inverse=True)
        counts = np.bincount(tie, minlength=len(values))
        shares[own] = ((np.cumsum(counts) - counts / 2.0) / counts.sum())[tie]
    return shares


def _features(matches, detection, threshold) -> np.ndarray:
    """Return the features of rows: overlap, threshold, system, and further ones."""
    columns = [matches.coarse_overlap[detection], np.nan_to_num(threshold, nan=1.0)]
    if matches.n_systems > 1:
        columns += [matches.system[detection] == m for m in range(matches.n_systems)]
    if matches.features is not None:
        columns += list(matches.features[detection].T)
    return np.stack(columns, axis=1).astype(float)
