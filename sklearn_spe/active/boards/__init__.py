"""Boards: labels that are to be known, and the ranked lists in which they stand."""

from ._board import Board
from ._board_information import BoardOutlook
from ._items import BoardItems
from ._members import members_of
from ._ranked_list import RankedList
from ._score_board import score_board

__all__ = [
    "Board",
    "BoardItems",
    "BoardOutlook",
    "RankedList",
    "members_of",
    "score_board",
]
