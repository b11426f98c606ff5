"""Labels to be estimated and the ranked lists of them; and those of a pool of scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..._arrays import FrozenArrays, row_tiles
from ...curves._question import Question
from ...inputs._judges import Judges
from ...inputs._partition import Partition
from ...inputs._score_direction import ScoreDirection
from ...items._clusters import Clusters
from ...metrics._metric import RankingMetric, ThresholdMetric
from ._items import members_of
from ._ranked_list import RankedList

__all__ = ["RankedLists", "check_list_question", "score_lists"]


@dataclass(frozen=True, eq=False)
class RankedLists(FrozenArrays):
    """Rows with a binary label each, and ranked lists of some of them.

    A row is, for example, a pair of an image and a tag, or a predicted box at one threshold of its
    overlap. A list belongs to one system and one category; the estimate of a system is the mean
    over its lists.
    """

    scores: np.ndarray  # (n_rows, n_systems); larger for positives; NaN where missing
    noisy: np.ndarray | None  # (n_rows,) or None; noisy labels, 0 or 1
    group: np.ndarray  # (n_rows,), of int; index of the category
    n_groups: int
    features: np.ndarray | None  # (n_rows, n_features) or None; further predictors of the label
    lists: tuple[RankedList, ...]
    # The direction of the scores.
    score_direction: ScoreDirection = field(default=ScoreDirection(), kw_only=True)
    # Names of the systems; empty if they have numbers only.
    systems: tuple = field(default=(), kw_only=True)
    # (n_groups,); names of the categories; None if they have numbers only.
    categories: np.ndarray | None = field(default=None, kw_only=True)
    # Whether categories are ordered, as months are.
    is_ordered: bool = field(default=False, kw_only=True)
    # Groups of dependent rows; None if rows are independent.
    clusters: Clusters | None = field(default=None, kw_only=True)
    # Further ratings of the rows, besides scores and noisy labels.
    judges: Judges | None = field(default=None, kw_only=True)

    # Name of the label model used before both classes are labeled.
    stand_in: ClassVar[str] = "joint"

    @property
    def n_rows(self) -> int:
        return len(self.group)

    @cached_property
    def system(self) -> np.ndarray:
        """The system of each list, of shape (n_lists,)."""
        return np.array([ranked.system for ranked in self.lists])

    @cached_property
    def list_group(self) -> np.ndarray:
        """The category of each list, of shape (n_lists,)."""
        return np.array([ranked.group for ranked in self.lists])

    @cached_property
    def n_systems(self) -> int:
        return int(self.system.max()) + 1

    @property
    def names(self) -> tuple:
        """The names of the systems, or their numbers."""
        return self.systems or tuple(range(self.n_systems))

    @property
    def category(self) -> Partition:
        """The category of each row, by its name or number."""
        names = np.arange(self.n_groups) if self.categories is None else self.categories
        return Partition(names, self.group, "category", self.is_ordered)

    def values(self, labels, weights=None, share=None) -> np.ndarray:
        """Return the metric of each list, (n_draws, n_lists), as in `RankedList.values`."""
        share = np.ones(self.n_groups) if share is None else share
        own = self.each_system(labels, 2)
        return np.stack(
            [
                ranked.values(own[ranked.system], weights, share[ranked.group])
                for ranked in self.lists
            ],
            axis=1,
        )

    def each_system(self, values, ndim: int) -> np.ndarray:
        """Return values of `ndim` axes for each system, repeated if shared by all."""
        return np.broadcast_to(values, (self.n_systems, *np.shape(values)[-ndim:]))

    def mean(self, values, among=None) -> np.ndarray:
        """Return the mean over the defined lists of each system, (n_draws, n_systems)."""
        means = []
        for system in range(self.n_systems):
            own = self.system == system
            part = values[:, own if among is None else own & among]
            defined = ~np.isnan(part)
            n = defined.sum(axis=1)
            total = np.where(defined, part, 0.0).sum(axis=1)
            means.append(np.where(n > 0, total / np.maximum(n, 1), np.nan))
        return np.stack(means, axis=1)

    def by_category(self, values, system: int) -> np.ndarray:
        """Return the mean of the lists of each category, (n_draws, n_groups)."""
        columns = [
            self.mean(values, self.list_group == group)[:, system] for group in range(self.n_groups)
        ]
        return np.stack(columns, axis=1)

    def slopes(self, probability) -> np.ndarray:
        """Return the sum over all lists of the slope by each row's probability, (n_rows,)."""
        steep = np.zeros(self.n_rows)
        for ranked in self.lists:
            slopes = ranked.expected(probability[np.newaxis])[1][0]
            steep[ranked.rows] += np.abs(np.where(np.isfinite(slopes), slopes, 0.0))
        return steep

    def drawn_values(self, labels_of, n_draws: int) -> np.ndarray:
        """Return the metric of each list for drawn labels, tile by tile, (n_draws, n_lists)."""
        parts = [self.values(labels_of(rows)) for rows in row_tiles(n_draws, self.n_rows)]
        return np.concatenate(parts)


