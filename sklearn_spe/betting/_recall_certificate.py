"""Whether a review has found nearly all there is to find, by a random sample of what is unread."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._arrays import FrozenArrays
from ..inputs._array_like import as_numbers
from ..inputs._numbers import check_count, check_number
from ._drawn_sides import DrawnSides
from ._sum_bets import SumBets

__all__ = ["RecallCertificate"]

# Nothing lies above: what was found is the answer.
ABOVE_NOTHING = np.zeros(1, dtype=int)
# Numbers of missed items that are bet against differ by so much.
STEP_RATIO = 1.03


@dataclass(frozen=True, eq=False)
class RecallCertificate(FrozenArrays):
    r"""Prove that a review has found a share of all positives, at every look.

    Somebody reads items in whatever order, mostly from the top of a ranking, and besides labels a
    few that are drawn at random among those that nobody has labelled. With f positives found so
    far and m missed ones among the others, recall is at least :math:`\theta` if
    :math:`(1 - \theta) f - \theta m \ge 0`; `SumBets` bets on that, and wins with each negative
    that is drawn. What is read needs no chance: it is known from then on, and leaves fewer items
    where positives may hide.

    If it is right to stop at no time, it ever says so with a probability of at most 1 -
    `confidence_level`: it may be asked after every label, and decide what is read or drawn next.

    Attributes
    ----------
    recall, confidence_level : float
    n_free : int
        How many items have no label.
    n_found : int
        How many positives are labelled, read or drawn.
    n_drawn : int
        How many items were drawn.
    bets : SumBets

    Examples
    --------
    The upper 300 of 3,000 were read, 200 of them were worth it. Of the others some are drawn:

    >>> import numpy as np
    >>> from sklearn_spe.betting import RecallCertificate
    >>> review = RecallCertificate.start(3000, recall=0.8, confidence_level=0.95)
    >>> review = review.read(np.repeat([1, 0], [200, 100]))
    >>> review.is_reached
    False
    >>> review = review.drawn(np.zeros(250))
    >>> review.is_reached
    True
    """

    recall: float
    confidence_level: float
    n_free: int
    n_found: int
    n_drawn: int
    bets: SumBets

    @classmethod
    def start(
        cls, n_items: int, *, recall: float, confidence_level: float = 0.95, n_unscored: int = 0
    ) -> RecallCertificate:
        """Make the certificate before anything is read.

        Parameters
        ----------
        n_items : int
            How many items are ranked.
        recall : float in (0, 1)
            The share of all positives that is to be found.
        confidence_level : float in (0, 1), default=0.95
        n_unscored : int, default=0
            How many items may be positive and have no place in the ranking. They are drawn like
            others: the promise is about all of them.
        """
        n = check_count(n_items, "n_items") + check_count(n_unscored, "n_unscored", 0)
        check_number(confidence_level, "confidence_level", "(0, 1)")
        check_number(recall, "recall", "(0, 1)")
        # Of positives that were found, and of others that were not.
        condition = np.array([[0.0, 0.0], [-recall, 1.0 - recall]])
        bets = SumBets.start(condition, ABOVE_NOTHING, n, step_ratio=STEP_RATIO)
        return cls(recall, confidence_level, n, 0, 0, bets)

    def read(self, labels) -> RecallCertificate:
        """Return the certificate after items were read, however they were chosen.

        Parameters
        ----------
        labels : array-like of shape (n,)
            1 for positives, 0 for others.
        """
        return self._after(labels, are_drawn=False)

    def drawn(self, labels) -> RecallCertificate:
        """Return the certificate after items were drawn, each as likely as all without a label.

        Parameters
        ----------
        labels : array-like of shape (n,)
            1 for positives, 0 for others, in the order of the draws.
        """
        return self._after(labels, are_drawn=True)

    @property
    def level(self) -> float:
        """The level at which it is proved that so many are found."""
        if self.n_found == 0:
            # Of no positives at all recall is not defined.
            return 0.0
        return float(-np.expm1(-max(self.bets.log_evidence()[0], 0.0)))

    @property
    def is_reached(self) -> bool:
        """Whether it is proved at the confidence level."""
        return self.level >= self.confidence_level

    def _after(self, labels, are_drawn) -> RecallCertificate:
        codes = as_numbers(labels, "labels").ravel()
        if not np.isin(codes, (0.0, 1.0)).all():
            wrong = codes[~np.isin(codes, (0.0, 1.0))][0]
            raise ValueError(f"labels must be 1 for positives and 0 for others, got {wrong:g}.")
        if len(codes) > self.n_free:
            raise ValueError(
                f"labels are of {len(codes)} items, and only {self.n_free} have none yet; pass "
                f"each label once, and count items without a score in n_unscored."
            )
        bets, n = self.bets, self.n_free
        for code in codes.astype(int):
            sides = DrawnSides.evenly(ABOVE_NOTHING, n)
            bets = (
                bets.after(0, code, 1.0 / n, sides) if are_drawn else bets.knowing(0, code, sides)
            )
            n -= 1
        return replace(
            self,
            n_free=n,
            n_found=self.n_found + int(codes.sum()),
            n_drawn=self.n_drawn + are_drawn * len(codes),
            bets=bets,
        )
