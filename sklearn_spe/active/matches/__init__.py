"""Active testing of instance segmentation: detections and their matched objects."""

from ._registry import COCO_THRESHOLDS, OverlapModel, SegmentationMatches

__all__ = [
    "COCO_THRESHOLDS",
    "OverlapModel",
    "SegmentationMatches",
]
