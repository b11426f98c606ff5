"""In which order scores came: a checksum of each score and its place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["ScoreOrder"]

# So many scores are looked at together: they stay in the cache.
N_TOGETHER = 2**15
# The low bits of float32 are zero: they get the high ones.
SHIFT = np.uint64(29)
PLACES = np.arange(N_TOGETHER, dtype=np.uint64)
MODULUS = 2**64


@dataclass(frozen=True)
class ScoreOrder:
    """Sums over scores that depend on their order, and not on how they were cut into chunks.

    The same scores in another order have other sums, but for a chance that is negligible.

    Attributes
    ----------
    n_scores : int
    total, placed : int
        The sum of a number that is made of each score, and that of its products with the place
        of the score, modulo 2**64.
    """

    n_scores: int = 0
    total: int = 0
    placed: int = 0

    @classmethod
    def of(cls, scores: np.ndarray) -> ScoreOrder:
        """Return the order of scores of which none is missing."""
        order = cls()
        for first in range(0, len(scores), N_TOGETHER):
            # Of one number, whether it is float32 or float64, and 0 or -0.
            own = np.add(scores[first : first + N_TOGETHER], 0.0, dtype=np.float64)
            bits = own.view(np.uint64)
            bits ^= bits >> SHIFT
            placed = int(np.dot(PLACES[: len(bits)], bits))
            order = order.then(cls(len(bits), int(bits.sum()), placed))
        return order

    def then(self, later: ScoreOrder) -> ScoreOrder:
        """Return the order of these scores followed by later ones."""
        return ScoreOrder(
            self.n_scores + later.n_scores,
            (self.total + later.total) % MODULUS,
            (self.placed + self.n_scores * later.total + later.placed) % MODULUS,
        )
