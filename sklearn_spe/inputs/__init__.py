"""Validation of user input: numbers, seeds, labels, scores, rows and classifier responses."""

from ._annotations import Agreement, Annotations
from ._labels import BinaryLabels, encode_labels
from ._response import Response
from ._score_direction import ScoreDirection

__all__ = [
    "Agreement",
    "Annotations",
    "BinaryLabels",
    "Response",
    "ScoreDirection",
    "encode_labels",
]
