"""Precisions above thresholds that are proved by labels along one random order of the items."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from ..goals._goal import SIZE, Goal
from ..inputs._arrays import FrozenArrays
from ._betting import log_total

# Number of items at or above the first threshold. Where a chain starts hardly matters: on eight
# public sets the best start of each, by hindsight, has a recall of 0.417 at 100 labels for 0.410,
# so that no model is asked.
FIRST_DEPTH = 20
# A threshold is hopeless once this many labels or more would have so small a share of positives
# with at most this probability, if its precision were just enough.
MIN_LABELS, HOPELESS = 20, 0.15
# How many of the numbers that meet a bound are bet on, at most.
N_FAVORED = 16
# The log likelihood of impossible numbers.
IMPOSSIBLE = -1e300
# Bounds are reached up to rounding.
ROUNDING = 1e-9


def log_e_values(
    n_items: int, min_positive: int, n_drawn: np.ndarray, n_positive: np.ndarray, tested: int
) -> np.ndarray:
    r"""Return the log e-values of uniform draws against a number of positives.

    If P of K items are positive, the labels of n items drawn one after another, s of them positive
    in a certain order, have a probability in proportion to

    .. math:: L(P) = \frac{P!}{(P - s)!} \frac{(K - P)!}{(K - P - n + s)!} .

    The e-value is the mean of L over evenly spread numbers from `min_positive` up, divided by L(P)
    of the tested one, a martingale if that is the true one. It depends on counts only, and not on
    the order of the labels.

    Wherever the e-value exceeds one it is larger against each smaller number, as L is
    log-concave: only the largest number that violates a bound has to be tested.

    Parameters
    ----------
    n_items : int
        Number of items, K.
    min_positive : int
        The smallest number that meets the bound, m, from 1 to K.
    n_drawn, n_positive : ndarray of shape (n_looks,)
        n and s.
    tested : int
        P, from 0 to m - 1.

    Returns
    -------
    log_e_values : ndarray of shape (n_looks,)
        Infinite where more than `tested` positives were drawn; minus infinity where so many
        negatives were drawn that there are fewer.
    """
    s = np.asarray(n_positive, dtype=float)
    negative = np.asarray(n_drawn, dtype=float) - s
    n_favored = min(n_items - min_positive + 1, N_FAVORED)
    favored = np.linspace(min_positive, n_items, n_favored).round()[:, np.newaxis]

    log_mixture = log_total(_log_likelihood(favored, n_items, s, negative), 1)
    log_e_value = log_mixture - np.log(n_favored)
    has_more_positives = s > tested
    log_e_value -= _log_likelihood(tested, n_items, s, negative)
    log_e_value[negative > n_items - tested] = -np.inf
    return np.where(has_more_positives, np.inf, log_e_value)


def _log_likelihood(
    positives: np.ndarray | int, n_items: int, s: np.ndarray, negative: np.ndarray
) -> np.ndarray:
    """Return log L of numbers of positives."""
    negatives = n_items - positives
    is_possible = (s <= positives) & (negative <= negatives)
    log_likelihood = (
        special.gammaln(positives + 1.0)
        - special.gammaln(np.maximum(positives - s, 0.0) + 1.0)
        + special.gammaln(negatives + 1.0)
        - special.gammaln(np.maximum(negatives - negative, 0.0) + 1.0)
    )
    return np.where(is_possible, log_likelihood, IMPOSSIBLE)


@dataclass(frozen=True, eq=False)
class PrecisionWalk(FrozenArrays):
    r"""Tests of the precision above each threshold, by labels along one random order.

    One random order of all items is drawn before any label. The *walk* of a threshold is this order
    restricted to the items at or above it: uniform draws without replacement. The labels of a
    walk, as far as they are known without a gap, are tested against each number of positives above
    the threshold that violates the bound (`log_e_values`), at every step. Labels that were spent on
    one threshold are evidence for all others.

    The largest e-value of a whole walk depends on the order and the labels alone. So it may depend
    on anything which items are labeled, in which sequence, and when labeling stops: against the
    true number it ever exceeds :math:`1 / \alpha` with probability at most :math:`\alpha` (Ville).
    Thresholds are tested from the highest downwards, and passed once they are proved as a rule.

    Labels known before the order was drawn, however they were chosen, are set aside: the walks
    are those of the other items, and known positives belong to each selection. A corrected label
    counts as what it is now: the largest e-value is that of the true labels, if they are corrected
    whatever they prove. An item that cannot be labeled counts as a negative.

    Attributes
    ----------
    min_precision : float
    max_size : float
        The largest number of items that may be selected: beyond it no label is worth asking for.
    required : float
        The log evidence with which a threshold is passed.
    depths : ndarray of shape (n_thresholds,)
        Number of items at or above each threshold, from 0.
    sequence : ndarray of shape (n_drawable,) or None
        The ranks of the items that are not set aside, in the random order. None if labels were
        drawn by others: then only their numbers are looked at.
    is_aside : ndarray of bool of shape (n_items,)
        In decreasing order of the score, as the next ones.
    codes : ndarray of shape (n_items,)
        1, 0, or -1 without a label.
    is_labeled : ndarray of bool of shape (n_items,)
        Which items are labeled or skipped.
    """

    min_precision: float
    max_size: float
    required: float
    depths: np.ndarray
    sequence: np.ndarray | None
    is_aside: np.ndarray
    codes: np.ndarray
    is_labeled: np.ndarray

    def after(self, codes: np.ndarray, is_labeled: np.ndarray) -> PrecisionWalk:
        """Return the tests with these labels."""
        return replace(self, codes=codes, is_labeled=is_labeled)

    @cached_property
    def passed(self) -> tuple[float, ...]:
        """Log evidence for each threshold proved as a rule, the first ones of the chain."""
        log_evidence = (self._evidence(k, of_selection=False) for k in range(1, len(self.depths)))
        return tuple(itertools.takewhile(lambda value: value >= self.required, log_evidence))

    def evidence(self) -> np.ndarray:
        """Return the log evidence for each selection, with that for all rules before it."""
        log_evidence = np.full(len(self.depths), -np.inf)
        frontier = len(self.passed) + 1
        passed = np.minimum.accumulate([np.inf, *self.passed])
        log_evidence[1:frontier] = passed[1:]
        if frontier < len(self.depths):
            of_selection = self._evidence(frontier, of_selection=True)
            log_evidence[frontier] = min(of_selection, passed[-1])
        return log_evidence

    def _evidence(self, k: int, *, of_selection: bool) -> float:
        """Return the log evidence for the k-th threshold, as a rule or for its selection."""
        depth = int(self.depths[k])
        n_items, min_positive = self._needed(depth)
        if min_positive <= 0:
            return np.inf

        # The largest number of positives that violates the bound.
        tested = min_positive - 1
        if of_selection:
            n_missing = self._n_missing(depth)
            if n_missing <= 0:
                return np.inf
            n_positive = np.count_nonzero((self.codes == 1)[:depth] & ~self.is_aside[:depth])
            tested = min(n_missing - 1 + int(n_positive), tested)

        log_e = log_e_values(n_items, min_positive, *self._walked(depth), tested)
        return float(log_e.max(initial=0.0))

    def _needed(self, depth: int) -> tuple[int, int]:
        """Return the items above a threshold that are not set aside, and the positives needed."""
        n_aside = np.count_nonzero(self.is_aside & (self.codes == 1))
        n_items = int(depth - np.count_nonzero(self.is_aside[:depth]))
        needed = self.min_precision * (n_items + n_aside) - n_aside
        return n_items, int(np.ceil(needed - ROUNDING))

    def _n_missing(self, depth: int) -> int:
        """Return how many positives without a label the selection of a threshold needs."""
        n_positive = np.count_nonzero(self.codes == 1)
        return int(np.ceil(self.min_precision * self._size(depth) - n_positive - ROUNDING))

    def _size(self, depth: int) -> int:
        """Return the number of items in the selection of a threshold; skipped ones stay in it."""
        return int(np.count_nonzero(self.codes[:depth] < 0) + np.count_nonzero(self.codes == 1))

    def _walked(self, depth: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of labels and of positives of a walk at each look, (n_looks,)."""
        if self.sequence is None:
            is_drawn = self.is_labeled[:depth] & ~self.is_aside[:depth]
            n_positive = np.count_nonzero(self.codes[:depth][is_drawn] == 1)
            return np.array([is_drawn.sum()]), np.array([n_positive])

        # The labels before the first gap.
        walk = self._walk(depth)
        gaps = np.flatnonzero(~self.is_labeled[walk])
        if len(gaps):
            walk = walk[: gaps[0]]
        return np.arange(1, len(walk) + 1), np.cumsum(self.codes[walk] == 1)

    def _walk(self, depth: int) -> np.ndarray:
        """Return the ranks of the items of a walk, in the random order."""
        assert self.sequence is not None
        return self.sequence[self.sequence < depth]

    # --- what to label --------------------------------------------------------------------------

    def next_ranks(self, n: int, free: np.ndarray) -> tuple[list[int], PrecisionWalk]:
        """Return the next `free` ranks of the walks, and the walk if all of them were positive.

        These items are at the first threshold without a proof. Items before them and pending items
        count as positive. Fewer than n items are returned if no proof is possible, or if the walk
        has ended. Items of larger walks in their order are those of smaller ones in theirs: little
        is lost if the plan was too bold.
        """
        free = np.array(free)
        plan = self._if_positive(np.flatnonzero(~free & ~self.is_labeled))
        ahead: list[int] = []
        while len(ahead) < n:
            rank = plan._next_rank(free)
            if rank is None:
                break
            ahead.append(rank)
            free[rank] = False
            plan = plan._if_positive([rank])
        return ahead, plan

    @property
    def n_proved(self) -> int:
        """Number of items at or above the last threshold that is proved as a rule."""
        return int(self.depths[len(self.passed)])

    def _next_rank(self, free: np.ndarray) -> int | None:
        """Return the next free rank of the first walk without a proof; None if it is hopeless."""
        k = len(self.passed) + 1
        if k == len(self.depths) or self._size(self.depths[k]) > self.max_size:
            return None
        if self._is_hopeless(int(self.depths[k])):
            return None
        walk = self._walk(int(self.depths[k]))
        ahead = walk[free[walk]]
        return int(ahead[0]) if len(ahead) else None

    def _if_positive(self, ranks: np.ndarray | list[int]) -> PrecisionWalk:
        """Return the walk as it would be if the items of some ranks were positive."""
        codes = self.codes.copy()
        codes[ranks] = 1
        is_labeled = self.is_labeled.copy()
        is_labeled[ranks] = True
        return self.after(codes, is_labeled)

    def _is_hopeless(self, depth: int) -> bool:
        """Return whether the labels of a walk ever were too bad for a proof."""
        n_items, min_positive = self._needed(depth)
        n, s = self._walked(depth)
        share = s / np.maximum(n, 1)
        min_share = min_positive / max(n_items, 1)
        is_low = (n >= MIN_LABELS) & (share < min_share)

        # Chernoff's bound on the probability of so small a share.
        divergence = special.rel_entr(share, min_share)
        divergence += special.rel_entr(1.0 - share, 1.0 - min_share)
        is_improbable = np.exp(-n * divergence) < HOPELESS
        return bool((is_low & is_improbable).any())


def precision_bound(goal: Goal) -> float | None:
    """Return the least precision of a goal on that and on the size; None for other goals."""
    bounds = [bound.conditions(1) for bound in goal.bounds if bound.metric.name != SIZE]
    if len(bounds) != 1 or bounds[0] is None or len(bounds[0]) != 1:
        return None
    (below_negative, negative), (below_positive, positive) = bounds[0][0][0]
    if below_negative or below_positive or not positive > 0.0 > negative:
        return None
    return float(-negative / (positive - negative))
