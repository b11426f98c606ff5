"""What takes the place of X, y and sample_weight: rows that were counted before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._labeled_histogram import LabeledHistogram
from ._score_histogram import ScoreHistogram

__all__ = ["GivenRows", "check_not_several", "check_source"]


@dataclass(frozen=True, eq=False)
class GivenRows:
    """What `fit` and `update` are given, as rows; of a histogram with labels those that it holds.

    Attributes
    ----------
    X, y, sample_weight : object
        As they were given, or arrays of shape (n_rows,).
    category : ndarray of shape (n_rows,) or None
        The name of each histogram, if there are several.
    source : object
        What tells whether histograms are of the same items; None of what is none.
    """

    X: Any
    y: Any
    sample_weight: Any
    category: np.ndarray | None = None
    source: Any = None

    @classmethod
    def of_one(cls, X, y, sample_weight, said=()) -> GivenRows:
        """Read what may be a histogram with labels.

        Parameters
        ----------
        X, y, sample_weight
            As `fit` was given them.
        said : sequence of str
            What else was said of items.

        Raises
        ------
        TypeError
            If X is a histogram without labels, or something is said of items that it does not hold.
        """
        if isinstance(X, Mapping) and any(map(_is_counted, X.values())):
            raise TypeError(
                "A mapping of histograms is for subgroups, which PerformanceCurveEstimator takes; "
                "their sum is one for all: sum(histograms).with_labels(scores, y)."
            )
        if not _is_counted(X):
            return cls(X, y, sample_weight)
        _check_labeled(X, "X", "histogram")
        _check_alone(y, sample_weight, said)
        return cls(X.scores, X.y, X.counts, source=X.source)

    @classmethod
    def of_several(cls, X, y, sample_weight, said) -> GivenRows:
        """Read what may be a histogram with labels, or a mapping from names to these.

        Raises
        ------
        TypeError
            If only some are histograms, or have no labels, or something is said of items besides.
        """
        if not isinstance(X, Mapping) or not any(map(_is_counted, X.values())):
            return cls.of_one(X, y, sample_weight, said)
        for name, histogram in X.items():
            if not _is_counted(histogram):
                raise TypeError(
                    f"X maps some names to histograms, but {name!r} to {type(histogram).__name__}: "
                    f"give each subgroup its histogram.with_labels(scores, y)."
                )
            _check_labeled(histogram, f"X[{name!r}]", "histogram")
        _check_alone(y, sample_weight, said)
        parts = list(X.values())
        names = np.empty(len(parts), dtype=object)
        names[:] = list(X)
        return cls(
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.y for part in parts]),
            np.concatenate([part.counts for part in parts]),
            np.repeat(names, [len(part.scores) for part in parts]),
            {name: part.source for name, part in X.items()},
        )

    @property
    def rows(self) -> tuple[Any, Any, Any]:
        """X, y and sample_weight."""
        return self.X, self.y, self.sample_weight

    def check_labels(self) -> GivenRows:
        """Return these rows; raise if there are no labels, where all that are known are wanted."""
        if self.y is None:
            raise TypeError(
                "update takes y, all labels that are known by now; or X as a histogram.with_labels"
                "(scores, y) that holds them."
            )
        return self


def check_not_several(X) -> None:
    """Raise if X is a mapping of histograms where one is asked for."""
    if isinstance(X, Mapping) and any(map(_is_counted, X.values())):
        raise TypeError(
            "Items of several histograms are not chosen together: pass one, their sum say, or fit "
            "a selector to each."
        )


def check_source(before, now) -> None:
    """Raise if an update is about other histograms than the fit, or one of them about none."""
    if (before is None) != (now is None):
        was, is_now = ("scores", "a histogram") if before is None else ("a histogram", "scores")
        raise ValueError(
            f"update takes what fit was given, with other labels: that was {was}, and this is "
            f"{is_now}. Call fit for something else."
        )
    if before != now:
        raise ValueError(
            "update takes the histogram of fit with other labels, histogram.with_labels(scores, "
            "y); this one has counted other scores, or holds other items beside those it has "
            "counted. Call fit for another one."
        )


def _is_counted(X) -> bool:
    return isinstance(X, ScoreHistogram | LabeledHistogram)


def _check_labeled(X, what: str, name: str) -> None:
    if isinstance(X, ScoreHistogram):
        raise TypeError(
            f"{what} is a ScoreHistogram, which holds no labels: pass {name}.with_labels(scores, "
            f"y), or {name}.with_labels([], []) if nothing is labelled."
        )


def _check_alone(y, sample_weight, said) -> None:
    beside = [
        name for name, value in (("y", y), ("sample_weight", sample_weight)) if value is not None
    ]
    if beside:
        raise TypeError(
            f"A histogram holds labels and counts: leave out {' and '.join(beside)}, and say what "
            f"is labelled in histogram.with_labels(scores, y)."
        )
    if "category" in said:
        raise TypeError(
            "The bins of a histogram belong to no category=: count each subgroup by itself, and "
            "pass a mapping from its name to its histogram.with_labels(scores, y)."
        )
    if said:
        raise TypeError(
            f"{' and '.join(f'{name}=' for name in said)} are said of single items, which a "
            f"histogram does not hold: pass the scores of a random sample of the items instead."
        )
