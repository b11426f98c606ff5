"""Families of densities p(score | class), one small stateless class per file.

A new family costs one file and one entry in `FAMILIES`.
"""

from .._parameter import BetaPrior, GammaPrior, NormalPrior
from ._family import POSITIVE, REAL_LINE, Family
from ._gamma import Gamma
from ._gompertz import Gompertz
from ._gumbel_l import GumbelL
from ._gumbel_r import GumbelR
from ._invweibull import InvWeibull
from ._loggamma import LogGamma
from ._lognorm import LogNorm
from ._norm import Norm
from ._norm_mixture import NormMixture
from ._registry import FAMILIES, as_families, as_family
from ._skewnorm import SkewNorm
from ._truncnorm import TruncNorm
from ._trunct import TruncT
from ._uniform import Uniform

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
