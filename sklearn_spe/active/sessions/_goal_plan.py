"""Simulated number of labels that a selection meeting a goal takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._arrays import FrozenArrays
from ...inputs._numbers import check_flag, check_number

__all__ = ["GoalPlan"]


@dataclass(frozen=True, eq=False, repr=False)
class GoalPlan(FrozenArrays):
    """Probability that a selection meets a goal after more labels, and its usefulness.

    Attributes
    ----------
    n_labels : ndarray of shape (n_counts,)
        Numbers of further labels, beyond the known and pending ones.
    chosen, random : ndarray of shape (n_simulations, n_counts)
        The metric that the goal leaves open (recall, where precision is bounded), of the selection
        with labels chosen by the strategy, and at random; 0 where no selection meets the goal.
    reachable : float
        The probability that any threshold rule meets the goal, with all labels known. Where it is
        near 0 the scores, or the share of positives, do not allow it: a selection then contains
        little more than the labeled positives.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.active import GoalPlan
    >>> useful = np.array([[0.0, 0.5], [0.0, 0.7], [0.2, 0.6]])
    >>> plan = GoalPlan(np.array([50, 100]), useful, 0.5 * useful, reachable=0.9)
    >>> plan.labels_for()
    100
    >>> plan.labels_for(least=0.5, random=True) is None
    True
    """

    n_labels: np.ndarray
    chosen: np.ndarray
    random: np.ndarray
    reachable: float

    def kept(self, *, least=0.0, random: bool = False) -> np.ndarray:
        """Return the share of simulations in which a selection meets the goal, (n_counts,).

        Parameters
        ----------
        least : float in [0, 1], default=0
            The required value of the metric that the goal leaves open.
        random : bool, default=False
            Whether items are chosen at random.
        """
        least = check_number(least, "least", "[0, 1]")
        check_flag(random, "random")
        useful = self.random if random else self.chosen
        return np.mean((useful > 0.0) & (useful >= least), axis=0)

    def labels_for(self, probability=0.5, *, least=0.0, random: bool = False) -> int | None:
        """Return the smallest number of further labels with which a selection meets the goal.

        Parameters
        ----------
        probability : float in (0, 1], default=0.5
            The required share of the simulations.
        least, random
            As :meth:`kept` takes them.

        Returns
        -------
        n_labels : int or None
            None if no number is enough.
        """
        check_number(probability, "probability", "(0, 1]")
        enough = np.flatnonzero(self.kept(least=least, random=random) >= probability)
        return int(self.n_labels[enough[0]]) if len(enough) else None

    def to_frame(self):
        """Return a pandas DataFrame: further labels, share that meets the goal, mean usefulness."""
        import pandas as pd

        return pd.DataFrame(
            {
                "further_labels": self.n_labels,
                "kept_chosen": self.kept(),
                "kept_random": self.kept(random=True),
                "useful_chosen": self.chosen.mean(axis=0),
                "useful_random": self.random.mean(axis=0),
            }
        )

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{n}: {chosen:.2f} ({random:.2f})"
            for n, chosen, random in zip(
                self.n_labels, self.kept(), self.kept(random=True), strict=True
            )
        )
        return (
            f"GoalPlan(kept with further labels, chosen (random), {parts}; "
            f"reachable by a threshold: {self.reachable:.2f})"
        )
