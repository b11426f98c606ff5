r"""With what chances items are best drawn to prove that an answer keeps a goal.

A gambler who bets that a sum over items is not negative (`SumBets`) wins the faster the less the
draws vary. Item i that is drawn with the chance :math:`q_i` adds :math:`s_i^2 / q_i` to their
variance, :math:`s_i^2` being the square of what its label adds, off from the mean of its side of
the threshold: least of all where :math:`q_i` is in proportion to :math:`s_i`. Predictions are
drawn a little to one half, as models are too sure, and what is drawn too rarely bounds all bets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._arrays import FrozenArrays
from ..betting._label_design import doubted
from ..curves._goals import Goal
from ..sample._cells import ScoreCells
from ._goal_information import aim_of

__all__ = ["ProofInformation", "proof_information"]


@dataclass(frozen=True, eq=False)
class ProofInformation(FrozenArrays):
    """What a label of an item in each cell adds to a proof.

    Attributes
    ----------
    gains : ndarray of shape (n_cells,)
        In proportion to which items are drawn.
    """

    gains: np.ndarray

    # They are chances already.
    are_chances: ClassVar[bool] = True

    def after(self, cell: int) -> ProofInformation:
        """Return the same: what is proved waits for the label, and others are needed as much."""
        return self


def proof_information(
    goal: Goal, performance, cells: ScoreCells, *, confidence_level
) -> ProofInformation:
    """Return what labels add to the proof of the answer that is aimed at.

    Parameters
    ----------
    goal : Goal
        Of metrics that are ratios of sums over items.
    performance : PerformanceCurveEstimator
    cells : ScoreCells
    confidence_level : float
    """
    aim = aim_of(goal, performance, cells, confidence_level)
    above = (np.arange(cells.n_cells) >= aim.place).astype(int)
    p = doubted(aim.p.mean(axis=0))
    n_items = np.sum(aim.counts, axis=0)
    positives, items = (np.bincount(above, x, minlength=2) for x in (n_items * p, n_items))
    share = positives / np.maximum(items, 1.0)
    step = np.abs(aim.of_bound.condition[1] - aim.of_bound.condition[0])
    return ProofInformation(step[above] * np.sqrt(p * (1.0 - p) + (p - share[above]) ** 2))
