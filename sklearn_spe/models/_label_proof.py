"""The thresholds of a ranking that randomly drawn labels prove to meet a goal."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..design._goal_certificate import GoalCertificate
from ..design._precision_walk import precision_bound
from ..goals._goal import Goal
from ..inputs._labels import UNLABELED
from ..inputs._validation import spawn
from ._ranking_view import RankingRows

# Offset from the seed of the label draws to that of the order of the labels.
ORDER = 2
# Expected number of random labels at or above the first threshold that is tested for a precision.
LABELS_AT_FIRST = 32
REMEDY = (
    "label items at random and pass inclusion_proba=np.full(n_items, share) to fit, with the "
    "probability of each item to be labeled. guarantee='posterior' accepts any labels, but "
    "relies on the model."
)


def _always_labeled(rows: RankingRows, at: np.ndarray) -> np.ndarray:
    """Return the items labeled with certainty; all others share one probability."""
    if rows.inclusion_proba is None:
        raise ValueError(
            "guarantee='anytime' needs the inclusion probabilities of the labels, with rows "
            f"that represent one item each: {REMEDY}"
        )
    probabilities = rows.inclusion_proba[at]
    others = np.unique(probabilities[probabilities < 1.0])
    if len(others) > 1 or (others == 0.0).any():
        raise ValueError(
            "guarantee='anytime' needs equal inclusion probabilities, besides those of 1; "
            f"inclusion_proba has {len(others)} values below 1, from {others[0]:g} to "
            f"{others[-1]:g}: {REMEDY}"
        )
    return probabilities == 1.0


def proof_of_labels(
    rows: RankingRows, goal: Goal, confidence_level: float, seed: int
) -> GoalCertificate:
    """Return the thresholds that the labels prove to meet a goal.

    Raise ValueError if labels are not known to be drawn at random.
    """
    at = np.flatnonzero(rows.is_ranked)
    scores, codes = rows.scores[at], rows.codes[at]
    always = _always_labeled(rows, at)

    first_depth = None
    if precision_bound(goal) is not None:
        inclusion_proba: Any = rows.inclusion_proba  # as `_always_labeled` has checked
        share = inclusion_proba[at][~always].min(initial=1.0)
        first_depth = int(np.ceil(LABELS_AT_FIRST / share))
    certificate = GoalCertificate.start(
        scores,
        goal,
        first_depth=first_depth,
        known=np.where(always, codes, UNLABELED),
        confidence_level=confidence_level,
    )
    drawn = np.flatnonzero(~always & (codes != UNLABELED))
    if first_depth is not None:
        return certificate.with_labels(drawn, codes[drawn])
    # The labels were drawn together: their order is random.
    drawn = spawn(seed, ORDER).permutation(drawn)
    return certificate.drawn_evenly(drawn, codes[drawn])
