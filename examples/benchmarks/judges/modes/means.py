"""The mean of labels that are numbers, of which a proxy speaks.

Two thousand items of each distribution of `graded_items`, and with ``--systems`` real scores: the
proxy is the score of one system, the label that of another. Errors and widths are in standard
deviations of the labels. ``sklearn_spe``: `MeanEstimator`. ``labels``: the labels alone, and
Student's t. ``classical``: the mean proxy and the mean residual, with a normal interval. ``ppi``:
PPI++ of ppi-python. ``aipw``, ``aipw_spline`` and ``aipw_sigmoid``: ppi-aipw, with a linear, a
monotone and a logistic calibration.
"""

from pathlib import Path

import numpy as np
from asking import ask, seed_for, tasks_of
from graded_items import DISTRIBUTIONS, pairs_in
from mean_methods import METHODS, MeanProblem
from reply_tables import failures, main_table, write_over_all
from resuming import run
from score_files import hide
from text_tables import text_of

LABELS = (20, 50, 100)
# Headings of the written table.
NAMES = {
    "sklearn_spe": "sklearn-spe",
    "labels": "labels alone",
    "aipw": "ppi-aipw, linear",
    "aipw_spline": "ppi-aipw, spline",
    "ppi": "ppi-python",
}


def add_options(add):
    """Add what only this mode understands."""
    add("--systems", type=Path, help="a folder of tables, a column of scores for each system")
    add("--csv", type=Path, help="a file for the tables over all sets")


def main(options):
    """Run the remaining work; return tables."""
    real = {} if options.systems is None else pairs_in(options.systems)
    tasks = tasks_of([*DISTRIBUTIONS, *real], options, real)
    if not tasks:
        return "Nothing to do.\n"
    rows = run(tasks, label_items, options)
    write_over_all(options.csv, over_all(rows), NAMES)
    return report(rows, options.rst)


def label_items(real, name, n_labels, repeat, methods):
    """Return the rows of some random labels of a set."""
    if name in real:
        proxy, labels = real[name]
    else:
        proxy, labels = DISTRIBUTIONS[name](
            np.random.default_rng(seed_for(name, 0, repeat, "items"))
        )
    # Grades and proxies stay on one scale.
    proxy, labels = proxy / labels.std(), labels / labels.std()
    shown = hide(np.zeros(len(labels), dtype=int), name, repeat, n_labels) >= 0
    y = np.where(shown, labels, np.nan)
    problem = MeanProblem(proxy, y, seed_for(name, n_labels, repeat, "means"))
    return ask(METHODS, methods, problem, {"rate": np.array([labels.mean()])}, ["mean"])


def over_all(rows):
    """Return the table over all distributions, by quantity."""
    return {"mean": main_table(rows, "rate", "n_labels", "method")}


def report(rows, rst=False):
    """Return all tables."""
    by_set = main_table(rows, "rate", "set", "n_labels", "method")
    parts = [("The mean", over_all(rows)["mean"]), ("The mean, by set", by_set)]
    return text_of([*parts, failures(rows)], rst)
