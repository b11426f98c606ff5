"""Thresholds whose precision is proved by labels along one random order of the items."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from ..goals._best_threshold import BestThreshold, ThresholdOdds, above_all
from ..goals._goal import SIZE, Goal
from ..inputs._arrays import FrozenArrays
from ..inputs._labels import UNLABELED

# Number of items at or above the first threshold, and the ratio of those of successive ones.
# Where a chain starts hardly matters: on eight public sets the best start of each, by hindsight,
# has a recall of 0.417 at 100 labels for 0.410, so that no model is asked.
FIRST_DEPTH, DEPTH_RATIO = 20, 1.12
# A threshold is hopeless once this many labels or more would have so small a share of positives
# with at most this probability, if its precision were just enough.
MIN_LABELS, HOPELESS = 20, 0.15
# Bounds are reached up to rounding. Differences of log factorials are off by so much of them.
LOG_FACTORIAL_ERROR = 64.0 * np.finfo(float).eps
ROUNDING = 1e-9


def log_e_values(
    n_items: int, min_positive: int, n_drawn: np.ndarray, n_positive: np.ndarray, tested: int
) -> np.ndarray:
    r"""Return the log e-values of uniform draws against a number of positives.

    If P of K items are positive, the labels of n items drawn one after another, s of them positive
    in a certain order, have the probability

    .. math:: L(P) = \frac{P!}{(P - s)!} \frac{(K - P)!}{(K - P - n + s)!} \frac{(K - n)!}{K!} .

    The e-value is the mean of L over all numbers from `min_positive` up, divided by L(P) of the
    tested one, a martingale if that is the true one. It depends on counts only, and not on the
    order of the labels. The mean has a closed form: with a uniform prior over 0 to K the number of
    positives is that of the items before a random divider among K + 1 places, and is at least m if
    at most s of the n + 1 places of draws and divider are among the first m, a hypergeometric
    probability.

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
    n = np.asarray(n_drawn, dtype=float)
    s = np.asarray(n_positive, dtype=float)

    # The mean likelihood over all numbers of positives that meet the bound.
    n_favored = n_items - min_positive + 1
    log_marginal = special.betaln(s + 1.0, n - s + 1.0)
    tail = _hypergeometric_cdf(s, n_items + 1, min_positive, n + 1.0)
    with np.errstate(divide="ignore"):
        log_mixture = np.log((n_items + 1) / n_favored) + log_marginal + np.log(tail)

    # The likelihood of the tested number.
    has_more_positives = s > tested
    has_more_negatives = n - s > n_items - tested
    is_refuted = has_more_positives | has_more_negatives
    positives_left = np.where(is_refuted, 0.0, tested - s)
    negatives_left = np.where(is_refuted, 0.0, n_items - tested - n + s)
    log_likelihood = (
        special.gammaln(tested + 1.0)
        - special.gammaln(positives_left + 1.0)
        + special.gammaln(n_items - tested + 1.0)
        - special.gammaln(negatives_left + 1.0)
        + special.gammaln(n_items - n + 1.0)
        - special.gammaln(n_items + 1.0)
    )

    log_e_value = np.where(has_more_negatives, -np.inf, log_mixture - log_likelihood)
    return np.where(has_more_positives, np.inf, log_e_value)


def _hypergeometric_cdf(
    s: np.ndarray, n_items: int, n_marked: int, n_drawn: np.ndarray
) -> np.ndarray:
    """Return P(at most s of n draws are among the marked items); arrays (n_looks,)."""
    if len(s) > 1 and np.array_equal(n_drawn, np.arange(2.0, len(s) + 2.0)):
        return _cdf_along(s, n_items, n_marked)
    j = np.arange(s.max(initial=0.0) + 1.0)[:, np.newaxis]
    pmf = _hypergeometric_pmf(j, n_items, n_marked, n_drawn, j <= s)
    return np.minimum(pmf.sum(axis=0), 1.0)


