"""What scores alone make of a fit: banks of curves, and the law of the scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from .._parameter import BetaPrior
from ..experts._banks import CurveBanks
from ..experts._curve_posterior import CurvePosterior
from ..experts._expert import Expert
from ..experts._first_slacks import FirstSlacks
from ..experts._label_update import judge, slacks_before
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
from ..inputs._orientation import Orientation
from ..inputs._random_state import spawn
from ..mixtures._two_class import TwoClassMixture
from ..results._verdict import Verdict
from ..sample._cells import ScoreCells
from ..sample._prevalence_prior import expected_rarity, prevalence_prior_given
from ..sample._sample import ScoreSample
from ..sample._scale import ScoreScale
from ..sample._score_kind import ScoreKind
from ._fit_verdict import verdict_on_curves

__all__ = ["CurvePrior"]

# The places of the banks, and of the curves before any label, in the tree of seeds; 0 to 4 are
# taken by fits, labels that are drawn, moves, the bootstrap and the verdict.
BANKS, BEFORE = 5, 6
# Draws of each pair of families from the scores alone.
SKETCH_DRAWS = 256
# Curves that say what was believed before any label.
N_BEFORE = 500


@dataclass(frozen=True, eq=False)
class CurvePrior:
    """Everything that is made of the scores before a label is looked at.

    Made once; labels, and more labels, come later (`posterior`).

    Attributes
    ----------
    banks : CurveBanks
    mixtures : list of TwoClassMixture
        The pairs of families.
    fits : list of tuple of Draws and float
        Of each, to the scores alone.
    comparison : Comparison
        Of these fits.
    law : MixturePosterior
        Of the scores, averaged over the pairs.
    scale : ScoreScale
    entropy : int
        The seed of all that follows.
    prevalence_prior : BetaPrior or None
        As `prevalence_prior_given` takes it.
    """

    banks: CurveBanks
    mixtures: list[TwoClassMixture]
    fits: list[tuple[Draws, float]]
    comparison: Comparison
    law: MixturePosterior
    scale: ScoreScale
    entropy: int
    prevalence_prior: BetaPrior | None = None

    @property
    def kind_name(self) -> str:
        """What the scores are taken for."""
        return self.banks.cells.kind.name

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
        """Fit the mixtures to the scores, and ask every expert for its bank."""
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
        comparison, law = compare(
            mixtures, fits, scale, scores, model_scores, rule=by_score_evidence, entropy=entropy
        )
        # Labels, not the thousands of scores, shall decide between pairs that both fit.
        n_items = scores.counts.sum()
        weights = by_label_evidence(vars(comparison), n_items)
        draws = tuple(draws for draws, _ in fits)
        pairs = replace(law, mixtures=tuple(mixtures), draws=draws, mixture_weights=weights)
        distances = comparison.ks * np.sqrt(n_items)
        experts = [expert.informed(pairs, distances) for expert in experts]
        cells = ScoreCells.of(scores, kind)
        banks = CurveBanks.of(cells, experts, spawn(entropy, BANKS))
        return cls(banks, mixtures, fits, comparison, law, scale, entropy, prevalence_prior)

    @cached_property
    def average_precision(self) -> tuple[float, float]:
        """The 90% interval of average precision before any label."""
        scores = self.law.sample.without_labels()
        before = judge(self._banks(scores), scores, N_BEFORE, spawn(self.entropy, BEFORE))
        values = self.banks.cells.average_precision(special.expit(before.log_odds))
        low, high = np.quantile(values, [0.05, 0.95])
        return float(low), float(high)

    @cached_property
    def _first_slacks(self) -> dict[tuple[str, ...], FirstSlacks]:
        """What was drawn before any label, by the experts that took part."""
        return {}

    def posterior(
        self, sample: ScoreSample, *, rule, n_draws: int
    ) -> tuple[Comparison, CurvePosterior]:
        """Let the labels of a sample judge.

        Parameters
        ----------
        sample : ScoreSample
            The same scores, with labels.
        rule : callable
            How the pairs of families are weighted in the comparison.
        n_draws : int
        """
        comparison = with_labels(
            self.comparison, self.mixtures, self.fits, self.scale, sample, rule=rule
        )
        banks, rng = self._banks(sample), spawn(self.entropy, 2)
        # The same generator for all labels; experts may be left out where positives are rare.
        if (first := self._first_slacks.get(banks.names)) is None:
            first = self._first_slacks[banks.names] = slacks_before(banks, rng)
        judged = judge(banks, sample, n_draws, rng, first)
        # The sample is held once, labels and all.
        law = replace(self.law, sample=sample)
        posterior = CurvePosterior(sample, self.banks.cells, judged, law, self.entropy)
        return comparison, posterior

    def verdict(
        self, comparison: Comparison, posterior: CurvePosterior, orientation: Orientation
    ) -> Verdict:
        """Return whether such a posterior can be believed, in words for the user's scale."""
        return verdict_on_curves(posterior, self.average_precision, orientation)

    def _banks(self, sample: ScoreSample) -> CurveBanks:
        """Return the banks, with what is believed of the prevalence."""
        prior = prevalence_prior_given(self.prevalence_prior, sample)
        return self.banks.believing(prior, expected_rarity(sample))
