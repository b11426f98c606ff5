"""Experts: priors over curves logit p(y = 1 | s), made of the scores alone.

Labels update them. A new expert costs one file and one entry in the registry.
"""

from ._expert import Expert
from ._rank_binormal import RankBinormal
from ._score_experts import RankProcess, ScoreLogOdds, SharpMixture, ValueShares
from ._source_scores import SourceScores

__all__ = [
    "Expert",
    "RankBinormal",
    "RankProcess",
    "ScoreLogOdds",
    "SharpMixture",
    "SourceScores",
    "ValueShares",
]