def _cdf_along(s: np.ndarray, n_items: int, n_marked: int) -> np.ndarray:
    """Return the same after each of successive draws, the second one first, by recursion."""
    before = np.r_[0.0, s[:-1]]
    n = np.arange(1.0, len(s) + 1.0)

    # Each draw removes the probability that it is one marked item too many, and adds that of one
    # more marked item than before where so many are allowed.
    next_is_marked = (n_marked - before) / (n_items - n)
    removed = _hypergeometric_pmf(before, n_items, n_marked, n, True) * next_is_marked
    added = _hypergeometric_pmf(s, n_items, n_marked, n + 1.0, s > before)
    first = 1.0 - n_marked / n_items
    cdf = np.minimum(first + np.cumsum(added - removed), 1.0)

    # Where the e-value exceeds one, the result is at least 1 / n_items. What is smaller than that,
    # or than the rounding of log factorials, must not be divided by a smaller likelihood.
    rounding = LOG_FACTORIAL_ERROR * special.gammaln(n_items + 1.0)
    smallest = max(0.5 / n_items, rounding)
    return np.where(cdf >= smallest, cdf, 0.0)


def _hypergeometric_pmf(
    j: np.ndarray, n_items: int, n_marked: int, n_drawn: np.ndarray, is_wanted: np.ndarray | bool
) -> np.ndarray:
    """Return P(j of n draws are among the marked items), 0 where it is not wanted."""
    n_unmarked = n_items - n_marked
    outside = n_drawn - j
    is_possible = (j <= n_marked) & (outside >= 0.0) & (outside <= n_unmarked)
    is_term = is_wanted & is_possible

    inside = np.where(is_term, j, 0.0)
    outside = np.where(is_term, outside, 0.0)
    log_pmf = (
        _log_choose(n_marked, inside)
        + _log_choose(n_unmarked, outside)
        - _log_choose(n_items, n_drawn)
    )
    pmf = np.exp(np.where(is_term, log_pmf, 0.0))
    return np.where(is_term, pmf, 0.0)


