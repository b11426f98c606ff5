"""Checksum of scores and their order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["ScoreOrder"]

# Number of scores per batch, to stay in the cache.
N_TOGETHER = 2**15
# Mix high bits into the low bits, which are zero for float32.
SHIFT = np.uint64(29)
PLACES = np.arange(N_TOGETHER, dtype=np.uint64)
MODULUS = 2**64


@dataclass(frozen=True)
class ScoreOrder:
    """Checksums that depend on the order of scores, but not on their chunking.

    The same scores in another order have other checksums, except with negligible probability.
    """

    n_scores: int = 0
    total: int = 0  # sum of the hashes of the scores, modulo 2**64
    placed: int = 0  # sum of the hashes times the positions, modulo 2**64

    @classmethod
    def of(cls, scores: np.ndarray) -> ScoreOrder:
        """Return the checksums of scores, none missing."""
        order = cls()
        for first in range(0, len(scores), N_TOGETHER):
            # Equal numbers have equal hashes: float32 and float64, 0 and -0.
            own = np.add(scores[first : first + N_TOGETHER], 0.0, dtype=np.float64)
            bits = own.view(np.uint64)
            bits ^= bits >> SHIFT
            placed = int(np.dot(PLACES[: len(bits)], bits))
            order = order.then(cls(len(bits), int(bits.sum()), placed))
        return order

    def then(self, later: ScoreOrder) -> ScoreOrder:
        """Return the checksums of these scores followed by later ones."""
        return ScoreOrder(
            self.n_scores + later.n_scores,
            (self.total + later.total) % MODULUS,
            (self.placed + self.n_scores * later.total + later.placed) % MODULUS,
        )
