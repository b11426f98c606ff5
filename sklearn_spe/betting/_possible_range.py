"""Range of a ratio of two sums over all completions of the missing labels."""

from __future__ import annotations

import itertools

import numpy as np

from ._label_design import LabelDesign

__all__ = ["possible_range"]


def possible_range(design: LabelDesign, numerator, denominator) -> tuple[float, float]:
    """Return the minimum and maximum of the ratio over all completions of the free labels.

    A ratio of linear functions attains its extremes where all free items of a side are alike:
    negative, positive, or never labeled.
    """
    known, free = design.known[-1], design.free[-1]
    values = []
    for below, above in itertools.product((0, 1, None), repeat=2):
        counts = known.copy()
        for side, z in enumerate((below, above)):
            if z is not None:
                counts[z, side] += free[side]
        top, bottom = (counts * numerator).sum(), (counts * denominator).sum()
        if bottom > 0.0:
            values.append(top / bottom)
    return (min(values), max(values)) if values else (np.nan, np.nan)
