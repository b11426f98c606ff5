"""Division with NaN for zero by zero."""

from __future__ import annotations

import numpy as np


def ratio(numerator, denominator) -> np.ndarray:
    """Divide; NaN where the denominator is zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient = np.divide(numerator, denominator)
    # A nonzero number divided by zero is infinite, zero by zero is NaN.
    return np.where(np.isinf(quotient), np.nan, quotient)
