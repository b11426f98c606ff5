"""Items that belong together: performance on new clusters, and on these very items.

Clusters are made from real scores (`cluster_pools`), with intraclass correlations from 0 to 0.5;
ten are labelled, in five items each. ``groups``: one fit that knows of the clusters.
``independent``: the default, that does not. ``bootstrap``: the labelled items, whose clusters are
drawn again with replacement.
"""

from pathlib import Path

import numpy as np
from asking import filled, tasks_of
from cluster_methods import METHODS
from cluster_pools import Setting, draw, population_truth, sample_truth, settings
from rankings import METRICS
from replies import means
from reply_tables import failures, main_table, write_over_all
from resumable_runs import attempt
from resuming import run
from text_tables import text_of

# Five in each of ten clusters.
LABELS = (50,)
# Headings of the written table.
NAMES = {
    "groups": "with groups=",
    "independent": "without",
    "bootstrap": "bootstrap of groups",
}


def add_options(add):
    """Add what only this mode understands."""
    add("folder", type=Path, help="a folder of sets of systems")
    add("--csv", type=Path, help="a file for the tables over all sets")


def main(options):
    """Run the remaining work; return tables."""
    options.labels = LABELS
    names = [setting.name for setting in settings()]
    tasks = tasks_of(names, options, options.folder)
    if not tasks:
        return "Nothing to do.\n"
    rows = run(tasks, label_clusters, options)
    write_over_all(options.csv, over_all(rows), NAMES)
    return report(rows, options.rst)


def label_clusters(folder, name, n_labels, repeat, methods):
    """Return the rows of new clusters."""
    setting = Setting.of(name)
    pool = draw(folder, setting, repeat)
    truth = {
        "population": population_truth(folder, setting.source, setting.icc),
        "sample": sample_truth(pool),
    }
    rows = []
    for method in methods:
        found, about = attempt(METHODS[method], pool)
        if found is None:
            rows.append(filled({"method": method, **about}))
            continue
        for target, estimates in found.items():
            for metric, estimate in estimates.items():
                row = means(estimate, np.atleast_1d(truth[target][metric]), np.array([True]))
                about_it = {"method": method, "metric": metric, "part": target}
                rows.append(filled({**about_it, **row, **about}))
    return rows


def over_all(rows):
    """Return the tables of new clusters over all settings, by quantity."""
    rows = [row for row in rows if row["part"] in ("population", "")]
    return {metric: main_table(rows, metric, "n_labels", "method") for metric in METRICS}


def report(rows, rst=False):
    """Return all tables."""
    rows = [{**row, "icc": Setting.of(row["set"]).icc} for row in rows]
    over_all = [(f"Clusters: {m}", main_table(rows, m, "part", "method")) for m in METRICS]
    by_icc = [
        (f"By intraclass correlation: {m}", main_table(rows, m, "part", "icc", "method"))
        for m in METRICS
    ]
    return text_of([*over_all, *by_icc, failures(rows)], rst)
