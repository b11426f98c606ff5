"""All kinds of X that a performance can be estimated of: a new one costs one file and one entry."""

from __future__ import annotations

from ..sample._counted_rows import unpacked
from ._class_columns import ClassColumns
from ._one_pool import OnePool
from ._performance_subject import Structure, Subject
from ._structured_items import StructuredItems

__all__ = ["SUBJECTS", "fit_subject"]

# The first one that takes X is it.
SUBJECTS: tuple[type[Subject], ...] = (ClassColumns, StructuredItems, OnePool)


def fit_subject(mixture, X, y, sample_weight, structure: Structure, seed: int) -> Subject:
    """Return the fit of whatever X holds."""
    X, y, sample_weight = unpacked(X, y, sample_weight)
    kind = next(kind for kind in SUBJECTS if kind.takes(mixture, X, y, structure))
    return kind.fit(mixture, X, y, sample_weight, structure, seed)
