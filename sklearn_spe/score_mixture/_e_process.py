"""E-process against the model, and its posterior odds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["EProcess"]

# Log-odds shifts of the alternatives.
SHIFTS = np.array([-4.0, -2.0, -1.0, 1.0, 2.0, 4.0])
# Prior odds of the model against the alternatives.
PRIOR_ODDS = 0.01


@dataclass(frozen=True, eq=False)
class EProcess(FrozenArrays):
    """E-values of alternatives to a model."""

    # (n_shifts, n_parts), log e-value of each shift of each part of the scores
    log_e_values: np.ndarray

    @property
    def log_e_value(self) -> float:
        """Log of the mean e-value of all alternatives."""
        return float(special.logsumexp(self.log_e_values) - np.log(self.log_e_values.size))

    @property
    def model_weight(self) -> float:
        """Posterior probability of the model against the alternatives."""
        return float(special.expit(-np.log(PRIOR_ODDS) - self.log_e_value))
