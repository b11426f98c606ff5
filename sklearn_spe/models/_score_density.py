"""The distribution of one column of scores: pairs of families fitted to the scores alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..data._cells import whole_of
from ..data._sample import ScoreSample
from ..data._scale import ScoreScale, learn_scale
from ..experts._expert import Expert
from ..experts._score_experts import FAILS, SharpMixture
from ..families._family import BetaPrior
from ..inference._draws import Draws
from ..inference._modes import Modes
from ..inputs._arrays import FrozenArrays
from ..inputs._validation import spawn
from ..mixtures._comparison import (
    COMBINE,
    Comparison,
    by_label_evidence,
    by_score_evidence,
    compare,
    kolmogorov_smirnov,
    with_labels,
)
from ..mixtures._fit import COARSE_CELLS, mixture_for, sketch_mixture, sketch_modes
from ..mixtures._mixture_posterior import MixturePosterior
from ..mixtures._two_class import TwoClassMixture
from ._fit_settings import FitSettings

# Number of draws of each pair of families, given the scores alone.
SKETCH_DRAWS = 256
# A pair is far from the scores if its best mode is (Kolmogorov-Smirnov distance, times the root of
# the number of scores). The draws of 240 pairs came nearer than their modes by 0.13 at most where
# the distance was below 2, by a fifth of it beyond.
FAR = 1.5 * FAILS


@dataclass(frozen=True, eq=False)
class ScoreFits:
    """Fits of several pairs of families to scores alone."""

    fits: list[tuple[Draws, float]]  # draws and log likelihood of each pair
    comparison: Comparison
    average: MixturePosterior


@dataclass
class _Computed:
    """Cache of the computations on the scores of a `ScoreDensity`."""

    modes: list[Modes] | None = None  # of each pair
    fits: ScoreFits | None = None


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
        unit = whole_of(sample, settings.score_kind)
        density = cls(settings, learn_scale(sample, settings.score_scale, unit), entropy)
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
        if self._computed.fits is None:
            self._computed.fits = self._fit(sample.without_labels())
        return self._computed.fits

    def _modes(self, cells: ScoreSample) -> list[Modes]:
        """Return the modes of all pairs, given the scores in a few cells; they are found once."""
        if self._computed.modes is None:
            self._computed.modes = [sketch_modes(mixture, cells) for mixture in self.mixtures]
        return self._computed.modes

    @cached_property
    def _computed(self) -> _Computed:
        """Cache of the computations on the scores; not pickled."""
        return _Computed()

    def _cells(self, scores: ScoreSample) -> ScoreSample:
        return self.scale.apply(scores).grouped(COARSE_CELLS)

    def _far_distances(self, sample: ScoreSample) -> np.ndarray | None:
        """Return the distances of the best modes from the scores; None unless all are far."""
        cells = self._cells(sample.without_labels())
        root = np.sqrt(sample.counts.sum())
        distances = []
        with np.errstate(under="ignore"):
            for mixture, modes in zip(self.mixtures, self._modes(cells), strict=True):
                distance = root * kolmogorov_smirnov(mixture, modes.best, self.scale, cells)
                if distance <= FAR:
                    return None
                distances.append(distance)
        return np.array(distances)

    def _fit(self, scores: ScoreSample) -> ScoreFits:
        cells = self._cells(scores)
        # Densities underflow to zero in the tails, even if the user turned that into an error.
        with np.errstate(under="ignore"):
            pairs = zip(self.mixtures, self._modes(cells), strict=True)
            fits = [
                sketch_mixture(mixture, cells, modes, SKETCH_DRAWS, spawn(self.entropy, 0, k))
                for k, (mixture, modes) in enumerate(pairs)
            ]

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
        """Return experts, with the fits of families for the experts that use them."""
        waiting = [expert for expert in experts if expert.needs_fit]
        if not waiting:
            return experts

        if self._computed.fits is None and all(isinstance(e, SharpMixture) for e in waiting):
            # Draws around modes that are far from the scores would open no gate.
            distances = self._far_distances(sample)
            if distances is not None:
                return [expert.informed(None, distances) for expert in experts]

        # Labels, not thousands of scores, should decide between pairs that both fit.
        fitted = self._fitted(sample)
        n_items = sample.counts.sum()
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
        fitted = self._fitted(labeled)
        rule = COMBINE[self.settings.combine]
        with np.errstate(under="ignore"):
            return with_labels(
                fitted.comparison, self.mixtures, fitted.fits, self.scale, labeled, rule=rule
            )
