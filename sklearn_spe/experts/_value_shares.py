"""Scores of two values: each has a share of positives of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ..sample._cells import ScoreCells
from ._discrepancy import DiscrepancyScale
from ._expert import Expert

# Steps of an additive recurrence that fills the square evenly (the generalized golden ratio).
RECURRENCE = 1.324717957244746 ** -np.arange(1.0, 3.0)


@dataclass(frozen=True)
class ValueShares(Expert):
    r"""Scores of two values, such as decisions: the share of positives at each is its own.

    The two shares are independent, :math:`\mathrm{Beta}(1/2, 1/2)` by Jeffreys. Neither ranks nor
    log-odds say more of two values: curves over them expect shares that are nowhere in particular
    to lie where steep or flat curves put them. Scores of more values leave it out, unless a weight
    is given: the lower and the upper half of the items then have a share each.

    Parameters
    ----------
    n_curves : int, default=1000
    weight : float, default=None
        See `Expert`.

    References
    ----------
    H. Jeffreys, "An invariant form for the prior probability in estimation problems", Proceedings
    of the Royal Society A 186 (1946).
    """

    name: ClassVar[str] = "value_shares"
    # The others together weigh about one.
    weights: ClassVar[dict[str, float]] = {"default": 20.0}
    # As much as fills the gaps between the curves where a thousand labels leave few of them.
    discrepancy: ClassVar[DiscrepancyScale] = DiscrepancyScale(
        shift=0.0, stretch=0.0, roughness=0.8, small_lapse=0.0, large_lapse=0.0
    )

    n_curves: int = 1000

    def prior_weight(self, cells: ScoreCells) -> float:
        """Return the weight of this expert before any label: none unless there are two values."""
        if self.weight is None and cells.n_cells != 2:
            return 0.0
        return super().prior_weight(cells)

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        levels = (0.5 + np.arange(1, self.n_curves + 1)[:, np.newaxis] * RECURRENCE) % 1.0
        shares, others = (special.betaincinv(0.5, 0.5, q) for q in (levels, 1.0 - levels))
        # The lower of two values has its middle rank below one half, the upper one above.
        return (np.log(shares) - np.log(others))[:, (cells.normal_ranks > 0.0).astype(int)]
