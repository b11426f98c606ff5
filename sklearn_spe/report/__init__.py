"""What the command line prints: a table of scores in, numbers with intervals out."""

from ._summary import describe_threshold, summarise
from ._table import read_table

__all__ = ["describe_threshold", "read_table", "summarise"]
