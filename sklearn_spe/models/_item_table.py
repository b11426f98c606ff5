"""Items with the scores of several systems, categories and groups, as they were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..data._counted_rows import check_source
from ..data._gathered_rows import merged_rows, representative_rows
from ..data._gathered_scores import MAX_ONE_BY_ONE, gathered, items_in_rows
from ..data._inclusion import Inclusion
from ..data._item_data import ItemData
from ..data._items import Items
from ..data._sample import ScoreSample
from ..inputs._arrays import FrozenArrays
from ..inputs._groups import Partition
from ..inputs._labels import UNLABELED, BinaryLabels
from ..inputs._scores import ScoreDirection

# More different unlabeled items than this are represented by half as many of them: all items, of
# each category, and of each group.
MAX_ROWS, MAX_ROWS_OF_CATEGORY, MAX_ROWS_OF_GROUP = 4096, 1024, 16


@dataclass(frozen=True, eq=False)
class Predictions(FrozenArrays):
    """The predictions of items whose positives are their errors."""

    log_odds: np.ndarray  # (n_items,), that each is wrong, as the classifiers state it
    agreement: np.ndarray  # (n_items, n_systems), whether each predicts the same, less its mean
    predicted: Partition  # the predicted class


@dataclass(frozen=True, eq=False, kw_only=True)
class ItemTable(Items):
    """The rows of a fit of two classes: items whose scores are larger for positives."""

    predictions: Predictions | None = None  # whose errors are the positives
    # (n_rows,), of int, the item of each row of X, -1 if it is represented by a similar one or
    # has no weight; None if each item is its row
    place: np.ndarray | None = None
    has_gathered_groups: bool = False  # whether the last group is all of those without labels
    has_single_groups: bool = False  # whether groups of one item each were given, which are none
    # exact scores and labels of one pool, where rows represent neighboring scores
    exact_pool: ScoreSample | None = None
    # (n_rows,), of int, the item that represents each row of X; None if as `place`
    represented_by: np.ndarray | None = None

    @classmethod
    def of(cls, data: ItemData) -> ItemTable:
        """Return the rows of data of two classes, each an item that its weight counts."""
        flipped = [
            direction.flip(column)
            for direction, column in zip(data.score_directions, data.scores.T, strict=True)
        ]

        # Groups of one item each are independent items.
        groups = data.groups
        are_single = groups is not None and len(np.unique(groups.codes)) == data.n_rows

        table = cls.sharing(
            data,
            scores=np.column_stack(flipped),
            groups=None if are_single else groups,
            has_single_groups=are_single,
        )
        if not table.is_one_pool:
            check_whole(data.weights)
        is_counted = data.weights > 0.0
        return table if is_counted.all() else table.take(np.flatnonzero(is_counted))

    @classmethod
    def of_pool(
        cls,
        scores: np.ndarray,
        codes: np.ndarray,
        score_direction: ScoreDirection,
        *,
        counts: np.ndarray | None = None,
        system: Any = 0,
    ) -> ItemTable:
        """Return validated scores of one column, larger for positives, with codes of 0 and 1."""
        return cls(
            systems=(system,),
            scores=np.asarray(scores)[:, np.newaxis],
            codes=codes,
            counts=counts,
            n_rows=len(codes),
            labels=BinaryLabels.learn(None, classes=[0, 1]),
            score_directions=(score_direction,),
        )

    @cached_property
    def is_one_pool(self) -> bool:
        """Whether items have a single score and no structure; systems may repeat the score."""
        has_categories = self.category is not None and self.category.n_parts > 1
        structure = self.groups, self.judges, self.features, self.predictions
        if has_categories or any(part is not None for part in structure):
            return False
        first = self.scores[:, :1]
        others = self.scores[:, 1:]
        return self.n_systems > 0 and not np.isnan(first).any() and bool((others == first).all())

    @cached_property
    def pool(self) -> ScoreSample:
        """The exact scores and labels of the items of one pool."""
        if self.exact_pool is not None:
            return self.exact_pool
        scores = self.scores[:, 0]
        codes = self.codes
        weights = self.weights
        if len(scores) > MAX_ONE_BY_ONE and (weights == 1.0).all():
            scores, codes, weights = gathered(scores, codes)
        return ScoreSample.from_items(scores, codes, weights, self.inclusion)

    @property
    def cells(self) -> np.ndarray:
        """The cell of the pool in which each item is, (n_items,)."""
        scores = self.scores[:, 0]
        if len(scores) > MAX_ONE_BY_ONE and (self.weights == 1.0).all():
            rows, row, _ = items_in_rows(scores, self.codes)
            scores = rows[0][row]
        return np.searchsorted(self.pool.scores, scores)

    def _rows_of_pool(self) -> ItemTable:
        """Return rows of equal or, of many, neighboring scores, by increasing score."""
        cells = self.pool.grouped_for_labels()
        of_codes = cells.unlabeled, cells.negative, cells.positive

        # A row for each cell, so that labels are drawn alike whichever items are labeled.
        occupied = [np.arange(cells.n_cells), *map(np.flatnonzero, of_codes[1:])]
        codes = np.repeat([UNLABELED, 0, 1], [len(cell) for cell in occupied])
        counts = [of_code[cell] for of_code, cell in zip(of_codes, occupied, strict=True)]
        scores = cells.scores[np.concatenate(occupied)]

        n_rows = len(codes)
        return replace(
            self,
            scores=np.repeat(scores[:, np.newaxis], self.n_systems, axis=1),
            codes=codes,
            row_numbers=None,
            category=None if self.category is None else self.category.take(np.zeros_like(codes)),
            counts=np.concatenate(counts),
            n_rows=n_rows,
            exact_pool=self.pool,
        )

    def gathered(self) -> ItemTable:
        """Merge equal items, and represent many unlabeled ones by some of them."""
        if self.is_one_pool:
            return self._rows_of_pool()
        n_rows = max(
            MAX_ROWS,
            MAX_ROWS_OF_CATEGORY * (1 if self.category is None else self.category.n_parts),
            MAX_ROWS_OF_GROUP * (0 if self.groups is None else self.groups.n_parts),
        )
        has_few_values = (len(np.unique(column)) <= n_rows for column in self.columns.T)

        # Merge equal items.
        table = self._merged() if self.n_items <= n_rows or all(has_few_values) else self
        labeled = np.flatnonzero(table.codes >= 0)
        unlabeled = np.flatnonzero(table.codes < 0)
        if len(unlabeled) <= n_rows:
            return table

        # Represent the unlabeled items of each category and group by some of them.
        strata = np.zeros(len(unlabeled), dtype=np.intp)
        for codes in table._parts:
            strata = strata * (int(codes.max()) + 1) + codes[unlabeled]
        chosen_unlabeled, counts, run = representative_rows(
            table.columns[unlabeled], strata, table.weights[unlabeled], n_rows // 2
        )
        chosen = np.r_[labeled, unlabeled[chosen_unlabeled]]
        counts = np.r_[table.weights[labeled], counts]

        # The row of each item, and the one that represents it.
        item_of_row = np.full(table.n_items, -1)
        item_of_row[labeled] = np.arange(len(labeled))
        represented_by = item_of_row.copy()
        represented_by[unlabeled] = len(labeled) + run
        is_item = table.item_of_row >= 0
        return replace(
            table.take(chosen),
            counts=counts,
            place=np.where(is_item, item_of_row[table.item_of_row], -1),
            represented_by=np.where(is_item, represented_by[table.item_of_row], -1),
        )

    def with_labeled_groups(self) -> ItemTable:
        """Return the table with one group for all items of groups without labels, if many.

        For fits in which nothing but labels tells groups apart.
        """
        if self.groups is None or self.n_items <= MAX_ROWS:
            return self
        labeled = np.unique(self.groups.codes[self.codes >= 0])
        place = np.full(self.groups.n_parts, len(labeled))
        place[labeled] = np.arange(len(labeled))
        names = np.arange(len(labeled) + 1)
        groups = replace(self.groups, codes=place[self.groups.codes], names=names)
        return replace(self, groups=groups, has_gathered_groups=True)

    def _merged(self) -> ItemTable:
        """Return the table with equal items merged."""
        item_of_row = np.full(self.n_rows, -1)
        columns = [*self.columns.T, *self._parts, self.codes]
        if self.inclusion.of_rows is not None:
            columns.append(self.label_counts / self.weights)
        chosen, item_of_row[self.rows], counts = merged_rows(columns, self.weights)
        return replace(self.take(chosen), counts=counts, place=item_of_row)

    @cached_property
    def item_of_row(self) -> np.ndarray:
        """The item of each row of X, -1 for rows that another represents, (n_rows,)."""
        if self.place is not None:
            return self.place
        items = np.full(self.n_rows, -1)
        items[self.rows] = np.arange(self.n_items)
        return items

    @property
    def representative_of_row(self) -> np.ndarray:
        """The item that represents each row of X, -1 for rows without weight, (n_rows,)."""
        return self.item_of_row if self.represented_by is None else self.represented_by

    @property
    def _parts(self) -> list[np.ndarray]:
        """The category, the group and the levels of features of each item, where there are any."""
        parts = [part.codes for part in (self.category, self.groups) if part is not None]
        if self.features is not None:
            # Missing ones are a level of their own.
            parts += [levels + 1 for levels in self.features.levels.T]
        return parts

    @cached_property
    def label_counts(self) -> np.ndarray:
        """Number of labels in the likelihood that each item represents if labeled, (n_items,)."""
        of_rows = self.inclusion.of_rows
        # The weights of one pool are those of its scores.
        if of_rows is None or self.is_one_pool:
            return self.weights
        return self.weights * of_rows[self.rows]

    def relabeled(self, codes: np.ndarray, labels: BinaryLabels | None = None) -> ItemTable:
        """Return the same items with other labels, and with their encoding if it changed."""
        labels = self.labels if labels is None else labels
        return replace(self, codes=codes, labels=labels, exact_pool=None)

    def without_labels(self) -> ItemTable:
        """Return the same items without labels."""
        codes = np.full(self.n_items, UNLABELED)
        return replace(self, codes=codes, exact_pool=None, inclusion=Inclusion())

    def at_rows(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return numbers of the items, and codes, for each row of X; unlabeled rows have any."""
        items = self.item_of_row
        return numbers[items], np.where(items >= 0, self.codes[items], UNLABELED)

    def has_the_items_of(self, other: ItemTable) -> bool:
        """Return whether another table of the same rows has the same items."""
        is_given = self.source is None
        return is_given and np.array_equal(self.rows, other.rows)

    def same_items(self, other: ItemTable) -> ItemTable:
        """Return another table of the same items, with this category and these groups.

        Raise ValueError if scores, categories or groups differ; the latter two may be omitted.
        """
        check_source(self.source, other.source)
        if self.source is not None:
            # The rows of binned items depend on which items are labeled.
            return other
        if self.is_one_pool and other.is_one_pool:
            self._check_scores(other)
            return other

        same = np.array_equal(self.scores, other.scores, equal_nan=True)
        if self.systems != other.systems or not same:
            raise ValueError(
                f"update takes the scores of fit with other labels; these are {other.n_items} "
                f"items of {other.n_systems} systems that differ from the {self.n_items} items of "
                f"{self.n_systems} systems of fit. Call fit for new scores."
            )

        self.check_same_structure(other)
        if other.has_single_groups and self.groups is not None:
            raise ValueError(
                "update takes the same groups= as fit, or none, but this one differs: call fit for "
                "other ones."
            )
        if other.judges is not None and not other.judges.is_same(self.judges):
            difference = "fit was given none" if self.judges is None else "these differ"
            raise ValueError(
                f"update takes the same judges= as fit, or none, but {difference}: call fit "
                "for other ones."
            )
        if other.features is not None and not other.features.is_same(self.features):
            difference = "fit was given none" if self.features is None else "these differ"
            raise ValueError(
                f"update takes the same features= as fit, or none, but {difference}: call fit for "
                "other ones."
            )
        return replace(
            other,
            category=self.category,
            groups=self.groups,
            judges=self.judges,
            features=self.features,
        )

    def _check_scores(self, other: ItemTable) -> None:
        """Raise unless another pool has the same scores, in any order."""
        scores = self.scores[:, 0]
        others = other.scores[:, 0]
        if np.array_equal(scores, others) and np.array_equal(self.weights, other.weights):
            return

        pool = ScoreSample.from_items(scores, self.codes, self.weights)
        other_pool = ScoreSample.from_items(others, other.codes, other.weights)
        is_same = np.array_equal(pool.scores, other_pool.scores)
        if not (is_same and np.allclose(pool.counts, other_pool.counts)):
            raise ValueError(
                "update takes the scores of fit with other labels; these are "
                f"{other.weights.sum():g} items with {len(np.unique(others))} distinct scores, but "
                f"fit had {self.weights.sum():g} with {len(np.unique(scores))}. Call fit for new "
                "scores."
            )

    @property
    def n_labeled(self) -> float:
        """Number of labeled items, by their weights."""
        return float(self.weights[self.codes >= 0].sum())

    def n_lost(self, other: ItemTable) -> float:
        """Return the number of labels that another table of the same items lacks."""
        if self.is_one_pool:
            is_labeled = self.codes >= 0
            is_labeled_now = other.codes >= 0
            scores = np.r_[self.scores[is_labeled, 0], other.scores[is_labeled_now, 0]]
            weights = np.r_[self.weights[is_labeled], -other.weights[is_labeled_now]]
            _, cell = np.unique(scores, return_inverse=True)
            return float(np.maximum(np.bincount(cell, weights), 0.0).sum())
        if self.source is None:
            return int(((self.codes >= 0) & (other.codes < 0)).sum())
        return (Counter(self._labeled_items()) - Counter(other._labeled_items())).total()

    def _labeled_items(self) -> Iterator[tuple[Any, ...]]:
        """Yield the category and score of each labeled item, for histograms."""
        known = self.codes >= 0
        parts = np.zeros(len(known)) if self.category is None else self.category.codes
        return zip(parts[known].tolist(), self.scores[known, 0].tolist(), strict=True)

    @cached_property
    def columns(self) -> np.ndarray:
        """All informative columns, (n_items, n_columns): scores, then raters; NaN if missing."""
        return self.scores if self.judges is None else np.hstack([self.scores, self.judges.scores])

    @cached_property
    def misses(self) -> np.ndarray:
        """Whether each column has missing values, (n_columns,)."""
        return np.isnan(self.columns).any(axis=0)

    @property
    def names_of_columns(self) -> tuple[str, ...]:
        """Name of the system or rater of each column."""
        judges = () if self.judges is None else self.judges.names
        # A reader in a modality is named by both.
        systems = (
            ", ".join(map(str, name)) if isinstance(name, tuple) else name for name in self.systems
        )
        of_systems = (f"system {name!r}" for name in systems)
        return (*of_systems, *(f"judge {name!r}" for name in judges))

    @property
    def directions_of_columns(self) -> tuple[ScoreDirection, ...]:
        """The score direction of each column; raters' scores are larger for positives."""
        n_judges = self.columns.shape[1] - self.n_systems
        return (*self.score_directions, *[ScoreDirection()] * n_judges)

    @property
    def are_verdicts(self) -> tuple[bool, ...]:
        """Whether each column holds class labels instead of scores."""
        judges = () if self.judges is None else self.judges.are_verdicts
        return (*[False] * self.n_systems, *judges)

    @property
    def has_systems_scores(self) -> bool:
        """Whether systems were scored, beside ratings of judges."""
        if not self.has_scores or self.is_consensus:
            return False
        if self.judges is None or self.judges.n_judges > 1:
            return True
        # The score of one judge is its rating.
        return not np.array_equal(self.scores, self.judges.scores, equal_nan=True)

    @cached_property
    def telling_judges(self) -> np.ndarray:
        """The scores of raters that are not constant, (n_items, n_telling)."""
        telling = [sample.n_cells > 1 for sample in self.samples[self.n_systems :]]
        return self.columns[:, self.n_systems :][:, telling]

    def column_of(self, system: Any = None, judge: Any = None) -> int:
        """Return the column of a rater, if one is given by name or number, or of a system."""
        if judge is None:
            return self.number_of(system)
        if self.judges is None:
            raise ValueError(f"judge={judge!r} requires a fit with judges=.")
        return self.n_systems + self.judges.number_of(judge)

    @cached_property
    def samples(self) -> tuple[ScoreSample, ...]:
        """One sample for each column, of the items with a value there."""
        if self.is_one_pool:
            return (self.pool,) * self.n_systems
        return tuple(self.sample_of(column) for column in self.columns.T)

    def sample_of(
        self, numbers: np.ndarray, items: np.ndarray | slice = slice(None)
    ) -> ScoreSample:
        """Return a sample of one score for each of some items, with the labels."""
        if self.is_one_pool:
            return self.pool
        is_present = ~np.isnan(numbers)
        return ScoreSample.from_items(
            numbers[is_present],
            self.codes[items][is_present],
            self.weights[items][is_present],
            self.inclusion,
        )

    def items_with(self, columns: Iterable[int], part: int | None = None) -> np.ndarray:
        """Return the items of a category (None for all) with values in all given columns."""
        items = np.arange(self.n_items)[self.items_of(part)]
        # Most columns are complete.
        columns = [column for column in dict.fromkeys(columns) if self.misses[column]]
        return items[~np.isnan(self.columns[np.ix_(items, columns)]).any(axis=1)]

    def measured_items(self, columns: Iterable[int], part: int | None = None) -> np.ndarray:
        """Return `items_with`; raise if empty."""
        columns = tuple(columns)
        items = self.items_with(columns, part)
        if not len(items):
            names_of_columns = [self.names_of_columns[column] for column in columns]
            names = [] if self.category is None else self.category.names.tolist()
            category = "" if part is None else f" of category {names[part]!r}"
            raise ValueError(
                f"No item{category} has a score by {' and by '.join(names_of_columns)}, so nothing "
                "can be estimated: choose other systems, judges or categories."
            )
        return items


def check_whole(counts: np.ndarray) -> None:
    """Raise unless weights are whole numbers."""
    wrong = np.flatnonzero(counts != np.round(counts))
    if len(wrong):
        raise ValueError(
            "With several systems or classes, category= or groups=, sample_weight must hold "
            f"whole numbers; got {counts[wrong[0]]} at index {wrong[0]}."
        )
