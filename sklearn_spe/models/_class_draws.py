"""Posterior draws of the classes of items, and the classifiers that they measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from ..data._class_scores import ClassScores
from ..data._gathered_rows import merged_rows, representative_rows
from ..data._sample import MAX_SCORES
from ..inputs._arrays import FrozenArrays, row_tiles
from ..inputs._validation import spawn
from ..posterior._completed_labels import Completions
from ..posterior._operating_points import Task, values_of_draws
from ..posterior._posterior import Block, Posterior, digest_of
from ..posterior._row_estimates import resampled_items
from ..results._distributions import TAILS
from ._class_table import ClassTable
from ._completed_classes import CompletedClasses, CountedClasses
from ._error_rows import ErrorRows, LabeledErrors, PredictedRows
from ._mixture_model import MixtureModel
from ._row_model import RowModel
from ._row_posterior import RowPosterior

# Spawn keys of the random streams of the classes, of new items, of the distributions of other
# classes and of added items.
CLASSES, NEW_ITEMS, OTHERS, ADDED = 11, 12, 13, 15
# Items of any class that a uniform prior adds to the bootstrap of a population.
N_ADDED = 2
# Classes of more unlabeled items than this are counted by so many rows, with so many for what the
# classifiers predict.
MIN_ROWS, ROWS_OF_GROUP = 512, 16
# Maximum size of these counts, n_draws * n_groups * n_classes.
MAX_COUNTS = 2**25
# The errors of each predicted class have a distribution up to so many classes.
MAX_CLASSES_OF_PAIRS = 40


@dataclass(frozen=True, eq=False)
class UnlabeledGroups(FrozenArrays):
    """Rows that represent the unlabeled items of groups, for which one class is predicted."""

    rows: np.ndarray  # (n_rows,), items, those of a group together
    counts: np.ndarray  # (n_rows,), of int, how many items each represents
    firsts: np.ndarray  # (n_present,), the first row of each group
    present: np.ndarray  # (n_present,), the groups
    predicted: np.ndarray  # (n_present,), their predicted class
    n_items: np.ndarray  # (n_present,)
    shares: np.ndarray  # (n_distributions, n_present, n_classes), true classes of errors


@dataclass(frozen=True, eq=False)
class ClassDraws(FrozenArrays):
    """Posterior draws of the classes of items; known labels are kept.

    All classifiers, categories and questions share them.
    """

    scores: ClassScores  # whose prediction errors are modeled
    table: ClassTable
    error_model: RowModel | MixtureModel  # of P(prediction is wrong | item)
    others: ErrorRows  # distribution of the true class if the prediction is wrong
    # whether items of a predicted class are alike, although the classifier tells them apart
    are_alike: bool = False

    @property
    def posterior(self) -> Posterior | RowPosterior:
        """Posterior of the error model, whose draws these are."""
        return self.error_model.posterior

    @classmethod
    def updated(
        cls, scores: ClassScores, table: ClassTable, error_model: RowModel | MixtureModel
    ) -> ClassDraws:
        """Update the distribution of the true classes of errors by the labels of a table."""
        wrong = np.flatnonzero((table.codes >= 0) & (table.codes != scores.predicted))
        errors = LabeledErrors(
            scores.log_others[:, wrong],
            scores.predicted[wrong],
            table.codes[wrong],
            table.weights[wrong],
        )
        rows = None
        if len(table.classes) <= MAX_CLASSES_OF_PAIRS:
            rows = _rows_by_prediction(scores, table, error_model)
        others = ErrorRows.updated(errors, rows, spawn(error_model.seed, OTHERS))
        return cls(scores, table, error_model, others)

    @cached_property
    def digest(self) -> str:
        """Hash that identifies the draws."""
        return f"{self.posterior.digest}-{digest_of(self.table.codes)}"

    @cached_property
    def _unlabeled(self) -> np.ndarray:
        return np.flatnonzero(self.table.codes < 0)

    # --- items one by one -----------------------------------------------------------------------

    def codes(self, block: Block, task: Task) -> np.ndarray:
        """Return the classes of all items in the draws of a block, (n_rows, n_items)."""
        codes = self.table.codes
        clusters = self.table.groups
        n_rows = block.rows.stop - block.rows.start
        completed = np.repeat(codes[np.newaxis], n_rows, axis=0)
        if self.posterior.is_complete:
            return completed
        # The population consists of further groups.
        is_new = clusters is not None and not task.draws_labels
        completed[:, self._unlabeled] = self.completions.of_block(block, task.entropy, is_new)
        return completed

    @cached_property
    def completions(self) -> Completions:
        """Drawn classes of the unlabeled items, by seed and target; in no pickle."""
        smallest = np.min_scalar_type(self.scores.scores.shape[1])
        # Those of the sample and of a population.
        return Completions(self.posterior.blocks(), self._drawn_codes, smallest, n_streams=2)

    def _drawn_codes(self, block: Block, entropy: int, is_new: bool) -> np.ndarray:
        """Draw the classes of the unlabeled items, (n_rows, n_unlabeled)."""
        rng = spawn(entropy, CLASSES, block.index)
        parts = self.parts(block)
        return np.concatenate([self._drawn(*part, rng, is_new) for part in parts])

    def parts(self, block: Block) -> Iterator[tuple[Block, int]]:
        """Yield parts of a block with the index of their class distribution; all are used."""
        n_draws = self.posterior.n_draws
        distributions = distributions_of(n_draws, self.others.n_distributions)[block.rows]
        distinct, counts = np.unique(distributions, return_counts=True)

        for distribution, n in zip(distinct, counts, strict=True):
            first = int(np.searchsorted(distributions, distribution))
            first_row = block.rows.start + first
            first_within = block.own_rows.start + first
            part = replace(
                block,
                rows=slice(first_row, first_row + int(n)),
                own_rows=slice(first_within, first_within + int(n)),
            )
            yield part, int(distribution)

    def _drawn(
        self, part: Block, distribution: int, rng: np.random.Generator, is_new: bool
    ) -> np.ndarray:
        """Draw the classes of the unlabeled items, for draws that share a class distribution."""
        items = self._unlabeled
        predicted = self.scores.predicted[items]

        # Draw which predictions are wrong.
        probability = self.error_probability(part, items, is_new)
        rows, columns = np.nonzero(rng.random(probability.shape) < probability)
        codes = np.repeat(predicted[np.newaxis], len(probability), axis=0)

        # Only items that are wrong in some draw need class probabilities.
        wrong, column = np.unique(columns, return_inverse=True)
        log_others = self.scores.log_others[:, items[wrong]]
        cumulative = self.others.probability(distribution, log_others, predicted[wrong])
        cumulative = cumulative.cumsum(axis=1)

        # Invert all cumulative distributions in one search: item i occupies [i, i + 1).
        offsets = np.arange(len(wrong))[:, np.newaxis]
        line = (cumulative / cumulative[:, -1:] + offsets).ravel()
        position = np.searchsorted(line, column + rng.random(len(column)), side="right")
        n_classes = log_others.shape[2]
        codes[rows, columns] = np.minimum(position - column * n_classes, n_classes - 1)
        return codes

    # --- items counted by what classifiers predict ------------------------------------------------

    @property
    def is_counted(self) -> bool:
        """Whether items are counted, not taken one by one."""
        if len(self._unlabeled) <= MAX_SCORES and self.table.is_one_by_one:
            return False
        n_counts = self.posterior.n_draws * len(self.groups[0]) * self.scores.scores.shape[1]
        return n_counts <= MAX_COUNTS

    @cached_property
    def groups(self) -> tuple[np.ndarray, np.ndarray]:
        """The first item of each group, and the group of each item.

        Items of a group are of one category, and each classifier predicts one class for them.
        """
        table = self.table
        columns = [self.scores.predicted]
        columns += [of_system.predicted for of_system in table.scores]
        if table.category is not None:
            columns.append(table.category.codes)
        first, group, _ = merged_rows(columns, table.weights)
        return first, group

    def counts(self, block: Block, task: Task) -> np.ndarray:
        """Return the items by group and true class, (n_rows, n_groups, n_classes)."""
        return self._counts.of_block(block, task.entropy, task.draws_labels)

    @cached_property
    def _counts(self) -> Completions:
        """Counts of the sample and of a population, by seed; in no pickle."""
        blocks = self.posterior.blocks()
        of_floats = np.dtype(float)
        return Completions(blocks, self._drawn_counts, of_floats, n_streams=2, max_bytes=np.inf)

    def _drawn_counts(self, block: Block, entropy: int, of_sample: bool) -> np.ndarray:
        """Draw the items by group and true class."""
        if of_sample:
            return self._counts_of_sample(block, entropy)

        # Sums of independent exponential weights: a Bayesian bootstrap of the items, to which a
        # uniform prior adds some of any class.
        items = self._counts.of_block(block, entropy, True)
        of_groups = items.sum(axis=2, keepdims=True)
        share = of_groups / of_groups.sum(axis=1, keepdims=True)
        shapes = items + N_ADDED * share / items.shape[2]
        return spawn(entropy, NEW_ITEMS, block.index).standard_gamma(shapes)

    def _counts_of_sample(self, block: Block, entropy: int) -> np.ndarray:
        """Count the known classes, and draw the class counts of the other items of each group."""
        n_draws = block.rows.stop - block.rows.start
        counts = np.repeat(self.known_counts[np.newaxis], n_draws, axis=0)
        if not len(self._unlabeled):
            return counts

        groups = self._unlabeled_groups
        rng = spawn(entropy, CLASSES, block.index)
        for part, distribution in self.parts(block):
            probability = self.error_probability(part, groups.rows)
            n_wrong = rng.binomial(groups.counts, probability)
            n_wrong = np.add.reduceat(n_wrong, groups.firsts, axis=1)
            of_errors = rng.multinomial(n_wrong, groups.shares[distribution])

            first = part.rows.start - block.rows.start
            of_part = counts[first : first + len(n_wrong)]
            of_part[:, groups.present] += of_errors
            of_part[:, groups.present, groups.predicted] += groups.n_items - n_wrong
        return counts

    @cached_property
    def known_counts(self) -> np.ndarray:
        """The labeled items by group and class, (n_groups, n_classes)."""
        table = self.table
        first, group = self.groups
        n_groups = len(first)
        n_classes = self.scores.scores.shape[1]
        known = np.flatnonzero(table.codes >= 0)
        pair = group[known] * n_classes + table.codes[known]
        counts = np.bincount(pair, table.weights[known], n_groups * n_classes)
        return counts.reshape(n_groups, n_classes)

    @cached_property
    def _unlabeled_groups(self) -> UnlabeledGroups:
        """The rows that represent the unlabeled items of each group."""
        table = self.table
        scores = self.scores
        first, group = self.groups
        items = self._unlabeled
        error_log_odds = scores.error_log_odds[items, np.newaxis]
        strata = group[items]
        weights = table.weights[items]

        # Few rows have the probability of an error, many the true classes of errors.
        n_rows = max(MIN_ROWS, ROWS_OF_GROUP * len(first))
        index, counts, _ = representative_rows(error_log_odds, strata, weights, n_rows)
        rows = items[index]
        counts = counts.astype(np.int64)
        n_many = max(n_rows, MAX_SCORES)
        index, of_many, _ = representative_rows(error_log_odds, strata, weights, n_many)
        many_rows = items[index]

        # Rows of one group are neighbors.
        present, firsts = np.unique(group[rows], return_index=True)
        firsts_of_many = np.unique(group[many_rows], return_index=True)[1]
        return UnlabeledGroups(
            rows=rows,
            counts=counts,
            firsts=firsts,
            present=present,
            predicted=scores.predicted[rows[firsts]],
            n_items=np.add.reduceat(counts, firsts),
            shares=self._shares_of_errors(many_rows, of_many, firsts_of_many),
        )

    def _shares_of_errors(
        self, rows: np.ndarray, of_rows: np.ndarray, firsts: np.ndarray
    ) -> np.ndarray:
        """Return the class probabilities of errors, (n_distributions, n_groups, n_classes).

        They are means over the rows of each group, weighted by the probability of an error.
        """
        predicted = self.scores.predicted[rows]
        log_others = self.scores.log_others[:, rows]
        block = self.posterior.blocks()[0]
        weights = of_rows * self.error_probability(block, rows).mean(axis=0)
        sums = []
        for distribution in range(self.others.n_distributions):
            probability = self.others.probability(distribution, log_others, predicted)
            sums.append(np.add.reduceat(weights[:, np.newaxis] * probability, firsts))
        shares = np.stack(sums)
        return shares / shares.sum(axis=2, keepdims=True)

    def error_probability(self, part: Block, items: np.ndarray, is_new: bool = False) -> np.ndarray:
        """Return the probability that predictions are wrong, (n_rows, n_items)."""
        return self.error_model.item_probability(part, items, new_groups=is_new)


def distributions_of(n_draws: int, n_distributions: int) -> np.ndarray:
    """Return the distribution of the true classes of errors that each draw takes, (n_draws,)."""
    return np.arange(n_draws) * n_distributions // n_draws


def _rows_by_prediction(
    scores: ClassScores,
    table: ClassTable,
    error_model: RowModel | MixtureModel,
) -> PredictedRows:
    """Return rows that represent the items predicted as each class, with their expected errors."""
    predicted = scores.predicted
    n_rows = max(MIN_ROWS, ROWS_OF_GROUP * len(table.classes))
    error_log_odds = scores.error_log_odds[:, np.newaxis]
    index, counts, _ = representative_rows(error_log_odds, predicted, table.weights, n_rows)
    order = np.argsort(predicted[index], kind="stable")
    rows = index[order]

    block = error_model.posterior.blocks()[0]
    weights = counts[order] * error_model.item_probability(block, rows).mean(axis=0)
    return PredictedRows(scores.log_others[:, rows], predicted[rows], weights)


@dataclass(frozen=True, eq=False)
class MeasuredClassifier(FrozenArrays):
    """Scores of one classifier with the class draws that evaluate it, on some items."""

    scores: ClassScores  # of these items
    draws: ClassDraws
    items: np.ndarray | slice  # (n_items,), among those of the draws; or all
    part: int | None = None  # the index of their category; None for all

    @property
    def classes(self) -> np.ndarray:
        """The classes, sorted, (n_classes,)."""
        return self.draws.table.classes

    @property
    def known_errors(self) -> np.ndarray:
        """Whether each labeled prediction is wrong, (n_labeled,)."""
        codes = self.draws.table.codes[self.items]
        return (codes != self.scores.predicted)[codes >= 0]

    def limits_of_accuracy(self, edge: float) -> np.ndarray | None:
        """Return the limits of accuracy near an edge by a stated prior, (n_tails, 1).

        The prior is that of the share of errors of the modeled classifier; None without one.
        """
        known = self.draws.posterior.known_positives
        is_modeled = self.scores is self.draws.scores
        if known.prior is None or not is_modeled or np.isnan(edge):
            return None
        errors = np.array([known.range_of_prevalence(tail) for tail in TAILS])
        return 1.0 - errors[:, [0 if edge == 1.0 else 1]]

    @property
    def n_items(self) -> float:
        """Number of items, by their weights."""
        return float(self.draws.table.weights[self.items].sum())

    def of_classes(self, task: Task) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the shares of hits, predictions and items by class, (n_draws, n_classes) each.

        They are counted once: all questions share them.
        """
        key = task.target, task.entropy
        if key not in self._shares:
            hits, predicted, items = np.hsplit(self.values(_of_classes, task), 3)
            self._shares[key] = hits, predicted, items
        return self._shares[key]

    @cached_property
    def _shares(self) -> dict[tuple[str, int], tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Shares by target and seed; in no pickle."""
        return {}

    def values(
        self,
        function: Callable[..., np.ndarray],
        task: Task,
        *,
        by_item: bool = False,
        by_row: bool = False,
    ) -> np.ndarray:
        """Apply a function to all draws; return (n_draws, n_points).

        `function` maps `CompletedClasses` of some draws to (n_rows, n_points), or `CountedClasses`
        unless `by_item`. For the target "population" items are resampled by a Bayesian bootstrap;
        if `by_row` they are also drawn with replacement, for functions that take no weights.
        """
        draws = self.draws
        if by_item:
            self.check_order()
        is_new = not task.draws_labels and draws.table.groups is not None
        if draws.is_counted and not by_item and not is_new:
            first, group = draws.groups
            items = np.arange(len(group))[self.items]
            groups = np.unique(group[items])

            # What this classifier predicts for the first item it does for all of the group.
            rows = np.searchsorted(items, first[groups])

            blocks = draws.posterior.blocks()
            counts = np.concatenate([draws.counts(block, task)[:, groups] for block in blocks])
            shares = counts / counts.sum(axis=(1, 2))[:, np.newaxis, np.newaxis]
            return function(CountedClasses(shares, self.scores.predicted[rows]))

        self.check_order(is_asked=False)
        return values_of_draws(
            draws.posterior, partial(self._of_block, function, task, by_row), task
        )

    def check_order(self, is_asked: bool = True) -> None:
        """Raise if items are counted; or if they are alike, and their order is asked for."""
        draws = self.draws
        if is_asked and draws.are_alike:
            raise ValueError(
                "Labels that were chosen by class (inclusion_proba='by_class') determine how often "
                "each class is predicted, but not the order of items: estimate metrics of the "
                "predicted class, such as 'accuracy' and 'f1', or label items at random."
            )
        if not draws.table.is_one_by_one:
            raise ValueError(
                f"sample_weight counts {self.n_items:,.0f} items in "
                f"{len(self.scores.predicted):,} rows, and this estimate takes items one by one, "
                "like estimates with groups= for a population or with thousands of classes. "
                "Estimate metrics of the predicted class, such as 'accuracy' and 'f1', or fit a "
                "random sample of the items."
            )

    def _of_block(
        self, function: Callable[..., np.ndarray], task: Task, by_row: bool, block: Block
    ) -> np.ndarray:
        codes = self.codes(block, task)
        rng = spawn(task.entropy, NEW_ITEMS, block.index)
        parts = [
            function(self._completed(codes[rows], rng, task, by_row))
            for rows in row_tiles(*codes.shape)
        ]
        return np.concatenate(parts)

    def codes(self, block: Block, task: Task) -> np.ndarray:
        """Return the classes of all items in the draws of a block, (n_rows, n_items).

        Of a population some of these are of any class: what the uniform prior of the classes adds.
        """
        codes = self.draws.codes(block, task)
        if task.draws_labels:
            return codes
        rng = spawn(task.entropy, ADDED, block.index)
        codes = np.array(codes)
        items = np.arange(codes.shape[1])[self.items]
        added = items[rng.integers(len(items), size=(len(codes), N_ADDED))]
        classes = rng.integers(len(self.classes), size=added.shape)
        np.put_along_axis(codes, added, classes.astype(codes.dtype), axis=1)
        return codes

    def _completed(
        self, codes: np.ndarray, rng: np.random.Generator, task: Task, by_row: bool
    ) -> CompletedClasses:
        items = self.items
        clusters = self.draws.table.groups
        resampled = None
        if by_row and not task.draws_labels:
            groups = None if clusters is None else clusters.codes[items]
            n_items = len(self.scores.predicted)
            resampled = tuple(resampled_items(n_items, groups, rng) for _ in range(len(codes)))

        # The weight of each item: one of a sample, those of a Bayesian bootstrap of a population.
        weights = np.ones((1, len(self.scores.predicted)))
        if not task.draws_labels:
            weights = self.weights_of_population(rng, len(codes))

        weights = weights / weights.sum(axis=1, keepdims=True)
        codes = codes[:, items]
        return CompletedClasses(codes, self.scores.predicted, weights, len(self.classes), resampled)

    def weights_of_population(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """Draw the weights of a Bayesian bootstrap of items, or of groups, (n_draws, n_items)."""
        table = self.draws.table
        if table.groups is not None:
            return table.groups.bootstrap(rng, n_draws, self.items)
        return rng.standard_exponential((n_draws, table.n_items))[:, self.items]


def _of_classes(completed: CompletedClasses | CountedClasses) -> np.ndarray:
    return np.hstack(completed.of_classes)
