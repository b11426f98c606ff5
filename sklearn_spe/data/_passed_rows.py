"""Arguments of `fit` that have an entry for each item, and the kind of fit that they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from ..exceptions import ParameterError
from ..inputs._frames import read_column, read_frame
from ..inputs._scores import holds_systems
from ..inputs._validation import check_aligned, shape_of
from ._class_scores import classifiers_of

# The kinds of data, each with a fit of its own: one column of scores; items with columns of several
# systems, categories, groups or raters; columns of several classes; labels that are no classes but
# numbers whose mean is asked about; one column of scores with labels that were chosen by class.
POOL, ITEMS, CLASSES, OUTCOMES = "pool", "items", "classes", "outcomes"
LABEL_SHIFT, CLASS_SHIFT = "label_shift", "class_shift"
# The value of `inclusion_proba` of labels that were chosen by class, with unknown shares.
BY_CLASS = "by_class"


@dataclass(frozen=True, eq=False)
class PassedRows:
    """Arguments of `fit` with one entry for each item; None if not passed."""

    X: Any = None
    y: Any = None
    sample_weight: Any = None
    category: Any = None
    groups: Any = None
    judges: Any = None
    inclusion_proba: Any = None
    features: Any = None
    source: Any = None  # identifies the data of binned items; else None

    def read(self) -> PassedRows:
        """Return the same rows, with frames and columns of any library read."""
        return replace(
            self,
            X=classifiers_of(read_frame(self.X, "X")),
            y=read_column(self.y, "y"),
            sample_weight=read_column(self.sample_weight, "sample_weight"),
            category=read_column(self.category, "category"),
            groups=read_column(self.groups, "groups"),
            judges=read_frame(self.judges, "judges"),
            inclusion_proba=read_column(self.inclusion_proba, "inclusion_proba"),
            features=read_frame(self.features, "features"),
        )

    @property
    def is_by_class(self) -> bool:
        """Whether labels were chosen by class; raise if another word is given for this."""
        if not isinstance(self.inclusion_proba, str):
            return False
        if self.inclusion_proba != BY_CLASS:
            raise ParameterError.of(
                "inclusion_proba",
                f"must be {BY_CLASS!r}, a mapping from each class to its labeled share, or the "
                f"probability of each item to be labeled; got {self.inclusion_proba!r}.",
            )
        return True

    @property
    def names(self) -> list[str]:
        """The names of the arguments that were passed."""
        names = [field.name for field in fields(self) if field.name != "source"]
        return [name for name in names if getattr(self, name) is not None]

    @property
    def has_structure(self) -> bool:
        """Whether items have a category, a group or features."""
        structure = self.category, self.groups, self.features
        return any(part is not None for part in structure)

    def check_aligned(self) -> None:
        """Raise unless all inputs with a pandas index have the same."""
        check_aligned(
            X=self.X,
            y=self.y,
            sample_weight=self.sample_weight,
            category=self.category,
            groups=self.groups,
            judges=self.judges,
            inclusion_proba=self.inclusion_proba,
            features=self.features,
        )

    @property
    def kind_of_classes(self) -> str:
        """The kind of data of several classes."""
        return CLASS_SHIFT if self.is_by_class else CLASSES

    def kind(self, classes: Any = None, n_classes: int = 2) -> str:
        """Return the kind of data: the only place where a kind of fit is chosen.

        `classes` are the user's, and `n_classes` is the number of those of the labels.
        """
        X = self.X
        if isinstance(X, Mapping):
            # With two classes each system has one column.
            has_classes = not X or any(len(shape_of(columns)) != 1 for columns in X.values())
        else:
            shape = shape_of(X)
            has_classes = n_classes > 2 and len(shape) == 2 and shape[1] > 1
        if has_classes:
            return self.kind_of_classes
        if self.is_by_class:
            return LABEL_SHIFT
        has_structure = self.has_structure or self.judges is not None
        return ITEMS if holds_systems(X, classes) or has_structure else POOL
