"""Experts of few curves: quick to fit, where what a test says is true of any fit."""

from sklearn_spe.experts import RankBinormal, ScoreLogOdds

__all__ = ["EXPERTS", "LOG_ODDS", "RANKS"]

# So many for each expert, of which labels leave enough; by name there are some ten times as many.
N_CURVES = 256
RANKS, LOG_ODDS = (expert(n_curves=N_CURVES) for expert in (RankBinormal, ScoreLogOdds))
EXPERTS = [RANKS, LOG_ODDS]
