"""Subgroups of the items of one system: each of them, and all their differences.

Natural tasks are two systems of every set of a folder that has subgroups; others are made from
real scores (`subgroup_tasks`). ``category``: one fit that knows of the subgroups. ``separate``: the
default on each. ``pooled``: the default on all items, as if there were none. ``empirical_bayes``:
shares of the labels, shrunken towards each other. A subgroup without a positive item has no
average precision and is left out there. Subgroups are also shown by how many items of theirs are
labelled.
"""

from pathlib import Path

import numpy as np
from asking import ask, seed_for, tasks_of
from reply_tables import (
    coverage_by_part,
    difference_table,
    failures,
    main_table,
    write_over_all,
)
from resuming import run
from score_files import hide
from subgroup_methods import METHODS, METRICS, SubgroupProblem
from subgroup_tasks import find_tasks, load_task
from text_tables import text_of

LABELS = (20, 50, 100)
# Headings of the written table.
NAMES = {"category": "one fit", "separate": "a fit of each", "empirical_bayes": "shrunken shares"}
# How many labels a subgroup has, in words.
PARTS = ((0, "0 labels"), (2, "1-2 labels"), (9, "3-9 labels"), (np.inf, "10+ labels"))


def add_options(add):
    """Add what only this mode understands."""
    add("folder", type=Path, help="a folder of sets of systems")
    add("--csv", type=Path, help="a file for the tables over all sets")


def main(options):
    """Run the remaining work; return tables."""
    tasks = tasks_of(find_tasks(options.folder), options, options.folder)
    if not tasks:
        return "Nothing to do.\n"
    rows = run(tasks, label_task, options)
    write_over_all(options.csv, over_all(rows), NAMES)
    return report(rows, options.rst)


def label_task(folder, name, n_labels, repeat, methods):
    """Return the rows of some random labels of a task."""
    task = load_task(folder, name, repeat)
    y = hide(task.labels, name, repeat, n_labels)
    seed = seed_for(name, n_labels, repeat, "subgroups")
    problem = SubgroupProblem(task.scores, task.threshold, y, task.category, seed)
    truth = problem.measured(task.labels[np.newaxis] == 1)
    truth = {metric: values[0] for metric, values in truth.items()}
    parts = [part_of((y[own] >= 0).sum()) for own in problem.items_of()]
    return ask(METHODS, methods, problem, truth, parts)


def part_of(n_labels):
    """Return a number of labels in words."""
    return next(words for most, words in PARTS if n_labels <= most)


def over_all(rows):
    """Return the tables over all tasks, by quantity."""
    keys = "n_labels", "method"
    return {
        **{metric: main_table(rows, metric, *keys) for metric in METRICS},
        **{f"difference of {m}": difference_table(rows, m, *keys) for m in METRICS},
    }


def report(rows, rst=False):
    """Return all tables."""
    parts = [
        *over_all(rows).items(),
        *((f"By labels of the subgroup: {m}", coverage_by_part(rows, m)) for m in METRICS),
    ]
    return text_of([*parts, failures(rows)], rst)
