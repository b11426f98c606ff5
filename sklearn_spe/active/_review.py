"""Read and drawn items, for the test of the recall of a review."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..betting._recall_certificate import RecallCertificate

__all__ = ["Review"]


@dataclass(frozen=True, eq=False)
class Review(FrozenArrays):
    """Labels in the order of the draws, each of one item of a pool."""

    n_items: int  # number of items in the pool
    # (n_rows,) or None; ranks of the items, from 0; None if there are several rankings.
    ranks: np.ndarray | None
    labels: np.ndarray  # (n_rows,); 1 or 0; NaN where skipped
    chances: np.ndarray  # (n_rows,); inclusion probabilities among the free items; NaN if not drawn
    least: np.ndarray  # (n_rows,); smallest inclusion probability of a free item; likewise

    def certificate(self, **guarantee) -> RecallCertificate:
        """Return the recall certificate, given keywords of `RecallCertificate.start`."""
        found = RecallCertificate.start(self.n_items, **guarantee)
        for rows in self._runs():
            labels, ranks = self.labels[rows], None if self.ranks is None else self.ranks[rows]
            if np.isnan(self.chances[rows[0]]):
                found = found.read(labels, ranks)
            else:
                chances, least = self.chances[rows], self.least[rows]
                found = found.drawn(labels, ranks, chances=chances, least=least)
        return found

    def _runs(self) -> list[np.ndarray]:
        """Return runs of consecutive rows that were all read or all drawn."""
        changes = np.flatnonzero(np.diff(np.isnan(self.chances))) + 1
        return [rows for rows in np.split(np.arange(len(self.labels)), changes) if len(rows)]
