"""What missing labels leave possible of a ratio of two sums."""

from __future__ import annotations

import itertools

import numpy as np

from ._label_design import LabelDesign

__all__ = ["possible_range"]


def possible_range(design: LabelDesign, numerator, denominator) -> tuple[float, float]:
    """Return the least and the greatest value that free labels leave possible.

    A ratio of linear functions is extreme where all free items of a side are alike: negative,
    positive, or never to be labelled.
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