def check_list_question(question: Question) -> None:
    """Raise unless ranked lists support the question."""
    if question.is_goal:
        raise ValueError(
            "A goal needs one pool of scores: it is not supported with noisy labels, categories, "
            "groups, features, judges, several systems, objects or a label_model other than "
            f"curves; got {question.name!r}. Leave them out (average='micro' keeps one pool), or "
            "label for a metric and call PerformanceCurveEstimator.threshold_for afterwards."
        )
    metric = question.metric
    known = isinstance(metric, (RankingMetric, ThresholdMetric)) and question.has_expectation
    if not known:
        raise ValueError(
            "With noisy labels, categories, groups, judges or several systems the metric must be "
            "a ranking metric, 'average_precision', 'roc_auc' or PrecisionAtK(k), or a threshold "
            "metric with threshold=, such as 'precision', 'recall', 'f1' or 'accuracy'; got "
            f"{question.name!r}. If "
            f"categories are for strategies only, average='micro' keeps one pool."
        )


def score_lists(question: Question, scores, noisy, category, features, threshold=None, names=None):
    """Return the ranked lists of a pool, and the item of each of their rows."""
    n_items, n_systems = scores.shape
    group = np.zeros(n_items, dtype=np.intp) if category is None else category
    n_groups = int(group.max()) + 1
    members = members_of(group, n_groups)
    # A system ranks the items that it scored.
    scored = [[own[~np.isnan(scores[own, m])] for m in range(n_systems)] for own in members]
    chosen = [
        [_decided(question.metric, scores[own, m], own, name) for m, own in enumerate(of_systems)]
        for name, of_systems in zip(_of_categories(names, n_groups), scored, strict=True)
    ]
    places = np.unique(np.concatenate([items for tops in chosen for items in tops]))
    lists = [
        RankedList.ranked(
            question.metric,
            np.searchsorted(places, chosen[c][m]),
            scores[chosen[c][m], m],
            m,
            c,
            threshold=threshold,
        )
        for m in range(n_systems)
        for c in range(n_groups)
    ]
    ranked_lists = RankedLists(
        scores[places],
        None if noisy is None else noisy[places],
        group[places],
        n_groups,
        None if features is None else features[places],
        tuple(lists),
    )
    return ranked_lists, places


def _of_categories(names, n_groups: int) -> list[str]:
    """Return the name of each category in messages."""
    if names is None:
        return ["the pool"] * n_groups
    return [f"the category {name!r} (which may be left out)" for name in names.tolist()]


def _decided(metric, scores, items, where: str):
    """Return the items classified as positive, or all for metrics without a threshold."""
    try:
        above = metric.decided_above(scores)
    except ValueError as error:
        raise ValueError(f"In {where} {error}") from error
    return items if above is None else items[above]
