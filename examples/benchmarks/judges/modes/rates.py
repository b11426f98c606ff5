"""The rate of positives of a score set, of which a classifier's score is the judge.

The first 2,000 items of every set of a folder. ``sklearn_spe``: the default of the package, the
score itself. ``verdicts``: it too, which sees nothing but on which side of the decision a score
lies. Peers see the score as a probability: as it is, of log-odds and margins by the logistic
function, of others its rank. ``jeffreys``: the labels alone. ``rogan_gladen``: the share of
verdicts, corrected by the rates of errors among the labelled items. ``ppi``: PPI++ of ppi-python.
``aipw`` and ``aipw_spline``: ppi-aipw, with a linear and with a monotone calibration. ``judgy``:
the package of this name.
"""

from pathlib import Path

import numpy as np
from asking import ask, seed_for, tasks_of
from rate_methods import METHODS, RateProblem
from reply_tables import failures, main_table, write_over_all
from resuming import run
from score_files import find_sets, hide
from text_tables import text_of

LABELS = (20, 50, 100)
# Headings of the written table.
NAMES = {
    "sklearn_spe": "sklearn-spe",
    "jeffreys": "labels alone",
    "rogan_gladen": "Rogan-Gladen",
    "aipw": "ppi-aipw",
    "ppi": "ppi-python",
}
N_ROWS = 2000


def add_options(add):
    """Add what only this mode understands."""
    add("folder", type=Path, help="a folder of score sets")
    add("--csv", type=Path, help="a file for the tables over all sets")


def main(options):
    """Run the remaining work; return tables."""
    sets = {found.name: found for found in find_sets(options.folder)}
    names = [name for name, found in sets.items() if found.load(N_ROWS) is not None]
    tasks = tasks_of(names, options, sets)
    if not tasks:
        return "Nothing to do.\n"
    rows = run(tasks, label_set, options)
    write_over_all(options.csv, over_all(rows), NAMES)
    return report(rows, options.rst)


def label_set(sets, name, n_labels, repeat, methods):
    """Return the rows of some random labels of a set."""
    scores, labels = sets[name].load(N_ROWS)
    y = hide(labels, name, repeat, n_labels)
    problem = RateProblem.of(scores, y, sets[name].kind, seed_for(name, n_labels, repeat, "rates"))
    return ask(
        METHODS, methods, problem, {"rate": np.array([labels.mean()])}, [sets[name].data_set]
    )


def over_all(rows):
    """Return the table over all families of sets, which share their weight, by quantity."""
    families = [{**row, "set": row["part"] or row["set"]} for row in rows]
    return {"rate": main_table(families, "rate", "n_labels", "method")}


def report(rows, rst=False):
    """Return all tables."""
    return text_of([("The rate", over_all(rows)["rate"]), failures(rows)], rst)
