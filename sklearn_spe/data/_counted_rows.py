"""Binned scores in place of X, y and sample_weight."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..inputs._arrays import CountedItems


class CountedRows(NamedTuple):
    """The rows of histograms, as arguments of `fit`."""

    X: Any
    y: np.ndarray
    sample_weight: np.ndarray
    category: np.ndarray | None  # of each subgroup, if there are several
    judges: Any
    source: Any  # identifies the binned items


def rows_of_histograms(X: Any, *, may_be_several: bool, **others: Any) -> CountedRows | None:
    """Return the rows of a histogram with labels, or of a mapping from names to several.

    None if X is something else. Raise TypeError for a histogram without labels or with `others`,
    the arguments of `fit` beside it, that it cannot support, and if only some are histograms.
    """
    is_single = _is_counted(X)
    if not is_single and not _are_counted(X):
        return None

    if not is_single and not may_be_several:
        raise TypeError(
            "A mapping of histograms is for subgroups, which only PerformanceCurveEstimator "
            "supports, if fitted with them; pass their sum: "
            "sum(histograms).with_labels(scores, y)."
        )

    histograms = {None: X} if is_single else X
    for name, histogram in histograms.items():
        if not _is_counted(histogram):
            raise TypeError(
                f"X maps some names to histograms, but {name!r} to {type(histogram).__name__}: "
                f"give each subgroup its histogram.with_labels(scores, y)."
            )
        if not hasattr(histogram, "y"):
            raise TypeError(
                f"X{'' if is_single else f'[{name!r}]'} is a {type(histogram).__name__}, which has "
                "no labels: pass histogram.with_labels(scores, y), or histogram.with_labels([], "
                "[]) if no item is labeled."
            )

    _check_alone([name for name, value in others.items() if value is not None])

    scores, judges = _columns_of(histograms.values(), may_be_several)
    y = np.concatenate([part.y for part in histograms.values()])
    counts = np.concatenate([part.counts for part in histograms.values()])
    if is_single:
        return CountedRows(scores, y, counts, None, judges, X.source)

    names = np.empty(len(X), dtype=object)
    names[:] = list(X)
    category = np.repeat(names, [len(part.scores) for part in X.values()])
    source = {name: part.source for name, part in X.items()}
    return CountedRows(scores, y, counts, category, judges, source)


def _columns_of(histograms: Collection[Any], may_be_several: bool) -> tuple[Any, Any]:
    """Return the scores of all rows, of several systems by name; and verdicts by name, or None."""
    kinds = {(histogram.systems, histogram.judges) for histogram in histograms}
    if len(kinds) > 1:
        raise ValueError(
            "All histograms must be of the same systems and judges, got "
            f"{' and '.join(map(str, kinds))}."
        )

    scores = np.concatenate([histogram.scores for histogram in histograms])
    ((systems, names),) = kinds
    if not may_be_several and (systems or names or scores.ndim > 1):
        raise TypeError(
            "A joint histogram is of several systems, judges or classes, which only "
            "PerformanceCurveEstimator supports, if fitted with them: pass the histogram of one "
            "system."
        )

    judges = None
    if names:
        verdicts = np.concatenate([histogram.verdicts for histogram in histograms])
        judges = dict(zip(names, verdicts.T, strict=True))
    if systems is None:
        return scores, judges
    return dict(zip(systems, scores.T, strict=True)), judges


def check_not_several(X: Any) -> None:
    """Raise if X is a mapping of histograms where a single one is required."""
    if _are_counted(X):
        raise TypeError(
            "A selector requires a single histogram: pass the sum of several, or fit a selector "
            "to each."
        )


def check_source(before: Any, now: Any) -> None:
    """Raise if an update has other histograms than the fit, or only one of them has any."""
    if (before is None) != (now is None):
        fitted_to, updated_by = (
            ("scores", "a histogram") if before is None else ("a histogram", "scores")
        )
        raise ValueError(
            f"update requires the data of fit with other labels: that was {fitted_to}, but this is "
            f"{updated_by}. Call fit for other data."
        )

    if before != now:
        raise ValueError(
            "update takes the histogram of fit with other labels, histogram.with_labels(scores, "
            "y); this one has counted other scores, or contains other uncounted items. Call fit "
            "for another one."
        )


def _is_counted(X: Any) -> bool:
    return isinstance(X, CountedItems)


def _are_counted(X: Any) -> bool:
    """Return whether X maps names to histograms, to one at least."""
    return isinstance(X, Mapping) and any(map(_is_counted, X.values()))


def _check_alone(names: list[str]) -> None:
    """Raise if other arguments are given than a histogram supports."""
    included = [name for name in names if name in ("y", "sample_weight")]
    if included:
        raise TypeError(
            f"A histogram includes labels and counts: leave out {' and '.join(included)}, and pass "
            "labels in histogram.with_labels(scores, y)."
        )

    if "category" in names:
        raise TypeError(
            "A histogram does not support category=: count each subgroup separately, and pass a "
            "mapping from names to histogram.with_labels(scores, y)."
        )

    if names:
        raise TypeError(
            f"{' and '.join(f'{name}=' for name in names)} requires single items, which a "
            "histogram does not store: pass the scores of a random sample of the items instead."
        )
