"""Mixtures p(score, label | parameters), which map unconstrained vectors to parameters."""

from ._fisher import expected_width, fisher_information

__all__ = [
    "expected_width",
    "fisher_information",
]
