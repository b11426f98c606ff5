"""Fits of one pool, of structured items and of classes, chosen by the data."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..data._item_data import CLASSES, ITEMS, POOL, ItemData
from ..inputs._labels import UNLABELED, BinaryLabels, EncodedLabels
from ..inputs._validation import place_of_name
from ..models._class_model import ClassesModel
from ..models._class_questions import AVERAGES, ClassQuestion
from ..models._score_model import ScoreModel
from ..models._structured_model import StructuredModel
from ..posterior._posterior import ComplementPosterior
from ._performance_fit import RankingKey, RankingRows, RankingView, Subject
from ._selections import ClassAnswers, RankingAnswers, two_only


@dataclass(frozen=True, eq=False)
class OnePool(Subject):
    """Fit of a single score column."""

    mixture: Any  # fitted
    positive: Any = None  # the class to evaluate; None for the mixture's positive class
    default_threshold: float | None = None  # decision threshold
    label_seed: int | None = None  # seed of the label draws; None for that of the mixture

    kind: ClassVar[str] = POOL
    without: ClassVar[tuple[str, ...]] = ("category", "groups", "judges")

    @classmethod
    def fit(cls, mixture, data, seed):
        mixture.model_ = ScoreModel.of(mixture, data)
        return replace(cls.of(mixture), label_seed=seed)

    @classmethod
    def of(cls, mixture, positive=None) -> OnePool:
        """Return the fit of a fitted mixture."""
        return cls(mixture, positive, mixture.model_.default_threshold)

    def updated(self, mixture, data):
        mixture.model_ = self.model.updated(mixture, data)
        return replace(self, mixture=mixture)

    def deciding(self, threshold):
        return replace(self, default_threshold=threshold)

    @property
    def model(self) -> ScoreModel:
        return self.mixture.model_

    @property
    def seed(self):
        return self.model.seed if self.label_seed is None else self.label_seed

    @cached_property
    def labels(self) -> BinaryLabels:
        """How labels are encoded, with the class to evaluate."""
        return self.model.labels.with_positive(self.positive)

    @property
    def classes(self):
        return self.labels.classes

    @property
    def pos_label(self):
        return self.labels.pos_label

    @property
    def systems(self):
        names = list(getattr(self.mixture, "feature_names_in_", ()))
        return tuple(names) if len(names) == 1 else (0,)

    def shown(self, asked):
        _check_no([name for name in ("category", "judge") if getattr(asked, name) is not None])
        if asked.system is not None and place_of_name(asked.system, (0, *self.systems)) is None:
            _check_no(["system"])
        posterior: Any = self.model.posterior
        score_direction = self.model.score_direction
        if self.labels.positive != self.model.labels.positive:
            posterior = ComplementPosterior.of(posterior, score_direction.total)
            score_direction = score_direction.reversed()
        return RankingView(posterior, score_direction, self.default_threshold)

    def rows(self, asked):
        given = self.model.given
        scores, codes = given.scores, given.codes
        if self.labels.positive != self.model.labels.positive:
            scores = self.model.score_direction.total - scores
            codes = np.where(codes == UNLABELED, UNLABELED, 1 - codes)
        chances = given.chances if np.isin(given.weights, (0.0, 1.0)).all() else None
        return RankingRows(scores, codes, given.weights > 0.0, chances)

    def answers(self, performance):
        return RankingAnswers.of(performance)


def _check_no(said) -> None:
    """Raise if a category or group is requested but was not given to fit."""
    if said:
        raise ValueError(
            f"{' and '.join(f'{name}=' for name in said)} requires a fit with it: fit was given "
            "one column of scores without category=, groups= and judges=. Pass them to fit."
        )


@dataclass(frozen=True, eq=False)
class StructuredItems(Subject):
    """Items with several columns of scores, categories or groups."""

    mixture: Any  # unfitted, holds the parameters
    model: StructuredModel
    decision: float | None = None  # threshold of a single system, if its scores imply none

    kind: ClassVar[str] = ITEMS

    @classmethod
    def fit(cls, mixture, data, seed):
        return cls(mixture, StructuredModel.of(mixture, data))

    def updated(self, mixture, data):
        return replace(self, mixture=mixture, model=self.model.updated(mixture, data))

    def deciding(self, threshold):
        if len(self.systems) > 1:
            return super().deciding(threshold)
        return replace(self, decision=threshold)

    @property
    def labels(self):
        return self.model.labels

    @property
    def classes(self):
        return self.model.labels.classes

    @property
    def pos_label(self):
        return self.model.labels.pos_label

    @property
    def systems(self):
        return self.model.table.systems

    @property
    def categories(self):
        return self.model.table.names_of_categories

    @property
    def misses_scores(self):
        table = self.model.table
        return bool(table.misses[: table.n_systems].any())

    def have_items(self, asked):
        table = self.model.table
        return bool(len(table.items_with(self._columns(asked), table.part_of(asked.category))))

    def _columns(self, asked) -> list[int]:
        """Return the columns of all selected systems, that of the ranking first."""
        table = self.model.table
        columns = [table.number_of(name) for name in asked.beside]
        if not (asked.system is None and asked.judge is None and len(self.systems) > 1):
            columns.insert(0, table.column_of(asked.system, asked.judge))
        return columns

    @property
    def judges(self):
        judges = self.model.table.judges
        return () if judges is None else judges.names

    def shown(self, asked):
        model, judge, category = self.model, asked.judge, asked.category
        if asked.system is None and judge is None and len(self.systems) > 1:
            # Check the category first: it must exist for every metric.
            model.table.part_of(category)
            return RankingView(model.posterior, None, None, replace(asked, system=None))
        column = model.table.column_of(asked.system, judge)
        system = self.systems[column] if judge is None else None
        decision = self.decision if judge is None else None
        return RankingView(
            model.ranking(system, category, judge=judge, beside=asked.beside),
            model.table.directions_of_columns[column],
            model.threshold_of(system, judge) if decision is None else decision,
            replace(asked, system=system),
        )

    def rows(self, asked):
        table = self.model.given
        column, *beside = self._columns(asked)
        items = table.measured_items((column, *beside), table.part_of(asked.category))
        scores, codes = np.zeros(table.n_rows), np.full(table.n_rows, UNLABELED)
        ranked, rows = np.zeros(table.n_rows, dtype=bool), table.rows[items]
        scores[rows] = table.columns[items, column]
        codes[rows], ranked[rows] = table.codes[items], True
        return RankingRows(scores, codes, ranked)

    def answers(self, performance):
        if performance.score_direction_ is None:
            known = ", ".join(map(repr, self.systems))
            raise ValueError(
                f"There are {len(self.systems)} systems: choose one of {known} by system=."
            )
        return RankingAnswers.of(performance)


@dataclass(frozen=True, eq=False)
class ClassColumns(Subject):
    """Probabilities or logits of several classes; a mapping holds several classifiers."""

    mixture: Any  # unfitted, holds the parameters
    model: ClassesModel

    kind: ClassVar[str] = CLASSES

    @classmethod
    def fit(cls, mixture, data, seed):
        return cls(mixture, ClassesModel.of(mixture, data))

    def updated(self, mixture, data):
        return replace(self, mixture=mixture, model=self.model.updated(mixture, data))

    @property
    def labels(self):
        return EncodedLabels(None, self.classes)

    @property
    def classes(self):
        return self.model.classes

    @property
    def pos_label(self):
        """None: with several classes, no class is the positive one."""
        return None

    @property
    def systems(self):
        return self.model.table.systems

    @property
    def categories(self):
        return self.model.table.names_of_categories

    def shown(self, asked):
        if asked.judge is not None:
            raise ValueError(two_only("judge="))
        system, category = asked.system, asked.category
        # Check the category first: it must exist for every metric.
        self.model.table.part_of(category)
        if system is None and len(self.systems) > 1:
            return RankingView(self.model.posterior, None, None, RankingKey(None, category))
        number = self.model.table.number_of(system)
        ranking = self.model.error_model.ranking(self.systems[number], category)
        return RankingView(ranking, None, None, RankingKey(self.systems[number], category))

    def metric_of(self, metric, *, pos_label=None, average=None, **where):
        return ClassQuestion.of(metric, pos_label=pos_label, average=average or AVERAGES[0]).metric

    def rows(self, asked):
        raise ValueError(two_only("selection"))

    def answers(self, performance):
        return ClassAnswers.of(performance)


# The fit of each kind of data.
SUBJECTS: dict[str, type[Subject]] = {
    own.kind: own for own in (OnePool, StructuredItems, ClassColumns)
}


def fit_subject(mixture, given: dict, seed: int) -> Subject:
    """Return the fit of data of any kind; `given` are the arguments of `fit`."""
    data = ItemData.read(mixture, **given)
    return SUBJECTS[data.kind].fit(mixture, data, seed)


def updated_subject(subject: Subject, given: dict) -> Subject:
    """Return the fit to other labels of the same items."""
    _check_no([name for name in subject.without if given[name] is not None])
    # A copy: a failing update keeps the names of columns.
    mixture = copy(subject.mixture)
    data = ItemData.read(mixture, **given, kind=subject.kind, before=subject.labels)
    return subject.updated(mixture, data)
