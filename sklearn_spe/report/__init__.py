"""Results as lines of text: numbers with intervals."""

from ._chosen_threshold import ChosenThreshold
from ._progress import describe_progress
from ._systems_compared import SystemsCompared

__all__ = ["ChosenThreshold", "SystemsCompared", "describe_progress"]
