"""The mixture of the papers, all scores counted in full, as one expert among others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy import special

from ..fitting._mixture_posterior import MixturePosterior
from ..sample._cells import ScoreCells
from ._discrepancy import DiscrepancyScale, heavy_ties
from ._expert import Expert

# The gate: a Kolmogorov-Smirnov distance (times the root of the number of scores) up to the
# first is what true families reach; from the second on the families are wrong.
FITS, FAILS = 0.7, 1.05
# Of scores of which so large a share lies in heavy ties no fit of densities tells anything.
MAX_TIED = 0.5


@dataclass(frozen=True, eq=False)
class SharpMixture(Expert):
    """The parametric mixture fitted to all scores without their labels.

    Where its families are right nothing beats it; where they are wrong it is narrow and in the
    wrong place. It therefore takes part as far as it fits the distribution of all scores, and
    the labels then weight it as every expert. Scores of few values, of which densities tell
    nothing, leave it out. Its discrepancy is small: it represents the
    families as they are.

    Parameters
    ----------
    n_curves : int, default=250
    posterior : MixturePosterior
        Of the scores alone; `SemisupervisedScoreMixture` supplies it where it is None.
    distances : ndarray of shape (n_mixtures,), default=None
        The Kolmogorov-Smirnov distance of each mixture's score distribution, times the root of
        the number of scores. Up to 0.7 a mixture is let in as a whole, from 1.05 on not at all.
    weight : float, default=None
        See `Expert`.
    """

    name: ClassVar[str] = "sharp_mixture"
    weights: ClassVar[dict[str, float]] = {"default": 0.075, "votes": 0.02}
    discrepancy: ClassVar[DiscrepancyScale] = DiscrepancyScale(
        shift=0.15, stretch=0.08, roughness=0.25, small_lapse=0.04, large_lapse=0.04
    )
    needs_fit: ClassVar[bool] = True

    n_curves: int = 250
    posterior: MixturePosterior | None = None
    distances: np.ndarray | None = None

    def informed(self, posterior, distances) -> SharpMixture:
        """Return the expert with the pairs of families, unless it has some."""
        if self.posterior is not None:
            return self
        return replace(self, posterior=posterior, distances=distances)

    def prior_weight(self, cells: ScoreCells) -> float:
        """Return the weight of this expert before any label: that of the mixture that fits best."""
        tied = cells.shares[heavy_ties(cells)].sum()
        continuous = max(0.0, 1.0 - tied / MAX_TIED)
        fit = self._gates().max(initial=0.0)
        return float(continuous * fit) * super().prior_weight(cells)

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        """Draw curves of the mixtures that fit, of shape (n_curves, n_cells)."""
        if self.posterior is None:
            raise ValueError(
                "SharpMixture needs the posterior of a mixture; in "
                "SemisupervisedScoreMixture(experts=...) it gets that of the families there."
            )
        sizes = [len(draws) for draws in self.posterior.draws]
        weights = self.posterior.weights * np.repeat(self._gates(), sizes)
        chosen = np.sort(rng.choice(len(weights), size=self.n_curves, p=weights / weights.sum()))
        curves = np.concatenate(
            [
                special.logit(self.posterior.positive_probability(cells.scores, block))
                for block in self.posterior.blocks()
            ]
        )
        return curves[chosen]

    def _gates(self) -> np.ndarray:
        if self.distances is None:
            return np.ones(1 if self.posterior is None else len(self.posterior.mixtures))
        return np.clip((FAILS - np.asarray(self.distances)) / (FAILS - FITS), 0.0, 1.0)
