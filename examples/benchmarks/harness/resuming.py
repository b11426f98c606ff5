"""Many tasks whose rows are kept in a CSV file, so that a run can be interrupted and gone on with.

A task is known by its key, a row by that of its task and by its method.
"""

from __future__ import annotations

import csv
import io
import math
import sys
import time
from collections import defaultdict
from dataclasses import dataclass

from sklearn.utils.parallel import Parallel, delayed


@dataclass(frozen=True)
class Task:
    """A unit of work: some methods on the same data.

    Attributes
    ----------
    key : dict
        What the rows say of it.
    arguments : tuple
        What is passed to the work, followed by the names of methods.
    methods : tuple of str
    """

    key: dict
    arguments: tuple
    methods: tuple[str, ...]


def run(tasks, work, options, minutes=math.inf):
    """Do all tasks that are not done yet; return the rows of all that are done, as strings.

    Parameters
    ----------
    tasks : sequence of Task
        With keys of the same names.
    work : callable
        ``work(*task.arguments, methods)`` returns rows, dicts with a "method".
    options : Namespace
        With `out`, `resume` and `jobs`.
    minutes : float
        No task is begun, of one process, when they are over: another run goes on.
    """
    deadline = time.monotonic() + 60.0 * minutes
    done = defaultdict(list)
    if options.out is not None and options.resume and options.out.is_file():
        with options.out.open(newline="") as file:
            for row in csv.DictReader(file):
                done[_row_key(tasks, row)].append(row)
    left = []
    for task in tasks:
        methods = [m for m in task.methods if (*map(str, task.key.values()), m) not in done]
        if methods:
            left.append((task, methods))
    results = Parallel(n_jobs=options.jobs, return_as="generator")(
        delayed(work)(*task.arguments, methods)
        for task, methods in left
        if time.monotonic() < deadline
    )
    for number, ((task, _), rows) in enumerate(zip(left, results, strict=False), 1):
        rows = [_as_strings({**task.key, **row}) for row in rows]
        for row in rows:
            done[_row_key(tasks, row)].append(row)
        if options.out is not None:
            _append(options.out, rows)
        print(f"{number}/{len(left)}  {' '.join(map(str, task.key.values()))}", file=sys.stderr)
    wanted = [(*map(str, task.key.values()), m) for task in tasks for m in task.methods]
    return [row for key in wanted for row in done.get(key, [])]


def _row_key(tasks, row):
    return (*(row[name] for name in tasks[0].key), row["method"])


def _as_strings(row):
    return {k: f"{v:.8g}" if isinstance(v, float) else str(v) for k, v in row.items()}


def _append(path, rows):
    """Write the rows of a task at the end of a file, the first of all after the column names."""
    if not rows:
        return
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    if not path.is_file():
        writer.writeheader()
    writer.writerows(rows)
    # All at once: an interruption leaves no task half written.
    with path.open("ab", buffering=0) as file:
        file.write(text.getvalue().encode())
