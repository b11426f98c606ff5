"""Estimates of metrics that are computed on rows, in the order in which the caller passed them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..data._sample import ScoreSample
from ..exceptions import ParameterError
from ..inputs._arrays import FrozenArrays, SampleColumns, read_sample_columns
from ..inputs._labels import UNLABELED
from ..inputs._validation import spawn
from ..metrics._rows import RowMetric
from ..results._estimates import ScalarEstimate
from ._open_ends import with_open_ends
from ._operating_points import Task, drawn_by_score, values_of_completions, values_of_draws
from ._posterior import Block, Posterior
from ._posterior_estimates import number

# Above this number of items, a callable metric without columns gets counts as sample weights.
MAX_ITEMS = 2_000_000
# Spawn keys of the random streams: which of several equal rows are positive, and of the rows that a
# population repeats.
EQUAL_ROWS, RESAMPLED_ROWS = 8, 9


@dataclass(frozen=True, eq=False)
class SampleRows(FrozenArrays):
    """The items of a ranking in the order of the rows of X; a row of weight w is w items.

    Labels are drawn in cells of equal items: which of them are positive is drawn here.
    """

    row: np.ndarray  # (n_items,), the row of X of each item, nondecreasing
    scores: np.ndarray  # (n_items,), larger for positives
    codes: np.ndarray  # (n_items,): 1, 0, or -1 if unlabeled
    cell: np.ndarray  # (n_items,), of int, the cell in which the label of each item is drawn
    n_rows: int  # number of rows of X
    groups: np.ndarray | None = None  # (n_items,), of int, the group of each; None if independent

    @cached_property
    def _unlabeled(self) -> np.ndarray:
        return np.flatnonzero(self.codes == UNLABELED)

    @cached_property
    def _sizes(self) -> np.ndarray:
        """The number of unlabeled items in the cell of each of them, (n_unlabeled,)."""
        return np.bincount(self.cell[self._unlabeled])[self.cell[self._unlabeled]]

    def completed(self, positives: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return labels of all items, given the drawn positives of each cell, (n_cells,)."""
        labels = self.codes.copy()
        cell = self.cell[self._unlabeled]
        n_positive = positives[cell]
        is_positive = n_positive > 0

        # Which items of a cell are positive, where not all are, is drawn at random.
        mixed = np.flatnonzero(is_positive & (n_positive < self._sizes))
        if len(mixed):
            order = np.lexsort((rng.random(len(mixed)), cell[mixed]))
            ordered = cell[mixed][order]
            rank = np.arange(len(mixed)) - np.searchsorted(ordered, ordered)
            is_positive[mixed[order]] = rank < n_positive[mixed[order]]

        labels[self._unlabeled] = is_positive
        return labels

    def drawn(self, posterior: Posterior, block: Block, entropy: int) -> Iterator[np.ndarray]:
        """Yield the drawn positives of each cell, draw by draw."""
        for positives in drawn_by_score(posterior, block, entropy):
            yield from positives

    def sample_labels(
        self, posterior: Posterior, block: Block, entropy: int
    ) -> Iterator[np.ndarray]:
        """Yield labels of all items, known or drawn, draw by draw."""
        rng = spawn(entropy, EQUAL_ROWS, block.index)
        for positives in self.drawn(posterior, block, entropy):
            yield self.completed(positives, rng)

    def population_labels(
        self, posterior: Posterior, block: Block, entropy: int
    ) -> Iterator[np.ndarray]:
        """Yield labels of items of a population, draw by draw."""
        return self.sample_labels(posterior, block, entropy)


def callable_estimate(
    metric: Callable[..., Any],
    posterior: Posterior,
    task: Task,
    *,
    rows: SampleRows | None = None,
    sample_columns: SampleColumns = None,
) -> ScalarEstimate:
    """Return the estimate of ``metric(y_true, y_score, **columns)`` on completed labels.

    The metric is called once for each draw, with labels 0 and 1, the scores and the columns of the
    rows in the caller's order; for a population with rows drawn with replacement. Without rows, or
    with millions of them, it gets the distinct scores, as items or with ``sample_weight``.
    """
    name = getattr(metric, "__name__", type(metric).__name__)
    if rows is not None and (sample_columns is not None or len(rows.row) <= MAX_ITEMS):
        columns = None if sample_columns is None else columns_of(rows, sample_columns)
        if columns is None and not task.draws_labels:
            raise needs_columns(task)
        function = partial(_value, metric, name)
        return _estimate(name, function, posterior, task, rows, columns or {}, np.nan)
    if sample_columns is not None or not task.draws_labels:
        raise _without_rows("sample_columns=" if task.draws_labels else "target='population'")

    of_cells = partial(_of_cells, metric, posterior.drawn_sample)
    values = partial(values_of_completions, function=of_cells)
    return number(name, posterior, values, np.nan, task)


def row_estimate(
    metric: RowMetric,
    posterior: Posterior,
    task: Task,
    *,
    threshold: float,
    rows: SampleRows | None,
    sample_columns: SampleColumns,
) -> ScalarEstimate:
    """Return the estimate of a metric of rows at a threshold."""
    if rows is None:
        raise _without_rows(repr(metric.name))
    values = metric.read(None if sample_columns is None else columns_of(rows, sample_columns))
    function = partial(_decision_value, metric, threshold)
    estimate = _estimate(
        metric.name, function, posterior, task, rows, {"values": values}, metric.zero_division
    )
    # Labels leave open for values what they leave open for counts.
    return with_open_ends(estimate, metric.unweighted, posterior, [threshold], counts_items=False)


