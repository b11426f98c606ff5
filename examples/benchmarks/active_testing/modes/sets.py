"""Average precision of score sets: chosen labels beside random ones, by the number of labels.

One labelling goes through all numbers of labels. The random labels are labelled by the same
selector, so that nothing differs but the choice. Means weigh data sets and not files, as in
``score_sets``. A folder of score sets is as there, too; without one the digit and satellite sets of
``examples/data`` are used. Sets with fewer than 3% positives are shown apart as well.
"""

from pathlib import Path

import numpy as np
from answers import Answer, Estimate
from choosing import COLUMNS, SELECTORS, as_estimate, labelling, selector_for
from measures import measures
from resumable_runs import DATA, attempt
from resuming import Task, run
from score_files import find_sets, seed_of
from tables import NAMES, cell, failures, filled, lines, measured, worst_sets
from text_tables import grouped, standard_error, text_of, titled_table, weighted_mean
from truth import Truth

METHODS = tuple(SELECTORS)
DEFAULT = ("random", "chosen")
REPEATS = 4
# Fewer positives than these are rare.
RARE = 0.03
# A data set whose intervals hold less often than this is poorly covered.
POOR = 0.75
N_WORST = 12
ROW = (
    *("method", "data_set", "kind", "n_labels"),
    *("true_ap", "true_prevalence", "prevalence", "prevalence_low", "prevalence_high"),
    *("area", "band_covered", "prevalence_covered", *COLUMNS, "seconds", "failure"),
)
# What the main table shows: measure, heading, digits.
SHOWN = (
    ("error", "AP error", 3),
    ("covered", "coverage", 3),
    ("width", "width", 3),
    ("winkler", "Winkler", 3),
    ("confidently_wrong", "conf. wrong", 2),
    ("area", "area", 3),
    ("band_covered", "band cov.", 2),
    ("prevalence_covered", "prev. cov.", 2),
    ("prevalence_error", "prev. rel. error", 2),
    ("step_seconds", "seconds a step", 3),
)


def add_options(add):
    """Add what only this mode understands."""
    add("folder", nargs="?", type=Path, default=DATA, help="a folder of score sets")
    add("--labels", type=int, nargs="+", default=[10, 20, 50, 100])
    add("--rows", type=int, default=4000, help="items of each set")


def main(options):
    """Run the remaining work; return tables."""
    sets = find_sets(options.folder, options.only)[: options.most]
    if not sets:
        raise SystemExit(f"{options.folder} holds no set of scores that matches {options.only!r}.")
    counts = sorted(options.labels)
    tasks = []
    for repeat in range(options.repeats):
        for score_set in sets:
            key = {
                "set": score_set.name,
                "n_rows": options.rows,
                "labels_asked": " ".join(map(str, counts)),
                "repeat": repeat,
            }
            arguments = (score_set, options.rows, counts, repeat)
            tasks.append(Task(key, arguments, tuple(options.methods)))
    return report(run(tasks, label_set, options), options.methods, options.rst)


def label_set(score_set, n_rows, counts, repeat, methods):
    """Return one row for each method and number of labels; none if the set is of no use."""
    loaded = score_set.load(n_rows)
    if loaded is None:
        return []
    truth = Truth.of(*loaded)
    rows = []
    for method in methods:
        seed = seed_of(score_set.name, repeat, 0)
        looks, about = attempt(look, method, *loaded, truth, counts, seed)
        for found in [{"n_labels": n} for n in counts] if looks is None else looks:
            names = {"method": method, "data_set": score_set.data_set, "kind": score_set.kind}
            rows.append(filled({**names, **found, **about}, ROW))
    return rows


def look(method, scores, labels, truth, counts, seed):
    """Return the estimates of a selector at each number of labels, beside the truth."""
    selector = selector_for(method, "average_precision", seed)
    rows = []
    for found in labelling(selector, scores, labels, counts):
        performance = selector.performance_
        curve = performance.curve("precision_recall")
        # Of the recalls 1/200, 2/200, ... those that an answer has.
        curve = Estimate(*(line[1::4] for line in (curve.value, *curve.interval())))
        answer = Answer(
            as_estimate(selector.estimate_), curve, as_estimate(performance.estimate("prevalence"))
        )
        rows.append({**measures(answer, truth), **found})
    return rows


def enriched(rows):
    """Return the rows that did not fail, with the columns that tables average."""
    return [
        {
            **measured(row, "true_ap"),
            "prevalence_error": abs(float(row["prevalence"]) / float(row["true_prevalence"]) - 1.0),
            "rare": float(row["true_prevalence"]) < RARE,
        }
        for row in rows
        if not row["failure"]
    ]


