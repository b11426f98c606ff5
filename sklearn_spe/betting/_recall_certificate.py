"""Whether a review has found nearly all there is to find, by a random sample of what is unread."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ..inputs._array_like import as_numbers, as_vector
from ..inputs._numbers import check_count, check_number

__all__ = ["RecallCertificate"]

# What gamblers believe is missed, as shares of what would be too much, and what they start with.
SHARES_MISSED = np.array([0.0, 0.1, 0.25, 0.5])
START = np.array([0.5, 0.2, 0.2, 0.1])
# Where a positive is certain no number of negatives is possible.
LEAST_ROOM = 1e-12
# Counts divided by counts may differ in their last bits.
ROUNDING = 1e-9
# The rank of what has no place in the ranking: nobody reads as far.
NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class RecallCertificate(FrozenArrays):
    r"""Prove that a review has found a share of all positives, at every look.

    Somebody reads items, mostly from the top of a ranking, and besides labels a few that are drawn
    at random among those that nobody has labelled. What is read needs no chance: it is known from
    then on, and leaves fewer items where positives may hide.

    Let f positives be found, which is too few if there are P in all, :math:`f < \theta P`. Let A be
    the last m of these in the ranking, all but the first :math:`\lceil \theta P \rceil - 1`. A draw
    takes one of the n items that are left, item i with the chance :math:`q_i`; with Y equal to
    :math:`1 / (n q_i)` if it is in A, and else 0, the mean of Y is :math:`p = (m - a) / n` once a
    items of A are labelled, whoever they are. So a capital that is multiplied by
    :math:`1 + \lambda (p - Y)`, with :math:`\lambda \ge 0` from what was seen before, is expected
    to stay as it is, and ever reaches :math:`1 / \alpha` with a probability of at most
    :math:`\alpha` (Ville; [1]_). Of the positives that were drawn none is in A that lies in the
    part of the ranking that is labelled without a gap: so far too few were found. All others count
    as if they were. The capital so reckoned is never more than the true one; it grows
    with P, and the least P that is too large stands for all. That reading on forgives
    what draws have found is the idea of QBCB [2]_, which draws before it reads; here both may
    take turns, and each may depend on all that was seen. Without a ranking A are all positives.

    Each gambler believes that a share :math:`\rho` of m is there, and bets
    :math:`\lambda = (1 - \rho) / (w - p)`, with w the largest Y that is possible. If all are
    drawn alike, w = 1, the capital is the ratio of the likelihoods of :math:`\rho p` and p: no
    test needs fewer draws on average where the gambler is right.

    Attributes
    ----------
    recall, confidence_level : float
    n_free : int
        How many items have no label.
    n_out : int
        How many items may be positive and can not be drawn.
    is_ranked : bool or None
        Whether ranks are told; None before the first label.
    ranks : ndarray of shape (n_labelled,), of int
        Which places of the ranking have a label, rising.
    found : ndarray of shape (n_found, 2), of int
        The rank of each positive, and how many items were drawn until it was known.
    draws : ndarray of shape (n_drawn, 5)
        One row a draw: the rank, what Y is if the item counts (0 for negatives), the largest Y
        that was possible, and `n_free` and `n_out` before.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas. "Estimating means of bounded random variables by betting."
       JRSS B 86 (2024) 1-27.
    .. [2] D. D. Lewis, E. Yang, O. Frieder. "Certifying one-phase technology-assisted reviews."
       CIKM (2021).

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
    n_out: int = 0
    is_ranked: bool | None = None
    ranks: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    found: np.ndarray = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    draws: np.ndarray = field(default_factory=lambda: np.empty((0, 5)))

    @classmethod
    def start(
        cls,
        n_items: int,
        *,
        recall: float,
        confidence_level: float = 0.95,
        n_unscored: int = 0,
        n_out: int = 0,
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
        n_out : int, default=0
            How many more are neither read nor drawn: each counts as a positive that is missed.
        """
        n = check_count(n_items, "n_items") + check_count(n_unscored, "n_unscored", 0)
        check_count(n_out, "n_out", 0)
        check_number(confidence_level, "confidence_level", "(0, 1)")
        check_number(recall, "recall", "(0, 1)")
        return cls(recall, confidence_level, n, n_out=n_out)

    @property
    def n_found(self) -> int:
        """How many positives are labelled, read or drawn."""
        return len(self.found)

    @property
    def n_drawn(self) -> int:
        """How many items were drawn."""
        return len(self.draws)

    def read(self, labels, ranks=None) -> RecallCertificate:
        """Return the certificate after items were read, however they were chosen.

        Parameters
        ----------
        labels : array-like of shape (n,)
            1 for positives, 0 for others; NaN if nobody could say.
        ranks : array-like of int of shape (n,), default=None
            Their places in a ranking that was there before the first draw, from 0, items without a
            score last. Always, or never: None if there is no ranking, and what draws have found
            is then never passed.
        """
        codes, ranks = self._labels(labels, ranks)
        return self._knows(codes, ranks, np.full(len(codes), self.n_drawn))

    def drawn(self, labels, ranks=None, *, chances=None, least=None) -> RecallCertificate:
        """Return the certificate after items were drawn, one after another.

        Parameters
        ----------
        labels : array-like of shape (n,)
            1 for positives, 0 for others, in the order of the draws; NaN if nobody could say.
        ranks : array-like of int of shape (n,), default=None
            As `read` takes them.
        chances : array-like of shape (n,), default=None
            With which each was drawn among the items that had no label then; None if these were
            all as likely.
        least : array-like of shape (n,), default=None
            The least chance that any of these items had; with `chances`.
        """
        codes, ranks = self._labels(labels, ranks)
        free = self.n_free - np.arange(len(codes))
        chances, least = _chances(chances, least, free)
        # What nobody could say may be one of those that are missed.
        size = np.where(codes == 0.0, 0.0, 1.0 / (free * chances))
        largest = np.divide(1.0, free * least, out=np.full(len(codes), np.inf), where=least > 0.0)
        out = np.full(len(codes), self.n_out)
        new = np.column_stack([ranks, size, largest, free, out])
        known = self._knows(codes, ranks, self.n_drawn + 1 + np.arange(len(codes)))
        return replace(known, draws=np.vstack([self.draws, new]))

    @property
    def level(self) -> float:
        """The level at which it is proved that so many are found."""
        if self.n_found == 0:
            # Of no positives at all recall is not defined.
            return 0.0
        too_many = int(np.floor(self.n_found / self.recall * (1.0 + ROUNDING))) + 1
        if too_many > self.n_found + self.n_free + self.n_out:
            return 1.0
        return float(-np.expm1(-self._capital(too_many).max(initial=0.0)))

    @property
    def is_reached(self) -> bool:
        """Whether it is proved at the confidence level."""
        return self.level >= self.confidence_level

    def _capital(self, total: int) -> np.ndarray:
        """Return the logarithm of the capital against a total, or a larger one, (n_draws,)."""
        first_gap, n_counting = 0, total
        if self.is_ranked:
            # Up to here all is labelled.
            gaps = np.append(self.ranks, NOWHERE) != np.arange(len(self.ranks) + 1)
            first_gap = int(np.argmax(gaps))
            n_counting = total - int(np.ceil(self.recall * total * (1.0 - ROUNDING))) + 1
        ranks, size, largest, free, out = self.draws.T
        size = np.where(ranks >= first_gap, size, 0.0)
        since = self.found[self.found[:, 0] >= first_gap, 1]
        gone = np.cumsum(np.bincount(since, minlength=len(size) + 1))[: len(size)]
        p = np.clip((n_counting - gone - out) / free, 0.0, 1.0)
        moves = (p - size) / np.maximum(largest - p, LEAST_ROOM)
        with np.errstate(divide="ignore"):
            # Who was sure that there is none is ruined by one.
            won = np.log(np.maximum(1.0 + np.outer(1.0 - SHARES_MISSED, moves), 0.0))
        return special.logsumexp(np.cumsum(won, axis=1), b=START[:, np.newaxis], axis=0)

    def _knows(self, codes, ranks, since) -> RecallCertificate:
        """Return the certificate with labels, each known since so many draws."""
        is_told, is_positive = ~np.isnan(codes), codes == 1.0
        found = np.column_stack([ranks, since])[is_positive]
        return replace(
            self,
            n_free=self.n_free - len(codes),
            n_out=self.n_out + int(np.count_nonzero(~is_told)),
            is_ranked=self.is_ranked if not len(codes) else bool(ranks[0] < NOWHERE),
            ranks=np.sort(np.concatenate([self.ranks, ranks[is_told]])),
            found=np.concatenate([self.found, found]),
        )

    def _labels(self, labels, ranks) -> tuple[np.ndarray, np.ndarray]:
        """Return codes and ranks, checked."""
        codes = as_numbers(labels, "labels").ravel()
        wrong = codes[~np.isin(codes, (0.0, 1.0)) & ~np.isnan(codes)]
        if len(wrong):
            raise ValueError(
                f"labels must be 1 for positives and 0 for others, or NaN, got {wrong[0]:g}."
            )
        if len(codes) > self.n_free:
            raise ValueError(
                f"labels are of {len(codes)} items, and only {self.n_free} have none yet; pass "
                f"each label once, and count items without a score in n_unscored."
            )
        if self.is_ranked not in (None, ranks is not None) and len(codes):
            raise ValueError("ranks must be given with all labels, or with none.")
        if ranks is None:
            return codes, np.full(len(codes), NOWHERE)
        places = as_vector(ranks, "ranks", len(codes))
        if not ((places >= 0.0) & (places == np.floor(places))).all():
            raise ValueError("ranks are places from 0, whole numbers that are not negative.")
        places = places.astype(np.int64)
        if len(np.unique(places)) < len(places) or np.isin(places, self.ranks).any():
            raise ValueError("ranks name an item that has a label already; pass each label once.")
        return codes, places


def _chances(chances, least, free) -> tuple[np.ndarray, np.ndarray]:
    """Return the chances of draws and the least ones then, of items that are free, checked."""
    if (chances is None) != (least is None):
        raise ValueError(
            "chances and least go together: what an item was drawn with, and the least chance "
            "that any other had; leave out both if all were as likely."
        )
    even = 1.0 / free
    if chances is None:
        return even, even
    chances, least = as_vector(chances, "chances", len(free)), as_vector(least, "least", len(free))
    possible = (least >= 0.0) & (least <= even * (1.0 + ROUNDING)) & (chances <= 1.0)
    if not (possible & (chances > 0.0) & (chances >= least)).all():
        raise ValueError(
            "chances must lie between the least chance of an item and 1, and the least chance "
            "between 0 and that of items that are all as likely."
        )
    return chances, least
