"""Groups of dependent items, and their Bayesian bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["Clusters", "concentration_of"]

# A t interval needs at least this many clusters.
MINIMUM = 4


@dataclass(frozen=True, eq=False)
class Clusters(FrozenArrays):
    r"""Groups of dependent items, such as patients or videos.

    The population consists of further clusters. It is simulated by a Bayesian bootstrap of clusters
    with Dirichlet weights of concentration :math:`\alpha = \{(C - 1) / q^2 - 1\} / C` each,
    :math:`q = t_{.95, C - 1} / z_{.95}`: a mean over C clusters then has the spread of a t
    interval, not of a normal one.
    """

    codes: np.ndarray  # (n_items,), the cluster of each item
    n_clusters: int
    name: ClassVar[str] = "groups"

    def is_same(self, other: Clusters | None) -> bool:
        """Return whether both partitions of the items are equal."""
        if other is None:
            return False
        return np.array_equal(self.codes, other.codes)

    def bootstrap(self, rng: np.random.Generator, n: int, rows) -> np.ndarray:
        """Draw weights of some items, constant within a cluster, (n, n_rows).

        The concentration is that of the number of clusters among these items.
        """
        n_present = len(np.unique(self.codes[rows]))
        shape = n, self.n_clusters
        return rng.standard_gamma(concentration_of(n_present), shape)[:, self.codes[rows]]


def concentration_of(n_clusters: int) -> float:
    """Return the Dirichlet concentration for a number of clusters."""
    n = max(n_clusters, MINIMUM)
    q = special.stdtrit(n - 1, 0.95) / special.ndtri(0.95)
    return float(((n - 1) / q**2 - 1.0) / n)
