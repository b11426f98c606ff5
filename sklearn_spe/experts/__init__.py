"""Experts: priors over curves logit p(y = 1 | s), made of the scores alone.

Labels judge them (`_label_update`). A new expert costs one file and one entry in `EXPERTS`.
"""

from ._banks import CurveBanks
from ._coarse_mixture import CoarseMixture
from ._expert import CurveBank, Expert
from ._monotone_steps import MonotoneSteps
from ._rank_binormal import RankBinormal
from ._registry import EXPERTS, as_experts
from ._score_log_odds import ScoreLogOdds
from ._sharp_mixture import SharpMixture
from ._slack import Slack, SlackDraws, SlackScale, propose
from ._source_scores import SourceScores

__all__ = [
    "EXPERTS",
    "CoarseMixture",
    "CurveBank",
    "CurveBanks",
    "Expert",
    "MonotoneSteps",
    "RankBinormal",
    "ScoreLogOdds",
    "SharpMixture",
    "Slack",
    "SlackDraws",
    "SlackScale",
    "SourceScores",
    "as_experts",
    "propose",
]
