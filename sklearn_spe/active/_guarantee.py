"""The best selection for a goal on which labels are spent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..curves._goals import Goal, needed_probability
from ..results._bands import ScalarEstimate
from ..results._verdict import Reason

__all__ = ["Guarantee"]


@dataclass(frozen=True, eq=False)
class Guarantee(FrozenArrays):
    """The best selection that meets a goal, or the most probable one if none does."""

    goal: Goal
    threshold: float  # on the user's scale; NaN if no selection meets the goal
    probability: float  # that the selection meets the goal
    confidence_level: float  # the required probability
    is_possible: bool  # whether further labels may let a selection meet the goal
    estimate: ScalarEstimate  # the metric that the goal leaves open
    # (n_rows,); which rows of X are selected; none if no selection meets the goal.
    selection: np.ndarray
    is_proof: bool = False  # whether it is proved from the labels alone, at level `probability`

    @property
    def is_kept(self) -> bool:
        """Whether a selection meets the goal with the required probability."""
        return bool(np.isfinite(self.threshold))

    @property
    def _needed(self) -> float:
        return self.confidence_level if self.is_proof else needed_probability(self.confidence_level)

    def describe(self) -> str:
        """Return the state of the goal in words."""
        if self.is_kept:
            how = (
                "is proved to keep {goal} at the level {at:.3g}"
                if self.is_proof
                else "keeps {goal} with probability {at:.3g}"
            ).format(goal=self.goal, at=self.probability)
            return f"an answer of {int(self.selection.sum())} items {how}"
        if not self.is_possible:
            return f"no answer can keep {self.goal}, whatever the missing labels are"
        if self.is_proof:
            return (
                f"labels prove of no answer yet that it keeps {self.goal} at the level "
                f"{self.confidence_level:g}: of the best one they do at {self.probability:.3g}"
            )
        return (
            f"no answer keeps {self.goal} with probability {self.confidence_level:g} yet: that "
            f"takes {self._needed:.4g} in the posterior, and the best one has "
            f"{self.probability:.3g}"
        )

    def reasons(self):
        """Yield the reasons for a verdict."""
        if not self.is_kept:
            name = "goal_not_kept" if self.is_possible else "goal_impossible"
            remedy = (
                "Label more items, or ask for less."
                if self.is_possible
                else "Ask for less: no label helps."
            )
            text = self.describe()
            yield Reason(
                name,
                "ok",
                f"{text[0].upper()}{text[1:]}. {remedy}",
                self.probability,
                self._needed,
            )
