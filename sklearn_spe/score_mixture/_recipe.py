"""How a model is made of scores and labels: parameters that are checked."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from operator import is_

import numpy as np

from .._parameter import BetaPrior
from ..experts._expert import Expert
from ..experts._registry import as_experts
from ..families._family import Family
from ..families._registry import as_families
from ..fitting._comparison import COMBINE
from ..fitting._fit import mixture_for
from ..inputs._numbers import check_choice, check_count, check_jobs
from ..inputs._pairs import score_kind_of_pair
from ..sample._inclusion import AT_RANDOM, Inclusion
from ..sample._prevalence_prior import check_prevalence_prior, is_auto
from ..sample._sample import ScoreSample
from ..sample._scale import learn_scale
from ..sample._score_kind import KINDS, learn_score_kind
from ._bare_mixture import METHODS, BareMixture
from ._curve_prior import CurvePrior

__all__ = ["Recipe"]

PROPOSALS = ("adaptive", "diagonal")
# The parameters that say what is made of the scores.
MAKING = (
    *("negative", "positive", "score_scale", "prevalence_prior", "experts", "score_kind"),
    *("method", "proposal", "greater_is_positive"),
)


@dataclass(frozen=True, eq=False)
class Recipe:
    """The checked parameters of a `SemisupervisedScoreMixture`.

    Attributes
    ----------
    pairs : list of pairs of Family
    experts : list of Expert or None
        None for the bare mixture.
    prevalence_prior : BetaPrior or None
        None for "auto".
    score_scale, score_kind, method, proposal, combine, n_draws, n_jobs, verbose
        As the estimator has them.
    making : tuple
        What the estimator was given of all that says what is made of the scores.
    """

    pairs: list[tuple[Family, Family]]
    experts: list[Expert] | None
    prevalence_prior: BetaPrior | None
    score_scale: object
    score_kind: str
    method: str
    proposal: str
    combine: str
    n_draws: int
    n_jobs: int | None
    verbose: int
    making: tuple

    @classmethod
    def of(cls, parameters) -> Recipe:
        """Check the parameters of a `SemisupervisedScoreMixture`."""
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
        negative, positive = as_families(parameters.negative), as_families(parameters.positive)
        experts = _experts(parameters)
        return cls(
            list(itertools.product(negative, positive)),
            experts,
            check_prevalence_prior(parameters.prevalence_prior),
            score_scale=parameters.score_scale,
            score_kind=parameters.score_kind,
            method=parameters.method,
            proposal=parameters.proposal,
            combine=parameters.combine,
            n_draws=parameters.n_draws,
            n_jobs=parameters.n_jobs,
            verbose=parameters.verbose,
            making=tuple(getattr(parameters, name) for name in MAKING),
        )

    def check_inclusion(self, inclusion_proba, before: Inclusion = AT_RANDOM) -> None:
        """Raise unless something can be made of how labels were drawn.

        Parameters
        ----------
        inclusion_proba : None, dict or array-like
            As `fit` takes it.
        before : Inclusion
            What was known of earlier labels.

        Raises
        ------
        ValueError
            If there are no experts that labels judge, or what was known is not said again.
        """
        if inclusion_proba is not None and self.experts is None:
            raise ValueError(
                "inclusion_proba enters the likelihood of labels given their scores, and the bare "
                "mixture (experts=None) has the joint one of scores and labels. Leave experts "
                "and method as they are by default, or inclusion_proba out."
            )
        if inclusion_proba is None and before.is_given:
            raise ValueError(
                "The labels before were drawn with the chances of inclusion_proba, and now it is "
                "missing. Pass what holds for all labels that are known by now; if their chances "
                "depend on the scores alone after all, call fit."
            )

    def seeing(self, X, labels, classes) -> Recipe:
        """Return the recipe for scores as they came: two columns are probabilities, or logits."""
        kind = score_kind_of_pair(X, labels, classes) if self.score_kind == "auto" else None
        return self if kind is None else replace(self, score_kind=kind)

    @property
    def takes_all_experts(self) -> bool:
        """Whether experts are those that "auto" stands for, and nobody named one."""
        given = self.making[MAKING.index("experts")]
        return isinstance(given, str) and given == "auto"

    def makes_the_same(self, other: Recipe) -> bool:
        """Return whether two recipes make the same of scores."""
        return all(map(is_, self.making, other.making))

    def prior(self, sample: ScoreSample, seed: int) -> CurvePrior | BareMixture:
        """Make of the scores what needs no label."""
        scale = learn_scale(sample, self.score_scale)
        # What is known of the prevalence weighs the curves of all experts, once.
        mixtures = [mixture_for(n, p, scale, BetaPrior()) for n, p in self.pairs]
        if self.experts is None:
            if sample.n_cells < 2:
                raise ValueError(
                    f"All scores are {sample.scores[0]:.6g}, and families (experts=None) are "
                    f"fitted to the distribution of scores: leave experts and method as they are "
                    f"by default."
                )
            return BareMixture(
                mixtures,
                scale,
                seed,
                self.prevalence_prior,
                method=self.method,
                proposal=self.proposal,
                n_jobs=self.n_jobs,
            )
        kind = learn_score_kind(sample, self.score_kind)
        with np.errstate(under="ignore"):
            return CurvePrior.of_scores(
                sample,
                self.experts,
                mixtures,
                scale,
                kind,
                self.prevalence_prior,
                seed,
                self.n_jobs,
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
