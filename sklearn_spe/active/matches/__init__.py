"""Detections and the objects they claim: instance segmentation, tested actively."""

from ._matches import COCO_THRESHOLDS, SegmentationMatches

__all__ = ["COCO_THRESHOLDS", "SegmentationMatches"]
