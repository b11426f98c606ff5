"""Multiclass input: one column for each class, of one or several classifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..inputs._array_like import shape_of
from ..multiclass._class_questions import AVERAGES, ClassQuestion
from ..multiclass._class_table import names_several_classes
from ..multiclass._classes_model import ClassesModel
from ._class_answers import ClassAnswers, two_only
from ._performance_subject import RankingKey, RankingView, Structure, Subject

__all__ = ["ClassColumns"]


@dataclass(frozen=True, eq=False)
class ClassColumns(Subject):
    """Probabilities or logits of several classes; a mapping holds several classifiers."""

    mixture: Any  # unfitted, holds the parameters
    model: ClassesModel

    @classmethod
    def takes(cls, mixture, X, y, structure):
        if isinstance(X, Mapping):
            # With two classes each system has one column.
            return not X or any(len(shape_of(own)) != 1 for own in X.values())
        return names_several_classes(mixture, X, y)

    @classmethod
    def fit(cls, mixture, X, y, sample_weight, structure, seed):
        return cls(mixture, ClassesModel.of(mixture, X, y, sample_weight, **_said(structure)))

    def updated(self, X, y, sample_weight, structure):
        said = _said(structure)
        return replace(self, model=self.model.updated(self.mixture, X, y, sample_weight, **said))

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
        ranking = self.model.error_model.ranking(number, category)
        return RankingView(ranking, None, None, RankingKey(self.systems[number], category))

    def metric_of(self, metric, *, pos_label=None, average=None, **where):
        return ClassQuestion.of(metric, pos_label=pos_label, average=average or AVERAGES[0]).metric

    def rows(self, asked):
        raise ValueError(two_only("selection"))

    def answers(self, performance):
        return ClassAnswers.of(performance)


def _said(structure: Structure) -> dict:
    """Return the structure of the items; raise if multiclass fits do not support it."""
    if structure.said("inclusion_proba"):
        raise ValueError(
            "inclusion_proba= is supported for two classes only: leave it out, or fit whether "
            "the predicted class is right, fit(X.max(axis=1), y == predicted), with missing "
            "labels kept missing."
        )
    if structure.said("judges"):
        raise ValueError(
            "judges= is supported for two classes only: leave it out, or fit whether the "
            "predicted class is right, fit(X.max(axis=1), y == predicted, judges=...), with "
            "missing labels kept missing."
        )
    return {"category": structure.category, "groups": structure.groups}
