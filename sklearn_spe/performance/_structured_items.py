"""Input with several systems, subgroups or groups of items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..inputs._labels import UNLABELED
from ..inputs._score_direction import ScoreDirection
from ..inputs._scores import holds_systems
from ..items._structured_model import StructuredModel
from ._performance_subject import RankingRows, RankingView, Structure, Subject
from ._ranking_answers import RankingAnswers

__all__ = ["StructuredItems"]

# Structure of the items besides scores and labels.
SAID = ("category", "groups", "judges")


@dataclass(frozen=True, eq=False)
class StructuredItems(Subject):
    """Items with several columns of scores, categories or groups."""

    mixture: Any  # unfitted, holds the parameters
    model: StructuredModel
    decision: float | None = None  # threshold of a single system, if its scores imply none

    @classmethod
    def takes(cls, mixture, X, y, structure):
        return holds_systems(X, mixture.classes) or bool(structure.said(*SAID))

    @classmethod
    def fit(cls, mixture, X, y, sample_weight, structure, seed):
        said = {**_said(structure), "source": structure.source}
        return cls(mixture, StructuredModel.of(mixture, X, y, sample_weight, **said))

    def updated(self, X, y, sample_weight, structure):
        said = {**_said(structure), "source": structure.source}
        model = self.model.updated(self.mixture, X, y, sample_weight, **said)
        return replace(self, model=model)

    def deciding(self, threshold):
        if len(self.systems) > 1:
            return super().deciding(threshold)
        return replace(self, decision=threshold)

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
        if asked.judge is not None:
            columns.insert(0, table.n_systems + table.number_of_judge(asked.judge))
        elif asked.system is not None or len(self.systems) == 1:
            columns.insert(0, table.number_of(asked.system))
        return columns

    @property
    def judges(self):
        judges = self.model.table.judges
        return () if judges is None else judges.names

    def shown(self, asked):
        model, system, category = self.model, asked.system, asked.category
        if asked.judge is not None:
            return RankingView(
                model.ranking_of_judge(asked.judge, category),
                ScoreDirection(),
                model.threshold_of_judge(asked.judge),
                asked,
            )
        if system is None and len(self.systems) > 1:
            # Check the category first: it must exist for every metric.
            model.table.part_of(category)
            return RankingView(model.posterior, None, None, replace(asked, system=None))
        number = model.table.number_of(system)
        name, decision = self.systems[number], self.decision
        return RankingView(
            model.ranking(name, category, asked.beside),
            model.table.score_directions[number],
            model.default_threshold(name) if decision is None else decision,
            replace(asked, system=name),
        )

    def rows(self, asked):
        table = self.model.table
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


def _said(structure: Structure) -> dict:
    """Return the structure of the items; raise for `inclusion_proba`."""
    if structure.said("inclusion_proba"):
        raise ValueError(
            "inclusion_proba= requires one column of scores without category=, groups= and "
            "judges=: fit each system, or each category, separately to use it."
        )
    return {name: getattr(structure, name) for name in SAID}
