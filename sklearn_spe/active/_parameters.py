"""The parameters of a selector, checked before anything is done with them."""

from __future__ import annotations

from .._numbers import check_choice, check_count, check_number
from ..score_mixture import SemisupervisedScoreMixture
from ._drawing import DRAWS
from ._question import Question
from .strategies import STRATEGIES, Strategy

__all__ = ["as_strategy", "check_chances", "check_interval", "check_parameters"]

INTERVALS = ("posterior", "design", "anytime")
LABEL_MODELS = ("auto", "curves")
# Fewer draws have no 5% quantile.
LEAST_DRAWS = 40


def check_parameters(parameters) -> Question:
    """Check the parameters of an `ActiveTestSelector`, and return what it asks for."""
    check_count(parameters.n_draws, "n_draws", LEAST_DRAWS)
    check_count(parameters.batch_size, "batch_size")
    check_number(parameters.confidence_level, "confidence_level", "(0, 1)")
    check_number(parameters.exploration, "exploration", "[0, 1]")
    check_choice(parameters.draw, "draw", DRAWS)
    check_choice(parameters.interval, "interval", INTERVALS)
    as_strategy(parameters.strategy)
    if not isinstance(parameters.label_model, SemisupervisedScoreMixture):
        check_choice(parameters.label_model, "label_model", LABEL_MODELS)
    where = {name: getattr(parameters, name) for name in ("threshold", "recall", "precision")}
    return Question.of(parameters.metric, **where)


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


def check_interval(parameters, question: Question, above) -> None:
    """Raise unless the interval that is wanted exists for the metric and the way of drawing.

    Parameters
    ----------
    parameters : ActiveTestSelector
    question : Question
    above : ndarray of bool of shape (n_items,), or None
        Which items the decision calls positive.
    """
    interval, name = parameters.interval, question.name
    check_chances(parameters, interval)
    terms = question.terms(above)
    if interval == "anytime" and terms is None:
        raise ValueError(
            f"interval='anytime' is for metrics that are ratios of sums over items (precision, "
            f"recall, F1, accuracy at a threshold; prevalence), not for {name!r}; use "
            f"interval='posterior' or 'design', and fix the number of labels before."
        )
    if interval == "design" and not question.has_design(terms):
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
