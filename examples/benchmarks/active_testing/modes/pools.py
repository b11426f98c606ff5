"""F1 and average precision of pools of a classifier: chosen labels beside static designs.

F1 is that of the classifier's own decisions. The peers believe the classifier's probabilities, the
package sees the scores alone. A folder holds files ``pool_*.csv.gz``, see `pool_files`.
"""

import zlib
from pathlib import Path

import numpy as np
from choosing import COLUMNS, SELECTORS, labelling, selector_for
from peers import PEERS
from pool_files import Pool, find_pools
from resumable_runs import DATA, attempt
from resuming import Task, run
from score_files import seed_of
from tables import NAMES, cell, failures, filled, lines, measured, numbers
from text_tables import grouped, standard_error, text_of, titled_table

METHODS = (*SELECTORS, *PEERS)
DEFAULT = ("chosen", "random", *PEERS)
REPEATS = 20
METRICS = {"f1": "F1", "average_precision": "average precision"}
# Pools with more items than these get labels beyond those asked for.
LARGE, MORE = 20_000, 300
# Pools of one kind, on which no model of the score is wrong.
SANE = ("digits3_lr", "digits8_lr", "digits9_svc")
SANE_NAME = "mean of " + ", ".join(SANE)
ROW = ("method", "n_labels", "truth", *COLUMNS, "seconds", "failure")


def add_options(add):
    """Add what only this mode understands."""
    add("folder", nargs="?", type=Path, default=DATA, help="a folder of pools")
    help = f"numbers of labels; large pools get {MORE}, too"
    add("--labels", type=int, nargs="+", default=[20, 50, 100, 200], help=help)
    add("--metrics", nargs="+", choices=tuple(METRICS), default=list(METRICS))


def main(options):
    """Run the remaining work; return tables."""
    pools = find_pools(options.folder, options.only)[: options.most]
    if not pools:
        return f"Skipped: {options.folder} holds no pool_*.csv.gz that matches {options.only!r}.\n"
    counts, tasks = sorted(options.labels), []
    for repeat in range(options.repeats):
        for name, path in pools:
            for metric in options.metrics:
                key = {
                    "set": name,
                    "metric": metric,
                    "labels_asked": " ".join(map(str, counts)),
                    "repeat": repeat,
                }
                arguments = (name, path, metric, counts, repeat)
                tasks.append(Task(key, arguments, tuple(options.methods)))
    return report(run(tasks, label_pool, options), options.methods, options.rst)


def label_pool(name, path, metric, counts, repeat, methods):
    """Return one row for each method and number of labels."""
    pool = Pool.load(path)
    if len(pool.labels) > LARGE:
        counts = sorted({*counts, MORE})
    rows = []
    for method in methods:
        work = by_peer if method in PEERS else by_selector
        looks, about = attempt(work, method, pool, metric, counts, (name, repeat))
        about |= {"method": method, "truth": pool.truth(metric)}
        for found in [{"n_labels": n} for n in counts] if looks is None else looks:
            rows.append(filled({**about, **found}, ROW))
    return rows


def by_selector(method, pool, metric, counts, about):
    """Return the estimates of a selector at each number of labels."""
    where = {"threshold": pool.threshold} if metric == "f1" else {}
    selector = selector_for(method, metric, seed_of(*about, 0), **where)
    return list(labelling(selector, pool.scores, pool.labels, counts))


def by_peer(method, pool, metric, counts, about):
    """Return the estimates of a peer at each number of labels."""
    name, repeat = about
    rng = np.random.default_rng([zlib.crc32(f"{method} {name}".encode()), repeat])
    estimates = PEERS[method].answers(pool, metric, counts, rng)
    return [
        {"n_labels": n, "estimate": e.value, "estimate_low": e.low, "estimate_high": e.high}
        for n, e in zip(counts, estimates, strict=True)
    ]


