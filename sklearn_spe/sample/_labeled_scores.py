"""Validated scores, larger for positives, and label codes of a fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .._arrays import FrozenArrays
from ..inputs._alignment import check_aligned
from ..inputs._array_like import as_vector
from ..inputs._labels import UNLABELED, BinaryLabels, codes_of_items
from ..inputs._score_direction import ScoreDirection
from ..inputs._scores import check_frequencies, check_scores
from ._gathered_scores import MAX_ONE_BY_ONE, gathered
from ._inclusion import AT_RANDOM, Inclusion
from ._inclusion_proba import read_inclusion
from ._sample import ScoreSample

__all__ = ["LabeledScores"]


@dataclass(frozen=True, eq=False)
class LabeledScores(FrozenArrays):
    """Partially labeled scores of items."""

    scores: np.ndarray  # (n_items,), larger for positives
    codes: np.ndarray  # (n_items,): 1, 0, or -1 if unlabeled
    weights: np.ndarray  # (n_items,), multiplicity of each item
    labels: BinaryLabels  # how labels are encoded
    score_direction: ScoreDirection  # score direction
    inclusion: Inclusion = AT_RANDOM  # inclusion model of the labels
    chances: np.ndarray | None = None  # (n_items,), inclusion probability of each item, if known
    source: Any = None  # identifies the items of binned scores; else None

    @classmethod
    def read(
        cls,
        parameters,
        X,
        y=None,
        sample_weight=None,
        *,
        inclusion_proba=None,
        before=None,
        source=None,
    ) -> LabeledScores:
        """Validate the data passed to an estimator with label and direction parameters."""
        check_aligned(X=X, y=y, sample_weight=sample_weight, inclusion_proba=inclusion_proba)
        # Labels first: scikit-learn's helpers raise on missing ones, or treat -1 as a class.
        labels, codes = BinaryLabels.read(
            y,
            classes=parameters.classes,
            pos_label=parameters.pos_label,
            unlabeled_label=parameters.unlabeled_label,
            before=before,
        )
        classes = parameters.classes
        scores = check_scores(parameters, X, reset=True, labels=labels, classes=classes)
        codes = codes_of_items(codes, len(scores))
        weights = check_frequencies(sample_weight, len(scores))
        score_direction = ScoreDirection.of(scores, parameters.greater_is_positive)
        # A row with weight zero is unlabeled.
        codes = np.where(weights > 0.0, codes, UNLABELED)
        scores = score_direction.flip(scores)
        inclusion = read_inclusion(inclusion_proba, labels, scores, codes, weights)
        of_items = inclusion_proba is not None and not isinstance(inclusion_proba, Mapping)
        chances = as_vector(inclusion_proba, "inclusion_proba", len(scores)) if of_items else None
        return cls(scores, codes, weights, labels, score_direction, inclusion, chances, source)

    @classmethod
    def of_codes(cls, scores, codes, score_direction: ScoreDirection) -> LabeledScores:
        """Return validated scores, larger for positives, with codes of the classes 0 and 1."""
        labels = BinaryLabels.learn(None, classes=[0, 1])
        return cls(scores, codes, np.ones(len(scores)), labels, score_direction)

    def relabeled(self, codes, labels: BinaryLabels | None = None) -> LabeledScores:
        """Return the same scores with other labels, and their encoding if it changed."""
        return replace(self, codes=codes, labels=self.labels if labels is None else labels)

    @cached_property
    def sample(self) -> ScoreSample:
        """The scores and labels as a sample."""
        scores, codes, weights = self.scores, self.codes, self.weights
        if len(scores) > MAX_ONE_BY_ONE and (weights == 1.0).all():
            scores, codes, weights = gathered(scores, codes)
        return ScoreSample.from_items(scores, codes, weights, self.inclusion)
