"""Kernel density estimates on the scale that the package's method of scores learns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sklearn_spe.extrapolation import KernelDensity, Method
from sklearn_spe.extrapolation._accuracy_distributions import Distribution
from sklearn_spe.extrapolation._pilot import Pilot
from sklearn_spe.extrapolation.methods._tail import ScoreTransform


@dataclass(frozen=True)
class ScaledKernelDensity(Method):
    """Kernel density estimates of scores whose skewness is reduced first.

    Kernel densities depend on the scale of scores: squared distances spoil them, distances do not.
    This tells what of the difference to other methods is the scale alone.
    """

    name: ClassVar[str] = "scaled_kernel_density"

    def fit(self, pilot, rng) -> Distribution:
        """Return the distribution of the smoothed conditional accuracies."""
        scale = ScoreTransform.learn(pilot.thinned().scores).floored(pilot.scores)
        return KernelDensity().fit(Pilot(scale(pilot.scores), pilot.columns, pilot.weights), rng)
