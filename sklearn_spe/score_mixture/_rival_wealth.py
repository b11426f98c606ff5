"""What rivals of a model won by bets against it, and what that says of the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["RivalWealth"]

# By how much a rival shifts the log-odds.
SHIFTS = np.array([-4.0, -2.0, -1.0, 1.0, 2.0, 4.0])
# Rivals are this much less credible than the model before any label.
PRIOR_ODDS = 0.01


@dataclass(frozen=True, eq=False)
class RivalWealth(FrozenArrays):
    """The wealth of rivals that bet against a model, each from a stake of one.

    Attributes
    ----------
    log_wealth : ndarray of shape (n_shifts, n_parts)
        The log of what each shift of each part of the scores won.
    """

    log_wealth: np.ndarray

    @property
    def log_e_value(self) -> float:
        """The log of the mean wealth of all rivals."""
        return float(special.logsumexp(self.log_wealth) - np.log(self.log_wealth.size))

    @property
    def model_weight(self) -> float:
        """The probability that the model is right and not a rival, from the odds before."""
        return float(special.expit(-np.log(PRIOR_ODDS) - self.log_e_value))
