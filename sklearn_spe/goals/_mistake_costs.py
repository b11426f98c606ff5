"""The costs of both errors of a decision, and the thresholds of least expected cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..exceptions import ParameterError
from ..inputs._validation import check_number
from ..metrics._decision import NetBenefit
from ..posterior._posterior import Posterior
from ._best_threshold import above_all

# Maximum number of thresholds that are compared, at evenly spaced ranks.
MAX_THRESHOLDS = 400


@dataclass(frozen=True)
class MistakeCosts:
    """The cost of a false positive, and that of a false negative."""

    false_alarm: float
    miss: float

    @classmethod
    def of(cls, cost: Any) -> MistakeCosts:
        """Read the costs of a false alarm and of a miss; raise unless both are positive."""
        try:
            false_alarm, miss = cost
        except (TypeError, ValueError):
            raise ParameterError.of(
                "cost",
                f"must be two numbers, the cost of a false alarm and that of a miss; got {cost!r}.",
            ) from None
        costs = cls(
            check_number(false_alarm, "cost[0], of a false alarm,", "(0, inf)"),
            check_number(miss, "cost[1], of a miss,", "(0, inf)"),
        )
        if not 0.0 < costs.threshold_probability < 1.0:
            raise ParameterError.of(
                "cost",
                f"must have a ratio that a number can hold; got {false_alarm:g} and {miss:g}.",
            )
        return costs

    @property
    def threshold_probability(self) -> float:
        """The probability of a positive at which a call, and none, cost the same."""
        return 1.0 / (1.0 + self.miss / self.false_alarm)

    @property
    def net_benefit(self) -> NetBenefit:
        """The metric whose largest expectation is the least expected cost.

        The cost per item is that of missing all positives, less `miss` times the net benefit.
        """
        return NetBenefit(self.threshold_probability)

    def thresholds(self, posterior: Posterior) -> np.ndarray:
        """Return the thresholds to compare, increasing: scores, and one above all of them."""
        sample = posterior.sample
        cells = np.unique(np.linspace(0, sample.n_cells - 1, MAX_THRESHOLDS).astype(int))
        return np.r_[sample.lower[cells], above_all(posterior.ends)]
