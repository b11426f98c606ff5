"""Fits as values, one for each kind of data: one pool of scores, structured items, classes."""

from ._class_questions import ConfusionMatrix, TopKAccuracy

__all__ = [
    "ConfusionMatrix",
    "TopKAccuracy",
]
