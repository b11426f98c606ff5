"""Labels to be known, and the ranked lists in which they stand; and those of a pool of scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..._arrays import FrozenArrays, row_tiles
from ...curves._question import Question
from ...inputs._judges import Judges
from ...inputs._orientation import Orientation
from ...inputs._partition import Partition
from ...items._clusters import Clusters
from ...metrics._metric import RankingMetric, ThresholdMetric
from ._items import members_of
from ._ranked_list import RankedList

__all__ = ["Board", "check_board_question", "score_board"]


@dataclass(frozen=True, eq=False)
class Board(FrozenArrays):
    """Entries, each with a label that is 0 or 1, and lists that rank some of them.

    An entry is a pair of an image and a tag, say, or a predicted box at one threshold of its
    overlap. A list belongs to one system and one category; the estimate of a system is the mean of
    its lists.

    Attributes
    ----------
    scores : ndarray of shape (n_entries, n_systems)
        Larger for positives; NaN where a system gave none.
    noisy : ndarray of shape (n_entries,) or None
        The noisy label of each entry, 0 or 1.
    group : ndarray of shape (n_entries,), of int
        The number of the category.
    n_groups : int
    features : ndarray of shape (n_entries, n_features) or None
        What else is known of an entry, for a label model that looks at it.
    lists : tuple of RankedList
    orientation : Orientation
        How scores were turned, if smaller ones mean positive.
    systems : tuple, default=()
        What systems are called; empty if they have numbers only.
    categories : ndarray of shape (n_groups,), default=None
        What categories are called; None if they have numbers only.
    is_ordered : bool, default=False
        Whether categories are in an order, as months are.
    clusters : Clusters, default=None
        The groups of entries that belong together; None if entries are independent.
    judges : Judges, default=None
        Who says something of the label of each entry, besides scores and noisy labels.
    stand_in : str
        The name of the label model that needs no labels of both classes.
    """

    scores: np.ndarray
    noisy: np.ndarray | None
    group: np.ndarray
    n_groups: int
    features: np.ndarray | None
    lists: tuple[RankedList, ...]
    orientation: Orientation = field(default=Orientation(), kw_only=True)
    systems: tuple = field(default=(), kw_only=True)
    categories: np.ndarray | None = field(default=None, kw_only=True)
    is_ordered: bool = field(default=False, kw_only=True)
    clusters: Clusters | None = field(default=None, kw_only=True)
    judges: Judges | None = field(default=None, kw_only=True)

    stand_in: ClassVar[str] = "joint"

    @property
    def n_entries(self) -> int:
        return len(self.group)

    @cached_property
    def system(self) -> np.ndarray:
        """Whose each list is, of shape (n_lists,)."""
        return np.array([ranked.system for ranked in self.lists])

    @cached_property
    def list_group(self) -> np.ndarray:
        """Of which category each list is, of shape (n_lists,)."""
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
        """The category of each entry, by its name or number."""
        names = np.arange(self.n_groups) if self.categories is None else self.categories
        return Partition(names, self.group, "category", self.is_ordered)

    def values(self, labels, weights=None, share=None) -> np.ndarray:
        """Return the metric of each list, (n_draws, n_lists), as `RankedList.values` does.

        Parameters
        ----------
        labels : ndarray of shape (n_draws, n_entries) or (n_systems, n_draws, n_entries)
            The same for all systems, or those by which each is judged.
        weights : ndarray of shape (n_entries,), default=None
        share : ndarray of shape (n_groups,), default=None
        """
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
        """Return values of `ndim` axes for each system, if they are there once for all."""
        return np.broadcast_to(values, (self.n_systems, *np.shape(values)[-ndim:]))

    def mean(self, values, among=None) -> np.ndarray:
        """Return the mean over the lists of each system, (n_draws, n_systems).

        Lists without a value, of categories without a positive say, are left out.

        Parameters
        ----------
        values : ndarray of shape (n_draws, n_lists)
        among : ndarray of bool of shape (n_lists,), default=None
            Which lists count.
        """
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
        """Return the sum over all lists of how steeply an entry moves each, (n_entries,).

        Parameters
        ----------
        probability : ndarray of shape (n_entries,)
            0 or 1 where labels are known.
        """
        steep = np.zeros(self.n_entries)
        for ranked in self.lists:
            slopes = ranked.expected(probability[np.newaxis])[1][0]
            steep[ranked.entries] += np.abs(np.where(np.isfinite(slopes), slopes, 0.0))
        return steep

    def drawn_values(self, labels_of, n_draws: int) -> np.ndarray:
        """Return the metric of each list for drawn labels, tile by tile, (n_draws, n_lists).

        Parameters
        ----------
        labels_of : callable
            From a slice of draws to labels, as `values` takes them.
        n_draws : int
        """
        parts = [self.values(labels_of(rows)) for rows in row_tiles(n_draws, self.n_entries)]
        return np.concatenate(parts)


def check_board_question(question: Question) -> None:
    """Raise unless the lists of a board can answer a question."""
    if question.is_goal:
        raise ValueError(
            f"A goal is reached on one pool of scores: with noisy labels, categories, groups, "
            f"features, judges, several systems, objects or a label_model other than curves there "
            f"is none; got {question.name!r}. Leave them out (average='micro' keeps one pool), or "
            f"label for a metric and ask PerformanceCurveEstimator.threshold_for afterwards."
        )
    metric = question.metric
    known = isinstance(metric, (RankingMetric, ThresholdMetric)) and question.has_expectation
    if not known:
        raise ValueError(
            f"With noisy labels, categories, groups, judges or several systems the metric is a "
            f"number of a ranking, 'average_precision', 'roc_auc' or PrecisionAtK(k), or of a "
            f"threshold=, 'precision', 'recall', 'f1' or 'accuracy' say; got {question.name!r}. If "
            f"categories are for strategies only, average='micro' keeps one pool."
        )


def score_board(question: Question, scores, noisy, category, features, threshold=None, names=None):
    """Return the lists of a pool, and which of its items stand in them.

    Parameters
    ----------
    question : Question
        With a metric of a ranking, or of a threshold.
    scores : ndarray of shape (n_items, n_systems)
        Larger for positives; NaN where a system gave none.
    noisy : ndarray of shape (n_items,) or None
    category : ndarray of shape (n_items,), of int, or None
        The number of the category of each item.
    features : ndarray of shape (n_items, n_features) or None
    threshold : float, default=None
        On the scale of `scores`.
    names : ndarray of shape (n_groups,), default=None
        Of the categories.

    Returns
    -------
    board : Board
    places : ndarray of shape (n_entries,)
        The item of each entry: all items, or those that are among the k highest of a list.

    Raises
    ------
    ValueError
        If a category has fewer than k items.
    """
    n_items, n_systems = scores.shape
    group = np.zeros(n_items, dtype=np.intp) if category is None else category
    n_groups = int(group.max()) + 1
    members = members_of(group, n_groups)
    # A system ranks what it scored.
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
    board = Board(
        scores[places],
        None if noisy is None else noisy[places],
        group[places],
        n_groups,
        None if features is None else features[places],
        tuple(lists),
    )
    return board, places


def _of_categories(names, n_groups: int) -> list[str]:
    """Return how each category is called in a message."""
    if names is None:
        return ["the pool"] * n_groups
    return [f"the category {name!r} (which may be left out)" for name in names.tolist()]


def _decided(metric, scores, items, where: str):
    """Return the items that a metric calls positive by these scores, all if it does not decide."""
    try:
        above = metric.decided_above(scores)
    except ValueError as error:
        raise ValueError(f"In {where} {error}") from error
    return items if above is None else items[above]
