"""The model of several systems, categories or groups by the posterior of their rows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from ...estimators._performance import PerformanceCurveEstimator
from ...estimators._side_by_side import side_by_side, table_by_category
from ...goals._question import Question
from ...inputs._labels import BinaryLabels
from ...inputs._validation import place_of_system
from ...models._item_table import ItemTable
from ...models._ranking_value import MetricArguments
from ...models._ranking_view import RankingKey
from ...models._two_class_model import TwoClassModel
from ...results._distributions import WeightedDraws
from ...results._estimates import CurveBand, ScalarEstimate
from ...results._tables import EstimateTable
from ..label_models._curves import SharedCurvesModel
from ..label_models._label_model import LabelDraws
from ..lists._contrast import Contrast
from ..lists._ranked_lists import ListItems, RankedLists
from ._item_model import relabeled_fit, without_cache
from ._list_model import MAX_NUMBERS, MIN_DRAWS, ListModel

# Number of unseen groups to predict: the question is about the items at hand.
OF_FURTHER_GROUPS = "few_groups"
# Undefined values (no positive in a category, say) are excluded, neither worse nor zero.
EXCLUDED = np.nan


class SharedListModel(ListModel):
    """Ranked lists whose labels are predicted by the fit of a performance estimator.

    The estimates are those of the estimator, from all its draws; items are chosen by some of them,
    if the rows are many.

    Attributes
    ----------
    mixture : SemisupervisedScoreMixture
        Unfitted: the parameters of the fit.
    start : ItemTable
        With the labels known at the start.
    earlier : TwoClassModel
        Updated by these.
    given : ItemTable
        With all known labels.
    """

    fit = "score_model"
    is_fitted_at_once = False

    def __init__(
        self,
        question: Question,
        ranked_lists: RankedLists,
        items: ListItems,
        label_model: SharedCurvesModel,
        *,
        mixture: Any,
        start: ItemTable,
        score_model: TwoClassModel,
        confidence_level: float = 0.9,
        n_jobs: int | None = None,
        contrast: Contrast | None = None,
    ) -> None:
        super().__init__(
            question,
            ranked_lists,
            items,
            label_model,
            confidence_level=confidence_level,
            n_draws=score_model.settings.n_draws,
            seed=score_model.seed,
            contrast=contrast,
        )
        self.mixture = mixture
        self.start = start
        self.earlier = score_model
        self.given = start
        self.n_jobs = n_jobs

    # --- labels ---------------------------------------------------------------------------------

    @cached_property
    def score_model(self) -> TwoClassModel:
        """Updated by all known labels."""
        return relabeled_fit(self.earlier, self.given)

    @cached_property
    def performance(self) -> PerformanceCurveEstimator:
        """The score model as an estimator; it is never exposed."""
        parameters = PerformanceCurveEstimator(
            self.mixture, confidence_level=self.confidence_level, n_jobs=self.n_jobs
        )
        return parameters._of_fit(self.score_model)

    @cached_property
    def label_draws(self) -> LabelDraws:
        """The predictions for every row: some of the draws if the rows are many."""
        model = self.score_model
        rows = self.items.places[self.items.item]
        if not model.given.is_one_pool:
            rows = model.table.representative_of_row[rows]

        # Each step-th draw, so that all together have at most MAX_NUMBERS elements.
        max_draws = max(MAX_NUMBERS // max(len(rows), 1), MIN_DRAWS)
        step = -(-model.posterior.n_draws // max_draws)
        parts = []
        for block in model.posterior.blocks():
            draws = np.arange(block.rows.start, block.rows.stop)
            parts.append(model.item_probability(block, rows)[draws % step == 0])

        reasons = tuple(r for r in model.verdict.reasons if r.name != OF_FURTHER_GROUPS)
        return LabelDraws(np.concatenate(parts), self.row_codes, reasons=reasons)

    def updated(self, codes: np.ndarray, labels: BinaryLabels, details: Any = None) -> Self:
        row_codes = self.start.codes.copy()
        row_codes[self.items.places] = codes
        return self._changed(codes=codes, given=self.start.relabeled(row_codes, labels))

    def with_draws(self, n_draws: int) -> Self:
        # The present fit keeps its draws.
        _ = self.score_model
        return self._with_equal_cache(earlier=self.earlier.with_draws(n_draws))

    def unfitted(self) -> Self:
        return self._changed(given=without_cache(self.given, self.earlier))

    # --- the metric -----------------------------------------------------------------------------

    def estimate(self) -> ScalarEstimate | CurveBand:
        if self.contrast is not None:
            return self.difference(*self.contrast.names)
        if self.ranked_lists.n_systems == 1:
            return self.table.estimates[0]

        name = self.question.name
        estimates = self.table.estimates
        return CurveBand(
            name,
            np.arange(len(estimates)),
            WeightedDraws.side_by_side([estimate.distribution for estimate in estimates]),
            x_name="system",
            y_name=name,
            confidence_level=self.confidence_level,
            undefined=np.array([estimate.undefined for estimate in estimates]),
            n_items=np.nan,
        )

    @cached_property
    def table(self) -> EstimateTable:
        """The estimate of each system; the mean over categories, if there are several."""
        names = tuple(map(str, self.systems))
        if self.ranked_lists.n_groups > 1:
            estimates = [self._mean_of(self.by_category(name)) for name in self.systems]
            return EstimateTable(names, tuple(estimates))
        if self.ranked_lists.n_systems > 1:
            return side_by_side(self.performance, MetricArguments(self.question))
        estimate = self.performance.estimate(self.question, zero_division=EXCLUDED)
        return EstimateTable(names, (estimate,))

    def by_category(self, system: Hashable) -> EstimateTable:
        """Return the estimate of each category, for a system by name or number."""
        place = place_of_system(system, self.systems)
        if self.ranked_lists.category.n_parts < 2:
            (name,) = map(str, self.ranked_lists.category.names)
            return EstimateTable((name,), (self.table.estimates[place],))
        arguments = MetricArguments(self.question, zero_division=EXCLUDED)
        if self.ranked_lists.n_systems < 2:
            return table_by_category(self.performance, RankingKey(), arguments)
        return table_by_category(
            self.performance, RankingKey(system=self.systems[place]), arguments
        )

    def _mean_of(self, table: EstimateTable) -> ScalarEstimate:
        """Return the mean over the categories in which the metric is defined, draw by draw."""
        estimates = table.estimates
        draws = np.column_stack([estimate.draws for estimate in estimates])
        is_defined = ~np.isnan(draws)
        n_defined = is_defined.sum(axis=1)
        mean = np.where(is_defined, draws, 0.0).sum(axis=1) / np.where(n_defined, n_defined, np.nan)

        distribution = WeightedDraws(mean[:, np.newaxis], estimates[0].weights)
        distribution = distribution.reaching_like([estimate.distribution for estimate in estimates])
        return replace(
            estimates[0],
            distribution=distribution,
            undefined=float(np.isnan(mean).mean()),
            n_items=np.nan,
            verdict=None,
        )
