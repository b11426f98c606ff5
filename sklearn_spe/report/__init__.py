"""What the command line prints: numbers with intervals."""

from ._progress import describe_progress
from ._summary import describe_threshold, summarise

__all__ = ["describe_progress", "describe_threshold", "summarise"]
