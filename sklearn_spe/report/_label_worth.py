"""What more labels would buy: how wide an interval would become."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays

__all__ = ["LabelWorth"]

N_LABELS = (0, 10, 50, 200)
STRATEGIES = {"tail": "of the highest scores", "random": "at random"}


@dataclass(frozen=True, eq=False)
class LabelWorth(FrozenArrays):
    """How wide the interval of a number would be with more labels: a plan, no promise.

    Attributes
    ----------
    metric : str
        Of which system's ranking, if there are several, says `system`.
    system : str or None
    n_labels : ndarray of shape (n_plans,), of int
        How many more, from none on.
    widths : dict of str to ndarray of shape (n_plans,)
        By how they are chosen, in words.
    """

    metric: str
    system: str | None
    n_labels: np.ndarray
    widths: dict[str, np.ndarray]

    @classmethod
    def of(cls, performance, system: str | None = None) -> LabelWorth | None:
        """Return that of average precision; None if all is labelled.

        Parameters
        ----------
        performance : PerformanceCurveEstimator
            Fitted, and showing one ranking.
        system : str, default=None
            What that is called, if there are several.
        """
        left = performance.posterior_.sample.unlabeled.sum()
        n_labels = np.array([n for n in N_LABELS if n <= left])
        if len(n_labels) < 2:
            return None
        widths = {
            words: performance.plan(n_labels, strategy=strategy)
            for strategy, words in STRATEGIES.items()
        }
        return cls("average_precision", system, n_labels, widths)
