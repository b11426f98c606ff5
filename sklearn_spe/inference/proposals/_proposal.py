"""Interface of a proposal."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Proposal(Protocol):
    """A normalized unconstrained density that can be sampled."""

    def rvs(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Return draws of shape (n, n_dim)."""

    def logpdf(self, u: np.ndarray) -> np.ndarray:
        """Return the normalized log density (m,) at points (m, n_dim)."""
