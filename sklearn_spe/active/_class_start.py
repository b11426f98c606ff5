"""Starts of a session on predictions of more than two classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from ..data._item_data import ItemData
from ..data._kinds import CLASSES, kind_of
from ..data._predicted_classes import PredictedClasses
from ..estimators._score_mixture import SemisupervisedScoreMixture, new_mixture
from ..exceptions import ParameterError
from ..goals._goal import Goal
from ..inputs._arrays import ColumnLike
from ..inputs._frames import read_column
from ..inputs._labels import EncodedLabels, is_unlabeled, read_classes
from ..inputs._validation import seed_entropy, shape_of, unmasked
from ..models._class_model import ClassesModel
from ..models._class_questions import ClassQuestion
from ._parameters import OF_INTERVALS
from .sessions._class_items import ClassItemsModel

# What `fit` takes for two classes only.
OF_TWO = ("noisy_labels", "features", "judges")
# Parameters of where a metric of scores is evaluated.
PLACES = ("threshold", "recall", "precision")


def are_classes(selector: Any, X: Any, y: ColumnLike | None) -> bool:
    """Return whether X holds predictions or scores of more than two classes.

    It does if `classes`, labels or text in X name more than two.
    """
    # Others are refused by the reader of scores.
    if not isinstance(X, Mapping) and (len(shape_of(X)) not in (1, 2) or sparse.issparse(X)):
        return False

    marker = selector.unlabeled_label
    predicted = PredictedClasses.found_in(X, None, marker) if len(X) else None
    classes = selector.classes
    if classes is None and predicted is not None and predicted.are_text:
        classes = predicted.classes_with(y)
    elif classes is None and y is not None:
        classes = _distinct_labels(y, marker)
    if classes is None or len(classes) < 3:
        return False
    is_of_columns = kind_of(X, classes, len(classes)) == CLASSES
    return is_of_columns or (predicted is not None and predicted.are_of(np.unique(classes)))


def _distinct_labels(y: ColumnLike, marker: Any) -> np.ndarray | None:
    """Return the distinct labels; None if they are not valid labels."""
    try:
        labels = np.asarray(unmasked(read_column(y, "y")), dtype=object).reshape(-1)
        return read_classes(labels[~is_unlabeled(y, unlabeled_label=marker)].tolist())
    except (TypeError, ValueError):
        return None


def start_classes(
    selector: Any, columns: Mapping[str, Any]
) -> tuple[ClassItemsModel, EncodedLabels, Any]:
    """Return the model at the start of a session, the label format, and the categories."""
    metric = _question_of(selector, columns)
    X = columns["X"]
    y = columns["y"]
    n_items = len(next(iter(X.values()))) if isinstance(X, Mapping) else shape_of(X)[0]
    labels = np.full(n_items, None) if y is None else y

    template = selector.label_model
    mixture = new_mixture(
        None if isinstance(template, str) else template,
        random_state=seed_entropy(selector.random_state),
        holder=selector,
    )
    # The class that a metric is about is positive in the question alone.
    mixture.set_params(pos_label=None)
    data = ItemData.read(
        mixture,
        X,
        labels,
        category=columns["category"],
        groups=columns["groups"],
        estimator=selector,
    )
    if data.kind != CLASSES or len(data.systems) > 1:
        raise ParameterError.of(
            "X",
            "must hold the predictions of one classifier: with more than two classes labels are "
            "chosen for one at a time.",
        )

    class_model = ClassesModel.of(mixture, data)
    level = selector.confidence_level
    model = ClassItemsModel(
        metric,
        mixture,
        data,
        class_model,
        confidence_level=OF_INTERVALS if level is None else level,
    )
    encoded = EncodedLabels(None, data.classes, selector.unlabeled_label)
    return model, encoded, data.category


def _question_of(selector: Any, columns: Mapping[str, Any]) -> ClassQuestion:
    """Return the question about classes; raise for parameters of two classes."""
    for name in OF_TWO:
        if columns[name] is not None:
            raise ParameterError.of(name, "is for two classes; leave it out.")
    for name in PLACES:
        if getattr(selector, name) is not None:
            raise ParameterError.of(name, "is for scores of two classes; leave it out.")
    if isinstance(selector.metric, Goal):
        raise ParameterError.of(
            "metric", "is a goal, which is met by a threshold of two classes: pass a metric."
        )
    template = selector.label_model
    if not isinstance(template, SemisupervisedScoreMixture) and template != "auto":
        raise ParameterError.of(
            "label_model",
            f"must be 'auto' or a SemisupervisedScoreMixture with more than two classes; got "
            f"{template!r}.",
        )
    return ClassQuestion.of(selector.metric, pos_label=selector.pos_label, average=selector.average)
