"""Registration of matches with the selector, by type and name."""

from __future__ import annotations

from .._start import STARTS
from ..label_models._registry import LABEL_MODELS
from ._match_start import start_matches
from ._matches import COCO_THRESHOLDS, SegmentationMatches
from ._overlap import OverlapModel

__all__ = ["COCO_THRESHOLDS", "OverlapModel", "SegmentationMatches"]

STARTS[SegmentationMatches] = start_matches
LABEL_MODELS[OverlapModel.name] = OverlapModel
