"""Mixtures p(score, label | parameters), which map unconstrained vectors to parameters."""

from ._draw import draw_items
from ._em_steps import EmSteps
from ._starts import starts
from ._two_class import TwoClassMixture

__all__ = ["EmSteps", "TwoClassMixture", "draw_items", "starts"]
