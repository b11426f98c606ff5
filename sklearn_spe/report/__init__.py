"""Results as lines of text: numbers with intervals."""

from ._chosen_threshold import ChosenThreshold
from ._progress import describe_progress
from ._sides_compared import SidesCompared

__all__ = ["ChosenThreshold", "SidesCompared", "describe_progress"]