def report(rows, methods, rst=False):
    """Return all tables."""
    fits = enriched(rows)
    rare = [row for row in fits if row["rare"]]
    parts = [
        ("Weighted means over data sets", by_labels(fits, methods)),
        f"low sets: data sets covered less often than {POOR:.0%} at this number of labels; s.e.: "
        "of the Winkler score;\nprev.: of the prevalence.\n",
        ("Both estimators", by_estimator(fits, methods)),
        ("By data set, over all numbers of labels, the worst covered first", by_set(fits, methods)),
    ]
    for m in methods:
        found = poor(fits, m)
        names = ", ".join(f"{name} {covered:.2f}" for name, covered in found) or "none"
        parts.append(f"Covered less often than {POOR:.0%} over all labels, {m}: {names}\n")
    if rare:
        title = f"Sets with less than {RARE:.0%} positives"
        parts.append((title, by_labels_rare(rare, methods)))
    return text_of([*parts, failures(rows)], rst)


def by_labels(fits, methods):
    """Return the main table."""
    body = []
    for n, m, found in lines(fits, methods):
        means = [cell(found, name, digits) for name, _, digits in SHOWN]
        name, error = worst_sets(found, "error")[0]
        low = sum(cov < POOR for _, cov in worst_sets(found, "covered", "data_set"))
        tail = [f"{standard_error(found, 'winkler'):.3f}", low, f"{error:.3f}", name]
        body.append([n, m, *means, *tail])
    heading = ["labels", "method", *(heading for _, heading, _ in SHOWN)]
    return [*heading, "s.e.", "low sets", "worst AP error", "of"], body


def by_estimator(fits, methods):
    """Return the table of both estimators, and the weight of the model."""
    body = []
    shown = ("error", "covered", "width", "winkler")
    for n, m, found in lines(fits, methods):
        estimators = [
            cell(found, f"{estimator}_{name}")
            for estimator in ("model", "design")
            for name in shown
        ]
        trust = [cell(found, name) for name in ("model_weight", "surprised", "misfit")]
        body.append([n, m, *estimators, *trust])
    names = ("error", "coverage", "width", "Winkler")
    heading = [f"{estimator} {name}" for estimator in ("model", "design") for name in names]
    return ["labels", "method", *heading, "model weight", "surprised", "misfit"], body


def by_set(fits, methods):
    """Return coverage, Winkler score and error by data set, the worst of the last method first."""
    groups = grouped(fits, "data_set", "method")
    names = dict.fromkeys(name for name, _ in groups)
    last = [m for m in methods if any(method == m for _, method in groups)][-1:]

    def covered(name):
        # What has no fit comes last.
        shares = [weighted_mean(groups.get((name, m), []), "covered") for m in last]
        return np.nan_to_num(shares, nan=2.0).tolist()

    body = []
    for name in sorted(names, key=covered)[:N_WORST]:
        line = [name]
        for m in methods:
            found = groups.get((name, m), [])
            shown = (("covered", 2), ("winkler", 2), ("error", 3))
            line.append(" / ".join(cell(found, measure, d) for measure, d in shown))
        body.append(line)
    return ["coverage / Winkler / error", *methods], body


def poor(fits, method):
    """Return the data sets that a method covers poorly, with their coverage."""
    found = [row for row in fits if row["method"] == method]
    covered = worst_sets(found, "covered", "data_set")
    return [(name, share) for name, share in reversed(covered) if share < POOR]


def by_labels_rare(fits, methods):
    """Return the table of sets with few positives."""
    body = []
    for n, m, found in lines(fits, methods):
        medians = f"{np.median([row['width'] for row in found]):.3f}"
        shown = ("error", "covered", "width", "winkler", "prevalence_covered", "prevalence_error")
        means = [cell(found, name) for name in shown]
        body.append([n, m, len(found), *means[:3], medians, *means[3:]])
    heading = ["labels", "method", "fits", "AP error", "coverage", "width", "median width"]
    return [*heading, "Winkler", "prev. cov.", "prev. rel. error"], body


def guide(rows):
    """Return the tables of the guide."""
    fits = enriched(rows)
    methods = list(dict.fromkeys(row["method"] for row in fits))
    body = []
    for n, m, found in lines(fits, methods):
        means = [cell(found, k, 2 + (k == "error")) for k in ("error", "covered", "width")]
        body.append([n, NAMES.get(m, m), *means, cell(found, "winkler", 2)])
    n_sets = len({row["set"] for row in fits})
    title = f"Average precision of {n_sets} public score sets, with equal weights of data sets"
    heading = ["labels", "method", "mean absolute error", "90% coverage", "mean width"]
    tables = [titled_table(title, [*heading, "interval score"], body, [10, 30, 15, 15, 15, 15])]
    body = []
    for n, m, found in lines([row for row in fits if row["rare"]], methods):
        width = f"{np.median([row['width'] for row in found]):.2f}"
        body.append([n, NAMES.get(m, m), cell(found, "error"), cell(found, "covered", 2), width])
    if body:
        n_sets = len({row["set"] for row in fits if row["rare"]})
        title = f"Average precision of the {n_sets} sets with less than {RARE:.0%} positives"
        tables.append(
            titled_table(title, [*heading[:4], "median width"], body, [10, 30, 20, 20, 20])
        )
    return tables
