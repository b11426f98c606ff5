"""Active testing of instance segmentation: detections and their matched objects."""

# Its import makes matches an X of the selector.
from ._match_model import start_matches as start_matches
from ._matches import SegmentationMatches
from ._simulated_matches import make_segmentation_matches

__all__ = [
    "SegmentationMatches",
    "make_segmentation_matches",
]
