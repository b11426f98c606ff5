"""Results as lines of text: numbers with intervals."""

from ._chosen_threshold import ChosenThreshold
from ._progress import describe_progress
from ._systems_compared import Comparison

__all__ = ["ChosenThreshold", "Comparison", "describe_progress"]
