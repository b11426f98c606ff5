"""ROC curve, and DET curve of the same rates."""

from __future__ import annotations

import numpy as np

from ..metrics._division import ratio
from ..metrics._metric import with_origin
from ._grid import Curve, from_zero_to_one, interpolate_rows


def tpr_at_fpr(points, rates) -> np.ndarray:
    """Return the true positive rate at given false positive rates.

    Points are joined linearly, the average over ties; on a vertical segment it is the upper end.
    NaN if there is no positive or no negative.
    """
    tpr = with_origin(ratio(points.tp, points.n_positive))
    fpr = with_origin(ratio(points.fp, points.n_negative))
    return interpolate_rows(fpr, tpr, rates)


def fnr_at_fpr(points, rates) -> np.ndarray:
    """Return the false negative rate at given false positive rates."""
    return 1.0 - tpr_at_fpr(points, rates)


ROC = Curve(
    name="roc",
    x_name="false positive rate",
    y_name="true positive rate",
    grid=from_zero_to_one,
    value=tpr_at_fpr,
)

DET = Curve(
    name="det",
    x_name="false positive rate",
    y_name="false negative rate",
    grid=from_zero_to_one,
    value=fnr_at_fpr,
)
