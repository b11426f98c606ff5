"""What a user passes, read: numbers, seeds, labels, scores, rows and what a classifier answers."""

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
