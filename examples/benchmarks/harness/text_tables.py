"""Tables of many fits: means over repeats and sets, weighted by data set."""

from collections import Counter, defaultdict

import numpy as np
from score_files import SHARED_WEIGHTS, data_set_of

# Columns of a longer table are not aligned.
LONGEST_LINE = 118


def by_set(rows, measure):
    """Return the mean over the fits of each set."""
    values = defaultdict(list)
    for row in rows:
        values[row["set"]].append(float(row[measure]))
    return {name: np.mean(found) for name, found in values.items()}


def weighted_mean(rows, measure):
    """Return a mean over fits: of each set first, then of sets, weighted; NaN without a fit.

    The sets of one data set share its weight (`SHARED_WEIGHTS`, else 1).
    """
    means = by_set(rows, measure)
    sets_of = Counter(map(data_set_of, means))
    weights = [SHARED_WEIGHTS.get(d, 1.0) / sets_of[d] for d in map(data_set_of, means)]
    return np.average(list(means.values()), weights=weights) if means else np.nan


def grouped(rows, *keys):
    """Return rows by the values of some columns, in order of appearance."""
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in keys)].append(row)
    return groups


def standard_error(rows, measure):
    """Return the error of `weighted_mean` that comes from the choice of labels, NaN if unknown.

    Repeats draw their labels independently; the sets are the same in all of them.
    """
    means = [weighted_mean(repeat, measure) for repeat in grouped(rows, "repeat").values()]
    return np.std(means, ddof=1) / np.sqrt(len(means)) if len(means) > 1 else np.nan


def as_text(title, table, rst=False):
    """Return a table as aligned text, or as a simple table of reStructuredText."""
    heading, body = table
    rows = [[str(cell) for cell in row] for row in (heading, *body)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heading))]
    # Names to the left, numbers to the right.
    left = [not any(row[i][0].isdigit() for row in rows[1:]) for i in range(len(heading))]
    lines = [
        "  ".join(
            cell.ljust(width) if flush else cell.rjust(width)
            for cell, width, flush in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in rows
    ]
    if rst:
        rule = "  ".join("=" * width for width in widths)
        lines = [rule, lines[0], rule, *lines[1:], rule]
    return "\n".join([title, "", *lines, ""])


def text_of(parts, rst=False):
    """Return titled tables and remarks as one text."""
    return "\n".join(p if isinstance(p, str) else as_text(*p, rst) for p in parts)


def titled_table(title, heading, body, widths):
    """Return a table with a title as a directive of reStructuredText, one line a row."""
    lines = [
        f".. csv-table:: {title}",
        "   :delim: |",
        "   :header-rows: 1",
        f"   :widths: {' '.join(map(str, widths))}",
        "",
    ]
    # What begins with a quotation mark would end with one.
    rows = [[str(cell).replace('"', r"\"") for cell in row] for row in (heading, *body)]
    filled = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if sum(filled) + 3 * len(filled) > LONGEST_LINE:
        filled = [0] * len(filled)
    for row in rows:
        cells = [cell.ljust(n) for cell, n in zip(row, filled, strict=True)]
        lines.append("   " + " | ".join(cells).rstrip())
    return "\n".join(lines) + "\n"
