"""Validation of user input: numbers, seeds, labels, scores, rows and classifier responses."""

from ._annotations import Agreement, Annotations
from ._labels import BinaryLabels, encode_labels
from ._orientation import Orientation
from ._response import Response

__all__ = [
    "Agreement",
    "Annotations",
    "BinaryLabels",
    "Orientation",
    "Response",
    "encode_labels",
]
