"""Start of a labeling session on objects."""

from __future__ import annotations

import numpy as np

from ...curves._question import Question
from ...inputs._labels import BinaryLabels
from ...inputs._random_state import seed_entropy
from ...inputs._score_direction import check_direction
from ...metrics._average_precision import AveragePrecision
from .._parameters import as_label_model
from ..lists._ranked_lists import check_list_question
from ..sessions._session import SessionStart
from ._match_lists import MatchLists
from ._match_model import MatchModel
from ._matches import SegmentationMatches
from ._verified_overlaps import as_overlaps

__all__ = ["start_matches"]


def start_matches(
    selector, question: Question, X: SegmentationMatches, y=None, **others
) -> SessionStart:
    """Return the start of a session on objects."""
    check_list_question(question)
    _check_idle(selector, others)
    # Objects that no detection is matched to are positives of all lists, and there are no
    # negatives.
    if question.where or not isinstance(question.metric, AveragePrecision):
        raise ValueError(
            "With SegmentationMatches the metric must be 'average_precision'; got "
            f"{question.name!r}."
        )
    shape = X.n_objects, X.n_systems
    model = MatchModel(
        question,
        X,
        np.full(shape, np.nan) if y is None else as_overlaps(y, *shape),
        as_label_model(
            selector.label_model, MatchLists.stand_in, has_noisy=True, has_overlaps=True
        ),
        confidence_level=selector.confidence_level,
        n_draws=selector.n_draws,
        seed=seed_entropy(selector.random_state),
    )
    return SessionStart(model, BinaryLabels.learn(None, classes=[0, 1]))


def _check_idle(selector, others) -> None:
    """Raise if an argument is given that matches contain themselves."""
    idle = [name for name, value in others.items() if value is not None]
    idle += [name for name in ("classes", "pos_label") if getattr(selector, name) is not None]
    idle += ["greater_is_positive"] if not check_direction(selector.greater_is_positive) else []
    idle += ["average"] if selector.average != "macro" else []
    if idle:
        raise ValueError(
            f"SegmentationMatches contain all data of detections, and {', '.join(idle)} would be "
            "ignored; leave it out."
        )
