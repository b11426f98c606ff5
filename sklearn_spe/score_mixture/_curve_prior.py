"""Prior curves of all experts, and the distribution of the scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from .._parameter import BetaPrior
from ..engine._components import CurveComponents
from ..engine._curve_posterior import CurvePosterior
from ..engine._label_update import update_scores
from ..engine._random_effects import RandomEffects
from ..experts._ensemble import CurveEnsemble
from ..experts._expert import Expert
from ..fitting._comparison import (
    Comparison,
    by_label_evidence,
    by_score_evidence,
    compare,
    fit_all,
    with_labels,
)
from ..fitting._fit import COARSE_CELLS, sketch_mixture
from ..fitting._mixture_posterior import MixturePosterior
from ..inference._draws import Draws
from ..inputs._random_state import spawn
from ..inputs._score_direction import ScoreDirection
from ..mixtures._two_class import TwoClassMixture
from ..results._verdict import Verdict
from ..sample._cells import ScoreCells
from ..sample._prevalence_prior import prevalence_prior_given
from ..sample._sample import ScoreSample
from ..sample._scale import ScoreScale
from ..sample._score_kind import ScoreKind
from ._fit_verdict import verdict_on_curves

__all__ = ["CurvePrior"]

# Spawn keys of the random streams of the update, the prior curves, the update without labels and
# the components; further keys belong to fits, label draws, the bootstrap and the verdict.
UPDATE, CURVES, BEFORE, COMPONENTS = 2, 5, 6, 7
# Number of draws of each pair of families, given the scores alone.
SKETCH_DRAWS = 256
# Number of draws from the prior.
N_BEFORE = 500


@dataclass(frozen=True, eq=False)
class CurvePrior:
    """Prior built from the scores alone; `posterior` updates it by labels.

    It is built once, and updated by any labels of the same scores.

    Attributes
    ----------
    ensemble : CurveEnsemble
    mixtures : list of TwoClassMixture
        The pairs of families.
    fits : list of tuple of Draws and float
        Fit of each pair to the scores alone.
    comparison : Comparison
        Comparison of these fits.
    distribution : MixturePosterior
        Distribution of the scores, averaged over the pairs.
    scale : ScoreScale
    entropy : int
        Seed of the random numbers.
    prevalence_prior : BetaPrior or None
        As in `prevalence_prior_given`.
    """

    ensemble: CurveEnsemble
    mixtures: list[TwoClassMixture]
    fits: list[tuple[Draws, float]]
    comparison: Comparison
    distribution: MixturePosterior
    scale: ScoreScale
    entropy: int
    prevalence_prior: BetaPrior | None = None

    @property
    def kind_name(self) -> str:
        """Name of the score kind."""
        return self.ensemble.cells.kind.name

    @classmethod
    def of_scores(
        cls,
        sample: ScoreSample,
        experts: list[Expert],
        mixtures: list[TwoClassMixture],
        scale: ScoreScale,
        kind: ScoreKind,
        prevalence_prior: BetaPrior | None,
        entropy: int,
        n_jobs=None,
    ) -> CurvePrior:
        """Fit the mixtures to the scores, and build the prior curves of every expert."""
        scores = sample.without_labels()
        model_scores = scale.apply(scores).grouped(COARSE_CELLS)
        fits = fit_all(
            mixtures,
            model_scores,
            n_draws=SKETCH_DRAWS,
            entropy=entropy,
            fit=sketch_mixture,
            n_jobs=n_jobs,
        )
        comparison, distribution = compare(
            mixtures, fits, scale, scores, model_scores, rule=by_score_evidence, entropy=entropy
        )
        # Labels, not thousands of scores, should decide between pairs that both fit.
        n_items = scores.counts.sum()
        weights = by_label_evidence(vars(comparison), n_items)
        draws = tuple(draws for draws, _ in fits)
        pairs = replace(
            distribution, mixtures=tuple(mixtures), draws=draws, mixture_weights=weights
        )
        distances = comparison.ks * np.sqrt(n_items)
        experts = [expert.informed(pairs, distances) for expert in experts]
        cells = ScoreCells.of(scores, kind)
        ensemble = CurveEnsemble.of(cells, experts, spawn(entropy, CURVES))
        return cls(
            ensemble, mixtures, fits, comparison, distribution, scale, entropy, prevalence_prior
        )

    @cached_property
    def components(self) -> CurveComponents:
        """The prior components that labels reweight."""
        (ensemble,), rng = (self.ensemble,), spawn(self.entropy, COMPONENTS)
        return CurveComponents.drawn((ensemble,), (1.0,), ensemble.names, RandomEffects(), rng)

    @cached_property
    def average_precision(self) -> tuple[float, float]:
        """The 90% prior interval of average precision."""
        before = self._update(self.distribution.sample.without_labels(), N_BEFORE, BEFORE)
        values = self.ensemble.cells.average_precision(special.expit(before.log_odds))
        low, high = np.quantile(values, [0.05, 0.95])
        return float(low), float(high)

    def posterior(
        self, sample: ScoreSample, *, rule, n_draws: int
    ) -> tuple[Comparison, CurvePosterior]:
        """Update the curves by the labels of a sample of the same scores.

        `rule` weights the pairs of families in the comparison.
        """
        comparison = with_labels(
            self.comparison, self.mixtures, self.fits, self.scale, sample, rule=rule
        )
        updated = self._update(sample, n_draws, UPDATE)
        # Keep one copy of the sample, the labeled one.
        distribution = replace(self.distribution, sample=sample)
        posterior = CurvePosterior(sample, self.ensemble.cells, updated, distribution, self.entropy)
        return comparison, posterior

    def verdict(
        self, comparison: Comparison, posterior: CurvePosterior, score_direction: ScoreDirection
    ) -> Verdict:
        """Return the verdict on such a posterior, worded for the user's score direction."""
        return verdict_on_curves(posterior, self.average_precision, score_direction)

    def _update(self, sample: ScoreSample, n_draws: int, place: int):
        prior = prevalence_prior_given(self.prevalence_prior, sample)
        return update_scores(self.components, sample, prior, n_draws, spawn(self.entropy, place))
