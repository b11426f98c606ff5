"""Registration of matches with the selector, by type and name."""

from __future__ import annotations

from .._opening import OPENINGS
from ..label_models._registry import LABEL_MODELS
from ._match_opening import open_matches
from ._matches import COCO_THRESHOLDS, SegmentationMatches
from ._overlap import OverlapModel

__all__ = ["COCO_THRESHOLDS", "OverlapModel", "SegmentationMatches"]

OPENINGS[SegmentationMatches] = open_matches
LABEL_MODELS[OverlapModel.name] = OverlapModel
