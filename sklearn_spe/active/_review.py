"""What was read and what was drawn, for whoever asks whether enough positives were found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..betting._recall_certificate import RecallCertificate

__all__ = ["Review"]


@dataclass(frozen=True, eq=False)
class Review(FrozenArrays):
    """Labels in the order of the draws, each of one item of a pool.

    Attributes
    ----------
    n_items : int
        How many the pool holds.
    ranks : ndarray of int of shape (n_rows,) or None
        The places of the items in the ranking, from 0; None if there are several rankings.
    labels : ndarray of shape (n_rows,)
        1 or 0; NaN where the annotator could not say.
    chances : ndarray of shape (n_rows,)
        With which each was drawn among the items that were free then; NaN if it was not drawn.
    least : ndarray of shape (n_rows,)
        The least chance that any of these had; likewise.
    """

    n_items: int
    ranks: np.ndarray | None
    labels: np.ndarray
    chances: np.ndarray
    least: np.ndarray

    def certificate(self, **promise) -> RecallCertificate:
        """Return what the labels prove of the share of all positives that is found.

        Parameters
        ----------
        **promise
            As `RecallCertificate.start` takes it, without the number of items.
        """
        found = RecallCertificate.start(self.n_items, **promise)
        for rows in self._runs():
            labels, ranks = self.labels[rows], None if self.ranks is None else self.ranks[rows]
            if np.isnan(self.chances[rows[0]]):
                found = found.read(labels, ranks)
            else:
                chances, least = self.chances[rows], self.least[rows]
                found = found.drawn(labels, ranks, chances=chances, least=least)
        return found

    def _runs(self) -> list[np.ndarray]:
        """Return rows that follow one another, and were all read or all drawn."""
        turns = np.flatnonzero(np.diff(np.isnan(self.chances))) + 1
        return [rows for rows in np.split(np.arange(len(self.labels)), turns) if len(rows)]
