"""What scores alone make of a fit: banks of curves, and the law of the scores."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ._cells import ScoreCells
from ._parameter import BetaPrior
from ._random import spawn
from ._sample import ScoreSample
from ._scale import ScoreScale
from ._score_kind import ScoreKind
from .comparison import (
    Comparison,
    by_label_evidence,
    by_score_evidence,
    compare,
    fit_all,
    with_labels,
)
from .curve_posterior import CurvePosterior
from .experts import CurveBanks, Expert, SharpMixture
from .inference import Draws
from .label_update import judge
from .mixtures import TwoClassMixture
from .posterior import COARSE_CELLS, MixturePosterior, sketch_mixture
from .verdict import Verdict, verdict_on_curves

__all__ = ["CurvePrior"]

# Draws of each pair of families from the scores alone.
SKETCH_DRAWS = 256


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
    """

    banks: CurveBanks
    mixtures: list[TwoClassMixture]
    fits: list[tuple[Draws, float]]
    comparison: Comparison
    law: MixturePosterior
    scale: ScoreScale
    entropy: int

    @classmethod
    def of_scores(
        cls,
        sample: ScoreSample,
        experts: list[Expert],
        mixtures: list[TwoClassMixture],
        scale: ScoreScale,
        kind: ScoreKind,
        prevalence_prior: BetaPrior,
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
        experts = [_completed(expert, mixtures, fits, comparison, law) for expert in experts]
        cells = ScoreCells.of(scores, kind)
        banks = CurveBanks.of(cells, experts, spawn(entropy, 1), prevalence_prior)
        return cls(banks, mixtures, fits, comparison, law, scale, entropy)

    def posterior(
        self, sample: ScoreSample, *, rule, n_draws: int
    ) -> tuple[Comparison, CurvePosterior, Verdict]:
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
        judged = judge(self.banks, sample, n_draws, spawn(self.entropy, 2))
        # The sample is held once, labels and all.
        law = replace(self.law, sample=sample)
        posterior = CurvePosterior(sample, self.banks.cells, judged, law, self.entropy)
        return comparison, posterior, verdict_on_curves(posterior, self.banks)


def _completed(expert, mixtures, fits, comparison, law) -> Expert:
    """Give the sharp mixture its fits; other experts need nothing but the cells."""
    if not isinstance(expert, SharpMixture) or expert.posterior is not None:
        return expert
    n_items = law.sample.counts.sum()
    # Labels, not the thousands of scores, shall decide between pairs that both fit.
    weights = by_label_evidence(vars(comparison), n_items)
    posterior = replace(
        law,
        mixtures=tuple(mixtures),
        draws=tuple(draws for draws, _ in fits),
        mixture_weights=weights,
    )
    return replace(expert, posterior=posterior, distances=comparison.ks * np.sqrt(n_items))
