"""What a user passed to a fit, read: scores that rise with being positive, and codes of labels."""

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
from ..inputs._orientation import Orientation
from ..inputs._scores import check_frequencies, check_scores
from ._gathered_scores import MOST_ONE_BY_ONE, gathered
from ._inclusion import AT_RANDOM, Inclusion
from ._inclusion_proba import read_inclusion
from ._sample import ScoreSample

__all__ = ["LabeledScores"]


@dataclass(frozen=True, eq=False)
class LabeledScores(FrozenArrays):
    """Scores of items, of which some are labelled.

    Attributes
    ----------
    scores : ndarray of shape (n_items,)
        Larger for positives.
    codes : ndarray of shape (n_items,)
        1, 0, or -1 where there is no label.
    weights : ndarray of shape (n_items,)
        How many items each stands for.
    labels : BinaryLabels
        How labels are written.
    orientation : Orientation
        How scores were turned.
    inclusion : Inclusion
        How the chance to be labelled goes with the class.
    chances : ndarray of shape (n_items,) or None
        That of each item to be labelled, where it is known of each.
    source : object
        Of scores that were counted, what tells whether others are of the same items; else None.
    """

    scores: np.ndarray
    codes: np.ndarray
    weights: np.ndarray
    labels: BinaryLabels
    orientation: Orientation
    inclusion: Inclusion = AT_RANDOM
    chances: np.ndarray | None = None
    source: Any = None

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
        """Read what was passed to an estimator that has parameters of labels and of direction."""
        check_aligned(X=X, y=y, sample_weight=sample_weight, inclusion_proba=inclusion_proba)
        # Labels first: scikit-learn's helpers raise on missing ones, or take -1 for a class.
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
        orientation = Orientation.of(scores, parameters.greater_is_positive)
        # A row that stands for no item has no label either.
        codes = np.where(weights > 0.0, codes, UNLABELED)
        scores = orientation.turn(scores)
        inclusion = read_inclusion(inclusion_proba, labels, scores, codes, weights)
        of_items = inclusion_proba is not None and not isinstance(inclusion_proba, Mapping)
        chances = as_vector(inclusion_proba, "inclusion_proba", len(scores)) if of_items else None
        return cls(scores, codes, weights, labels, orientation, inclusion, chances, source)

    @classmethod
    def of_codes(cls, scores, codes, orientation: Orientation) -> LabeledScores:
        """Return scores that were read and turned before, with codes of the classes 0 and 1."""
        labels = BinaryLabels.learn(None, classes=[0, 1])
        return cls(scores, codes, np.ones(len(scores)), labels, orientation)

    def relabeled(self, codes, labels: BinaryLabels | None = None) -> LabeledScores:
        """Return the same scores with other labels, and how these are written if that is news."""
        return replace(self, codes=codes, labels=self.labels if labels is None else labels)

    @cached_property
    def sample(self) -> ScoreSample:
        """The scores and labels as models see them."""
        scores, codes, weights = self.scores, self.codes, self.weights
        if len(scores) > MOST_ONE_BY_ONE and (weights == 1.0).all():
            scores, codes, weights = gathered(scores, codes)
        return ScoreSample.from_items(scores, codes, weights, self.inclusion)
