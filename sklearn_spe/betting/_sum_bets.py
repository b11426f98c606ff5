"""Bets that a sum over items is positive, at many thresholds at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._arrays import FrozenArrays
from ._drawn_sides import DrawnSides

__all__ = ["SumBets"]

# How much of its capital a bet may lose at once.
LARGEST_STAKE = 0.97
# How probable the label that adds more is at first, and how many labels that is worth: who bets at
# all has won by the labels that others are still waiting for.
FAVOURED, PRIOR_LABELS = 0.97, 2.0
# Values of the sum that are bet against fall from zero by this, and by ever larger steps.
FIRST_STEP, STEP_RATIO = 0.25, 1.2
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class SumBets(FrozenArrays):
    r"""Capital of those who bet that a sum is larger than it may be, one at each threshold.

    An item of the label z on the side a of a threshold adds :math:`c_{z a}` to the sum G. Once an
    item is labelled it stands on the side of its label, above if it is positive: the answer is
    what is above. So the sum of the answer is that of the rule, G, and what labels have mended,
    which is known; it is negative if G is less than some m.

    Let R be the free items whose label matters, :math:`q_i` the chance of each among them to be
    drawn, and :math:`\kappa_a` any guess of what one adds. If :math:`G = m` the draw i has

    .. math:: Y = \frac{c_{z_i a_i} - \kappa_{a_i}}{|R| \, q_i}
        + \frac{1}{|R|} \Bigl(\sum_{R} \kappa_{a_j} - (m - \text{what others add})\Bigr)

    of the mean zero, whatever the other labels are, and a larger mean if G is larger. The capital
    :math:`\prod (1 + \lambda Y)`, with :math:`\lambda \ge 0` from what was seen before, is
    expected not to grow if G is at most m, and ever reaches :math:`1 / \alpha` with a probability
    of at most :math:`\alpha` (see `BettingCapital`). A value counts as ruled out once all smaller
    ones are: then the first that should not have been is the only one that can go wrong.

    The guess is the share of positives among the labels of the side, at first one under which the
    sum is large. The bet is the root of
    :math:`E Y - \lambda E Y^2 + \lambda^2 E Y^3`, under the labels that are expected, where the
    logarithm of the capital grows fastest.

    Attributes
    ----------
    terms : ndarray of shape (2, 2)
        c, ``[z, above]``.
    depths : ndarray of shape (n_thresholds,)
        How many items lie at or above each threshold.
    values : ndarray of shape (n_values,)
        m, rising to zero.
    log_capital, most : ndarray of shape (n_thresholds, n_values)
        The logarithm of the capital, and the largest so far; infinite once m is impossible.
    known, mended : ndarray of shape (n_thresholds,)
        What labelled items add to the sum of the rule, and how much more to that of the answer.
    least : ndarray of shape (n_thresholds,)
        The least sum of the rule that is possible.
    labels : ndarray of shape (n_thresholds, 2, 2)
        Labels that were drawn, ``[z, above]``.
    """

    terms: np.ndarray
    depths: np.ndarray
    values: np.ndarray
    log_capital: np.ndarray
    most: np.ndarray
    known: np.ndarray
    mended: np.ndarray
    least: np.ndarray
    labels: np.ndarray

    @classmethod
    def start(cls, terms, depths, n_items: int, *, step_ratio: float = STEP_RATIO) -> SumBets:
        """Make the bets before the first label, against values that fall by a ratio."""
        terms, lowest = np.asarray(terms, dtype=float), n_items * np.abs(terms).max()
        n_steps = int(np.ceil(np.log(max(lowest / FIRST_STEP, 1.0)) / np.log(step_ratio)))
        values = np.r_[-FIRST_STEP * step_ratio ** np.arange(n_steps, -1, -1), 0.0]
        zero, shape = np.zeros(len(depths)), (len(depths), len(values))
        capital = np.zeros(shape)
        least = np.full(len(depths), -np.inf)
        labels = np.zeros((len(depths), 2, 2))
        return cls(terms, np.asarray(depths), values, capital, capital, zero, zero, least, labels)

    @property
    def is_random(self) -> bool:
        """Whether the label of any free item matters."""
        return bool((self.terms[0] != self.terms[1]).any())

    def after(self, place: int, z: int, chance: float, sides: DrawnSides) -> SumBets:
        """Return the bets after a draw.

        Parameters
        ----------
        place : int
            Of the item, among all in falling order of the score.
        z : int
            Its label; -1 if nobody could say, which counts as the worse one.
        chance : float
            With which it was drawn.
        sides : DrawnSides
        """
        matters = (self.terms[1] != self.terms[0]).astype(float)
        n = (sides.items * matters).sum(axis=1)
        at = np.arange(len(self.depths)), (place < self.depths).astype(int)
        plays = matters[at[1]] > 0.0
        scale = (sides.chance * matters).sum(axis=1) / np.maximum(n, 1.0)
        p, off = self._foreseen(sides, matters, n)
        bets = self._sizes(p, off, sides, matters, scale, n)
        step = self.terms[1] - self.terms[0]
        z_at = self._worse(z, at[1])
        error = scale / chance * step[at[1]] * (z_at - p[at])
        grown = np.log1p(np.where(plays[:, np.newaxis], bets * (off + error[:, np.newaxis]), 0.0))
        log_capital, labels = self.log_capital + grown, self.labels.copy()
        labels[at[0], z_at, at[1]] += 1.0
        new = replace(self, log_capital=log_capital, labels=labels)
        return replace(new, most=np.maximum(self.most, log_capital))._knows(place, z, sides)

    def knowing(self, place: int, z: int, sides: DrawnSides) -> SumBets:
        """Return the bets once a label is known that was not drawn."""
        return self._knows(place, z, sides)

    def log_evidence(self) -> np.ndarray:
        """Return the logarithm of the evidence that the sum of each answer is not negative."""
        all_below = np.minimum.accumulate(self.most, axis=1)
        at = np.searchsorted(self.values, -self.mended - ROUNDING)
        evidence = all_below[np.arange(len(at)), np.minimum(at, len(self.values) - 1)]
        # Of an upper bound on something good labels make the answer worse; that is not bet on.
        evidence = np.where(at < len(self.values), evidence, -np.inf)
        # A value that is impossible is no matter of chance.
        return np.where(self.least + self.mended >= -ROUNDING, np.inf, evidence)

    def _foreseen(self, sides, matters, n):
        """Return the share of positives to expect on each side, and the mean of Y."""
        n_labels = self.labels.sum(axis=1)
        step = self.terms[1] - self.terms[0]
        first = np.where(step > 0.0, FAVOURED, 1.0 - FAVOURED)
        p = (self.labels[:, 1] + first * PRIOR_LABELS) / (n_labels + PRIOR_LABELS)
        guess = self.terms[0] + step * p
        ahead = (guess * matters * sides.items).sum(axis=1)
        others = ((1.0 - matters) * self.terms[0] * sides.items).sum(axis=1)
        total = (self.known + others + ahead)[:, np.newaxis] - self.values
        return p, total / np.maximum(n, 1.0)[:, np.newaxis]

    def _sizes(self, p, off, sides, matters, scale, n):
        """Return the bets, (n_thresholds, n_values)."""
        step = self.terms[1] - self.terms[0]
        gain, loss = step * (1.0 - p), -step * p
        n = np.maximum(n, 1.0)[:, np.newaxis]
        unit = scale[:, np.newaxis]
        squares = matters * unit * sides.inverse / n
        cubes = matters * unit**2 * sides.inverse_squared / n
        second = (squares * (p * gain**2 + (1.0 - p) * loss**2)).sum(axis=1)[:, np.newaxis]
        third = (cubes * (p * gain**3 + (1.0 - p) * loss**3)).sum(axis=1)[:, np.newaxis]
        second, third = second + off**2, third + 3.0 * second * off + off**3
        root = np.sqrt(np.maximum(second**2 - 4.0 * third * off, 0.0))
        best = 2.0 * off / np.maximum(second + root, 1e-300)
        reach = np.maximum(-gain, -loss).clip(min=0.0) * matters * unit * sides.largest
        worst = reach.max(axis=1)[:, np.newaxis] - off
        return np.clip(best, 0.0, LARGEST_STAKE / np.maximum(worst, 1e-12))

    def _knows(self, place, z, sides) -> SumBets:
        side = (place < self.depths).astype(int)
        added = self.terms[self._worse(z, side), side]
        # Who could not be labelled stays where its score is.
        known, mended = self.known + added, self.mended + (z >= 0) * (self.terms[z, z] - added)
        free = sides.items.copy()
        free[np.arange(len(side)), side] -= 1.0
        least = known + (free * self.terms.min(axis=0)).sum(axis=1)
        impossible = self.values <= least[:, np.newaxis] + ROUNDING
        most = np.where(impossible, np.inf, self.most)
        return replace(self, known=known, mended=mended, least=least, most=most)

    def _worse(self, z, side) -> np.ndarray:
        """Return the label of an item on some sides, the one that adds less if there is none."""
        return np.where(z < 0, self.terms.argmin(axis=0)[side], z)
