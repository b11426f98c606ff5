"""Experts: priors over curves logit p(y = 1 | s), made of the scores alone.

Labels update them (`sklearn_spe.engine`). A new expert costs one file and one entry in `EXPERTS`.
"""

from ._discrepancy import DiscrepancyScale
from ._ensemble import CurveEnsemble
from ._expert import Expert, PriorCurves
from ._nearly_calibrated import NearlyCalibrated
from ._rank_binormal import RankBinormal
from ._rank_process import RankProcess
from ._registry import EXPERTS, as_experts
from ._score_log_odds import ScoreLogOdds
from ._sharp_mixture import SharpMixture
from ._source_scores import SourceScores
from ._value_shares import ValueShares

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
