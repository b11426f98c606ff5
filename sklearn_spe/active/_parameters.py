"""Validation of the parameters of a selector."""

from __future__ import annotations

from sklearn.base import clone

from ..curves._question import Question
from ..inputs._numbers import check_choice, check_count, check_jobs, check_number
from ..score_mixture._score_mixture import SemisupervisedScoreMixture
from ._next_items import DRAWS
from .label_models._classifier_model import ClassifierModel
from .label_models._curves import CurvesModel
from .label_models._label_model import LabelModel
from .label_models._registry import LABEL_MODELS
from .label_models._shared_curves import SharedCurvesModel
from .sessions._item_model import ItemModel
from .strategies._registry import STRATEGIES
from .strategies._strategy import Strategy

__all__ = [
    "as_label_model",
    "as_strategy",
    "check_interval",
    "check_parameters",
    "how_drawn",
    "how_many",
    "means_curves",
]

INTERVALS = ("posterior", "design", "anytime")
AVERAGES = ("macro", "micro")
# Fewer draws have no 5% quantile.
MIN_DRAWS = 40


def check_parameters(parameters) -> Question:
    """Validate the parameters of an `ActiveTestSelector`, and return its question."""
    check_count(parameters.n_draws, "n_draws", MIN_DRAWS)
    check_count(parameters.batch_size, "batch_size")
    check_jobs(parameters.n_jobs)
    check_number(parameters.confidence_level, "confidence_level", "(0, 1)")
    check_number(parameters.exploration, "exploration", "[0, 1]")
    check_choice(parameters.draw, "draw", DRAWS)
    check_choice(parameters.interval, "interval", INTERVALS)
    as_strategy(parameters.strategy)
    check_choice(parameters.average, "average", AVERAGES)
    if isinstance(parameters.label_model, str):
        check_choice(parameters.label_model, "label_model", ("auto", *LABEL_MODELS))
    where = {name: getattr(parameters, name) for name in ("threshold", "recall", "precision")}
    return Question.of(parameters.metric, **where).closed()


def as_strategy(strategy) -> Strategy:
    """Return a strategy given by name or instance."""
    if isinstance(strategy, Strategy):
        return strategy
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        raise ValueError(
            f"Unknown strategy {strategy!r}; choose one of {', '.join(STRATEGIES)}, or an "
            f"instance of sklearn_spe.active.Strategy."
        )
    return STRATEGIES[strategy]()


def means_curves(label_model) -> bool:
    """Return whether the label model of one pool of scores is that of curves."""
    if isinstance(label_model, str):
        return label_model in ("auto", CurvesModel.name, SharedCurvesModel.name)
    return isinstance(label_model, SemisupervisedScoreMixture)


def as_label_model(
    label_model, auto: str, *, has_noisy: bool, has_overlaps: bool = False
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


def check_interval(parameters, model: ItemModel) -> None:
    """Raise unless the interval exists for the metric and the sampling scheme."""
    interval, name = parameters.interval, model.question.name
    check_inclusion_proba(parameters, interval)
    if interval == "design" and model.question.is_goal:
        raise ValueError(
            f"interval='design' estimates a metric, but labels are spent on a goal, {name}: use "
            "interval='anytime', which proves selections from the drawn labels, or 'posterior'."
        )
    if interval == "anytime" and model.terms is None and not model.question.is_goal:
        raise ValueError(
            f"interval='anytime' is for metrics that are ratios of sums over items (precision, "
            f"recall, F1, accuracy at a threshold; prevalence), not for {name!r}; use "
            f"interval='posterior' or 'design', and fix the number of labels in advance."
        )
    if interval == "design" and not model.has_design:
        raise ValueError(f"No design-based estimate exists for {name!r}; use interval='posterior'.")


def how_drawn(parameters, interval: str) -> dict:
    """Return the validated sampling scheme: parameters may have changed since `fit`."""
    check_parameters(parameters)
    check_inclusion_proba(parameters, interval)
    return {"draw": parameters.draw, "exploration": parameters.exploration}


def how_many(selector, n) -> int:
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


def check_inclusion_proba(parameters, interval: str) -> None:
    """Raise unless items are drawn at random, if an interval needs it."""
    if interval == "posterior":
        return
    if parameters.draw != "sample" or parameters.exploration == 0.0:
        raise ValueError(
            f"interval={interval!r} needs inclusion probabilities: "
            f"draw='sample' and exploration above 0; got draw={parameters.draw!r} and "
            f"exploration={parameters.exploration!r}."
        )
