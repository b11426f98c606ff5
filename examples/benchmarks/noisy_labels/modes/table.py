"""The tables of the guide, from the files that the other modes wrote."""

import csv
from pathlib import Path

from . import ranking, real, tags

SOURCES = {"tags": tags, "ranking": ranking, "real": real}


def add_options(add):
    """Add the files."""
    for name in SOURCES:
        add(f"--{name}", type=Path, help=f"the --out of the mode {name}")
    add("--table", type=Path, help="the file to write; else the tables are printed")


def main(options):
    """Write the tables; return them if there is no file to write."""
    tables = []
    for name, mode in SOURCES.items():
        path = getattr(options, name)
        if path is not None:
            with path.open(newline="") as file:
                tables += mode.guide(list(csv.DictReader(file)))
    if options.table is None:
        return "\n".join(tables)
    options.table.write_text("\n".join(tables))
    return f"{len(tables)} tables in {options.table}"
