"""Classifiers with many classes: how often they are right.

The first 2,000 items of every table of a folder, and digits that are classified here
(`class_tasks`). ``classes``: one fit of all classes. ``confidence``: the default on the largest
probability, asked whether the prediction is right. ``jeffreys``: the labelled share with Jeffreys'
prior. ``labels``: the Bayesian bootstrap of the labelled items.
"""

from pathlib import Path

import numpy as np
from asking import filled, seed_for, tasks_of
from class_methods import METHODS, ClassProblem, truth_of
from class_tasks import find_classes, load_classes
from replies import means
from reply_tables import failures, main_table
from resumable_runs import attempt
from resuming import run
from score_files import hide
from text_tables import text_of

LABELS = (20, 50, 100)
SHOWN = ("accuracy", "top_k_accuracy", "macro_f1", "macro_precision", "macro_recall")


def add_options(add):
    """Add what only this mode understands."""
    add("folder", nargs="?", type=Path, help="a folder of tables; else digits alone")


def main(options):
    """Run the remaining work; return tables."""
    tasks = tasks_of(find_classes(options.folder), options, options.folder)
    return report(run(tasks, label_classes, options), options.rst) if tasks else "Nothing to do.\n"


def label_classes(folder, name, n_labels, repeat, methods):
    """Return the rows of some random labels of a task."""
    task = load_classes(folder, name)
    y = hide(task.labels, name, repeat, n_labels)
    problem = ClassProblem(task, y, seed_for(name, n_labels, repeat, "classes"))
    truth, rows = truth_of(task), []
    for method in methods:
        found, about = attempt(METHODS[method], problem)
        if found is None:
            rows.append(filled({"method": method, **about}))
            continue
        for metric, estimate in found.items():
            row = means(estimate, np.atleast_1d(truth[metric]), np.array([True]))
            about_it = {"method": method, "metric": metric, "part": "classifier"}
            rows.append(filled({**about_it, **row, **about}))
    return rows


def report(rows, rst=False):
    """Return all tables."""
    parts = [(f"Classes: {m}", main_table(rows, m, "n_labels", "method")) for m in SHOWN]
    return text_of([*parts, failures(rows)], rst)
