"""A metric of several systems or categories, and its differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from ...estimators._side_by_side import estimate_of, side_by_side, systems_of_population
from ...models._ranking_value import MetricArguments
from ...models._ranking_view import RankingKey
from ...results._estimates import ScalarEstimate
from ...results._showing import (
    Markup,
    ShownResult,
    amount_in_counts,
    format_number,
    interval_table,
    joined,
    paragraphs,
    percent,
    tag,
)
from ...results._tables import (
    FURTHER_ITEMS,
    EstimateTable,
    intervals_in_a_line,
    line_of,
    remarks_on_edges,
    remarks_on_parts,
    width_of,
)

if TYPE_CHECKING:
    from ...estimators._performance import PerformanceCurveEstimator

# Differences that are called differences: those that are positive, or negative, so surely.
SURELY = 0.95
# Of the columns of a value and its interval.
WIDTH_OF_INTERVALS = 31
# Probability with which labels that are asked for decide.
POWER = 0.8
# Number of these that are told one by one.
MAX_SAID = 2


@dataclass(frozen=True, eq=False)
class MetricComparison(ShownResult):
    """A metric of several systems or categories, and the differences from one of them.

    Attributes
    ----------
    title : str
        The comparison in words.
    estimates : EstimateTable
        Of each system, or category.
    comparison : EstimateTable
        The same without what no draw defines.
    baseline : str
        The name of the reference.
    ahead : {"better", "higher"}
        The event of `probabilities`.
    greater_is_better : bool
        Whether higher values are better; for categories, whose `ahead` is "higher".
    part : str or None
        The category in which systems are compared; None for all items.
    of_population : EstimateTable or None
        The systems on further items like these, from the same fit; None if the others are of them,
        and in a category.
    """

    title: str
    estimates: EstimateTable
    comparison: EstimateTable
    baseline: str
    ahead: str
    greater_is_better: bool = True
    part: str | None = None
    of_population: EstimateTable | None = None

    @classmethod
    def of_systems(
        cls,
        performance: PerformanceCurveEstimator,
        arguments: MetricArguments,
        category: Any = None,
        baseline: str | None = None,
    ) -> MetricComparison:
        """Return all systems compared with a named one; None means the best."""
        key = RankingKey(category=category)
        table = _estimates(performance, arguments, key, "system", performance.systems_)
        comparison = side_by_side(performance, arguments, key)
        baseline = comparison.best if baseline is None else baseline
        title = _in_words(table)
        if category is not None:
            return cls(title, table, comparison, baseline, "better", part=str(category))

        further = systems_of_population(performance, arguments)
        return cls(title, table, comparison, baseline, "better", of_population=further)

    @classmethod
    def of_categories(
        cls,
        performance: PerformanceCurveEstimator,
        arguments: MetricArguments,
        categories: Sequence,
        reference: Any,
        by: str = "by category",
        system: Any = None,
    ) -> MetricComparison:
        """Return categories compared with one; `by` names the column, such as "by month".

        Differences between categories are neither better nor worse.
        """
        key = RankingKey(system=system)
        comparison = side_by_side(
            performance, arguments, key, names=categories, greater_is_better=True
        )
        table = _estimates(performance, arguments, key, "category", categories)
        metric_object = performance.model_.metric_of(arguments)
        is_better = getattr(metric_object, "greater_is_better", True)
        title = f"{_in_words(table)} {by}"
        return cls(title, table, comparison, str(reference), "higher", is_better)

    @cached_property
    def differences(self) -> EstimateTable:
        """The differences from the reference."""
        return self.comparison.differences(self.baseline)

    @cached_property
    def probabilities(self) -> tuple[float, ...]:
        """The probability that each of the others is better, or higher."""
        return self.comparison.proba_ahead_of(self.baseline)

    def sentence(self) -> str:
        """Return which differences the labels decide, and how large they are."""
        rows = zip(self.differences.items(), self.probabilities, strict=True)
        known = [(name, difference, p) for (name, difference), p in rows if not np.isnan(p)]
        if not known:
            return f"Nothing can be compared with {self.baseline}."

        # Those that the labels decide; first the surest to be worse, or of categories lower.
        decided = sorted((row for row in known if self._is_decided(row[2])), key=lambda row: row[2])
        sentences = [self._of_one(*row) for row in decided[:MAX_SAID]]
        if len(decided) > MAX_SAID:
            sentences.append(f"{len(decided) - MAX_SAID} more differ so surely.")

        # The others.
        n_open = len(known) - len(decided)
        if n_open == 1:
            (row,) = (row for row in known if row not in decided)
            sentences.append(self._of_one(*row))
        elif n_open:
            others = "Both others" if n_open == 2 else f"All {n_open} others"
            others = f"The other {n_open}" if sentences else others
            sentences.append(
                f"{others} differ from {self.baseline} by no more than chance explains."
            )
        return " ".join(sentences)

    def further_items(self) -> list[str]:
        """Return the intervals for further items like these; nothing if all numbers are of them.

        A line on the systems, and one on their differences from the reference.
        """
        if self.of_population is None:
            return []
        if not len(self.of_population):
            reason = "is not defined for them: it depends on the number of items."
            return [f"{FURTHER_ITEMS}{self.title} {reason}"]

        differences = self.of_population.differences(self.baseline)
        lines = [f"{FURTHER_ITEMS}{intervals_in_a_line(self.of_population)}."]
        if len(differences):
            ahead = self.of_population.proba_ahead_of(self.baseline)
            notes = [f" ({self.ahead} with probability {p:.3f})" for p in ahead]
            rows = intervals_in_a_line(differences, notes)
            lines.append(f"Their difference from {self.baseline}: {rows}.")
        return lines

    def labels_to_decide(self, n_labeled: float, n_items: float) -> str:
        """Return the least number of labels that may decide; empty if decided, or impossible.

        Widths shrink by the root of the number of labels at best, and a difference d is found with
        power 0.8 at the width 2 z / (z + z(0.8)) d, with z that of the interval (1.32 d at 90%).
        """
        differences = list(self.differences.estimates)
        if self.decides or len(differences) != 1 or not n_labeled or not differences[0].value:
            return ""

        (difference,) = differences
        low, high = difference.interval()
        z = special.ndtri(0.5 + difference.confidence_level / 2.0)
        needed_width = 2.0 * z / (z + special.ndtri(POWER)) * abs(difference.value)
        more = n_labeled * (((high - low) / needed_width) ** 2 - 1.0)
        if not 0.0 < more < n_items - n_labeled:
            return ""

        # Two digits.
        unit = 10.0 ** max(np.floor(np.log10(more)) - 1.0, 0.0)
        return (
            f"It takes at least {np.ceil(more / unit) * unit:,.0f} more labels to decide with "
            f"probability {POWER:g}, if the difference is what it seems."
        )

    @cached_property
    def worse(self) -> tuple[str, ...]:
        """The categories in which the metric is worse, as far as the labels decide."""
        rows = zip(self.differences.names, self.probabilities, strict=True)
        decided = [(name, p > 0.5) for name, p in rows if self._is_decided(p)]
        names = tuple(name for name, higher in decided if higher != self.greater_is_better)
        # Where the others are better, it is the reference.
        return names or (self.baseline,) * bool(decided)

    @property
    def metric_in_words(self) -> str:
        """The metric, without the names of systems or categories."""
        return self.title.removesuffix(" by category")

    def _is_decided(self, probability: float) -> bool:
        return max(probability, 1.0 - probability) >= SURELY

    def _of_one(self, name: str, difference: ScalarEstimate, probability: float) -> str:
        """Return a difference from the reference as a sentence."""
        metric = self.metric_in_words
        if self.part is not None:
            metric = f"where the category is {self.part}, {metric}"
        metric = f"{metric[:1].upper()}{metric[1:]}"
        ends = difference.value, *difference.interval()
        if not self._is_decided(probability):
            amount = self._amount(*ends)
            if not difference.is_known:
                amount = f"anything from {ends[1]:.2f} to {ends[2]:.2f}"
            return (
                f"{metric} of {name} may be higher or lower than of {self.baseline}: the "
                f"difference is {amount}, "
                f"which the labels do not decide (probability of being {self.ahead} "
                f"{probability:.2f})."
            )

        sign = 1.0 if difference.value >= 0.0 else -1.0
        low, high = np.sort(sign * np.array(difference.interval()))
        amount = self._amount(abs(difference.value), float(low), float(high))
        surely = max(probability, 1.0 - probability)
        return (
            f"{metric} of {name} is {'higher' if sign > 0.0 else 'lower'} than of {self.baseline} "
            f"by {amount}, with probability {min(surely, 0.99):.2f}{' or more' * (surely > 0.99)}."
        )

    def _amount(self, value: float, low: float, high: float) -> str:
        return amount_in_counts(self.estimates.estimates[0].name, value, low, high)

    @property
    def is_of_quality(self) -> bool:
        """Whether the metric can be better or worse, as the share of positives cannot."""
        return self.estimates.estimates[0].name != "prevalence"

    @property
    def decides(self) -> bool:
        """Whether the labels decide any of the differences."""
        return any(map(self._is_decided, self.probabilities))

    def _record(self) -> dict[str, Any]:
        rows = zip(self.differences._record()["estimates"], self.probabilities, strict=True)
        of_population = self.of_population
        return {
            "title": self.title,
            "sentence": self.sentence(),
            "estimates": self.estimates._record()["estimates"],
            "baseline": self.baseline,
            "differences": [{**row, "probability": p} for row, p in rows],
            "of_population": None
            if of_population is None
            else of_population._record()["estimates"],
        }

    def to_frame(self, confidence_level: float | None = None) -> Any:
        """Return a pandas DataFrame of the differences, with the probability of each.

        The columns are "name", "value", "lower", "upper" and "probability".
        """
        return self.differences.to_frame(confidence_level).assign(probability=self.probabilities)

    def _html(self) -> Markup:
        tables = [interval_table("Estimates", self.estimates.items())]
        if len(self.differences):
            # A side without a value has no probability either.
            probabilities = [format_number(p) for p in self.probabilities]
            extra = (f"{self.ahead} with probability", probabilities)
            caption = f"Difference from {self.baseline}"
            tables.append(interval_table(caption, self.differences.items(), extra))
        return joined(
            *paragraphs([self.sentence()], "said"),
            tag("div", *tables, class_="pair"),
            *paragraphs(self.remarks, "hint"),
        )

    def describe(self) -> str:
        """Return the comparison as lines of text."""
        lines = [f"{self.title}:", str(self.estimates), *self.lines_of_differences()]
        return "\n".join([*lines, *self.remarks])

    @property
    def remarks(self) -> tuple[str, ...]:
        """The order of systems and their intervals for further items; edges of categories."""
        if self.ahead != "better":
            return (*remarks_on_parts(self.estimates), *remarks_on_edges(self.estimates))
        remarks = []
        order_proba = self.comparison.order_proba
        if not np.isnan(order_proba):
            remarks.append(
                f"The order of these estimates is correct with probability {order_proba:.3f}."
            )
        return (*remarks, *self.further_items())

    def lines_of_differences(self) -> list[str]:
        """Return the differences as a table, line by line."""
        level = percent(self.estimates.estimates[0].confidence_level)
        width = width_of(self.estimates.names)
        rows = zip(
            self.differences.names, self.differences.estimates, self.probabilities, strict=True
        )
        lines = [(line_of(name, difference, width), p) for name, difference, p in rows]

        # Where a number is exact, words stand for its interval.
        end = max([width + WIDTH_OF_INTERVALS, *(len(line) + 2 for line, _ in lines)])
        header = f"{'':{width}}{'value':>8}   {level} interval"

        return [
            f"difference from {self.baseline}:",
            f"{header:{end}}{self.ahead} with probability",
            *(f"{line:{end}}{p:.3f}" for line, p in lines),
        ]


def name_of_metric(metric: Any) -> str:
    """Return the name of a metric that is given by name, as an object or as a function."""
    if isinstance(metric, str):
        return metric
    return getattr(metric, "name", getattr(metric, "__name__", "metric"))


def _estimates(
    performance: PerformanceCurveEstimator,
    arguments: MetricArguments,
    key: RankingKey,
    kind: str,
    names: Sequence,
) -> EstimateTable:
    """Return the estimate of each system or category, by `kind`."""
    estimates = [estimate_of(performance, key.with_part(kind, name), arguments) for name in names]
    return EstimateTable(tuple(map(str, names)), tuple(estimates))


def _in_words(table: EstimateTable) -> str:
    """Return the metric, and where it is evaluated, in words."""
    first = table.estimates[0]
    at = "" if first.threshold is None else f" at score {first.threshold:g}"
    return f"{first.name.replace('_', ' ')}{at}"
