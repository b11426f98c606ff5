"""Tables of the errors of many predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from draw_tables import write_rows
from peers import NAMES, PUBLISHED
from text_tables import grouped

# Upper ends of the ranges of the ratio: classes asked for over classes tried.
BUCKETS = {"2x": 2.0, "2.5-6x": 6.0, "6-25x": 25.0, ">25x": np.inf}
# A cell is worse than the best published method if its error exceeds that one's so many times,
WORSE = 1.5
# and seriously so if it is larger by this, too: small errors are mostly chance.
SERIOUS = 0.02
# No error counts as smaller: one published method may be right by luck.
SMALLEST = 0.001
CELL = ("problem", "n_classes", "n_items", "bucket")


def bucket_of(ratio):
    """Return the range that a ratio falls into."""
    return next(name for name, end in BUCKETS.items() if float(ratio) <= end)


@dataclass(frozen=True)
class Errors:
    """The errors of predictions, by any columns.

    Attributes
    ----------
    rows : list of dict
        With an "error" each.
    """

    rows: list

    @classmethod
    def of(cls, rows, column) -> Errors:
        """Return the errors of the column "plain" or "joined" of predictions."""
        return cls(
            [
                {
                    **r,
                    "error": float(r[column]) - float(r["truth"]),
                    "bucket": bucket_of(r["ratio"]),
                }
                for r in rows
                if r["failure"] == ""
            ]
        )

    def rmse(self, *keys) -> dict:
        """Return root mean squared errors by the values of some columns."""
        return {k: _rmse(found) for k, found in grouped(self.rows, *keys).items()}

    def bias(self, *keys) -> dict:
        """Return mean errors by the values of some columns."""
        found = grouped(self.rows, *keys)
        return {k: float(np.mean([r["error"] for r in g])) for k, g in found.items()}


def _rmse(rows):
    return float(np.sqrt(np.mean([row["error"] ** 2 for row in rows])))


def cell(value, digits=3):
    """Return a number as text, a dash for one that is missing."""
    return "--" if value is None or not np.isfinite(value) else f"{value:.{digits}f}"


def methods_of(rows, order):
    """Return the methods that have rows, in a given order."""
    present = {row["method"] for row in rows}
    return [m for m in order if m in present]


def by_method(rows, column, methods):
    """Return errors by method: in each range of the ratio, in all, the bias and the worst cell."""
    errors = Errors.of(rows, column)
    by_bucket, overall = errors.rmse("method", "bucket"), errors.rmse("method")
    cells, bias = errors.rmse("method", *CELL), errors.bias("method")
    groups = grouped(rows, "method")
    body = []
    for m in methods:
        worst = max((e for key, e in cells.items() if key[0] == m), default=None)
        # Each fit has a row for every number of classes; its time is in all of them.
        seconds = [float(r["seconds"]) for r in groups[m,]]
        failed = {
            (r["problem"], r["n_classes"], r["n_items"], r["repeat"])
            for r in groups[m,]
            if r["failure"]
        }
        body.append(
            [
                m,
                *(cell(by_bucket.get((m, b))) for b in BUCKETS),
                *(cell(found.get((m,))) for found in (overall, bias)),
                cell(worst),
                f"{np.median(seconds):.3f}",
                len(failed),
            ]
        )
    return ["method", *BUCKETS, "all", "bias", "worst cell", "seconds", "failed"], body


def by_ratio(rows, column, methods):
    """Return errors over that of the best published method in each range of the ratio."""
    errors = Errors.of(rows, column)
    by_bucket = errors.rmse("method", "bucket")
    best = {b: min(by_bucket.get((m, b), np.inf) for m in PUBLISHED) for b in BUCKETS}
    body = [
        [m, *(cell(by_bucket.get((m, b), np.nan) / best[b], 2) for b in BUCKETS)] for m in methods
    ]
    return ["method", *BUCKETS], body


def by_cell(rows, column, methods):
    """Return how a method compares to the best published one in each cell."""
    cells = Errors.of(rows, column).rmse("method", *CELL)
    places = list(dict.fromkeys(key[1:] for key in cells))
    best = {p: max(SMALLEST, min(cells.get((m, *p), np.inf) for m in PUBLISHED)) for p in places}
    body = []
    for m in methods:
        found = [p for p in places if (m, *p) in cells]
        ratios = np.array([cells[m, *p] / best[p] for p in found])
        excess = np.array([cells[m, *p] - best[p] for p in found])
        worst = int(np.argmax(ratios))
        body.append(
            [
                m,
                len(found),
                cell(np.median(ratios), 2),
                cell(ratios[worst], 2),
                ", ".join(found[worst]),
                int((ratios > WORSE).sum()),
                int(((ratios > WORSE) & (excess > SERIOUS)).sum()),
            ]
        )
    heading = ["method", "cells", "median", "worst", "which", f"above {WORSE}", "seriously"]
    return heading, body


def by_group(rows, column, methods, *keys):
    """Return errors by some columns, one line a group and one column a method."""
    errors = Errors.of(rows, column).rmse("method", *keys)
    groups = list(dict.fromkeys(key[1:] for key in errors))
    body = [[", ".join(g), *(cell(errors.get((m, *g))) for m in methods)] for g in groups]
    return [", ".join(keys), *methods], body


def write_guide(path, heading, body):
    """Write a table of the guide, a line a method, if a file is given."""
    lines = [[NAMES.get(name, name), *cells] for name, *cells in body]
    if path is not None:
        write_rows([dict(zip(heading, line, strict=True)) for line in lines], path)


def failures(rows):
    """Return the first failure of each method."""
    failed = grouped([row for row in rows if row["failure"]], "method")
    return "".join(f"{m} failed, the first time: {r[0]['failure']}\n" for (m,), r in failed.items())
