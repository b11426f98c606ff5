"""Families on the positive half line, with their handling of other scores."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._family import POSITIVE, Family


@dataclass(frozen=True, repr=False)
class PositiveFamily(Family):
    """A family on (0, inf); `_logpdf`, `_gradient` and `_sf` get positive scores only."""

    support: ClassVar[tuple[float, float]] = POSITIVE

    def logpdf(self, scores, *values):
        return self._on_support(self._logpdf, -np.inf, scores, values)

    def gradient(self, scores, *values):
        inside = np.greater(scores, 0.0)
        if inside.all():
            return self._gradient(scores, *values)
        parts = self._gradient(np.where(inside, scores, 1.0), *values)
        return tuple(np.where(inside, part, 0.0) for part in parts)

    def sf(self, scores, *values):
        return self._on_support(self._sf, 1.0, scores, values)

    @staticmethod
    def _on_support(kernel, outside, scores, values):
        # The scores are (n,) and the result (n_draws, n): checking the scores first usually avoids
        # a pass over the draws.
        inside = np.greater(scores, 0.0)
        if inside.all():
            return kernel(scores, *values)
        return np.where(inside, kernel(np.where(inside, scores, 1.0), *values), outside)

    @abstractmethod
    def _logpdf(self, scores, *values): ...

    @abstractmethod
    def _gradient(self, scores, *values): ...

    @abstractmethod
    def _sf(self, scores, *values): ...
