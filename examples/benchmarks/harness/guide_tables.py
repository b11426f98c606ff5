"""The tables of the guide, from the files that modes of a benchmark wrote."""

import csv
from pathlib import Path


def add_table_options(add, sources):
    """Add the files to read, one a mode, and the one to write.

    Parameters
    ----------
    add : callable
        The `add_argument` of a parser.
    sources : dict of str to module
        Modes with a function `guide`, from rows to tables.
    """
    for name in sources:
        add(f"--{name}", type=Path, help=f"the --out of the mode {name}")
    add("--table", type=Path, help="the file to write; else the tables are printed")


def write_tables(options, sources):
    """Write the tables; return them without a file."""
    tables = []
    for name, mode in sources.items():
        path = getattr(options, name)
        if path is not None:
            with path.open(newline="") as file:
                tables += mode.guide(list(csv.DictReader(file)))
    if options.table is None:
        return "\n".join(tables)
    options.table.write_text("\n".join(tables))
    return f"{len(tables)} tables in {options.table}"
