"""Thresholds whose answers are proved to keep a goal, whatever a model believes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._arrays import FrozenArrays
from ..curves._best_answer import AnswerOdds, BestAnswer, above_all
from ..curves._goals import Goal
from ..inputs._labels import UNLABELED
from ._drawn_sides import DrawnSides
from ._sum_bets import SumBets

__all__ = ["GoalCertificate"]

# Each threshold has so many times as many items above it as the last one.
DEPTH_RATIO = 1.12
# Where chains begin, as shares of all items, for sums that may grow or fall with the threshold.
STARTS = (0.01, 0.05, 0.25)


@dataclass(frozen=True, eq=False)
class GoalCertificate(FrozenArrays):
    r"""Which thresholds have an answer that keeps a goal, proved at every look.

    The answer of a threshold are the items without a label at or above it, and the positives that
    are known. A bound on a ratio of sums, precision of at least :math:`\theta` say, holds if the
    sum of numerator less :math:`\theta` times denominator is not negative, and `SumBets` bets that
    it is not, on labels of items that were drawn with known chances.

    Of many thresholds some would be proved by chance. So they are looked at one after another, in
    an order that is fixed before any label, and the first that is not proved ends the chain: the
    chance that it passes the first one that it should not is that of one bet [1]_. A sum that
    only grows as the threshold falls (recall) is looked at from the lowest threshold upwards, one
    that only falls (specificity) from the highest downwards. Of others, such as precision, nobody
    knows the safest threshold: several chains go downwards from different ranks, and share
    :math:`\alpha`, as bounds do. What labels leave no doubt of needs no bet.

    With the probability `confidence_level` none of all thresholds that are ever proved is wrong at
    the time.

    Attributes
    ----------
    goal : Goal
    confidence_level : float
    order : ndarray of shape (n_items,)
        Items, in falling order of the score.
    thresholds : ndarray of shape (n_thresholds,)
        Falling; the first lies above all scores.
    codes : ndarray of shape (n_items,)
        1, 0, or -1 without a label, in that order.
    told : ndarray of bool of shape (n_items,)
        Which items are free no more, in that order.
    starts : tuple of float
        Where chains begin, as shares of all items.
    denominators : tuple of ndarray of shape (2, 2)
        What an item adds to that of the metric, ``[z, above]``, one for each end of a bound.
    sums : tuple of SumBets
        One for each end of a bound.

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
    told: np.ndarray
    starts: tuple[float, ...]
    denominators: tuple[np.ndarray, ...]
    sums: tuple[SumBets, ...]

    @classmethod
    def start(
        cls, scores, goal: Goal, *, confidence_level: float = 0.9, starts=STARTS
    ) -> GoalCertificate:
        """Make the certificate before any label.

        Parameters
        ----------
        scores : ndarray of shape (n_items,)
            Larger for positives.
        goal : Goal
            Of metrics that are ratios of sums over items, or numbers of items.
        confidence_level : float in (0, 1), default=0.9
        starts : sequence of float, default=(0.01, 0.05, 0.25)
            Where chains begin, as shares of all items, if nobody knows the safest threshold.

        Raises
        ------
        ValueError
            If a metric of the goal is no such ratio.
        """
        scores = np.asarray(scores, dtype=float)
        order = np.argsort(-scores, kind="stable")
        falling, n = scores[order], len(scores)
        wanted = DEPTH_RATIO ** np.arange(np.ceil(np.log(n) / np.log(DEPTH_RATIO)))
        wanted = np.r_[np.ceil(wanted).astype(int).clip(max=n), n]
        # Items of one score lie on one side.
        depths = np.unique(np.searchsorted(-falling, -falling[wanted - 1], side="right"))
        thresholds = np.r_[above_all(falling[[-1, 0]]), falling[depths - 1]]
        terms = [pair for bound in goal.bounds for pair in _conditions_of(bound, n)]
        depths = np.r_[0, depths]
        return cls(
            goal,
            confidence_level,
            order,
            thresholds,
            np.full(n, UNLABELED),
            np.zeros(n, dtype=bool),
            tuple(starts),
            tuple(denominator for _, denominator in terms),
            tuple(SumBets.start(c, depths, n) for c, _ in terms),
        )

    @property
    def depths(self) -> np.ndarray:
        """How many items lie at or above each threshold, (n_thresholds,)."""
        return self.sums[0].depths

    def drawn(self, item: int, code: int, chances) -> GoalCertificate:
        """Return the certificate after a draw.

        Parameters
        ----------
        item : int
        code : int
            Its label, 1 or 0; -1 if the annotator could not say, which counts as the worse one.
        chances : array-like of shape (n_items,)
            With which each item was drawn, positive for all that are free, 0 for the others.
        """
        chances = np.asarray(chances, dtype=float)
        if ((chances[self.order] > 0.0) == self.told).any():
            raise ValueError(
                "chances must be positive for all items that are free, and 0 for the others: what "
                "can never be drawn may hide anything."
            )
        return self.drawn_among(item, code, chances[item], self.sides(chances))

    def sides(self, chances) -> DrawnSides:
        """Return what is to be remembered of the chances of a draw, one for each item."""
        return DrawnSides.of(np.asarray(chances, dtype=float)[self.order], self.depths)

    def drawn_among(
        self, item: int, code: int, chance: float, sides: DrawnSides
    ) -> GoalCertificate:
        """Return the certificate after a draw, of whose chances the sides were remembered.

        Parameters
        ----------
        item, code : int
            As :meth:`drawn` takes them.
        chance : float
            Of this item.
        sides : DrawnSides
            As :meth:`sides` returned them when it was drawn.
        """
        if sides.items[0].sum() != np.count_nonzero(~self.told):
            raise ValueError(
                "Draws enter in the order in which they were made, and all items that are free may "
                "be drawn: what can never be drawn may hide anything."
            )
        return self._after(self._place(item), code, chance, sides)

    def drawn_evenly(self, items, codes) -> GoalCertificate:
        """Return the certificate after items were drawn one after another, each as likely."""
        new = self
        for item, code in zip(items, codes, strict=True):
            sides = new._evenly()
            new = new._after(new._place(item), code, 1.0 / sides.items[0].sum(), sides)
        return new

    def known(self, items, codes) -> GoalCertificate:
        """Return the certificate after labels of items that were not drawn."""
        new = self
        for item, code in zip(items, codes, strict=True):
            new = new._after(new._place(item), code, None, new._evenly())
        return new

    @property
    def proved(self) -> np.ndarray:
        """Whether the answer of each threshold is proved to keep the goal, (n_thresholds,)."""
        return self.levels >= self.confidence_level

    @property
    def levels(self) -> np.ndarray:
        """The level at which the answer of each threshold is proved, (n_thresholds,)."""
        levels = np.ones(len(self.thresholds))
        # What no missing label changes is sure or not, and takes no risk.
        n_bets = max(1, sum(bets.is_random for bets in self.sums))
        for bets, denominator in zip(self.sums, self.denominators, strict=True):
            evidence = bets.log_evidence()
            passed = _along_chains(evidence, bets.terms, self.depths, self.starts)
            alpha = n_bets * np.exp(-np.maximum(passed, 0.0))
            defined = self._least(denominator) > 0.0
            levels = np.minimum(levels, np.where(defined, 1.0 - np.minimum(alpha, 1.0), 0.0))
        return levels

    def best(self, posterior, task, *, prefer=None, highest=np.inf) -> BestAnswer:
        """Return the most useful answer that is proved, with the level at which it is.

        Parameters
        ----------
        posterior : Posterior
            Says which one is the most useful, and nothing of the goal.
        task : Task
            Of answers.
        prefer : str or ThresholdMetric, default=None
            What is to be best, as `Goal.metric_to_prefer` takes it.
        highest : float, default=infinity
            No threshold above this is taken.
        """
        levels = np.where(self.thresholds <= highest, self.levels, 0.0)
        proved = np.flatnonzero(levels >= self.confidence_level)
        if not len(proved):
            best = int(np.argmax(levels))
            return BestAnswer(float(self.thresholds[best]), float(levels[best]), False)
        metric, at = self.goal.metric_to_prefer(prefer), self.thresholds[proved]
        odds = AnswerOdds.at(posterior, self.goal, metric, task, at)
        best = int(proved[np.argmax(odds.usefulness)])
        return BestAnswer(float(self.thresholds[best]), float(levels[best]), True)

    def _least(self, denominator):
        """Return the least that the denominator of each answer can be."""
        known = sum(denominator[z, z] * np.count_nonzero(self.codes == z) for z in (0, 1))
        free = np.r_[0.0, np.cumsum(self.codes == UNLABELED)]
        above = free[self.depths]
        lowest = denominator.min(axis=0)
        return known + above * lowest[1] + (free[-1] - above) * lowest[0]

    def _place(self, item) -> int:
        place = int(np.flatnonzero(self.order == item)[0])
        if self.told[place]:
            raise ValueError(f"Item {item} was labelled, or given up, before.")
        return place

    def _evenly(self) -> DrawnSides:
        above = np.r_[0, np.cumsum(~self.told)]
        return DrawnSides.evenly(above[self.depths], above[-1])

    def _after(self, place, code, chance, sides) -> GoalCertificate:
        """Return the certificate after a label, of an item that was drawn if it had a chance."""
        if chance is None:
            sums = tuple(bets.knowing(place, code, sides) for bets in self.sums)
        else:
            sums = tuple(bets.after(place, code, chance, sides) for bets in self.sums)
        codes, told = self.codes.copy(), self.told.copy()
        codes[place], told[place] = code, True
        return replace(self, codes=codes, told=told, sums=sums)


def _conditions_of(bound, n_items):
    """Return sums that are not negative where a bound is kept, and what the ratio divides by."""
    conditions = bound.conditions(n_items)
    if conditions is None:
        raise ValueError(
            f"A goal is proved for metrics that are ratios of sums over items (precision, recall, "
            f"F1, accuracy, specificity, false positive rate) or numbers of items, not for "
            f"{bound.metric.name!r}; use guarantee='posterior', or interval='posterior' of a "
            f"selector."
        )
    return conditions


def _along_chains(evidence, terms, depths, shares) -> np.ndarray:
    """Return the evidence with which the best chain reaches each threshold, less its share."""
    more = terms[:, 1] - terms[:, 0]
    if (more >= 0.0).all():
        passed = np.minimum.accumulate(evidence[::-1])[::-1]
    elif (more <= 0.0).all():
        passed = np.minimum.accumulate(evidence)
    else:
        passed = np.full(len(evidence), -np.inf)
        starts = np.unique(np.searchsorted(depths, np.array(shares) * depths[-1]))
        for start in starts:
            chain = np.minimum.accumulate(evidence[start:]) - np.log(len(starts))
            passed[start:] = np.maximum(passed[start:], chain)
    return np.where(np.isposinf(evidence), np.inf, passed)
