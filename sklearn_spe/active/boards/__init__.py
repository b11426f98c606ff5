"""Boards: labels that are to be known, and the ranked lists in which they stand."""

from ._board import Board
from ._items import BoardItems
from ._match_board import MatchBoard, match_board
from ._matches import COCO_THRESHOLDS, SegmentationMatches
from ._members import members_of
from ._outlook import BoardOutlook
from ._ranked_list import RankedList
from ._score_board import score_board

__all__ = [
    "COCO_THRESHOLDS",
    "Board",
    "BoardItems",
    "BoardOutlook",
    "MatchBoard",
    "RankedList",
    "SegmentationMatches",
    "match_board",
    "members_of",
    "score_board",
]
