"""Expected interval width after more labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays

__all__ = ["LabelValue"]

N_LABELS = (0, 10, 50, 200)
STRATEGIES = {"tail": "of the highest scores", "random": "at random"}


@dataclass(frozen=True, eq=False)
class LabelValue(FrozenArrays):
    """Expected width of the interval of a metric after more labels, without guarantee."""

    metric: str  # of the ranking of `system`, if there are several
    system: str | None
    n_labels: np.ndarray  # (n_plans,), of int; numbers of further labels, from 0
    widths: dict[str, np.ndarray]  # from the sampling strategy, in words, to (n_plans,)

    @classmethod
    def of(cls, performance, system: str | None = None) -> LabelValue | None:
        """Return the widths for average precision; None if all items are labeled."""
        left = performance.posterior_.sample.unlabeled.sum()
        n_labels = np.array([n for n in N_LABELS if n <= left])
        if len(n_labels) < 2:
            return None
        widths = {
            words: performance.plan(n_labels, strategy=strategy)
            for strategy, words in STRATEGIES.items()
        }
        return cls("average_precision", system, n_labels, widths)
