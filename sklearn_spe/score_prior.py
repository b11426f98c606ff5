"""What is made of the scores before any label is seen: priors over curves, or a bare mixture."""

from __future__ import annotations

from ._parameter import BetaPrior
from ._sample import ScoreSample
from ._scale import learn_scale
from ._score_kind import learn_score_kind
from .bare_mixture import BareMixture
from .curve_prior import CurvePrior
from .posterior import mixture_for

__all__ = ["prior_of_scores"]


def prior_of_scores(
    sample: ScoreSample,
    pairs,
    experts,
    prevalence: BetaPrior,
    score_scale,
    score_kind,
    seed: int,
    *,
    proposal,
    made_of,
    n_jobs=None,
) -> CurvePrior | BareMixture:
    """Make of the scores what needs no label.

    Parameters
    ----------
    sample : ScoreSample
    pairs : list of pairs of Family
    experts : sequence of Expert or None
        None makes a bare mixture.
    prevalence : BetaPrior
    score_scale, score_kind, proposal, n_jobs
        As `SemisupervisedScoreMixture` takes them.
    seed : int
    made_of : tuple
        Kept, to tell whether it has to be made again.
    """
    scale = learn_scale(sample, score_scale)
    if experts is None:
        mixtures = [mixture_for(*pair, scale, prevalence) for pair in pairs]
        return BareMixture(mixtures, scale, seed, made_of, proposal, n_jobs)
    kind = learn_score_kind(sample, score_kind)
    # What is known of the prevalence weighs the curves of all experts, once.
    mixtures = [mixture_for(*pair, scale, BetaPrior()) for pair in pairs]
    return CurvePrior.of_scores(
        sample, experts, mixtures, scale, kind, prevalence, seed, made_of, n_jobs
    )
