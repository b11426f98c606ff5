"""History of a session: estimates after each batch of labels, made when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks._label_checks import ModelEProcess
from ...design._design_estimates import (
    design_estimate,
    design_precision_recall,
    design_ranking_estimate,
)
from ...inputs._validation import check_choice, spawn
from ...posterior._registry import PRECISION_RECALL
from ...results._estimates import CurveBand, ScalarEstimate
from ...results._showing import ColumnsResult, Markup, columns_table
from .._goal_information import Guarantee
from .._query import SeedPlace
from ._item_model import ItemModel, combined
from ._query_log import QueryLog

# Number of recalls at which the design-based precision is computed for a single number.
N_RECALLS = 200


@dataclass(frozen=True)
class HistoryRow:
    """The state after one batch of labels.

    For a curve, all numbers are means over its points; for several systems, over these.

    Attributes
    ----------
    n_labels : int
        Number of labels.
    estimate, low, high : float
        The estimate and the ends of its interval.
    model, model_low, model_high : float
        The model-based estimate and its interval.
    labels_only : float
        The model-based estimate with the new labels but the previous curves: the direct effect of
        the labels. The rest is due to the update of the curves.
    design, design_low, design_high : float
        The design-based estimate and its interval; NaN if undefined.
    naive : float
        The metric of the labeled items alone; with noisy labels, these in place of missing labels.
    model_weight : float
        The weight of the model.
    goal_probability : float, default=NaN
        The probability that the best selection meets the goal, if any.
    """

    n_labels: int
    estimate: float
    low: float
    high: float
    model: float
    model_low: float
    model_high: float
    labels_only: float
    design: float
    design_low: float
    design_high: float
    naive: float
    model_weight: float
    goal_probability: float = np.nan


class History(tuple, ColumnsResult):
    """All `HistoryRow` of a session, the first before any query."""

    def __getitem__(self, index: Any) -> Any:
        rows = super().__getitem__(index)
        return History(rows) if isinstance(index, slice) else rows

    def __repr__(self) -> str:
        if not self:
            return "History()"
        last = self[-1]
        return (
            f"History({len(self)} rows; at {last.n_labels} labels {last.estimate:.3f} in "
            f"[{last.low:.3f}, {last.high:.3f}])"
        )

    def _columns(self) -> dict[str, list[Any]]:
        names = [field.name for field in fields(HistoryRow)]
        return {name: [getattr(row, name) for row in self] for name in names}

    def _record(self) -> dict[str, Any]:
        return {"batches": [vars(row) for row in self]}

    def _html(self) -> Markup:
        names = ("n_labels", "estimate", "low", "high", "design", "design_low", "design_high")
        columns = self._columns()
        return columns_table("After each batch", {name: columns[name] for name in names})

    def column(self, name: str) -> np.ndarray:
        """Return one attribute of all batches, of shape (n_batches,).

        Parameters
        ----------
        name : str
            An attribute of :class:`HistoryRow`.

        Raises
        ------
        ValueError
            If there is no such attribute.
        """
        check_choice(name, "name", [field.name for field in fields(HistoryRow)])
        return np.array([getattr(row, name) for row in self])


def summary(estimate: ScalarEstimate | CurveBand | None) -> tuple[float, float, float]:
    """Return value and ends of an estimate, averaged over a curve; NaN for None."""
    if estimate is None:
        return np.nan, np.nan, np.nan
    low, high = estimate.interval()
    return mean_of(estimate.value), mean_of(low), mean_of(high)


def mean_of(values: ArrayLike) -> float:
    """Return the mean of the values that are not missing."""
    values = np.atleast_1d(values)
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


class StepEstimates:
    """The estimates after a batch of labels, computed when they are read.

    All are functions of labels, draws and predictions from before, none of which changes later.

    Attributes
    ----------
    model : ItemModel
        Updated by the labels.
    model_check : ModelEProcess
        The e-process against the model.
    """

    def __init__(
        self,
        model: ItemModel,
        query_log: QueryLog,
        model_check: ModelEProcess,
        *,
        interval: str,
        confidence_level: float,
        before: StepEstimates | None = None,
    ) -> None:
        self.model = model
        self.model_check = model_check
        self.interval = interval
        self.confidence_level = confidence_level
        self.n_labels = query_log.n_labels
        self.is_complete = query_log.is_complete
        self.design = query_log.design
        self.e_process = query_log.e_process
        self.certificate = query_log.certificate
        # Only one step back, whose fit is still there.
        self.before = None if before is None else copy(before)
        if self.before is not None:
            self.before.before = None

    @cached_property
    def model_estimate(self) -> Any:
        """The model-based estimate."""
        return self.model.estimate()

    @cached_property
    def guarantee(self) -> Guarantee | None:
        """The best selection for the goal, if any."""
        return self.model.guarantee(self.model_weight, self.certificate)

    @cached_property
    def naive_estimate(self) -> float | np.ndarray:
        """The metric of the labeled items alone."""
        return self.model.naive_estimate()

    @cached_property
    def design_estimate(self) -> Any:
        """The design-based estimate, or None."""
        model = self.model
        question = model.question
        if not model.has_design:
            return None

        level = self.confidence_level
        if model.terms is not None:
            # A ratio of sums needs no resampling.
            return design_estimate(self.design, *model.terms, question.name, confidence_level=level)

        rng = spawn(model.seed, SeedPlace.DESIGN_RESAMPLES, self.design.n_rows)
        if question.is_ranking:
            value_of = question.metric.value
            return design_ranking_estimate(
                self.design, model.scores, value_of, question.name, rng, confidence_level=level
            )

        # Precision at all recalls, of which a single number is one point.
        recalls = PRECISION_RECALL.grid(N_RECALLS)
        if question.is_curve:
            recalls = self.model_estimate.x
        band = design_precision_recall(
            self.design, model.scores, recalls, rng, confidence_level=level
        )
        return band if question.is_curve else band.at(question.where["recall"])

    @cached_property
    def estimate(self) -> Any:
        """The combined estimate with the requested interval."""
        if self.guarantee is not None:
            return self.guarantee.estimate
        if self.interval == "design":
            return self.design_estimate
        mixture = combined(self.model_estimate, self.design_estimate, self.model_weight)
        return mixture if self.interval == "posterior" else self._anytime(mixture.value)

    @property
    def model_weight(self) -> float:
        """The weight of the model in the combined estimate."""
        if self.is_complete or not len(self.design.drawn):
            # All labels are known, or none was drawn at random: no weighting is needed.
            return 1.0
        return self.model_check.model_weight

    def _anytime(self, value: float) -> ScalarEstimate:
        """Return the confidence set, with the point estimate `value` moved inside it."""
        level = self.confidence_level
        name = self.model.question.name
        e_process: Any = self.e_process
        low, high = e_process.estimate(self.design, value, name, level).interval()
        return e_process.estimate(self.design, float(np.clip(value, low, high)), name, level)

    # --- history --------------------------------------------------------------------------------

    @cached_property
    def numbers(self) -> dict[str, Any]:
        """The entries of the history but for `labels_only`."""
        estimate, low, high = summary(self.estimate)
        model, model_low, model_high = summary(self.model_estimate)
        design, design_low, design_high = summary(self.design_estimate)
        return {
            "n_labels": self.n_labels,
            "estimate": estimate,
            "low": low,
            "high": high,
            "model": model,
            "model_low": model_low,
            "model_high": model_high,
            "design": design,
            "design_low": design_low,
            "design_high": design_high,
            "naive": mean_of(self.naive_estimate),
            "model_weight": self.model_check.model_weight,
            "goal_probability": np.nan if self.guarantee is None else self.guarantee.probability,
        }

    @cached_property
    def row(self) -> HistoryRow:
        """The row of the history."""
        labels_only = self.numbers["model"]
        if self.before is not None:
            value = self.before.numbers["model"]
            labels_only = self.before.model.labels_only(self.model, value)
        return HistoryRow(labels_only=labels_only, **self.numbers)

    @property
    def has_row(self) -> bool:
        """Whether the row of the history is made already."""
        return "row" in vars(self)

    def of_past(self) -> StepEstimates:
        """Return the part of these estimates to keep after further labels: numbers, but no fit."""
        is_read = "estimate" in vars(self)
        if is_read and (self.before is None or self.before.model.is_fitted):
            _ = self.row
        past = copy(self)
        numbers = {"numbers": self.numbers} if is_read else {}
        for name in ESTIMATES:
            vars(past).pop(name, None)
        vars(past).update(numbers, before=None, model=self.model.unfitted())
        return past


# The estimates that are kept until there are further labels.
ESTIMATES = tuple(
    name
    for name, part in vars(StepEstimates).items()
    if isinstance(part, cached_property) and name not in ("numbers", "row")
)


def rows_of(past: Sequence[StepEstimates | HistoryRow], now: StepEstimates) -> History:
    """Return all rows of the history; those that are not computed yet take a fit each."""
    rows = []
    before = None
    for step in past:
        if isinstance(step, StepEstimates):
            # Of a copy, whose fit is not kept.
            refitted = step.of_past()
            if not step.has_row:
                refitted.before = before
                vars(step)["row"] = refitted.row
            before = refitted
            step = step.row
        rows.append(step)
    return History((*rows, now.row))


def with_past(
    past: tuple[StepEstimates | HistoryRow, ...], now: StepEstimates
) -> tuple[StepEstimates | HistoryRow, ...]:
    """Return the steps before further labels; of those with a known successor the row is left."""
    step = now.of_past()
    if past and step.has_row and isinstance(past[-1], StepEstimates) and past[-1].has_row:
        past = (*past[:-1], past[-1].row)
    return (*past, step)
