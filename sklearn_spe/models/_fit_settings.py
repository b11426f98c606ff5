"""Settings of a fit, and the priors that they make: of mixtures, of curves, of the prevalence."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from operator import is_
from typing import Any

import numpy as np

from ..data._cells import KINDS
from ..data._inclusion import Inclusion
from ..data._item_data import ItemData, check_known_positives
from ..data._sample import ScoreSample
from ..engine._prevalence_information import LabeledTailPrior
from ..exceptions import ParameterError
from ..experts._expert import Expert
from ..experts._registry import as_experts
from ..families._family import BetaPrior, Family, as_prevalence_prior
from ..families._registry import as_families
from ..inputs._validation import check_choice, check_count, check_draws, check_jobs
from ..mixtures._comparison import (
    COMBINE,
)

AUTO = "auto"
# Labels of at least this concentration (`ScoreSample.labeled_tail`) are treated as from the tail
# alone, others as from there by that share of it; families take them for spread over all scores
# below a lowest one.
CONCENTRATION, CONCENTRATION_OF_FAMILIES = 0.9, 0.5
# For labels from the tail the prior has this power of the prevalence, nearly uniform in its log, up
# to about the share of items in the tail.
RARE = 0.1
METHODS, PROPOSALS = ("importance", "em"), ("adaptive", "diagonal")
# The parameters that determine the prior, given the scores.
MAKING = (
    *("negative", "positive", "score_scale", "prevalence_prior", "experts", "score_kind"),
    *("method", "proposal", "greater_is_positive"),
)


def check_prevalence_prior(prior: Any) -> BetaPrior | None:
    """Return the validated prior; None for "auto"."""
    return None if is_auto(prior) else as_prevalence_prior(prior)


def is_auto(given: Any) -> bool:
    """Return whether a parameter is "auto"."""
    return isinstance(given, str) and given == AUTO


def prevalence_prior_given(prior: BetaPrior | None, sample: ScoreSample) -> BetaPrior:
    """Return the prior of the prevalence of the bare mixture, given which items are labeled.

    It is that of `prior_of_labeled_tail` as a Beta density, which decreases exponentially above the
    share of the tail. Correct families do not need larger values.
    """
    if prior is not None:
        return prior
    tail = prior_of_labeled_tail(sample, CONCENTRATION_OF_FAMILIES)
    parameters = tail.exponent, tail.share**-tail.rarity
    return BetaPrior(*(parameters[::-1] if tail.of_negatives else parameters))


def prior_of_labeled_tail(sample: ScoreSample, lowest: float = 0.0) -> LabeledTailPrior:
    """Return the prior of the prevalence of curves, given which items are labeled.

    Labels spread over all scores are informative on the prevalence, and a uniform prior is
    harmless; so are labels at both of two values. If only the largest scores are labeled, positives
    are assumed to be rare, seldom much more frequent than the labeled tail; if only the smallest,
    negatives. Such labels carry no information on items elsewhere, and a uniform prior would imply
    many positives there. Where half of the labels are from the tail, the others bound the
    prevalence by one in as many, and below that the prior decides again: its exponents are between
    both. Labels of less than the `lowest` concentration are taken for spread over all scores.
    """
    (of_positives, first), (of_negatives, last) = (
        (_rarity(sample, concentration, lowest), place)
        for concentration, place in (sample.labeled_tail, sample.labeled_bottom)
    )
    rarity = max(of_positives, of_negatives)
    is_of_negatives = of_negatives > of_positives
    tail = sample.counts[: last + 1] if is_of_negatives else sample.counts[first:]
    total = float(sample.counts.sum())
    share = float(tail.sum()) / total
    return LabeledTailPrior(share, RARE**rarity, rarity, 1.0 / total, is_of_negatives)


def _rarity(sample: ScoreSample, concentration: float, lowest: float) -> float:
    """Return the rarity of the class that is labeled in a tail of the scores."""
    # With known class inclusion probabilities the likelihood is sufficient.
    if sample.inclusion.missingness[1] < 1.0:
        return 0.0
    # Labels at both of two values are informative on the share of positives at each.
    if sample.n_cells == 2 and (sample.negative + sample.positive > 0.0).all():
        return 0.0
    return float(np.clip((concentration - lowest) / (CONCENTRATION - lowest), 0.0, 1.0))


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
    making: tuple[Any, ...]  # values of the parameters that determine the prior
    # smallest and largest number of positives among all items, if known: of the data
    known_positives: tuple[float, float] | None = None

    @classmethod
    def of(cls, parameters: Any) -> FitSettings:
        """Validate the parameters of a `SemisupervisedScoreMixture`."""
        check_draws(parameters.n_draws)
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

        negative = as_families(parameters.negative)
        positive = as_families(parameters.positive)
        return cls(
            list(itertools.product(negative, positive)),
            _experts(parameters),
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

    def check_inclusion(self, inclusion: Inclusion, before: Inclusion = Inclusion()) -> None:
        """Raise if `inclusion_proba` cannot be used, or that of earlier labels is missing.

        `inclusion` is the present argument, and `before` that of earlier labels.
        """
        if inclusion.is_given and self.experts is None:
            raise ValueError(
                "inclusion_proba enters the likelihood of labels given their scores, but the "
                "bare mixture (experts=None) uses the joint likelihood of scores and labels. "
                "Leave experts and method at their defaults, or leave inclusion_proba out."
            )

        if before.is_given and not inclusion.is_given:
            raise ValueError(
                "The earlier labels were drawn with known inclusion probabilities, and now "
                "inclusion_proba is missing. Pass that of all known labels; if inclusion "
                "depends on the scores alone, call fit."
            )

    def seeing(self, data: ItemData, before: FitSettings | None = None) -> FitSettings:
        """Return the settings for data as passed.

        Two columns of probabilities, or log-odds, have a score kind. A known number of positives is
        that of the data, or of the settings of earlier data of the same items.
        """
        total = data.known_positives
        if total is None and before is not None:
            total = before.known_positives
        check_known_positives(total, data.codes, data.weights)
        if total is not None and self.experts is None:
            raise ParameterError.of(
                "known_positives",
                "weights the curves of experts, of which the bare mixture (experts=None) has none. "
                "Leave experts and method at their defaults, or leave known_positives out.",
            )

        kind = data.score_kind if self.score_kind == "auto" else None
        score_kind = self.score_kind if kind is None else kind
        return replace(self, score_kind=score_kind, known_positives=total)

    @property
    def takes_all_experts(self) -> bool:
        """Whether the experts are the default ones ("auto"), not named by the user."""
        return is_auto(self.making[MAKING.index("experts")])

    def makes_the_same(self, other: FitSettings) -> bool:
        """Return whether two settings build the same prior."""
        return all(map(is_, self.making, other.making))


def _experts(parameters: Any):
    """Return the experts, or None for the papers' mixture, the only one with method="em"."""
    experts = parameters.experts
    method = parameters.method
    if experts is None or (method == "em" and is_auto(experts)):
        return None
    if method == "em":
        raise ValueError(
            "method='em' maximizes the likelihood of the bare mixture, which has no experts; "
            f"got experts={experts!r}. Leave experts out, or use method='importance'."
        )
    return as_experts(experts)
