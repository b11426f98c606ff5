"""How the chance to be labelled goes with the class, and what that says of items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["AT_RANDOM", "Inclusion", "SharesOfClasses"]

# Items are not all of one class if so few labels of it, or fewer, have a smaller probability.
LEAST_PROBABILITY = 0.05


@dataclass(frozen=True, eq=False)
class Inclusion(FrozenArrays):
    """Items of one score are labelled with one chance, whatever their class.

    Labels then count through p(y | score) as they are, and nobody need know the chances. What
    departs from this is a class of its own.

    Attributes
    ----------
    labeled, unlabeled : tuple of float
        How often a negative and a positive of the same score are labelled, and how often not, up
        to a common factor.
    """

    labeled: tuple[float, float] = (1.0, 1.0)
    unlabeled: tuple[float, float] = (1.0, 1.0)
    is_given: ClassVar[bool] = False

    def among_labeled(self, probability, sample, curves) -> np.ndarray:
        """Return which share of the labelled items is positive, given that of all items.

        Parameters
        ----------
        probability : ndarray of shape (n_draws, n_scores)
        sample : ScoreSample
            The labels.
        curves : callable
            From scores to the probabilities of the same draws there.
        """
        return _among(probability, *self.labeled)

    def among_unlabeled(self, probability) -> np.ndarray:
        """Return which share of the items without a label is positive, given that of all."""
        return _among(probability, *self.unlabeled)

    def weighed(self, labeled) -> tuple[np.ndarray, np.ndarray]:
        """Return how labelled negatives and positives of each cell count in the likelihood.

        Parameters
        ----------
        labeled : ScoreSample
        """
        return labeled.negative, labeled.positive

    def exchanged(self) -> Inclusion:
        """Return what holds of labels once the classes are exchanged, where it is about classes."""
        return AT_RANDOM

    def is_of_labeled_class(self, n_items, n_labeled, code: int) -> np.ndarray:
        """Return whether all of some items may be of one class, of which some are labelled.

        Parameters
        ----------
        n_items, n_labeled : ndarray of shape (n_sets,)
            How many items there are, and how many of them are labelled as of the class.
        code : {0, 1}
            The class.
        """
        return np.ones(np.shape(n_items), dtype=bool)

    def never_labels(self, code: int) -> bool:
        """Return whether no item of a class could get a label."""
        return False

    @property
    def silence(self) -> tuple[float, float]:
        """What it tells of an item that it is not labelled.

        A sign (1 for positives) and a share r: the likelihood of the curve is
        ``r + (1 - r) * P(class of the sign | score)``, up to a factor. With r = 1 it tells
        nothing.
        """
        return 1.0, 1.0


@dataclass(frozen=True, eq=False)
class SharesOfClasses(Inclusion):
    r"""Of each class another share is labelled, whatever the scores, as in a case-control study.

    With :math:`q_1` of the positives and :math:`q_0` of the negatives labelled, Bayes' rule says
    that the log-odds of labelled items are :math:`f + \log(q_1 / q_0)`, those of the others
    :math:`f + \log\{(1 - q_1) / (1 - q_0)\}`, and that an item has no label with probability
    :math:`(1 - q_1) p + (1 - q_0) (1 - p)`, with :math:`f = \operatorname{logit} p` of all [1]_.

    References
    ----------
    .. [1] R. L. Prentice and R. Pyke. Logistic disease incidence models and case-control studies.
       Biometrika 66 (1979) 403-411.
    """

    is_given: ClassVar[bool] = True

    @classmethod
    def of(cls, negative: float, positive: float) -> SharesOfClasses:
        """Return what shares of the classes say."""
        return cls((negative, positive), (1.0 - negative, 1.0 - positive))

    def exchanged(self) -> SharesOfClasses:
        """Return the same of exchanged classes."""
        return SharesOfClasses(self.labeled[::-1], self.unlabeled[::-1])

    def is_of_labeled_class(self, n_items, n_labeled, code: int) -> np.ndarray:
        """Return whether all of some items may be of one class, as for `Inclusion`.

        A known share of them would be labelled: a binomial number.
        """
        unlabeled = np.maximum(np.asarray(n_items) - n_labeled, 0.0)
        with np.errstate(invalid="ignore"):
            at_most = special.betainc(unlabeled, n_labeled + 1.0, self.unlabeled[code])
        return (unlabeled == 0.0) | (at_most >= LEAST_PROBABILITY)

    def never_labels(self, code: int) -> bool:
        """Return whether no item of a class could get a label."""
        return self.labeled[code] == 0.0

    @property
    def silence(self) -> tuple[float, float]:
        """What it tells of an item that it is not labelled, as for `Inclusion`."""
        negative, positive = self.unlabeled
        if negative == positive:
            return 1.0, 1.0
        sign = 1.0 if positive > negative else -1.0
        return sign, min(self.unlabeled) / max(self.unlabeled)


AT_RANDOM = Inclusion()


def _among(probability, negative, positive) -> np.ndarray:
    """Return the share of positives once each class is thinned out to a share of its own."""
    if negative == positive:
        return probability
    kept = probability * positive
    either = kept + (1.0 - probability) * negative
    # Where a curve leaves only what is never kept nothing is known.
    return np.divide(kept, either, out=np.array(probability, dtype=float), where=either > 0.0)
