"""Experts: priors over curves logit p(y = 1 | s), made of the scores alone.

Labels update them (`sklearn_spe.engine`). A new expert costs one file and one entry in `EXPERTS`.
"""

from ._expert import CurveEnsemble, DiscrepancyScale, Expert, PriorCurves
from ._rank_binormal import RankBinormal
from ._registry import EXPERTS, as_experts
from ._score_experts import NearlyCalibrated, RankProcess, ScoreLogOdds, SharpMixture, ValueShares
from ._source_scores import SourceScores

__all__ = [
    "EXPERTS",
    "CurveEnsemble",
    "DiscrepancyScale",
    "Expert",
    "NearlyCalibrated",
    "PriorCurves",
    "RankBinormal",
    "RankProcess",
    "ScoreLogOdds",
    "SharpMixture",
    "SourceScores",
    "ValueShares",
    "as_experts",
]
