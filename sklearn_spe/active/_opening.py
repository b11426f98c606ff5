"""Start of a labeling session from the arguments of `fit`."""

from __future__ import annotations

from collections.abc import Callable

from ..sample._counted_rows import check_not_several
from ..sample._labeled_histogram import LabeledHistogram
from ..sample._score_histogram import ScoreHistogram
from ._counted_opening import open_counted
from ._parameters import as_strategy, check_interval, check_parameters
from ._scores_opening import open_scores
from .sessions._session import Session, SessionStart
from .strategies._random import Random

__all__ = ["OPENINGS", "open_session"]

# Session starts by the type of X: functions of the selector, its question, and the arguments of
# `fit` by name. X of any other type is scores.
OPENINGS: dict[type, Callable[..., SessionStart]] = {
    ScoreHistogram: open_counted,
    LabeledHistogram: open_counted,
}


def open_session(selector, X, y, **others) -> Session:
    """Return the initial session of an `ActiveTestSelector`."""
    question = check_parameters(selector)
    check_not_several(X)
    opening = next((OPENINGS[kind] for kind in OPENINGS if isinstance(X, kind)), open_scores)
    start = opening(selector, question, X=X, y=y, **others)
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
