"""What takes the place of X, y and sample_weight in `fit`: rows that were counted before."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ._labeled_histogram import LabeledHistogram
from ._score_histogram import ScoreHistogram

__all__ = ["check_not_several", "joined", "unpacked"]


def unpacked(X, y, sample_weight, said=()):
    """Return X, y and sample_weight of a fit; of a histogram with labels those that it holds.

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
        return X, y, sample_weight
    _check_labeled(X, "X", "histogram")
    _check_alone(y, sample_weight, said)
    return X.scores, X.y, X.counts


def joined(X, y, sample_weight, said):
    """Return X, y, sample_weight and category of a fit, of a mapping name -> histogram with labels.

    Of anything else the category is None.

    Raises
    ------
    TypeError
        If only some are histograms, or have no labels, or something is said of items besides.
    """
    if not isinstance(X, Mapping) or not any(map(_is_counted, X.values())):
        return *unpacked(X, y, sample_weight, said), None
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
    return (
        np.concatenate([part.scores for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.repeat(names, [len(part.scores) for part in parts]),
    )


def check_not_several(X) -> None:
    """Raise if X is a mapping of histograms where one is asked for."""
    if isinstance(X, Mapping) and any(map(_is_counted, X.values())):
        raise TypeError(
            "Items of several histograms are not chosen together: pass one, their sum say, or fit "
            "a selector to each."
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
