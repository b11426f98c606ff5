"""What hangs together: the thresholds of a claim, and the claims on an object."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ..._arrays import FrozenArrays
from ..label_models._label_draws import Coupling

__all__ = ["CORRELATION", "ClaimCoupling"]

# Of claims on one object, as normal variables, where nothing tells how they are correlated.
CORRELATION = 0.3


@dataclass(frozen=True, eq=False)
class ClaimCoupling(FrozenArrays, Coupling):
    """Entries of one claim come true together, and claims on one object are correlated.

    Attributes
    ----------
    claim : ndarray of shape (n_entries,), of int
        Entries of one claim come true together as far as their probabilities allow, the more
        probable ones first; -1 for entries that are known.
    owner : ndarray of shape (n_claims,), of int
        The object of each claim.
    correlation : float in [0, 1)
        Of claims on one object, as normal variables.
    """

    claim: np.ndarray
    owner: np.ndarray
    correlation: float

    def uniform(self, n, rng):
        own = rng.standard_normal((n, len(self.owner)))
        common = rng.standard_normal((n, int(self.owner.max(initial=-1)) + 1))[:, self.owner]
        rho = self.correlation
        return special.ndtr(np.sqrt(rho) * common + np.sqrt(1.0 - rho) * own)[:, self.claim]
