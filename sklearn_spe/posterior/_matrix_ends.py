"""Intervals of the entries of a confusion matrix, as those of the same rates and counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..metrics._decision import (
    FalseNegatives,
    FalsePositiveRate,
    FalsePositives,
    NegativePredictiveValue,
    Precision,
    Recall,
    Specificity,
    TruePositives,
)
from ..metrics._matrix_rates import (
    FalseDiscoveryRate,
    FalseNegativeRate,
    FalseOmissionRate,
    TrueNegatives,
)
from ..results._distributions import WeightedDraws
from ..results._tables import ConfusionMatrix
from ._open_ends import with_open_ends

# What the entries are, true by predicted class: numbers, or their shares of all items; shares of a
# true class; and of a predicted one.
NUMBERS = (TrueNegatives(), FalsePositives(), FalseNegatives(), TruePositives())
ENTRIES = {
    "true": (Specificity(), FalsePositiveRate(), FalseNegativeRate(), Recall()),
    "pred": (NegativePredictiveValue(), FalseDiscoveryRate(), FalseOmissionRate(), Precision()),
}


@dataclass(frozen=True, eq=False)
class _Entry:
    """The distribution of one entry."""

    distribution: Any


def matrix_with_open_ends(
    matrix: ConfusionMatrix,
    posterior: Any,
    threshold: float,
    normalize: str | None,
    n_items: float,
) -> ConfusionMatrix:
    """Return a matrix whose intervals include all values that no information excludes.

    Parameters
    ----------
    matrix : ConfusionMatrix
    posterior : Posterior
    threshold : float
        On the scale where larger scores mean positive.
    normalize : {"true", "pred", "all"} or None
    n_items : float
        The sum of the entries before they were normalized.
    """
    draws = matrix.distribution.draws
    weights = matrix.distribution.weights
    n_counted = posterior.sample.counts.sum()
    scale = n_counted / (1.0 if normalize == "all" else n_items)

    parts = []
    metrics = ENTRIES.get(normalize or "", NUMBERS)
    for entry, metric in enumerate(metrics):
        unit = scale if metric in NUMBERS else 1.0

        # Numbers of items have their ends on the scale of all items.
        of_entry = _Entry(WeightedDraws(unit * draws[:, [entry]], weights))
        opened = with_open_ends(of_entry, metric, posterior, [threshold])
        parts.append(opened.distribution.scaled(1.0 / unit))

    return replace(matrix, distribution=WeightedDraws.side_by_side(parts))
