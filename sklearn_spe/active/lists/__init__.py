"""Ranked lists of items whose labels are to be known."""

from ._ranked_lists import ListItems, RankedList, RankedLists, members_of, score_lists

__all__ = [
    "ListItems",
    "RankedList",
    "RankedLists",
    "members_of",
    "score_lists",
]
