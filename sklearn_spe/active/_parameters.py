"""The parameters of a selector, checked before anything is done with them."""

from __future__ import annotations

from sklearn.base import clone

from ..curves._question import Question
from ..inputs._numbers import check_choice, check_count, check_jobs, check_number
from ..score_mixture._score_mixture import SemisupervisedScoreMixture
from ._drawing import DRAWS
from .label_models._classifier_model import ClassifierModel
from .label_models._curves import CurvesModel
from .label_models._joint import JointModel
from .label_models._label_model import LabelModel
from .label_models._registry import LABEL_MODELS
from .matches._overlap import OverlapModel
from .strategies._registry import STRATEGIES
from .strategies._strategy import Strategy

__all__ = ["as_label_model", "as_strategy", "check_chances", "check_interval", "check_parameters"]

INTERVALS = ("posterior", "design", "anytime")
AVERAGES = ("macro", "micro")
# Fewer draws have no 5% quantile.
LEAST_DRAWS = 40


def check_parameters(parameters) -> Question:
    """Check the parameters of an `ActiveTestSelector`, and return what it asks for."""
    check_count(parameters.n_draws, "n_draws", LEAST_DRAWS)
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
    """Return the strategy that a name or an instance stands for."""
    if isinstance(strategy, Strategy):
        return strategy
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        raise ValueError(
            f"Unknown strategy {strategy!r}; choose one of {', '.join(STRATEGIES)}, or an "
            f"instance of sklearn_spe.active.Strategy."
        )
    return STRATEGIES[strategy]()


def as_label_model(
    label_model,
    *,
    is_board: bool,
    has_noisy: bool,
    has_features: bool = False,
    has_overlaps: bool = False,
) -> LabelModel | None:
    """Return the model of a board's labels; None if it is the curves of one pool of scores.

    Raises
    ------
    TypeError
        If it is no model.
    ValueError
        If it needs noisy labels or overlaps and there are none.
    """
    is_mixture = isinstance(label_model, SemisupervisedScoreMixture)
    is_name = isinstance(label_model, str)
    if not is_board and (is_mixture or (is_name and label_model in ("auto", "curves"))):
        return None
    if is_name:
        if label_model == "auto":
            if has_overlaps:
                return OverlapModel()
            return JointModel() if has_noisy or has_features else CurvesModel()
        label_model = LABEL_MODELS[label_model]()
    elif is_mixture:
        label_model = CurvesModel(label_model)
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
            f"label_model={label_model.name!r} is for SegmentationMatches, whose vetted objects "
            f"have overlaps; here labels are of two kinds, for which 'auto' finds a model."
        )
    if label_model.needs_noisy and not has_noisy:
        raise ValueError(
            f"label_model={label_model.name!r} needs noisy_labels=, a cheap label of every item; "
            f"pass them to fit, or use label_model='auto', which does without."
        )
    return label_model


def check_interval(parameters, name: str, terms, has_design: bool) -> None:
    """Raise unless the interval that is wanted exists for the metric and the way of drawing.

    Parameters
    ----------
    parameters : ActiveTestSelector
    name : str
        Of the metric.
    terms : tuple of ndarray of shape (2, 2), or None
        Of the metric, if it is a ratio of sums.
    has_design : bool
        Whether the labels of a design answer by themselves.
    """
    interval = parameters.interval
    check_chances(parameters, interval)
    if interval == "anytime" and terms is None:
        raise ValueError(
            f"interval='anytime' is for metrics that are ratios of sums over items (precision, "
            f"recall, F1, accuracy at a threshold; prevalence), not for {name!r}; use "
            f"interval='posterior' or 'design', and fix the number of labels before."
        )
    if interval == "design" and not has_design:
        raise ValueError(
            f"There is no design-based estimate of {name!r}; use interval='posterior'."
        )


def check_chances(parameters, interval: str) -> None:
    """Raise unless items are drawn with chances, if an interval rests on them."""
    if interval == "posterior":
        return
    if parameters.draw != "sample" or parameters.exploration == 0.0:
        raise ValueError(
            f"interval={interval!r} rests on the chances with which items are drawn: it needs "
            f"draw='sample' and exploration above 0; got draw={parameters.draw!r} and "
            f"exploration={parameters.exploration!r}."
        )
