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
    def of(cls, chances, depths) -> ThresholdCounts:
        """Sum over items in decreasing order of the score; `chances` are 0 for items not free."""
        free = chances > 0.0
        inverse = np.divide(1.0, chances, out=np.zeros(len(chances)), where=free)
        items, chance, once, squared = (
            _sums(x, depths) for x in (free, chances, inverse, inverse**2)
        )
        above = np.r_[0.0, np.maximum.accumulate(inverse)][depths]
        below = np.r_[np.maximum.accumulate(inverse[::-1])[::-1], 0.0][depths]
        return cls(items, chance, once, squared, np.stack([below, above], axis=1))

    @classmethod
    def evenly(cls, n_above, n_free: int) -> ThresholdCounts:
        """Sum over free items that are drawn uniformly; `n_above` (n_thresholds,)."""
        items = np.stack([n_free - n_above, n_above], axis=1).astype(float)
        largest = n_free * (items > 0.0)
        return cls(items, items / n_free, items * n_free, items * float(n_free) ** 2, largest)


def _sums(values, depths):
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
    rejected only once all smaller ones are (fixed-sequence testing), so that only the first true
    value can be rejected in error.

    The prediction is the share of positives among the labels of the side, with a prior under which
    the sum is large.
    """

    terms: np.ndarray  # (2, 2); c, [z, above]
    depths: np.ndarray  # (n_thresholds,); number of items at or above each threshold
    values: np.ndarray  # (n_values,); m, increasing to zero
    test: BettingTest  # (n_thresholds, n_values); its evidence is infinite once m is impossible
    known: np.ndarray  # (n_thresholds,); contribution of labeled items to the sum of the rule
    corrected: np.ndarray  # (n_thresholds,); correction of the sum by the labels
    least: np.ndarray  # (n_thresholds,); smallest possible sum of the rule
    labels: np.ndarray  # (n_thresholds, 2, 2); drawn labels, [z, above]

    @classmethod
    def start(cls, terms, depths, n_items: int) -> SumTest:
        """Make the tests before the first label, against values that decrease by a ratio."""
        terms, lowest = np.asarray(terms, dtype=float), n_items * np.abs(terms).max()
        n_steps = int(np.ceil(np.log(max(lowest / FIRST_STEP, 1.0)) / np.log(STEP_RATIO)))
        values = np.r_[-FIRST_STEP * STEP_RATIO ** np.arange(n_steps, -1, -1), 0.0]
        zero, shape = np.zeros(len(depths)), (len(depths), len(values))
        test = BettingTest(GrowthBets(), np.zeros(shape), np.zeros(shape))
        least = np.full(len(depths), -np.inf)
        labels = np.zeros((len(depths), 2, 2))
        return cls(terms, np.asarray(depths), values, test, zero, zero, least, labels)

    @property
    def is_random(self) -> bool:
        """Whether the label of any free item matters."""
        return bool((self.terms[0] != self.terms[1]).any())

    def after(
        self, place: int, z: int, chance: float, threshold_counts: ThresholdCounts
    ) -> SumTest:
        """Return the tests after a draw; z = -1, a skipped item, counts as the worse label."""
        at = np.arange(len(self.depths)), (place < self.depths).astype(int)
        step = (self.terms[1] - self.terms[0])[at[1]]
        p, scale, draw = self._predictive(threshold_counts)
        z_at = self._worse(z, at[1])
        error = scale / chance * step * (z_at - p[at])
        plays = (step != 0.0)[:, np.newaxis]
        outcome = np.where(plays, draw.mean + error[:, np.newaxis], 0.0)
        labels = self.labels.copy()
        labels[at[0], z_at, at[1]] += 1.0
        new = replace(self, test=self.test.after(draw, outcome), labels=labels)
        return new.with_known_label(place, z, threshold_counts)

    def with_known_label(self, place: int, z: int, threshold_counts: ThresholdCounts) -> SumTest:
        """Return the tests after a label that was not drawn."""
        side = (place < self.depths).astype(int)
        added = self.terms[self._worse(z, side), side]
        # Skipped items stay on the side of their score.
        known = self.known + added
        corrected = self.corrected + (z >= 0) * (self.terms[z, z] - added)
        free = threshold_counts.items.copy()
        free[np.arange(len(side)), side] -= 1.0
        least = known + (free * self.terms.min(axis=0)).sum(axis=1)
        impossible = self.values <= least[:, np.newaxis] + ROUNDING
        test = replace(self.test, most=np.where(impossible, np.inf, self.test.most))
        return replace(self, known=known, corrected=corrected, least=least, test=test)

    def log_evidence(self) -> np.ndarray:
        """Return the log evidence that the sum of each selection is not negative."""
        return self._evidence_of(self.corrected)

    def rule_evidence(self) -> np.ndarray:
        """Return the log evidence that the sum of each rule is not negative."""
        return self._evidence_of(np.zeros(len(self.depths)))

    def _evidence_of(self, corrected: np.ndarray) -> np.ndarray:
        all_below = np.minimum.accumulate(self.test.most, axis=1)
        at = np.searchsorted(self.values, -corrected - ROUNDING)
        evidence = all_below[np.arange(len(at)), np.minimum(at, len(self.values) - 1)]
        # For upper bounds where labels can only worsen the selection, no bet is made.
        evidence = np.where(at < len(self.values), evidence, -np.inf)
        # Impossible values are rejected without a test.
        return np.where(self.least + corrected >= -ROUNDING, np.inf, evidence)

    def _predictive(self, free: ThresholdCounts) -> tuple[np.ndarray, np.ndarray, Draw]:
        """Return the predicted share of positives on each side, the unit of Y, and the draw.

        The unit is (n_thresholds,), the draw (n_thresholds, n_values).
        """
        step = self.terms[1] - self.terms[0]
        matters = (step != 0.0).astype(float)
        n = np.maximum((free.items * matters).sum(axis=1), 1.0)
        scale = (free.chance * matters).sum(axis=1) / n
        first = np.where(step > 0.0, FAVORED, 1.0 - FAVORED)
        p = (self.labels[:, 1] + first * PRIOR_LABELS) / (self.labels.sum(axis=1) + PRIOR_LABELS)
        guess = self.terms[0] + step * p
        ahead = (guess * matters * free.items).sum(axis=1)
        others = ((1.0 - matters) * self.terms[0] * free.items).sum(axis=1)
        n, unit = n[:, np.newaxis], scale[:, np.newaxis]
        mean = ((self.known + others + ahead)[:, np.newaxis] - self.values) / n
        gain, loss = step * (1.0 - p), -step * p
        squares = matters * unit * free.inverse / n
        cubes = matters * unit**2 * free.inverse_squared / n
        second = (squares * (p * gain**2 + (1.0 - p) * loss**2)).sum(axis=1)[:, np.newaxis]
        third = (cubes * (p * gain**3 + (1.0 - p) * loss**3)).sum(axis=1)[:, np.newaxis]
        reach = np.maximum(-gain, -loss).clip(min=0.0) * matters * unit * free.largest
        return p, scale, Draw(mean, second, reach.max(axis=1)[:, np.newaxis] - mean, third)

    def _worse(self, z, side) -> np.ndarray:
        """Return the label on the given sides; for skipped items the one that contributes less."""
        return np.where(z < 0, self.terms.argmin(axis=0)[side], z)
