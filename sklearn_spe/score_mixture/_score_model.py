"""What scores and labels have become: one fit, a value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter

import numpy as np

from ..curves._edges import edges_of_labels
from ..engine._curve_posterior import CurvePosterior
from ..fitting._comparison import COMBINE, Comparison
from ..fitting._mixture_posterior import MixturePosterior
from ..inputs._labels import BinaryLabels
from ..inputs._orientation import Orientation
from ..inputs._random_state import seed_entropy
from ..metrics._prevalence import Prevalence
from ..results._bands import ScalarEstimate
from ..results._verdict import Verdict
from ..sample._counted_rows import check_source
from ..sample._labeled_scores import LabeledScores
from ..sample._sample import ScoreSample
from ..sample._scale import ScoreScale
from ..sample._score_kind import default_threshold
from ._bare_mixture import BareMixture
from ._curve_prior import CurvePrior
from ._forgotten_labels import warn_of_forgotten
from ._label_bets import LabelBets
from ._recipe import Recipe
from ._surprising_items import SurprisingItems

__all__ = ["ScoreModel", "of_model"]


@dataclass(frozen=True, eq=False)
class ScoreModel:
    """A fit of scores of which some are labelled; all of it, or there is none.

    Attributes
    ----------
    recipe : Recipe
        How it was made.
    seed : int
        From which all random numbers come.
    prior : CurvePrior or BareMixture or None
        What was made of the scores. None after a pickle: banks are large, and made again.
    scale : ScoreScale
    kind_name : str or None
    labels : BinaryLabels
    orientation : Orientation
    posterior : CurvePosterior or MixturePosterior
    comparison : Comparison
    surprising_items : SurprisingItems
    bets : LabelBets
        Against the posterior, on the labels.
    verdict : Verdict
        On the model, and on numbers about further items.
    given : LabeledScores
        The rows of X and their labels.
    """

    recipe: Recipe
    seed: int
    prior: CurvePrior | BareMixture | None
    scale: ScoreScale
    kind_name: str | None
    labels: BinaryLabels
    orientation: Orientation
    posterior: CurvePosterior | MixturePosterior
    comparison: Comparison
    surprising_items: SurprisingItems
    bets: LabelBets
    verdict: Verdict
    given: LabeledScores

    @classmethod
    def of(
        cls, parameters, X, y=None, sample_weight=None, inclusion_proba=None, source=None
    ) -> ScoreModel:
        """Fit what a `SemisupervisedScoreMixture` is asked to fit, with its parameters."""
        recipe = Recipe.of(parameters)
        recipe.check_inclusion(inclusion_proba)
        scores = LabeledScores.read(
            parameters, X, y, sample_weight, inclusion_proba=inclusion_proba, source=source
        )
        recipe = recipe.seeing(X, scores.labels, parameters.classes)
        return cls.made(recipe, scores, seed_entropy(parameters.random_state))

    @classmethod
    def made(cls, recipe: Recipe, scores: LabeledScores, seed: int) -> ScoreModel:
        """Make a model by a recipe."""
        return _judged(recipe, recipe.prior(scores.sample, seed), scores, seed)

    def with_labels(self, scores: LabeledScores, recipe: Recipe | None = None) -> ScoreModel:
        """Return the model of other labels of the same scores: the same prior, unless it is lost.

        Parameters
        ----------
        scores : LabeledScores
        recipe : Recipe, default=None
            Another one; if it makes something else of scores that is made, from the same seed.
        """
        recipe = self.recipe if recipe is None else recipe
        if self.prior is None or not recipe.makes_the_same(self.recipe):
            return self.made(recipe, scores, self.seed)
        return _judged(recipe, self.prior, scores, self.seed)

    def updated(
        self, parameters, X, y, sample_weight=None, inclusion_proba=None, source=None
    ) -> ScoreModel:
        """Return what an estimator's `update`, which calls this, makes of other labels.

        Raises
        ------
        ValueError
            If the scores are others, or `fit` knew how labels were drawn and this does not.

        Warns
        -----
        ForgottenLabelsWarning
            If labels are lost: at the line that called `update`.
        """
        recipe = Recipe.of(parameters)
        recipe.check_inclusion(inclusion_proba, self.posterior.sample.inclusion)
        scores = LabeledScores.read(
            parameters,
            X,
            y,
            sample_weight,
            inclusion_proba=inclusion_proba,
            before=self.labels,
            source=source,
        )
        lost = _n_lost(self.given, scores)
        warn_of_forgotten(lost, self.posterior.sample.n_labeled)
        return self.with_labels(scores, recipe.seeing(X, scores.labels, parameters.classes))

    def with_draws(self, n_draws: int) -> ScoreModel:
        """Return the same fit, with fewer draws once it learns from labels."""
        fewer = min(n_draws, self.recipe.n_draws)
        return replace(self, recipe=replace(self.recipe, n_draws=fewer))

    @property
    def ess(self) -> float:
        """The effective sample size of the draws."""
        with np.errstate(under="ignore"):
            return self.posterior.ess

    @property
    def pareto_k(self) -> float:
        """k-hat of the importance weights."""
        return self.posterior.pareto_k

    @cached_property
    def verdict_on_sample(self) -> Verdict:
        """The verdict on numbers about these very items."""
        sample = self.posterior.sample
        is_complete = not sample.unlabeled.any()
        return self.verdict.of_complete_labels(sample.n_labeled) if is_complete else self.verdict

    @property
    def default_threshold(self) -> float | None:
        """Where a decision is taken by the scores, on the user's scale, if their kind says it."""
        return default_threshold(self.posterior.sample, self.recipe.score_kind)

    @cached_property
    def prevalence(self) -> ScalarEstimate:
        """The prevalence of the positive class in the population."""
        with np.errstate(under="ignore"):
            found = self.posterior.prevalence()
        sample = self.posterior.sample
        law = found.law.reaching(edges_of_labels(Prevalence(), sample), sample.is_of_one_class)
        return replace(found, law=law, pos_label=self.labels.pos_label)

    def __getstate__(self):
        return {**vars(self), "prior": None}


