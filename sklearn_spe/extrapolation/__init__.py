"""How accurate a classifier will be with more classes than were tried.

Everything is a function of the law of one number, the conditional accuracy of an item. A method
estimates that law from the scores of a pilot; a new one costs one file and one entry in
`METHODS`.
"""

# What sklearn_spe itself names is imported under its own name, and documented there.
from ._blend import Blend
from ._classexreg import ClassExReg
from ._classifier import ClassifierAccuracyExtrapolator as ClassifierAccuracyExtrapolator
from ._comparison import AccuracyComparison as AccuracyComparison
from ._extrapolator import AccuracyExtrapolator as AccuracyExtrapolator
from ._kde import KernelDensity
from ._law import Law
from ._method import CurveMethod, Method
from ._methods import METHODS
from ._moment import Moment
from ._probit import Probit
from ._rank_curve import average_accuracy_curve as average_accuracy_curve
from ._scores import Scores

__all__ = [
    "METHODS",
    "Blend",
    "ClassExReg",
    "CurveMethod",
    "KernelDensity",
    "Law",
    "Method",
    "Moment",
    "Probit",
    "Scores",
]
