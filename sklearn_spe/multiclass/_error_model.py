"""Error models: P(prediction is wrong | item)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from .._arrays import FrozenArrays
from .._posterior import Block
from ..engine._random_effects import Columns
from ..inputs._labels import BinaryLabels
from ..inputs._score_direction import ScoreDirection
from ..items._clusters import Clusters
from ..items._item_prior import ItemPrior
from ..items._item_table import ItemTable
from ..items._structured_model import StructuredModel
from ..sample._labeled_scores import LabeledScores
from ..score_mixture._fit_settings import FitSettings
from ..score_mixture._score_model import ScoreModel
from ._class_scores import ClassScores
from ._class_table import ClassTable

__all__ = ["ErrorModel", "PooledErrorModel", "StructuredErrorModel"]

# Grid of sizes of the effect that one classifier agrees, and their prior probabilities.
OF_AGREEMENT = (0.8, 1.6, 2.5), (0.3, 0.4, 0.3)


class ErrorModel(FrozenArrays, ABC):
    """Fit of P(prediction is wrong | item)."""

    model: Any

    @property
    def posterior(self):
        """The posterior, of scores or of items."""
        return self.model.posterior

    @property
    @abstractmethod
    def weights(self) -> np.ndarray:
        """The weights of all draws, of shape (n_draws,), summing to one."""

    @property
    @abstractmethod
    def at_labels(self) -> np.ndarray:
        """Draws of the probability at labeled items, (n_draws, n_labeled)."""

    @abstractmethod
    def probability(self, block: Block, items) -> np.ndarray:
        """Return the probability at unlabeled items, (n_rows, n_items)."""

    @abstractmethod
    def relabeled(self, settings: FitSettings, wrong) -> Self:
        """Return the fit to other labels: 1 for an error, 0 for none, -1 if unlabeled."""

    def probability_anywhere(self, block: Block, items) -> np.ndarray:
        """Return the probability for items of new groups, if there are groups."""
        return self.probability(block, items)

    @abstractmethod
    def ranking(self, number: int, category=None):
        """Return the posterior of errors, ranked by one classifier's own uncertainty."""


@dataclass(frozen=True, eq=False)
class PooledErrorModel(ErrorModel):
    """Error model of a single classifier, whose score is its own uncertainty."""

    model: ScoreModel
    labeled: LabeledScores  # uncertainties, with the known errors

    @classmethod
    def fit(cls, settings: FitSettings, scores: ClassScores, wrong, seed: int) -> PooledErrorModel:
        """Fit the uncertainties, with some predictions known to be wrong or right."""
        error_log_odds = scores.error_log_odds
        labeled = LabeledScores.of_codes(
            error_log_odds, wrong, ScoreDirection.of(error_log_odds, True)
        )
        return cls(ScoreModel.made(settings, labeled, seed), labeled)

    def relabeled(self, settings, wrong):
        labeled = self.labeled.relabeled(wrong)
        return PooledErrorModel(self.model.with_labels(labeled, settings), labeled)

    @property
    def weights(self):
        """The weights of all draws."""
        return self.posterior.weights

    @property
    def at_labels(self):
        """Draws of the probability at labeled items, (n_draws, n_labeled)."""
        known = self.labeled.scores[self.labeled.codes >= 0]
        blocks = self.posterior.blocks()
        return np.concatenate([self.posterior.labeled_probability(known, b) for b in blocks])

    def probability(self, block, items):
        distinct, place = self._distinct
        return self.posterior.unlabeled_probability(distinct, block)[:, place[items]]

    @cached_property
    def _distinct(self) -> tuple[np.ndarray, np.ndarray]:
        return np.unique(self.labeled.scores, return_inverse=True)

    def ranking(self, number, category=None):
        return self.posterior


@dataclass(frozen=True, eq=False)
class StructuredErrorModel(ErrorModel):
    """Error model of several classifiers, or with categories or groups."""

    model: StructuredModel

    @classmethod
    def fit(
        cls, settings: FitSettings, given: ClassTable, error_log_odds, agrees, wrong, seed
    ) -> StructuredErrorModel:
        """Fit the uncertainties, with some predictions known to be wrong or right.

        `error_log_odds` (n_items, n_systems) are the log-odds of each classifier against the
        combined prediction, `agrees` (n_items, n_systems) tells which would predict it too, `wrong`
        (n_items,) is 1 for an error, 0 for none, -1 if unlabeled.
        """
        deviations = agrees - agrees.mean(axis=1, keepdims=True)
        agreement = Columns("agreement", *OF_AGREEMENT, deviations)
        table = ItemTable(
            error_log_odds,
            given.systems,
            wrong,
            np.arange(len(error_log_odds)),
            BinaryLabels.learn(None, classes=[0, 1]),
            tuple(ScoreDirection.of(column, True) for column in error_log_odds.T),
            given.category,
            given.clusters,
            n_rows=len(error_log_odds),
            effects=(agreement,) if len(given.systems) > 1 else (),
        )
        return cls(StructuredModel.made(settings, table, ItemPrior.of(table, settings, seed)))

    def relabeled(self, settings, wrong):
        table = self.model.table.relabeled(wrong)
        return replace(self, model=self.model.with_labels(table, settings))

    @property
    def weights(self):
        """The weights of all draws, which are equal."""
        return np.full(self.posterior.n_draws, 1.0 / self.posterior.n_draws)

    @property
    def at_labels(self):
        """Draws of the probability at labeled items, (n_draws, n_labeled)."""
        return self.posterior.at_labels

    def probability(self, block, items):
        return self.posterior.probability(block, items)

    def probability_anywhere(self, block, items):
        if self.model.table.clusters is None:
            return self.probability(block, items)
        return self.posterior.probability_anywhere(block, Clusters.name)[:, items]

    def ranking(self, number, category=None):
        return self.model.ranking(self.model.table.systems[number], category)
