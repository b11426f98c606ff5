"""The best answer to a goal that labels are spent for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..curves._goals import Goal, needed_probability
from ..results._bands import ScalarEstimate
from ..results._verdict import Reason

__all__ = ["Promise"]


@dataclass(frozen=True, eq=False)
class Promise(FrozenArrays):
    """The best answer that keeps a goal, or the most probable one if none does.

    Attributes
    ----------
    goal : Goal
    threshold : float
        On the scale of the user; NaN if no answer keeps the goal.
    probability : float
        That it keeps the goal.
    confidence_level : float
        With what probability it shall.
    is_possible : bool
        Whether any labels of what is not labelled yet would let an answer keep it.
    estimate : ScalarEstimate
        The metric that the goal leaves open.
    answer : ndarray of bool of shape (n_rows,)
        Which rows of X are returned; none if no answer keeps the goal.
    is_proof : bool, default=False
        Whether labels alone prove what is said, at the level `probability`.
    """

    goal: Goal
    threshold: float
    probability: float
    confidence_level: float
    is_possible: bool
    estimate: ScalarEstimate
    answer: np.ndarray
    is_proof: bool = False

    @property
    def is_kept(self) -> bool:
        """Whether an answer keeps the goal with the probability that is wanted."""
        return bool(np.isfinite(self.threshold))

    @property
    def _needed(self) -> float:
        return self.confidence_level if self.is_proof else needed_probability(self.confidence_level)

    def describe(self) -> str:
        """Return how things stand, in words."""
        if self.is_kept:
            how = (
                "is proved to keep {goal} at the level {at:.3g}"
                if self.is_proof
                else "keeps {goal} with probability {at:.3g}"
            ).format(goal=self.goal, at=self.probability)
            return f"an answer of {int(self.answer.sum())} items {how}"
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
        """Yield what a verdict says of it."""
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
