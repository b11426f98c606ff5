"""Validated multiclass input: scores of one or several classifiers, and labels."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from .._arrays import FrozenArrays
from ..exceptions import LabelMarkerWarning
from ..inputs._alignment import check_aligned
from ..inputs._array_like import shape_of
from ..inputs._labels import encode_labels
from ..inputs._partition import Partition
from ..items._clusters import Clusters
from ..items._item_table import rows_of_items
from ..items._structured import Structured, read_structure
from ..score_mixture._fit_settings import FitSettings
from ._class_scores import ClassScores

__all__ = ["ClassTable", "error_model_settings", "names_several_classes"]


@dataclass(frozen=True, eq=False)
class ClassTable(Structured, FrozenArrays):
    """Items with the scores of one or several classifiers, partially labeled."""

    systems: tuple  # names of the classifiers
    scores: tuple[ClassScores, ...]  # of each classifier
    classes: np.ndarray  # (n_classes,), sorted, the columns of all scores
    codes: np.ndarray  # (n_items,), class indices, -1 if unlabeled
    category: Partition | None = None  # the subgroups
    clusters: Clusters | None = None  # the groups of dependent items

    @classmethod
    def read(
        cls, parameters, X, y, sample_weight=None, *, category=None, groups=None, classes=None
    ) -> ClassTable:
        """Validate X, of one classifier or a mapping from names to those of several.

        Items with integer weights are repeated. `classes` are those of earlier labels.
        """
        named = _named(X)
        check_aligned(X=X, y=y, sample_weight=sample_weight, category=category, groups=groups)
        classes = parameters.classes if parameters.classes is not None else classes
        codes, found = encode_labels(y, classes=classes, unlabeled_label=parameters.unlabeled_label)
        _check(parameters, found)
        if isinstance(X, Mapping) and len(found) < 3:
            raise ValueError(
                "A mapping is for classifiers of more than two classes, but y and classes= name "
                f"{len(found)}. For two classes pass the scores of all systems as columns, such "
                f"as pandas.DataFrame({{name: proba[:, 1] for name, proba in X.items()}})."
            )
        # Codes of few classes are small integers, but indices of pairs may overflow.
        codes = codes.astype(np.intp)
        scores = tuple(_read_one(name, part, found) for name, part in named.items())
        for name, own in zip(named, scores, strict=True):
            if len(codes) != len(own.scores):
                raise ValueError(
                    f"X{_of(name)} and y must have the same length, got {len(own.scores)} rows "
                    f"and {len(codes)} labels; mark unlabeled items by -1, NaN or None."
                )
        rows = rows_of_items(sample_weight, codes)
        structure = read_structure(category, groups, rows, len(codes))
        if sample_weight is not None:
            scores = tuple(replace(own, scores=own.scores[rows]) for own in scores)
            codes = codes[rows]
        return cls(tuple(named), scores, found, codes, *structure)

    @property
    def is_structured(self) -> bool:
        """Whether there are several classifiers, categories or groups."""
        return self.n_systems > 1 or not (self.category is None and self.clusters is None)

    def same_items(self, other: ClassTable) -> ClassTable:
        """Return another table of the same scores, with this category and these groups.

        Raise ValueError if scores, categories or groups differ; the latter two may be omitted.
        """
        pairs = zip(self.scores, other.scores, strict=False)
        if self.systems != other.systems or not all(
            np.array_equal(one.scores, two.scores) for one, two in pairs
        ):
            raise ValueError("update takes the scores of fit with other labels; call fit.")
        self.check_same_structure(other)
        return replace(other, scores=self.scores, category=self.category, clusters=self.clusters)


def names_several_classes(parameters, X, y) -> bool:
    """Return whether labels or `classes` name more than two classes."""
    shape = () if isinstance(X, Mapping) else shape_of(X)
    if len(shape) != 2 or shape[1] < 2 or y is None:
        return False
    given = {"classes": parameters.classes, "unlabeled_label": parameters.unlabeled_label}
    with warnings.catch_warnings():
        # The label encoder raises then.
        warnings.simplefilter("ignore", LabelMarkerWarning)
        _, classes = encode_labels(y, **given)
    return len(classes) > 2


def error_model_settings(parameters) -> FitSettings:
    """Return the settings of the error model, whose scores are log-odds."""
    settings = FitSettings.of(parameters)
    return replace(settings, score_kind="log_odds") if settings.score_kind == "auto" else settings


def _named(X) -> dict[Hashable, object]:
    """Return the scores of each classifier by name; a single one has the number 0."""
    if not isinstance(X, Mapping):
        return {0: X}
    if not X:
        raise ValueError(
            "X is an empty mapping: pass {name: array of shape (n_samples, n_classes)} with the "
            "probabilities or logits of each classifier."
        )
    return dict(X)


def _read_one(name, X, classes) -> ClassScores:
    try:
        return ClassScores.read(X, classes)
    except (TypeError, ValueError) as error:
        if not _of(name):
            raise
        raise type(error)(f"System {name!r}: {error}") from error


def _of(name) -> str:
    """Return the part of a message that names the system, if it has a name."""
    return "" if isinstance(name, int) and name == 0 else f"[{name!r}]"


def _check(parameters, classes) -> None:
    given = parameters.classes
    if given is not None and list(np.asarray(given).tolist()) != classes.tolist():
        raise ValueError(
            f"classes={list(given)!r} are not sorted, but the columns of X must be in sorted "
            "order, like those of predict_proba. Pass X[:, np.argsort(classes)] and sorted "
            "classes."
        )
    if parameters.pos_label is not None:
        raise ValueError(
            f"pos_label={parameters.pos_label!r} is for two classes, but {len(classes)} are "
            "given: leave it out, and use estimate(..., pos_label=) for one of them."
        )
    if not parameters.greater_is_positive:
        raise ValueError(
            "greater_is_positive=False is for one score per item; with several classes the "
            "largest probability or logit is that of the predicted class. Pass -X."
        )
