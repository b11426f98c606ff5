"""Fits as values, one for each kind of data: one pool of scores, structured items, classes."""

from ..results._tables import ConfusionMatrix
from ._ranking_value import Ranking

__all__ = [
    "ConfusionMatrix",
    "Ranking",
]
