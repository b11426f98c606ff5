"""Parameters of a selector, and the labels and systems that it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..estimators._score_mixture import SemisupervisedScoreMixture, agreed
from ..exceptions import ParameterError
from ..goals._question import Question
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
from .label_models._curves import CurvesModel, SharedCurvesModel
from .label_models._label_model import LabelModel
from .label_models._registry import LABEL_MODELS, ClassifierModel
from .sessions._item_model import ItemModel
from .strategies._rules import STRATEGIES
from .strategies._strategy import Strategy


def columns_of_systems(systems: Sequence) -> list[str]:
    """Return the column names for the scores of named or numbered systems."""
    return ["score"] if len(systems) == 1 else _called("score", systems)


def columns_of_judges(judges: Sequence) -> list[str]:
    """Return the column names for the ratings of judges."""
    return _called("judge", judges)


def _called(what: str, names: Sequence) -> list[str]:
    called = [f"{what}_{name}" for name in names]
    # The number 1 and the text "1" give the same column name.
    return called if len(set(called)) == len(called) else [f"{what}_{m}" for m in range(len(names))]


def _suffixed(columns: Mapping, what: str) -> dict[str, str]:
    """Return the columns that begin with a word, by the rest of their names."""
    start = f"{what}_"
    named = [name for name in columns if isinstance(name, str) and name.startswith(start)]
    return {name.removeprefix(start): name for name in named}


def judges_in(columns: Mapping, judges: Sequence | None) -> Any:
    """Return the judges as `fit` takes them, or None; by default all columns judge_*."""
    named = _suffixed(columns, "judge")
    if judges is not None:
        named = dict(zip(judges, columns_of_judges(judges), strict=True))
    return {judge: columns[name] for judge, name in named.items()} or None


def score_columns(columns: Mapping, systems: Sequence | None = None) -> dict[Any, str]:
    """Return the columns of scores by system, of known or unknown systems; maybe none.

    For unknown systems these are score_0, score_1, ..., else score, of a system without a name,
    else all that begin with score_.
    """
    if systems is not None:
        named = dict(zip(systems, columns_of_systems(systems), strict=True))
        return named if all(name in columns for name in named.values()) else {}
    if numbered := numbered_columns(columns, "score"):
        return dict(enumerate(numbered))
    named = _suffixed(columns, "score")
    return {None: "score"} if "score" in columns else named if len(named) > 1 else {}


def scores_in(columns: Mapping, systems: Sequence | None = None) -> Any:
    """Return the scores as `fit` takes them, with the names of systems if any, or None."""
    found = score_columns(columns, systems)
    if not found or None in found:
        return columns["score"] if found else None
    scores = np.stack([columns[name].astype(float) for name in found.values()], axis=1)
    return NamedScores.of(scores, list(found))


def numbered_columns(columns: Mapping, name: str) -> list[str]:
    """Return the existing columns among name_0, name_1, ..."""
    found: list[str] = []
    while f"{name}_{len(found)}" in columns:
        found.append(f"{name}_{len(found)}")
    return found


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
        greater, own = check_direction(selector.greater_is_positive), selector.label_model
        # A label model of curves may hold a mixture.
        if getattr(own, "mixture", None) is not None:
            own = own.mixture
        names, agree = ("classes", "pos_label", "unlabeled_label"), {}
        if isinstance(own, SemisupervisedScoreMixture):
            agree = agreed(own, selector, names)
            greater = greater and check_direction(own.greater_is_positive)
        else:
            own = selector
        given = {name: getattr(own, name) for name in names} | agree
        check_label_names(**given)
        return cls(**given, greater_is_positive=greater)

    def is_unlabeled(self, labels: Any) -> np.ndarray:
        """Return which items have no label."""
        return is_unlabeled(labels, classes=self.classes, unlabeled_label=self.unlabeled_label)

    def is_positive_known(self, labels: Any) -> bool:
        """Return whether the positive class is identified: not before the first label."""
        return not (self.classes is None and (labels is None or self.is_unlabeled(labels).all()))

    def read(self, labels: Any, before: BinaryLabels | None = None) -> Any:
        """Return the class names, if these labels determine them, and the label codes."""
        return BinaryLabels.read(
            labels,
            classes=self.classes,
            pos_label=self.pos_label if self.is_positive_known(labels) else None,
            unlabeled_label=self.unlabeled_label,
            before=before,
        )

    def names_after(self, labels: Any, before: BinaryLabels, n_labels: int) -> BinaryLabels:
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


def given_labels(label_format: LabelFormat, y: Any, noisy_labels: Any, n_items: int) -> tuple:
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
    missing = label_format.is_unlabeled(noisy_labels)
    if len(missing) != n_items:
        raise ValueError(
            f"noisy_labels must have one label an item, {n_items} of them; got {len(missing)}."
        )
    if missing.any():
        raise ValueError(
            f"noisy_labels is missing for {int(missing.sum())} of {n_items} items, the first at "
            f"index {int(np.flatnonzero(missing)[0])}; every item needs one, verified or not. "
            "Leave the others out, or fit them separately; if "
            f"{label_format.unlabeled_label!r} is a class, pass classes=."
        )
    marks = {"classes": label_format.classes, "unlabeled_label": label_format.unlabeled_label}
    _, named = encode_labels(noisy_labels, **marks)
    if y is not None:
        is_known = ~label_format.is_unlabeled(y)
        known = np.asarray(unmasked(y), dtype=object).reshape(len(is_known), -1)[is_known, 0]
        _, named = encode_labels(np.r_[named.astype(object), known], **marks)
    if len(named) > 2:
        shown = ", ".join(map(repr, named[:5].tolist()))
        raise ValueError(
            f"noisy_labels and y have {len(named)} classes ({shown}, ...), but two are needed. For "
            "several classes or tags, use one row per item and tag, with noisy_labels saying "
            "whether the item has the tag, and pass the tags as category=."
        )
    labels, _ = label_format.read(named)
    return labels, labels.codes(y, n_items), labels.codes(noisy_labels, n_items).astype(int)


INTERVALS = ("posterior", "design", "anytime")
AVERAGES = ("macro", "micro")
# Fewer draws have no 5% quantile.
MIN_DRAWS = 40


def check_parameters(parameters: Any) -> Question:
    """Validate the parameters of an `ActiveTestSelector`, and return its question."""
    check_count(parameters.n_draws, "n_draws", MIN_DRAWS)
    check_count(parameters.batch_size, "batch_size")
    check_jobs(parameters.n_jobs)
    if parameters.confidence_level is not None:
        check_number(parameters.confidence_level, "confidence_level", "(0, 1)")
    check_number(parameters.exploration, "exploration", "[0, 1]")
    check_choice(parameters.draw, "draw", DRAWS)
    check_choice(parameters.interval, "interval", INTERVALS)
    as_strategy(parameters.strategy)
    check_choice(parameters.average, "average", AVERAGES)
    if isinstance(parameters.label_model, str):
        check_choice(parameters.label_model, "label_model", ("auto", *LABEL_MODELS))
    where = {name: getattr(parameters, name) for name in ("threshold", "recall", "precision")}
    question = Question.of(parameters.metric, **where).closed()
    if isinstance(question.metric, RowMetric):
        raise ParameterError(
            f"metric={question.name!r} needs a column of values, which a selector does not take.",
            "Pass a callable that closes over it, such as lambda y, s: (amounts * y * (s >= t))"
            ".sum() / (amounts * y).sum(), which gets the rows of X in their order.",
            "metric",
        )
    return question


# Levels of intervals, and probabilities with which goals must be met, as elsewhere.
OF_INTERVALS, OF_GOALS = 0.9, 0.95


def level_of(parameters: Any, question: Question) -> float:
    """Return the `confidence_level`, or its default for a question."""
    default = OF_GOALS if question.is_goal else OF_INTERVALS
    return default if parameters.confidence_level is None else parameters.confidence_level


def as_strategy(strategy: Any) -> Strategy:
    """Return a strategy given by name or instance."""
    if isinstance(strategy, Strategy):
        return strategy
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        raise ValueError(
            f"Unknown strategy {strategy!r}; choose one of {', '.join(STRATEGIES)}, or an "
            f"instance of sklearn_spe.active.Strategy."
        )
    return STRATEGIES[strategy]()


def means_curves(label_model: Any) -> bool:
    """Return whether the label model of one pool of scores is that of curves."""
    if isinstance(label_model, str):
        return label_model in ("auto", CurvesModel.name, SharedCurvesModel.name)
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
        label_model = (CurvesModel if has_noisy else SharedCurvesModel)(label_model)
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
    interval, name = parameters.interval, model.question.name
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
        raise ValueError(f"No design-based estimate exists for {name!r}; use interval='posterior'.")


def how_drawn(parameters: Any, interval: str) -> dict:
    """Return the validated sampling scheme: parameters may have changed since `fit`."""
    check_parameters(parameters)
    check_inclusion_proba(parameters, interval)
    return {"draw": parameters.draw, "exploration": parameters.exploration}


def how_many(selector: Any, n: Any) -> int:
    """Return the number of items to query; None means a batch, or all that are left."""
    left = selector.n_left_
    if n is None:
        return min(selector.batch_size, left)
    check_count(n, "n", 0)
    if n > left:
        raise ValueError(
            f"{n} items were requested, but only {left} are neither labeled nor pending; request "
            f"at most {left}, or call query() without a number."
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
