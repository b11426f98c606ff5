"""Reading and writing files of rows."""

from ._columns import Column
from ._dialect import Dialect
from ._labeled_copies import LabeledCopies
from ._labeling_table import LabelingTable
from ._printable import printable
from ._reading import read_table
from ._table import Table
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
