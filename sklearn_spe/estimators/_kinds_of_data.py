"""Fits of one pool, of structured items and of classes, chosen by the data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..checks._label_checks import SuspectLabels
from ..data._item_data import CLASSES, ITEMS, POOL, ItemData
from ..goals._question import Question
from ..inputs._labels import UNLABELED, BinaryLabels, EncodedLabels
from ..inputs._scores import ScoreDirection, check_direction
from ..inputs._validation import (
    check_count,
    check_draws,
    check_jobs,
    check_number,
    check_target,
    place_of_name,
)
from ..models._class_model import ClassesModel
from ..models._class_questions import AVERAGES, ClassQuestion
from ..models._fitted_model import TwoClassModel
from ..models._item_table import ItemTable
from ..models._rankings import RankedRows
from ..models._row_model import fit_two_classes
from ..posterior._posterior import ComplementPosterior
from ..posterior._row_estimates import SampleRows
from ..results._part_reasons import unlabeled_categories, unlabeled_part
from ..results._verdict import Reason, Verdict
from ._selections import (
    PLACES,
    ClassAnswers,
    LabelAnswers,
    RankingAnswers,
    two_only,
    verdict_on_labels,
)


def check_parameters(performance: Any) -> None:
    """Raise if a parameter of a performance estimator is invalid."""
    check_target(performance.target)
    check_count(performance.n_points, "n_points", 2)
    check_draws(performance.n_draws)
    check_jobs(performance.n_jobs)
    check_direction(performance.greater_is_positive)
    check_number(performance.confidence_level, "confidence_level", "(0, 1)")


def check_decision(threshold: Any) -> float | None:
    """Return a decision threshold or None; raise if it is not a number."""
    return None if threshold is None else check_number(threshold, "threshold", "(-inf, inf)")


@dataclass(frozen=True, eq=False)
class RankingKey:
    """The ranking and the items to evaluate; None for all."""

    system: Any = None
    category: Any = None
    judge: Any = None
    beside: tuple = ()  # systems that must have scored an item too, for comparisons

    @property
    def whose(self) -> str:
        """Part of a sentence that names the system or rater; empty if none."""
        named = {"system": self.system, "judge": self.judge}
        return "".join(f" of {what} {name!r}" for what, name in named.items() if name is not None)

    def narrowed(self, system: Any, category: Any, judge: Any) -> RankingKey:
        """Return the selection narrowed further; raise for both a system and a rater."""
        if system is not None and judge is not None:
            raise ValueError(
                f"Pass either system= or judge=, not both: got system={system!r} and "
                f"judge={judge!r}."
            )
        if system is None and judge is None:
            system, judge = self.system, self.judge
        category = self.category if category is None else category
        return RankingKey(system, category, judge, self.beside)


@dataclass(frozen=True, eq=False)
class RankingView:
    """One ranking to evaluate; or all, until one is chosen."""

    posterior: Any
    score_direction: ScoreDirection | None
    default_threshold: float | None = None
    asked: RankingKey = RankingKey()
    systems: tuple = ()  # the systems of which none is chosen yet


@dataclass(frozen=True, eq=False)
class RankingRows:
    """The rows of X for one ranking."""

    scores: np.ndarray  # (n_samples,), larger for positives
    codes: np.ndarray  # (n_samples,): 1, 0, or -1 if unlabeled
    asked: np.ndarray  # (n_samples,), rows that are ranked: of the category, with a weight
    # (n_samples,), inclusion probabilities; None if unknown, or if rows represent several items
    chances: np.ndarray | None = None

    def selection(self, threshold: float) -> np.ndarray:
        """Return the known positives, and the unlabeled rows that reach a threshold."""
        above = np.where(self.codes == UNLABELED, self.scores >= threshold, self.codes == 1)
        return self.asked & above


class Subject(ABC):
    """A kind of X with its fit, an immutable value.

    A new kind of X costs a class, an entry in `SUBJECTS`, and a word in `data._item_data.kind_of`.
    """

    kind: str  # of data, as in `ItemData`
    has_scores: bool  # False of labels alone
    mixture: Any  # parameters of the fit
    model: Any  # with `seed`, `verdict`, `verdict_on_sample`, `suspect_labels` and `bets`

    @classmethod
    @abstractmethod
    def fit(cls, mixture: Any, data: ItemData) -> Self:
        """Fit with the parameters of a mixture."""

    def updated(self, mixture: Any, data: ItemData) -> Self:
        """Return the fit to other labels of the same items; `mixture` has the parameters."""
        model = self.model.updated(mixture, data)
        return replace(self, mixture=mixture, model=model)  # type: ignore[type-var]

    @property
    def labels(self) -> BinaryLabels | EncodedLabels:
        """How labels are encoded, with the classes and the positive one, if any."""
        return self.model.labels

    @property
    def seed(self) -> int:
        """Seed of the label draws."""
        return self.model.seed

    @property
    def systems(self) -> tuple:
        """Names of the systems."""
        return self.model.table.systems

    @property
    def categories(self) -> np.ndarray | None:
        """Names of the subgroups, None without categories."""
        return self.model.table.names_of_categories

    @property
    def misses_scores(self) -> bool:
        """Whether a system has missing scores."""
        return False

    @property
    def has_density(self) -> bool:
        """Whether the fit has a density of one score to draw."""
        return True

    def verdict_on(self, view: RankingView, *, of_sample: bool) -> Verdict:
        """Return the verdict on what is asked of a ranking, of this sample or of the population.

        It is that on the fit, worsened by what is known of the part; if all items of the part are
        labeled, numbers about them are exact whatever the fit is.
        """
        model, posterior = self.model, view.posterior
        if of_sample and posterior.is_complete and not model.posterior.is_complete:
            return model.verdict.of_complete_labels(posterior.n_weighted_items)
        verdict = model.verdict_on_sample if of_sample else model.verdict
        if not self.has_scores:
            verdict = verdict_on_labels(verdict)
        return verdict.worsened(self.reasons_of_part(view.asked))

    def reasons_of_part(self, asked: RankingKey) -> tuple[Reason, ...]:
        """Return the reasons about the items of a ranking, beside those about the fit."""
        return ()

    def reasons_of_categories(self, categories: Iterable) -> tuple[Reason, ...]:
        """Return the reasons about some categories, where several are one reason."""
        if self.categories is None:
            return ()
        table, category = self.model.table, self.model.table.category
        is_labeled = table.codes >= 0
        if not is_labeled.any():
            # The verdict on the fit says so.
            return ()
        n_labeled = np.bincount(category.codes[is_labeled], minlength=category.n_parts)
        n_items = np.bincount(category.codes, table.weights, category.n_parts)
        numbers = {category.number_of(name): name for name in categories}
        parts = [part for part in numbers if n_items[part] > 0.0 and n_labeled[part] == 0]
        names, total = [numbers[part] for part in parts], float(n_items[parts].sum())
        if len(names) == 1:
            return (unlabeled_part(total, category=names[0]),)
        return (unlabeled_categories(names, total),) if names else ()

    def have_items(self, asked: RankingKey) -> bool:
        """Return whether any item has scores by all selected systems."""
        return True

    @property
    def judges(self) -> tuple:
        """Names of the raters."""
        return ()

    def deciding(self, threshold: float | None) -> Subject:
        """Return the same fit with another decision threshold."""
        raise ValueError("A decision threshold requires a single column of scores.")

    def metric_of(self, metric: Any, **where: Any) -> Any:
        """Return the metric of an estimate."""
        asked = {name: value for name, value in where.items() if name in PLACES}
        return Question.of(metric, **asked).metric

    @abstractmethod
    def shown(self, asked: RankingKey) -> RankingView:
        """Return one ranking, of all items or of a category."""

    @abstractmethod
    def rows(self, asked: RankingKey) -> RankingRows:
        """Return the rows of X for the ranking that `shown` describes."""

    def sample_rows(self, asked: RankingKey) -> SampleRows | None:
        """Return the items of the ranking in the order of X; None if counted, not passed."""
        return None

    def answers(self, performance: Any) -> Any:
        """Return the estimates for an estimator that shows one ranking."""
        return RankingAnswers(performance) if self.has_scores else LabelAnswers(performance)

    @property
    def suspect_labels(self) -> SuspectLabels:
        """Labels that are improbable given the others: none without scores."""
        found = self.model.suspect_labels
        if self.has_scores:
            return found
        columns = {name: getattr(found, name)[:0] for name in OF_SUSPECT_LABELS}
        return replace(found, expected=0.0, **columns)


# The columns of suspect labels.
OF_SUSPECT_LABELS = ("item", "score", "label", "probability")


def check_subject(subject: Any, asked: RankingKey | None = None) -> None:
    """Raise unless a fit and a selection of its ranking are valid."""
    if not (asked is None or isinstance(asked, RankingKey)):
        raise TypeError(
            f"asked must be the shown_.asked of an estimator, or None; got {asked!r}. Choose a "
            "system or category by of(system=..., category=...)."
        )
    if not isinstance(subject, Subject):
        raise TypeError(
            f"subject must be the subject_ of a fitted estimator, got {subject!r}. Pass scores "
            "and labels to fit(X, y)."
        )


def _check_no(names: list[str]) -> None:
    """Raise if a category or group is requested but was not given to fit."""
    if names:
        raise ValueError(
            f"{' and '.join(f'{name}=' for name in names)} requires a fit with it: fit was given "
            "one column of scores without category=, groups= and judges=. Pass them to fit."
        )


@dataclass(frozen=True, eq=False)
class TwoClassItems(Subject):
    """Items of two classes, with one or several columns of scores, categories or groups."""

    mixture: Any  # the parameters; fitted to a single column of scores
    model: TwoClassModel
    decision: float | None = None  # threshold of a single system, if its scores imply none
    positive: Any = None  # the class to evaluate; None for the positive class of the fit
    kind: str = POOL  # of the data, as they were read
    has_scores: bool = True

    @classmethod
    def of(cls, mixture, positive=None, decision=None) -> TwoClassItems:
        """Return the fit of a fitted mixture."""
        return cls(mixture, mixture.model_, decision, positive)

    @classmethod
    def fit(cls, mixture, data):
        model = fit_two_classes(mixture, data)
        if model.given.is_one_pool:
            mixture.model_ = model
        return cls(mixture, model, kind=data.kind, has_scores=data.has_scores)

    def updated(self, mixture, data):
        model = self.model.updated(mixture, data)
        if model.given.is_one_pool:
            mixture.model_ = model
        return replace(self, mixture=mixture, model=model)

    def deciding(self, threshold):
        if len(self.systems) > 1:
            return super().deciding(threshold)
        return replace(self, decision=threshold)

    @cached_property
    def labels(self) -> BinaryLabels:
        """How labels are encoded, with the class to evaluate."""
        return self.model.labels.with_positive(self.positive)

    @property
    def is_exchanged(self) -> bool:
        """Whether the class to evaluate is the negative one of the fit."""
        return self.labels.positive != self.model.labels.positive

    @property
    def table(self) -> ItemTable:
        return self.model.given

    @property
    def systems(self):
        names = list(getattr(self.mixture, "feature_names_in_", ()))
        if self.table.systems == (0,) and len(names) == 1:
            return tuple(names)
        return self.table.systems

    @property
    def has_density(self):
        return self.table.is_one_pool

    @property
    def misses_scores(self):
        return bool(self.table.misses[: self.table.n_systems].any())

    def have_items(self, asked):
        columns, part = self._columns(asked), self.table.part_of(asked.category)
        return bool(len(self.table.items_with(columns, part)))

    def _columns(self, asked) -> list[int]:
        """Return the columns of all selected systems, that of the ranking first."""
        columns = [self._number_of(name) for name in asked.beside]
        if not (asked.system is None and asked.judge is None and len(self.systems) > 1):
            columns.insert(0, self._column_of(asked))
        return columns

    def _number_of(self, system) -> int:
        """Return the index of a system, which a single column may name."""
        is_only = len(self.systems) == 1 and place_of_name(system, (0, *self.systems)) is not None
        if self.kind == POOL and not is_only:
            _check_no(["system"])
        return 0 if is_only else self.table.number_of(system)

    def _column_of(self, asked) -> int:
        """Return the column of a ranking."""
        if asked.judge is None and asked.system is not None:
            return self._number_of(asked.system)
        return self.table.column_of(asked.system, asked.judge)

    @property
    def judges(self):
        judges = self.table.judges
        return () if judges is None else judges.names

    def reasons_of_part(self, asked):
        table, columns = self.model.table, self._columns(asked)
        part = table.part_of(asked.category)
        items = table.items_with(columns, part)
        labeled = table.codes >= 0
        if not (len(items) and labeled.any()) or labeled[items].any():
            return ()
        n_items = float(table.weights[items].sum())
        if not labeled[table.items_of(part)].any():
            return (unlabeled_part(n_items, category=asked.category),)
        names = {"category": asked.category, "system": asked.system, "judge": asked.judge}
        if asked.system is None and asked.judge is None:
            names["system"] = asked.beside or self.systems
        return (unlabeled_part(n_items, **names),)

    def shown(self, asked):
        model, judge, category = self.model, asked.judge, asked.category
        if self.kind == POOL:
            _check_no([name for name in ("category", "judge") if getattr(asked, name) is not None])
        # Check the category first: it must exist for every metric.
        self.table.part_of(category)
        if asked.system is None and judge is None and len(self.systems) > 1:
            asked = replace(asked, system=None)
            return RankingView(model.posterior, None, None, asked, self.systems)

        column = self._column_of(asked)
        system = self.table.systems[column] if judge is None else None
        posterior = model.ranking(system, category, judge=judge, beside=asked.beside)
        score_direction = self.table.directions_of_columns[column]
        threshold = self.decision if judge is None else None
        if threshold is None:
            threshold = self._threshold_of(system, judge)
        if self.is_exchanged:
            posterior = ComplementPosterior.of(posterior, score_direction.total)
            score_direction = score_direction.reversed()
        if judge is None:
            system = self.systems[column]
        return RankingView(posterior, score_direction, threshold, replace(asked, system=system))

    def _threshold_of(self, system, judge) -> float | None:
        """Return the threshold that the scores imply, if any."""
        return self.model.threshold_of(system, judge) if self.has_scores else None

    def rows(self, asked):
        table = self.table
        column, *beside = self._columns(asked)
        items = table.measured_items((column, *beside), table.part_of(asked.category))
        scores, codes = np.zeros(table.n_rows), np.full(table.n_rows, UNLABELED)
        ranked, rows = np.zeros(table.n_rows, dtype=bool), table.rows[items]
        scores[rows] = table.columns[items, column]
        codes[rows], ranked[rows] = table.codes[items], True
        if self.is_exchanged:
            scores = table.directions_of_columns[column].total - scores
            codes = np.where(codes == UNLABELED, UNLABELED, 1 - codes)
        proba = table.inclusion_proba if np.isin(table.weights, (0.0, 1.0)).all() else None
        return RankingRows(scores, codes, ranked, proba)

    def sample_rows(self, asked):
        table = self.table
        if table.source is not None or (table.weights != np.round(table.weights)).any():
            return None

        column, *beside = self._columns(asked)
        items = table.measured_items((column, *beside), table.part_of(asked.category))
        items = np.repeat(items, table.weights[items].astype(np.int64))
        row, scores, codes = table.rows[items], table.columns[items, column], table.codes[items]
        if table.is_one_pool:
            cell = table.cells[items]
            if self.is_exchanged:
                scores = table.directions_of_columns[column].total - scores
                codes = np.where(codes == UNLABELED, UNLABELED, 1 - codes)
                cell = table.pool.n_cells - 1 - cell
            return SampleRows(row, scores, codes, cell, table.n_rows)
        return RankedRows.of(
            self.model.posterior,
            row=row,
            scores=scores,
            codes=codes,
            represented_by=self.model.table.representative_of_row[row],
            n_rows=table.n_rows,
            groups=None if table.clusters is None else table.clusters.codes[items],
        )

    def answers(self, performance):
        if performance.score_direction_ is None:
            known = ", ".join(map(repr, self.systems))
            raise ValueError(
                f"There are {len(self.systems)} systems: choose one of {known} by system=."
            )
        return super().answers(performance)


@dataclass(frozen=True, eq=False)
class ClassColumns(Subject):
    """Probabilities or logits of several classes; a mapping holds several classifiers."""

    mixture: Any  # unfitted, holds the parameters
    model: ClassesModel

    kind: ClassVar[str] = CLASSES  # type: ignore[misc]
    has_scores: ClassVar[bool] = True  # type: ignore[misc]

    @classmethod
    def fit(cls, mixture, data):
        return cls(mixture, ClassesModel.of(mixture, data))

    @property
    def labels(self):
        return EncodedLabels(None, self.model.classes)

    def reasons_of_part(self, asked):
        return () if asked.category is None else self.reasons_of_categories([asked.category])

    def shown(self, asked):
        if asked.judge is not None:
            raise ValueError(two_only("judge="))
        system, category = asked.system, asked.category
        # Check the category first: it must exist for every metric.
        self.model.table.part_of(category)
        if system is None and len(self.systems) > 1:
            asked = RankingKey(None, category)
            return RankingView(self.model.posterior, None, None, asked, self.systems)
        number = self.model.table.number_of(system)
        ranking = self.model.error_model.ranking(self.systems[number], category)
        return RankingView(ranking, None, None, RankingKey(self.systems[number], category))

    def metric_of(self, metric, *, pos_label=None, average=None, **where):
        return ClassQuestion.of(metric, pos_label=pos_label, average=average or AVERAGES[0]).metric

    def rows(self, asked):
        raise ValueError(two_only("selection"))

    def answers(self, performance):
        asked = performance.shown_.asked
        return ClassAnswers(performance, self.model.measured(asked.system, asked.category))


# The fit of each kind of data.
SUBJECTS: dict[str, type[Subject]] = {
    POOL: TwoClassItems,
    ITEMS: TwoClassItems,
    CLASSES: ClassColumns,
}


def fit_subject(mixture, given: dict) -> Subject:
    """Return the fit of data of any kind; `given` are the arguments of `fit`."""
    data = ItemData.read(mixture, **given, may_lack_scores=True)
    return SUBJECTS[data.kind].fit(mixture, data)


def updated_subject(subject: Subject, given: dict) -> Subject:
    """Return the fit to other labels of the same items."""
    if subject.kind == POOL:
        _check_no([name for name in ("category", "groups", "judges") if given[name] is not None])
    # A copy: a failing update keeps the names of columns.
    mixture = copy(subject.mixture)
    data = ItemData.read(
        mixture,
        **given,
        kind=subject.kind,
        before=subject.labels,
        may_lack_scores=not subject.has_scores,
    )
    return subject.updated(mixture, data)
