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
from reply_tables import difference_table, failures, main_table
from resuming import run
from score_files import hide
from system_files import SUFFIX, SystemSet, find_systems
from system_methods import METHODS, SystemsProblem
from text_tables import text_of

LABELS = (20, 50, 100)
N_ROWS = 2000
SHOWN = ("average_precision", "roc_auc", "accuracy")


def add_options(add):
    """Add what only this mode understands."""
    add("folder", type=Path, help="a folder of sets of systems")
    add("--rows", type=int, default=N_ROWS, help="items of each set")


def main(options):
    """Run the remaining work; return tables."""
    names = distinct(options.folder)
    tasks = tasks_of(names, options, options.folder, options.rows)
    return report(run(tasks, label_set, options), options.rst) if tasks else "Nothing to do.\n"


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


def report(rows, rst=False):
    """Return all tables."""
    parts = [
        *((f"Each system: {m}", main_table(rows, m, "n_labels", "method")) for m in SHOWN),
        *((f"Differences: {m}", difference_table(rows, m, "n_labels", "method")) for m in SHOWN),
    ]
    return text_of([*parts, failures(rows)], rst)
