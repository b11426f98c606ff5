"""Models of mistakes: how probable it is that a prediction is wrong, item by item."""

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
from ..inputs._orientation import Orientation
from ..items._clusters import Clusters
from ..items._item_prior import ItemPrior
from ..items._item_table import ItemTable
from ..items._structured_model import StructuredModel
from ..sample._labeled_scores import LabeledScores
from ..score_mixture._recipe import Recipe
from ..score_mixture._score_model import ScoreModel
from ._class_scores import ClassScores
from ._class_table import ClassTable

__all__ = ["Mistakes", "OfOneScore", "OfStructure"]

# How much more, or less, it means that one classifier agrees: sizes, and how probable each is.
OF_AGREEMENT = (0.8, 1.6, 2.5), (0.3, 0.4, 0.3)


class Mistakes(FrozenArrays, ABC):
    """A fit of P(the predicted class is wrong | item).

    Attributes
    ----------
    model : ScoreModel or StructuredModel
    """

    model: Any

    @property
    def posterior(self):
        """What makes the draws: a posterior of scores, or of items."""
        return self.model.posterior

    @property
    @abstractmethod
    def weights(self) -> np.ndarray:
        """The weights of all draws, of shape (n_draws,), summing to one."""

    @property
    @abstractmethod
    def at_labels(self) -> np.ndarray:
        """The probability at labelled items, of shape (n_draws, n_labeled)."""

    @abstractmethod
    def probability(self, block: Block, items) -> np.ndarray:
        """Return the probability at items without a label, (n_rows, n_items)."""

    @abstractmethod
    def relabeled(self, recipe: Recipe, wrong) -> Self:
        """Return the fit of other labels: 1 for a mistake, 0 for none, -1 where there is none."""

    def probability_anywhere(self, block: Block, items) -> np.ndarray:
        """Return that if items were of groups that nobody has seen, where they are of groups."""
        return self.probability(block, items)

    @abstractmethod
    def ranking(self, number: int, category=None):
        """Return the posterior of mistakes, ranked by how much one classifier expects them."""


@dataclass(frozen=True, eq=False)
class OfOneScore(Mistakes):
    """Of one classifier and pool: the score of a mistake is how much it doubts its prediction.

    Attributes
    ----------
    model : ScoreModel
    labeled : LabeledScores
        The doubts, and which predictions are known to be wrong.
    """

    model: ScoreModel
    labeled: LabeledScores

    @classmethod
    def fit(cls, recipe: Recipe, scores: ClassScores, wrong, seed: int) -> OfOneScore:
        """Fit the doubts, where some predictions are known to be wrong or right."""
        doubt = scores.doubt
        labeled = LabeledScores.of_codes(doubt, wrong, Orientation.of(doubt, True))
        return cls(ScoreModel.made(recipe, labeled, seed), labeled)

    def relabeled(self, recipe, wrong):
        labeled = self.labeled.relabeled(wrong)
        return OfOneScore(self.model.with_labels(labeled, recipe), labeled)

    @property
    def weights(self):
        """The weights of all draws."""
        return self.posterior.weights

    @property
    def at_labels(self):
        """The probability at labelled items, of shape (n_draws, n_labeled)."""
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
class OfStructure(Mistakes):
    """Of a prediction that one or several classifiers doubt, where categories or groups may differ.

    Attributes
    ----------
    model : StructuredModel
    """

    model: StructuredModel

    @classmethod
    def fit(cls, recipe: Recipe, given: ClassTable, doubts, agrees, wrong, seed) -> OfStructure:
        """Fit the doubts, where some predictions are known to be wrong or right.

        Parameters
        ----------
        recipe : Recipe
        given : ClassTable
            The names of the classifiers, and what else is known of the items.
        doubts : ndarray of shape (n_items, n_systems)
            How much each doubts the class that they predict together.
        agrees : ndarray of bool of shape (n_items, n_systems)
            Which would predict it by themselves.
        wrong : ndarray of shape (n_items,)
            1 for a mistake, 0 for none, -1 where there is no label.
        seed : int
        """
        deviations = agrees - agrees.mean(axis=1, keepdims=True)
        agreement = Columns("agreement", *OF_AGREEMENT, deviations)
        table = ItemTable(
            doubts,
            given.systems,
            wrong,
            np.arange(len(doubts)),
            BinaryLabels.learn(None, classes=[0, 1]),
            tuple(Orientation.of(column, True) for column in doubts.T),
            given.category,
            given.clusters,
            n_rows=len(doubts),
            effects=(agreement,) if len(given.systems) > 1 else (),
        )
        return cls(StructuredModel.made(recipe, table, ItemPrior.of(table, recipe, seed)))

    def relabeled(self, recipe, wrong):
        table = self.model.table.relabeled(wrong)
        return replace(self, model=self.model.with_labels(table, recipe))

    @property
    def weights(self):
        """The weights of all draws: equal."""
        return np.full(self.posterior.n_draws, 1.0 / self.posterior.n_draws)

    @property
    def at_labels(self):
        """The probability at labelled items, of shape (n_draws, n_labeled)."""
        return self.posterior.at_labels

    def probability(self, block, items):
        return self.posterior.probability(block, items)

    def probability_anywhere(self, block, items):
        if self.model.table.clusters is None:
            return self.probability(block, items)
        return self.posterior.probability_anywhere(block, Clusters.name)[:, items]

    def ranking(self, number, category=None):
        return self.model.ranking(self.model.table.systems[number], category)
