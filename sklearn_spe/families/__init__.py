"""Families of densities p(score | class), one small stateless class per file.

A new family costs one file and one entry in the registry.
"""

from ._family import BetaPrior, Family, GammaPrior, NormalPrior
from ._half_line import Gamma, Gompertz, InvWeibull, LogNorm, TruncNorm, TruncT
from ._loggamma import LogGamma
from ._norm_mixture import NormMixture
from ._real_line import GumbelL, GumbelR, Norm, SkewNorm, Uniform

__all__ = [
    "BetaPrior",
    "Family",
    "Gamma",
    "GammaPrior",
    "Gompertz",
    "GumbelL",
    "GumbelR",
    "InvWeibull",
    "LogGamma",
    "LogNorm",
    "Norm",
    "NormMixture",
    "NormalPrior",
    "SkewNorm",
    "TruncNorm",
    "TruncT",
    "Uniform",
]
