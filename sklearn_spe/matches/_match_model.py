"""Sessions on matches: their ranked lists, the model, the start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ..active._parameters import as_label_model, level_of, question_of
from ..active._start import start_on
from ..active.label_models._label_model import LabelDraws, LabelModel
from ..active.label_models._registry import LABEL_MODELS
from ..active.lists._ranked_lists import (
    ListItems,
    RankedList,
    RankedLists,
    by_group,
    check_list_question,
    members_of,
)
from ..active.sessions._list_model import ListModel
from ..active.sessions._query_log import QueryLog, check_indices, check_new
from ..goals._question import Question
from ..inputs._arrays import mid_ranks
from ..inputs._groups import Partition
from ..inputs._labels import BinaryLabels
from ..inputs._scores import check_direction
from ..inputs._validation import as_numbers, seed_entropy, unmasked
from ..metrics._metric import RankingMetric
from ..metrics._ranking import AveragePrecision
from ..results._verdict import Reason
from ._matches import SegmentationMatches
from ._overlap import CORRELATION, MatchCoupling, OverlapModel

# Their label model can be had by name, as those of binary labels can.
LABEL_MODELS[OverlapModel.name] = OverlapModel


@dataclass(frozen=True, eq=False)
class MatchLists(RankedLists):
    """Ranked lists of detections at all thresholds."""

    # (n_rows,), of int; index of the match, -1 for detections without an object.
    match: np.ndarray
    threshold: np.ndarray  # (n_rows,); NaN for detections without an object
    owner: np.ndarray  # (n_matches,), of int; the object of each match
    detection: np.ndarray  # (n_matches,), of int
    overlap: np.ndarray  # (n_matches,); the true overlap, NaN where unknown

    stand_in: ClassVar[str] = OverlapModel.name

    @property
    def codes(self) -> np.ndarray:
        """The known labels, (n_rows,)."""
        overlap = np.where(self.match < 0, 0.0, self.overlap[self.match])
        reached = overlap >= np.nan_to_num(self.threshold, nan=2.0)
        return np.where(np.isnan(overlap), -1, reached.astype(int))

    def verified(self, detections: np.ndarray, overlaps: np.ndarray) -> MatchLists:
        """Return the lists with some more true overlaps; detections of -1 are left out."""
        overlap, matched = self.overlap.copy(), detections >= 0
        overlap[np.searchsorted(self.detection, detections[matched])] = overlaps[matched]
        return replace(self, overlap=overlap)


def match_lists(metric: RankingMetric, matches: SegmentationMatches) -> MatchLists:
    """Return the ranked lists of detections at all thresholds."""
    if not len(matches.items):
        raise ValueError("No detection is matched to an object: no item can be verified.")
    thresholds = matches.thresholds
    n_thresholds = len(thresholds)

    # A row for each matched detection and threshold, and one for each unmatched detection.
    matched = np.flatnonzero(matches.object >= 0)
    unmatched = np.flatnonzero(matches.object < 0)
    no_match = np.full(len(unmatched), -1)
    detection = np.r_[np.repeat(matched, n_thresholds), unmatched]
    match = np.r_[np.repeat(np.arange(len(matched)), n_thresholds), no_match]
    threshold_index = np.r_[np.tile(np.arange(n_thresholds), len(matched)), no_match]
    threshold = np.r_[np.tile(thresholds, len(matched)), np.full(len(unmatched), np.nan)]
    is_positive = matches.coarse_overlap[detection] >= np.nan_to_num(threshold, nan=2.0)

    n_groups = int(matches.object_category.max(initial=-1)) + 1
    n_groups = max(n_groups, int(matches.category.max()) + 1)
    n_objects = np.bincount(matches.object_category, minlength=n_groups)

    # Rows by system and category, then by threshold: one pass over all of them.
    cell = matches.system[detection] * n_groups + matches.category[detection]
    lists = []
    for index, cell_rows in enumerate(members_of(cell, matches.n_systems * n_groups)):
        system, group = divmod(index, n_groups)
        if not n_objects[group]:
            continue
        for k in range(n_thresholds):
            of_threshold = threshold_index[cell_rows]
            rows = cell_rows[(of_threshold == k) | (of_threshold < 0)]
            scores = matches.score[detection[rows]]
            n_positive = int(n_objects[group])
            ranked_list = RankedList.ranked(
                metric, rows, scores, system, group, n_positive=n_positive
            )
            lists.append(ranked_list)

    ranks = by_group(mid_ranks, matches.score, matches.system)
    return MatchLists(
        ranks[detection, np.newaxis],
        is_positive.astype(int),
        Partition.numbered(matches.category[detection], n_groups),
        _features(matches, detection, threshold),
        tuple(lists),
        match=match,
        threshold=threshold,
        owner=matches.object[matched],
        detection=matched,
        overlap=np.full(len(matched), np.nan),
    )


def _features(
    matches: SegmentationMatches, detection: np.ndarray, threshold: np.ndarray
) -> np.ndarray:
    """Return the features of rows: overlap, threshold, system, and further ones."""
    columns = [matches.coarse_overlap[detection], np.nan_to_num(threshold, nan=1.0)]
    if matches.n_systems > 1:
        columns += [matches.system[detection] == m for m in range(matches.n_systems)]
    if matches.features is not None:
        columns += list(matches.features[detection].T)
    return np.stack(columns, axis=1).astype(float)


def as_overlaps(labels: ArrayLike, n_objects: int, n_systems: int) -> np.ndarray:
    """Return overlaps of objects, (n_objects, n_systems), NaN where missing."""
    overlaps = as_numbers(unmasked(labels), "labels")
    if overlaps.ndim == 1:
        # One system, or all masks were skipped.
        n_columns = n_systems if np.isnan(overlaps).all() else 1
        overlaps = np.repeat(overlaps[:, np.newaxis], n_columns, axis=1)
    if overlaps.shape != (n_objects, n_systems):
        raise ValueError(
            f"Verified objects must have one true overlap per system, of shape ({n_objects}, "
            f"{n_systems}), NaN where a system has no match; got {overlaps.shape}. "
            "SegmentationMatches.overlaps_of makes them from the overlaps of detections."
        )
    wrong = (overlaps < 0.0) | (overlaps > 1.0)
    if wrong.any():
        raise ValueError(f"Overlaps must lie in [0, 1], got {overlaps[wrong][0]}.")
    return overlaps


def is_verified(
    objects: np.ndarray, matched_detections: np.ndarray, overlaps: np.ndarray
) -> np.ndarray:
    """Return which objects have an overlap for every match; raise where only some have."""
    is_matched = matched_detections >= 0
    missing = np.isnan(overlaps) & is_matched
    partly = missing.any(axis=1) & (is_matched & ~missing).any(axis=1)
    if partly.any():
        raise ValueError(
            f"Object {objects[partly][0]} lacks the overlap of some system matched to it, and "
            "has that of another; one mask determines all of them. Nothing was changed."
        )
    return ~missing.any(axis=1)


class MatchModel(ListModel):
    """A label model of detections; an item is an object, which determines all its matches."""

    ranked_lists: MatchLists
    has_classes = False

    def __init__(
        self,
        question: Question,
        matches: SegmentationMatches,
        overlaps: np.ndarray,
        label_model: LabelModel,
        *,
        confidence_level: float = 0.9,
        n_draws: int = 1000,
        seed: int = 0,
    ) -> None:
        objects = matches.items
        matched_detections = matches.matched_detections[objects]
        overlaps = overlaps[objects]
        known = is_verified(objects, matched_detections, overlaps)
        ranked_lists = match_lists(question.metric, matches)
        ranked_lists = ranked_lists.verified(matched_detections[known], overlaps[known])

        # The item that determines the label of each row, -1 where it is known.
        owner = np.searchsorted(objects, ranked_lists.owner)
        item = np.where(ranked_lists.match < 0, -1, owner[ranked_lists.match])
        items = ListItems(objects, matches.n_objects, np.where(known, 1, -1), item)
        super().__init__(
            question,
            ranked_lists,
            items,
            label_model,
            confidence_level=confidence_level,
            n_draws=n_draws,
            seed=seed,
        )
        self.matches = matches

    @property
    def row_codes(self) -> np.ndarray:
        return self.ranked_lists.codes

    @cached_property
    def label_draws(self) -> LabelDraws:
        draws, ranked_lists = super().label_draws, self.ranked_lists
        if draws.coupling is None:
            draws = replace(
                draws, coupling=MatchCoupling(ranked_lists.match, ranked_lists.owner, CORRELATION)
            )
        return draws

    def simulated_answers(
        self, rng: np.random.Generator
    ) -> Callable[[Self, np.ndarray], np.ndarray]:
        raise ValueError(
            "plan() simulates binary labels, and is not supported for SegmentationMatches, whose "
            "verified objects have overlaps. Label more items, and look at history_."
        )

    # --- overlaps -------------------------------------------------------------------------------

    def read(
        self, indices: ArrayLike, labels: ArrayLike, names: BinaryLabels, query_log: QueryLog
    ) -> tuple[np.ndarray, np.ndarray, Any]:
        objects = check_indices(indices, self.rows.n_rows)
        overlaps = as_overlaps(labels, len(objects), self.matches.n_systems)
        items = self.rows.items_at(objects)
        matched_detections = self.matches.matched_detections[objects]
        if (items < 0).any():
            raise ValueError(
                f"Object {objects[items < 0][0]} is matched to no detection: its mask does not "
                "matter. Leave it out; nothing was changed."
            )

        verified = is_verified(objects, matched_detections, overlaps)
        if len(np.unique(objects)) < len(objects):
            raise ValueError("An object is duplicated; nothing was changed.")

        # Objects that were verified before must have the same overlaps again.
        is_repeated = (query_log.codes[items] >= 0) & verified
        repeated = self.ranked_lists.verified(
            matched_detections[is_repeated], overlaps[is_repeated]
        )
        if not np.allclose(repeated.overlap, self.ranked_lists.overlap, equal_nan=True):
            raise ValueError(
                f"Objects such as {objects[is_repeated][0]} were verified before with other "
                "overlaps; nothing was changed."
            )

        is_new = verified & ~is_repeated
        checked = check_new(items, np.where(verified, 1, -1), self.rows, query_log)
        return *checked, (matched_detections[is_new], overlaps[is_new])

    def updated(self, codes: np.ndarray, labels: BinaryLabels, details: Any = None) -> Self:
        new = super().updated(codes, labels)
        if details is not None:
            new.ranked_lists = self.ranked_lists.verified(*details)
        return new

    # --- the metric -----------------------------------------------------------------------------

    def reasons(self, at_random: bool) -> list[Reason]:
        reasons = super().reasons(at_random)
        if not self.label_model.needs_overlaps:
            text = (
                f"label_model={self.label_model.name!r} treats the thresholds of a mask as "
                "independent, so that its intervals are too narrow;"
            )
            remedy = "'overlap' does not."
            reasons.append(
                Reason("dependent_thresholds", "ok", text, 1.0, 0.0, remedy, "label_model")
            )
        return reasons

    def _verified_values(self) -> np.ndarray:
        # Detections without an object have the weight of the verified objects of their category.
        ranked_lists, share = self.ranked_lists, self._share_verified
        weights = np.where(ranked_lists.match < 0, share[ranked_lists.group], self.row_codes >= 0)
        values = ranked_lists.values(np.maximum(self.row_codes, 0)[np.newaxis], weights, share)[0]
        return np.where(self._has_verified, values, np.nan)

    @property
    def _has_verified(self) -> np.ndarray:
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

    def columns(self) -> dict[str, Any]:
        raise ValueError(
            "Overlaps of SegmentationMatches cannot be stored in a table of labels. To resume "
            "later, keep the verified objects and their overlaps, and pass them as y to fit."
        )


@start_on.register(SegmentationMatches)
def start_matches(
    X: SegmentationMatches,
    selector: Any,
    y: Any,
    item_columns: Mapping[str, Any],
) -> tuple[MatchModel, BinaryLabels, None]:
    """Return the model at the start of a session on objects, the label format, and no category.

    Matches contain the columns of items: none may be passed.
    """
    question = question_of(selector)
    check_list_question(question)
    _check_idle(selector, item_columns)
    # Objects that no detection is matched to are positives of all lists, and there are no
    # negatives.
    if question.where or not isinstance(question.metric, AveragePrecision):
        raise ValueError(
            "With SegmentationMatches the metric must be 'average_precision'; got "
            f"{question.name!r}."
        )
    if y is None:
        overlaps = np.full((X.n_objects, X.n_systems), np.nan)
    else:
        overlaps = as_overlaps(y, X.n_objects, X.n_systems)
    label_model = as_label_model(
        selector.label_model, MatchLists.stand_in, has_noisy=True, has_overlaps=True
    )
    model = MatchModel(
        question,
        X,
        overlaps,
        label_model,
        confidence_level=level_of(selector, question),
        n_draws=selector.n_draws,
        seed=seed_entropy(selector.random_state),
    )
    return model, BinaryLabels.learn(None, classes=[0, 1]), None


def _check_idle(selector: Any, item_columns: Mapping[str, Any]) -> None:
    """Raise if an argument is given that matches contain themselves."""
    idle = [name for name, value in item_columns.items() if value is not None]
    idle += [name for name in ("classes", "pos_label") if getattr(selector, name) is not None]
    idle += ["greater_is_positive"] if not check_direction(selector.greater_is_positive) else []
    idle += ["average"] if selector.average != "macro" else []
    if idle:
        raise ValueError(
            f"SegmentationMatches contain all data of detections, and {', '.join(idle)} would be "
            "ignored; leave it out."
        )
