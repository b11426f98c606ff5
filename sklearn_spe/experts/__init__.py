"""Experts: priors over curves logit p(y = 1 | s), made of the scores alone.

Labels judge them (`_label_update`). A new expert costs one file and one entry in `EXPERTS`.
"""

from ._banks import CurveBanks
from ._coarse_mixture import CoarseMixture
from ._expert import CurveBank, Expert
from ._monotone_steps import MonotoneSteps
from ._nearly_calibrated import NearlyCalibrated
from ._rank_binormal import RankBinormal
from ._rank_process import RankProcess
from ._registry import EXPERTS, as_experts
from ._rising_process import RisingProcess
from ._score_log_odds import ScoreLogOdds
from ._sharp_mixture import SharpMixture
from ._shifted_prevalence import ShiftedPrevalence
from ._slack import Slack, SlackDraws, SlackScale, propose
from ._source_scores import SourceScores
from ._top_shelf import TopShelf

__all__ = [
    "EXPERTS",
    "CoarseMixture",
    "CurveBank",
    "CurveBanks",
    "Expert",
    "MonotoneSteps",
    "NearlyCalibrated",
    "RankBinormal",
    "RankProcess",
    "RisingProcess",
    "ScoreLogOdds",
    "SharpMixture",
    "ShiftedPrevalence",
    "Slack",
    "SlackDraws",
    "SlackScale",
    "SourceScores",
    "TopShelf",
    "as_experts",
    "propose",
]
