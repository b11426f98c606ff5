"""Families of densities p(score | class), one small stateless class per file.

A new family costs one file and one entry in `FAMILIES`.
"""

from ._family import POSITIVE, REAL_LINE, BetaPrior, Family, GammaPrior, NormalPrior
from ._half_line import Gamma, Gompertz, InvWeibull, LogNorm, TruncNorm, TruncT
from ._loggamma import LogGamma
from ._norm_mixture import NormMixture
from ._real_line import GumbelL, GumbelR, Norm, SkewNorm, Uniform
from ._registry import FAMILIES, as_families, as_family

__all__ = [
    "FAMILIES",
    "POSITIVE",
    "REAL_LINE",
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
    "as_families",
    "as_family",
]
