"""The control of the threshold on a page: a slider, the numbers at it, and tables of thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...results._showing import (
    NO_VALUE,
    Markup,
    data_script,
    format_number,
    has_no_width,
    html_table,
    percent,
    row_of,
)
from ._charts import DrawnCurve
from ._decision_counts import numbers_in_words
from ._page import element
from ._ranking_report import RankingReport
from ._thresholds import ThresholdGuarantees

# Number of rows of the table.
N_LISTED = 12
NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}
NO_LABEL = "no label there"


def threshold_panel(key: str, ranking: RankingReport) -> Markup | None:
    """Return the slider of a ranking, and the numbers where it stands; None without thresholds."""
    guarantees = ranking.thresholds
    if guarantees is None:
        return None

    index = guarantees.place
    score = f"{guarantees.thresholds[index]:.6g}"
    side = "at least" if guarantees.greater_is_positive else "at most"
    numbers = {name: _numbers(guarantees, name) for name in guarantees.bands}
    n = guarantees.flagged[index]
    counted = _counted(guarantees)
    counts_here = "".join(f" {name}: {texts[index]}." for name, texts in counted.items())
    flagged = (
        f"{n:,.0f} of {guarantees.n_items:,.0f} items {'is' if n == 1 else 'are'} predicted "
        f"positive ({n / guarantees.n_items:.1%}), {guarantees.labeled[index]:,.0f} of them "
        f"labeled.{counts_here}"
    )
    return element(
        "slider",
        key=key,
        side=side,
        score=score,
        last=len(guarantees.thresholds) - 1,
        index=index,
        flagged=flagged,
        table=_rows_at(guarantees, numbers, index),
        data=data_script({**_data(guarantees, numbers), "counted": counted}),
    )


def table_of_thresholds(guarantees: ThresholdGuarantees) -> Markup:
    """Return the numbers at some evenly spaced thresholds as a table."""
    last = len(guarantees.thresholds) - 1
    indices = np.unique(np.linspace(0, last, N_LISTED).astype(int))
    curves = [DrawnCurve.of(name, band) for name, band in guarantees.bands.items()]
    rows = []
    for index in indices:
        values = [curve.format_at(index) for curve in curves]
        score = f"{guarantees.thresholds[index]:.6g}"
        rows.append(row_of(score, f"{guarantees.flagged[index]:,.0f}", *values))
    return html_table("Thresholds", ["threshold", "predicted positive", *NAMES.values()], rows)


def _rows_at(guarantees: ThresholdGuarantees, numbers: dict[str, np.ndarray], index: int) -> Markup:
    """Return precision, recall and F1 at a threshold."""
    level = percent(guarantees.bands["precision"].confidence_level)
    least = f"at least ({percent(guarantees.probability)})"
    rows = []
    for name, band in guarantees.bands.items():
        value, lower, upper = numbers[name][:, index]
        bound = guarantees.least[name][index]
        row = row_of(
            NAMES[name],
            format_number(value) if band.is_known else NO_VALUE,
            "" if np.isnan(lower) else band.range_in_words(lower, upper),
            NO_LABEL if np.isnan(bound) else format_number(bound),
            data_metric=name,
        )
        rows.append(row)

    header = [None, "value", f"{level} interval", least]
    return html_table("At this threshold", header, rows)


def _counted(guarantees: ThresholdGuarantees) -> dict[str, list[str]]:
    """Return false alarms and missed positives at each threshold, in words, by their name."""
    is_sample = guarantees.missed is not None
    alarms = "False alarms" if is_sample else "False alarms, of 100 predicted positive"
    missed = "Missed" if is_sample else "Missed, of 100 positives"
    is_known = guarantees.is_known
    return {
        alarms: [numbers_in_words(numbers, is_known) for numbers in guarantees.false_alarms.T],
        missed: [numbers_in_words(numbers, is_known) for numbers in guarantees.n_missed.T],
    }


def _data(guarantees: ThresholdGuarantees, numbers: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return the data from which the script updates the numbers."""
    bands = {}
    for name, band in guarantees.bands.items():
        value, lower, upper = numbers[name]
        bands[name] = {
            "value": value if band.is_known else None,
            "lower": lower,
            "upper": upper,
            "least": guarantees.least[name],
            "exact": [k for k in range(len(lower)) if has_no_width(lower[k], upper[k])],
        }
    return {
        # Formatted: four digits may not separate neighboring values.
        "thresholds": [f"{score:.6g}" for score in guarantees.thresholds],
        "flagged": _whole_if_possible(guarantees.flagged),
        "labeled": _whole_if_possible(guarantees.labeled),
        "n_items": int(guarantees.n_items),
        "bands": bands,
        "no_width": guarantees.bands["recall"].range_in_words(0.0, 0.0),
    }


def _numbers(guarantees: ThresholdGuarantees, name: str) -> np.ndarray:
    """Return the values and both ends of a band, (3, n_thresholds), NaN where it is not defined."""
    band = guarantees.bands[name]
    numbers = np.array([band.value, *band.interval()])
    if name == "precision":
        numbers[:, guarantees.flagged == 0.0] = np.nan
    return numbers


def _whole_if_possible(counts: np.ndarray) -> list[float]:
    """Return counts for a script, where whole numbers are shorter."""
    return [int(n) if n == int(n) else float(n) for n in counts]
