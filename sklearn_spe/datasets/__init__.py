"""Simulators with a known truth, for tests, documentation and users.

A new recognition task takes one file and one entry in the registry, a new shape of scores
one function and one entry in its registry.
"""

from ._noisy_tags import make_noisy_tags
from ._recognition import BivariateNormalClasses, GaussianClasses
from ._recognition_scores import make_recognition_scores
from ._segmentation_matches import make_segmentation_matches
from ._simulated_scores import ScoreShape, make_scores

__all__ = [
    "BivariateNormalClasses",
    "GaussianClasses",
    "ScoreShape",
    "make_noisy_tags",
    "make_recognition_scores",
    "make_scores",
    "make_segmentation_matches",
]
