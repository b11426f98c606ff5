"""What a user passes, read: numbers, seeds, labels, scores, rows and what a classifier answers."""

from ._labels import BinaryLabels, encode_labels
from ._orientation import Orientation
from ._response import Response

__all__ = ["BinaryLabels", "Orientation", "Response", "encode_labels"]
