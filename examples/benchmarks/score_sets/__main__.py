"""Any estimator of performance as one function, over a folder of score sets.

A few random items of each set are labelled; every method answers average precision, the
precision-recall curve and the prevalence of the set with 90% intervals; the answers are compared
with the truth. Run ``python examples/benchmarks/score_sets FOLDER``; without a folder the digit and
satellite sets of ``examples/data`` are used. See `sets` for what a folder holds, `methods` for who
takes part and `measures` for what is measured.

Means weigh data sets and not files: all ``optdigits_*`` files have weight 2 together, all ``sat_*``
files too, every other file 1. Nothing here is tuned on the sets.
"""

import argparse
import csv
import sys
import time
import warnings
from pathlib import Path

from measures import measures
from methods import METHODS, NOT_INSTALLABLE
from sets import Truth, find_sets, hide, seed_of
from sklearn.utils.parallel import Parallel, delayed
from summary import report
from threadpoolctl import threadpool_limits

from sklearn_spe.exceptions import MisfitWarning, SamplingWarning, UnidentifiedWarning

DATA = Path(__file__).resolve().parents[2] / "data"
# What few labels may legitimately warn of.
EXPECTED = (MisfitWarning, SamplingWarning, UnidentifiedWarning)
# One fit is known by these, and described by the rest.
KEY = ("set", "n_rows", "n_labels", "repeat", "method")
COLUMNS = (
    *KEY,
    *("data_set", "kind", "n_labeled_positives", "seconds", "failure"),
    *("true_ap", "ap", "ap_low", "ap_high"),
    *("true_prevalence", "prevalence", "prevalence_low", "prevalence_high"),
    *("area", "ap_error", "covered", "width", "winkler", "confidently_wrong"),
    *("band_covered", "prevalence_covered", "verdict"),
)


def fit_all(score_set, n_rows, n_labels, repeat, methods):
    """Return one row a method, for the same labels of one set; none if the set is of no use."""
    loaded = score_set.load(n_rows)
    if loaded is None:
        return []
    scores, labels = loaded
    y = hide(labels, score_set.name, repeat, n_labels)
    about = {
        "set": score_set.name,
        "n_rows": n_rows,
        "n_labels": n_labels,
        "repeat": repeat,
        "data_set": score_set.data_set,
        "kind": score_set.kind,
        "n_labeled_positives": int((y == 1).sum()),
    }
    truth = Truth.of(scores, labels)
    seed = seed_of(score_set.name, repeat, n_labels)
    return [{**about, "method": m, **fit_one(m, scores, y, seed, truth)} for m in methods]


def fit_one(method, scores, y, seed, truth):
    """Return the measures of one method's answer, or how it failed."""
    start = time.perf_counter()
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        for warning in EXPECTED:
            warnings.simplefilter("ignore", warning)
        try:
            answer = METHODS[method](scores, y, seed)
        # A failure is a result too, and must not end the run.
        except Exception as error:
            return {"failure": f"{type(error).__name__}: {error}"}
    return {"failure": "", "seconds": time.perf_counter() - start, **measures(answer, truth)}


def read_rows(path):
    """Return the fits that a file holds, by their keys."""
    with path.open(newline="") as file:
        return {tuple(row[k] for k in KEY): row for row in csv.DictReader(file)}


def as_strings(row):
    """Return a row as a file holds it."""
    short = {k: f"{v:.6g}" if isinstance(v, float) else str(v) for k, v in row.items()}
    return {column: short.get(column, "") for column in COLUMNS}


def run(options):
    """Do all fits that are not done yet; return all of them."""
    done = read_rows(options.out) if options.resume and options.out.is_file() else {}
    wanted, tasks = [], []
    found = find_sets(options.folder, options.sets)[: options.n_sets]
    if not found:
        raise SystemExit(f"{options.folder} holds no set of scores that matches {options.sets!r}.")
    for score_set in found:
        for repeat in range(options.repeats):
            for n_labels in options.labels:
                at = (score_set.name, str(options.rows), str(n_labels), str(repeat))
                wanted += [(*at, m) for m in options.methods]
                open_ = [m for m in options.methods if (*at, m) not in done]
                if open_:
                    tasks.append((score_set, options.rows, n_labels, repeat, open_))
    fits = Parallel(n_jobs=options.jobs, return_as="generator")(
        delayed(fit_all)(*task) for task in tasks
    )
    for number, (task, rows) in enumerate(zip(tasks, fits, strict=True), 1):
        rows = [as_strings(row) for row in rows]
        done |= {tuple(row[k] for k in KEY): row for row in rows}
        if options.out is not None:
            append(options.out, rows)
        print(f"{number}/{len(tasks)}  {task[0].name}", file=sys.stderr)
    return [done[key] for key in wanted if key in done]


def append(path, rows):
    """Write rows at the end of a file, which starts with the names of the columns."""
    new = not path.is_file()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows(rows)


def read_options():
    """Return the command line."""
    parser = argparse.ArgumentParser(prog="score_sets", description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DATA, help="a folder of score sets")
    parser.add_argument(
        "--methods",
        type=lambda text: text.split(","),
        default=list(METHODS),
        help=f"names separated by commas, of {', '.join(METHODS)} (default: all)",
    )
    parser.add_argument("--labels", type=int, nargs="+", default=[10, 20, 50, 100])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rows", type=int, default=4000, help="the first rows of each set")
    parser.add_argument("--sets", default="", help="a regular expression that names must match")
    parser.add_argument("--out", type=Path, help="a CSV file, to which every fit is appended")
    parser.add_argument("--resume", action="store_true", help="skip the fits that --out holds")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--rst", action="store_true", help="tables as reStructuredText")
    parser.add_argument("--quick", action="store_true", help="2 sets and 1 repeat, to see it run")
    options = parser.parse_args()
    for name in options.methods:
        if name in NOT_INSTALLABLE:
            print(f"skipped {name}: {NOT_INSTALLABLE[name]}", file=sys.stderr)
        elif name not in METHODS:
            parser.error(f"unknown method {name!r}; choose from {', '.join(METHODS)}")
    options.methods = [name for name in options.methods if name in METHODS]
    if options.resume and options.out is None:
        parser.error("--resume needs the file to go on with: --out")
    if options.out is not None and options.out.exists() and not options.resume:
        parser.error(f"{options.out} exists: add --resume to go on with it, or name another file")
    options.n_sets = 2 if options.quick else None
    if options.quick:
        options.repeats = 1
    return options


if __name__ == "__main__":
    chosen = read_options()
    print(report(run(chosen), chosen.methods, rst=chosen.rst))
