"""What moved between two versions of a table by more than the draws of it explain.

A number with another one in brackets behind it is a mean with its standard error. A share has the
binomial error of the common share of both versions (of a task that says so, every number in [0, 1]
is one); any other number is taken for a mean of values that vary as much as they are large, around
the common mean. A bias has values of both signs, an extreme depends on the number of draws: they
are compared with as many draws only. Rows are known by their first cells, as many as tell them
apart.
"""

import csv
import math
import re
from dataclasses import dataclass
from pathlib import Path

# How many standard errors of the difference are more than chance.
LIMIT = 3.0
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?")
WITH_ERROR = re.compile(rf"({NUMBER.pattern})\s*\(({NUMBER.pattern})\)")
SHARES = re.compile(r"cover|held|share|within|ok\b|worst|lowest", re.IGNORECASE)
OF_AS_MANY_DRAWS = re.compile(r"worst|lowest|bias", re.IGNORECASE)


def read_tables(path):
    """Return the tables of a file, each a list of rows of cells, the first the heading."""
    path = Path(path)
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            return [list(csv.reader(file))]
    tables = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(".. csv-table::"):
            tables.append([])
        elif tables and re.match(r"   [^:\s]", line):
            tables[-1].append([cell.strip() for cell in line.split("|")])
    return tables


def moved(old_path, new_path, n_old, n_new, *, are_shares=False):
    """Return texts: cells that moved beyond their error, rows that are gone, rows that are new.

    Parameters
    ----------
    old_path, new_path : Path
    n_old, n_new : int
        The numbers of independent answers behind a cell.
    are_shares : bool
        Whether numbers are shares whatever their columns are called.

    Returns
    -------
    moves, gone, new : list of str
    """
    moves, gone, new = [], [], []
    old_tables, new_tables = read_tables(old_path), read_tables(new_path)
    if len(old_tables) != len(new_tables):
        gone.append(f"{len(old_tables)} tables, now {len(new_tables)}")
    for (heading, *old), (new_heading, *rows) in zip(old_tables, new_tables, strict=False):
        if heading != new_heading:
            gone.append(f"columns {heading}, now {new_heading}")
            continue
        width = width_of_keys(old)
        found = {tuple(row[:width]): row for row in rows}
        known = {tuple(row[:width]): row for row in old}
        gone += [", ".join(key) for key in known if key not in found]
        new += [", ".join(key) for key in found if key not in known]
        for key in found.keys() & known.keys():
            for column, before, after in zip(
                heading[width:], known[key][width:], found[key][width:], strict=True
            ):
                kind = f"share: {column}" if are_shares else column
                if has_moved(kind, before, after, n_old, n_new):
                    moves.append(f"{', '.join(key)}: {column} {before}, now {after}")
    return sorted(moves), gone, new


def width_of_keys(rows):
    """Return how many first cells tell the rows apart, all if none do."""
    for width in range(1, len(rows[0]) if rows else 1):
        if len({tuple(row[:width]) for row in rows}) == len(rows):
            return width
    return len(rows[0]) if rows else 1


def has_moved(column, before, after, n_old, n_new):
    """Return whether a cell differs by more than its error, or says something else."""
    if before == after or not before:
        return False
    if NUMBER.sub("#", before) != NUMBER.sub("#", after):
        # A number that was none before, or other words.
        return True
    if n_old != n_new and OF_AS_MANY_DRAWS.search(column):
        return False
    pairs = zip(values_of(column, before), values_of(column, after), strict=True)
    return any(
        abs(new.value - old.value) > LIMIT * error_of_difference(old, new, n_old, n_new)
        for old, new in pairs
    )


@dataclass(frozen=True)
class Value:
    """A number of a cell, with its standard error if the cell has it."""

    value: float
    error: float | None = None
    is_share: bool = False


def values_of(column, cell):
    """Return the numbers of a cell."""
    if pairs := WITH_ERROR.findall(cell):
        return [Value(number(value), number(error)) for value, error in pairs]
    if of := re.fullmatch(rf"({NUMBER.pattern}) of ({NUMBER.pattern})", cell):
        return [Value(number(of[1]) / max(number(of[2]), 1.0), is_share=True)]
    values = [number(text) for text in NUMBER.findall(cell)]
    is_share = "%" in cell or SHARES.search(column) is not None
    return [Value(value, is_share=is_share and 0.0 <= value <= 1.0) for value in values]


def error_of_difference(old, new, n_old, n_new):
    """Return the standard error of a difference, if both are of one distribution."""
    if old.error is not None and new.error is not None:
        return math.hypot(old.error, new.error)
    common = (n_old * old.value + n_new * new.value) / (n_old + n_new)
    spread = math.sqrt(common * (1.0 - common)) if old.is_share and new.is_share else abs(common)
    return spread * math.sqrt(1.0 / n_old + 1.0 / n_new)


def number(text):
    """Return what a text says, a percentage as a share."""
    return float(text[:-1]) / 100.0 if text.endswith("%") else float(text)
