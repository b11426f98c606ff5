"""Registration of matches with the selector, by type and name."""

from __future__ import annotations

from .._start import STARTS
from ..label_models._registry import LABEL_MODELS
from ._match_model import start_matches
from ._matches import COCO_THRESHOLDS as COCO_THRESHOLDS
from ._matches import SegmentationMatches as SegmentationMatches
from ._overlap import OverlapModel as OverlapModel

STARTS[SegmentationMatches] = start_matches
LABEL_MODELS[OverlapModel.name] = OverlapModel
