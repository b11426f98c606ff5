"""Tables of many fits: means over repeats and sets, weighted by data set."""

from collections import defaultdict

import numpy as np
from sets import SHARED_WEIGHTS, data_set_of

# What a table by number of labels shows: measure, heading, digits.
SHOWN = (
    ("area", "area", 3),
    ("ap_error", "AP error", 3),
    ("covered", "coverage", 2),
    ("width", "width", 2),
    ("winkler", "Winkler", 2),
    ("confidently_wrong", "conf. wrong", 2),
    ("band_covered", "band cov.", 2),
    ("prevalence_covered", "prev. cov.", 2),
    ("seconds", "seconds", 2),
)


def weighted_mean(rows, measure):
    """Return a mean over fits: of each set first, then of sets, weighted.

    The sets of one data set share its weight (`SHARED_WEIGHTS`, else 1).
    """
    by_set = defaultdict(list)
    for row in rows:
        by_set[row["set"]].append(float(row[measure]))
    sets_of = defaultdict(list)
    for name in by_set:
        sets_of[data_set_of(name)].append(name)
    weights = [
        SHARED_WEIGHTS.get(data_set_of(name), 1.0) / len(sets_of[data_set_of(name)])
        for name in by_set
    ]
    return np.average([np.mean(values) for values in by_set.values()], weights=weights)


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


def by_labels(rows, methods):
    """Return the table of all measures for each number of labels and method.

    The last column is the standard error of the Winkler score.
    """
    groups = grouped(rows, "n_labels", "method")
    body = []
    for n in sorted({n for n, _ in groups}, key=int):
        for m in methods:
            if (n, m) in groups:
                fits = groups[n, m]
                means = [f"{weighted_mean(fits, name):.{digits}f}" for name, _, digits in SHOWN]
                body.append([n, m, *means, f"{standard_error(fits, 'winkler'):.2f}"])
    return ["labels", "method", *(heading for _, heading, _ in SHOWN), "s.e. Winkler"], body


def by_group(rows, methods, key):
    """Return the table of coverage and Winkler score by a column, over all numbers of labels.

    The group that the last method covers worst comes first.
    """
    groups = grouped(rows, key, "method")
    last = [m for m in methods if any(method == m for _, method in groups)][-1]
    names = dict.fromkeys(name for name, _ in groups)
    cells = {
        at: (weighted_mean(found, "covered"), weighted_mean(found, "winkler"), len(found))
        for at, found in groups.items()
    }
    nothing = (np.nan, np.nan, 0)
    order = sorted(names, key=lambda name: cells.get((name, last), nothing)[0])
    body = [
        [
            name,
            max(cells.get((name, m), nothing)[2] for m in methods),
            *("{:.2f} / {:.2f}".format(*cells.get((name, m), nothing)) for m in methods),
        ]
        for name in order
    ]
    return [key.replace("_", " "), "fits", *methods], body


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


def report(rows, methods, rst=False):
    """Return all tables of some fits; those that failed are counted and left out."""
    fits = [row for row in rows if not row["failure"]]
    failed = [row for row in rows if row["failure"]]
    present = {row["method"] for row in fits}
    methods = [m for m in methods if m in present]
    parts = []
    if fits:
        pooled = "coverage / Winkler score of the 90% interval of average precision"
        parts = [
            as_text("Weighted means over data sets", by_labels(fits, methods), rst),
            as_text(f"By data set: {pooled}", by_group(fits, methods, "data_set"), rst),
            as_text(f"By kind of scores: {pooled}", by_group(fits, methods, "kind"), rst),
        ]
    for (method,), found in grouped(failed, "method").items():
        parts.append(f"{len(found)} fits of {method} failed, the first: {found[0]['failure']}\n")
    return "\n".join(parts)
