"""Several classes, with a column each, of one classifier or several: the model of classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..multiclass._class_questions import AVERAGES, ClassQuestion
from ..multiclass._class_table import names_several_classes
from ..multiclass._classes_model import ClassesModel
from ._class_answers import ClassAnswers, two_only
from ._performance_subject import Shown, Structure, Subject

__all__ = ["ClassColumns"]


@dataclass(frozen=True, eq=False)
class ClassColumns(Subject):
    """Probabilities or logits of several classes; a mapping holds those of several systems.

    Attributes
    ----------
    mixture : SemisupervisedScoreMixture
        Not fitted: its parameters.
    model : ClassesModel
    """

    mixture: Any
    model: ClassesModel

    @classmethod
    def takes(cls, mixture, X, y, structure):
        return isinstance(X, Mapping) or names_several_classes(mixture, X, y)

    @classmethod
    def fit(cls, mixture, X, y, sample_weight, structure, seed):
        _check_alone(structure)
        return cls(mixture, ClassesModel.of(mixture, X, y, sample_weight))

    def updated(self, X, y, sample_weight, structure):
        _check_alone(structure)
        return ClassColumns(self.mixture, self.model.updated(self.mixture, X, y, sample_weight))

    @property
    def classes(self):
        return self.model.classes

    @property
    def pos_label(self):
        """None: of several classes none is the positive one."""
        return None

    @property
    def systems(self):
        return self.model.table.systems

    def shown(self, system, category):
        if category is not None:
            raise ValueError(
                f"There is no category= to speak of, got {category!r}: of several classes items "
                f"are fitted without category=. Leave it out."
            )
        if system is None and len(self.systems) > 1:
            return Shown(self.model.posterior, None)
        number = self.model.number_of(system)
        return Shown(self.model.mistakes.ranking(number), None, None, self.systems[number])

    def metric_of(self, metric, *, pos_label=None, average=None, **where):
        return ClassQuestion.of(metric, pos_label=pos_label, average=average or AVERAGES[0]).metric

    def rows(self, system, category):
        raise ValueError(two_only("answer"))

    def answers(self, performance):
        return ClassAnswers.of(performance)


def _check_alone(structure: Structure) -> None:
    """Raise if something besides scores and labels is given with several classes."""
    given = structure.said("category", "groups", "inclusion_proba")
    if given:
        raise ValueError(
            f"{' and '.join(given)}= is known of two classes only: leave it out, or fit whether "
            f"the predicted class is right, fit(X.max(axis=1), y == predicted), with missing "
            f"labels kept missing."
        )
