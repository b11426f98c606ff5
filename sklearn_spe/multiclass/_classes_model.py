"""What the scores of several classes and labels have become: one fit, a value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..inputs._labels import UNLABELED
from ..inputs._random_state import seed_entropy, spawn
from ..results._verdict import Verdict
from ..score_mixture._forgotten_labels import warn_of_forgotten
from ..score_mixture._label_bets import LabelBets
from ..score_mixture._surprising_items import SurprisingItems
from ._class_draws import ClassDraws
from ._class_reasons import reasons_of_classes
from ._class_scores import ClassScores
from ._class_shifts import ClassShifts
from ._class_table import ClassTable, recipe_of_mistakes
from ._measured_classifier import MeasuredClassifier
from ._mistakes import Mistakes, OfOneScore, OfStructure
from ._other_classes import OtherClasses
from ._pooled_scores import PooledScores, doubts_of

__all__ = ["ClassesModel"]

# The places of what classes differ by, and of the laws of other classes, in the tree of seeds.
SHIFTS, OTHERS = 14, 13


@dataclass(frozen=True, eq=False)
class ClassesModel:
    """A fit of what one or several classifiers say of several classes, of which some are known.

    A mistake of the predicted class is a rare positive whose score is how much the classifier
    itself doubts its prediction: one pool of one score, as any other. Which class it is then says
    `OtherClasses`. The likelihood of a label is the product of both. Of several classifiers that
    is the class that they predict together, which each of them doubts: several systems that score
    the same items. Whatever is asked of any of them is measured on the same draws.

    Attributes
    ----------
    table : ClassTable
    scores : ClassScores
        Of the classifier, or of all of them together.
    mistakes : Mistakes
        Of these.
    draws : ClassDraws
    verdict : Verdict
        On the model, and on numbers about further items.
    surprising_items : SurprisingItems
    """

    table: ClassTable
    scores: ClassScores
    mistakes: Mistakes
    draws: ClassDraws
    verdict: Verdict
    surprising_items: SurprisingItems

    # Of several classes none is the positive one.
    pos_label: ClassVar[None] = None

    @property
    def classes(self) -> np.ndarray:
        """Sorted; the columns of all scores."""
        return self.table.classes

    @property
    def codes(self) -> np.ndarray:
        """Indices of classes, -1 where there is no label, of shape (n_items,)."""
        return self.table.codes

    @property
    def verdict_on_sample(self) -> Verdict:
        """The verdict on numbers about these very items."""
        is_complete = (self.codes >= 0).all()
        return self.verdict.of_complete_labels(len(self.codes)) if is_complete else self.verdict

    @property
    def seed(self) -> int:
        """From which all random numbers come."""
        return self.mistakes.model.seed

    @property
    def posterior(self):
        """Of the mistakes."""
        return self.mistakes.posterior

    @property
    def bets(self) -> LabelBets:
        """Against the model of the mistakes."""
        return self.mistakes.model.bets

    @classmethod
    def of(
        cls, parameters, X, y, sample_weight=None, *, category=None, groups=None
    ) -> ClassesModel:
        """Fit, with the parameters of a `SemisupervisedScoreMixture`."""
        table = ClassTable.read(parameters, X, y, sample_weight, category=category, groups=groups)
        recipe, seed = recipe_of_mistakes(parameters), seed_entropy(parameters.random_state)
        several = len(table.systems) > 1
        scores = PooledScores.of(table.scores) if several else table.scores[0]
        wrong = _wrong(scores, table.codes)
        if not table.is_structured:
            return cls._judged(table, scores, OfOneScore.fit(recipe, scores, wrong, seed))
        doubts = doubts_of(table.scores, scores.predicted)
        agrees = np.column_stack([own.predicted == scores.predicted for own in table.scores])
        fitted = OfStructure.fit(recipe, table, doubts, agrees, wrong, seed)
        return cls._judged(table, scores, fitted)

    def updated(
        self, parameters, X, y, sample_weight=None, *, category=None, groups=None
    ) -> ClassesModel:
        """Return the model of other labels of the same scores."""
        structure = {"category": category, "groups": groups, "classes": self.classes}
        table = ClassTable.read(parameters, X, y, sample_weight, **structure)
        table = self.table.same_items(table)
        lost = (self.codes >= 0) & (table.codes < 0)
        warn_of_forgotten(int(lost.sum()), int((self.codes >= 0).sum()))
        wrong = _wrong(self.scores, table.codes)
        mistakes = self.mistakes.relabeled(recipe_of_mistakes(parameters), wrong)
        return self._judged(table, self.scores, mistakes)

    @classmethod
    def _judged(cls, table: ClassTable, scores: ClassScores, mistakes: Mistakes) -> ClassesModel:
        codes, classes = table.codes, table.classes
        seed, known = mistakes.model.seed, np.flatnonzero(codes >= 0)
        said = scores.predicted[known]
        shifts = ClassShifts.judged(
            mistakes.at_labels, codes[known] != said, said, len(classes), spawn(seed, SHIFTS)
        )
        wrong = known[codes[known] != said]
        others = OtherClasses.judged(
            scores.log_others[:, wrong],
            scores.predicted[wrong],
            codes[wrong],
            shifts.mean(mistakes.weights),
            spawn(seed, OTHERS),
        )
        found = mistakes.model.surprising_items
        surprising = replace(found, label=classes[codes[found.item]])
        return cls(
            table,
            scores,
            mistakes,
            ClassDraws(scores, codes, mistakes, shifts, others, scores, clusters=table.clusters),
            Verdict(reasons_of_classes(mistakes.model, surprising, scores, classes, codes)),
            surprising,
        )

    def measured(self, system=None, category=None) -> MeasuredClassifier:
        """Return what questions about one classifier, of all items or a category, are asked of."""
        own = self.table.scores[self.table.number_of(system)]
        items = self.table.items_of(self.table.part_of(category))
        if items is None:
            return MeasuredClassifier(own, self.classes, self.codes, self.draws.measuring(own))
        own = replace(own, scores=own.scores[items])
        draws = self.draws.measuring(own, items)
        return MeasuredClassifier(own, self.classes, self.codes[items], draws)


def _wrong(scores: ClassScores, codes) -> np.ndarray:
    """Return 1 for each known mistake, 0 for a prediction that is right, -1 without a label."""
    return np.where(codes < 0, UNLABELED, codes != scores.predicted).astype(np.int8)
