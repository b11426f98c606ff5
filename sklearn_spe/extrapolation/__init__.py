"""Extrapolation of a classifier's accuracy to more classes.

Everything is a function of the distribution of the conditional accuracy of an item. A method
estimates this distribution from the scores of a pilot; a new one takes one file and one entry in
`METHODS`.
"""

# Names of the top-level package are imported and documented there.
from ._accuracy_comparison import AccuracyComparison as AccuracyComparison
from ._classifier_extrapolator import (
    ClassifierAccuracyExtrapolator as ClassifierAccuracyExtrapolator,
)
from ._distribution import (
    Components,
    ConditionalAccuracyDistribution,
    Distribution,
    Points,
    Powers,
    ProbitNormals,
    Ramps,
)
from ._extrapolator import AccuracyExtrapolator as AccuracyExtrapolator
from ._rank_curve import average_accuracy_curve as average_accuracy_curve
from .methods._blend import Blend
from .methods._classexreg import ClassExReg
from .methods._kde import KernelDensity
from .methods._method import CurveMethod, Method
from .methods._moment import Moment
from .methods._probit import Probit
from .methods._registry import METHODS
from .methods._score_method import Scores

__all__ = [
    "METHODS",
    "Blend",
    "ClassExReg",
    "Components",
    "ConditionalAccuracyDistribution",
    "CurveMethod",
    "Distribution",
    "KernelDensity",
    "Method",
    "Moment",
    "Points",
    "Powers",
    "Probit",
    "ProbitNormals",
    "Ramps",
    "Scores",
]
