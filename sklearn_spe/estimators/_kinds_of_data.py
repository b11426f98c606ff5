"""Fits of one pool, of structured items and of classes, chosen by the data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..data._item_data import CLASSES, ITEMS, POOL, ItemData
from ..goals._question import Question
from ..inputs._labels import UNLABELED, BinaryLabels, EncodedLabels
from ..inputs._scores import ScoreDirection, check_direction
from ..inputs._validation import check_count, check_jobs, check_number, place_of_name
from ..models._class_model import ClassesModel
from ..models._class_questions import AVERAGES, ClassQuestion
from ..models._fitted_model import TwoClassModel
from ..models._item_table import ItemTable
from ..models._row_model import fit_two_classes
from ..posterior._operating_points import check_target
from ..posterior._posterior import ComplementPosterior
from ._selections import ClassAnswers, RankingAnswers, two_only


def check_parameters(performance: Any) -> None:
    """Raise if a parameter of a performance estimator is invalid."""
    check_target(performance.target)
    check_count(performance.n_points, "n_points", 2)
    check_count(performance.n_draws, "n_draws")
    check_jobs(performance.n_jobs)
    check_direction(performance.greater_is_positive)
    check_number(performance.confidence_level, "confidence_level", "(0, 1)")


def check_decision(threshold: Any) -> float | None:
    """Return a decision threshold or None; raise if it is not a number."""
    return None if threshold is None else check_number(threshold, "threshold", "(-inf, inf)")


# Arguments of a metric that set a point of a curve.
PLACES = ("threshold", "recall", "precision")


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

    def answers(self, performance: Any) -> Any:
        """Return the estimates for an estimator that shows one ranking."""
        return RankingAnswers(performance)


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

    @classmethod
    def of(cls, mixture, positive=None, decision=None) -> TwoClassItems:
        """Return the fit of a fitted mixture."""
        return cls(mixture, mixture.model_, decision, positive)

    @classmethod
    def fit(cls, mixture, data):
        model = fit_two_classes(mixture, data)
        if model.given.is_one_pool:
            mixture.model_ = model
        return cls(mixture, model, kind=data.kind)

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
            threshold = model.threshold_of(system, judge)
        if self.is_exchanged:
            posterior = ComplementPosterior.of(posterior, score_direction.total)
            score_direction = score_direction.reversed()
        if judge is None:
            system = self.systems[column]
        return RankingView(posterior, score_direction, threshold, replace(asked, system=system))

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

    @classmethod
    def fit(cls, mixture, data):
        return cls(mixture, ClassesModel.of(mixture, data))

    @property
    def labels(self):
        return EncodedLabels(None, self.model.classes)

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
    data = ItemData.read(mixture, **given)
    return SUBJECTS[data.kind].fit(mixture, data)


def updated_subject(subject: Subject, given: dict) -> Subject:
    """Return the fit to other labels of the same items."""
    if subject.kind == POOL:
        _check_no([name for name in ("category", "groups", "judges") if given[name] is not None])
    # A copy: a failing update keeps the names of columns.
    mixture = copy(subject.mixture)
    data = ItemData.read(mixture, **given, kind=subject.kind, before=subject.labels)
    return subject.updated(mixture, data)
