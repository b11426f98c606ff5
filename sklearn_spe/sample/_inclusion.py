"""Inclusion probability of labels by class, and its effect on the likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["AT_RANDOM", "Inclusion", "SharesOfClasses"]

# Level at which a small number of labels of a class rules out that all items belong to it.
MIN_PROBABILITY = 0.05


@dataclass(frozen=True, eq=False)
class Inclusion(FrozenArrays):
    """Ignorable labeling: given the score, inclusion does not depend on the class.

    Labels then enter the likelihood through p(y | score), and inclusion probabilities are not
    needed. Subclasses model other designs.
    """

    # relative inclusion probabilities of a negative and a positive of the same score
    labeled: tuple[float, float] = (1.0, 1.0)
    unlabeled: tuple[float, float] = (1.0, 1.0)  # relative probabilities that they are not labeled
    is_given: ClassVar[bool] = False

    def among_labeled(self, probability, sample, curves) -> np.ndarray:
        """Return the share of positives among labeled items, given that of all items.

        `probability` is (n_draws, n_scores); `sample` has the labels; `curves` maps scores to
        probabilities of the same draws.
        """
        return _among(probability, *self.labeled)

    def among_unlabeled(self, probability) -> np.ndarray:
        """Return the share of positives among unlabeled items, given that of all items."""
        return _among(probability, *self.unlabeled)

    def weighed(self, labeled) -> tuple[np.ndarray, np.ndarray]:
        """Return the likelihood weights of labeled negatives and positives of each cell."""
        return labeled.negative, labeled.positive

    def exchanged(self) -> Inclusion:
        """Return the inclusion model with the classes exchanged."""
        return AT_RANDOM

    def is_of_labeled_class(self, n_items, n_labeled, code: int) -> np.ndarray:
        """Return whether all of some items may belong to one partially labeled class.

        `n_items` and `n_labeled` (n_sets,) count the items and those labeled as this class; `code`
        is 0 or 1.
        """
        return np.ones(np.shape(n_items), dtype=bool)

    def never_labels(self, code: int) -> bool:
        """Return whether a class has inclusion probability zero."""
        return False

    @property
    def missingness(self) -> tuple[float, float]:
        """Information in the fact that an item is unlabeled.

        A sign (1 for positives) and a share r: the likelihood of the curve is proportional to ``r +
        (1 - r) * P(class of the sign | score)``. With r = 1 there is no information.
        """
        return 1.0, 1.0


@dataclass(frozen=True, eq=False)
class SharesOfClasses(Inclusion):
    r"""Class-dependent inclusion, independent of the scores, as in a case-control study.

    With shares :math:`q_1` of the positives and :math:`q_0` of the negatives labeled, by Bayes'
    rule the log-odds of labeled items are :math:`f + \log(q_1 / q_0)`, those of the others :math:`f
    + \log\{(1 - q_1) / (1 - q_0)\}`, and an item is unlabeled with probability :math:`(1 -
    q_1) p + (1 - q_0) (1 - p)`, with :math:`f = \operatorname{logit} p` of all [1]_.

    References
    ----------
    .. [1] R. L. Prentice and R. Pyke. Logistic disease incidence models and case-control studies.
       Biometrika 66 (1979) 403-411.
    """

    is_given: ClassVar[bool] = True

    @classmethod
    def of(cls, negative: float, positive: float) -> SharesOfClasses:
        """Return the inclusion model for given shares of the classes."""
        return cls((negative, positive), (1.0 - negative, 1.0 - positive))

    def exchanged(self) -> SharesOfClasses:
        """Return the inclusion model with the classes exchanged."""
        return SharesOfClasses(self.labeled[::-1], self.unlabeled[::-1])

    def is_of_labeled_class(self, n_items, n_labeled, code: int) -> np.ndarray:
        """Return whether all of some items may belong to one class, as `Inclusion`.

        The number of labels would be binomial with the known share.
        """
        unlabeled = np.maximum(np.asarray(n_items) - n_labeled, 0.0)
        with np.errstate(invalid="ignore"):
            at_most = special.betainc(unlabeled, n_labeled + 1.0, self.unlabeled[code])
        return (unlabeled == 0.0) | (at_most >= MIN_PROBABILITY)

    def never_labels(self, code: int) -> bool:
        """Return whether a class has inclusion probability zero."""
        return self.labeled[code] == 0.0

    @property
    def missingness(self) -> tuple[float, float]:
        """Information in the fact that an item is unlabeled, as `Inclusion`."""
        negative, positive = self.unlabeled
        if negative == positive:
            return 1.0, 1.0
        sign = 1.0 if positive > negative else -1.0
        return sign, min(self.unlabeled) / max(self.unlabeled)


AT_RANDOM = Inclusion()


def _among(probability, negative, positive) -> np.ndarray:
    """Return the share of positives after thinning each class by its own probability."""
    if negative == positive:
        return probability
    kept = probability * positive
    either = kept + (1.0 - probability) * negative
    # Undefined where all items belong to a class that is never kept.
    return np.divide(kept, either, out=np.array(probability, dtype=float), where=either > 0.0)
