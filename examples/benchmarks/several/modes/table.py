"""The tables, from the files that the other modes wrote, whether they are finished or not."""

import csv
from pathlib import Path

from . import alike, classes, clusters, subgroups, systems

SOURCES = {
    "systems": systems,
    "subgroups": subgroups,
    "clusters": clusters,
    "alike": alike,
    "classes": classes,
}


def add_options(add):
    """Add the files."""
    for name in SOURCES:
        add(f"--{name}", type=Path, nargs="+", default=[], help=f"files of the mode {name}")
    add("--rst", action="store_true", help="tables as reStructuredText")


def main(options):
    """Return the tables."""
    parts = []
    for name, mode in SOURCES.items():
        rows = [row for path in getattr(options, name) for row in rows_of(path)]
        if rows:
            parts.append(mode.report(rows, options.rst))
    return "\n".join(parts)


def rows_of(path):
    """Return the rows of a file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
