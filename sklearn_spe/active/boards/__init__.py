"""Ranked lists, and the labels to be estimated in them."""

from ._board import Board, score_board
from ._board_information import BoardInformation
from ._items import BoardItems, members_of
from ._ranked_list import RankedList

__all__ = [
    "Board",
    "BoardInformation",
    "BoardItems",
    "RankedList",
    "members_of",
    "score_board",
]
