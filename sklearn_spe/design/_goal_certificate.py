"""Thresholds that are proved to meet a goal by randomly drawn labels, without a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..goals._best_threshold import BestThreshold, ThresholdOdds, above_all
from ..goals._goal import SIZE, Goal
from ..inputs._arrays import FrozenArrays
from ..inputs._labels import UNLABELED
from ._precision_walk import PrecisionWalk, precision_bound
from ._sum_test import SumTest, ThresholdCounts

# Ratio of the numbers of items above successive thresholds.
DEPTH_RATIO = 1.12
ROUNDING = 1e-9


class CertificateStep(NamedTuple):
    """One label of a certificate; of an item that was not drawn by weights, the rest is None."""

    item: int
    code: int
    chance: float | None
    threshold_counts: ThresholdCounts | None


@dataclass(frozen=True, eq=False)
class GoalCertificate(FrozenArrays):
    r"""Thresholds whose selection provably meets a goal, valid at every look.

    The selection of a threshold consists of the unlabeled items at or above it and the known
    positives. A bound on a ratio of sums, such as precision of at least :math:`\theta`, holds if
    the numerator minus :math:`\theta` times the denominator is not negative. A bound on precision
    is tested by labels along one random order (`PrecisionWalk`), others by the labels of items
    drawn with known inclusion probabilities (`SumTest`).

    Multiplicity over thresholds is controlled by fixed-sequence testing [1]_: the order of the
    thresholds, the level and the goal are fixed before any label, and a chain passes a threshold
    only once it is proved as a rule, that is without what labels change in its selection. The
    selection that is returned is proved by itself.

    Let :math:`k_0` be the first threshold of a chain that violates a bound as a rule. Labels only
    improve the selections for which bets are made (a labeled negative leaves, a labeled positive
    enters), so those before :math:`k_0` meet the bound at any time. A claim beyond
    :math:`k_0` takes a proof of :math:`k_0` as a rule: its true sum was rejected. A wrong claim at
    :math:`k_0` takes the rejection of all sums with which its selection violates the bound: the
    true one is among them. Both are one event, that the e-process against one fixed value of one
    threshold ever reaches :math:`1 / \alpha`, of probability at most :math:`\alpha` (Ville). If a
    chain passed a threshold once its *selection* is proved, labels would move the first false
    threshold down the chain, and each one on the way could be proved in error.

    A sum that increases as the threshold decreases (recall) is tested from the lowest threshold
    upwards, one that decreases (specificity) from the highest downwards. For others the safest
    threshold is unknown: several chains start at different ranks and share :math:`\alpha`, as
    bounds do. What the known labels settle, and the size of a selection, need no test.

    With probability `confidence_level`, every threshold proved at any time meets the goal at that
    time. Items, scores and labels must not change: added rows or changed labels need a separate
    certificate, with its own risk.

    Attributes
    ----------
    goal : Goal
    confidence_level : float
    order : ndarray of shape (n_items,)
        Items in decreasing order of the score.
    thresholds : ndarray of shape (n_thresholds,)
        Decreasing; the first lies above all scores.
    depths : ndarray of shape (n_thresholds,)
        Number of items at or above each.
    codes : ndarray of shape (n_items,)
        1, 0, or -1 without a label, in this order.
    is_labeled : ndarray of bool of shape (n_items,)
        Which items are labeled or skipped, in this order; skipped ones count as the worse label.
    conditions : tuple of pairs of ndarray of shape (2, 2)
        For each end of a bound what an item adds to a sum that must not be negative, and to the
        denominator, ``[z, above]``.
    tests : tuple of SumTest or PrecisionWalk
        One for each; None where no label matters.
    steps : tuple of CertificateStep
        The labels in their order, from which the proof can be computed again.

    References
    ----------
    .. [1] W. Maurer, L. A. Hothorn, W. Lehmacher. "Multiple comparisons in drug clinical trials
       and preclinical assays: a-priori ordered hypotheses." Biometrie in der
       chemisch-pharmazeutischen Industrie 6 (1995) 3-18.
    """

    goal: Goal
    confidence_level: float
    order: np.ndarray
    thresholds: np.ndarray
    depths: np.ndarray
    codes: np.ndarray
    is_labeled: np.ndarray
    conditions: tuple[tuple[np.ndarray, np.ndarray], ...]
    tests: tuple[SumTest | PrecisionWalk | None, ...]
    steps: tuple[CertificateStep, ...] = ()

    @classmethod
    def start(
        cls,
        scores: np.ndarray,
        goal: Goal,
        *,
        first_depth: int | None = None,
        random_order: np.ndarray | None = None,
        known: np.ndarray | None = None,
        confidence_level: float = 0.9,
    ) -> GoalCertificate:
        """Make the certificate before any label is drawn.

        Parameters
        ----------
        scores : ndarray of shape (n_items,)
            Larger for positives.
        goal : Goal
            Of metrics that are ratios of sums over items, or numbers of items.
        first_depth : int, default=None
            Number of items at or above the first threshold of a walk, for a lower bound on
            precision, maybe with one on the size; None for draws with inclusion probabilities.
        random_order : ndarray of shape (n_items,), default=None
            A random permutation of the items, with `first_depth`; None for labels that others draw
            uniformly.
        known : ndarray of shape (n_items,), default=None
            Labels known before, set aside: 1, 0, or -1 for the others.
        confidence_level : float in (0, 1), default=0.9

        Raises
        ------
        ValueError
            If a metric of the goal is not such a ratio.
        """
        min_precision = _min_precision(goal, first_depth)
        _check_permutation(random_order, len(scores))
        scores = np.asarray(scores, dtype=float)
        order = np.argsort(-scores, kind="stable")
        decreasing = scores[order]
        n = len(scores)

        # Depths in a geometric sequence. Items with equal scores lie on the same side of a
        # threshold.
        first = 1 if first_depth is None else first_depth
        n_steps = int(np.ceil(max(np.log(n / first), 0.0) / np.log(DEPTH_RATIO)))
        positions = np.ceil(first * DEPTH_RATIO ** np.arange(n_steps + 1)).astype(int)
        last_scores = decreasing[np.r_[positions.clip(max=n), n] - 1]
        depths = np.unique(np.searchsorted(-decreasing, -last_scores, side="right"))
        thresholds = np.r_[above_all(decreasing[[-1, 0]]), decreasing[depths - 1]]
        depths = np.r_[0, depths]

        codes = np.full(n, UNLABELED) if known is None else np.asarray(known)[order]
        is_known = codes != UNLABELED
        conditions = tuple(pair for bound in goal.bounds for pair in _conditions_of(bound, n))

        walk = None
        if min_precision is not None:
            sizes = [bound.high for bound in goal.bounds if bound.metric.name == SIZE]
            max_size = min(sizes, default=np.inf)
            required = -np.log1p(-confidence_level)
            sequence = None
            if random_order is not None:
                sequence = _inverse(order)[np.asarray(random_order)]
                sequence = sequence[~is_known[sequence]]
            walk = PrecisionWalk(
                min_precision, max_size, required, depths, sequence, is_known, codes, is_known
            ).after(codes, is_known)

        # Where no label matters there is nothing to test.
        tests = tuple(
            None if (terms[0] == terms[1]).all() else walk or SumTest.start(terms, depths, n)
            for terms, _ in conditions
        )
        return cls(
            goal, confidence_level, order, thresholds, depths, codes, is_known, conditions, tests
        )

    @property
    def walk(self) -> PrecisionWalk | None:
        """The test along one order, if it is that."""
        return next((test for test in self.tests if isinstance(test, PrecisionWalk)), None)

    def is_known(self, items: np.ndarray) -> np.ndarray:
        """Return which items are labeled, skipped or set aside."""
        return self.is_labeled[_inverse(self.order)[items]]

    # --- labels ---------------------------------------------------------------------------------

    def threshold_counts(self, chances: np.ndarray) -> ThresholdCounts:
        """Return the summary of the inclusion probabilities that the update of a draw needs."""
        return ThresholdCounts.of(np.asarray(chances, dtype=float)[self.order], self.depths)

    def drawn(
        self, item: int, code: int, chance: float, threshold_counts: ThresholdCounts
    ) -> GoalCertificate:
        """Return the certificate after a draw.

        Parameters
        ----------
        item : int
        code : int
            Its label, 1 or 0; -1 if the annotator skipped it, which counts as the worse label.
        chance : float
            Inclusion probability of this item.
        threshold_counts : ThresholdCounts
            As :meth:`threshold_counts` returned them when it was drawn.
        """
        if threshold_counts.items[0].sum() != np.count_nonzero(~self.is_labeled):
            raise ValueError(
                "Draws must be passed in the order in which they were made, and every free item "
                "must have a positive inclusion probability: nothing can be proved about items "
                "that can never be drawn."
            )
        rank = int(np.flatnonzero(self.order == item)[0])
        tests = tuple(
            test.after(rank, code, chance, threshold_counts, self._rule_sum(terms))
            if isinstance(test, SumTest)
            else test
            for test, (terms, _) in zip(self.tests, self.conditions, strict=True)
        )
        step = CertificateStep(int(item), int(code), chance, threshold_counts)
        return replace(self._after(np.array([item]), np.array([code]), [step]), tests=tests)

    def drawn_evenly(self, items: Iterable[int], codes: Iterable[int]) -> GoalCertificate:
        """Return the certificate after items were drawn one after another, uniformly."""
        new = self
        for item, code in zip(items, codes, strict=True):
            n_below, n_above = new.free_counts().T
            even = ThresholdCounts.evenly(n_above, n_below[0] + n_above[0])
            new = new.drawn(item, code, 1.0 / even.items[0].sum(), even)
        return new

    def with_labels(self, items: np.ndarray, codes: np.ndarray) -> GoalCertificate:
        """Return the certificate after labels without inclusion probabilities.

        They are 1, 0, or -1 where the annotator skipped the item. Labels along the order are
        evidence; other labels count as known from now on.
        """
        items = np.asarray(items, dtype=np.intp)
        codes = np.asarray(codes)
        steps = [
            CertificateStep(int(i), int(z), None, None) for i, z in zip(items, codes, strict=True)
        ]
        new = self._after(items, codes, steps)
        tests = tuple(
            test.after(new.codes, new.is_labeled) if isinstance(test, PrecisionWalk) else test
            for test in self.tests
        )
        return replace(new, tests=tests)

    def _after(
        self, items: np.ndarray, codes: np.ndarray, steps: list[CertificateStep]
    ) -> GoalCertificate:
        """Return the certificate that knows more labels, with the tests of before."""
        ranks = _inverse(self.order)[items]
        is_repeated = self.is_labeled[ranks]
        if is_repeated.any():
            raise ValueError(f"Item {items[is_repeated][0]} was labeled or skipped before.")
        new_codes = self.codes.copy()
        new_codes[ranks] = codes
        is_labeled = self.is_labeled.copy()
        is_labeled[ranks] = True
        return replace(self, codes=new_codes, is_labeled=is_labeled, steps=(*self.steps, *steps))

    # --- what is proved -------------------------------------------------------------------------

    @property
    def proved(self) -> np.ndarray:
        """Whether the selection of each threshold is proved to meet the goal, (n_thresholds,)."""
        return self.levels >= self.confidence_level

    @cached_property
    def levels(self) -> np.ndarray:
        """The level at which the selection of each threshold is proved, (n_thresholds,)."""
        levels = np.ones(len(self.thresholds))
        n_tests = max(1, sum(test is not None for test in self.tests))
        for (terms, denominator), test in zip(self.conditions, self.tests, strict=True):
            corrected = self._correction(terms)
            least = self._least(terms)
            evidence = np.full(len(levels), -np.inf)
            if isinstance(test, SumTest):
                evidence = test.evidence(least, corrected)
            elif test is not None:
                evidence = test.evidence()

            # Bounds that no missing label can change are settled without a test.
            evidence = np.where(least + corrected >= -ROUNDING, np.inf, evidence)
            alpha = np.minimum(n_tests * np.exp(-np.maximum(evidence, 0.0)), 1.0)
            is_defined = self._least(denominator) + self._correction(denominator) > 0.0
            levels = np.minimum(levels, np.where(is_defined, 1.0 - alpha, 0.0))
        return levels

    def best(self, posterior, task, *, prefer=None, highest: float = np.inf) -> BestThreshold:
        """Return the most useful selection that is proved, with its confidence level.

        Parameters
        ----------
        posterior : Posterior
            Used only to compare the usefulness of selections, not for the guarantee.
        task : Task
            The task of selecting items.
        prefer : str or ThresholdMetric, default=None
            The metric to maximize, as `Goal.metric_to_prefer` takes it.
        highest : float, default=infinity
            The largest threshold allowed.
        """
        best = self.best_by_size(highest)
        metric = self.goal.metric_to_prefer(prefer)
        if not best.is_kept or (self.walk and metric == self.goal.metric_to_prefer()):
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

    def free_counts(self) -> np.ndarray:
        """Return the numbers of free items below and above each threshold, (n_thresholds, 2)."""
        return self._counted(~self.is_labeled)

    def _counted(self, is_counted: np.ndarray) -> np.ndarray:
        """Return how many of some items lie below and above each threshold, (n_thresholds, 2)."""
        n_above = np.r_[0.0, np.cumsum(is_counted)]
        return np.stack([n_above[-1] - n_above[self.depths], n_above[self.depths]], axis=1)

    @cached_property
    def _counts(self) -> np.ndarray:
        """Negatives, positives, skipped and free items on both sides, (4, n_thresholds, 2)."""
        is_skipped = self.is_labeled & (self.codes < 0)
        kinds = (self.codes == 0, self.codes == 1, is_skipped, ~self.is_labeled)
        return np.stack([self._counted(is_kind) for is_kind in kinds])

    def _rule_sum(self, terms: np.ndarray) -> np.ndarray:
        """Return what labeled and skipped items add to the sum of each rule, (n_thresholds,)."""
        of_kinds = np.stack([terms[0], terms[1], terms.min(axis=0)])
        return np.einsum("zka,za->k", self._counts[:3], of_kinds)

    def _least(self, terms: np.ndarray) -> np.ndarray:
        """Return the smallest possible sum of each rule, (n_thresholds,)."""
        return self._rule_sum(terms) + self._counts[3] @ terms.min(axis=0)

    def _correction(self, terms: np.ndarray) -> np.ndarray:
        """Return by how much labels change the sum of each rule: items move to their sides."""
        moved = np.diag(terms)[:, np.newaxis] - terms
        return np.einsum("zka,za->k", self._counts[:2], moved)

    # --- what to label --------------------------------------------------------------------------

    def next_items(self, n: int, free: np.ndarray, probability: np.ndarray) -> np.ndarray:
        """Return the items to label next along the order.

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
        assert self.walk is not None
        is_left = np.array(free)[self.order]
        ahead, plan = self.walk.next_ranks(n, is_left)
        is_left[ahead] = False
        ranks = np.flatnonzero(is_left)

        # Then the most probable positives, first those below what is proved.
        item_proba = probability[self.order[ranks]]
        by_proba = np.lexsort((ranks, -item_proba, ranks < plan.n_proved))
        return self.order[[*ahead, *ranks[by_proba]][:n]]

    def next_of_order(self, n: int, free: np.ndarray) -> np.ndarray:
        """Return the next items of the walks alone, fewer than n where these end."""
        assert self.walk is not None
        return self.order[self.walk.next_ranks(n, np.asarray(free)[self.order])[0]]


