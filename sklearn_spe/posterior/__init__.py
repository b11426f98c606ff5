"""Posteriors of P(y = 1 | score), and the curves and estimates that follow from them.

A new curve costs one file and one entry in the registry.
"""

from ._operating_points import Curve

__all__ = [
    "Curve",
]
