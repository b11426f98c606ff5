"""Of all thresholds whose answers labels prove to keep a goal, the most useful one."""

from __future__ import annotations

import numpy as np

from ..betting._goal_certificate import GoalCertificate
from ..curves._goals import Goal
from ..exceptions import UnprovedGoalError
from ..inputs._labels import UNLABELED
from ..inputs._random_state import spawn
from ._performance_subject import AskedRows

__all__ = ["GUARANTEES", "proved_threshold"]

GUARANTEES = ("posterior", "anytime")
# The step from the seed of labels that are drawn to that of the order in which labels count.
ORDER = 2
REMEDY = (
    "label items at random and pass inclusion_proba=np.full(n_items, share) to fit, with the "
    "chance of each item to be labelled. guarantee='posterior' takes any labels, and believes the "
    "model."
)


def proved_threshold(
    rows: AskedRows,
    goal: Goal,
    posterior,
    task,
    *,
    confidence_level,
    prefer,
    seed,
    highest,
    turn,
    pos_label,
) -> float:
    """Return the most useful threshold whose answer is proved to keep a goal.

    Parameters
    ----------
    rows : AskedRows
    goal : Goal
    posterior : Posterior
        Says which threshold is the most useful, and nothing of the goal.
    task : Task
        Of answers.
    confidence_level : float
    prefer : str or ThresholdMetric or None
    seed : int
        Labels were drawn together; in which order they are bet on is drawn.
    highest : float
        No threshold above this is taken.
    turn : callable
        To the scale of the user.
    pos_label : object

    Raises
    ------
    UnprovedGoalError
        If none is proved.
    ValueError
        If it is not known that labels were drawn at random.
    """
    at = np.flatnonzero(rows.asked)
    scores, codes = rows.scores[at], rows.codes[at]
    always = _always_labelled(rows, at)
    certificate = GoalCertificate.start(scores, goal, confidence_level=confidence_level)
    known = np.flatnonzero(always & (codes != UNLABELED))
    drawn = np.flatnonzero(~always & (codes != UNLABELED))
    drawn = spawn(seed, ORDER).permutation(drawn)
    certificate = certificate.known(known, codes[known]).drawn_evenly(drawn, codes[drawn])
    best = certificate.best(posterior, task, prefer=prefer, highest=highest)
    if not best.is_kept:
        shown = turn(best.threshold)
        raise UnprovedGoalError(goal, confidence_level, best.probability, shown, pos_label)
    return best.threshold


def _always_labelled(rows, at) -> np.ndarray:
    """Return which items would be labelled in any case; all others have one chance."""
    if rows.chances is None:
        raise ValueError(
            f"guarantee='anytime' needs to know how labels were drawn, of rows that stand for one "
            f"item each: {REMEDY}"
        )
    chances = rows.chances[at]
    others = np.unique(chances[chances < 1.0])
    if len(others) > 1 or (others == 0.0).any():
        raise ValueError(
            f"guarantee='anytime' needs items with one chance to be labelled, beside such as are "
            f"labelled in any case; inclusion_proba has {len(others)} chances below 1, from "
            f"{others[0]:g} to {others[-1]:g}: {REMEDY}"
        )
    return chances == 1.0
