"""Division, where nothing divided by nothing is nothing known."""

from __future__ import annotations

import numpy as np


def ratio(numerator, denominator) -> np.ndarray:
    """Divide; NaN where the denominator is zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient = np.divide(numerator, denominator)
    # A number divided by zero is infinite, zero itself is not a number.
    return np.where(np.isinf(quotient), np.nan, quotient)
