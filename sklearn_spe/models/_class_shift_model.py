"""The fit of labels of several classes that were chosen by class: label shift of predictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..checks._label_checks import LabelEProcess, SuspectLabels
from ..data._class_scores import ClassScores
from ..data._item_data import ItemData
from ..data._kinds import CLASS_SHIFT
from ..exceptions import ParameterError
from ..inputs._arrays import FrozenArrays
from ..inputs._validation import seed_entropy, spawn
from ..posterior._class_confusions import ConfusionPosterior
from ..posterior._posterior import Block
from ..results._verdict import Reason, Verdict
from ._class_draws import ClassDraws
from ._class_model import ClassesModel
from ._class_table import ClassTable, error_model_settings
from ._error_rows import ErrorRows
from ._fit_settings import FitSettings
from ._item_table import check_whole

# With fewer labels of a class the prior decides.
MIN_LABELS = 5.0
# Draws of the posterior: each has a distribution of the errors of its own.
MAX_DRAWS = 400
# More classes than this take long, and have few labels each.
MAX_CLASSES = 40


@dataclass(frozen=True, eq=False)
class ShiftedErrors(FrozenArrays):
    """P(prediction is wrong) of new items, which are alike in a predicted class."""

    posterior: ConfusionPosterior
    predicted: np.ndarray  # (n_items,)
    settings: FitSettings
    seed: int
    verdict: Verdict

    @property
    def bets(self) -> LabelEProcess:
        """No e-processes: no new item is labeled."""
        return LabelEProcess(np.zeros((1, 1)))

    @property
    def suspect_labels(self) -> SuspectLabels:
        """No suspect labels."""
        none = np.empty(0)
        return SuspectLabels(none.astype(int), none, none.astype(int), none, 0.0)

    def item_probability(
        self, block: Block, items: np.ndarray, *, new_groups: bool = False
    ) -> np.ndarray:
        """Return the probability of an error in the draws of a block, (n_draws, n_items)."""
        return self.posterior.of_errors[block.rows][:, self.predicted[items]]

    def ranking(self, system: Any = None, category: Any = None) -> ConfusionPosterior:
        """Return the posterior: there is no ranking."""
        return self.posterior


@dataclass(frozen=True, eq=False)
class ClassShiftModel(ClassesModel):
    """Fit of new items of several classes, given labels of others that were chosen by class."""

    all_rows: ClassTable  # labeled and new ones, as they were passed

    labels_are_separate: ClassVar[bool] = True
    kind: ClassVar[str] = CLASS_SHIFT

    @classmethod
    def of(cls, parameters: Any, data: ItemData) -> ClassShiftModel:
        settings = error_model_settings(parameters)
        if not settings.takes_all_experts:
            raise ParameterError(
                f"experts={parameters.experts!r} is not used if labels were chosen by class: the "
                "model only counts how often each class is predicted.",
                "Leave it out.",
                "experts",
            )
        return cls._fit(settings, ClassTable.of(data), seed_entropy(parameters.random_state))

    def updated(self, parameters: Any, data: ItemData) -> ClassShiftModel:
        table = self.all_rows.same_items(ClassTable.of(data))
        return self._fit(error_model_settings(parameters), table, self.seed)

    @property
    def n_rows(self) -> int:
        return self.all_rows.n_rows

    @classmethod
    def _fit(cls, settings: FitSettings, table: ClassTable, seed: int) -> ClassShiftModel:
        check_whole(table.weights)
        n_classes = len(table.classes)
        if n_classes > MAX_CLASSES:
            raise ParameterError.of(
                "inclusion_proba",
                f"'by_class' supports up to {MAX_CLASSES} classes, and there are {n_classes}. "
                "Label items at random.",
            )
        is_labeled = table.codes >= 0
        if is_labeled.all():
            raise ParameterError.of(
                "inclusion_proba",
                "'by_class' evaluates the unlabeled items, and all items are labeled. Append the "
                "new items, with missing labels.",
            )

        # Two samples: the labeled items, and those that are asked about.
        predicted = table.scores[0].predicted
        pair = table.codes * n_classes + predicted
        labeled = np.bincount(pair[is_labeled], table.weights[is_labeled], n_classes**2)
        labeled = labeled.reshape(n_classes, n_classes)
        # What is known of new items is the predicted class.
        scores = ClassScores.of_predictions(predicted[~is_labeled], n_classes)
        new_rows = replace(table.take(np.flatnonzero(~is_labeled)), scores=(scores,))
        new = np.bincount(scores.predicted, new_rows.counts, n_classes)
        n_draws = min(settings.n_draws, MAX_DRAWS)
        posterior = ConfusionPosterior.drawn(labeled, new, n_draws, spawn(seed))

        # The true class of an error, relative to even ones.
        of_errors = np.array(posterior.of_predicted)
        of_errors[:, np.arange(n_classes), np.arange(n_classes)] = 0.0
        of_errors /= np.maximum(of_errors.sum(axis=2, keepdims=True), np.finfo(float).tiny)
        others = ErrorRows(np.zeros(n_draws, dtype=int), of_errors * (n_classes - 1))
        verdict = Verdict(list(_reasons(table.classes, labeled)))
        errors: Any = ShiftedErrors(posterior, scores.predicted, settings, seed, verdict)
        draws = ClassDraws(scores, new_rows, errors, others, table.scores[0].has_confidence)
        return cls(draws, verdict, errors.suspect_labels, table)


def _reasons(classes: np.ndarray, labeled: np.ndarray) -> Iterator[Reason]:
    """Yield the diagnostics of a fit."""
    n_labels = labeled.sum(axis=1)
    fewest = int(np.argmin(n_labels))
    name = repr(classes.tolist()[fewest])
    if n_labels[fewest] < MIN_LABELS:
        yield Reason(
            "few_labels_of_a_class",
            "unidentified",
            f"{n_labels[fewest]:g} items of class {name} are labeled: how often each class is "
            "predicted for its items is dominated by the prior.",
            float(n_labels[fewest]),
            MIN_LABELS,
            remedy=f"Label more items of class {name}.",
        )
