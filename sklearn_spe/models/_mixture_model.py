"""The papers' model: families fitted to all scores and labels of one column, jointly."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..checks._fit_verdict import verdict_on_mixture
from ..checks._label_checks import LabelEProcess, SuspectLabels
from ..data._cells import whole_of
from ..data._sample import ScoreSample
from ..data._scale import ScoreScale, learn_scale
from ..exceptions import ParameterError
from ..families._family import BetaPrior
from ..inputs._scores import ScoreDirection
from ..mixtures._comparison import (
    COMBINE,
    Comparison,
    compare,
    fit_all,
    pairs_that_need_patience,
)
from ..mixtures._fit import MANY_CELLS, fit_mixture, maximize_likelihood, mixture_for
from ..mixtures._mixture_posterior import MixturePosterior
from ..mixtures._two_class import TwoClassMixture
from ..results._verdict import Verdict
from ._fit_settings import FitSettings, prevalence_prior_given
from ._item_table import ItemTable
from ._two_class_model import TwoClassModel

# Approximate maximum number of score cells in the likelihood; neighbors are merged.
FINEST_CELLS = 4096


@dataclass(frozen=True, eq=False)
class BareMixture:
    """Pairs of families, each fitted jointly to all scores and labels."""

    mixtures: list[TwoClassMixture]  # the pairs of families
    scale: ScoreScale
    entropy: int  # seed of the random numbers

    @classmethod
    def of(cls, settings: FitSettings, sample: ScoreSample, entropy: int) -> BareMixture:
        """Return the pairs of the settings, on the scale of a sample."""
        scale = learn_scale(sample, settings.score_scale, whole_of(sample, settings.score_kind))
        mixtures = [mixture_for(n, p, scale, BetaPrior()) for n, p in settings.pairs]
        if sample.n_cells < 2:
            raise ParameterError(
                f"All scores are {sample.scores[0]:.6g}, but families are fitted to the "
                "distribution of scores:",
                "leave experts (not None) and method at their defaults.",
                "experts",
            )
        return cls(mixtures, scale, entropy)

    def updated(
        self, sample: ScoreSample, settings: FitSettings, score_direction: ScoreDirection
    ) -> tuple[Comparison, MixturePosterior, Verdict]:
        """Fit every pair to a sample; return their comparison, the average and the verdict on it.

        The verdict is worded for the user's score direction.
        """
        prevalence = prevalence_prior_given(settings.prevalence_prior, sample)
        fit: Callable[..., Any] = partial(fit_mixture, proposal=settings.proposal)
        if settings.method == "em":
            # Maximum likelihood has no prior.
            prevalence = BetaPrior()
            fit = maximize_likelihood
        mixtures = [replace(m, prevalence_prior=prevalence) for m in self.mixtures]
        cells = self.scale.apply(sample).grouped(FINEST_CELLS)

        fit_pairs = partial(
            fit_all,
            mixtures,
            cells,
            n_draws=settings.n_draws,
            entropy=self.entropy,
            n_jobs=settings.n_jobs,
        )
        rule = COMBINE[settings.combine]
        combine = partial(
            compare, mixtures, scale=self.scale, sample=sample, model_sample=cells, rule=rule
        )
        adaptive = settings.method == "importance" and settings.proposal == "adaptive"
        if not adaptive or len(mixtures) == 1 or cells.n_cells <= MANY_CELLS:
            comparison, posterior = combine(fits=fit_pairs(fit=fit), entropy=self.entropy)
            return comparison, posterior, verdict_on_mixture(posterior, comparison, score_direction)

        # Of many pairs those that are hard to sample are, at first, sampled roughly.
        fits = fit_pairs(fit=partial(fit, patient=False))
        comparison, posterior = combine(fits=fits, entropy=self.entropy)
        n_items = float(sample.counts.sum())
        hard = pairs_that_need_patience(comparison, rule, n_items, settings.n_draws)
        if hard:
            for k, of_pair in zip(hard, fit_pairs(fit=fit, places=hard), strict=True):
                fits[k] = of_pair
            comparison, posterior = combine(fits=fits, entropy=self.entropy)
        return comparison, posterior, verdict_on_mixture(posterior, comparison, score_direction)


@dataclass(frozen=True, eq=False)
class MixtureModel(TwoClassModel):
    """Fit of the papers' mixture to one column of scores."""

    settings: FitSettings
    seed: int
    prior: BareMixture | None  # None after unpickling
    scale: ScoreScale
    posterior: MixturePosterior
    comparison: Comparison
    suspect_labels: SuspectLabels
    bets: LabelEProcess
    verdict: Verdict
    given: ItemTable

    kind_name: ClassVar[None] = None  # type: ignore[misc]
    kinds: ClassVar[tuple[()]] = ()  # type: ignore[misc]

    @classmethod
    def fit(
        cls, settings: FitSettings, given: ItemTable, seed: int, prior: BareMixture | None = None
    ) -> MixtureModel:
        """Fit to one pool, with the pairs of families if they were made already."""
        if not given.is_one_pool:
            raise ValueError(
                "Several systems, category=, groups= and judges= need experts, and the bare "
                "mixture (experts=None) has none. Leave experts='auto' and method='importance' of "
                "the mixture, or fit one column of scores separately."
            )
        sample = given.pool
        score_direction = given.score_directions[0]
        prior = BareMixture.of(settings, sample, seed) if prior is None else prior

        # Densities underflow to zero in the tails, even if the user turned that into an error.
        with np.errstate(under="ignore"):
            comparison, posterior, verdict = prior.updated(sample, settings, score_direction)
            suspect_labels = SuspectLabels.of(
                posterior, given.scores[:, 0], given.codes, given.labels, score_direction
            )
            bets = LabelEProcess.of(posterior)
        if settings.verbose:
            print(comparison.describe())
        reasons = [*verdict.reasons, *bets.reasons(score_direction), *suspect_labels.reasons()]
        return cls(
            settings=settings,
            seed=seed,
            prior=prior,
            scale=prior.scale,
            posterior=posterior,
            comparison=comparison,
            suspect_labels=suspect_labels,
            bets=bets,
            verdict=Verdict(reasons),
            given=given,
        )

    @property
    def table(self) -> ItemTable:  # type: ignore[override]
        """The rows of the fit."""
        return self.given

    def with_labels(self, given: ItemTable, settings: FitSettings | None = None) -> MixtureModel:
        settings = self.settings if settings is None else settings
        is_same = settings.makes_the_same(self.settings)
        return self.fit(settings, given, self.seed, self.prior if is_same else None)

    def completed_by(self, later: MixtureModel) -> MixtureModel:
        posterior = replace(self.posterior, sample=later.posterior.sample)
        return replace(self, posterior=posterior, given=later.given)

    def ranking(
        self,
        system: Any = None,
        category: Any = None,
        *,
        judge: Any = None,
        beside: tuple[Hashable, ...] = (),
    ) -> MixturePosterior:
        # Raise if there is none of that name.
        self.given.column_of(system, judge)
        self.given.part_of(category)
        return self.posterior
