"""Many fits over a folder of score sets: the command line, and the file that holds every fit.

One fit is of one method on one case: items of a set of which a few are labelled, by default its
first rows and random ones among them. What is written of it is a row of strings, as a CSV file
holds it.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from draw_tables import write_rows
from score_files import ScoreSet, find_sets, hide, seed_of
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from sklearn_spe.exceptions import MisfitWarning, SamplingWarning, UnidentifiedWarning

DATA = Path(__file__).resolve().parents[2] / "data"
# What few labels may legitimately warn of.
EXPECTED = (MisfitWarning, SamplingWarning, UnidentifiedWarning)
# One fit is known by these, and described by the rest.
KEY = ("set", "n_rows", "n_labels", "repeat", "method")
ABOUT = (*KEY, "data_set", "kind", "n_labeled_positives", "seconds", "failure")


@dataclass(frozen=True)
class Case:
    """One set of scores of which a few are labelled.

    Attributes
    ----------
    score_set : ScoreSet
    n_labels, repeat : int
    scores : ndarray of shape (n,)
    labels : ndarray of shape (n,)
        All of them, 0 or 1.
    y : ndarray of shape (n,)
        Those that methods may see, -1 elsewhere.
    """

    score_set: ScoreSet
    n_labels: int
    repeat: int
    scores: np.ndarray
    labels: np.ndarray
    y: np.ndarray

    @property
    def seed(self):
        """The seed of the random numbers of a fit."""
        return seed_of(self.score_set.name, self.repeat, self.n_labels)

    @property
    def about(self):
        """The columns of the case in every row."""
        return {
            "set": self.score_set.name,
            "n_labels": self.n_labels,
            "repeat": self.repeat,
            "data_set": self.score_set.data_set,
            "kind": self.score_set.kind,
            "n_labeled_positives": int((self.y == 1).sum()),
        }


def random_labels(score_set, n_rows, n_labels, repeat):
    """Return the first rows of a set with a few random labels, None if the set is of no use."""
    loaded = score_set.load(n_rows)
    if loaded is None:
        return None
    scores, labels = loaded
    y = hide(labels, score_set.name, repeat, n_labels)
    return Case(score_set, n_labels, repeat, scores, labels, y)


@dataclass(frozen=True)
class Benchmark:
    """A fit, and the record that is written of it.

    Attributes
    ----------
    name, about : str
        The name of the program, and what it does in one sentence.
    methods : sequence of str
    missing : dict of str to str
        Names of methods that cannot run here, and why.
    measures : sequence of str
        The columns of a row that `fit_all` adds.
    fit_all : callable
        ``fit_all(case, methods)`` returns a row for each method that is defined for the case.
    report : callable
        ``report(rows, methods, rst)`` returns text.
    labels : sequence of int
        The default numbers of labels.
    repeats, quick_repeats : int
        The default number of draws of labels, and that of ``--quick``.
    rows : int
        The default number of items of a case.
    find : callable
        ``find(folder, pattern)`` returns score sets.
    draw : callable
        ``draw(score_set, n_rows, n_labels, repeat)`` returns a case, None if the set is of no use.
    table : callable, default=None
        ``table(rows, methods)`` returns the one table that the guide shows.
    summary : callable, default=None
        ``summary(rows, methods)`` returns a dict of cells for each set and method.
    note : str
        What the help says at its end.
    """

    name: str
    about: str
    methods: tuple[str, ...]
    missing: dict[str, str]
    measures: tuple[str, ...]
    fit_all: Callable
    report: Callable
    labels: tuple[int, ...] = (10, 20, 50, 100)
    repeats: int = 5
    quick_repeats: int = 1
    rows: int = 4000
    find: Callable = find_sets
    draw: Callable = random_labels
    table: Callable | None = None
    summary: Callable | None = None
    note: str = ""

    @property
    def columns(self):
        """The columns of the file of fits."""
        return (*ABOUT, *self.measures)

    def main(self):
        """Run the command line."""
        options = self._read_options()
        rows = self._run(options)
        if self.table is not None and options.table is not None:
            options.table.write_text(self.table(rows, options.methods))
        if self.summary is not None and options.summary is not None:
            write_rows(self.summary(rows, options.methods), options.summary)
        print(self.report(rows, options.methods, rst=options.rst))

    def _run(self, options):
        """Do all fits that are not done yet; return all of them."""
        done = read_rows(options.out) if options.resume and options.out.is_file() else {}
        wanted, tasks = [], []
        found = self.find(options.folder, options.sets)[: options.n_sets]
        if not found:
            raise SystemExit(
                f"{options.folder} holds no set of scores that matches {options.sets!r}."
            )
        for score_set in found:
            for repeat in range(options.repeats):
                for n_labels in options.labels:
                    at = (score_set.name, str(options.rows), str(n_labels), str(repeat))
                    wanted += [(*at, m) for m in options.methods]
                    open_ = [m for m in options.methods if (*at, m) not in done]
                    if open_:
                        tasks.append((score_set, options.rows, n_labels, repeat, open_))
        fits = Parallel(n_jobs=options.jobs, return_as="generator")(
            delayed(fit_task)(self.draw, self.fit_all, *task) for task in tasks
        )
        for number, (task, rows) in enumerate(zip(tasks, fits, strict=True), 1):
            rows = [self._as_strings(row) for row in rows]
            done |= {tuple(row[k] for k in KEY): row for row in rows}
            if options.out is not None:
                self._append(options.out, rows)
            print(f"{number}/{len(tasks)}  {task[0].name}", file=sys.stderr)
        return [done[key] for key in wanted if key in done]

    def _as_strings(self, row):
        """Return a row as a file holds it."""
        short = {k: f"{v:.6g}" if isinstance(v, float) else str(v) for k, v in row.items()}
        return {column: short.get(column, "") for column in self.columns}

    def _append(self, path, rows):
        """Write rows at the end of a file, which starts with the names of the columns."""
        new = not path.is_file()
        with path.open("a", newline="") as file:
            writer = csv.DictWriter(file, self.columns, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerows(rows)

    def _read_options(self):
        """Return the command line."""
        parser = argparse.ArgumentParser(prog=self.name, description=self.about, epilog=self.note)
        add = parser.add_argument
        add("folder", nargs="?", type=Path, default=DATA, help="a folder of score sets")
        add(
            "--methods",
            type=lambda text: text.split(","),
            default=list(self.methods),
            help=f"names separated by commas, of {', '.join(self.methods)} (default: all)",
        )
        add("--labels", type=int, nargs="+", default=list(self.labels))
        add("--repeats", type=int, default=self.repeats, help="draws of the labels")
        add("--rows", type=int, default=self.rows, help="items of each set")
        add("--sets", default="", help="a regular expression that names must match")
        add("--out", type=Path, help="a CSV file, to which every fit is appended")
        add("--resume", action="store_true", help="skip the fits that --out holds")
        add("--jobs", type=int, default=1, help="processes")
        add("--rst", action="store_true", help="tables as reStructuredText")
        if self.table is not None:
            add("--table", type=Path, help="a file for the main table as reStructuredText")
        if self.summary is not None:
            add("--summary", type=Path, help="a CSV file for means by set and method")
        short = f"2 sets and --repeats {self.quick_repeats}, to see it run"
        add("--quick", action="store_true", help=short)
        options = parser.parse_args()
        for name in options.methods:
            if name in self.missing:
                print(f"skipped {name}: {self.missing[name]}", file=sys.stderr)
            elif name not in self.methods:
                parser.error(f"unknown method {name!r}; choose from {', '.join(self.methods)}")
        options.methods = [name for name in options.methods if name not in self.missing]
        if options.resume and options.out is None:
            parser.error("--resume needs the file to go on with: --out")
        if options.out is not None and options.out.exists() and not options.resume:
            parser.error(
                f"{options.out} exists: add --resume to go on with it, or name another file"
            )
        options.n_sets = 2 if options.quick else None
        if options.quick:
            options.repeats = self.quick_repeats
        return options


def fit_task(draw, fit_all, score_set, n_rows, n_labels, repeat, methods):
    """Return the rows of one case; none if the set is of no use."""
    case = draw(score_set, n_rows, n_labels, repeat)
    if case is None:
        return []
    # A set may have fewer rows; its fits are known by the number that was asked for.
    return [{"n_rows": n_rows, **case.about, **row} for row in fit_all(case, methods)]


def attempt(function, *args, ignored=EXPECTED):
    """Return the result of a function, None if it raises, with the seconds and the failure.

    A failure is a result too, and must not end the run.
    """
    start = time.perf_counter()
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        for warning in ignored:
            warnings.simplefilter("ignore", warning)
        try:
            value, failure = function(*args), ""
        except Exception as error:
            value, failure = None, f"{type(error).__name__}: {error}"
    return value, {"seconds": time.perf_counter() - start, "failure": failure}


def read_rows(path):
    """Return the fits that a file holds, by their keys."""
    with path.open(newline="") as file:
        return {tuple(row[k] for k in KEY): row for row in csv.DictReader(file)}
