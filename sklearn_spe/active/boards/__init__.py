"""Boards: labels that are to be known, and the ranked lists in which they stand."""

from ._board import Board
from ._outlook import BoardOutlook
from ._ranked_list import RankedList
from ._score_board import score_board

__all__ = ["Board", "BoardOutlook", "RankedList", "score_board"]
