"""Tables of coverage by kind of shape and quantity, and by verdict."""

from __future__ import annotations

import numpy as np
from questions import QUESTIONS
from text_tables import as_text, grouped, titled_table

HEADINGS = ("average precision", "ROC AUC", "prevalence", "F1 above the best fifth")


def mean(rows, measure):
    """Return the mean of a measure; NaN without a row."""
    return np.mean([float(row[measure]) for row in rows]) if rows else np.nan


def by_kind(rows):
    """Return coverage, and how often the truth is worse, of every kind and number of labels."""
    body = []
    for (n, kind), found in sorted(grouped(rows, "n_labels", "kind").items(), key=order):
        coverage = [f"{mean(found, f'{q}_covered'):.2f}" for q in QUESTIONS]
        ok = [row for row in found if row["verdict"] == "ok"]
        body.append([kind, n, len(found), *coverage, f"{len(ok) / len(found):.2f}"])
    return ("kind", "labels", "draws", *HEADINGS, '"ok"'), body


def order(item):
    """Return the number of labels of a group, by which groups are ordered."""
    (n, _), _ = item
    return int(n)


def overall(rows):
    """Return means over kinds by number of labels: coverage, width, interval score."""
    body = []
    for (n,), found in sorted(grouped(rows, "n_labels").items(), key=lambda item: int(item[0][0])):
        for q, heading in zip(QUESTIONS, HEADINGS, strict=True):
            kinds = grouped(found, "kind").values()
            parts = ("covered", "below", "width", "winkler", "confidently_wrong")
            means = [np.mean([mean(k, f"{q}_{part}") for k in kinds]) for part in parts]
            body.append([heading, n, *(f"{m:.3f}" for m in means)])
    head = ("quantity", "labels", "coverage", "truth below", "width", "interval score")
    return (*head, "confidently wrong"), body


def by_verdict(rows):
    """Return the coverage by verdict, for every number of labels."""
    body = []
    for (n, verdict), found in sorted(grouped(rows, "n_labels", "verdict").items(), key=order):
        coverage = [f"{mean(found, f'{q}_covered'):.2f}" for q in QUESTIONS]
        body.append([verdict, n, len(found), *coverage])
    return ("verdict", "labels", "draws", *HEADINGS), body


def report(rows, methods, rst=False):
    """Return all tables of some fits; those that failed are counted and left out."""
    parts = []
    for (method,), found in grouped(rows, "method").items():
        fits = [row for row in found if not row["failure"]]
        failed = [row for row in found if row["failure"]]
        parts += [
            as_text(f"{method}: over all kinds", overall(fits), rst),
            as_text(f"{method}: coverage by kind", by_kind(fits), rst),
            as_text(f"{method}: coverage by verdict", by_verdict(fits), rst),
        ]
        if failed:
            parts.append(f"{len(failed)} fits failed, the first: {failed[0]['failure']}\n")
    return "\n".join(parts)


def main_table(rows, methods):
    """Return the tables of the guide: the first method's coverage by kind, and by verdict."""
    fits = [row for row in rows if row["method"] == methods[0] and not row["failure"]]
    counts = sorted({int(row["n_labels"]) for row in fits})
    title = f"Coverage of 90% intervals at {' / '.join(map(str, counts))} labels"
    tables = [
        titled_table(title, ("kind", *HEADINGS, '"ok"'), rows_of(fits, "kind"), (3, 3, 3, 3, 3, 3)),
        titled_table(
            f"{title}, by verdict",
            ("verdict", *HEADINGS, "share of fits"),
            rows_of(fits, "verdict"),
            (3, 3, 3, 3, 3, 3),
        ),
    ]
    return "\n".join(tables)


def rows_of(fits, key):
    """Return one row for each value of a column: coverages, and how often it is "ok" or occurs."""
    every, body = grouped(fits, "n_labels"), []
    for value in dict.fromkeys(row[key] for row in fits):
        each = {
            n: [row for row in found if row[key] == value]
            for (n,), found in sorted(every.items(), key=lambda item: int(item[0][0]))
        }
        if key == "kind":
            shares = [np.mean([row["verdict"] == "ok" for row in found]) for found in each.values()]
        else:
            shares = [len(found) / len(every[n,]) for n, found in each.items()]
        parts = [[mean(found, f"{q}_covered") for found in each.values()] for q in QUESTIONS]
        cells = [" / ".join(f"{x:.2f}" for x in part) for part in (*parts, shares)]
        body.append([f"``{value}``", *cells])
    return body
