"""Proofs from drawn labels that a review has found a share of all positives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..inputs._arrays import FrozenArrays
from ..inputs._validation import as_numbers, as_vector, check_count, check_counts, check_number
from ._betting import log_total
from ._committed_order import CommittedOrder

# Assumed shares of missed positives, relative to the largest tolerable number, and prior weights.
SHARES_MISSED = np.array([0.0, 0.1, 0.25, 0.5])
START = np.array([0.5, 0.2, 0.2, 0.1])
# The log wealth where the observed labels contradict a betting strategy.
MIN_ROOM = 1e-12
# Ratios of counts may differ in their last bits.
ROUNDING = 1e-9
# The rank of items outside the ranking; no review reads as far.
NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class RecallCertificate(FrozenArrays):
    r"""Time-uniform test that a review has found a share of all positives.

    A reviewer reads items, mostly from the top of a ranking, and also labels a few items that are
    drawn at random from the unlabeled ones. Items that are read need no inclusion probability:
    their labels are known, and fewer items remain in which positives may be missed.

    *The hypothesis.* The test rejects that the review has found too few positives: f of P, where
    :math:`f < \theta P`. Skipped items count as positives that are never found. Let A be a set of m
    of the P items: all skipped items, and all other positives except the first :math:`\lceil\theta
    P\rceil - 1` in the ranking. Without a ranking, A is the set of all positives.

    *The test.* Once a items of A are known, a uniform draw from the n remaining items is in A with
    probability :math:`p = (m - a) / n`. The alternative has the probability :math:`\rho p` instead,
    where :math:`\rho < 1` is the assumed share of A that is missed. The likelihood ratio of
    alternative and hypothesis is a martingale, which ever reaches :math:`1 / \alpha` with
    probability at most :math:`\alpha` (Ville). If the alternative is true, no test needs fewer
    draws on average. The e-value is a mixture over several shares :math:`\rho`.

    *The computation.* Consider the top part of the ranking that is labeled or skipped without a
    gap. A drawn positive in it is not in A, because too few positives were found up to there. All
    other drawn positives are counted as members of A. The computed ratio is never larger than the
    true one. It increases with P, so only the smallest P that is too large must be tested.

    As in QBCB [1]_, further reading compensates for positives found by draws. QBCB draws before it
    reads; here reading and drawing may alternate, and each may depend on the past.

    .. versionadded:: 0.1

    Attributes
    ----------
    recall, confidence_level : float
    n_free : int
        Number of unlabeled items.
    n_out : int
        Number of items that may be positive and cannot be drawn.
    is_ranked : bool or None
        Whether ranks are given. None before the first label.
    ranks : ndarray of shape (n_known,), of int
        Increasing ranks of the labeled or skipped items.
    found : ndarray of shape (n_found, 2), of int
        The rank of each positive, and the number of draws before it was known.
    draws : ndarray of shape (n_drawn, 4)
        One row per draw: the rank (for skipped items, the rank of unranked items), whether the item
        may be in A, and `n_free` and `n_out` before the draw.

    References
    ----------
    .. [1] D. D. Lewis, E. Yang, O. Frieder. "Certifying one-phase technology-assisted reviews."
       CIKM (2021).

    Examples
    --------
    The top 300 of 3,000 items were read, and 200 of them are positive. Some of the others are
    drawn:

    >>> import numpy as np
    >>> from sklearn_spe.design import RecallCertificate
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
    draws: np.ndarray = field(default_factory=lambda: np.empty((0, 4)))

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
        """Create the certificate before any item is read.

        Parameters
        ----------
        n_items : int
            Number of ranked items.
        recall : float in (0, 1)
            The share of all positives that must be found.
        confidence_level : float in (0, 1), default=0.95
        n_unscored : int, default=0
            Number of items that may be positive and have no rank. They are drawn like other items
            and included in the guarantee.
        n_out : int, default=0
            Number of further items that are neither read nor drawn. Each counts as a missed
            positive.
        """
        n = check_count(n_items, "n_items") + check_count(n_unscored, "n_unscored", 0)
        check_count(n_out, "n_out", 0)
        check_number(confidence_level, "confidence_level", "(0, 1)")
        check_number(recall, "recall", "(0, 1)")
        return cls(recall, confidence_level, n, n_out=n_out)

    @property
    def n_found(self) -> int:
        """Number of labeled positives, read or drawn."""
        return len(self.found)

    @property
    def n_drawn(self) -> int:
        """Number of items that were drawn."""
        return len(self.draws)

    def read(self, labels: ArrayLike, ranks: ArrayLike | None = None) -> RecallCertificate:
        """Return the certificate after items were read, which may be chosen in any way.

        Parameters
        ----------
        labels : array-like of shape (n,)
            1 for positives, 0 for others; NaN if the item was skipped.
        ranks : array-like of int of shape (n,), default=None
            The ranks of the items, from 0, in a ranking fixed before the first draw, with unscored
            items last. Pass ranks in every call or in none. Without ranks, positives found by draws
            always count as members of A.
        """
        codes, ranks = self._labels(labels, ranks)
        return self._knows(codes, ranks, np.full(len(codes), self.n_drawn))

    def drawn(self, labels: ArrayLike, ranks: ArrayLike | None = None) -> RecallCertificate:
        """Return the certificate after items were drawn, one after another.

        Each item must be drawn uniformly from the unlabeled items.

        Parameters
        ----------
        labels : array-like of shape (n,)
            1 for positives, 0 for others, in the order of the draws; NaN if the item was skipped.
        ranks : array-like of int of shape (n,), default=None
            As in `read`.
        """
        codes, ranks = self._labels(labels, ranks)
        # A skipped item may be one of the missed positives, and counts wherever it is ranked.
        is_skipped = np.isnan(codes)
        counting_ranks = np.where(is_skipped, NOWHERE, ranks)
        free = self.n_free - np.arange(len(codes))
        out = self.n_out + np.cumsum(is_skipped) - is_skipped
        draws = np.column_stack([counting_ranks, codes != 0.0, free, out])
        labeled = self._knows(codes, ranks, self.n_drawn + 1 + np.arange(len(codes)))
        return replace(labeled, draws=np.vstack([self.draws, draws]))

    @property
    def level(self) -> float:
        """The confidence level at which the recall is proved."""
        if self.n_found == 0:
            # Recall is undefined without positives.
            return 0.0
        if self._too_many > self.n_found + self.n_free + self.n_out:
            return 1.0
        return float(-np.expm1(-self._log_e_value(self._too_many).max(initial=0.0)))

    @property
    def _too_many(self) -> int:
        """The smallest number of positives of which too few are found."""
        return int(np.floor(self.n_found / self.recall * (1.0 + ROUNDING))) + 1

    @property
    def is_reached(self) -> bool:
        """Whether the recall is proved at the confidence level."""
        return self.level >= self.confidence_level

    def _log_e_value(self, total: int) -> np.ndarray:
        """Return the log e-value against a total of positives, or a larger one, (n_draws,)."""
        first_gap = 0
        n_counting = total
        if self.is_ranked:
            # The ranking is labeled without a gap up to here.
            gaps = np.append(self.ranks, NOWHERE) != np.arange(len(self.ranks) + 1)
            first_gap = int(np.argmax(gaps))
            n_counting = total - int(np.ceil(self.recall * total * (1.0 - ROUNDING))) + 1

        # Draws count beyond the part that is labeled without a gap.
        ranks, may_count, n_free, n_out = self.draws.T
        is_counted = (ranks >= first_gap) & (may_count > 0.0)
        n_draws = len(ranks)

        # The members of A that are not yet labeled, as a share of the free items.
        draws_before = self.found[self.found[:, 0] >= first_gap, 1]
        n_labeled = np.cumsum(np.bincount(draws_before, minlength=n_draws + 1))[:n_draws]
        p = np.clip((n_counting - n_labeled - n_out) / n_free, 0.0, 1.0)

        # The likelihood ratios, each for another share of missed positives: it is zero for none
        # after one is drawn, and no evidence where only A is left.
        of_others = (1.0 - np.outer(SHARES_MISSED, p)) / np.maximum(1.0 - p, MIN_ROOM)
        ratios = np.where(is_counted, SHARES_MISSED[:, np.newaxis], of_others)
        with np.errstate(divide="ignore"):
            growth = np.log(ratios)
        return log_total(np.log(START)[:, np.newaxis] + np.cumsum(growth, axis=1), 1)

    def _knows(
        self, codes: np.ndarray, ranks: np.ndarray, n_drawn: np.ndarray
    ) -> RecallCertificate:
        """Return the certificate with labels that are each known after a number of draws."""
        is_known = ~np.isnan(codes)
        is_positive = codes == 1.0
        positives = np.column_stack([ranks, n_drawn])[is_positive]
        return replace(
            self,
            n_free=self.n_free - len(codes),
            n_out=self.n_out + int(np.count_nonzero(~is_known)),
            is_ranked=self.is_ranked if not len(codes) else bool(ranks[0] < NOWHERE),
            ranks=np.sort(np.concatenate([self.ranks, ranks])),
            found=np.concatenate([self.found, positives]),
        )

    def _labels(self, labels: ArrayLike, ranks: ArrayLike | None) -> tuple[np.ndarray, np.ndarray]:
        """Return validated label codes and ranks."""
        codes = as_numbers(labels, "labels").ravel()
        invalid = codes[~np.isin(codes, (0.0, 1.0)) & ~np.isnan(codes)]
        if len(invalid):
            raise ValueError(
                f"labels must be 1 for positives and 0 for others, or NaN, got {invalid[0]:g}."
            )
        if len(codes) > self.n_free:
            raise ValueError(
                f"labels has {len(codes)} items, but only {self.n_free} are still unlabeled; pass "
                f"each label once, and count items without a score in n_unscored."
            )
        if self.is_ranked not in (None, ranks is not None) and len(codes):
            raise ValueError("ranks must be given with all labels, or with none.")
        if ranks is None:
            return codes, np.full(len(codes), NOWHERE)

        places = check_counts(as_vector(ranks, "ranks", len(codes)), "ranks", 0)
        if len(np.unique(places)) < len(places) or np.isin(places, self.ranks).any():
            raise ValueError("ranks contain an item that is labeled already; pass each label once.")
        return codes, places


