"""The area between the estimated and the true precision-recall curve, once all labels are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data._sample import ScoreSample
from ..inputs._arrays import ColumnLike, TableLike
from ..inputs._frames import read_frames
from ..inputs._scores import check_frequencies, check_systems
from ..inputs._validation import check_aligned
from ..posterior._operating_points import (
    precision_at_recall,
    sample_operating_points,
)
from ..posterior._registry import PRECISION_RECALL
from ._side_by_side import FittedPerformance


def area_from_truth(
    performance: FittedPerformance, X: TableLike, y: ColumnLike, sample_weight: Any
) -> float:
    """Return the area between the estimated and the true precision-recall curve.

    With several systems, the value is the mean over systems.
    """
    frames = read_frames({"X": X, "y": y, "sample_weight": sample_weight})
    X, y, sample_weight = frames.values()
    check_aligned(X=X, y=y, sample_weight=sample_weight)
    labels = performance.model_.labels
    mixture: Any = performance.mixture_
    columns, _ = check_systems(mixture, X, reset=False, labels=labels, classes=mixture.classes)
    systems = performance.systems_ or (None,)
    if columns.shape[1] != len(systems):
        raise ValueError(
            f"X has {columns.shape[1]} columns, but fit was given {len(systems)}: pass the scores "
            "of the same systems."
        )

    areas = []
    for scores, system in zip(columns.T, systems, strict=True):
        ranking: Any = performance.of(system=system if len(systems) > 1 else None)
        curve = ranking.curve("precision_recall", target="sample")
        true_curve = _true_curve(ranking, scores, y, sample_weight)
        areas.append(np.abs(curve.value - true_curve).mean())
    return float(np.mean(areas))


def _true_curve(ranking: Any, scores: np.ndarray, y: Any, sample_weight: Any) -> np.ndarray:
    """Return the true precision at the recalls of an estimated curve."""
    labels = ranking.view.labels
    scores = ranking.score_direction_.flip(scores)
    codes = labels.codes(y, len(scores))
    if (codes < 0).any():
        raise ValueError(
            f"score needs all labels; {int((codes < 0).sum())} of {len(codes)} items are "
            "unlabeled. SemisupervisedScoreMixture.score accepts a partially labeled y, in "
            "GridSearchCV too."
        )

    weights = check_frequencies(sample_weight, len(scores))
    has_score = ~np.isnan(scores)
    sample = ScoreSample.from_items(scores[has_score], codes[has_score], weights[has_score])
    if not sample.positive.any():
        raise ValueError(
            f"score needs a positive, but none of the {len(codes)} items is labeled "
            f"{labels.pos_label!r}: the precision-recall curve is undefined."
        )

    points = sample_operating_points(sample, sample.positive[np.newaxis])
    grid = PRECISION_RECALL.grid(ranking.n_points)
    return precision_at_recall(points, grid)[0]
