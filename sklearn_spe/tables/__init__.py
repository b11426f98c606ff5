"""Reading and writing files of rows."""

from ._labeling_table import LabeledCopies, LabelingTable
from ._reading import read_table
from ._source import Dialect, printable
from ._table import Column, Table
from ._writing import write_file

__all__ = [
    "Column",
    "Dialect",
    "LabeledCopies",
    "LabelingTable",
    "Table",
    "printable",
    "read_table",
    "write_file",
]
