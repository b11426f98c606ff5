"""What the command line prints: a table of scores in, numbers with intervals out."""

from ._labeling_table import LabelingTable
from ._progress import describe_progress
from ._summary import describe_threshold, summarise
from ._table import read_table

__all__ = [
    "LabelingTable",
    "describe_progress",
    "describe_threshold",
    "read_table",
    "summarise",
]
