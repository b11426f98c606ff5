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
from reply_tables import failures, main_table, write_over_all
from resumable_runs import attempt
from resuming import run
from score_files import hide
from text_tables import text_of

LABELS = (20, 50, 100)
SHOWN = ("accuracy", "top_k_accuracy", "macro_f1", "macro_precision", "macro_recall")
# Headings of the written table.
NAMES = {
    "classes": "sklearn-spe",
    "confidence": "the confidence alone",
    "jeffreys": "labels, Jeffreys",
    "labels": "labels, bootstrap",
}


def add_options(add):
    """Add what only this mode understands."""
    add("folder", nargs="?", type=Path, help="a folder of tables; else digits alone")
    add("--csv", type=Path, help="a file for the tables over all sets")


def main(options):
    """Run the remaining work; return tables."""
    tasks = tasks_of(find_classes(options.folder), options, options.folder)
    if not tasks:
        return "Nothing to do.\n"
    rows = run(tasks, label_classes, options)
    write_over_all(options.csv, over_all(rows), NAMES)
    return report(rows, options.rst)


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


def over_all(rows):
    """Return the tables over all tasks, by quantity."""
    return {metric: main_table(rows, metric, "n_labels", "method") for metric in SHOWN}


def report(rows, rst=False):
    """Return all tables."""
    return text_of([*over_all(rows).items(), failures(rows)], rst)
