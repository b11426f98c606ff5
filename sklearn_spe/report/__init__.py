"""Results as lines of text: numbers with intervals."""

from ._chosen_threshold import ChosenThreshold
from ._progress import describe_progress

__all__ = ["ChosenThreshold", "describe_progress"]
