"""Simulators with a known truth, for tests, documentation and users.

A new shape of scores takes one function and one entry in its registry.
"""

from ._noisy_tags import make_noisy_tags
from ._simulated_scores import ScoreShape, make_scores

__all__ = [
    "ScoreShape",
    "make_noisy_tags",
    "make_scores",
]
