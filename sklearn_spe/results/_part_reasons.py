"""Reasons about the part of the items that is evaluated, beside those about the whole fit."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from ..inputs._validation import listed
from ._verdict import Reason

# Parts that a reason names one by one.
MAX_NAMED = 3


def unlabeled_part(
    n_items: float, *, category: Any = None, system: Any = None, judge: Any = None
) -> Reason:
    """Return the reason for a part without a labeled item.

    It is the items of a category, those that a system has scored or a judge has rated, or their
    intersection.
    """
    parts = {"category": category, "system": system, "judge": judge}
    phrases = {
        "category": f"of category {category!r}",
        "system": f"with a score of system {system!r}",
        "judge": f"with a rating of judge {judge!r}",
    }
    names = [name for name, value in parts.items() if value is not None]

    return Reason(
        "unlabeled_part",
        "unidentified",
        f"No item {' and '.join(phrases[name] for name in names)} is labeled.",
        0.0,
        1.0,
        remedy=f"Label {_some_of(n_items)}: until then the numbers rest on the labels of others.",
        parameter="y",
        details={name: parts[name] for name in names},
    )


def unlabeled_categories(names: Sequence[Hashable], n_items: float) -> Reason:
    """Return the reason for several categories without a labeled item."""
    return Reason(
        "unlabeled_part",
        "unidentified",
        f"No item of the categories {listed(map(repr, names), most=MAX_NAMED)} is labeled.",
        0.0,
        1.0,
        remedy=f"Label {_some_of(n_items)}: until then the numbers rest on the labels of others.",
        parameter="y",
        details={"categories": tuple(names)},
    )


def unlabeled_class(name: Any) -> Reason:
    """Return the reason for a class of which no item is labeled."""
    return Reason(
        "unlabeled_class",
        "unidentified",
        f"No item of class {name!r} is labeled.",
        0.0,
        1.0,
        remedy="Label items that may be of this class, such as those predicted to be: until then "
        "its numbers depend on the other classes and the classifier's own probabilities.",
        parameter="y",
        details={"class": name},
    )


def _some_of(n_items: float) -> str:
    return "the item" if n_items == 1.0 else f"some of these {n_items:,.0f} items"