def resampled_items(
    n_items: int, groups: np.ndarray | None, rng: np.random.Generator
) -> np.ndarray:
    """Return as many items, or all of as many groups, drawn with replacement, in order."""
    group = np.arange(n_items) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_groups = int(group.max()) + 1
    times = np.bincount(rng.integers(n_groups, size=n_groups), minlength=n_groups)
    return np.repeat(np.arange(n_items), times[group])


def columns_of(rows: SampleRows, sample_columns: SampleColumns) -> dict[str, np.ndarray]:
    """Return the entries of columns of X for the items, by name."""
    columns = read_sample_columns(sample_columns, rows.n_rows)
    return {name: column[rows.row] for name, column in columns.items()}


def needs_columns(task: Task) -> ParameterError:
    """Return the error for a callable metric of a population whose columns are not stated."""
    return ParameterError(
        "A callable metric of a population gets rows drawn with replacement. A column that it "
        "closes over would not be drawn with them; got "
        f"target={task.target!r} without sample_columns=.",
        "Pass its columns as sample_columns= ({} if it uses none): it gets the drawn rows of them "
        "as keyword arguments. Or use target='sample'.",
        "sample_columns",
    )


def _without_rows(argument: str) -> ParameterError:
    return ParameterError(
        f"{argument} of a metric of rows needs the rows of X as items, but a histogram counts "
        "scores, and rows with non-integer sample_weight are not items.",
        "Fit the scores themselves, one row for each item.",
        "sample_columns",
    )


def _estimate(
    name: str,
    function: Callable[..., float],
    posterior: Posterior,
    task: Task,
    rows: SampleRows,
    columns: Mapping[str, np.ndarray],
    zero_division: float,
) -> ScalarEstimate:
    """Return the estimate of a function of labels, scores and columns."""

    def values(posterior: Posterior, task: Task) -> np.ndarray:
        of_block = partial(_of_block, posterior, task, rows, function, columns)
        return values_of_draws(posterior, of_block, task)

    return number(name, posterior, values, zero_division, task)


def _of_block(
    posterior: Posterior,
    task: Task,
    rows: SampleRows,
    function: Callable[..., float],
    columns: Mapping[str, np.ndarray],
    block: Block,
) -> np.ndarray:
    """Return the metric for each draw of a block, (n_rows, 1)."""
    if task.draws_labels:
        completions = rows.sample_labels(posterior, block, task.entropy)
        return np.array([[function(labels, rows.scores, **columns)] for labels in completions])

    rng = spawn(task.entropy, RESAMPLED_ROWS, block.index)
    values = []
    for labels in rows.population_labels(posterior, block, task.entropy):
        items = resampled_items(len(labels), rows.groups, rng)
        of_items = {name: column[items] for name, column in columns.items()}
        values.append([function(labels[items], rows.scores[items], **of_items)])
    return np.array(values)


def _decision_value(
    metric: RowMetric, threshold: float, labels: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> float:
    return metric.value(labels, scores >= threshold, values)


def _value(
    metric: Callable[..., Any], name: str, labels: np.ndarray, scores: np.ndarray, **columns: Any
) -> float:
    """Call a metric; raise unless it returns a number."""
    return as_value(metric, metric(labels, scores, **columns))


def as_value(metric: Callable[..., Any], value: object) -> float:
    """Return the result of a callable metric as a float; raise unless it is one number."""
    if not np.isscalar(value) or isinstance(value, str):
        raise ValueError(
            f"A callable metric(y_true, y_score) must return one number, got {value!r} from "
            f"{metric!r}. A metric of decisions needs a threshold inside, such as lambda y, s: "
            "metric(y, s >= 0.5)."
        )
    # Accept any numpy scalar.
    number: Any = value
    return float(number)


def _of_cells(metric: Callable[..., Any], cells: ScoreSample, drawn: np.ndarray) -> np.ndarray:
    """Return the metric of counted scores for each draw of positives, (n_rows, 1)."""
    return np.array([[as_value(metric, _called_with_cells(metric, cells, row))] for row in drawn])


def _called_with_cells(
    metric: Callable[..., Any], cells: ScoreSample, drawn_positives: np.ndarray
) -> Any:
    """Call a metric with the items in the order of their scores, or with weights."""
    positive = cells.positive + drawn_positives
    counts = np.r_[cells.counts - positive, positive]
    scores = np.r_[cells.scores, cells.scores]
    labels = np.repeat([0, 1], cells.n_cells)

    if counts.sum() <= MAX_ITEMS and (counts == np.round(counts)).all():
        order = np.argsort(np.repeat(scores, counts.astype(int)), kind="stable")
        y_true = np.repeat(labels, counts.astype(int))[order]
        y_score = np.repeat(scores, counts.astype(int))[order]
        return metric(y_true, y_score)

    try:
        return metric(labels, scores, sample_weight=counts)
    except TypeError as error:
        raise ValueError(
            f"The items have non-integer weights, or there are more than {MAX_ITEMS:,}: the "
            f"metric must then take sample_weight=, and {metric!r} does not."
        ) from error
