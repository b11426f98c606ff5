"""Start of a labeling session from the arguments of `fit`."""

from __future__ import annotations

from collections.abc import Callable

from ..sample._counted_rows import check_not_several
from ..sample._labeled_histogram import LabeledHistogram
from ..sample._score_histogram import ScoreHistogram
from ._counted_start import start_counted
from ._parameters import as_strategy, check_interval, check_parameters
from ._scores_start import start_scores
from .sessions._session import Session, SessionStart
from .strategies._random import Random

__all__ = ["STARTS", "start_session"]

# Session starts by the type of X: functions of the selector, its question, and the arguments of
# `fit` by name. X of any other type is scores.
STARTS: dict[type, Callable[..., SessionStart]] = {
    ScoreHistogram: start_counted,
    LabeledHistogram: start_counted,
}


def start_session(selector, X, y, **others) -> Session:
    """Return the initial session of an `ActiveTestSelector`."""
    question = check_parameters(selector)
    check_not_several(X)
    start_of_kind = next((STARTS[kind] for kind in STARTS if isinstance(X, kind)), start_scores)
    start = start_of_kind(selector, question, X=X, y=y, **others)
    check_interval(selector, start.model)
    strategy = as_strategy(selector.strategy)
    session = Session(
        start,
        interval=selector.interval,
        confidence_level=selector.confidence_level,
        at_random=isinstance(strategy, Random),
    )
    if "information" not in strategy.needs and (lacking := strategy.lacks(session.pool(strategy))):
        raise ValueError(lacking)
    return session
