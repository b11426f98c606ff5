"""The model of rows: a prior of score axes and random effects, updated by the labels."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from ..checks._fit_verdict import reasons_of_experts
from ..checks._label_checks import LabelEProcess, SuspectLabels
from ..checks._reasons import reasons_of_labels, reasons_of_one_score, reasons_of_order
from ..data._cells import ScoreKind
from ..data._item_data import ItemData
from ..data._scale import ScoreScale
from ..inputs._groups import GROUPS
from ..inputs._validation import seed_entropy
from ..mixtures._comparison import Comparison
from ..posterior._known_positives import KnownPositives
from ..posterior._posterior import Block
from ..results._verdict import Verdict
from ._fit_settings import FitSettings
from ._further_items import FurtherItems
from ._item_table import MAX_ROWS, ItemTable
from ._mixture_model import MixtureModel
from ._part_regression import PartPrior, is_of_parts
from ._rankings import NO_DENSITY, RankingPosterior
from ._row_posterior import RowPosterior
from ._row_prior import RowPrior, RowPriors
from ._row_reasons import bets_on_items, reasons_of_items
from ._score_axes import kinds_of_columns
from ._score_density import ScoreDensity
from ._two_class_model import TwoClassModel

# Maximum number of draws of rows that each have a probability of their own.
MAX_DRAWS = 400
# The priors made last, used again for the same scores.
PRIORS = RowPriors()


@dataclass(frozen=True, eq=False)
class RowModel(TwoClassModel):
    """Fit of rows, each of which represents items: cells of one column, or items with several."""

    settings: FitSettings
    seed: int
    prior: RowPrior | PartPrior | None  # None after unpickling: ensembles are large and are rebuilt
    table: ItemTable  # the rows of the fit
    posterior: Any  # of the rows; of one pool that of its ranking
    density: ScoreDensity | None  # of the scores, if they are one column
    given: ItemTable  # the rows of X, which the table gathers

    @classmethod
    def fit(
        cls,
        settings: FitSettings,
        given: ItemTable,
        seed: int,
        prior: RowPrior | PartPrior | None = None,
        *,
        gather: bool = True,
    ) -> RowModel:
        """Fit to the rows of X, equal and, of many, similar ones gathered; or as they are.

        A prior that was made of the same scores is used again.
        """
        is_regression = is_of_parts(given, settings)
        table = given
        if gather or given.is_one_pool:
            table = (given.with_labeled_groups() if is_regression else given).gathered()
        if prior is None or not prior.is_of(table):
            prior = (PartPrior.of if is_regression else PRIORS.prior_of)(table, settings, seed)
        return cls.of_prior(settings, table, prior, given)

    @classmethod
    def of_prior(
        cls, settings: FitSettings, table: ItemTable, prior: RowPrior | PartPrior, given: ItemTable
    ) -> RowModel:
        """Update a prior by the labels of a table, which gathers the `given` rows."""
        n_draws = settings.n_draws
        is_small = table.predictions is not None and table.n_items <= MAX_ROWS
        if not (table.is_one_pool or is_small):
            n_draws = min(n_draws, MAX_DRAWS)
        known = KnownPositives(settings.prevalence_prior, settings.known_positives)
        posterior: Any = prior.posterior(table, n_draws, known=known, n_jobs=settings.n_jobs)
        if table.is_one_pool:
            posterior = prior.ranking(posterior, table)
        model = cls(
            settings=settings,
            seed=prior.entropy,
            prior=prior,
            table=table,
            posterior=posterior,
            density=prior.density,
            given=given,
        )
        if settings.verbose and table.is_one_pool:
            print(model.comparison.describe())
        return model

    def with_labels(self, given: ItemTable, settings: FitSettings | None = None) -> RowModel:
        settings = self.settings if settings is None else settings
        is_same = settings.makes_the_same(self.settings)
        return self.fit(
            settings,
            given,
            self.seed,
            self.prior if is_same else None,
            gather=self.table is not self.given,
        )

    def completed_by(self, later: RowModel) -> RowModel:
        rows = replace(later.row_posterior, updated=self.row_posterior.updated)
        posterior = replace(later.posterior, items=rows) if self.table.is_one_pool else rows
        completed = replace(self, posterior=posterior, table=later.table, given=later.given)
        # The labels do not update it, and say nothing of it.
        vars(completed).update(self._diagnostics)
        return completed

    def __getstate__(self) -> dict[str, Any]:
        # The diagnostics compare with the prior, which is not stored.
        return super().__getstate__() | self._diagnostics

    @property
    def _diagnostics(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("bets", "suspect_labels", "verdict")}

    @cached_property
    def bets(self) -> LabelEProcess:  # type: ignore[override]
        """The bets against the posterior."""
        with np.errstate(under="ignore"):
            if self.table.is_one_pool:
                return LabelEProcess.of(self.posterior)
            return bets_on_items(self.posterior, self._consensus, self.table)

    @cached_property
    def suspect_labels(self) -> SuspectLabels:  # type: ignore[override]
        """The labels that are improbable given the others."""
        return self._suspects if self.given.has_scores else self._suspects.none()

    @cached_property
    def verdict(self) -> Verdict:  # type: ignore[override]
        """The verdict on the fit."""
        prior = self._prior
        # Densities underflow to zero in the tails, even if the user turned that into an error.
        with np.errstate(under="ignore"):
            return Verdict(
                list(_reasons(prior, self.table, self._consensus, self.bets, self._suspects))
            )

    @cached_property
    def _suspects(self) -> SuspectLabels:
        table = self.table
        if table.is_one_pool:
            numbers = self.given.scores[:, 0]
            codes = self.given.codes
        else:
            numbers, codes = table.at_rows(self._prior.numbers(table))
        direction = table.score_directions[0]
        with np.errstate(under="ignore"):
            return SuspectLabels.of(self._consensus, numbers, codes, table.labels, direction)

    @cached_property
    def _consensus(self) -> RankingPosterior:
        """The ranking of all rows on their first axis."""
        if self.table.is_one_pool:
            return self.posterior
        return self._prior.ranking(self.posterior, self.table)

    @property
    def _prior(self) -> RowPrior | PartPrior:
        # Diagnostics are stored with a fit: only one in the process that made it has to make them.
        assert self.prior is not None
        return self.prior

    @property
    def row_posterior(self) -> RowPosterior:
        """The posterior of the rows."""
        return self.posterior.items if self.table.is_one_pool else self.posterior

    def ranking(
        self,
        system: Any = None,
        category: Any = None,
        *,
        judge: Any = None,
        beside: tuple[Hashable, ...] = (),
    ) -> RankingPosterior:
        table = self.table
        part = table.part_of(category)
        column = table.column_of(system, judge)
        if table.is_one_pool:
            return self.posterior

        others = map(table.number_of, beside)
        columns = column, *(other for other in others if table.misses[other])
        if (part, columns) not in self._rankings:
            # What is known of all items, of which some represent others in the posterior.
            items = self.given.measured_items(columns, part)
            sample = (
                None
                if table.represented_by is None
                else self.given.sample_of(self.given.columns[items, column], items)
            )
            self._rankings[part, columns] = RankingPosterior.of(
                self.row_posterior,
                table.columns[:, column],
                self.kinds[column],
                table.measured_items(columns, part),
                self._range_of(column),
                self._further,
                sample=sample,
                part=part,
                column=column,
            )
        return self._rankings[part, columns]

    @cached_property
    def _further(self) -> FurtherItems:
        return FurtherItems.of(self.row_posterior, self.table)

    @cached_property
    def _rankings(self) -> dict[tuple[Any, ...], RankingPosterior]:
        return {}

    @cached_property
    def kinds(self) -> tuple[ScoreKind, ...]:  # type: ignore[override]
        """The score kind of each system and rater."""
        return kinds_of_columns(self.table, self.settings.score_kind)

    def _range_of(self, column: int) -> np.ndarray:
        """Return the lowest and highest score of a column."""
        if self.table.are_verdicts[column]:
            # A rater may have used one of the two classes only.
            return np.array([0.0, 1.0])
        scores = self.given.columns[:, column]
        return np.array([np.nanmin(scores), np.nanmax(scores)])

    def item_probability(
        self, block: Block, items: np.ndarray, *, new_groups: bool = False
    ) -> np.ndarray:
        """Return P(y = 1) of rows of X in the draws of a block, or in new groups.

        The result is (n_draws, n_items).
        """
        if self.table.is_one_pool:
            return super().item_probability(block, items)
        if new_groups:
            return self.row_posterior.probability_anywhere(block, GROUPS)[:, items]
        return self.row_posterior.probability(block, items)

    @property
    def kind_name(self) -> str:  # type: ignore[override]
        return self.kinds[0].name

    @property
    def scale(self) -> ScoreScale:  # type: ignore[override]
        return self._density.scale

    @cached_property
    def comparison(self) -> Comparison:  # type: ignore[override]
        return self._density.comparison(self.given.pool)

    @property
    def _density(self) -> ScoreDensity:
        if self.density is None:
            raise ValueError(NO_DENSITY)
        return self.density


def fit_table(settings: FitSettings, given: ItemTable, seed: int) -> MixtureModel | RowModel:
    """Fit the model of the settings to the rows of X."""
    if settings.experts is None:
        return MixtureModel.fit(settings, given, seed)
    return RowModel.fit(settings, given, seed)


def fit_two_classes(parameters: Any, data: ItemData) -> TwoClassModel:
    """Fit items of two classes with the parameters of a `SemisupervisedScoreMixture`."""
    settings = FitSettings.of(parameters)
    settings.check_inclusion(data.inclusion)
    seed = seed_entropy(parameters.random_state)
    return fit_table(settings.seeing(data), ItemTable.of(data), seed)


def _reasons(
    prior: RowPrior | PartPrior,
    table: ItemTable,
    ranking: RankingPosterior,
    bets: LabelEProcess,
    suspect_labels: SuspectLabels,
):
    """Yield the diagnostics of a fit."""
    score_direction = table.score_directions[0]
    is_one_column = table.is_one_pool and table.n_systems == 1
    if is_one_column:
        yield from reasons_of_one_score(ranking.sample)
    yield from reasons_of_labels(ranking, score_direction)

    if table.is_one_pool:
        # Items with equal scores may differ in other columns.
        yield from reasons_of_order(ranking, score_direction)
    yield from reasons_of_experts(ranking, prior.average_precision, score_direction)
    if not is_one_column:
        yield from reasons_of_items(table)

    yield from bets.reasons(score_direction)
    is_consensus = not table.is_one_pool and len(table.samples) > 1
    yield from suspect_labels.reasons(score="consensus score" if is_consensus else "score")


def effective_number(posterior: RowPosterior, ratings: np.ndarray) -> np.ndarray:
    r"""Return the effective number of independent raters, for each draw of the labels.

    K raters whose errors have the mean correlation :math:`\bar\rho` are worth :math:`K / (1 + (K -
    1) \bar\rho)` independent ones (the design effect of Kish, 1965). An error is the deviation of a
    rater's score from its mean within the class. `ratings` is (n_items, n_judges), NaN if missing;
    each pair of raters is compared on the items that both rated. The result is (n_draws,), NaN if
    no two raters share items, or if one is constant within a class.
    """
    n = ratings.shape[1]
    blocks = posterior.blocks()
    correlations = [
        np.concatenate([_correlation(posterior, block, one, other) for block in blocks])
        for one, other in combinations(ratings.T, 2)
    ]
    return n / (1.0 + (n - 1.0) * np.mean(correlations, axis=0))


def _correlation(posterior: Any, block: Block, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the within-class correlation of two raters, for each draw."""
    both = np.flatnonzero(~np.isnan(one) & ~np.isnan(other))
    one = one[both]
    other = other[both]

    # Sums over each class: of the items, both ratings, their product and their squares.
    parts = np.column_stack([np.ones(len(both)), one, other, one * other, one**2, other**2])
    positive = posterior.positives(block)[:, both]
    within = np.zeros((3, len(positive)))
    for labels in (positive, posterior.counts[both] - positive):
        n, of_one, of_other, product, square, other_square = np.einsum("ij,jk->ki", labels, parts)
        n = np.maximum(n, 1.0)
        within += (
            product - of_one * of_other / n,
            square - of_one**2 / n,
            other_square - of_other**2 / n,
        )

    covariance, spread, other_spread = within
    with np.errstate(invalid="ignore", divide="ignore"):
        return covariance / np.sqrt(spread * other_spread)
