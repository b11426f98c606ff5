"""What is quick to fit, and mutes verdicts, where what a test says is true of any fit."""

import pytest

from sklearn_spe.experts import RankBinormal, ScoreLogOdds

__all__ = ["EXPERTS", "LOG_ODDS", "QUIET", "RANKS"]

# So many for each expert, of which labels leave enough; by name there are some ten times as many.
N_CURVES = 96
RANKS, LOG_ODDS = (expert(n_curves=N_CURVES) for expert in (RankBinormal, ScoreLogOdds))
EXPERTS = [RANKS, LOG_ODDS]
# The `pytestmark` of a module whose fits draw from the seed, or have few labels or draws: of many
# right fits some are doubted. Everywhere else a verdict that warns fails a test.
QUIET = [
    pytest.mark.filterwarnings(f"ignore::sklearn_spe.exceptions.{name}")
    for name in ("MisfitWarning", "SamplingWarning", "UnidentifiedWarning")
]
