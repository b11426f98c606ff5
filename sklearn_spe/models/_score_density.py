"""The distribution of one column of scores: pairs of families fitted to the scores alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..data._sample import ScoreSample
from ..data._scale import ScoreScale, learn_scale
from ..experts._expert import Expert
from ..families._family import BetaPrior
from ..inference._draws import Draws
from ..inputs._arrays import FrozenArrays
from ..mixtures._comparison import (
    COMBINE,
    Comparison,
    by_label_evidence,
    by_score_evidence,
    compare,
    fit_all,
    with_labels,
)
from ..mixtures._fit import COARSE_CELLS, mixture_for, sketch_mixture
from ..mixtures._mixture_posterior import MixturePosterior
from ..mixtures._two_class import TwoClassMixture
from ._fit_settings import FitSettings

# Number of draws of each pair of families, given the scores alone.
SKETCH_DRAWS = 256


@dataclass(frozen=True, eq=False)
class ScoreDensity(FrozenArrays):
    """Pairs of families, fitted to scores without their labels when they are asked for."""

    settings: FitSettings
    sample: ScoreSample  # without labels
    scale: ScoreScale  # from the user's scores to the model scale
    entropy: int  # seed of the random numbers

    @classmethod
    def of(cls, settings: FitSettings, sample: ScoreSample, entropy: int) -> ScoreDensity:
        """Return the distribution of a sample's scores, on the scale of the settings."""
        scale = learn_scale(sample, settings.score_scale)
        return cls(settings, sample.without_labels(), scale, entropy)

    @cached_property
    def mixtures(self) -> list[TwoClassMixture]:
        """The pairs of families."""
        # Information on the prevalence weights the curves of all experts, once.
        pairs = self.settings.pairs
        return [mixture_for(n, p, self.scale, BetaPrior()) for n, p in pairs]

    @cached_property
    def _fitted(
        self,
    ) -> tuple[list[tuple[Draws, float]], Comparison, MixturePosterior]:
        """The fits of all pairs, their comparison and their average."""
        cells = self.scale.apply(self.sample).grouped(COARSE_CELLS)
        # Densities underflow to zero in the tails, even if the user turned that into an error.
        with np.errstate(under="ignore"):
            fits = fit_all(
                self.mixtures,
                cells,
                fit=sketch_mixture,
                n_draws=SKETCH_DRAWS,
                entropy=self.entropy,
                n_jobs=self.settings.n_jobs,
            )
            comparison, average = compare(
                self.mixtures,
                fits,
                self.scale,
                self.sample,
                cells,
                rule=by_score_evidence,
                entropy=self.entropy,
            )
        return fits, comparison, average

    @property
    def distribution(self) -> MixturePosterior:
        """The distribution of the scores, averaged over the pairs."""
        return self._fitted[2]

    def informed(self, experts: list[Expert]) -> list[Expert]:
        """Return experts, with the fits for those that are made of them."""
        if not any(expert.needs_fit for expert in experts):
            return experts

        # Labels, not thousands of scores, should decide between pairs that both fit.
        fits, comparison, average = self._fitted
        n_items = self.sample.counts.sum()
        pairs = replace(
            average,
            mixtures=tuple(self.mixtures),
            draws=tuple(draws for draws, _ in fits),
            mixture_weights=by_label_evidence(vars(comparison), n_items),
        )
        distances = comparison.ks * np.sqrt(n_items)
        return [expert.informed(pairs, distances) for expert in experts]

    def comparison(self, labeled: ScoreSample) -> Comparison:
        """Return the comparison of the pairs by the scores and the labels of a sample."""
        fits, comparison, _ = self._fitted
        rule = COMBINE[self.settings.combine]
        with np.errstate(under="ignore"):
            return with_labels(comparison, self.mixtures, fits, self.scale, labeled, rule=rule)
