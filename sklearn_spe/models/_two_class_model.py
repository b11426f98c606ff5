"""Base of fits of two classes: the rows of X, the rankings of systems and raters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..checks._fit_verdict import warn_of_removed
from ..data._cells import ScoreKind, default_threshold, learn_score_kind
from ..data._item_data import ItemData
from ..data._kinds import POOL
from ..data._sample import ScoreSample
from ..data._scale import ScoreScale
from ..inputs._labels import UNLABELED, BinaryLabels
from ..inputs._scores import ScoreDirection
from ..inputs._validation import place_of_name
from ..metrics._ranking import Prevalence
from ..mixtures._comparison import Comparison
from ..posterior._open_ends import with_open_ends
from ..posterior._posterior import Block, ComplementPosterior
from ..posterior._row_estimates import SampleRows
from ..results._estimates import ScalarEstimate
from ..results._part_reasons import unlabeled_part
from ..results._verdict import Reason, Verdict
from ._fit_settings import FitSettings
from ._fitted_model import FittedModel
from ._item_table import ItemTable
from ._ranking_value import MetricArguments, Ranking, RankingSettings
from ._ranking_view import RankingKey, RankingRows, RankingView
from ._rankings import RankedRows
from ._row_reasons import verdict_on_labels
from ._score_ranking import LabelRanking, ScoreRanking, question_of


class TwoClassModel(FittedModel):
    """A fit of items of two classes.

    Its rows may be the cells of one column of scores or items with several; who asks need not know.
    """

    predicts_classes: ClassVar[bool] = False

    settings: FitSettings  # settings of the fit
    given: ItemTable  # the rows of X
    table: ItemTable  # the rows of the fit, which may gather those of X
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
        self,
        system: Any = None,
        category: Any = None,
        *,
        judge: Any = None,
        beside: tuple[Hashable, ...] = (),
    ) -> Any:
        """Return the posterior of the ranking by a system, or a rater, of the items that it scored.

        Restricted to a category, if given, and to items that the systems `beside` scored too.
        """

    # --- the contract of `FittedModel` ------------------------------------------------------------

    @property
    def kind(self) -> str:
        """The kind of the data, as they were read."""
        return self.given.kind

    @property
    def has_scores(self) -> bool:
        """Whether there are scores, beside labels."""
        return self.given.has_scores

    @property
    def is_one_pool(self) -> bool:
        """Whether items have a single score and no structure."""
        return self.given.is_one_pool

    @property
    def systems(self) -> tuple[Hashable, ...]:
        """Names of the systems."""
        return self.given.systems

    @property
    def judges(self) -> tuple[Hashable, ...]:
        """Names of the raters."""
        judges = self.given.judges
        return () if judges is None else judges.names

    def passed_sample(self, view: RankingView) -> ScoreSample:
        """Return the scores and labels that were passed, for a ranking."""
        return view.posterior.sample

    @property
    def n_rows(self) -> int:
        """Number of rows of X."""
        return self.given.n_rows

    @property
    def misses_scores(self) -> bool:
        """Whether a system has missing scores."""
        return bool(self.given.misses[: self.given.n_systems].any())

    def shown(self, key: RankingKey) -> RankingView:
        labels = self.labels.with_positive(key.pos_label)
        # Check the category first: it must exist for every metric.
        self.given.part_of(key.category)
        if self._is_of_all_systems(key):
            reasons = self._reasons_of_part(key)
            return RankingView(key, self.posterior, labels, systems=self.systems, reasons=reasons)

        column = self._column_of(key)
        if key.judge is None:
            key = replace(key, system=self.systems[column])
        posterior = self.ranking(key.system, key.category, judge=key.judge, beside=key.beside)
        score_direction = self.given.directions_of_columns[column]
        if labels.positive != self.labels.positive:
            posterior = ComplementPosterior.of(posterior, score_direction.total)
            score_direction = score_direction.reversed()
        return RankingView(
            key,
            posterior,
            labels,
            score_direction,
            self._decision_of(key),
            whose=key.whose if self.judges or len(self.systems) > 1 else "",
            reasons=self._reasons_of_part(key),
        )

    def verdict_on(self, view: RankingView, *, of_sample: bool) -> Verdict:
        verdict = super().verdict_on(view, of_sample=of_sample)
        return verdict if self.given.has_scores else verdict_on_labels(verdict)

    def _decision_of(self, key: RankingKey) -> float | None:
        """Return the decision threshold that was set, or else that the scores imply, if any."""
        if key.threshold is not None and key.judge is None:
            return key.threshold
        return self.threshold_of(key.system, key.judge) if self.has_scores else None

    def rows(self, key: RankingKey) -> RankingRows:
        table = self.given
        column, items = self._ranked_items(key)
        row = table.rows[items]
        scores = np.zeros(table.n_rows)
        codes = np.full(table.n_rows, UNLABELED)
        is_ranked = np.zeros(table.n_rows, dtype=bool)
        scores[row] = table.columns[items, column]
        codes[row] = table.codes[items]
        is_ranked[row] = True

        if self._is_exchanged(key):
            scores, codes = self._exchanged(column, scores, codes)
        are_items = np.isin(table.weights, (0.0, 1.0)).all()
        return RankingRows(scores, codes, is_ranked, table.inclusion_proba if are_items else None)

    def sample_rows(self, key: RankingKey) -> SampleRows | None:
        """Return the rows that are ranked; None for counted scores and fractional weights."""
        table = self.given
        if table.source is not None or (table.weights != np.round(table.weights)).any():
            return None

        column, items = self._ranked_items(key)
        items = np.repeat(items, table.weights[items].astype(np.int64))
        row = table.rows[items]
        scores = table.columns[items, column]
        codes = table.codes[items]
        if table.is_one_pool:
            # Labels are drawn by cell. Only one pool can be asked about its other class, whose
            # scores are those of this one in reverse.
            cell = table.cells[items]
            if self._is_exchanged(key):
                scores, codes = self._exchanged(column, scores, codes)
                cell = table.pool.n_cells - 1 - cell
            return SampleRows(row, scores, codes, cell, table.n_rows)
        return RankedRows.of(
            self.posterior,
            row=row,
            scores=scores,
            codes=codes,
            represented_by=self.table.representative_of_row[row],
            n_rows=table.n_rows,
            groups=None if table.groups is None else table.groups.codes[items],
        )

    def has_items(self, key: RankingKey) -> bool:
        part = self.given.part_of(key.category)
        return bool(len(self.given.items_with(self._columns_of(key), part)))

    def ranking_of(self, view: RankingView, settings: RankingSettings) -> Ranking:
        if view.score_direction is None:
            known = ", ".join(map(repr, self.systems))
            raise ValueError(
                f"There are {len(self.systems)} systems: choose one of {known} by system=."
            )
        ranking = ScoreRanking if self.given.has_scores else LabelRanking
        return ranking(self, view, settings)

    def metric_of(self, arguments: MetricArguments) -> Any:
        return question_of(replace(arguments, sample_columns=None)).metric

    def _reasons_of_part(self, key: RankingKey) -> tuple[Reason, ...]:
        """Return the reasons about the items of a ranking, beside those about the fit."""
        table = self.table
        columns = self._columns_of(key)
        part = table.part_of(key.category)
        if part is None and not any(table.misses[column] for column in columns):
            # These are all items, of which the verdict on the fit speaks.
            return ()
        items = table.items_with(columns, part)
        is_labeled = table.codes >= 0
        if not (len(items) and is_labeled.any()) or is_labeled[items].any():
            return ()

        n_items = float(table.weights[items].sum())
        if not is_labeled[table.items_of(part)].any():
            return (unlabeled_part(n_items, category=key.category),)
        systems = key.system
        if key.system is None and key.judge is None:
            systems = key.beside or self.systems
        return (unlabeled_part(n_items, category=key.category, system=systems, judge=key.judge),)

    def _is_of_all_systems(self, key: RankingKey) -> bool:
        """Return whether one of several systems must still be chosen."""
        return key.system is None and key.judge is None and len(self.systems) > 1

    def _columns_of(self, key: RankingKey) -> list[int]:
        """Return the columns of all selected systems, that of the ranking first."""
        columns = [self._number_of(name) for name in key.beside]
        if not self._is_of_all_systems(key):
            columns.insert(0, self._column_of(key))
        return columns

    def _ranked_items(self, key: RankingKey) -> tuple[int, np.ndarray]:
        """Return the column of a ranking, and the rows of X that it ranks; raise if none."""
        columns = self._columns_of(key)
        return columns[0], self.given.measured_items(columns, self.given.part_of(key.category))

    def _column_of(self, key: RankingKey) -> int:
        """Return the column of a ranking."""
        if key.judge is None and key.system is not None:
            return self._number_of(key.system)
        return self.given.column_of(key.system, key.judge)

    def _number_of(self, system: Any) -> int:
        """Return the index of a system, which a single column may name."""
        is_only = len(self.systems) == 1 and place_of_name(system, (0, *self.systems)) is not None
        if is_only:
            return 0
        self._check_structure(system=system)
        return self.given.number_of(system)

    def _is_exchanged(self, key: RankingKey) -> bool:
        """Return whether the class to evaluate is the negative one of the fit."""
        return self.labels.with_positive(key.pos_label).positive != self.labels.positive

    def _exchanged(
        self, column: int, scores: np.ndarray, codes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return scores and codes with the classes exchanged."""
        total = self.given.directions_of_columns[column].total
        return total - scores, np.where(codes == UNLABELED, UNLABELED, 1 - codes)

    def _check_structure(self, **structure: Any) -> None:
        """Raise if structure is passed that the fit to a single column of scores lacks."""
        names = [name for name, value in structure.items() if value is not None]
        if self.kind == POOL and names:
            raise ValueError(
                f"{' and '.join(f'{name}=' for name in names)} requires a fit with it: fit was "
                "given one column of scores without category=, groups= and judges=. Pass them to "
                "fit."
            )

    # --- what only fits of two classes have ----------------------------------------------------

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
        self._check_structure(
            category=data.category,
            groups=data.groups,
            judges=data.judges,
            features=data.features,
        )
        settings = FitSettings.of(parameters)
        settings.check_inclusion(data.inclusion, self.given.inclusion)
        table = self.given.same_items(ItemTable.of(data))
        warn_of_removed(self.given.n_lost(table), self.given.n_labeled)
        return self.with_labels(table, settings.seeing(data, self.settings))

    def with_draws(self, n_draws: int) -> Self:
        """Return the same fit, with fewer draws in later updates."""
        fewer = min(n_draws, self.settings.n_draws)
        model: Any = self
        return replace(model, settings=replace(self.settings, n_draws=fewer))

    def item_probability(
        self, block: Block, items: np.ndarray, *, new_groups: bool = False
    ) -> np.ndarray:
        """Return P(y = 1) of unlabeled rows of X in the draws of a block, (n_draws, n_items)."""
        scores, index = np.unique(self.given.scores[items, 0], return_inverse=True)
        return self.posterior.unlabeled_probability(scores, block)[:, index]

    @property
    def ess(self) -> float:
        """The effective sample size of the draws."""
        with np.errstate(under="ignore"):
            return self.posterior.ess

    def threshold_of(self, system: Any = None, judge: Any = None) -> float | None:
        """Return the usual decision threshold of a system or rater, by its values, if any."""
        column = self.given.column_of(system, judge)
        if self.given.are_verdicts[column]:
            return 0.5
        sample = self.given.samples[column]
        if judge is None:
            # A consensus has no unit.
            unit = self.kinds[column].whole if self.kinds else None
            kind = self.settings.score_kind
            return None if self.given.is_consensus else default_threshold(sample, kind, unit)
        # Grades such as pass, partial and fail are no votes, and ratings no margins.
        is_probability = learn_score_kind(sample).name == "probability"
        return default_threshold(sample, "auto") if is_probability else None

    @cached_property
    def prevalence(self) -> ScalarEstimate:
        """The prevalence of the positive class in the population."""
        posterior = self.ranking()
        with np.errstate(under="ignore"):
            prevalence = posterior.prevalence()
        prevalence = with_open_ends(prevalence, Prevalence(), posterior)
        return replace(prevalence, pos_label=self.labels.pos_label)
