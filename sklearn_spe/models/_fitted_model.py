"""A fit as an immutable value: the common interface of models for all kinds of data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np

from ..checks._label_checks import LabelEProcess, SuspectLabels
from ..data._item_data import ItemData
from ..inputs._labels import BinaryLabels, EncodedLabels
from ..posterior._row_estimates import SampleRows
from ..results._part_reasons import unlabeled_categories, unlabeled_part
from ..results._verdict import Reason, Verdict
from ._ranking_value import MetricArguments, Ranking, RankingSettings
from ._ranking_view import RankingKey, RankingRows, RankingView

# scikit-learn fills in the name.
NOT_FITTED = (
    "This %(name)s is not fitted yet: call fit. The mixture_ of a PerformanceCurveEstimator is "
    "fitted with one column of scores; with several systems, category=, groups=, judges= or "
    "classes it is not fitted, use the estimator itself."
)


class FittedModel(ABC):
    """A fit of partially labeled items: of two classes by scores, or of several classes.

    Estimators, pages and commands ask these members only.
    """

    # whether the labeled items are another sample than the one that is asked about
    labels_are_separate: ClassVar[bool] = False

    table: Any  # `ItemTable` or `ClassTable`: the rows of the fit
    posterior: Any  # of all rows
    seed: int  # of all random numbers
    verdict: Verdict  # on the model and on estimates of the population
    suspect_labels: SuspectLabels
    bets: LabelEProcess  # against the posterior, given the labels

    @property
    @abstractmethod
    def kind(self) -> str:
        """The kind of the data, as in `ItemData`."""

    @property
    @abstractmethod
    def has_scores(self) -> bool:
        """Whether there are scores, beside labels."""

    @property
    @abstractmethod
    def predicts_classes(self) -> bool:
        """Whether X holds predicted classes of several classes instead of scores."""

    @property
    @abstractmethod
    def is_one_pool(self) -> bool:
        """Whether items have a single score and no structure, so scores have a density."""

    @property
    @abstractmethod
    def misses_scores(self) -> bool:
        """Whether a system has missing scores."""

    @property
    @abstractmethod
    def judges(self) -> tuple[Hashable, ...]:
        """Names of the raters."""

    @property
    @abstractmethod
    def labels(self) -> BinaryLabels | EncodedLabels:
        """How labels are encoded, with the classes and the positive one, if any."""

    @property
    def systems(self) -> tuple[Hashable, ...]:
        """Names of the systems."""
        return self.table.systems

    @property
    def categories(self) -> np.ndarray | None:
        """Names of the subgroups, None without categories."""
        return self.table.names_of_categories

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows that have a name on a page."""

    @abstractmethod
    def updated(self, parameters: Any, data: ItemData) -> Self:
        """Return the fit to other labels of the same items; the parameters are a mixture's."""

    @abstractmethod
    def shown(self, key: RankingKey) -> RankingView:
        """Return one ranking, of all items or of a category."""

    @abstractmethod
    def rows(self, key: RankingKey) -> RankingRows:
        """Return the rows of X for the ranking that `shown` describes."""

    @abstractmethod
    def sample_rows(self, key: RankingKey) -> SampleRows | None:
        """Return the items of a ranking in the order of X; None if counted, not passed."""

    @abstractmethod
    def has_items(self, key: RankingKey) -> bool:
        """Return whether any item has scores by all selected systems."""

    @abstractmethod
    def ranking_of(self, view: RankingView, settings: RankingSettings) -> Ranking:
        """Return the ranking to evaluate; raise if it is not unique."""

    @abstractmethod
    def metric_of(self, arguments: MetricArguments) -> Any:
        """Return the metric of an estimate, an instance or a callable."""

    def reasons_of_categories(self, categories: Iterable[Any]) -> tuple[Reason, ...]:
        """Return the reasons about some categories, where several are one reason."""
        table = self.table
        category = self.table.category
        if category is None:
            return ()
        is_labeled = table.codes >= 0
        if not is_labeled.any():
            # The verdict on the fit includes this reason.
            return ()

        n_labeled = np.bincount(category.codes[is_labeled], minlength=category.n_parts)
        n_items = np.bincount(category.codes, table.weights, category.n_parts)
        name_of = {category.number_of(name): name for name in categories}
        parts = [part for part in name_of if n_items[part] > 0.0 and n_labeled[part] == 0]
        names = [name_of[part] for part in parts]
        total = float(n_items[parts].sum())
        if len(names) == 1:
            return (unlabeled_part(total, category=names[0]),)
        return (unlabeled_categories(names, total),) if names else ()

    def verdict_on(self, view: RankingView, *, of_sample: bool) -> Verdict:
        """Return the verdict on estimates of a ranking, for this sample or the population.

        It is that on the fit, worsened by the reasons about the part; if all items of the part are
        labeled, numbers about them are exact whatever the fit is.
        """
        posterior = view.posterior
        if of_sample and posterior.is_complete and not self.posterior.is_complete:
            return self.verdict.of_complete_labels(posterior.n_weighted_items)
        verdict = self.verdict_on_sample if of_sample else self.verdict
        return verdict.worsened(view.reasons)

    @cached_property
    def verdict_on_sample(self) -> Verdict:
        """The verdict on estimates of this sample."""
        posterior = self.posterior
        if not posterior.is_complete:
            return self.verdict
        return self.verdict.of_complete_labels(posterior.n_weighted_items)

    def __getstate__(self) -> dict[str, Any]:
        # What was asked is computed anew, and priors are large and are rebuilt.
        state = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return {**state, "prior": None} if "prior" in state else state


def of_model(path: str) -> property:
    """Return a property that reads an attribute of `model_`, absent before fit."""
    read = attrgetter(path)

    def value(estimator: Any):
        if "model_" not in vars(estimator):
            raise AttributeError(NOT_FITTED % {"name": type(estimator).__name__})
        return read(estimator.model_)

    return property(value, doc="")
