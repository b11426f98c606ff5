"""Ranked lists, the items in them, and the metrics of all."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from ...goals._question import Question
from ...inputs._arrays import FrozenArrays, row_tiles
from ...inputs._groups import Partition
from ...inputs._raters import Judges
from ...inputs._scores import ScoreDirection
from ...metrics._expectation import LabelDistribution, ratio
from ...metrics._metric import RankingMetric, ThresholdMetric


@dataclass(frozen=True, eq=False)
class ListItems(FrozenArrays):
    """The items of ranked lists: rows of X that may be labeled."""

    # (n_items,), of int; row of X of each item, increasing; other rows are in no list, and were not
    # verified at the start.
    places: np.ndarray
    n_rows: int  # number of rows of X
    codes: np.ndarray  # (n_items,); 1 or 0 where verified at the start, else -1
    # (n_rows,), of int; the item that determines each row's label; -1 where none does.
    item: np.ndarray
    # (n_items,); whether an item is in a list: other ones inform the label model alone. None: all.
    in_lists: np.ndarray | None = None
    # Number of rows of X that are verified at the start and that nothing uses.
    n_unused: int = 0
    category: np.ndarray | None = None  # (n_items,), of int; for strategies that use it
    # (n_items,); classified as positive, for a threshold metric of one list.
    above: np.ndarray | None = None
    # Columns (n_rows,) of a table from which to restart; None if not possible.
    given: dict[str, Any] | None = None

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Return the sum over the rows that each item determines, (n_items,)."""
        is_item = self.item >= 0
        return np.bincount(self.item[is_item], values[is_item], len(self.places))

    def means(self, values: np.ndarray) -> np.ndarray:
        """Return the mean over the rows that each item determines, (n_items,)."""
        return self.sums(values) / self.sums(np.ones(len(self.item)))

    @cached_property
    def first_row(self) -> np.ndarray:
        """The first row that each item determines, (n_items,)."""
        first = np.full(len(self.places), -1)
        # Backwards: of several rows the first is written last.
        rows = np.flatnonzero(self.item >= 0)[::-1]
        first[self.item[rows]] = rows
        return first

    def groups(self, group: np.ndarray) -> np.ndarray:
        """Return the group of each item, given that of each row."""
        item_groups = np.zeros(len(self.places), dtype=np.intp)
        is_item = self.item >= 0
        item_groups[self.item[is_item]] = group[is_item]
        return item_groups


def members_of(group: np.ndarray, n_groups: int) -> list[np.ndarray]:
    """Return the indices of each group's members, increasing, one array per group."""
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group, minlength=n_groups)
    return np.split(order, np.cumsum(sizes)[:-1])


def by_group(
    of: Callable[[np.ndarray], np.ndarray], values: np.ndarray, group: np.ndarray
) -> np.ndarray:
    """Return a function of the values of each group, (n_rows,)."""
    results = np.empty(len(values))
    for members in members_of(group, int(group.max(initial=-1)) + 1):
        results[members] = of(values[members])
    return results