def _log_choose(n: float | np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return the logarithm of a binomial coefficient."""
    return special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)


@dataclass(frozen=True, eq=False)
class OrderedCertificate(FrozenArrays):
    r"""Selections whose precision is proved by labels along one random order, at every look.

    One random order of all items is drawn before any label. The *walk* of a threshold is this order
    restricted to the items at or above it: uniform draws without replacement. The labels of a
    walk, as far as they are known without a gap, are tested against each number of positives above
    the threshold that violates the bound (`log_e_values`), at every step. Labels that were spent on
    one threshold are evidence for all others.

    The largest e-value of a whole walk depends on the order and the labels alone. So it may depend
    on anything which items are labeled, in which sequence, and when labeling stops: against the
    true number it ever exceeds :math:`1 / \alpha` with probability at most :math:`\alpha` (Ville).
    Thresholds are tested from the highest downwards. A threshold is passed once it is proved as a
    rule; the selection that is returned is proved by itself (`GoalCertificate` has the argument why
    the risk is that of one test).

    Labels known before the order was drawn, however they were chosen, are set aside: the walks
    are those of the other items, and known positives belong to each selection. Goal, level,
    thresholds and order are fixed before the first label, and the labels are the true ones: for
    rows that are added a new certificate with a risk of its own is needed. A corrected label counts
    as what it is now: the largest e-value is that of the true labels, if they are corrected
    whatever they prove. An item that nobody can judge counts as a negative.

    Attributes
    ----------
    goal : Goal
    confidence_level : float
    min_precision : float
    size_limits : tuple of float
        The smallest and the largest number of items that are to be selected. The size of a
        selection is known, so that its limits take no proof.
    order : ndarray of shape (n_items,)
        Items in decreasing order of the score.
    thresholds : ndarray of shape (n_thresholds,)
        Decreasing; the first lies above all scores.
    depths : ndarray of shape (n_thresholds,)
        Number of items at or above each.
    places : ndarray of shape (n_items,)
        The place of each item of `order` in the random order; -1 for items set aside. None if
        labels were drawn by others: then only their numbers are looked at.
    codes : ndarray of shape (n_items,)
        1, 0, or -1 without a label, in this order.
    is_labeled : ndarray of bool of shape (n_items,)
        Which items are labeled or skipped, in this order; skipped ones count as negatives.
    is_aside : ndarray of bool of shape (n_items,)
    first_depth : int
        Number of items at or above the first threshold, before ties.
    drawn_order : ndarray of shape (n_items,), default=None
        The items in the random order, those set aside too: if their labels are withdrawn, they take
        their places.
    passed : tuple of float
        Log evidence for each threshold proved as a rule, the first ones of the chain.
    """

    goal: Goal
    confidence_level: float
    min_precision: float
    size_limits: tuple[float, float]
    order: np.ndarray
    thresholds: np.ndarray
    depths: np.ndarray
    places: np.ndarray | None
    codes: np.ndarray
    is_labeled: np.ndarray
    is_aside: np.ndarray
    first_depth: int = FIRST_DEPTH
    drawn_order: np.ndarray | None = None
    passed: tuple[float, ...] = ()

    @classmethod
    def start(
        cls,
        scores: np.ndarray,
        goal: Goal,
        *,
        random_order: np.ndarray | None = None,
        known: np.ndarray | None = None,
        first_depth: int = FIRST_DEPTH,
        confidence_level: float = 0.9,
    ) -> OrderedCertificate:
        """Make the certificate before any label is drawn.

        Parameters
        ----------
        scores : ndarray of shape (n_items,)
            Larger for positives.
        goal : Goal
            A lower bound on precision, maybe with one on the number of selected items.
        random_order : ndarray of shape (n_items,), default=None
            A random permutation of the items; None for labels that others draw uniformly.
        known : ndarray of shape (n_items,), default=None
            Labels known before, set aside: 1, 0, or -1 for the others.
        first_depth : int, default=20
            Number of items at or above the first threshold.
        confidence_level : float in (0, 1), default=0.9
        """
        min_precision = precision_bound(goal)
        if min_precision is None:
            raise ValueError(
                f"A random order proves a lower bound on precision, such as precision >= 0.9; got "
                f"{goal}."
            )
        scores = np.asarray(scores, dtype=float)
        order = np.argsort(-scores, kind="stable")
        decreasing = scores[order]
        n = len(scores)

        # Depths in a geometric sequence. Items with equal scores lie on the same side of a
        # threshold.
        log_span = max(np.log(n / first_depth), 0.0)
        n_steps = int(np.ceil(log_span / np.log(DEPTH_RATIO)))
        sequence = first_depth * DEPTH_RATIO ** np.arange(n_steps + 1)
        sequence = np.ceil(sequence).astype(int).clip(max=n)
        sequence = np.r_[sequence, n]
        last_scores = decreasing[sequence - 1]
        depths = np.unique(np.searchsorted(-decreasing, -last_scores, side="right"))

        # Known labels are set aside; the others have a place in the random order.
        codes = np.full(n, UNLABELED) if known is None else np.asarray(known)[order]
        is_aside = codes != UNLABELED
        places = None
        if random_order is not None:
            random_order = np.asarray(random_order)
            if not np.array_equal(np.sort(random_order), np.arange(n)):
                raise ValueError(f"random_order must be a permutation of the {n} items.")
            places = np.empty(n, dtype=int)
            places[random_order] = np.arange(n)
            places = np.where(is_aside, -1, places[order])

        above_every_score = above_all(decreasing[[-1, 0]])
        start = cls(
            goal,
            confidence_level,
            min_precision,
            size_limits(goal),
            order,
            np.r_[above_every_score, decreasing[depths - 1]],
            np.r_[0, depths],
            places,
            codes,
            is_aside,
            is_aside,
            first_depth,
            random_order,
        )
        return start._along()

    def with_labels(self, items: np.ndarray, codes: np.ndarray) -> OrderedCertificate:
        """Return the certificate after labels: 1, 0, or -1 where the annotator skipped the item."""
        items = np.asarray(items, dtype=np.intp)
        if not len(items):
            return self

        rank_of_item = np.empty(len(self.order), dtype=np.intp)
        rank_of_item[self.order] = np.arange(len(self.order))
        ranks = rank_of_item[items]
        is_repeated = self.is_labeled[ranks]
        if is_repeated.any():
            raise ValueError(f"Item {items[is_repeated][0]} was labeled or skipped before.")

        new_codes = self.codes.copy()
        new_codes[ranks] = codes
        is_labeled = self.is_labeled.copy()
        is_labeled[ranks] = True
        return replace(self, codes=new_codes, is_labeled=is_labeled)._along()

    def is_known(self, items: np.ndarray) -> np.ndarray:
        """Return which items are labeled, skipped or set aside."""
        is_known = np.zeros(len(self.order), dtype=bool)
        is_known[self.order] = self.is_labeled
        return is_known[items]

    @property
    def random_order(self) -> np.ndarray:
        """The items in the random order, those set aside too."""
        if self.drawn_order is None:
            raise ValueError("These labels were drawn by others: their random order is not known.")
        return self.drawn_order

    # --- what is proved -------------------------------------------------------------------------

    @property
    def proved(self) -> np.ndarray:
        """Whether the selection of each threshold is proved to meet the goal, (n_thresholds,)."""
        return self.levels >= self.confidence_level

    @property
    def levels(self) -> np.ndarray:
        """The level at which the selection of each threshold is proved, (n_thresholds,)."""
        log_evidence = np.full(len(self.depths), -np.inf)

        # Thresholds passed as rules, and the selection of the next one.
        n_passed = len(self.passed)
        passed = np.minimum.accumulate(np.array([*self.passed, np.inf]))
        log_evidence[1 : n_passed + 1] = passed[:n_passed]
        if n_passed + 1 < len(self.depths):
            of_rules = passed[n_passed - 1] if n_passed else np.inf
            of_selection = self._evidence(n_passed, of_selection=True)
            log_evidence[n_passed + 1] = min(of_selection, of_rules)

        # Known labels settle some selections.
        is_settled = self._n_missing() <= 0
        log_evidence[is_settled] = np.inf
        if not (self.codes == 1).any():
            # A selection that may be empty has no precision.
            n_free = np.r_[0, np.cumsum(~self.is_labeled)][self.depths]
            log_evidence[n_free == 0] = -np.inf
        has_size = self._has_size(self._sizes())
        log_evidence[~has_size] = -np.inf
        return -np.expm1(-np.maximum(log_evidence, 0.0))

    def best(self, posterior, task, *, prefer=None, highest: float = np.inf) -> BestThreshold:
        """Return the most useful selection that is proved, as `GoalCertificate.best`."""
        best = self.best_by_size(highest)
        metric = self.goal.metric_to_prefer(prefer)
        if not best.is_kept or metric == self.goal.metric_to_prefer():
            return best

        levels = np.where(self.thresholds <= highest, self.levels, 0.0)
        proved = np.flatnonzero(levels >= self.confidence_level)
        odds = ThresholdOdds.at(posterior, self.goal, metric, task, self.thresholds[proved])
        index = int(proved[np.argmax(odds.usefulness)])
        return BestThreshold(float(self.thresholds[index]), float(levels[index]), True)

    def best_by_size(self, highest: float = np.inf) -> BestThreshold:
        """Return the lowest threshold that is proved, which needs no model."""
        levels = np.where(self.thresholds <= highest, self.levels, 0.0)
        proved = np.flatnonzero(levels >= self.confidence_level)
        index = int(proved[-1]) if len(proved) else int(np.argmax(levels))
        return BestThreshold(float(self.thresholds[index]), float(levels[index]), bool(len(proved)))

    def _sizes(self) -> np.ndarray:
        """Return the number of items in each selection, (n_thresholds,)."""
        # A skipped item stays on the side of its score, and counts as a negative.
        is_selected = ~self.is_labeled | (self.codes == UNLABELED)
        n_positive = np.count_nonzero(self.codes == 1)
        return np.r_[0, np.cumsum(is_selected)][self.depths] + n_positive

    def _has_size(self, sizes: np.ndarray) -> np.ndarray:
        """Return whether numbers of selected items are allowed."""
        low, high = self.size_limits
        return (sizes >= low) & (sizes <= high)

    def _n_missing(self) -> np.ndarray:
        """Return how many unlabeled positives each selection needs, (n_thresholds,)."""
        n_positive = np.count_nonzero(self.codes == 1)
        needed = self.min_precision * self._sizes() - n_positive
        return np.ceil(needed - ROUNDING).astype(int)

    def _along(self) -> OrderedCertificate:
        """Return the certificate after it has passed all thresholds proved as rules."""
        passed = [] if self.places is None else list(self.passed)
        required = -np.log1p(-self.confidence_level)
        while len(passed) + 1 < len(self.depths):
            evidence = self._evidence(len(passed), of_selection=False)
            if evidence < required:
                break
            passed.append(evidence)
        return replace(self, passed=tuple(passed))

    def _evidence(self, k: int, *, of_selection: bool) -> float:
        """Return the log evidence for the k-th threshold, as a rule or for its selection."""
        depth = int(self.depths[k + 1])
        n_items, min_positive = self._needed(depth)
        if min_positive <= 0:
            return np.inf

        # The largest number of positives that violates the bound.
        tested = min_positive - 1
        if of_selection:
            is_drawn = self.is_labeled[:depth] & ~self.is_aside[:depth]
            codes = self.codes[:depth][is_drawn]
            n_positive = int(np.count_nonzero(codes == 1))
            n_missing = int(self._n_missing()[k + 1])
            if n_missing <= 0:
                return np.inf
            tested = min(n_missing - 1 + n_positive, min_positive - 1)

        n, s = self._walked(depth)
        log_e = log_e_values(n_items, min_positive, n, s, tested)
        return float(log_e.max(initial=0.0))

    def _needed(self, depth: int) -> tuple[int, int]:
        """Return the items above a threshold that are not set aside, and the positives needed."""
        n_aside = np.count_nonzero(self.is_aside & (self.codes == 1))
        n_items = int(depth - np.count_nonzero(self.is_aside[:depth]))
        needed = self.min_precision * (n_items + n_aside) - n_aside
        return n_items, int(np.ceil(needed - ROUNDING))

    def _walked(self, depth: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of labels and of positives of a walk at each look, (n_looks,)."""
        if self.places is None:
            is_drawn = self.is_labeled[:depth] & ~self.is_aside[:depth]
            codes = self.codes[:depth][is_drawn]
            n_positive = np.count_nonzero(codes == 1)
            return np.array([is_drawn.sum()]), np.array([n_positive])

        # The labels before the first gap.
        walk = self._walk(depth)
        gaps = np.flatnonzero(~self.is_labeled[walk])
        if len(gaps):
            walk = walk[: gaps[0]]
        n_drawn = np.arange(1, len(walk) + 1)
        return n_drawn, np.cumsum(self.codes[walk] == 1)

    def _walk(self, depth: int) -> np.ndarray:
        """Return the indices in `order` of the walk of a threshold."""
        assert self.places is not None
        indices = np.flatnonzero(~self.is_aside[:depth])
        return indices[np.argsort(self.places[indices])]

    # --- what to label --------------------------------------------------------------------------

    def next_items(self, n: int, free: np.ndarray, probability: np.ndarray) -> np.ndarray:
        """Return the items to label next.

        The next ones of the walk of the first threshold that is not proved, as if those before were
        positive. Once that is hopeless, or its walk has ended, the items below what is proved that
        are most probably positive: a known positive belongs to every selection.

        Parameters
        ----------
        n : int
        free : ndarray of bool of shape (n_items,)
            Which items can be labeled.
        probability : ndarray of shape (n_items,)
            P(y = 1) of each item.
        """
        ahead, plan = self._ahead(n, free)
        is_left = np.array(free)[self.order]
        is_left[ahead] = False
        ranks = np.flatnonzero(is_left)

        # Then the most probable positives, first those below what is proved.
        is_proved = ranks < plan.depths[len(plan.passed)]
        item_proba = probability[self.order[ranks]]
        by_proba = np.lexsort((ranks, -item_proba, is_proved))
        return self.order[[*ahead, *ranks[by_proba]][:n]]

    def next_of_order(self, n: int, free: np.ndarray) -> np.ndarray:
        """Return the next items of the walks alone, fewer than n where these end."""
        return self.order[self._ahead(n, free)[0]]

    def _ahead(self, n: int, free: np.ndarray) -> tuple[list[int], OrderedCertificate]:
        """Return the next ranks of the walks, and the certificate if they were positive.

        Pending items are taken for positives too. Items of larger walks in their order are
        those of smaller ones in theirs: little is lost if the plan was too bold.
        """
        free = np.array(free)[self.order]
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

    def _next_rank(self, free: np.ndarray) -> int | None:
        """Return the next free rank of the first walk without a proof; None if it is hopeless."""
        k = len(self.passed)
        if k + 1 == len(self.depths) or self._is_hopeless(int(self.depths[k + 1])):
            return None
        if self._sizes()[k + 1] > self.size_limits[1]:
            # The next selection would be too large.
            return None
        walk = self._walk(int(self.depths[k + 1]))
        ahead = walk[free[walk]]
        return int(ahead[0]) if len(ahead) else None

    def _if_positive(self, ranks: np.ndarray | list[int]) -> OrderedCertificate:
        """Return the certificate as it would be if the items of some ranks were positive."""
        codes = self.codes.copy()
        codes[ranks] = 1
        is_labeled = self.is_labeled.copy()
        is_labeled[ranks] = True
        return replace(self, codes=codes, is_labeled=is_labeled)._along()

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


def size_limits(goal: Goal) -> tuple[float, float]:
    """Return the smallest and the largest number of items that a goal allows to select."""
    sizes = [bound for bound in goal.bounds if bound.metric.name == SIZE]
    return (sizes[0].low, sizes[0].high) if sizes else (0.0, np.inf)
