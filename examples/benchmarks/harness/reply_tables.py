"""Means over the units of a set, then over sets: sets weigh the same."""

import numpy as np
from draw_tables import write_rows
from replies import DIFFERENCE
from text_tables import grouped

MEASURES = ("error", "bias", "covered", "width", "winkler")
HEADINGS = ("error", "bias", "coverage", "worst set", "width", "interval score")
SAID = ("Brier", "said > .9", "right then")


def measured(rows, metric):
    """Return the rows of one metric that did not fail."""
    return [row for row in rows if row["metric"] == metric and not row["failure"]]


def by_set(rows, measure):
    """Return the mean of a measure over the units of each set."""
    means = {}
    for (name,), found in grouped(rows, "set").items():
        counts = [float(row["count"]) for row in found]
        means[name] = np.average([float(row[measure]) for row in found], weights=counts)
    return means


def mean(rows, measure):
    """Return the mean over sets, NaN without a row."""
    return np.mean(list(by_set(rows, measure).values())) if rows else np.nan


def cells(rows):
    """Return the cells under `HEADINGS`."""
    covered = by_set(rows, "covered")
    worst = min(covered, key=covered.get)
    error, bias, coverage, width, winkler = (mean(rows, m) for m in MEASURES)
    return [
        *(f"{error:.4f}", f"{bias:+.4f}", f"{coverage:.2f}", f"{covered[worst]:.2f} {worst}"),
        *(f"{width:.3f}", f"{winkler:.3f}"),
    ]


def in_order(groups):
    """Return groups sorted by their keys, numbers by size."""

    def place(item):
        return [(0, float(k), "") if is_number(k) else (1, 0.0, k) for k in item[0][:-1]]

    return sorted(groups.items(), key=place)


def is_number(text):
    """Return whether a key is a number."""
    return text.replace(".", "", 1).isdigit()


def main_table(rows, metric, *keys):
    """Return a line for each value of some columns, about single units."""
    found = [row for row in measured(rows, metric) if row["part"] != DIFFERENCE]
    body = [[*key, *cells(group)] for key, group in in_order(grouped(found, *keys))]
    return [*keys, *HEADINGS], body


def difference_table(rows, metric, *keys):
    """Return a line for each value of some columns, about differences of two."""
    found = [row for row in measured(rows, metric) if row["part"] == DIFFERENCE]
    body = []
    for key, group in in_order(grouped(found, *keys)):
        said, right, count = (
            sum(float(row[name]) for row in group) for name in ("said", "right", "count")
        )
        worth = f"{right / said:.3f}" if said else "--"
        body.append(
            [*key, *cells(group), f"{mean(group, 'brier'):.3f}", f"{said / count:.2f}", worth]
        )
    return [*keys, *HEADINGS, *SAID], body


def write_over_all(path, tables, names):
    """Write coverage and interval score over all sets: a row for each quantity, a column a method.

    `tables` are by quantity, `names` the headings of the methods that are written, and of how often
    the first one said "better", and was right; without a path nothing is written.
    """
    cells = {}
    for of, (heading, body) in tables.items():
        for line in body:
            found = dict(zip(heading, line, strict=True))
            cell = f"{found['coverage']}, {found['interval score']}"
            by_method = cells.setdefault((of, found["n_labels"]), {})
            by_method[found["method"]] = cell
            if SAID[1] in found and found["method"] == next(iter(names)):
                by_method[SAID[1]] = f"{found[SAID[1]]}, {found[SAID[2]]}"
    known = set().union(*cells.values())
    shown = {method: name for method, name in names.items() if method in known}
    rows = [
        {
            "of": of,
            "labels": n_labels,
            **{name: by_method.get(method, "") for method, name in shown.items()},
        }
        for (of, n_labels), by_method in cells.items()
    ]
    if path is not None:
        write_rows(rows, path)


def coverage_by_part(rows, metric):
    """Return the coverage and interval score of every part of the units."""
    found = [row for row in measured(rows, metric) if row["part"] != DIFFERENCE]
    body = [
        [*key, sum(int(row["count"]) for row in group), *cells(group)]
        for key, group in in_order(grouped(found, "n_labels", "part", "method"))
    ]
    return ["n_labels", "part", "method", "units", *HEADINGS], body


def failures(rows):
    """Return the number of failures of each method, the first one, and seconds."""
    lines = []
    for (method,), found in grouped(rows, "method").items():
        runs = {(row["set"], row["n_labels"], row["repeat"]): row for row in found}.values()
        seconds = np.mean([float(row["seconds"]) for row in runs])
        lines.append(f"{method}: {len(runs)} runs of {seconds:.2f} s on average")
        failed = [row["failure"] for row in runs if row["failure"]]
        if failed:
            lines.append(f"  {len(failed)} failed, the first: {failed[0]}")
    return "\n".join([*lines, ""])
