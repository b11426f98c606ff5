"""Tables of the coverage over truths: its mean and its least, beside Jeffreys'."""

from __future__ import annotations

from intervals import LEVELS, METHODS, QUESTIONS
from text_tables import as_text, grouped, titled_table

SHOWN = (("mean", "mean"), ("worst", "worst"), ("width", "width"))
NAMES = {"sklearn_spe": "this package", "jeffreys": "Jeffreys"}


def table(rows, methods):
    """Return one row for each design, number of labels, question and level; means over repeats."""
    heading = ["design", "labels", "question", "level", "outcomes"]
    heading += [f"{part}, {NAMES[m]}" for part, _ in SHOWN for m in methods]
    body = []
    for (design, n), found in grouped(rows, "set", "n_labels").items():
        of = {m: [row for row in found if row["method"] == m] for m in methods}
        if not all(of.values()):
            continue
        for question in QUESTIONS:
            for level in LEVELS:
                cells = [
                    f"{_mean(of[m], f'{question}_{level}_{part}'):.3f}"
                    for _, part in SHOWN
                    for m in methods
                ]
                body.append([design, n, question, level, found[0]["n_outcomes"], *cells])
    return heading, body


def _mean(rows, measure):
    return sum(float(row[measure]) for row in rows) / len(rows)


def report(rows, methods, rst=False):
    """Return the table, and what failed."""
    fits = [row for row in rows if not row["failure"]]
    parts = [as_text("Coverage over truths by enumeration", table(fits, methods), rst)]
    for (method,), found in grouped([r for r in rows if r["failure"]], "method").items():
        parts.append(f"{len(found)} cases of {method} failed, the first: {found[0]['failure']}\n")
    return "\n".join(parts)


def main_table(rows, methods):
    """Return the table of the guide."""
    heading, body = table([row for row in rows if not row["failure"]], methods)
    n = 2 * len(METHODS)
    kept = [*range(4), *range(5, 5 + n)]
    cells = [[row[k] for k in kept] for row in body]
    title = "Coverage of intervals for two-valued scores, over truths"
    return titled_table(title, [heading[k] for k in kept], cells, [20, 7, 12, 6] + [10] * n)
