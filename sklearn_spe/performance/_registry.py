"""All kinds of X that a performance can be estimated of: a new one costs one file and one entry."""

from __future__ import annotations

from dataclasses import replace

from ..sample._counted_rows import joined
from ._class_columns import ClassColumns
from ._one_pool import OnePool
from ._performance_subject import Structure, Subject
from ._structured_items import StructuredItems

__all__ = ["SUBJECTS", "fit_subject"]

# The first one that takes X is it.
SUBJECTS: tuple[type[Subject], ...] = (ClassColumns, StructuredItems, OnePool)


def fit_subject(mixture, X, y, sample_weight, structure: Structure, seed: int) -> Subject:
    """Return the fit of whatever X holds."""
    said = structure.said("category", "groups", "judges")
    X, y, sample_weight, category = joined(X, y, sample_weight, said)
    if category is not None:
        structure = replace(structure, category=category)
    kind = next(kind for kind in SUBJECTS if kind.takes(mixture, X, y, structure))
    return kind.fit(mixture, X, y, sample_weight, structure, seed)
