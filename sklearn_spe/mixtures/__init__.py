"""Mixtures p(score, label | parameters), which map unconstrained vectors to parameters."""

from ._comparison import Comparison
from ._fisher import FisherInformation, expected_width, fisher_information
from ._fit import EmSteps, starts
from ._mixture_posterior import MixturePosterior, draw_items
from ._two_class import TwoClassMixture

__all__ = [
    "Comparison",
    "EmSteps",
    "FisherInformation",
    "MixturePosterior",
    "TwoClassMixture",
    "draw_items",
    "expected_width",
    "fisher_information",
    "starts",
]
