"""The contract of a strategy: how useful the label of each item would be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_array, column_or_1d

from .._labels import is_unlabeled
from .._numbers import check_count
from .._random import seed_entropy, spawn


@dataclass(frozen=True)
class Strategy(ABC):
    """Chooses items by their scores, earlier labels and chance alone.

    Whatever is chosen so needs no correction in a likelihood of all scores.

    Attributes
    ----------
    name : str
        The key in `STRATEGIES`.
    needs_probability : bool
        Whether `query` needs the probability of each item to be positive.
    """

    name: ClassVar[str]
    needs_probability: ClassVar[bool] = False

    @abstractmethod
    def utilities(self, scores, probability) -> np.ndarray:
        """Return how useful the label of each item would be; larger is better.

        Parameters
        ----------
        scores : ndarray of shape (n_items,)
            Larger for positives.
        probability : ndarray of shape (n_items,) or None
            That each item is positive.
        """

    def query(
        self,
        X,
        y=None,
        n_labels=1,
        *,
        probability=None,
        classes=None,
        unlabeled_label=-1,
        random_state=None,
    ) -> np.ndarray:
        """Return the items to label next.

        Parameters
        ----------
        X : array-like of shape (n_items,) or (n_items, 1)
            Scores, larger for positives: pass ``-X`` if smaller ones mean positive.
        y : array-like of shape (n_items,), default=None
            What is labelled so far; other items are marked by `unlabeled_label`, NaN, None or
            ``pd.NA``. None means that nothing is labelled.
        n_labels : int, default=1
            How many; fewer are returned if so few are left.
        probability : array-like of shape (n_items,), default=None
            The probability of each item to be positive, for strategies that need it: the second
            column of ``SemisupervisedScoreMixture.predict_proba``.
        classes : array-like of shape (2,), default=None
            The classes, if -1 is one of them: then it does not mark.
        unlabeled_label : object, default=-1
        random_state : int, RandomState, Generator or None, default=None
            Decides among items of equal utility.

        Returns
        -------
        indices : ndarray of shape (n_labels,)
            The most useful first.

        Raises
        ------
        ValueError
            If lengths differ, a score is not finite, or a probability is needed and missing, or
            lies outside [0, 1].
        """
        scores = column_or_1d(check_array(X, ensure_2d=False, dtype=float))
        check_count(n_labels, "n_labels", 0)
        free = np.ones(len(scores), dtype=bool)
        if y is not None:
            free = is_unlabeled(y, classes=classes, unlabeled_label=unlabeled_label)
            if len(free) != len(scores):
                raise ValueError(
                    f"X and y must be of the same items: X holds {len(scores)}, y {len(free)}."
                )
        utilities = self.utilities(scores, self._checked(probability, len(scores)))
        candidates = np.flatnonzero(free & ~np.isneginf(utilities))
        chance = spawn(seed_entropy(random_state)).random(len(candidates))
        order = np.lexsort((chance, -utilities[candidates]))
        return candidates[order[:n_labels]]

    def _checked(self, probability, n_items):
        if probability is None:
            if self.needs_probability:
                raise ValueError(
                    f"{type(self).__name__} needs probability=, that of each item to be positive: "
                    f"fit a SemisupervisedScoreMixture to the scores and the labels so far, and "
                    f"pass predict_proba(X)[:, 1]."
                )
            return None
        probability = np.asarray(probability, dtype=float)
        if probability.shape != (n_items,):
            raise ValueError(
                f"probability must have shape ({n_items},), one number an item, got "
                f"{probability.shape}; of predict_proba pass the column of the positive class."
            )
        if not ((probability >= 0.0) & (probability <= 1.0)).all():
            wrong = probability[~((probability >= 0.0) & (probability <= 1.0))][0]
            raise ValueError(f"probability must lie in [0, 1] for every item, got {wrong}.")
        return probability
