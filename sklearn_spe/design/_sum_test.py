"""Tests of a sum of labels below and above a threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..inputs._arrays import FrozenArrays
from ._betting import BettingTest, Draw, GrowthBets

# Prior probability of the label that contributes more, and its weight in labels: without a prior no
# bet is made before labels of both kinds are observed.
FAVORED, PRIOR_LABELS = 0.97, 2.0
# Values of the sum that are tested decrease from zero by this, in increasing steps.
FIRST_STEP, STEP_RATIO = 0.25, 1.2
# Ranks at which chains start, as shares of all items, for sums not monotone in the threshold.
STARTS = (0.01, 0.05, 0.25)
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class ThresholdCounts:
    """Summary of the free items below and above each threshold; all arrays (n_thresholds, 2)."""

    items: np.ndarray  # number of free items
    chance: np.ndarray  # probability that one of them is drawn
    inverse: np.ndarray  # sum of inverse inclusion probabilities
    inverse_squared: np.ndarray  # sum of their squares
    largest: np.ndarray  # largest inverse inclusion probability; 0 without an item

    @classmethod
    def of(cls, chances: np.ndarray, depths: np.ndarray) -> ThresholdCounts:
        """Sum over items in decreasing order of the score; `chances` are 0 for items not free."""
        free = chances > 0.0
        inverse = np.divide(1.0, chances, out=np.zeros(len(chances)), where=free)

        # The largest inverse probability among the items above each threshold, and below it.
        above = np.r_[0.0, np.maximum.accumulate(inverse)][depths]
        below = np.r_[np.maximum.accumulate(inverse[::-1])[::-1], 0.0][depths]
        return cls(
            items=_sums(free, depths),
            chance=_sums(chances, depths),
            inverse=_sums(inverse, depths),
            inverse_squared=_sums(inverse**2, depths),
            largest=np.stack([below, above], axis=1),
        )

    @classmethod
    def evenly(cls, n_above: np.ndarray, n_free: int) -> ThresholdCounts:
        """Sum over free items that are drawn uniformly; `n_above` (n_thresholds,)."""
        items = np.stack([n_free - n_above, n_above], axis=1).astype(float)
        largest = n_free * (items > 0.0)
        return cls(items, items / n_free, items * n_free, items * float(n_free) ** 2, largest)


def _sums(values: np.ndarray, depths: np.ndarray) -> np.ndarray:
    """Return the sums of values below and above each threshold, (n_thresholds, 2)."""
    above = np.r_[0.0, np.cumsum(values, dtype=float)]
    return np.stack([above[-1] - above[depths], above[depths]], axis=1)


@dataclass(frozen=True, eq=False)
class SumTest(FrozenArrays):
    r"""Betting tests that sums over items are not too small, one for each threshold.

    An item of the label z on the side a of a threshold adds :math:`c_{z a}` to the sum G. A labeled
    item is moved to the side of its label, above the threshold if it is positive: the selection is
    what lies above. So the sum of the selection is that of the threshold rule, G, plus a known
    correction by the labels; it is negative if G is less than some m.

    Let R be the free items whose label matters, :math:`q_i` the inclusion probability of each, and
    :math:`\kappa_a` any prediction of its contribution. If :math:`G = m`, the draw of i has

    .. math:: Y = \frac{c_{z_i a_i} - \kappa_{a_i}}{|R| \, q_i}
        + \frac{1}{|R|} \Bigl(\sum_{R} \kappa_{a_j} - (m - \text{what others add})\Bigr)

    of mean zero, and a larger mean if G is larger: a `BettingTest` that G is at most m. A value is
    rejected only once all smaller values are (fixed-sequence testing), so only the first true value
    can be rejected in error.

    The prediction is the share of positives among the labels of the side, with a prior under which
    the sum is large.
    """

    terms: np.ndarray  # (2, 2); c, [z, above]
    depths: np.ndarray  # (n_thresholds,); number of items at or above each threshold
    values: np.ndarray  # (n_values,); m, increasing to zero
    test: BettingTest  # (n_thresholds, n_values)
    labels: np.ndarray  # (n_thresholds, 2, 2); drawn labels, [z, above]

    @classmethod
    def start(cls, terms: np.ndarray, depths: np.ndarray, n_items: int) -> SumTest:
        """Make the tests before the first label, against values that decrease by a ratio."""
        terms = np.asarray(terms, dtype=float)
        n_thresholds = len(depths)

        # The values that the sum may have, down to the lowest one.
        lowest = n_items * np.abs(terms).max()
        n_steps = int(np.ceil(np.log(max(lowest / FIRST_STEP, 1.0)) / np.log(STEP_RATIO)))
        values = np.r_[-FIRST_STEP * STEP_RATIO ** np.arange(n_steps, -1, -1), 0.0]

        no_evidence = np.zeros((n_thresholds, len(values)))
        test = BettingTest(GrowthBets(), no_evidence, no_evidence.copy())
        return cls(terms, np.asarray(depths), values, test, np.zeros((n_thresholds, 2, 2)))

    def after(
        self, rank: int, z: int, chance: float, counts: ThresholdCounts, known: np.ndarray
    ) -> SumTest:
        """Return the tests after a draw; z = -1, a skipped item, counts as the worse label.

        `known`, (n_thresholds,), is what the items that were labeled before add to the sums.
        """
        threshold = np.arange(len(self.depths))
        side = (rank < self.depths).astype(int)
        label = np.where(z < 0, self.terms.argmin(axis=0)[side], z)

        # The outcome is the predicted mean, plus the error of the predicted label.
        slope = (self.terms[1] - self.terms[0])[side]
        p, scale, draw = self._predictive(counts, known)
        error = scale / chance * slope * (label - p[threshold, side])
        matters = (slope != 0.0)[:, np.newaxis]
        outcome = np.where(matters, draw.mean + error[:, np.newaxis], 0.0)

        labels = self.labels.copy()
        labels[threshold, label, side] += 1.0
        return replace(self, test=self.test.after(draw, outcome), labels=labels)

    def evidence(self, least: np.ndarray, corrected: np.ndarray) -> np.ndarray:
        """Return the log evidence that the sum of each selection is not negative, along chains.

        It is minus infinity where no threshold before has it as a rule, and less by the share of
        the chain in the risk. `least` and `corrected`, (n_thresholds,), are the smallest possible
        sum of each rule, and its correction by the labels.
        """
        # The evidence against a value is the least of those against it and all smaller ones.
        is_impossible = self.values <= least[:, np.newaxis] + ROUNDING
        against = np.where(is_impossible, np.inf, self.test.most)
        against = np.minimum.accumulate(against, axis=1)

        # For upper bounds where labels can only worsen the selection, no bet is made.
        index = np.searchsorted(self.values, -corrected - ROUNDING)
        last = len(self.values) - 1
        of_selection = against[np.arange(len(index)), np.minimum(index, last)]
        of_selection = np.where(index <= last, of_selection, -np.inf)
        return self._along_chains(of_selection, against[:, last])

    def _along_chains(self, of_selection: np.ndarray, of_rule: np.ndarray) -> np.ndarray:
        """Return the evidence with which the best chain proves each selection."""
        change_above = self.terms[:, 1] - self.terms[:, 0]
        if (change_above >= 0.0).all():
            return along_chain(of_selection[::-1], of_rule[::-1])[::-1]
        if (change_above <= 0.0).all():
            return along_chain(of_selection, of_rule)

        proved = np.full(len(of_selection), -np.inf)
        starts = np.unique(np.searchsorted(self.depths, np.array(STARTS) * self.depths[-1]))
        for start in starts:
            evidence = along_chain(of_selection[start:], of_rule[start:]) - np.log(len(starts))
            proved[start:] = np.maximum(proved[start:], evidence)
        return proved

    def _predictive(
        self, free: ThresholdCounts, known: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, Draw]:
        """Return the predicted share of positives on each side, the scale of Y, and the draw.

        The scale, (n_thresholds,), is the mean chance of an item whose label matters. The draw,
        (n_thresholds, n_values), is Y given that such an item is drawn.
        """
        # By side: how much the label changes the sum, and whether it does.
        slope = self.terms[1] - self.terms[0]
        matters = (slope != 0.0).astype(float)
        n_matter = np.maximum((free.items * matters).sum(axis=1), 1.0)
        scale = (free.chance * matters).sum(axis=1) / n_matter

        # The predicted share of positives, with a prior under which the sum is large.
        prior = np.where(slope > 0.0, FAVORED, 1.0 - FAVORED)
        n_positive = self.labels[:, 1] + prior * PRIOR_LABELS
        p = n_positive / (self.labels.sum(axis=1) + PRIOR_LABELS)

        # The mean of a draw: the predicted sum minus the value tested, for each item that matters.
        predicted = ((self.terms[0] + slope * p) * matters * free.items).sum(axis=1)
        constant = ((1.0 - matters) * self.terms[0] * free.items).sum(axis=1)
        total = known + constant + predicted
        n = n_matter[:, np.newaxis]
        mean = (total[:, np.newaxis] - self.values) / n

        # The moments of its error, by what a positive and a negative add to the prediction.
        column = scale[:, np.newaxis]
        gain = slope * (1.0 - p)
        loss = -slope * p
        squares = matters * column * free.inverse / n
        cubes = matters * column**2 * free.inverse_squared / n
        mean_square = p * gain**2 + (1.0 - p) * loss**2
        mean_cube = p * gain**3 + (1.0 - p) * loss**3
        second = (squares * mean_square).sum(axis=1)[:, np.newaxis]
        third = (cubes * mean_cube).sum(axis=1)[:, np.newaxis]

        # The largest amount by which a draw can fall below its mean.
        largest_fall = np.maximum(-gain, -loss).clip(min=0.0)
        reach = largest_fall * matters * column * free.largest
        largest_loss = reach.max(axis=1)[:, np.newaxis] - mean
        return p, scale, Draw(mean, second, largest_loss, third)


def along_chain(of_selection: np.ndarray, of_rule: np.ndarray) -> np.ndarray:
    """Return the smaller of the evidence for each selection and for all rules before it."""
    of_rules_before = np.r_[np.inf, np.minimum.accumulate(of_rule)[:-1]]
    return np.minimum(of_selection, of_rules_before)
