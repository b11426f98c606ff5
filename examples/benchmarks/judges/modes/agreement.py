"""The mean of labels of few values, with which a judge mostly agrees.

A thousand items with labels 0 and 1, of which a half, four fifths or nineteen of twenty are 1, or
with grades from 1 to 5. The judge says the label of an item with a given probability; else it says
the other one, or is a grade off. Errors and widths are in units of the label. ``sklearn_spe``:
`MeanEstimator`. ``classical``: the mean of the judge and the mean residual, with a normal interval,
as classical prediction-powered inference has it. Other methods are those of the mode ``means``.
"""

from pathlib import Path

import numpy as np
from asking import ask, seed_for, tasks_of
from draw_tables import write_rows
from mean_methods import METHODS, MeanProblem
from reply_tables import failures, main_table, mean, measured
from resuming import run
from score_files import hide
from text_tables import grouped, text_of

LABELS = (20, 50, 100)
N_ITEMS = 1000
AGREEMENTS = (80, 90, 95, 97, 99)
# Methods of the written table.
NAMES = {"sklearn_spe": "sklearn-spe", "classical": "classical"}
GRADES = (0.10, 0.15, 0.25, 0.30, 0.20)
OF_LABELS = {
    "half are 1": (0.5, 0.5),
    "80% are 1": (0.2, 0.8),
    "95% are 1": (0.05, 0.95),
    "five grades": GRADES,
}
SETS = {f"{name}, {agree}%": (p, agree) for name, p in OF_LABELS.items() for agree in AGREEMENTS}


def add_options(add):
    """Add what only this mode understands."""
    add("--csv", type=Path, help="a file for the cells of all methods")


def main(options):
    """Run the remaining work; return tables."""
    tasks = tasks_of(list(SETS), options)
    if not tasks:
        return "Nothing to do.\n"
    rows = run(tasks, label_items, options)
    if options.csv is not None:
        write_rows(list(rows_of_cells(rows)), options.csv)
    return report(rows, options.rst)


def drawn(name, rng):
    """Return the verdicts of the judge, and the labels: places among the values."""
    proba, agree = SETS[name]
    labels = rng.choice(len(proba), N_ITEMS, p=proba)
    said = labels + rng.choice([-1, 1], N_ITEMS)
    # One off the ends is one off to the other side.
    said = np.where((said < 0) | (said >= len(proba)), 2 * labels - said, said)
    agrees = 100.0 * rng.random(N_ITEMS) < agree
    return np.where(agrees, labels, said).astype(float), labels.astype(float)


def label_items(name, n_labels, repeat, methods):
    """Return the rows of some random labels of drawn items."""
    proxy, labels = drawn(name, np.random.default_rng(seed_for(name, 0, repeat, "items")))
    shown = hide(np.zeros(len(labels), dtype=int), name, repeat, n_labels) >= 0
    problem = MeanProblem(
        proxy, np.where(shown, labels, np.nan), seed_for(name, n_labels, repeat, "agreement")
    )
    return ask(METHODS, methods, problem, {"rate": np.array([labels.mean()])}, ["mean"])


def report(rows, rst=False):
    """Return a line for each number and kind of labels, and the columns of all cells."""
    parts = [("The mean", main_table(rows, "rate", "n_labels", "method"))]
    for (method,), found in grouped(measured(rows, "rate"), "method").items():
        parts.append((f"Coverage, interval score: {method}", table_of(found)))
    return text_of([*parts, failures(rows)], rst)


def rows_of_cells(rows):
    """Yield a row for each kind and number of labels and each method."""
    for (method,), found in grouped(measured(rows, "rate"), "method").items():
        heading, body = table_of(found)
        for kind, n_labels, *cells in body:
            cells = dict(zip(heading[2:], cells, strict=True))
            name = NAMES.get(method, method)
            yield {"labels are": kind, "labels": n_labels, "method": name, **cells}


def table_of(rows):
    """Return coverage and interval score of one method, a column for each agreement."""
    cells = grouped(rows, "set", "n_labels")
    body = []
    for name in OF_LABELS:
        for n_labels in sorted({int(row["n_labels"]) for row in rows}):
            own = [cells.get((f"{name}, {agree}%", str(n_labels)), []) for agree in AGREEMENTS]
            if any(own):
                body.append([name, str(n_labels), *map(cell_of, own)])
    return ["labels are", "labels", *(f"{agree}% agree" for agree in AGREEMENTS)], body


def cell_of(rows):
    """Return coverage and interval score, or nothing where nothing was run."""
    return f"{mean(rows, 'covered'):.2f}, {mean(rows, 'winkler'):.3f}" if rows else "--"
