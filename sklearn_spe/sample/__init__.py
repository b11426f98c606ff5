"""Scores and labels in the form that models use."""

from ._cells import ScoreCells
from ._sample import ScoreSample
from ._scale import ScoreScale
from ._score_kind import ScoreKind

__all__ = ["ScoreCells", "ScoreKind", "ScoreSample", "ScoreScale"]
