r"""Inclusion probabilities with which a proof that a selection meets a goal takes few labels.

A test that a sum over items is not negative (`SumBets`) gains power as the variance of the draws
decreases. Item i, drawn with inclusion probability :math:`q_i`, contributes :math:`s_i^2 / q_i` to
the variance, with :math:`s_i^2` the squared deviation of its contribution from the mean of its side
of the threshold; the variance is smallest for :math:`q_i` proportional to :math:`s_i`. Predictions
are shrunk towards one half, as models are overconfident, and small inclusion probabilities limit
all bets.
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
    """Contribution of a label in each cell to a proof."""

    gains: np.ndarray  # (n_cells,); items are drawn in proportion to these

    # These are inclusion probabilities already.
    are_inclusion_proba: ClassVar[bool] = True

    def after(self, cell: int) -> ProofInformation:
        """Return self: pending labels change nothing in what remains to be proved."""
        return self


def proof_information(
    goal: Goal, performance, cells: ScoreCells, *, confidence_level
) -> ProofInformation:
    """Return the contributions of labels to the proof for the target threshold."""
    aim = aim_of(goal, performance, cells, confidence_level)
    above = (np.arange(cells.n_cells) >= aim.place).astype(int)
    p = doubted(aim.p.mean(axis=0))
    n_items = np.sum(aim.counts, axis=0)
    positives, items = (np.bincount(above, x, minlength=2) for x in (n_items * p, n_items))
    share = positives / np.maximum(items, 1.0)
    step = np.abs(aim.of_bound.condition[1] - aim.of_bound.condition[0])
    return ProofInformation(step[above] * np.sqrt(p * (1.0 - p) + (p - share[above]) ** 2))
