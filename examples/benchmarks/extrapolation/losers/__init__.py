"""Methods that did not earn a place in the package: known from papers, or plain rules of thumb.

They keep the contract of the package's methods, so that any of them can be passed as ``method`` to
`AccuracyExtrapolator` where it finds a distribution. Rules that draw a line through the curve find
none: what they return has an accuracy only.
"""

from .beta_binomial import BetaBinomial
from .binomial_mixture import BinomialMixture
from .exponentials import Exponential, ExponentialMixture
from .scaled_kernel_density import ScaledKernelDensity
from .trends import LogLinear, PowerLaw

__all__ = [
    "BetaBinomial",
    "BinomialMixture",
    "Exponential",
    "ExponentialMixture",
    "LogLinear",
    "PowerLaw",
    "ScaledKernelDensity",
]
