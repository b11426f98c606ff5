"""Noisy labels taken for true ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._label_draws import LabelDraws
from ._label_model import LabelModel

__all__ = ["NaiveModel"]


@dataclass(frozen=True)
class NaiveModel(LabelModel):
    """Noisy labels taken for true ones (eq. 4 of Nguyen, Ramanan and Fowlkes, 2018).

    Its intervals have no width: it knows no doubt.
    """

    name: ClassVar[str] = "naive"

    def learn(self, board, codes, n_draws, rng):
        return LabelDraws(np.broadcast_to(board.noisy * 1.0, (n_draws, board.n_entries)), codes)
