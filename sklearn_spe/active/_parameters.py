"""Parameters of a selector, and the labels and systems that it is given."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..estimators._score_mixture import SemisupervisedScoreMixture, agreed
from ..exceptions import ParameterError, ParameterTypeError
from ..goals._question import Question
from ..inputs._arrays import ColumnLike
from ..inputs._labels import (
    BinaryLabels,
    check_label_names,
    codes_of_items,
    encode_labels,
    is_unlabeled,
)
from ..inputs._scores import check_direction
from ..inputs._validation import (
    NamedScores,
    check_choice,
    check_count,
    check_jobs,
    check_number,
    shape_of,
    unmasked,
)
from ..metrics._rows import RowMetric
from ._query import DRAWS
from .label_models._curves import SharedCurvesModel
from .label_models._label_model import LabelModel
from .label_models._registry import LABEL_MODELS, ClassifierModel
from .sessions._item_model import ItemModel
from .strategies._registry import as_strategy

INTERVALS = ("posterior", "design", "anytime")
AVERAGES = ("macro", "micro")
# Fewer draws have no 5% quantile.
MIN_DRAWS = 40
# Levels of intervals, and probabilities with which goals must be met, as elsewhere.
OF_INTERVALS = 0.9
OF_GOALS = 0.95
# The number of unexpected classes that a message names.
MAX_NAMED_CLASSES = 5


def columns_of_systems(systems: Sequence[Hashable]) -> list[str]:
    """Return the column names for the scores of named or numbered systems."""
    return ["score"] if len(systems) == 1 else _called("score", systems)


def columns_of_judges(judges: Sequence[Hashable]) -> list[str]:
    """Return the column names for the ratings of judges."""
    return _called("judge", judges)


def _called(prefix: str, names: Sequence[Hashable]) -> list[str]:
    """Return a column name for each name: by it, or by its number where two would be equal."""
    columns = [f"{prefix}_{name}" for name in names]
    # The number 1 and the text "1" give the same column name.
    if len(set(columns)) < len(columns):
        return [f"{prefix}_{number}" for number in range(len(names))]
    return columns


def _suffixed(columns: Mapping[str, Any], word: str) -> dict[str, str]:
    """Return the columns that begin with a word, by the rest of their names."""
    prefix = f"{word}_"
    return {
        name.removeprefix(prefix): name
        for name in columns
        if isinstance(name, str) and name.startswith(prefix)
    }


def judges_in(columns: Mapping[str, Any], judges: Sequence[Hashable] | None) -> Any:
    """Return the judges as `fit` takes them, or None; by default all columns judge_*."""
    column_of_judge: dict[Any, str] = _suffixed(columns, "judge")
    if judges is not None:
        column_of_judge = dict(zip(judges, columns_of_judges(judges), strict=True))
    return {judge: columns[name] for judge, name in column_of_judge.items()} or None


def score_columns(
    columns: Mapping[str, Any], systems: Sequence[Hashable] | None = None
) -> dict[Any, str]:
    """Return the columns of scores by system, of known or unknown systems; maybe none.

    For unknown systems these are score_0, score_1, ..., else score, of a system without a name,
    else all that begin with score_.
    """
    if systems is not None:
        column_of_system = dict(zip(systems, columns_of_systems(systems), strict=True))
        is_complete = all(name in columns for name in column_of_system.values())
        return column_of_system if is_complete else {}

    if numbered := numbered_columns(columns, "score"):
        return dict(enumerate(numbered))
    if "score" in columns:
        return {None: "score"}
    # A single column such as score_date is one of the user's own.
    suffixed: dict[Any, str] = _suffixed(columns, "score")
    return suffixed if len(suffixed) > 1 else {}


def scores_in(columns: Mapping[str, Any], systems: Sequence[Hashable] | None = None) -> Any:
    """Return the scores as `fit` takes them, with the names of systems if any, or None."""
    column_of_system = score_columns(columns, systems)
    if not column_of_system:
        return None
    if None in column_of_system:
        return columns["score"]
    names = column_of_system.values()
    scores = np.stack([columns[name].astype(float) for name in names], axis=1)
    return NamedScores.of(scores, list(column_of_system))


def numbered_columns(columns: Mapping[str, Any], name: str) -> list[str]:
    """Return the existing columns among name_0, name_1, ..."""
    numbered: list[str] = []
    while f"{name}_{len(numbered)}" in columns:
        numbered.append(f"{name}_{len(numbered)}")
    return numbered


@dataclass(frozen=True)
class LabelFormat:
    """The format of labels, and the direction of scores."""

    classes: object  # (2,) or None
    pos_label: object
    unlabeled_label: object  # marks an unlabeled item, besides missing values
    greater_is_positive: bool

    @classmethod
    def of(cls, selector: Any) -> LabelFormat:
        """Return the format set by a selector, or else by the mixture that is its label model."""
        greater_is_positive = check_direction(selector.greater_is_positive)
        mixture = selector.label_model
        # A label model of curves may hold a mixture.
        if getattr(mixture, "mixture", None) is not None:
            mixture = mixture.mixture

        names = ("classes", "pos_label", "unlabeled_label")
        if isinstance(mixture, SemisupervisedScoreMixture):
            # Both may set the format, if they do not contradict each other.
            agreement = agreed(mixture, selector, names)
            marks = {name: getattr(mixture, name) for name in names} | agreement
            greater_is_positive = greater_is_positive and check_direction(
                mixture.greater_is_positive
            )
        else:
            marks = {name: getattr(selector, name) for name in names}

        label_format = cls(
            marks["classes"], marks["pos_label"], marks["unlabeled_label"], greater_is_positive
        )
        check_label_names(
            classes=label_format.classes,
            pos_label=label_format.pos_label,
            unlabeled_label=label_format.unlabeled_label,
        )
        return label_format

    def is_unlabeled(self, labels: ColumnLike) -> np.ndarray:
        """Return which items have no label."""
        return is_unlabeled(labels, classes=self.classes, unlabeled_label=self.unlabeled_label)

    def is_positive_known(self, labels: ColumnLike | None) -> bool:
        """Return whether the positive class is identified: not before the first label."""
        return not (self.classes is None and (labels is None or self.is_unlabeled(labels).all()))

    def read(self, labels: ColumnLike, before: BinaryLabels | None = None) -> Any:
        """Return the class names, if these labels determine them, and the label codes."""
        return BinaryLabels.read(
            labels,
            classes=self.classes,
            pos_label=self.pos_label if self.is_positive_known(labels) else None,
            unlabeled_label=self.unlabeled_label,
            before=before,
        )

    def names_after(self, labels: ColumnLike, before: BinaryLabels, n_labels: int) -> BinaryLabels:
        """Return the label format; the first labels determine the class names."""
        if before.named or self.is_unlabeled(labels).all():
            return before
        learned, _ = self.read(labels, before)
        if n_labels and learned.classes.tolist() != before.classes.tolist():
            raise ValueError(
                f"All earlier labels are {before.decode([1]).tolist()[0]!r}, of the classes "
                f"{before.classes.tolist()}, and the new ones are of {learned.classes.tolist()}; "
                "nothing was changed. Pass classes= and fit again."
            )
        return learned


def given_labels(
    label_format: LabelFormat, y: Any, noisy_labels: Any, n_items: int
) -> tuple[Any, ...]:
    """Return the label format, the codes of known labels, and those of noisy labels."""
    if noisy_labels is None:
        labels, codes = label_format.read(y)
        return labels, codes_of_items(codes, n_items), None

    shape = shape_of(noisy_labels)
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            f"noisy_labels must have shape ({n_items},), one label an item; got "
            f"{shape}. For a matrix of images and tags, use one row per pair: "
            f"X.ravel(), noisy_labels.ravel(), and category=np.tile(tags, n_images)."
        )
    is_missing = label_format.is_unlabeled(noisy_labels)
    if len(is_missing) != n_items:
        raise ValueError(
            f"noisy_labels must have one label per item, {n_items} in all; got {len(is_missing)}."
        )
    if is_missing.any():
        raise ValueError(
            f"noisy_labels is missing for {int(is_missing.sum())} of {n_items} items, the first at "
            f"index {int(np.flatnonzero(is_missing)[0])}; every item needs one, verified or not. "
            "Leave the others out, or fit them separately; if "
            f"{label_format.unlabeled_label!r} is a class, pass classes=."
        )

    # The classes of noisy and known labels together.
    classes = label_format.classes
    unlabeled_label = label_format.unlabeled_label
    _, names = encode_labels(noisy_labels, classes=classes, unlabeled_label=unlabeled_label)
    if y is not None:
        is_known = ~label_format.is_unlabeled(y)
        known = np.asarray(unmasked(y), dtype=object).reshape(len(is_known), -1)[is_known, 0]
        both = np.r_[names.astype(object), known]
        _, names = encode_labels(both, classes=classes, unlabeled_label=unlabeled_label)
    if len(names) > 2:
        first_names = ", ".join(map(repr, names[:MAX_NAMED_CLASSES].tolist()))
        raise ValueError(
            f"noisy_labels and y have {len(names)} classes ({first_names}, ...), but two are "
            "needed. For several classes or tags, use one row per item and tag, with noisy_labels "
            "saying whether the item has the tag, and pass the tags as category=."
        )
    labels, _ = label_format.read(names)
    return labels, labels.codes(y, n_items), labels.codes(noisy_labels, n_items).astype(int)


def check_parameters(parameters: Any) -> None:
    """Validate the parameters of an `ActiveTestSelector` besides its question."""
    check_count(parameters.n_draws, "n_draws", MIN_DRAWS)
    check_count(parameters.batch_size, "batch_size")
    check_jobs(parameters.n_jobs)
    if parameters.salt is not None and not isinstance(parameters.salt, str):
        raise ParameterTypeError.of("salt", f"must be a text, got {parameters.salt!r}.")
    if parameters.confidence_level is not None:
        check_number(parameters.confidence_level, "confidence_level", "(0, 1)")
    check_number(parameters.exploration, "exploration", "[0, 1]")
    check_choice(parameters.draw, "draw", DRAWS)
    check_choice(parameters.interval, "interval", INTERVALS)
    as_strategy(parameters.strategy)
    check_choice(parameters.average, "average", AVERAGES)
    if isinstance(parameters.label_model, str):
        check_choice(parameters.label_model, "label_model", ("auto", *LABEL_MODELS))


def question_of(parameters: Any) -> Question:
    """Return the question of an `ActiveTestSelector` about two classes."""
    question = Question.of(
        parameters.metric,
        threshold=parameters.threshold,
        recall=parameters.recall,
        precision=parameters.precision,
    ).closed()
    if isinstance(question.metric, RowMetric):
        raise ParameterError(
            f"metric={question.name!r} needs a column of values, which a selector lacks.",
            "Pass a callable that closes over it, such as lambda y, s: (amounts * y * (s >= t))"
            ".sum() / (amounts * y).sum(), which gets the rows of X in their order.",
            "metric",
        )
    return question


def level_of(parameters: Any, question: Question) -> float:
    """Return the `confidence_level`, or its default for a question."""
    default = OF_GOALS if question.is_goal else OF_INTERVALS
    return default if parameters.confidence_level is None else parameters.confidence_level


def means_curves(label_model: Any) -> bool:
    """Return whether the label model of one pool of scores is that of curves."""
    if isinstance(label_model, str):
        return label_model in ("auto", SharedCurvesModel.name)
    return isinstance(label_model, SemisupervisedScoreMixture)


def as_label_model(
    label_model: Any, auto: str, *, has_noisy: bool, has_overlaps: bool = False
) -> LabelModel:
    """Return the label model of ranked lists."""
    if isinstance(label_model, str):
        if label_model == "auto":
            return LABEL_MODELS[auto]()
        label_model = LABEL_MODELS[label_model]()
    elif isinstance(label_model, SemisupervisedScoreMixture):
        label_model = SharedCurvesModel(label_model)
    elif hasattr(label_model, "predict_proba") and not isinstance(label_model, type):
        label_model = ClassifierModel(clone(label_model))

    if not isinstance(label_model, LabelModel):
        raise TypeError(
            f"label_model must be one of {', '.join(('auto', *LABEL_MODELS))}, a "
            f"SemisupervisedScoreMixture, a classifier with predict_proba, or a LabelModel; got "
            f"{label_model!r}."
        )
    if label_model.needs_overlaps and not has_overlaps:
        raise ValueError(
            f"label_model={label_model.name!r} is for SegmentationMatches, whose verified objects "
            "have overlaps; these labels are binary, for which 'auto' selects a model."
        )
    if label_model.needs_noisy and not has_noisy:
        raise ValueError(
            f"label_model={label_model.name!r} needs noisy_labels=, a cheap label of every item; "
            f"pass them to fit, or use label_model='auto', which does not need them."
        )
    return label_model


def check_interval(parameters: Any, model: ItemModel) -> None:
    """Raise unless the interval exists for the metric and the sampling scheme."""
    interval = parameters.interval
    name = model.question.name
    check_inclusion_proba(parameters, interval)

    if interval == "design" and model.question.is_goal:
        raise ParameterError(
            f"interval='design' estimates a metric, but labels are spent on a goal, {name}: use "
            "interval='anytime', which proves selections from the drawn labels, or 'posterior'.",
            parameter="interval",
        )
    if interval == "anytime" and model.terms is None and not model.question.is_goal:
        raise ParameterError(
            f"interval='anytime' is for metrics that are ratios of sums over items (precision, "
            f"recall, F1, accuracy at a threshold; prevalence), not for {name!r}; use "
            f"interval='posterior' or 'design', and fix the number of labels in advance.",
            parameter="interval",
        )
    if interval == "design" and not model.has_design:
        raise ParameterError(
            f"No design-based estimate exists for {name!r}; use interval='posterior'.",
            parameter="interval",
        )


def how_drawn(parameters: Any, interval: str) -> tuple[str, float]:
    """Return the validated `draw` and `exploration`: parameters may have changed since `fit`."""
    check_parameters(parameters)
    check_inclusion_proba(parameters, interval)
    return parameters.draw, parameters.exploration


def how_many(selector: Any, n: Any) -> int:
    """Return the number of items to query; None means a batch, or all that are left."""
    n_left = selector.n_left_
    if n is None:
        return min(selector.batch_size, n_left)
    check_count(n, "n", 0)
    if n > n_left:
        raise ValueError(
            f"{n} items were requested, but only {n_left} are neither labeled nor pending; request "
            f"at most {n_left}, or call query() without a number."
        )
    return int(n)


def check_inclusion_proba(parameters: Any, interval: str) -> None:
    """Raise unless items are drawn at random, if an interval needs it."""
    if interval == "posterior":
        return
    if parameters.draw != "sample" or parameters.exploration == 0.0:
        raise ParameterError(
            f"interval={interval!r} needs inclusion probabilities: "
            f"draw='sample' and exploration above 0; got draw={parameters.draw!r} and "
            f"exploration={parameters.exploration!r}.",
            parameter="interval",
        )
