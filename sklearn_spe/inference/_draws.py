"""Weighted draws, the result of every sampler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._read_only import ThroughConstructor, freeze_fields
from ._weights import effective_size, picked


@dataclass(frozen=True, eq=False)
class Draws(ThroughConstructor):
    """Weighted draws from a density, with diagnostics.

    Parameters
    ----------
    points : ndarray of shape (n_draws, n_dim)
        The draws, unconstrained.
    log_weights : ndarray of shape (n_draws,)
        Normalized log weights (their exponentials sum to one), smoothed where
        they come from importance sampling.
    pareto_k : float
        k-hat of the raw importance weights; reliable below 0.7.
    log_evidence : float
        Log of the integral of the unnormalized density.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.inference import Draws
    >>> Draws(np.zeros((4, 2)), np.log([0.25] * 4), pareto_k=0.1, log_evidence=-3.0)
    Draws(n_draws=4, n_dim=2, ess=4, pareto_k=0.1, log_evidence=-3)
    """

    points: np.ndarray
    log_weights: np.ndarray
    pareto_k: float
    log_evidence: float

    def __post_init__(self):
        freeze_fields(self, "points", "log_weights")
        if self.points.ndim != 2 or self.log_weights.shape != self.points.shape[:1]:
            raise ValueError(
                f"points must be (n_draws, n_dim) and log_weights (n_draws,), got "
                f"{self.points.shape} and {self.log_weights.shape}."
            )

    @property
    def weights(self) -> np.ndarray:
        """Weights that sum to one: (n_draws,)."""
        with np.errstate(under="ignore"):
            return np.exp(self.log_weights)

    @property
    def ess(self) -> float:
        """Kish's effective sample size, ``1 / sum(weights**2)``."""
        return effective_size(self.weights)

    @property
    def centred(self) -> Draws:
        """The point estimate around which the draws scatter, as a single draw; else the draws."""
        return self

    def picked(self, n: int) -> np.ndarray:
        """Return indices of `n` draws in proportion to their weights, deterministically."""
        return picked(self.weights, n)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        n_draws, n_dim = self.points.shape
        return (
            f"Draws(n_draws={n_draws}, n_dim={n_dim}, ess={self.ess:.0f}, "
            f"pareto_k={self.pareto_k:.3g}, log_evidence={self.log_evidence:.6g})"
        )
