"""What is made of the scores before any label is seen: priors over curves, or a bare mixture."""

from __future__ import annotations

import itertools

import numpy as np

from .._parameter import BetaPrior
from ..experts._registry import as_experts
from ..families._registry import as_families
from ..fitting._comparison import COMBINE
from ..fitting._fit import mixture_for
from ..inputs._numbers import check_choice, check_count, check_jobs
from ..sample._prevalence_prior import check_prevalence_prior, is_auto
from ..sample._sample import ScoreSample
from ..sample._scale import learn_scale
from ..sample._score_kind import KINDS, learn_score_kind
from ._bare_mixture import METHODS, BareMixture
from ._curve_prior import CurvePrior

__all__ = ["check_parameters", "made_of", "prior_of_scores"]

PROPOSALS = ("adaptive", "diagonal")
# The parameters that say what is made of the scores.
MAKING = (
    *("negative", "positive", "score_scale", "prevalence_prior", "experts", "score_kind"),
    *("method", "proposal", "greater_is_positive"),
)


def check_parameters(parameters):
    """Check the parameters of a `SemisupervisedScoreMixture`.

    Parameters
    ----------
    parameters : SemisupervisedScoreMixture

    Returns
    -------
    pairs : list of pairs of Family
    experts : list of Expert or None
    prevalence : BetaPrior or None
        None for "auto".
    """
    check_count(parameters.n_draws, "n_draws")
    check_jobs(parameters.n_jobs)
    if not isinstance(parameters.verbose, bool):
        check_count(parameters.verbose, "verbose", 0)
    check_choice(parameters.combine, "combine", COMBINE)
    check_choice(parameters.method, "method", METHODS)
    check_choice(parameters.proposal, "proposal", PROPOSALS)
    check_choice(parameters.score_kind, "score_kind", ("auto", *KINDS))
    if parameters.method == "em" and not is_auto(parameters.prevalence_prior):
        raise ValueError(
            f"method='em' maximises the likelihood, in which prevalence_prior has no part; got "
            f"{parameters.prevalence_prior!r}. Leave it 'auto', or take method='importance'."
        )
    pairs = itertools.product(as_families(parameters.negative), as_families(parameters.positive))
    experts = _experts(parameters)
    return list(pairs), experts, check_prevalence_prior(parameters.prevalence_prior)


def made_of(parameters) -> tuple:
    """Return the parameters that say what is made of the scores, to tell whether they changed."""
    return tuple(getattr(parameters, name) for name in MAKING)


def prior_of_scores(parameters, X, sample: ScoreSample, seed: int) -> CurvePrior | BareMixture:
    """Make of the scores what needs no label.

    Parameters
    ----------
    parameters : SemisupervisedScoreMixture
    X : array-like
        The scores as they came: two columns are probabilities.
    sample : ScoreSample
    seed : int
    """
    pairs, experts, prevalence = check_parameters(parameters)
    scale, n_jobs = learn_scale(sample, parameters.score_scale), parameters.n_jobs
    if experts is None:
        mixtures = [mixture_for(n, p, scale, BetaPrior()) for n, p in pairs]
        how = {"method": parameters.method, "proposal": parameters.proposal}
        return BareMixture(
            mixtures, scale, seed, prevalence, made_of(parameters), **how, n_jobs=n_jobs
        )
    two = np.ndim(X) == 2 and np.shape(X)[1] == 2
    named = "probability" if two and parameters.score_kind == "auto" else parameters.score_kind
    kind = learn_score_kind(sample, named)
    # What is known of the prevalence weighs the curves of all experts, once.
    mixtures = [mixture_for(n, p, scale, BetaPrior()) for n, p in pairs]
    with np.errstate(under="ignore"):
        return CurvePrior.of_scores(
            sample, experts, mixtures, scale, kind, prevalence, seed, made_of(parameters), n_jobs
        )


def _experts(parameters):
    """Return the experts, or None for the bare mixture, which alone has a likelihood to climb."""
    given, method = parameters.experts, parameters.method
    if given is None or (method == "em" and isinstance(given, str) and given == "auto"):
        return None
    if method == "em":
        raise ValueError(
            f"method='em' maximises the likelihood of the bare mixture, which has no experts; got "
            f"experts={given!r}. Leave experts out, or take method='importance'."
        )
    return as_experts(given)
