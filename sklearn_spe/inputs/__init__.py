"""Validation of user input: numbers, seeds, labels, scores, rows and classifier responses."""

from ._labels import BinaryLabels, encode_labels
from ._raters import Agreement, Annotations
from ._scores import Response, ScoreDirection

__all__ = [
    "Agreement",
    "Annotations",
    "BinaryLabels",
    "Response",
    "ScoreDirection",
    "encode_labels",
]
