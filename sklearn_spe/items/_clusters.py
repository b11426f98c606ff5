"""Items that belong together, and what they are worth as evidence of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["Clusters", "concentration_of"]

# Fewer clusters have no spread that a t interval could be made of.
LEAST = 4


@dataclass(frozen=True, eq=False)
class Clusters(FrozenArrays):
    r"""Groups of items that belong together: patients, videos.

    The population consists of further clusters. Scores are those of clusters drawn by a Bayesian
    bootstrap, with weights from a Dirichlet law of the concentration
    :math:`\alpha = \{(C - 1) / q^2 - 1\} / C` each, :math:`q = t_{.95, C - 1} / z_{.95}`: a mean
    over C clusters then has the spread of a t interval, not of a normal one.

    Attributes
    ----------
    codes : ndarray of shape (n_items,), of int
        The cluster of each item.
    n_clusters : int
    """

    codes: np.ndarray
    n_clusters: int
    name: ClassVar[str] = "groups"

    def is_same(self, other: Clusters | None) -> bool:
        """Return whether items are divided in the same way."""
        if other is None:
            return False
        return np.array_equal(self.codes, other.codes)

    def bootstrap(self, rng: np.random.Generator, n: int, rows) -> np.ndarray:
        """Draw weights of some items, all of a cluster alike, (n, n_rows).

        As many clusters count as these items are of.
        """
        n_present = len(np.unique(self.codes[rows]))
        shape = n, self.n_clusters
        return rng.standard_gamma(concentration_of(n_present), shape)[:, self.codes[rows]]


def concentration_of(n_clusters: int) -> float:
    """Return the concentration of the bootstrap of so many clusters."""
    n = max(n_clusters, LEAST)
    q = special.stdtrit(n - 1, 0.95) / special.ndtri(0.95)
    return float(((n - 1) / q**2 - 1.0) / n)
