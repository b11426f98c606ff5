"""Boards: labels that are to be known, and the ranked lists in which they stand."""

from ._board import Board
from ._items import BoardItems
from ._matches import COCO_THRESHOLDS, MatchBoard, SegmentationMatches, match_board
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
    "score_board",
]