def enriched(rows):
    """Return the rows that did not fail, with the columns that tables average."""
    fits = []
    for row in rows:
        if row["failure"]:
            continue
        found = measured(row, "truth")
        if found["model"] != "":
            found["model_missed"] = 1.0 - found["model_covered"]
        fits.append(found)
    return fits


def report(rows, methods, rst=False):
    """Return all tables."""
    fits = enriched(rows)
    parts = []
    for metric, long_name in METRICS.items():
        for name, found in groups_of(fits, metric):
            parts.append((f"{long_name}, {name}", by_labels(found, methods)))
    for metric, long_name in METRICS.items():
        for name, found in groups_of([row for row in fits if row["model"] != ""], metric):
            parts.append((f"Both estimators, {long_name}, {name}", by_estimator(found, methods)))
    parts.append(
        "misfit: share of fits with that verdict; surprised: for surprising labels; model missed: "
        "share of fits whose\nmodel is off by more than its interval; seen: share of these "
        "with the verdict misfit; doubted in vain:\nshare of the other ones with it.\n"
    )
    return text_of([*parts, failures(rows)], rst)


def groups_of(fits, metric):
    """Yield names of pools and of groups of pools with their fits."""
    fits = [row for row in fits if row["metric"] == metric]
    groups = {name: found for (name,), found in grouped(fits, "set").items()}
    if set(SANE) <= set(groups):
        yield SANE_NAME, [row for row in fits if row["set"] in SANE]
    yield from groups.items()


def by_labels(fits, methods):
    """Return the main table."""
    shown = ("error", "bias", "covered", "width", "winkler", "misfit")
    body = [
        [n, m, cell(found, "truth"), *(cell(found, name) for name in shown), error_of(found)]
        for n, m, found in lines(fits, methods)
    ]
    names = ("error", "bias", "coverage", "width", "Winkler", "misfit", "s.e. error")
    return ["labels", "method", "truth", *names], body


def error_of(fits):
    """Return the standard error of the mean absolute error."""
    return f"{standard_error(fits, 'error'):.3f}"


def by_estimator(fits, methods):
    """Return the table of both estimators, and of the model's misses by verdict."""
    body = []
    shown = ("error", "bias", "covered", "width")
    for n, m, found in lines(fits, methods):
        estimators = [
            cell(found, f"{estimator}_{name}")
            for estimator in ("model", "design")
            for name in shown
        ]
        trust = [cell(found, name) for name in ("model_weight", "surprised", "model_missed")]
        missed = [row for row in found if row["model_missed"]]
        other = [row for row in found if not row["model_missed"]]
        body.append(
            [n, m, *estimators, *trust, cell(missed, "misfit", 2), cell(other, "misfit", 2)]
        )
    names = ("error", "bias", "coverage", "width")
    heading = [f"{estimator} {name}" for estimator in ("model", "design") for name in names]
    heading += ["model weight", "surprised", "model missed", "seen", "doubted in vain"]
    return ["labels", "method", *heading], body


def guide(rows):
    """Return the tables of the guide: errors, and how often intervals of chosen labels hold."""
    fits = enriched(rows)
    methods = list(dict.fromkeys(row["method"] for row in fits))
    tables = []
    for metric, long_name in METRICS.items():
        body = []
        for name, found in groups_of(fits, metric):
            if name in SANE and set(SANE) <= {row["set"] for row in fits}:
                continue
            name = "three digits pools" if name == SANE_NAME else name.replace("_", " ")
            groups = grouped(found, "n_labels", "method")
            for n in numbers(found):
                errors = [cell(groups.get((n, m), []), "error") for m in methods]
                held = cell(groups.get((n, "chosen"), []), "covered", 2)
                body.append([name, n, *errors, held])
        if body:
            heading = ["pool", "labels", *(NAMES.get(m, m) for m in methods), "chosen: coverage"]
            widths = [20, 8, *(60 // len(methods) for _ in methods), 12]
            title = f"Mean absolute error of {long_name}"
            tables.append(titled_table(title, heading, body, widths))
    return tables