def _min_precision(goal: Goal, first_depth: int | None) -> float | None:
    """Return the precision that walks prove, if there are any; raise if the goal is another one."""
    if first_depth is None:
        return None
    bound = precision_bound(goal)
    if bound is None:
        raise ValueError(
            f"A random order proves a lower bound on precision, such as precision >= 0.9; got "
            f"{goal}."
        )
    return bound


def _check_permutation(random_order: np.ndarray | None, n_items: int) -> None:
    """Raise unless an order is one of all items."""
    if random_order is not None and not np.array_equal(np.sort(random_order), np.arange(n_items)):
        raise ValueError(f"random_order must be a permutation of the {n_items} items.")


def _inverse(order: np.ndarray) -> np.ndarray:
    """Return the place of each item in an order of all of them."""
    places = np.empty(len(order), dtype=np.intp)
    places[order] = np.arange(len(order))
    return places


def _conditions_of(bound, n_items: int):
    """Return the sums that must not be negative for a bound to hold, and the denominators."""
    conditions = bound.conditions(n_items)
    if conditions is None:
        raise ValueError(
            "A goal can be proved only for metrics that are ratios of sums over items (precision, "
            "recall, "
            f"F1, accuracy, specificity, false positive rate) or numbers of items, not for "
            f"{bound.metric.name!r}; use guarantee='posterior', or interval='posterior' of a "
            f"selector."
        )
    return conditions
