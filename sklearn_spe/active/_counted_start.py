"""Start of a labeling session on a score histogram."""

from __future__ import annotations

from ..curves._question import Question
from ..sample._labeled_histogram import LabeledHistogram
from ..sample._score_histogram import ScoreHistogram
from ._parameters import means_curves
from ._scores_start import one_pool
from .sessions._counted_model import CountedModel
from .sessions._session import SessionStart

__all__ = ["start_counted"]


def start_counted(selector, question: Question, X, y, **others) -> SessionStart:
    """Return the start of a session on a histogram."""
    if y is not None:
        raise TypeError(
            "A histogram contains its own labels: leave out y, and pass the labels to "
            "histogram.with_labels(scores, y)."
        )
    said = [name for name, value in others.items() if value is not None]
    if said:
        raise TypeError(
            f"{' and '.join(f'{name}=' for name in said)} describe single items, which a histogram "
            "does not store: pass the scores of a random sample of the items instead."
        )
    if not means_curves(selector.label_model):
        raise ValueError(
            f"With a histogram the label model is that of curves: label_model must be "
            f"'auto' or a SemisupervisedScoreMixture, got {selector.label_model!r}."
        )
    if question.is_goal and selector.interval == "anytime":
        raise ValueError(
            "interval='anytime' needs single items to prove that a selection meets a goal, and a "
            "histogram stores none: use interval='posterior', or pass the scores of a random "
            "sample."
        )
    labeled: LabeledHistogram = X.with_labels([], []) if isinstance(X, ScoreHistogram) else X
    given = labeled.without_empty_rows()
    return one_pool(
        selector,
        question,
        given.scores,
        given.y,
        given.counts,
        model=CountedModel,
        firsts=given.firsts,
    )
