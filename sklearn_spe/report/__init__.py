"""What the command line prints: a table of scores in, numbers with intervals out."""

from ._summary import summarise
from ._table import read_table

__all__ = ["read_table", "summarise"]
