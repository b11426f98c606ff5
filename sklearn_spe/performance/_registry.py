"""Registry of the kinds of X: a new one costs one file and one entry."""

from __future__ import annotations

from dataclasses import replace

from ..sample._counted_rows import FitRows
from ._class_columns import ClassColumns
from ._one_pool import OnePool
from ._performance_subject import Structure, Subject
from ._structured_items import StructuredItems

__all__ = ["SUBJECTS", "fit_subject", "updated_subject"]

# The first kind that accepts X is used.
SUBJECTS: tuple[type[Subject], ...] = (ClassColumns, StructuredItems, OnePool)


def fit_subject(mixture, X, y, sample_weight, structure: Structure, seed: int) -> Subject:
    """Return the fit of X, of any kind."""
    given, structure = _read(X, y, sample_weight, structure)
    kind = next(kind for kind in SUBJECTS if kind.takes(mixture, given.X, given.y, structure))
    return kind.fit(mixture, *given.rows, structure, seed)


def updated_subject(subject: Subject, X, y, sample_weight, structure: Structure) -> Subject:
    """Return the fit to other labels of the same items."""
    given, structure = _read(X, y, sample_weight, structure)
    return subject.updated(*given.check_labels().rows, structure)


def _read(X, y, sample_weight, structure: Structure) -> tuple[FitRows, Structure]:
    """Return the rows and their structure; histograms of subgroups define the category."""
    said = structure.said("category", "groups", "judges")
    given = FitRows.of_several(X, y, sample_weight, said)
    category = structure.category if given.category is None else given.category
    return given, replace(structure, category=category, source=given.source)
