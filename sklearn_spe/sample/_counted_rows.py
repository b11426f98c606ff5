"""What takes the place of X, y and sample_weight in `fit`: rows that were counted before."""

from __future__ import annotations

from ._labeled_histogram import LabeledHistogram
from ._score_histogram import ScoreHistogram

__all__ = ["unpacked"]


def unpacked(X, y, sample_weight):
    """Return X, y and sample_weight of a fit; of a histogram with labels those that it holds.

    Raises
    ------
    TypeError
        If X is a histogram without labels, or they are given beside one that has them.
    """
    if isinstance(X, ScoreHistogram):
        raise TypeError(
            "X is a ScoreHistogram, which holds no labels: pass histogram.with_labels(scores, y), "
            "or histogram.with_labels([], []) if nothing is labelled."
        )
    if not isinstance(X, LabeledHistogram):
        return X, y, sample_weight
    beside = [
        name for name, value in (("y", y), ("sample_weight", sample_weight)) if value is not None
    ]
    if beside:
        raise TypeError(
            f"A histogram holds labels and counts: leave out {' and '.join(beside)}, and say what "
            f"is labelled in histogram.with_labels(scores, y)."
        )
    return X.scores, X.y, X.counts
