"""Scores and labels as models see them: samples, cells, scales, inclusion probabilities."""

from ._cells import ScoreCells, ScoreKind
from ._sample import ScoreSample
from ._scale import ScoreScale

__all__ = [
    "ScoreCells",
    "ScoreKind",
    "ScoreSample",
    "ScoreScale",
]