# As scikit-learn fills it in.
NOT_FITTED = (
    "This %(name)s is not fitted yet: call fit. The mixture_ of a PerformanceCurveEstimator is "
    "fitted with one column of scores; with several systems, category=, groups=, judges= or "
    "classes it holds parameters alone, and the estimator answers by itself."
)


def of_model(path: str) -> property:
    """Return an attribute of an estimator that reads its `model_`; without one there is none."""
    read = attrgetter(path)

    def value(estimator):
        if "model_" not in vars(estimator):
            raise AttributeError(NOT_FITTED % {"name": type(estimator).__name__})
        return read(estimator.model_)

    return property(value, doc="")


def _judged(recipe: Recipe, prior, scores: LabeledScores, seed: int) -> ScoreModel:
    """Let labels judge a prior."""
    labels, orientation = scores.labels, scores.orientation
    # Far out densities are zero, whatever the user has errors raised for.
    with np.errstate(under="ignore"):
        comparison, posterior = prior.posterior(
            scores.sample, rule=COMBINE[recipe.combine], n_draws=recipe.n_draws
        )
        verdict = prior.verdict(comparison, posterior, orientation)
        surprising = SurprisingItems.of(posterior, scores.scores, scores.codes, labels, orientation)
        bets = LabelBets.of(posterior)
    if recipe.verbose:
        print(comparison.describe())
    return ScoreModel(
        recipe,
        seed,
        prior,
        prior.scale,
        prior.kind_name,
        labels,
        orientation,
        posterior,
        comparison,
        surprising,
        bets,
        Verdict([*verdict.reasons, *bets.reasons(orientation), *surprising.reasons()]),
        scores,
    )


def _n_lost(before: LabeledScores, now: LabeledScores) -> float:
    """Return how many labels are there no more; raise if the scores are not the same."""
    check_source(before.source, now.source)
    if not _are_same(before, now):
        raise ValueError(
            f"update takes the scores of fit with other labels; these are "
            f"{now.weights.sum():g} items with {len(np.unique(now.scores))} distinct scores, and "
            f"those were {before.weights.sum():g} with {len(np.unique(before.scores))}. Call fit "
            f"for new scores."
        )
    scores, weights = [], []
    for given, sign in ((before, 1.0), (now, -1.0)):
        known = given.codes >= 0
        scores.append(given.scores[known])
        weights.append(sign * given.weights[known])
    _, cell = np.unique(np.concatenate(scores), return_inverse=True)
    return float(np.maximum(np.bincount(cell, np.concatenate(weights)), 0.0).sum())


def _are_same(before: LabeledScores, now: LabeledScores) -> bool:
    """Return whether scores are the same, in whatever order."""
    if before.source is not None:
        # Rows of bins depend on which of their items are labelled.
        return True
    if np.array_equal(before.scores, now.scores) and np.array_equal(before.weights, now.weights):
        return True
    one, other = (
        ScoreSample.from_items(given.scores, given.codes, given.weights) for given in (before, now)
    )
    return np.array_equal(one.scores, other.scores) and np.allclose(one.counts, other.counts)
