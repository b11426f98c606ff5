"""Validated settings of a fit."""

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

__all__ = ["FitSettings"]

PROPOSALS = ("adaptive", "diagonal")
# The parameters that determine the prior, given the scores.
MAKING = (
    *("negative", "positive", "score_scale", "prevalence_prior", "experts", "score_kind"),
    *("method", "proposal", "greater_is_positive"),
)


@dataclass(frozen=True, eq=False)
class FitSettings:
    """The validated parameters of a `SemisupervisedScoreMixture`."""

    pairs: list[tuple[Family, Family]]
    experts: list[Expert] | None  # None for the papers' mixture
    prevalence_prior: BetaPrior | None  # None for "auto"
    score_scale: object
    score_kind: str
    method: str
    proposal: str
    combine: str
    n_draws: int
    n_jobs: int | None
    verbose: int
    making: tuple  # values of the parameters that determine the prior

    @classmethod
    def of(cls, parameters) -> FitSettings:
        """Validate the parameters of a `SemisupervisedScoreMixture`."""
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
                "method='em' maximizes the likelihood and ignores prevalence_prior; got "
                f"{parameters.prevalence_prior!r}. Leave it 'auto', or use method='importance'."
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
        """Raise if `inclusion_proba` cannot be used, or that of earlier labels is missing.

        `inclusion_proba` is as in `fit`; `before` is that of earlier labels. It requires experts.
        """
        if inclusion_proba is not None and self.experts is None:
            raise ValueError(
                "inclusion_proba enters the likelihood of labels given their scores, but the "
                "bare mixture (experts=None) uses the joint likelihood of scores and labels. "
                "Leave experts and method at their defaults, or leave inclusion_proba out."
            )
        if inclusion_proba is None and before.is_given:
            raise ValueError(
                "The earlier labels were drawn with known inclusion probabilities, and now "
                "inclusion_proba is missing. Pass that of all known labels; if inclusion "
                "depends on the scores alone, call fit."
            )

    def seeing(self, X, labels, classes) -> FitSettings:
        """Return the settings for scores as passed: two columns of probabilities, or log-odds."""
        kind = score_kind_of_pair(X, labels, classes) if self.score_kind == "auto" else None
        return self if kind is None else replace(self, score_kind=kind)

    @property
    def takes_all_experts(self) -> bool:
        """Whether experts are those of "auto", none named by the user."""
        given = self.making[MAKING.index("experts")]
        return isinstance(given, str) and given == "auto"

    def makes_the_same(self, other: FitSettings) -> bool:
        """Return whether two settings build the same prior."""
        return all(map(is_, self.making, other.making))

    def prior(self, sample: ScoreSample, seed: int) -> CurvePrior | BareMixture:
        """Build the prior from the scores."""
        scale = learn_scale(sample, self.score_scale)
        # Information on the prevalence weights the curves of all experts, once.
        mixtures = [mixture_for(n, p, scale, BetaPrior()) for n, p in self.pairs]
        if self.experts is None:
            if sample.n_cells < 2:
                raise ValueError(
                    f"All scores are {sample.scores[0]:.6g}, but families (experts=None) are "
                    "fitted to the distribution of scores: leave experts and method at their "
                    "defaults."
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
    """Return the experts, or None for the papers' mixture, the only one with method="em"."""
    given, method = parameters.experts, parameters.method
    if given is None or (method == "em" and isinstance(given, str) and given == "auto"):
        return None
    if method == "em":
        raise ValueError(
            "method='em' maximizes the likelihood of the bare mixture, which has no experts; "
            f"got experts={given!r}. Leave experts out, or use method='importance'."
        )
    return as_experts(given)
