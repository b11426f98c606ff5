"""The precision-recall curve of a fully labeled sample."""

from __future__ import annotations

import numpy as np

from ..curves._operating_points import sample_operating_points
from ..curves._precision_recall import PRECISION_RECALL, precision_at_recall
from ..inputs._alignment import check_aligned
from ..inputs._scores import check_frequencies, check_systems
from ..sample._sample import ScoreSample

__all__ = ["area_from_truth"]


def area_from_truth(performance, X, y, sample_weight) -> float:
    """Return the area between the estimated and the true precision-recall curve."""
    curve = performance.curve("precision_recall", target="sample")
    return float(np.abs(curve.value - _true_curve(performance, X, y, sample_weight)).mean())


def _true_curve(estimator, X, y, sample_weight) -> np.ndarray:
    """Return the true precision at the recalls of an estimated curve."""
    check_aligned(X=X, y=y, sample_weight=sample_weight)
    if estimator.shown_.asked.category is not None:
        raise ValueError(
            "score covers all items, but this estimator is restricted to one category: fit "
            "another estimator on the rows of that category."
        )
    labels = estimator.model_.labels
    mixture = estimator.mixture_
    columns, _ = check_systems(mixture, X, reset=False, labels=labels, classes=mixture.classes)
    n_systems, several = max(len(estimator.systems_), 1), columns.shape[1] > 1
    if several and columns.shape[1] != n_systems:
        raise ValueError(
            f"X has {columns.shape[1]} columns, but fit was given {n_systems}: pass the scores "
            "of the same systems, or of the chosen one."
        )
    scores = columns[:, estimator.systems_.index(estimator.shown_.asked.system) if several else 0]
    labels = labels.with_positive(estimator.pos_label_)
    scores = estimator.score_direction_.flip(scores)
    codes = labels.codes(y, len(scores))
    if (codes < 0).any():
        raise ValueError(
            f"score needs all labels; {int((codes < 0).sum())} of {len(codes)} items are "
            "unlabeled. SemisupervisedScoreMixture.score accepts a partially labeled y, in "
            "GridSearchCV too."
        )
    weights, there = check_frequencies(sample_weight, len(scores)), ~np.isnan(scores)
    sample = ScoreSample.from_items(scores[there], codes[there], weights[there])
    if not sample.positive.any():
        raise ValueError(
            f"score needs a positive, but none of the {len(codes)} items is labeled "
            f"{labels.pos_label!r}: the precision-recall curve is undefined."
        )
    points = sample_operating_points(sample, sample.positive[np.newaxis])
    return precision_at_recall(points, PRECISION_RECALL.grid(estimator.n_points))[0]
