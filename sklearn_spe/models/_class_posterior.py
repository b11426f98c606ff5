"""A class as a ranking: the items by their scores of the class, on the draws of all classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from ..data._cells import learn_score_kind
from ..data._sample import ScoreSample
from ..engine._random_effects import RandomEffects
from ..inputs._labels import UNLABELED
from ..inputs._validation import spawn
from ..posterior._operating_points import Task
from ..posterior._posterior import Block
from ._class_draws import N_ADDED, NEW_ITEMS, ClassDraws, MeasuredClassifier
from ._further_items import FurtherItems
from ._rankings import RankingPosterior
from ._row_posterior import RowPosterior


class OnClassDraws:
    """Mixin of the draws that all classes share."""

    draws: ClassDraws

    n_draws = property(attrgetter("draws.posterior.n_draws"))
    weights = property(attrgetter("draws.posterior.weights"))
    ess = property(attrgetter("draws.posterior.ess"))
    pareto_k = property(attrgetter("draws.posterior.pareto_k"))

    def blocks(self) -> list[Block]:
        """Return the fixed blocks of draws."""
        return self.draws.posterior.blocks()


@dataclass(frozen=True, eq=False, repr=False)
class ItemsOfClass(OnClassDraws, RowPosterior):
    """Draws of whether each item is of a class."""

    draws: ClassDraws = None  # type: ignore[assignment]
    code: int = 0

    @property
    def digest(self) -> str:  # type: ignore[override]
        """Hash that identifies the draws."""
        return self.draws.digest

    def probability(self, block: Block, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        return self._probability_of_class(block, rows, new_groups=False)

    def probability_anywhere(
        self, block: Block, without: str, rows: np.ndarray | slice = slice(None)
    ) -> np.ndarray:
        return self._probability_of_class(block, rows, new_groups=True)

    def _probability_of_class(
        self, block: Block, rows: np.ndarray | slice, *, new_groups: bool
    ) -> np.ndarray:
        """Return P(item is of its class) in the draws of a block, (n_draws, n_rows)."""
        draws = self.draws
        items = np.arange(self.n_items)[rows]
        predicted = draws.scores.predicted[items]
        log_others = draws.scores.log_others[:, items]

        probabilities = []
        for part, distribution in draws.parts(block):
            wrong = draws.error_probability(part, items, new_groups)
            others = draws.others.probability(distribution, log_others, predicted)
            of_errors = others[:, self.code]
            is_predicted = predicted == self.code
            probabilities.append(np.where(is_predicted, 1.0 - wrong, of_errors * wrong))
        return np.concatenate(probabilities)

    def drawn_positives(self, block: Block) -> np.ndarray:
        if self.is_complete:
            return np.zeros((block.rows.stop - block.rows.start, 0))
        drawn = self.draws.completions.of_block(block, self.entropy, False)
        return drawn == self.code

    @cached_property
    def mean(self) -> np.ndarray:  # type: ignore[override]
        """The posterior mean of P(item is of its class), (n_items,)."""
        parts = [part for block in self.blocks() for part in block.parts(self.n_items)]
        mean = sum(
            np.einsum("i,ij->j", self.weights[part.rows], self.probability(part)) for part in parts
        )
        return np.minimum(mean, 1.0)


@dataclass(frozen=True, eq=False)
class FurtherItemsOfClass(FurtherItems):
    """Classes and weights of further items, which are those of macro averages."""

    classifier: MeasuredClassifier = None  # type: ignore[assignment]
    code: int = 0

    def weights(self, block: Block, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        entropy = self.items.entropy
        is_of_class = self.classifier.codes(block, Task("population", entropy)) == self.code
        rng = spawn(entropy, NEW_ITEMS, block.index)
        of_items = np.zeros(is_of_class.shape)
        of_items[:, self.classifier.items] = self.classifier.weights_of_population(
            rng, len(of_items)
        )
        return (of_items * is_of_class)[:, rows], (of_items * ~is_of_class)[:, rows]


@dataclass(frozen=True, eq=False, repr=False)
class ClassPosterior(OnClassDraws, RankingPosterior):
    """The ranking of items by scores of a class."""

    @property
    def draws(self) -> ClassDraws:  # type: ignore[override]
        """The draws of all classes."""
        items: Any = self.items
        return items.draws

    @classmethod
    def of_class(cls, classifier: MeasuredClassifier, code: int) -> ClassPosterior:
        """Return the ranking of a class against the rest."""
        classifier.check_order()
        draws = classifier.draws
        table = draws.table
        rows = np.arange(table.n_items)[classifier.items]
        scores = np.zeros(table.n_items)
        scores[rows] = classifier.scores.ranked_by[:, code]
        codes = np.where(table.codes < 0, UNLABELED, table.codes == code).astype(np.int8)
        none: Any = None
        items = ItemsOfClass(
            (),
            RandomEffects(()),
            none,
            codes,
            table.weights,
            draws.error_model.seed,
            draws=draws,
            code=code,
        )
        sample = ScoreSample.from_items(scores[rows], codes[rows], items.counts[rows])
        # Of the share of a class the prior's labels are among the items; else they are, of the rest
        # and of the class, below and above a threshold.
        share = 1.0 / len(table.classes)
        shapes = [[0.0, 0.0], [(1.0 - share) / 2.0] * 2, [share / 2.0] * 2]
        further = FurtherItemsOfClass(
            items,
            table.category,
            table.groups,
            1,
            prior=N_ADDED * np.array(shapes),
            classifier=classifier,
            code=code,
        )
        posterior: Any = cls.of(
            items,
            scores,
            learn_score_kind(sample),
            rows,
            sample.scores[[0, -1]],
            further,
            sample=sample,
            part=classifier.part,
        )
        return posterior

    @cached_property
    def _decreasing(self) -> tuple[np.ndarray, np.ndarray]:
        """First item of each score from the highest down, and that each is a step."""
        firsts = np.flatnonzero(np.r_[True, self.scores[1:] != self.scores[:-1]])[::-1]
        return np.r_[len(self.scores), firsts], np.ones(len(firsts) + 1, dtype=bool)

    def __repr__(self) -> str:
        return f"ClassPosterior(n_items={len(self.rows)}, n_draws={self.n_draws})"
