"""What moved between two versions of a table by more than the draws of it explain.

A number with another one in brackets behind it is a mean with its standard error. A share is
given that of a binomial share, and any other number is taken for a mean of positive values of one
size, whose standard error is the mean over the root of their number. Rows are known by their first
cells, as many as tell them apart.
"""

import csv
import math
import re
from pathlib import Path

# How many standard errors of the difference are more than chance.
LIMIT = 3.0
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?")
WITH_ERROR = re.compile(rf"({NUMBER.pattern})\s*\(({NUMBER.pattern})\)")
SHARES = re.compile(r"cover|held|share|within|ok\b|worst|lowest", re.IGNORECASE)


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


def moved(old_path, new_path, n_old, n_new):
    """Return texts: cells that moved beyond their error, rows that are gone, rows that are new.

    Parameters
    ----------
    old_path, new_path : Path
    n_old, n_new : int
        The numbers of independent answers behind a cell.

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
                if has_moved(column, before, after, n_old, n_new):
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
    if before == after:
        return False
    if NUMBER.sub("#", before) != NUMBER.sub("#", after):
        # A number that was none before, or other words.
        return True
    numbers = zip(values_of(column, before, n_old), values_of(column, after, n_new), strict=True)
    return any(
        abs(new - old) > LIMIT * math.hypot(old_error, new_error)
        for (old, old_error), (new, new_error) in numbers
    )


def values_of(column, cell, n):
    """Return the numbers of a cell, each with its standard error of n answers."""
    if pairs := WITH_ERROR.findall(cell):
        return [(number(value), number(error)) for value, error in pairs]
    values = [number(text) for text in NUMBER.findall(cell)]
    if re.fullmatch(rf"{NUMBER.pattern} of {NUMBER.pattern}", cell):
        values = [values[0] / values[1]] if values[1] else []
        return [(value, binomial_error(value, n)) for value in values]
    return [
        (value, binomial_error(value, n) if is_share(column, cell, value) else abs(value) / n**0.5)
        for value in values
    ]


def is_share(column, cell, value):
    """Return whether a number of a cell is a share."""
    return 0.0 <= value <= 1.0 and ("%" in cell or SHARES.search(column) is not None)


def binomial_error(share, n):
    """Return the standard error of a share of n, by two made-up answers of either kind."""
    share = (n * share + 2.0) / (n + 4.0)
    return (share * (1.0 - share) / (n + 4.0)) ** 0.5


def number(text):
    """Return what a text says, a percentage as a share."""
    return float(text[:-1]) / 100.0 if text.endswith("%") else float(text)