@dataclass(frozen=True, eq=False)
class RankedList(FrozenArrays):
    """Rows in decreasing order of the scores of one system."""

    metric: RankingMetric | ThresholdMetric
    rows: np.ndarray  # (n_ranked,), of int; row indices
    ends: np.ndarray  # (n_distinct,), of int; last position of each tie
    system: int  # the system of the list
    group: int  # the category of the list
    n_above: int | None = None  # number of rows at or above the threshold, for a threshold metric
    # Number of positives, including those missing from the list; None if none is.
    n_positive: int | None = None

    @classmethod
    def ranked(
        cls,
        metric: ThresholdMetric | RankingMetric,
        rows: np.ndarray,
        scores: np.ndarray,
        system: int,
        group: int,
        *,
        threshold: float | None = None,
        n_positive: int | None = None,
    ) -> RankedList:
        """Rank rows by their scores."""
        order = np.argsort(-scores, kind="stable")
        decreasing = scores[order]
        is_end = np.ones(len(scores), dtype=bool)
        is_end[:-1] = decreasing[1:] != decreasing[:-1]
        ends = np.flatnonzero(is_end)
        n_above = None if threshold is None else int(np.count_nonzero(scores >= threshold))
        return cls(metric, rows[order], ends, system, group, n_above, n_positive)

    @cached_property
    def tie(self) -> np.ndarray:
        """The index of the tie of each row."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=-1))

    def values(
        self, labels: np.ndarray, weights: np.ndarray | None = None, share: float = 1.0
    ) -> np.ndarray:
        """Return the metric of completed labels, (n_draws,); NaN where it is undefined."""
        if not len(self.rows):
            return self._of_nothing(len(labels), share)
        labels = labels[:, self.rows].astype(float)
        counts = np.ones(len(self.rows)) if weights is None else weights[self.rows]
        tp = np.cumsum(labels * counts, axis=1)
        n_called = np.cumsum(counts)

        # A metric at one threshold: the rows above it are called positive.
        if isinstance(self.metric, ThresholdMetric):
            n_positive = tp[:, -1]
            n_negative = n_called[-1] - n_positive
            tp_above = fp_above = 0.0 * n_positive
            if self.n_above:
                tp_above = tp[:, self.n_above - 1]
                fp_above = n_called[self.n_above - 1] - tp_above
            return self.metric.value(tp_above, fp_above, n_positive, n_negative)

        # A metric of the first rows: of a tie that does not fit, the share that does.
        sizes = np.diff(self.ends, prepend=-1)
        share_called = self.metric.share_called(self.ends + 1 - sizes, sizes)
        if weights is not None and share_called is not None:
            counts = counts * share_called[self.tie]
            return ratio((labels * counts).sum(axis=1), counts.sum())

        # A metric of the whole list, at the end of each tie.
        tp = tp[:, self.ends]
        fp = n_called[self.ends] - tp
        values = self.metric.value(tp, fp)
        if self.n_positive is None:
            return values

        # Positives missing from the list have zero precision.
        n_ranked = tp[:, -1]
        sums = np.where(n_ranked > 0.0, values, 0.0) * n_ranked
        return ratio(sums, np.full(len(sums), share * self.n_positive))

    def expected(self, probability: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the metric of expected labels, (n_draws,), and its slopes, (n_draws, n_ranked).

        Tied rows have the mean of their probabilities.
        """
        if not len(self.rows):
            return self._of_nothing(len(probability), 1.0), np.empty((len(probability), 0))
        p = probability[:, self.rows]

        # The mean probability of each tie.
        starts = np.r_[0, self.ends[:-1] + 1]
        sizes = np.diff(self.ends, prepend=-1)
        tie_means = np.add.reduceat(p, starts, axis=1) / sizes
        distribution = LabelDistribution(sizes, np.clip(tie_means, 0.0, 1.0))

        above = None
        if isinstance(self.metric, ThresholdMetric):
            above = (self.ends < self.n_above).astype(float)
        known = None if self.n_positive is None else np.full(len(p), float(self.n_positive))
        expected = self.metric.expected_ratio(distribution, above, known)
        return expected.plain, expected.gradient[:, self.tie]

    def _of_nothing(self, n: int, share: float) -> np.ndarray:
        """Return the metric of an empty list: zero if there are positives."""
        n_positive = 0.0 if self.n_positive is None else share * self.n_positive
        return ratio(np.zeros(n), np.full(n, n_positive))


