"""Shared parts of the replication: the command line, runs that are kept, their tables."""

import argparse
import csv
import sys
import warnings
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from sklearn_spe.exceptions import MisfitWarning, OutsideDesignWarning, UnverifiedWarning

HERE = Path(__file__).parent
# A script's own folder is all that Python looks into.
sys.path.append(str(HERE.parent / "harness"))
sys.path.append(str(HERE.parents[1] / "benchmarks" / "harness"))
import results  # noqa: E402
from resuming import Task, run  # noqa: E402

write_table, write_picture = results.write_table, results.write_picture

QUICK_REPEATS = 1
# The paper's estimator counts flips on items that were chosen by their noisy labels, and it is
# tested as it is; images are chosen outside of the selector; and at first some have no mask.
EXPECTED = (MisfitWarning, OutsideDesignWarning, UnverifiedWarning)


def read_options(description, repeats=None, data=False, joint_repeats=None):
    """Return the command line."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    if data:
        add("data", type=Path, help="where the files are")
    add("--quick", action="store_true", help="a small part, to see that it runs; keeps nothing")
    if repeats is not None:
        add("--repeats", type=int, default=repeats, help="labellings of each kind (%(default)s)")
        add("--minutes", type=float, default=np.inf, help="when to begin no more (default: never)")
    if joint_repeats is not None:
        text = "labellings by the joint model (%(default)s)"
        add("--joint-repeats", type=int, default=joint_repeats, help=text)
    add(
        "--runs",
        type=Path,
        default=HERE / "runs",
        help="where labellings are kept, so that a run can be gone on with (default: %(default)s)",
    )
    add("--out", type=Path, help="where the tables go (default: beside the script)")
    add("--pictures", type=Path, help="where pictures go (default: none)")
    options = parser.parse_args()
    if options.quick:
        options.repeats, options.runs = QUICK_REPEATS, None
    elif options.out is None:
        options.out = HERE
    return options


def labellings(name, cases, work, methods, options):
    """Do the labellings that are not kept yet; return the rows of all.

    Parameters
    ----------
    name : str
        Of the file that keeps them.
    cases : sequence of str
    work : callable
        ``work(case, repeat, methods)`` returns rows, dicts with a "method".
    methods : sequence of str
    options : Namespace
        With `repeats` and `runs`.

    Returns
    -------
    rows : list of dict
        Numbers are numbers.
    """
    path = None
    if options.runs is not None:
        options.runs.mkdir(parents=True, exist_ok=True)
        path = options.runs / f"{name}.csv"
    tasks = [
        Task({"set": case, "repeat": repeat}, (case, repeat), tuple(methods))
        for repeat in range(options.repeats)
        for case in cases
    ]
    kept_in = SimpleNamespace(out=path, resume=True, jobs=1)
    return _numbers(run(tasks, silently(work), kept_in, options.minutes))


def kept(name, options):
    """Return the rows of a file of labellings."""
    with (options.runs / f"{name}.csv").open(newline="") as file:
        return _numbers(csv.DictReader(file))


def silently(call):
    """Return a function that calls another without the warnings that are expected here."""

    def quiet(*arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for category in EXPECTED:
                warnings.simplefilter("ignore", category)
            return call(*arguments)

    return quiet


def looks_of(shares, n_items):
    """Return numbers of labels by the percentages that they are."""
    return {round(100.0 * share, 1): round(share * n_items) for share in shares}


def grouped(rows, *keys):
    """Return the rows by the values of columns, in the order in which they come."""
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[key] for key in keys)].append(row)
    return dict(found)


def mean(rows, column):
    """Return the mean of a column."""
    return float(np.mean([row[column] for row in rows]))


def deviation(rows, column):
    """Return the standard deviation of a column."""
    return float(np.std([row[column] for row in rows], ddof=1)) if len(rows) > 1 else np.nan


def by_verified(rows, column, shown, keys=("set", "labels", "estimator")):
    """Return a table with a column for each percentage: means, in parentheses deviations."""
    table = []
    for values, own in grouped(rows, *keys).items():
        line = dict(zip(keys, values, strict=True))
        for verified in shown:
            at = [row for row in own if row["verified"] == verified]
            found = at and _with_deviation(mean(at, column), deviation(at, column))
            line[f"{verified:g}%"] = found or ""
        table.append(line | {"runs": len({row["repeat"] for row in own})})
    return table


def plot_by_verified(ax, rows, column, names, keys=("labels", "estimator")):
    """Draw means with deviations against the percentage of verified items, a line a name."""
    for color, (name, values) in enumerate(names.items()):
        own = [row for row in rows if tuple(row[key] for key in keys) == values]
        looks = grouped(own, "verified")
        x = np.array([verified for (verified,) in looks])
        y = np.array([mean(found, column) for found in looks.values()])
        sd = np.nan_to_num([deviation(found, column) for found in looks.values()])
        ax.plot(x, y, ".-", color=f"C{color}", label=name)
        ax.fill_between(x, y - sd, y + sd, color=f"C{color}", alpha=0.15, linewidth=0)
    ax.set(xlabel="% verified")


def _with_deviation(value, sd):
    """Return a mean with its deviation, if there is one."""
    return f"{value:.3f}" if np.isnan(sd) else f"{value:.3f} ({sd:.3f})"


def _numbers(rows):
    # What is a method of the runs is a way to choose labels in the tables.
    names = {"method": "labels"}
    return [{names.get(key, key): _number(value) for key, value in row.items()} for row in rows]


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text
