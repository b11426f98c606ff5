"""Settings of a fit, and the priors that they make: of mixtures, of curves, of the prevalence."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import is_
from typing import ClassVar

import numpy as np

from ..checks._fit_verdict import verdict_on_curves, verdict_on_mixture
from ..data._cells import KINDS, ScoreCells, learn_score_kind, whole_of
from ..data._inclusion import AT_RANDOM, Inclusion
from ..data._item_data import ItemData, check_known_positives
from ..data._sample import ScoreSample
from ..data._scale import ScoreScale, learn_scale
from ..engine._components import CurveComponents, RandomEffects
from ..engine._label_update import CurvePosterior, update_scores
from ..exceptions import ParameterError
from ..experts._expert import CurveEnsemble, Expert
from ..experts._registry import as_experts
from ..families._family import BetaPrior, Family, as_prevalence_prior
from ..families._registry import as_families
from ..inference._draws import Draws
from ..inputs._scores import ScoreDirection
from ..inputs._validation import check_choice, check_count, check_draws, check_jobs, spawn
from ..mixtures._comparison import (
    COMBINE,
    Comparison,
    by_label_evidence,
    by_score_evidence,
    compare,
    fit_all,
    with_labels,
)
from ..mixtures._fit import (
    COARSE_CELLS,
    fit_mixture,
    maximize_likelihood,
    mixture_for,
    sketch_mixture,
)
from ..mixtures._mixture_posterior import MixturePosterior
from ..mixtures._two_class import TwoClassMixture
from ..posterior._known_positives import NOTHING_KNOWN, KnownPositives
from ..results._verdict import Verdict

AUTO = "auto"
# Below the first concentration of the labels (`ScoreSample.labeled_tail`) they are treated as
# spread over all scores, above the second as from the tail.
CONCENTRATION = 0.5, 0.9
# Level of Smirnov's bound for random labels.
BY_CHANCE = 0.01
# For labels from the tail the prior is Beta(RARE, 1 / q), with q the share of items in the tail:
# nearly uniform in the log of the prevalence, up to about q.
RARE = 0.1


def check_prevalence_prior(prior) -> BetaPrior | None:
    """Return the validated prior; None for "auto"."""
    return None if is_auto(prior) else as_prevalence_prior(prior)


def is_auto(given) -> bool:
    """Return whether a parameter is "auto"."""
    return isinstance(given, str) and given == AUTO


def prevalence_prior_given(prior: BetaPrior | None, sample: ScoreSample) -> BetaPrior:
    """Return the prior of the prevalence, given which items are labeled.

    Labels spread over all scores are informative on the prevalence, and a uniform prior is
    harmless; so are labels at both of two values. If only the largest scores are labeled, positives
    are assumed to be rare, hardly more frequent than the labeled tail; if only the smallest,
    negatives. Such labels carry no information on items elsewhere, and a uniform prior would imply
    many positives there.
    """
    if prior is not None:
        return prior
    (of_positives, first), (of_negatives, last) = (
        (_rarity(sample, concentration), place)
        for concentration, place in (sample.labeled_tail, sample.labeled_bottom)
    )
    total = sample.counts.sum()
    if of_positives >= of_negatives:
        tail = sample.counts[first:].sum() / total
        return BetaPrior(RARE**of_positives, tail**-of_positives)
    tail = sample.counts[: last + 1].sum() / total
    return BetaPrior(tail**-of_negatives, RARE**of_negatives)


def expected_rarity(sample: ScoreSample) -> float:
    """Return, from 0 to 1, how strongly the labeled items suggest that a class is rare."""
    tails = sample.labeled_tail[0], sample.labeled_bottom[0]
    return max(_rarity(sample, concentration) for concentration in tails)


def _rarity(sample: ScoreSample, concentration: float) -> float:
    """Return the rarity of the class that is labeled in a tail of the scores."""
    # With known class inclusion probabilities the likelihood is sufficient.
    if sample.inclusion.missingness[1] < 1.0:
        return 0.0
    # Labels at both of two values are informative on the share of positives at each.
    if sample.n_cells == 2 and (sample.negative + sample.positive > 0.0).all():
        return 0.0
    # A few random labels may all have high scores: Smirnov's bound on their concentration.
    if 2.0 * sample.n_labeled * concentration**2 < -np.log(BY_CHANCE):
        return 0.0
    low, high = CONCENTRATION
    return float(np.clip((concentration - low) / (high - low), 0.0, 1.0))


# Approximate maximum number of score cells in the likelihood; neighbors are merged.
FINEST_CELLS = 4096


@dataclass(frozen=True, eq=False)
class BareMixture:
    """Pairs of families, each fitted jointly to all scores and labels."""

    mixtures: list[TwoClassMixture]  # the pairs of families
    scale: ScoreScale
    entropy: int  # seed of the random numbers
    kind_name: ClassVar[None] = None

    def updated(
        self, sample: ScoreSample, settings: FitSettings, score_direction: ScoreDirection
    ) -> tuple[Comparison, MixturePosterior, Verdict]:
        """Fit every pair to a sample; return their comparison, the average and the verdict on it.

        The verdict is worded for the user's score direction.
        """
        prevalence = prevalence_prior_given(settings.prevalence_prior, sample)
        fit: Callable = partial(fit_mixture, proposal=settings.proposal)
        if settings.method == "em":
            # Maximum likelihood has no prior.
            prevalence, fit = BetaPrior(), maximize_likelihood
        mixtures = [replace(m, prevalence_prior=prevalence) for m in self.mixtures]
        how = {"fit": fit, "n_draws": settings.n_draws, "n_jobs": settings.n_jobs}
        rule = COMBINE[settings.combine]
        _, comparison, posterior = _fitted(
            mixtures, self.scale, sample, FINEST_CELLS, self.entropy, rule, **how
        )
        return comparison, posterior, verdict_on_mixture(posterior, comparison, score_direction)


def _fitted(
    mixtures, scale: ScoreScale, sample: ScoreSample, n_cells: int, entropy: int, rule, **how
) -> tuple[list[tuple[Draws, float]], Comparison, MixturePosterior]:
    """Return fits of mixtures to a sample on cells, their comparison and average by a rule."""
    cells = scale.apply(sample).grouped(n_cells)
    fits = fit_all(mixtures, cells, entropy=entropy, **how)
    return fits, *compare(mixtures, fits, scale, sample, cells, rule=rule, entropy=entropy)


# Spawn keys of the random streams of the update, the prior curves, the update without labels and
# the components; further keys belong to fits, label draws, the bootstrap and the verdict.
UPDATE, CURVES, BEFORE, COMPONENTS = 2, 5, 6, 7
# Number of draws of each pair of families, given the scores alone.
SKETCH_DRAWS = 256
# Number of draws from the prior.
N_BEFORE = 500


@dataclass(frozen=True, eq=False)
class CurvePrior:
    """Prior built once from the scores alone, and updated by any labels of them."""

    settings: FitSettings
    entropy: int  # seed of the random numbers
    ensemble: CurveEnsemble
    mixtures: list[TwoClassMixture]  # the pairs of families
    fits: list[tuple[Draws, float]]  # of each pair to the scores alone
    comparison: Comparison  # of these fits
    distribution: MixturePosterior  # of the scores, averaged over the pairs

    @property
    def scale(self) -> ScoreScale:
        """From the user's scores to the model scale."""
        return self.distribution.scale

    @property
    def kind_name(self) -> str:
        """Name of the score kind."""
        return self.ensemble.cells.kind.name

    @classmethod
    def of_scores(
        cls,
        settings: FitSettings,
        sample: ScoreSample,
        mixtures: list[TwoClassMixture],
        scale: ScoreScale,
        entropy: int,
    ) -> CurvePrior:
        """Fit the mixtures to the scores, and build the prior curves of every expert."""
        scores = sample.without_labels()
        how = {"fit": sketch_mixture, "n_draws": SKETCH_DRAWS, "n_jobs": settings.n_jobs}
        fits, comparison, distribution = _fitted(
            mixtures, scale, scores, COARSE_CELLS, entropy, by_score_evidence, **how
        )
        # Labels, not thousands of scores, should decide between pairs that both fit.
        n_items = scores.counts.sum()
        weights = by_label_evidence(vars(comparison), n_items)
        draws = tuple(draws for draws, _ in fits)
        pairs = replace(
            distribution, mixtures=tuple(mixtures), draws=draws, mixture_weights=weights
        )
        distances = comparison.ks * np.sqrt(n_items)
        experts = [expert.informed(pairs, distances) for expert in settings.experts or ()]
        cells = ScoreCells.of(scores, learn_score_kind(sample, settings.score_kind))
        ensemble = CurveEnsemble.of(cells, experts, spawn(entropy, CURVES))
        return cls(settings, entropy, ensemble, mixtures, fits, comparison, distribution)

    @cached_property
    def components(self) -> CurveComponents:
        """The prior components that labels reweight."""
        (ensemble,), rng = (self.ensemble,), spawn(self.entropy, COMPONENTS)
        return CurveComponents.drawn((ensemble,), (1.0,), ensemble.names, RandomEffects(), rng)

    @cached_property
    def average_precision(self) -> tuple[float, float]:
        """The 90% prior interval of average precision."""
        before = self._posterior(self.distribution.sample.without_labels(), N_BEFORE, BEFORE)
        low, high = np.quantile(before.expected_average_precision, [0.05, 0.95])
        return float(low), float(high)

    def updated(
        self, sample: ScoreSample, settings: FitSettings, score_direction: ScoreDirection
    ) -> tuple[Comparison, CurvePosterior, Verdict]:
        """Update the curves by the labels of a sample of the same scores; as `BareMixture`."""
        rule = COMBINE[settings.combine]
        scale = self.distribution.scale
        comparison = with_labels(
            self.comparison, self.mixtures, self.fits, scale, sample, rule=rule
        )
        known = KnownPositives(settings.prevalence_prior, settings.known_positives)
        posterior = self._posterior(sample, settings.n_draws, UPDATE, known)
        verdict = verdict_on_curves(posterior, self.average_precision, score_direction)
        return comparison, posterior, verdict

    def _posterior(
        self, sample: ScoreSample, n_draws: int, place: int, known: KnownPositives = NOTHING_KNOWN
    ) -> CurvePosterior:
        stated = self.settings.prevalence_prior
        components = self.components if stated is None else self.components.without_rare
        prior, rng = prevalence_prior_given(stated, sample), spawn(self.entropy, place)
        updated = update_scores(components, sample, prior, n_draws, rng, known)
        # Keep one copy of the sample, the labeled one.
        distribution = replace(self.distribution, sample=sample)
        return CurvePosterior(
            sample, self.ensemble.cells, updated, distribution, self.entropy, known
        )


