"""Methods that are asked about the same labels, and the rows that tell how good they were."""

import re

from replies import rows_of
from resumable_runs import attempt
from resuming import Task
from score_files import seed_of

ROW = (
    *("method", "metric", "part", "count", "error", "bias", "covered", "width", "winkler"),
    *("brier", "said", "right", "seconds", "failure"),
)


def tasks_of(names, options, *arguments):
    """Return a task for each name that matches, number of labels and repeat.

    Arguments come first in the call; the name, the number of labels and the repeat follow.
    """
    repeats = range(options.first_repeat, options.first_repeat + options.repeats)
    return [
        Task(
            {"set": name, "n_labels": n_labels, "repeat": repeat},
            (*arguments, name, n_labels, repeat),
            tuple(options.methods),
        )
        for repeat in repeats
        for name in names
        for n_labels in options.labels
        if re.search(options.only, name)
    ]


def seed_for(name, n_labels, repeat, method):
    """Return the seed of a method's own random numbers."""
    return seed_of(f"{name} {method}", repeat, n_labels)


def ask(known, methods, problem, truth, parts):
    """Return the rows of all methods; a failure is one row with its reason.

    Parameters
    ----------
    known : dict of str to callable
        ``known[method](problem)`` returns replies by metric.
    methods : sequence of str
    problem : object
    truth : dict of str to ndarray of shape (n_units,)
    parts : sequence of str
        To which part of the tables every unit belongs.
    """
    rows = []
    for method in methods:
        replies, about = attempt(known[method], problem)
        if replies is None:
            rows.append(filled({"method": method, **about}))
            continue
        for metric, reply in replies.items():
            for row in rows_of(reply, truth[metric], parts):
                rows.append(filled({"method": method, "metric": metric, **row, **about}))
    return rows


def filled(row):
    """Return a row with all columns of `ROW`, in order."""
    return {column: row.get(column, "") for column in ROW}
