"""Systems or categories side by side, and the probability that one is ahead."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..results._bands import percent
from ..results._estimate_table import EstimateTable, line_of, width_of
from ..results._side_by_side import SideBySide

__all__ = ["MetricComparison"]


@dataclass(frozen=True, eq=False)
class MetricComparison:
    """A metric of several systems or categories, and the differences from one of them.

    Attributes
    ----------
    title : str
        The comparison in words.
    estimates : EstimateTable
        Of each system, or category.
    comparison : SideBySide
    place : int
        The index of the reference.
    ahead : {"better", "higher"}
        The event of `probabilities`.
    """

    title: str
    estimates: EstimateTable
    comparison: SideBySide
    place: int
    ahead: str

    @classmethod
    def of_systems(
        cls,
        metric: str,
        estimates: EstimateTable,
        comparison: SideBySide,
        baseline: str | None = None,
    ) -> MetricComparison:
        """Return systems compared with a named one; None means the best."""
        place = comparison.first if baseline is None else comparison.names.index(baseline)
        return cls(_in_words(metric, estimates), estimates, comparison, place, "better")

    @classmethod
    def of_categories(
        cls, metric: str, estimates: EstimateTable, comparison: SideBySide, by: str, reference
    ) -> MetricComparison:
        """Return categories compared with one; `by` names the column, such as "by month".

        Differences between categories are neither better nor worse.
        """
        title = f"{_in_words(metric, estimates)} {by}"
        return cls(title, estimates, comparison, comparison.names.index(reference), "higher")

    @property
    def baseline(self) -> str:
        """The name of the reference."""
        return str(self.comparison.names[self.place])

    @cached_property
    def differences(self) -> EstimateTable:
        """The differences from the reference."""
        return self.comparison.less(self.place)

    @cached_property
    def probabilities(self) -> tuple[float, ...]:
        """The probability that each of the others is better, or higher."""
        return self.comparison.ahead_of(self.place)

    def describe(self) -> str:
        """Return the comparison as lines of text."""
        lines = [f"{self.title}:", str(self.estimates), *self.lines_of_differences()]
        return "\n".join([*lines, *self.remarks])

    @property
    def remarks(self) -> tuple[str, ...]:
        """The probability of the order, for systems that can be compared."""
        order_proba = self.comparison.order_proba
        if self.ahead != "better" or np.isnan(order_proba):
            return ()
        return (f"The order by these estimates is right with probability {order_proba:.3f}.",)

    def lines_of_differences(self) -> list[str]:
        """Return the differences as a table, line by line."""
        level = percent(self.estimates.estimates[0].confidence_level)
        width = width_of(self.estimates.names)
        rows = zip(
            self.differences.names, self.differences.estimates, self.probabilities, strict=True
        )
        return [
            f"less that of {self.baseline}:",
            f"{'':{width}}{'value':>8}   {level + ' interval':20}{self.ahead} with probability",
            *(f"{line_of(name, off, width):{width + 31}}{p:.3f}" for name, off, p in rows),
        ]


def _in_words(metric: str, table: EstimateTable) -> str:
    """Return the metric, and where it is evaluated, in words."""
    threshold = table.estimates[0].threshold
    at = "" if threshold is None else f" at score {threshold:g}"
    return f"{metric.replace('_', ' ')}{at}"
