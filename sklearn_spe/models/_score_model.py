"""Fit of one column of partially labeled scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from ..checks._fit_verdict import warn_of_removed
from ..checks._label_checks import LabelEProcess, SuspectLabels
from ..data._cells import default_threshold
from ..data._counted_rows import check_source
from ..data._item_data import ItemData
from ..data._sample import LabeledScores, ScoreSample
from ..data._scale import ScoreScale
from ..engine._label_update import CurvePosterior
from ..inputs._labels import BinaryLabels
from ..inputs._scores import ScoreDirection
from ..inputs._validation import seed_entropy
from ..metrics._ranking import Prevalence
from ..mixtures._comparison import Comparison
from ..mixtures._mixture_posterior import MixturePosterior
from ..posterior._open_ends import with_open_ends
from ..posterior._posterior import Block
from ..results._estimates import ScalarEstimate
from ..results._verdict import Verdict
from ._fit_settings import BareMixture, CurvePrior, FitSettings


class FittedModel:
    """Mixin of fits, which are immutable values."""

    posterior: Any
    verdict: Verdict  # on the model and on estimates of the population

    @cached_property
    def verdict_on_sample(self) -> Verdict:
        """The verdict on estimates of this sample."""
        posterior = self.posterior
        if not posterior.is_complete:
            return self.verdict
        return self.verdict.of_complete_labels(posterior.n_weighted_items)

    def __getstate__(self):
        # What was asked is computed anew, and priors are large and are rebuilt.
        kept = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return {**kept, "prior": None} if "prior" in kept else kept


@dataclass(frozen=True, eq=False)
class ScoreModel(FittedModel):
    """Fit of one column of partially labeled scores."""

    settings: FitSettings  # settings of the fit
    seed: int  # of all random numbers
    prior: CurvePrior | BareMixture | None  # given the scores; None after unpickling
    scale: ScoreScale
    kind_name: str | None
    posterior: CurvePosterior | MixturePosterior
    comparison: Comparison
    suspect_labels: SuspectLabels
    bets: LabelEProcess  # against the posterior, given the labels
    verdict: Verdict
    given: LabeledScores  # the rows of X and their labels

    @property
    def labels(self) -> BinaryLabels:
        """How labels are encoded."""
        return self.given.labels

    @property
    def score_direction(self) -> ScoreDirection:
        """Which end of the user's scores is positive."""
        return self.given.score_direction

    @classmethod
    def of(cls, parameters, data: ItemData) -> ScoreModel:
        """Fit with the parameters of a `SemisupervisedScoreMixture`."""
        settings = FitSettings.of(parameters)
        settings.check_inclusion(data.inclusion)
        seed = seed_entropy(parameters.random_state)
        return cls.made(settings.seeing(data), data.labeled_scores(), seed)

    @classmethod
    def made(cls, settings: FitSettings, given: LabeledScores, seed: int, prior=None) -> ScoreModel:
        """Fit with given settings, and with a prior if it was built already."""
        prior = settings.prior(given.sample, seed) if prior is None else prior
        direction = given.score_direction
        # Densities underflow to zero in the tails, even if the user turned that into an error.
        with np.errstate(under="ignore"):
            comparison, posterior, verdict = prior.updated(given.sample, settings, direction)
            suspect = SuspectLabels.of(
                posterior, given.scores, given.codes, given.labels, direction
            )
            bets = LabelEProcess.of(posterior)
        if settings.verbose:
            print(comparison.describe())
        verdict = Verdict([*verdict.reasons, *bets.reasons(direction), *suspect.reasons()])
        return cls(
            settings=settings,
            seed=seed,
            prior=prior,
            scale=prior.scale,
            kind_name=prior.kind_name,
            posterior=posterior,
            comparison=comparison,
            suspect_labels=suspect,
            bets=bets,
            verdict=verdict,
            given=given,
        )

    def with_labels(self, given: LabeledScores, settings: FitSettings | None = None) -> ScoreModel:
        """Return the fit to other labels of the same scores, with other settings if given.

        The prior is rebuilt, from the same seed, if they change it.
        """
        settings = self.settings if settings is None else settings
        is_kept = settings.makes_the_same(self.settings)
        return self.made(settings, given, self.seed, self.prior if is_kept else None)

    def updated(self, parameters, data: ItemData) -> ScoreModel:
        """Return the fit to other labels, for an estimator's `update`.

        Raise ValueError if the scores differ, or `fit` was given `inclusion_proba` and this is not.
        Warn at the caller of `update` if labels were removed.
        """
        settings = FitSettings.of(parameters)
        settings.check_inclusion(data.inclusion, self.posterior.sample.inclusion)
        given = data.labeled_scores()
        warn_of_removed(_n_lost(self.given, given), self.posterior.sample.n_labeled)
        return self.with_labels(given, settings.seeing(data, self.settings))

    def with_draws(self, n_draws: int) -> ScoreModel:
        """Return the same fit, with fewer draws in later updates."""
        fewer = min(n_draws, self.settings.n_draws)
        return replace(self, settings=replace(self.settings, n_draws=fewer))

    def ranking(self, system=None, category=None):
        """Return the posterior: there is one system, and no category."""
        return self.posterior

    def item_probability(self, block: Block, items, *, new_groups: bool = False) -> np.ndarray:
        """Return P(y = 1) of unlabeled rows of X in the draws of a block, (n_rows, n_items)."""
        distinct, place = np.unique(self.given.scores[items], return_inverse=True)
        return self.posterior.unlabeled_probability(distinct, block)[:, place]

    @property
    def ess(self) -> float:
        """The effective sample size of the draws."""
        with np.errstate(under="ignore"):
            return self.posterior.ess

    @property
    def default_threshold(self) -> float | None:
        """Decision threshold implied by the score kind, on the user's scale, if any."""
        return default_threshold(self.posterior.sample, self.settings.score_kind)

    @cached_property
    def prevalence(self) -> ScalarEstimate:
        """The prevalence of the positive class in the population."""
        with np.errstate(under="ignore"):
            prevalence = self.posterior.prevalence()
        prevalence = with_open_ends(prevalence, Prevalence(), self.posterior, of_population=True)
        return replace(prevalence, pos_label=self.labels.pos_label)


