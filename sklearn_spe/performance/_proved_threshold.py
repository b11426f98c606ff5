"""The best threshold that the labels prove to meet a goal."""

from __future__ import annotations

import numpy as np

from ..betting._goal_certificate import GoalCertificate
from ..curves._goals import Goal
from ..exceptions import UnprovedGoalError
from ..inputs._labels import UNLABELED
from ..inputs._random_state import spawn
from ._performance_subject import RankingRows

__all__ = ["GUARANTEES", "proved_threshold"]

GUARANTEES = ("posterior", "anytime")
# Offset from the seed of the label draws to that of the order of the labels.
ORDER = 2
REMEDY = (
    "label items at random and pass inclusion_proba=np.full(n_items, share) to fit, with the "
    "probability of each item to be labeled. guarantee='posterior' accepts any labels, but "
    "relies on the model."
)


def proved_threshold(
    rows: RankingRows,
    goal: Goal,
    posterior,
    task,
    *,
    confidence_level,
    prefer,
    seed,
    highest,
    flip,
    pos_label,
) -> float:
    """Return the best threshold whose selection is proved to meet a goal.

    `posterior` ranks the thresholds only; `seed` orders the labels, which were drawn together;
    `highest` is the maximum threshold; `flip` maps to the user's scale. Raise UnprovedGoalError if
    no threshold is proved, ValueError if labels are not known to be drawn at random.
    """
    at = np.flatnonzero(rows.asked)
    scores, codes = rows.scores[at], rows.codes[at]
    always = _always_labeled(rows, at)
    certificate = GoalCertificate.start(scores, goal, confidence_level=confidence_level)
    known = np.flatnonzero(always & (codes != UNLABELED))
    drawn = np.flatnonzero(~always & (codes != UNLABELED))
    drawn = spawn(seed, ORDER).permutation(drawn)
    certificate = certificate.known(known, codes[known]).drawn_evenly(drawn, codes[drawn])
    best = certificate.best(posterior, task, prefer=prefer, highest=highest)
    if not best.is_kept:
        shown = flip(best.threshold)
        raise UnprovedGoalError(goal, confidence_level, best.probability, shown, pos_label)
    return best.threshold


def _always_labeled(rows, at) -> np.ndarray:
    """Return the items labeled with certainty; all others share one probability."""
    if rows.chances is None:
        raise ValueError(
            "guarantee='anytime' needs the inclusion probabilities of the labels, with rows "
            f"that represent one item each: {REMEDY}"
        )
    chances = rows.chances[at]
    others = np.unique(chances[chances < 1.0])
    if len(others) > 1 or (others == 0.0).any():
        raise ValueError(
            "guarantee='anytime' needs equal inclusion probabilities, besides those of 1; "
            f"inclusion_proba has {len(others)} values below 1, from {others[0]:g} to "
            f"{others[-1]:g}: {REMEDY}"
        )
    return chances == 1.0
