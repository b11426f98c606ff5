"""Reading from the top until few positives are expected below, then random draws: a review."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...inputs._numbers import check_number
from ._strategy import Strategy

__all__ = ["Reading"]


@dataclass(frozen=True)
class Reading(Strategy):
    """The largest scores first; random items once few positives are expected in the rest.

    This is a review, which ends with :class:`~sklearn_spe.active.RecallReached`: the random draws
    prove that few positives are missed, without the model. If draws find more than expected, the
    predictions change and reading continues. There is no exploration; draws have known inclusion
    probabilities, read items have none.

    Parameters
    ----------
    aim : float in (0, 1), default=0.93
        The expected share of labeled positives at which random draws begin. It should be well above
        the recall to be proved: the fewer positives are missed, the fewer draws are needed.

    Examples
    --------
    >>> from sklearn_spe.active import Reading
    >>> scores, probability = [0.1, 0.9, 0.5, 0.7], [0.1, 0.9, 0.5, 0.7]
    >>> Reading().query(scores, n_labels=2, probability=probability)
    array([1, 3])
    """

    aim: float = 0.93

    name: ClassVar[str] = "reading"
    needs: ClassVar[tuple[str, ...]] = ("probability",)
    looks_again: ClassVar[bool] = True
    explores: ClassVar[bool] = False
    spreads: ClassVar[bool] = False

    def __post_init__(self):
        object.__setattr__(self, "aim", check_number(self.aim, "aim", "(0, 1)"))

    def utilities(self, pool):
        return np.zeros(pool.n_items) if self._has_read(pool) else pool.scores

    def weights(self, pool):
        return np.ones(pool.n_items) if self._has_read(pool) else super().weights(pool)

    def _has_read(self, pool) -> bool:
        """Return whether few positives are expected among the unlabeled items.

        Pending items count as unlabeled: a batch is either read or drawn.
        """
        missed = np.sum(pool.probability * pool.counts, where=pool.codes < 0)
        found = np.count_nonzero(pool.codes == 1)
        return bool(missed <= (1.0 - self.aim) * (found + missed))
