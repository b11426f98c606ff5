r"""The probability that a predicted class is wrong: a regression with effects of the class.

The log-odds of an error are linear in those that the classifier states, in their ranks and, with
several classifiers, in what each of them adds; and each predicted class has a level of its own
(`_part_regression`). In n / (n + 10) of the draws the n labels of a predicted class alone state the
rate of its errors.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..data._class_scores import ClassScores
from ..inputs._groups import Partition
from ..inputs._labels import UNLABELED, BinaryLabels
from ..inputs._scores import ScoreDirection
from ..posterior._known_positives import KnownPositives
from ._class_table import ClassTable, error_log_odds_of
from ._fit_settings import FitSettings
from ._item_table import ItemTable, Predictions
from ._mixture_model import MixtureModel
from ._row_model import RowModel, fit_table


def fit_errors(
    settings: FitSettings, table: ClassTable, scores: ClassScores, seed: int
) -> RowModel | MixtureModel:
    """Fit P(prediction is wrong | item) to the uncertainties of the classifiers.

    `scores` are those of a single classifier, or of all combined. Each classifier has its log-odds
    against the combined prediction. With experts, or an error rate, that the user states it is a
    fit of these scores, without effects of classes.
    """
    items = ItemTable(
        systems=table.systems,
        scores=error_log_odds_of(table.scores, scores.predicted),
        codes=errors_of(scores, table.codes),
        counts=table.counts,
        n_rows=table.n_items,
        labels=BinaryLabels.learn(None, classes=[0, 1]),
        score_directions=(ScoreDirection.of(scores.error_log_odds, True),) * table.n_systems,
        category=table.category,
        groups=table.groups,
    )
    known = KnownPositives(settings.prevalence_prior, settings.known_positives)
    if known.is_stated or not settings.takes_all_experts:
        if table.is_structured:
            return RowModel.fit(settings, items, seed, gather=False)
        return fit_table(settings, items, seed)

    agrees = np.column_stack([one.predicted == scores.predicted for one in table.scores])
    predictions = Predictions(
        scores.error_log_odds,
        agrees - agrees.mean(axis=1, keepdims=True),
        Partition.numbered(scores.predicted),
    )
    return RowModel.fit(settings, replace(items, predictions=predictions), seed, gather=False)


def errors_of(scores: ClassScores, codes: np.ndarray) -> np.ndarray:
    """Return 1 for each known error, 0 for a correct prediction, -1 if unlabeled."""
    return np.where(codes < 0, UNLABELED, codes != scores.predicted).astype(np.int8)
