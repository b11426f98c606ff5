"""The distribution of one column of scores: pairs of families fitted to the scores alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..data._cells import whole_of
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
class ScoreFits:
    """Fits of several pairs of families to scores alone."""

    fits: list[tuple[Draws, float]]  # draws and log likelihood of each pair
    comparison: Comparison
    average: MixturePosterior


@dataclass(frozen=True, eq=False)
class ScoreDensity(FrozenArrays):
    """Pairs of families, fitted to scores without their labels when they are asked for.

    It is of one column of scores, which every call passes: these are the same scores, whichever of
    them are labeled.
    """

    settings: FitSettings
    scale: ScoreScale  # from the user's scores to the model scale
    entropy: int  # seed of the random numbers

    @classmethod
    def of(cls, settings: FitSettings, sample: ScoreSample, entropy: int) -> ScoreDensity:
        """Return the distribution of a sample's scores, on the scale of the settings."""
        whole = whole_of(sample, settings.score_kind)
        density = cls(settings, learn_scale(sample, settings.score_scale, whole), entropy)
        # Raises if a family cannot be on this scale.
        _ = density.mixtures
        return density

    @cached_property
    def mixtures(self) -> list[TwoClassMixture]:
        """The pairs of families."""
        # Information on the prevalence weights the curves of all experts, once.
        pairs = self.settings.pairs
        return [mixture_for(n, p, self.scale, BetaPrior()) for n, p in pairs]

    def _fitted(self, sample: ScoreSample) -> ScoreFits:
        """Return the fits of all pairs; they are computed once."""
        if "fits" not in self._cache:
            self._cache["fits"] = self._fit(sample.without_labels())
        return self._cache["fits"]

    @cached_property
    def _cache(self) -> dict[str, ScoreFits]:
        """The fits, once they are computed; in no pickle."""
        return {}

    def _fit(self, scores: ScoreSample) -> ScoreFits:
        cells = self.scale.apply(scores).grouped(COARSE_CELLS)
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
                scores,
                cells,
                rule=by_score_evidence,
                entropy=self.entropy,
            )
        return ScoreFits(fits, comparison, average)

    def distribution(self, sample: ScoreSample) -> MixturePosterior:
        """Return the distribution of the scores of a sample, averaged over the pairs."""
        return replace(self._fitted(sample).average, sample=sample)

    def informed(self, experts: list[Expert], sample: ScoreSample) -> list[Expert]:
        """Return experts, with the fits for those that are made of them."""
        if not any(expert.needs_fit for expert in experts):
            return experts

        # Labels, not thousands of scores, should decide between pairs that both fit.
        fitted, n_items = self._fitted(sample), sample.counts.sum()
        pairs = replace(
            fitted.average,
            mixtures=tuple(self.mixtures),
            draws=tuple(draws for draws, _ in fitted.fits),
            mixture_weights=by_label_evidence(vars(fitted.comparison), n_items),
        )
        distances = fitted.comparison.tail
        return [expert.informed(pairs, distances) for expert in experts]

    def comparison(self, labeled: ScoreSample) -> Comparison:
        """Return the comparison of the pairs by the scores and the labels of a sample."""
        fitted, rule = self._fitted(labeled), COMBINE[self.settings.combine]
        with np.errstate(under="ignore"):
            return with_labels(
                fitted.comparison, self.mixtures, fitted.fits, self.scale, labeled, rule=rule
            )