def draws_to_prove(n_found: int, n_free: int, recall: float, confidence_level: float) -> int:
    """Return the number of draws that prove the recall if all are negative, at most all items.

    `n_found` positives are known, and `n_free` items are unlabeled.
    """
    start = RecallCertificate.start(
        n_found + n_free, recall=recall, confidence_level=confidence_level
    )
    certificate = start.read(np.ones(n_found)).drawn(np.zeros(n_free))
    log_e_value = certificate._log_e_value(certificate._too_many)
    is_proved = log_e_value >= -np.log1p(-confidence_level)
    return int(np.argmax(is_proved)) + 1 if is_proved.any() else n_free


@dataclass(frozen=True, eq=False)
class Review(FrozenArrays):
    """Labels in the order in which they came, each of one item of a pool."""

    n_items: int  # number of items in the pool
    items: np.ndarray  # (n_rows,)
    # (n_rows,) or None; ranks of the items, from 0; None if there are several rankings.
    ranks: np.ndarray | None
    labels: np.ndarray  # (n_rows,); 1 or 0; NaN where skipped
    is_drawn: np.ndarray  # (n_rows,); whether an item was drawn uniformly, without an order
    order: CommittedOrder | None = None  # along which items were drawn

    def certificate(self, **guarantee: Any) -> RecallCertificate:
        """Return the recall certificate, given keywords of `RecallCertificate.start`."""
        rows, is_drawn = np.arange(len(self.items)), self.is_drawn
        if self.order is not None:
            rows, is_drawn = self._along(self.order)
        certificate = RecallCertificate.start(self.n_items, **guarantee)
        # Runs of consecutive rows that were all read or all drawn.
        for run in np.split(rows, np.flatnonzero(np.diff(is_drawn)) + 1) if len(rows) else ():
            ranks = None if self.ranks is None else self.ranks[run]
            add = certificate.drawn if is_drawn[0] else certificate.read
            certificate = add(self.labels[run], ranks)
            is_drawn = is_drawn[len(run) :]
        return certificate

    def until(self, n_rows: int) -> Review:
        """Return the review after its first labels."""
        ranks = None if self.ranks is None else self.ranks[:n_rows]
        return replace(
            self,
            items=self.items[:n_rows],
            ranks=ranks,
            labels=self.labels[:n_rows],
            is_drawn=self.is_drawn[:n_rows],
        )

    def _along(self, order: CommittedOrder) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows, draws along the order before items that were read, and which are draws.

        The items of the order up to the first one without a label are uniform draws without
        replacement among all that had none at the start, whatever was read in between: the largest
        e-value depends on the order and the labels alone. Read items among them are no missed
        positives, which is evidence too.
        """
        places = order.places[self.items]
        rows = np.argsort(places, kind="stable")
        n_known = np.count_nonzero(places < 0)
        # Without a gap each place is that of its row.
        is_drawn = places[rows] == np.arange(len(rows)) - n_known
        return rows, is_drawn