METHODS, PROPOSALS = ("importance", "em"), ("adaptive", "diagonal")
# The parameters that determine the prior, given the scores.
MAKING = (
    *("negative", "positive", "score_scale", "prevalence_prior", "experts", "score_kind"),
    *("method", "proposal", "greater_is_positive"),
)
# The parameters that settings hold as they are given.
AS_GIVEN = (
    *("score_scale", "score_kind", "method", "proposal", "combine", "n_draws", "n_jobs"),
    "verbose",
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
    # smallest and largest number of positives among all items, if known: of the data
    known_positives: tuple[float, float] | None = None

    @classmethod
    def of(cls, parameters) -> FitSettings:
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
        negative, positive = as_families(parameters.negative), as_families(parameters.positive)
        return cls(
            list(itertools.product(negative, positive)),
            _experts(parameters),
            check_prevalence_prior(parameters.prevalence_prior),
            making=tuple(getattr(parameters, name) for name in MAKING),
            **{name: getattr(parameters, name) for name in AS_GIVEN},
        )

    def check_inclusion(self, inclusion: Inclusion, before: Inclusion = AT_RANDOM) -> None:
        """Raise if `inclusion_proba` cannot be used, or that of earlier labels is missing.

        `inclusion` is what was given now, and `before` that of earlier labels.
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
        """Whether experts are those of "auto", none named by the user."""
        return is_auto(self.making[MAKING.index("experts")])

    def makes_the_same(self, other: FitSettings) -> bool:
        """Return whether two settings build the same prior."""
        return all(map(is_, self.making, other.making))

    def prior(self, sample: ScoreSample, seed: int) -> CurvePrior | BareMixture:
        """Build the prior from the scores."""
        scale = learn_scale(sample, self.score_scale, whole_of(sample, self.score_kind))
        # Information on the prevalence weights the curves of all experts, once.
        mixtures = [mixture_for(n, p, scale, BetaPrior()) for n, p in self.pairs]
        if self.experts is not None:
            with np.errstate(under="ignore"):
                return CurvePrior.of_scores(self, sample, mixtures, scale, seed)
        if sample.n_cells < 2:
            raise ParameterError(
                f"All scores are {sample.scores[0]:.6g}, but families are fitted to the "
                "distribution of scores:",
                "leave experts (not None) and method at their defaults.",
                "experts",
            )
        return BareMixture(mixtures, scale, seed)


def _experts(parameters):
    """Return the experts, or None for the papers' mixture, the only one with method="em"."""
    given, method = parameters.experts, parameters.method
    if given is None or (method == "em" and is_auto(given)):
        return None
    if method == "em":
        raise ValueError(
            "method='em' maximizes the likelihood of the bare mixture, which has no experts; "
            f"got experts={given!r}. Leave experts out, or use method='importance'."
        )
    return as_experts(given)
