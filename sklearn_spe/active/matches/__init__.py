"""Detections and the objects they claim: instance segmentation, tested actively."""

from ._registry import COCO_THRESHOLDS, OverlapModel, SegmentationMatches

__all__ = ["COCO_THRESHOLDS", "OverlapModel", "SegmentationMatches"]
