"""Several systems on the same items: each of them, all their differences, and which is better.

The first 2,000 items of every set of a folder; of sets that share their items the first counts.
Accuracy is that of each system's own decision. ``several``: one fit of all systems. ``alone``:
the default on each system by itself, whose differences are those of independent draws. ``labels``:
the Bayesian bootstrap of the labelled items. ``mean``: the default on the mean of all log-odds.
``ssme``: EM with kernel densities of all log-odds, whose intervals are those of drawn labels alone.
"""

from pathlib import Path

import numpy as np
from asking import ask, seed_for, tasks_of
from reply_tables import SAID, difference_table, failures, main_table, write_over_all
from resuming import run
from score_files import hide
from system_files import SUFFIX, SystemSet, find_systems
from system_methods import METHODS, SystemsProblem
from text_tables import text_of

LABELS = (20, 50, 100)
N_ROWS = 2000
SHOWN = ("average_precision", "roc_auc", "accuracy")
# Headings of the written table.
NAMES = {
    "several": "one fit",
    "alone": "a fit of each",
    "labels": "labels alone",
    SAID[1]: "better above 0.9, right then",
}


def add_options(add):
    """Add what only this mode understands."""
    add("folder", type=Path, help="a folder of sets of systems")
    add("--rows", type=int, default=N_ROWS, help="items of each set")
    add("--csv", type=Path, help="a file for the tables over all sets")


def main(options):
    """Run the remaining work; return tables."""
    names = distinct(options.folder)
    tasks = tasks_of(names, options, options.folder, options.rows)
    if not tasks:
        return "Nothing to do.\n"
    rows = run(tasks, label_set, options)
    write_over_all(options.csv, over_all(rows), NAMES)
    return report(rows, options.rst)


def distinct(folder):
    """Return the names of the sets, without those whose labels another set has."""
    found = {}
    for path in find_systems(folder):
        found.setdefault(SystemSet.load(path, N_ROWS).labels.tobytes(), path)
    return [path.name.removesuffix(SUFFIX) for path in found.values()]


def label_set(folder, n_rows, name, n_labels, repeat, methods):
    """Return the rows of some random labels of a set."""
    items = SystemSet.load(folder / f"{name}{SUFFIX}", n_rows)
    y = hide(items.labels, name, repeat, n_labels)
    seed = seed_for(name, n_labels, repeat, "systems")
    problem = SystemsProblem(items.scores, items.thresholds, y, seed)
    truth = problem.measured(items.labels[np.newaxis] == 1)
    truth = {metric: values[0] for metric, values in truth.items()}
    return ask(METHODS, methods, problem, truth, ["system"] * problem.n_systems)


def over_all(rows):
    """Return the tables over all sets, by quantity."""
    keys = "n_labels", "method"
    return {
        **{metric: main_table(rows, metric, *keys) for metric in SHOWN},
        **{f"difference of {m}": difference_table(rows, m, *keys) for m in SHOWN},
    }


def report(rows, rst=False):
    """Return all tables."""
    return text_of([*over_all(rows).items(), failures(rows)], rst)