@dataclass(frozen=True, eq=False)
class RankedLists(FrozenArrays):
    """Rows with a binary label each, and ranked lists of these rows.

    A row is, for example, a pair of an image and a tag, or a predicted box at one threshold of its
    overlap. A list belongs to one system and one category; the estimate of a system is the mean
    over its lists.
    """

    scores: np.ndarray  # (n_rows, n_systems); larger for positives; NaN where missing
    noisy: np.ndarray | None  # (n_rows,) or None; noisy labels, 0 or 1
    category: Partition  # of the rows
    features: np.ndarray | None  # (n_rows, n_features) or None; further predictors of the label
    lists: tuple[RankedList, ...]
    # The direction of the scores.
    score_direction: ScoreDirection = field(default=ScoreDirection(), kw_only=True)
    # Names of the systems; empty if they have numbers only.
    systems: tuple[Hashable, ...] = field(default=(), kw_only=True)
    # Groups of dependent rows; None if rows are independent.
    clusters: Partition | None = field(default=None, kw_only=True)
    # Further ratings of the rows, besides scores and noisy labels.
    judges: Judges | None = field(default=None, kw_only=True)

    # Name of the label model used before both classes are labeled.
    stand_in: ClassVar[str] = "joint"

    group = property(attrgetter("category.codes"))
    n_groups = property(attrgetter("category.n_parts"))

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

    @cached_property
    def in_lists(self) -> np.ndarray:
        """Whether each row is in a list, (n_rows,)."""
        ranked = np.zeros(self.n_rows, dtype=bool)
        for each in self.lists:
            ranked[each.rows] = True
        return ranked

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The names of the systems, or their numbers."""
        return self.systems or tuple(range(self.n_systems))

    def values(
        self, labels: np.ndarray, weights: np.ndarray | None = None, share: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the metric of each list, (n_draws, n_lists), as in `RankedList.values`."""
        share = np.ones(self.n_groups) if share is None else share
        columns = [ranked.values(labels, weights, share[ranked.group]) for ranked in self.lists]
        return np.stack(columns, axis=1)

    def mean(self, values: np.ndarray, among: np.ndarray | None = None) -> np.ndarray:
        """Return the mean over the defined lists of each system, (n_draws, n_systems)."""
        means = []
        for system in range(self.n_systems):
            is_counted = self.system == system
            if among is not None:
                is_counted = is_counted & among
            list_values = values[:, is_counted]
            is_defined = ~np.isnan(list_values)
            total = np.where(is_defined, list_values, 0.0).sum(axis=1)
            means.append(ratio(total, is_defined.sum(axis=1)))
        return np.stack(means, axis=1)

    def by_category(self, values: np.ndarray, system: int) -> np.ndarray:
        """Return the mean of the lists of each category, (n_draws, n_groups)."""
        columns = [
            self.mean(values, self.list_group == group)[:, system] for group in range(self.n_groups)
        ]
        return np.stack(columns, axis=1)

    def slopes(self, probability: np.ndarray) -> np.ndarray:
        """Return the sum over all lists of the slope by each row's probability, (n_rows,)."""
        steep = np.zeros(self.n_rows)
        for ranked in self.lists:
            slopes = ranked.expected(probability[np.newaxis])[1][0]
            steep[ranked.rows] += np.abs(np.where(np.isfinite(slopes), slopes, 0.0))
        return steep

    def drawn_values(self, labels_of: Callable[[slice], np.ndarray], n_draws: int) -> np.ndarray:
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
    is_of_kind = isinstance(metric, (RankingMetric, ThresholdMetric))
    if is_of_kind and not question.is_open and not metric.has_expectation:
        raise ValueError(
            f"{question.name!r} has no formula of its expectation (expected_ratio), which noisy "
            "labels, categories, groups, judges and several systems need: ask for a metric that "
            "has one, such as 'precision', 'recall', 'f1' or 'accuracy'."
        )
    if not (is_of_kind and question.has_expectation):
        raise ValueError(
            "With noisy labels, categories, groups, judges or several systems the metric must be "
            "a ranking metric, 'average_precision', 'roc_auc' or PrecisionAtK(k), or a threshold "
            "metric with threshold=, such as 'precision', 'recall', 'f1' or 'accuracy'; got "
            f"{question.name!r}. If "
            f"categories are for strategies only, average='micro' keeps one pool."
        )


def score_lists(
    question: Question,
    scores: np.ndarray,
    noisy: np.ndarray | None,
    category: Partition | None,
    features: np.ndarray | None,
    threshold: float | None = None,
) -> tuple[Any, ...]:
    """Return the ranked lists of a pool, and the row of X of each of their rows.

    All items with a score are rows, in a list or not: they inform a label model.
    """
    n_items, n_systems = scores.shape
    of_pool = Partition.numbered(np.zeros(n_items, dtype=np.intp))
    parts = of_pool if category is None else category
    chosen = {}
    for c, members in enumerate(members_of(parts.codes, parts.n_parts)):
        for m in range(n_systems):
            # A system ranks the items that it scored.
            items = members[~np.isnan(scores[members, m])]
            try:
                above = question.metric.decided_above(scores[items, m])
            except ValueError as error:
                name = f"the category {parts.names.tolist()[c]!r} (which may be left out)"
                of = "the pool" if category is None else name
                raise ValueError(f"In {of} {error}") from error
            chosen[m, c] = items if above is None else items[above]

    places = np.flatnonzero(~np.isnan(scores).all(axis=1))
    lists = [
        RankedList.ranked(
            question.metric,
            np.searchsorted(places, items),
            scores[items, m],
            m,
            c,
            threshold=threshold,
        )
        for (m, c), items in sorted(chosen.items())
    ]
    ranked_lists = RankedLists(
        scores[places],
        None if noisy is None else noisy[places],
        parts.take(places),
        None if features is None else features[places],
        tuple(lists),
    )
    return ranked_lists, places
