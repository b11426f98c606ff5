"""Several systems side by side, and how probable it is that one is better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..results._bands import percent
from ..results._estimate_table import EstimateTable, line_of, width_of

__all__ = ["SystemsCompared"]


@dataclass(frozen=True, eq=False)
class SystemsCompared:
    """One number of several systems, and its differences from one of them.

    Attributes
    ----------
    metric : str
        What is compared, in words.
    estimates : EstimateTable
        Of each system.
    baseline : str
        With which the others are compared.
    differences : EstimateTable
        Of the others from it.
    probabilities : tuple of float
        How probable it is that each of the others is better than it.
    better : ndarray of shape (n_systems, n_systems)
        How probable it is that the system of the row is better than that of the column.
    order_proba : float
        How probable it is that all are in the order of their estimates.
    """

    metric: str
    estimates: EstimateTable
    baseline: str
    differences: EstimateTable
    probabilities: tuple[float, ...]
    better: np.ndarray
    order_proba: float

    @classmethod
    def of(cls, performance, metric: str, baseline: str | None, where: dict) -> SystemsCompared:
        """Compare all systems of a fit.

        Parameters
        ----------
        performance : PerformanceCurveEstimator
            Fitted to the scores of several systems.
        metric : str
        baseline : str or None
            The name of a system; None takes the best.
        where : dict
            Of `PerformanceCurveEstimator.estimate`: `threshold`, `category`, ...
        """
        better = performance.ranking_proba(metric, **where)
        names = performance.systems_
        first = int(np.argmax(better.sum(axis=1)) if baseline is None else names.index(baseline))
        found = [performance.estimate(metric, **where, system=name) for name in names]
        at = "" if found[0].threshold is None else f" at score {found[0].threshold:g}"
        others = [k for k in range(len(names)) if k != first]
        return cls(
            f"{metric.replace('_', ' ')}{at}",
            EstimateTable(names, tuple(found)),
            names[first],
            EstimateTable(
                tuple(names[k] for k in others), tuple(found[k] - found[first] for k in others)
            ),
            tuple(float(better[k, first]) for k in others),
            better,
            performance.order_proba(metric, **where),
        )

    def describe(self) -> str:
        """Return it as lines of text."""
        level = percent(self.estimates.estimates[0].confidence_level)
        width = width_of(self.estimates.names)
        rows = zip(
            self.differences.names, self.differences.estimates, self.probabilities, strict=True
        )
        return "\n".join(
            [
                f"{self.metric}:",
                str(self.estimates),
                f"less that of {self.baseline}:",
                f"{'':{width}}{'value':>8}   {level + ' interval':20}better with probability",
                *(f"{line_of(name, off, width):{width + 31}}{p:.3f}" for name, off, p in rows),
                f"The order by these estimates is right with probability {self.order_proba:.3f}.",
            ]
        )
