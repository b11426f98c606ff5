"""What a user passed of several classes, read: one or several classifiers, and the labels."""

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
from ..score_mixture._recipe import Recipe
from ._class_scores import ClassScores

__all__ = ["ClassTable", "names_several_classes", "recipe_of_mistakes"]


@dataclass(frozen=True, eq=False)
class ClassTable(Structured, FrozenArrays):
    """Items with what one or several classifiers say of their class, of which some are known.

    Attributes
    ----------
    systems : tuple
        What each classifier is called.
    scores : tuple of ClassScores
        Of each.
    classes : ndarray of shape (n_classes,)
        Sorted; the columns of all scores.
    codes : ndarray of shape (n_items,)
        Indices of classes, -1 where there is no label.
    category : Partition or None
        The subgroups.
    clusters : Clusters or None
        The groups of items that belong together.
    """

    systems: tuple
    scores: tuple[ClassScores, ...]
    classes: np.ndarray
    codes: np.ndarray
    category: Partition | None = None
    clusters: Clusters | None = None

    @classmethod
    def read(
        cls, parameters, X, y, sample_weight=None, *, category=None, groups=None, classes=None
    ) -> ClassTable:
        """Read X, of one classifier or a mapping from names to that of each.

        Items that count several times repeat. `classes` are those of earlier labels.
        """
        named = _named(X)
        check_aligned(X=X, y=y, sample_weight=sample_weight, category=category, groups=groups)
        classes = parameters.classes if parameters.classes is not None else classes
        codes, found = encode_labels(y, classes=classes, unlabeled_label=parameters.unlabeled_label)
        _check(parameters, found)
        if isinstance(X, Mapping) and len(found) < 3:
            raise ValueError(
                "A mapping holds classifiers of more than two classes, and y and classes= name "
                f"{len(found)}. Of two classes pass the scores of all systems as columns, such as "
                f"pandas.DataFrame({{name: proba[:, 1] for name, proba in X.items()}})."
            )
        # Codes of few classes are small integers, and pairs of them are not.
        codes = codes.astype(np.intp)
        scores = tuple(_read_one(name, part, found) for name, part in named.items())
        for name, own in zip(named, scores, strict=True):
            if len(codes) != len(own.scores):
                raise ValueError(
                    f"X{_of(name)} and y must have the same length, got {len(own.scores)} rows and "
                    f"{len(codes)} labels; mark items that are not labelled by -1, NaN or None."
                )
        rows = rows_of_items(sample_weight, codes)
        structure = read_structure(category, groups, rows, len(codes))
        if sample_weight is not None:
            scores = tuple(replace(own, scores=own.scores[rows]) for own in scores)
            codes = codes[rows]
        return cls(tuple(named), scores, found, codes, *structure)

    @property
    def is_structured(self) -> bool:
        """Whether items differ in more than in what one classifier says."""
        return self.n_systems > 1 or not (self.category is None and self.clusters is None)

    def same_items(self, other: ClassTable) -> ClassTable:
        """Return another table of the same scores, with the categories and groups of this one.

        Raises
        ------
        ValueError
            If scores, categories or groups are others; the latter two may be left out.
        """
        pairs = zip(self.scores, other.scores, strict=False)
        if self.systems != other.systems or not all(
            np.array_equal(one.scores, two.scores) for one, two in pairs
        ):
            raise ValueError("update takes the scores of fit with other labels; call fit.")
        self.check_same_structure(other)
        return replace(other, scores=self.scores, category=self.category, clusters=self.clusters)


def names_several_classes(parameters, X, y) -> bool:
    """Return whether labels, or `classes`, make the columns of X classes: more than two of them."""
    shape = () if isinstance(X, Mapping) else shape_of(X)
    if len(shape) != 2 or shape[1] < 2 or y is None:
        return False
    given = {"classes": parameters.classes, "unlabeled_label": parameters.unlabeled_label}
    with warnings.catch_warnings():
        # Whoever reads the labels then says it.
        warnings.simplefilter("ignore", LabelMarkerWarning)
        _, classes = encode_labels(y, **given)
    return len(classes) > 2


def recipe_of_mistakes(parameters) -> Recipe:
    """Return how the model of mistakes is made: its scores are log-odds."""
    recipe = Recipe.of(parameters)
    return replace(recipe, score_kind="log_odds") if recipe.score_kind == "auto" else recipe


def _named(X) -> dict[Hashable, object]:
    """Return what is said by each classifier; the only one has no name but a number."""
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
        raise type(error)(f"Of system {name!r}: {error}") from error


def _of(name) -> str:
    """Return of which system something is said, where there are names."""
    return "" if isinstance(name, int) and name == 0 else f"[{name!r}]"


def _check(parameters, classes) -> None:
    given = parameters.classes
    if given is not None and list(np.asarray(given).tolist()) != classes.tolist():
        raise ValueError(
            f"classes={list(given)!r} are not sorted, and the columns of X stand in sorted order, "
            f"as those of predict_proba do. Pass X[:, np.argsort(classes)] and sorted classes."
        )
    if parameters.pos_label is not None:
        raise ValueError(
            f"pos_label={parameters.pos_label!r} is for two classes, and there are "
            f"{len(classes)}: leave it out, and ask estimate(..., pos_label=) for one of them."
        )
    if not parameters.greater_is_positive:
        raise ValueError(
            "greater_is_positive=False is for one score an item; of several classes the largest "
            "probability or logit is that of the predicted one. Pass -X."
        )
