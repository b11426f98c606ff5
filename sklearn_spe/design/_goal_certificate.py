"""Thresholds that are proved to meet a goal from randomly drawn labels, without a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..goals._best_threshold import BestThreshold, ThresholdOdds, above_all
from ..goals._goal import Goal
from ..inputs._arrays import FrozenArrays
from ..inputs._labels import UNLABELED
from ._sum_test import SumTest, ThresholdCounts

# Ratio of the numbers of items above successive thresholds.
DEPTH_RATIO = 1.12
# Ranks at which chains start, as shares of all items, for sums not monotone in the threshold.
STARTS = (0.01, 0.05, 0.25)


class CertificateStep(NamedTuple):
    """One label of a certificate; of an item that was not drawn, `chance` is None."""

    item: int
    code: int
    chance: float | None
    threshold_counts: ThresholdCounts


@dataclass(frozen=True, eq=False)
class GoalCertificate(FrozenArrays):
    r"""Thresholds whose selection provably meets a goal, valid at every look.

    The selection of a threshold consists of the unlabeled items at or above it and the known
    positives. A bound on a ratio of sums, such as precision of at least :math:`\theta`, holds if
    the numerator minus :math:`\theta` times the denominator is not negative. `SumTest` tests this
    hypothesis with the labels of items drawn with known inclusion probabilities.

    Multiplicity over thresholds is controlled by fixed-sequence testing [1]_: the order of the
    thresholds, the level and the goal are fixed before any label, and a chain passes a threshold
    only once it is proved as a rule, that is without what labels change in its selection. The
    selection that is returned is proved by itself.

    Let :math:`k_0` be the first threshold of a chain that violates a bound as a rule. Labels only
    improve the selections for which bets are made (a labeled negative leaves, a labeled positive
    enters), so that those before :math:`k_0` meet the bound at any time. A claim beyond
    :math:`k_0` takes a proof of :math:`k_0` as a rule: its true sum was rejected. A wrong claim at
    :math:`k_0` takes the rejection of all sums with which its selection violates the bound: the
    true one is among them. Both are one event, that the e-process against one fixed value of one
    threshold ever reaches :math:`1 / \alpha`, of probability at most :math:`\alpha` (Ville). If a
    chain passed a threshold once its *selection* is proved, labels would move the first false
    threshold down the chain, and each one on the way could be proved in error.

    A sum that increases as the threshold decreases (recall) is tested from the lowest threshold
    upwards, one that decreases (specificity) from the highest downwards. For others the safest
    threshold is unknown: several chains start at different ranks and share :math:`\alpha`, as
    bounds do. Thresholds that the known labels settle need no test.

    With probability `confidence_level`, every threshold proved at any time meets the goal at that
    time. Items, scores and labels must stay what they are: rows that are added, or labels that are
    changed, need a certificate, and a risk, of their own.

    Attributes
    ----------
    goal : Goal
    confidence_level : float
    order : ndarray of shape (n_items,)
        Items in decreasing order of the score.
    thresholds : ndarray of shape (n_thresholds,)
        Decreasing; the first lies above all scores.
    codes : ndarray of shape (n_items,)
        1, 0, or -1 without a label, in this order.
    is_labeled : ndarray of bool of shape (n_items,)
        Which items are no longer free, in this order.
    denominators : tuple of ndarray of shape (2, 2)
        Contribution of an item to the denominator, ``[z, above]``, one for each end of a bound.
    sums : tuple of SumTest
        One for each end of a bound.
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
    codes: np.ndarray
    is_labeled: np.ndarray
    denominators: tuple[np.ndarray, ...]
    sums: tuple[SumTest, ...]
    steps: tuple[CertificateStep, ...] = ()

    @classmethod
    def start(
        cls, scores: np.ndarray, goal: Goal, *, confidence_level: float = 0.9
    ) -> GoalCertificate:
        """Make the certificate before any label.

        Parameters
        ----------
        scores : ndarray of shape (n_items,)
            Larger for positives.
        goal : Goal
            Of metrics that are ratios of sums over items, or numbers of items.
        confidence_level : float in (0, 1), default=0.9

        Raises
        ------
        ValueError
            If a metric of the goal is not such a ratio.
        """
        scores = np.asarray(scores, dtype=float)
        order = np.argsort(-scores, kind="stable")
        decreasing = scores[order]
        n = len(scores)

        # Depths in a geometric sequence. Items with equal scores lie on the same side of a
        # threshold.
        n_steps = np.ceil(np.log(n) / np.log(DEPTH_RATIO))
        sequence = DEPTH_RATIO ** np.arange(n_steps)
        sequence = np.ceil(sequence).astype(int).clip(max=n)
        sequence = np.r_[sequence, n]
        last_scores = decreasing[sequence - 1]
        depths = np.unique(np.searchsorted(-decreasing, -last_scores, side="right"))
        above_every_score = above_all(decreasing[[-1, 0]])
        thresholds = np.r_[above_every_score, decreasing[depths - 1]]

        # A test for each end of a bound.
        terms = [pair for bound in goal.bounds for pair in _conditions_of(bound, n)]
        depths = np.r_[0, depths]
        return cls(
            goal,
            confidence_level,
            order,
            thresholds,
            np.full(n, UNLABELED),
            np.zeros(n, dtype=bool),
            tuple(denominator for _, denominator in terms),
            tuple(SumTest.start(c, depths, n) for c, _ in terms),
        )

    @property
    def depths(self) -> np.ndarray:
        """Number of items at or above each threshold, (n_thresholds,)."""
        return self.sums[0].depths

    def threshold_counts(self, chances: np.ndarray) -> ThresholdCounts:
        """Return the summary of the inclusion probabilities that the update of a draw needs."""
        return ThresholdCounts.of(np.asarray(chances, dtype=float)[self.order], self.depths)

    def drawn(
        self, item: int, code: int, chance: float | None, threshold_counts: ThresholdCounts
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
        return self._after(item, code, chance, threshold_counts)

    def drawn_evenly(self, items: Iterable[int], codes: Iterable[int]) -> GoalCertificate:
        """Return the certificate after items were drawn one after another, uniformly."""
        new = self
        for item, code in zip(items, codes, strict=True):
            even = new._evenly()
            new = new._after(item, code, 1.0 / even.items[0].sum(), even)
        return new

    def known(self, items: Iterable[int], codes: Iterable[int]) -> GoalCertificate:
        """Return the certificate after labels of items that were not drawn."""
        new = self
        for item, code in zip(items, codes, strict=True):
            new = new._after(item, code, None, new._evenly())
        return new

    @property
    def proved(self) -> np.ndarray:
        """Whether the selection of each threshold is proved to meet the goal, (n_thresholds,)."""
        return self.levels >= self.confidence_level

    @property
    def levels(self) -> np.ndarray:
        """The level at which the selection of each threshold is proved, (n_thresholds,)."""
        levels = np.ones(len(self.thresholds))
        # Bounds that no missing label can change are settled without a test.
        n_bets = max(1, sum(bets.is_random for bets in self.sums))
        for bets, denominator in zip(self.sums, self.denominators, strict=True):
            log_evidence = _along_chains(
                bets.log_evidence(), bets.rule_evidence(), bets.terms, self.depths
            )
            alpha = n_bets * np.exp(-np.maximum(log_evidence, 0.0))
            alpha = np.minimum(alpha, 1.0)
            is_defined = self._min_denominator(denominator) > 0.0
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
        levels = np.where(self.thresholds <= highest, self.levels, 0.0)
        proved = np.flatnonzero(levels >= self.confidence_level)
        if not len(proved):
            best = int(np.argmax(levels))
            return BestThreshold(float(self.thresholds[best]), float(levels[best]), False)

        metric = self.goal.metric_to_prefer(prefer)
        odds = ThresholdOdds.at(posterior, self.goal, metric, task, self.thresholds[proved])
        best = int(proved[np.argmax(odds.usefulness)])
        return BestThreshold(float(self.thresholds[best]), float(levels[best]), True)

    def _min_denominator(self, denominator: np.ndarray) -> np.ndarray:
        """Return the smallest possible denominator of each selection."""
        known = sum(denominator[z, z] * np.count_nonzero(self.codes == z) for z in (0, 1))
        n_free = np.r_[0.0, np.cumsum(self.codes == UNLABELED)]
        n_above = n_free[self.depths]
        n_below = n_free[-1] - n_above
        lowest_below, lowest_above = denominator.min(axis=0)
        return known + n_above * lowest_above + n_below * lowest_below

    def free_counts(self) -> np.ndarray:
        """Return the numbers of free items below and above each threshold, (n_thresholds, 2)."""
        n_free = np.r_[0, np.cumsum(~self.is_labeled)]
        n_above = n_free[self.depths]
        n_below = n_free[-1] - n_above
        return np.stack([n_below, n_above], axis=1).astype(float)

    def _evenly(self) -> ThresholdCounts:
        n_below, n_above = self.free_counts().T
        return ThresholdCounts.evenly(n_above, n_below[0] + n_above[0])

    def _after(
        self, item: int, code: int, chance: float | None, threshold_counts: ThresholdCounts
    ) -> GoalCertificate:
        """Return the certificate after a label; `chance` is None for an item that was not drawn."""
        rank = int(np.flatnonzero(self.order == item)[0])
        if self.is_labeled[rank]:
            raise ValueError(f"Item {item} was labeled or skipped before.")

        if chance is None:
            sums = tuple(bets.with_known_label(rank, code, threshold_counts) for bets in self.sums)
        else:
            sums = tuple(bets.after(rank, code, chance, threshold_counts) for bets in self.sums)
        codes = self.codes.copy()
        codes[rank] = code
        is_labeled = self.is_labeled.copy()
        is_labeled[rank] = True
        step = CertificateStep(int(item), int(code), chance, threshold_counts)
        steps = (*self.steps, step)
        return replace(self, codes=codes, is_labeled=is_labeled, sums=sums, steps=steps)


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


def _along_chains(
    of_selection: np.ndarray, of_rule: np.ndarray, terms: np.ndarray, depths: np.ndarray
) -> np.ndarray:
    """Return the evidence with which the best chain proves the selection of each threshold.

    It is the log evidence for each selection and each rule, minus the share of the chain in the
    risk.
    """
    change_above = terms[:, 1] - terms[:, 0]
    if (change_above >= 0.0).all():
        proved = along_chain(of_selection[::-1], of_rule[::-1])[::-1]
    elif (change_above <= 0.0).all():
        proved = along_chain(of_selection, of_rule)
    else:
        proved = np.full(len(of_selection), -np.inf)
        start_depths = np.array(STARTS) * depths[-1]
        starts = np.unique(np.searchsorted(depths, start_depths))
        for start in starts:
            evidence = along_chain(of_selection[start:], of_rule[start:])
            evidence = evidence - np.log(len(starts))
            proved[start:] = np.maximum(proved[start:], evidence)
    return np.where(np.isposinf(of_selection), np.inf, proved)


def along_chain(of_selection: np.ndarray, of_rule: np.ndarray) -> np.ndarray:
    """Return the smaller of the evidence for each selection and for all rules before it."""
    of_rules_before = np.r_[np.inf, np.minimum.accumulate(of_rule)[:-1]]
    return np.minimum(of_selection, of_rules_before)
