"""What a score is: a probability, a log-odds, a margin, votes or a distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ..inputs._numbers import check_choice
from ._sample import ScoreSample

__all__ = ["KINDS", "ScoreKind", "default_threshold", "learn_score_kind"]

KINDS = ("probability", "log_odds", "margin", "votes", "distance")
# Half the distance of an inner probability to 0 or 1 is what a probability of exactly
# 0 or 1 may hide, within reason.
CLIP_RANGE = (1e-6, 0.02)
# Votes are multiples of one over at most so many voters, each value shared by several items.
MOST_VOTERS = 500
LEAST_SHARED = 4.0
# A column of probabilities comes this near to 0 or 1 somewhere.
NEAR_AN_END = 0.05


@dataclass(frozen=True)
class ScoreKind:
    """What is known of the meaning of scores, and the log-odds that they would be.

    Attributes
    ----------
    name : str
        One of `KINDS`, or "unknown": a real number that may be a log-odds or a margin,
        or "unit": numbers in [0, 1] that do not look like probabilities.
    clip : float
        Probabilities and votes are moved into ``[clip, 1 - clip]`` before the logit; 0 if there
        is none.
    """

    name: str
    clip: float = 0.0

    def log_odds(self, scores) -> np.ndarray:
        """Return the logit of probabilities, votes and "unit"; other scores as they are."""
        scores = np.asarray(scores, dtype=float)
        if not self.clip:
            return scores
        return special.logit(np.clip(scores, self.clip, 1.0 - self.clip))


def learn_score_kind(sample: ScoreSample, score_kind="auto") -> ScoreKind:
    """Settle what kind of scores a sample holds."""
    low, high = float(sample.scores[0]), float(sample.scores[-1])
    in_unit = low >= 0.0 and high <= 1.0
    if score_kind == "auto":
        score_kind = _recognise(sample, low, high)
    check_choice(score_kind, "score_kind", (*KINDS, "unknown", "unit"))
    if score_kind in ("probability", "votes") and not in_unit:
        raise ValueError(
            f"score_kind={score_kind!r} says that scores lie in [0, 1], but they run from "
            f"{low:.6g} to {high:.6g}; use 'log_odds' or 'margin', or divide counts of votes "
            f"by the voters."
        )
    if score_kind == "distance" and low < 0.0:
        raise ValueError(
            f"score_kind='distance' says that no score is negative, but the smallest is {low:.6g}; "
            f"use 'margin' for signed distances."
        )
    has_logit = score_kind in ("probability", "votes", "unit") and high > low
    return ScoreKind(score_kind, _resolution(sample.scores) if has_logit else 0.0)


def default_threshold(sample: ScoreSample, score_kind: str) -> float | None:
    """Return where a decision is taken by scores of which a user says their kind, if they say it.

    Scores that run from exactly 0 to exactly 1 may have been scaled to do so: whoever knows them
    for probabilities says it.
    """
    name, scores = learn_score_kind(sample, score_kind).name, sample.scores
    if name in ("log_odds", "margin"):
        return 0.0
    may_be_scaled = score_kind == "auto" and scores[0] == 0.0 and scores[-1] == 1.0
    return 0.5 if name == "probability" and not may_be_scaled else None


def _recognise(sample, low, high) -> str:
    if low >= 0.0 and high > 1.0:
        return "distance"
    if low < 0.0:
        return "unknown"
    if _are_votes(sample):
        return "votes"
    return "probability" if low < NEAR_AN_END or high > 1.0 - NEAR_AN_END else "unit"


def _are_votes(sample) -> bool:
    values = sample.scores
    if sample.counts.sum() < LEAST_SHARED * len(values) or len(values) < 3:
        return False
    gap = float(np.diff(values).min())
    if gap * (MOST_VOTERS + 0.5) < 1.0:
        return False
    voters = round(1.0 / gap)
    return bool(np.abs(values * voters - np.round(values * voters)).max() < 1e-3)


def _resolution(scores) -> float:
    inner = scores[(scores > 0.0) & (scores < 1.0)]
    nearest = np.minimum(inner, 1.0 - inner).min() / 2.0 if len(inner) else CLIP_RANGE[1]
    return float(np.clip(nearest, *CLIP_RANGE))
