"""Starting values of families truncated at zero."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from ._positive import PositiveFamily

_STEP = 1e-5


@dataclass(frozen=True, repr=False)
class TruncatedFamily(PositiveFamily):
    """A location-scale family truncated below zero; mean and std before truncation."""

    exact_moments: ClassVar[bool] = False

    def centre(self, *values):
        # The median after truncation: the mean before it may be far below zero.
        centre, slopes = self.ppf(0.5, *values), []
        for j, value in enumerate(values):
            # Resolve the mean on the scale of the standard deviation.
            step = _STEP * (values[1] if j == 0 else value)
            ends = ([v + sign * step * (i == j) for i, v in enumerate(values)] for sign in (1, -1))
            above, below = (self.ppf(0.5, *end) for end in ends)
            slopes.append((above - below) / (2.0 * step))
        return centre, tuple(slopes)

    def start(self, scores, weights, *shapes):
        mean, std = super().start(scores, weights)
        ratios, means, variations = _after_truncation(self, shapes)
        variation = std / mean
        if not variation > variations[-1]:
            # Truncation is negligible.
            return mean, std, *shapes
        # The coefficient of variation determines the truncation point. Scores that vary as much as
        # an exponential or more get the largest truncation of the table.
        ratio = np.interp(variation, variations[::-1], ratios[::-1])
        std = mean / np.interp(ratio, ratios, means)
        return float(ratio * std), float(std), *shapes


@lru_cache(maxsize=32)
def _after_truncation(family, shapes):
    """Return a grid of ``mean / std``, and mean and variation after truncation."""
    ratios = np.linspace(-4.0, 6.0, 41)
    middles = (np.arange(64) + 0.5) / 64
    draws = family.ppf(middles, ratios[:, np.newaxis], 1.0, *shapes)
    means = draws.mean(axis=1)
    return ratios, means, draws.std(axis=1) / means
