"""Binned scores in place of X, y and sample_weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inputs._arrays import CountedItems


@dataclass(frozen=True, eq=False)
class FitRows:
    """Rows passed to `fit` or `update`; the rows of a histogram with labels."""

    X: Any  # as passed, or an array (n_rows,); so are y and sample_weight
    y: Any
    sample_weight: Any
    category: np.ndarray | None = None  # (n_rows,), name of each histogram, if there are several
    source: Any = None  # identifies the items of histograms; None without
    judges: Any = None  # verdicts of raters by name, if they were counted too

    @classmethod
    def read(cls, X, y, sample_weight, said=(), *, may_be_several: bool) -> FitRows:
        """Read rows, one histogram with labels, or a mapping from names to several.

        `said` names the other arguments that were passed. Raise TypeError for a histogram without
        labels or with arguments that it cannot support, and if only some are histograms.
        """
        if _is_counted(X):
            _check_labeled(X, "X")
            _check_alone(y, sample_weight, said)
            scores, judges = _columns_of([X], may_be_several)
            return cls(scores, X.y, X.counts, source=X.source, judges=judges)
        if not isinstance(X, Mapping) or not any(map(_is_counted, X.values())):
            return cls(X, y, sample_weight)
        if not may_be_several:
            raise TypeError(
                "A mapping of histograms is for subgroups, which only PerformanceCurveEstimator "
                "supports, if fitted with them; pass their sum: "
                "sum(histograms).with_labels(scores, y)."
            )
        for name, histogram in X.items():
            if not _is_counted(histogram):
                raise TypeError(
                    f"X maps some names to histograms, but {name!r} to {type(histogram).__name__}: "
                    f"give each subgroup its histogram.with_labels(scores, y)."
                )
            _check_labeled(histogram, f"X[{name!r}]")
        _check_alone(y, sample_weight, said)
        parts = list(X.values())
        names = np.empty(len(parts), dtype=object)
        names[:] = list(X)
        scores, judges = _columns_of(parts, may_be_several)
        return cls(
            scores,
            np.concatenate([part.y for part in parts]),
            np.concatenate([part.counts for part in parts]),
            np.repeat(names, [len(part.scores) for part in parts]),
            {name: part.source for name, part in X.items()},
            judges,
        )

    @property
    def rows(self) -> tuple[Any, Any, Any]:
        """X, y and sample_weight."""
        return self.X, self.y, self.sample_weight

    def check_labels(self) -> FitRows:
        """Return these rows; raise without labels."""
        if self.y is None:
            raise TypeError(
                "update requires y, all known labels; or X as a histogram.with_labels(scores, "
                "y) with them."
            )
        return self


def _columns_of(histograms, may_be_several: bool) -> tuple[Any, Any]:
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
    return (scores if systems is None else dict(zip(systems, scores.T, strict=True))), judges


def check_not_several(X) -> None:
    """Raise if X is a mapping of histograms where a single one is required."""
    if isinstance(X, Mapping) and any(map(_is_counted, X.values())):
        raise TypeError(
            "A selector requires a single histogram: pass the sum of several, or fit a selector "
            "to each."
        )


def check_source(before, now) -> None:
    """Raise if an update has other histograms than the fit, or only one of them has any."""
    if (before is None) != (now is None):
        was, is_now = ("scores", "a histogram") if before is None else ("a histogram", "scores")
        raise ValueError(
            f"update requires the data of fit with other labels: that was {was}, but this is "
            f"{is_now}. Call fit for other data."
        )
    if before != now:
        raise ValueError(
            "update takes the histogram of fit with other labels, histogram.with_labels(scores, "
            "y); this one has counted other scores, or contains other uncounted items. Call fit "
            "for another one."
        )


def _is_counted(X) -> bool:
    return isinstance(X, CountedItems)


def _check_labeled(X, what: str) -> None:
    if not hasattr(X, "y"):
        raise TypeError(
            f"{what} is a {type(X).__name__}, which has no labels: pass "
            "histogram.with_labels(scores, y), or histogram.with_labels([], []) if no item is "
            "labeled."
        )


def _check_alone(y, sample_weight, said) -> None:
    beside = [
        name for name, value in (("y", y), ("sample_weight", sample_weight)) if value is not None
    ]
    if beside:
        raise TypeError(
            f"A histogram includes labels and counts: leave out {' and '.join(beside)}, and pass "
            "labels in histogram.with_labels(scores, y)."
        )
    if "category" in said:
        raise TypeError(
            "A histogram does not support category=: count each subgroup separately, and pass a "
            "mapping from names to histogram.with_labels(scores, y)."
        )
    if said:
        raise TypeError(
            f"{' and '.join(f'{name}=' for name in said)} requires single items, which a "
            "histogram does not store: pass the scores of a random sample of the items instead."
        )
