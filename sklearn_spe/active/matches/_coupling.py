"""Dependence of the thresholds of a match, and of the matches of an object."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ..._arrays import FrozenArrays
from ..label_models._label_draws import Coupling

__all__ = ["CORRELATION", "MatchCoupling"]

# Default correlation of the matches of an object, as normal variables.
CORRELATION = 0.3


@dataclass(frozen=True, eq=False)
class MatchCoupling(FrozenArrays, Coupling):
    """Comonotone labels of the rows of one match, and correlated matches of one object."""

    match: np.ndarray  # (n_rows,), of int; index of the match; -1 for rows that are known
    owner: np.ndarray  # (n_matches,), of int; the object of each match
    correlation: float  # in [0, 1), of the matches of one object, as normal variables

    def uniform(self, n, rng):
        own = rng.standard_normal((n, len(self.owner)))
        common = rng.standard_normal((n, int(self.owner.max(initial=-1)) + 1))[:, self.owner]
        rho = self.correlation
        return special.ndtr(np.sqrt(rho) * common + np.sqrt(1.0 - rho) * own)[:, self.match]
