"""Extrapolation of a classifier's accuracy to more classes.

Everything is a function of the distribution of the conditional accuracy of an item. A method
estimates this distribution from the scores of a pilot; a new one takes one file and one entry in
the registry, a new recognition task likewise.
"""

# What sklearn_spe itself names is imported under its own name, and documented there.
from ._accuracy_comparison import AccuracyComparison as AccuracyComparison
from ._accuracy_curve import average_accuracy_curve as average_accuracy_curve
from ._accuracy_display import AccuracyExtrapolationDisplay
from ._accuracy_distributions import ConditionalAccuracyDistribution, Powers
from ._classifier_extrapolator import (
    ClassifierAccuracyExtrapolator as ClassifierAccuracyExtrapolator,
)
from ._extrapolator import AccuracyExtrapolator as AccuracyExtrapolator
from ._recognition import BivariateNormalClasses, GaussianClasses
from ._recognition_scores import make_recognition_scores
from .methods._curve_methods import CurveMethod, Method, Moment
from .methods._score_methods import KernelDensity, Scores

__all__ = [
    "AccuracyExtrapolationDisplay",
    "BivariateNormalClasses",
    "ConditionalAccuracyDistribution",
    "CurveMethod",
    "GaussianClasses",
    "KernelDensity",
    "Method",
    "Moment",
    "Powers",
    "Scores",
    "make_recognition_scores",
]
