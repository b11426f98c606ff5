"""The papers' mixture: one joint likelihood of scores and labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from .._parameter import BetaPrior
from ..fitting._comparison import Comparison, compare, fit_all
from ..fitting._fit import fit_mixture, maximize_likelihood
from ..fitting._mixture_posterior import MixturePosterior
from ..inputs._score_direction import ScoreDirection
from ..mixtures._two_class import TwoClassMixture
from ..results._verdict import Verdict
from ..sample._prevalence_prior import prevalence_prior_given
from ..sample._sample import ScoreSample
from ..sample._scale import ScoreScale
from ._fit_verdict import verdict_on_mixture

__all__ = ["METHODS", "BareMixture"]

# Approximate maximum number of score cells in the likelihood; neighbors are merged.
FINEST_CELLS = 4096
# Fit methods: functions from a `BareMixture` to the callable for `fit_all`.
METHODS = {
    "importance": lambda bare: partial(fit_mixture, proposal=bare.proposal),
    "em": lambda bare: maximize_likelihood,
}


@dataclass(frozen=True, eq=False)
class BareMixture:
    """Pairs of families, each fitted jointly to all scores and labels.

    Attributes
    ----------
    mixtures : list of TwoClassMixture
        The pairs of families.
    scale : ScoreScale
    entropy : int
        Seed of the random numbers.
    prevalence_prior : BetaPrior or None
        As in `prevalence_prior_given`.
    method : {"importance", "em"}, default="importance"
    proposal : {"adaptive", "diagonal"}, default="adaptive"
        As in `fit_mixture`.
    n_jobs : int, default=None
        Workers over pairs and starts.
    """

    mixtures: list[TwoClassMixture]
    scale: ScoreScale
    entropy: int
    prevalence_prior: BetaPrior | None = None
    method: str = "importance"
    proposal: str = "adaptive"
    n_jobs: int | None = None
    kind_name: ClassVar[None] = None

    def posterior(
        self, sample: ScoreSample, *, rule, n_draws: int
    ) -> tuple[Comparison, MixturePosterior]:
        """Fit every pair to a sample, and combine the fits by a rule."""
        model_sample = self.scale.apply(sample).grouped(FINEST_CELLS)
        # Maximum likelihood has no prior.
        prevalence = (
            BetaPrior()
            if self.method == "em"
            else prevalence_prior_given(self.prevalence_prior, sample)
        )
        mixtures = [replace(m, prevalence_prior=prevalence) for m in self.mixtures]
        fits = fit_all(
            mixtures,
            model_sample,
            n_draws=n_draws,
            entropy=self.entropy,
            fit=METHODS[self.method](self),
            n_jobs=self.n_jobs,
        )
        return compare(
            mixtures, fits, self.scale, sample, model_sample, rule=rule, entropy=self.entropy
        )

    def verdict(
        self, comparison: Comparison, posterior: MixturePosterior, score_direction: ScoreDirection
    ) -> Verdict:
        """Return the verdict on such a posterior, worded for the user's score direction."""
        return verdict_on_mixture(posterior, comparison, score_direction)
