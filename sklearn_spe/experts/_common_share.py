"""One probability for all items, of which nothing else is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ..sample._cells import ScoreCells
from ._expert import Expert
from ._slack import SlackScale


@dataclass(frozen=True)
class CommonShare(Expert):
    """Curves that are constant: every item is positive with one probability, which is uniform.

    What labels tell of scores that are all equal is then a beta distribution. It is not among the
    experts that are named: scores that tell items apart have better ones.

    Parameters
    ----------
    n_curves : int, default=2000
    weight : float, default=None
        See `Expert`.
    """

    name: ClassVar[str] = "common_share"
    weights: ClassVar[dict[str, float]] = {"default": 1.0}
    slack: ClassVar[SlackScale] = SlackScale(
        shift=0.0, stretch=0.0, roughness=0.0, lapse=0.0, plateau=0.0
    )

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        levels = special.logit(rng.random((self.n_curves, 1)))
        return np.broadcast_to(levels, (self.n_curves, cells.n_cells))
