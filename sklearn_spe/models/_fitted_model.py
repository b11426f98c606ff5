"""What fits of two classes share: an immutable value with the rows of X and their posterior."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from typing import Any, Self

import numpy as np

from ..checks._fit_verdict import warn_of_removed
from ..checks._label_checks import LabelEProcess, SuspectLabels
from ..data._cells import ScoreKind, default_threshold
from ..data._item_data import ItemData
from ..data._scale import ScoreScale
from ..inputs._labels import BinaryLabels
from ..inputs._scores import ScoreDirection
from ..metrics._ranking import Prevalence
from ..mixtures._comparison import Comparison
from ..posterior._open_ends import with_open_ends
from ..posterior._posterior import Block
from ..results._estimates import ScalarEstimate
from ..results._verdict import Verdict
from ._fit_settings import FitSettings
from ._item_table import ItemTable


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
        state = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return {**state, "prior": None} if "prior" in state else state


class TwoClassModel(FittedModel, ABC):
    """A fit of items of two classes.

    Its rows may be the cells of one column of scores or items with several; who asks need not know.
    """

    settings: FitSettings  # settings of the fit
    seed: int  # of all random numbers
    given: ItemTable  # the rows of X
    table: ItemTable  # the rows of the fit, which may gather those of X
    suspect_labels: SuspectLabels
    bets: LabelEProcess  # against the posterior, given the labels
    scale: ScoreScale  # from the user's scores to the model scale of the families
    kind_name: str | None  # name of the score kind; None if it is not used
    comparison: Comparison  # of the pairs of families
    kinds: tuple[ScoreKind, ...]  # of each system and rater; none if they are not used

    @abstractmethod
    def with_labels(self, given: ItemTable, settings: FitSettings | None = None) -> Self:
        """Return the fit to other labels of the same items, with other settings if given."""

    @abstractmethod
    def completed_by(self, later: Self) -> Self:
        """Return this fit with the labels of a later one, which do not update it."""

    @abstractmethod
    def ranking(
        self, system: Any = None, category: Any = None, *, judge: Any = None, beside: tuple = ()
    ) -> Any:
        """Return the posterior of the ranking by a system, or a rater, of the items that it scored.

        Restricted to a category, if given, and to items that the systems `beside` scored too.
        """

    @property
    def labels(self) -> BinaryLabels:
        """How labels are encoded."""
        return self.given.labels

    @property
    def score_direction(self) -> ScoreDirection:
        """Which end of the user's scores is positive; that of the first system."""
        return self.given.score_directions[0]

    def updated(self, parameters: Any, data: ItemData) -> Self:
        """Return the fit to other labels, for an estimator's `update`.

        Raise ValueError if the scores, categories, groups or raters differ, or `fit` was given
        `inclusion_proba` and this is not. Warn at the caller of `update` if labels were removed.
        """
        settings = FitSettings.of(parameters)
        settings.check_inclusion(data.inclusion, self.given.inclusion)
        given = self.given.same_items(ItemTable.of(data))
        warn_of_removed(self.given.n_lost(given), self.given.n_labeled)
        return self.with_labels(given, settings.seeing(data, self.settings))

    def with_draws(self, n_draws: int) -> Self:
        """Return the same fit, with fewer draws in later updates."""
        fewer = min(n_draws, self.settings.n_draws)
        model: Any = self
        return replace(model, settings=replace(self.settings, n_draws=fewer))

    def item_probability(self, block: Block, items, *, new_groups: bool = False) -> np.ndarray:
        """Return P(y = 1) of unlabeled rows of X in the draws of a block, (n_draws, n_items)."""
        scores, index = np.unique(self.given.scores[items, 0], return_inverse=True)
        return self.posterior.unlabeled_probability(scores, block)[:, index]

    @property
    def ess(self) -> float:
        """The effective sample size of the draws."""
        with np.errstate(under="ignore"):
            return self.posterior.ess

    def threshold_of(self, system: Any = None, judge: Any = None) -> float | None:
        """Return the decision threshold that the values of a system or rater imply, if any."""
        column = self.given.column_of(system, judge)
        if self.given.are_verdicts[column]:
            return 0.5
        kind = self.settings.score_kind if judge is None else "auto"
        whole = self.kinds[column].whole if self.kinds else None
        return default_threshold(self.given.samples[column], kind, whole)

    @cached_property
    def prevalence(self) -> ScalarEstimate:
        """The prevalence of the positive class in the population."""
        posterior = self.ranking()
        with np.errstate(under="ignore"):
            prevalence = posterior.prevalence()
        prevalence = with_open_ends(prevalence, Prevalence(), posterior, of_population=True)
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