# scikit-learn fills in the name.
NOT_FITTED = (
    "This %(name)s is not fitted yet: call fit. The mixture_ of a PerformanceCurveEstimator is "
    "fitted with one column of scores; with several systems, category=, groups=, judges= or "
    "classes it is not fitted, use the estimator itself."
)


def of_model(path: str) -> property:
    """Return a property that reads an attribute of `model_`, absent before fit."""
    read = attrgetter(path)

    def value(estimator):
        if "model_" not in vars(estimator):
            raise AttributeError(NOT_FITTED % {"name": type(estimator).__name__})
        return read(estimator.model_)

    return property(value, doc="")


def _n_lost(before: LabeledScores, now: LabeledScores) -> float:
    """Count removed labels; raise if the scores differ."""
    check_source(before.source, now.source)
    if not _are_same(before, now):
        raise ValueError(
            f"update takes the scores of fit with other labels; these are {now.weights.sum():g} "
            f"items with {len(np.unique(now.scores))} distinct scores, but fit had "
            f"{before.weights.sum():g} with {len(np.unique(before.scores))}. Call fit for new "
            "scores."
        )
    scores, weights = [], []
    for given, sign in ((before, 1.0), (now, -1.0)):
        known = given.codes >= 0
        scores.append(given.scores[known])
        weights.append(sign * given.weights[known])
    _, cell = np.unique(np.concatenate(scores), return_inverse=True)
    return float(np.maximum(np.bincount(cell, np.concatenate(weights)), 0.0).sum())


def _are_same(before: LabeledScores, now: LabeledScores) -> bool:
    """Return whether scores are the same, in any order."""
    if before.source is not None:
        # The rows of binned items depend on which items are labeled.
        return True
    if np.array_equal(before.scores, now.scores) and np.array_equal(before.weights, now.weights):
        return True
    one, other = (
        ScoreSample.from_items(given.scores, given.codes, given.weights) for given in (before, now)
    )
    return np.array_equal(one.scores, other.scores) and np.allclose(one.counts, other.counts)
