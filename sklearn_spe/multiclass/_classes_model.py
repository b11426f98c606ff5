"""Fit of one or several multiclass classifiers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..inputs._labels import UNLABELED
from ..inputs._random_state import seed_entropy, spawn
from ..results._verdict import Verdict
from ..score_mixture._label_e_process import LabelEProcess
from ..score_mixture._removed_labels import warn_of_removed
from ..score_mixture._suspect_labels import SuspectLabels
from ._class_draws import ClassDraws
from ._class_reasons import reasons_of_classes
from ._class_scores import ClassScores
from ._class_shifts import ClassShifts
from ._class_table import ClassTable, error_model_settings
from ._confusion_model import ConfusionModel
from ._error_model import ErrorModel, PooledErrorModel, StructuredErrorModel
from ._measured_classifier import MeasuredClassifier
from ._pooled_scores import PooledScores, error_log_odds_of

__all__ = ["ClassesModel"]

# Spawn keys of the random streams of the class effects and of the distributions of other classes.
SHIFTS, OTHERS = 14, 13


@dataclass(frozen=True, eq=False)
class ClassesModel:
    """Fit of one or several multiclass classifiers to partially labeled items.

    An error of the predicted class is a rare positive whose score is the classifier's own
    uncertainty: a binary fit, as for any scores. `ConfusionModel` models the true class given an
    error; the likelihood of a label is the product of both. Several classifiers are combined to one
    prediction, of which each has its own uncertainty: several systems that score the same items.
    All of them are evaluated on the same draws.
    """

    table: ClassTable
    scores: ClassScores  # of the classifier, or of all combined
    error_model: ErrorModel  # error model of these scores
    draws: ClassDraws
    verdict: Verdict  # on the model and on estimates of the population
    suspect_labels: SuspectLabels

    # With several classes, no class is the positive one.
    pos_label: ClassVar[None] = None

    @property
    def classes(self) -> np.ndarray:
        """Sorted; the columns of all scores."""
        return self.table.classes

    @property
    def codes(self) -> np.ndarray:
        """Class indices, -1 if unlabeled, (n_items,)."""
        return self.table.codes

    @property
    def verdict_on_sample(self) -> Verdict:
        """The verdict on estimates of this sample."""
        is_complete = (self.codes >= 0).all()
        return self.verdict.of_complete_labels(len(self.codes)) if is_complete else self.verdict

    @property
    def seed(self) -> int:
        """Seed of all random numbers."""
        return self.error_model.model.seed

    @property
    def posterior(self):
        """Posterior of the error model."""
        return self.error_model.posterior

    @property
    def bets(self) -> LabelEProcess:
        """E-processes against the error model."""
        return self.error_model.model.bets

    @classmethod
    def of(
        cls, parameters, X, y, sample_weight=None, *, category=None, groups=None
    ) -> ClassesModel:
        """Fit with the parameters of a `SemisupervisedScoreMixture`."""
        table = ClassTable.read(parameters, X, y, sample_weight, category=category, groups=groups)
        settings, seed = error_model_settings(parameters), seed_entropy(parameters.random_state)
        several = len(table.systems) > 1
        scores = PooledScores.of(table.scores) if several else table.scores[0]
        wrong = _wrong(scores, table.codes)
        if not table.is_structured:
            return cls._updated(table, scores, PooledErrorModel.fit(settings, scores, wrong, seed))
        error_log_odds = error_log_odds_of(table.scores, scores.predicted)
        agrees = np.column_stack([own.predicted == scores.predicted for own in table.scores])
        fitted = StructuredErrorModel.fit(settings, table, error_log_odds, agrees, wrong, seed)
        return cls._updated(table, scores, fitted)

    def updated(
        self, parameters, X, y, sample_weight=None, *, category=None, groups=None
    ) -> ClassesModel:
        """Return the fit to other labels of the same scores."""
        structure = {"category": category, "groups": groups, "classes": self.classes}
        table = ClassTable.read(parameters, X, y, sample_weight, **structure)
        table = self.table.same_items(table)
        lost = (self.codes >= 0) & (table.codes < 0)
        warn_of_removed(int(lost.sum()), int((self.codes >= 0).sum()))
        wrong = _wrong(self.scores, table.codes)
        error_model = self.error_model.relabeled(error_model_settings(parameters), wrong)
        return self._updated(table, self.scores, error_model)

    @classmethod
    def _updated(
        cls, table: ClassTable, scores: ClassScores, error_model: ErrorModel
    ) -> ClassesModel:
        codes, classes = table.codes, table.classes
        seed, known = error_model.model.seed, np.flatnonzero(codes >= 0)
        said = scores.predicted[known]
        shifts = ClassShifts.updated(
            error_model.at_labels, codes[known] != said, said, len(classes), spawn(seed, SHIFTS)
        )
        wrong = known[codes[known] != said]
        others = ConfusionModel.updated(
            scores.log_others[:, wrong],
            scores.predicted[wrong],
            codes[wrong],
            shifts.mean(error_model.weights),
            spawn(seed, OTHERS),
        )
        found = error_model.model.suspect_labels
        suspect = replace(found, label=classes[codes[found.item]])
        return cls(
            table,
            scores,
            error_model,
            ClassDraws(scores, codes, error_model, shifts, others, scores, clusters=table.clusters),
            Verdict(reasons_of_classes(error_model.model, suspect, scores, classes, codes)),
            suspect,
        )

    def measured(self, system=None, category=None) -> MeasuredClassifier:
        """Return one classifier with the draws that evaluate it, on all items or a category."""
        own = self.table.scores[self.table.number_of(system)]
        items = self.table.items_of(self.table.part_of(category))
        if items is None:
            return MeasuredClassifier(own, self.classes, self.codes, self.draws.measuring(own))
        own = replace(own, scores=own.scores[items])
        draws = self.draws.measuring(own, items)
        return MeasuredClassifier(own, self.classes, self.codes[items], draws)


def _wrong(scores: ClassScores, codes) -> np.ndarray:
    """Return 1 for each known error, 0 for a correct prediction, -1 if unlabeled."""
    return np.where(codes < 0, UNLABELED, codes != scores.predicted).astype(np.int8)
