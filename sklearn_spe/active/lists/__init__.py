"""Ranked lists, and the labels to be estimated in them."""

from ._items import ListItems, members_of
from ._list_information import ListInformation
from ._ranked_list import RankedList
from ._ranked_lists import RankedLists, score_lists

__all__ = [
    "ListInformation",
    "ListItems",
    "RankedList",
    "RankedLists",
    "members_of",
    "score_lists",
]
