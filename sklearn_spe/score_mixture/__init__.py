"""Score mixture: posterior and verdict from scores and labels."""

from ._bare_mixture import BareMixture
from ._curve_prior import CurvePrior
from ._score_mixture import SemisupervisedScoreMixture as SemisupervisedScoreMixture
from ._score_model import ScoreModel
from ._suspect_labels import SuspectLabels

__all__ = ["BareMixture", "CurvePrior", "ScoreModel", "SuspectLabels"]
