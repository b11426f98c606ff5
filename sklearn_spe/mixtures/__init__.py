"""Mixtures: p(score, label | parameters), the only place that knows what a parameter means."""

from ._draw import draw_items
from ._em_steps import EmSteps
from ._starts import starts
from ._two_class import TwoClassMixture

__all__ = ["EmSteps", "TwoClassMixture", "draw_items", "starts"]
