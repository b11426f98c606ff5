"""Seven networks of one kind whose softmax is overconfident: 20 labels for all of them.

They are trained here, on data that scikit-learn ships (`networks`): no folder is needed. Networks
of half of the tasks are wrong each by itself; to the items of the others noise is added, which all
networks see, and no consensus averages out.
``several``: one fit of all networks. ``alone``: the default on each. The last table is the error of
the first divided by that of the second.
"""

import numpy as np
from asking import ask, seed_for, tasks_of
from calibration_error import calibration_error
from networks import TASKS, trained
from rankings import METRICS
from reply_tables import difference_table, failures, main_table, mean, measured
from resuming import run
from score_files import hide
from system_methods import METHODS as SYSTEM_METHODS
from system_methods import SystemsProblem
from text_tables import grouped, text_of

# Who is asked, and divided by whom.
COMPARED = ("several", "alone")
METHODS = {name: SYSTEM_METHODS[name] for name in COMPARED}
LABELS = (20,)
# How names of tasks with noise end.
NOISY = "_noisy"
SHOWN = (*METRICS[:3], "calibration_error")


def add_options(add):
    """Add no options."""


def main(options):
    """Run the remaining work; return tables."""
    tasks = tasks_of(TASKS, options)
    return report(run(tasks, label_networks, options), options.rst) if tasks else "Nothing to do.\n"


def label_networks(name, n_labels, repeat, methods):
    """Return the rows of some random labels of a task."""
    items = trained(name)
    y = hide(items.labels, name, repeat, n_labels)
    seed = seed_for(name, n_labels, repeat, "alike")
    problem = SystemsProblem(items.scores, items.thresholds, y, seed, SHOWN)
    truth = problem.measured(items.labels[np.newaxis] == 1)
    truth = {metric: values[0] for metric, values in truth.items()}
    errors = [calibration_error(items.labels, column) for column in items.scores.T]
    truth["calibration_error"] = np.array(errors)
    return ask(METHODS, methods, problem, truth, ["system"] * problem.n_systems)


def report(rows, rst=False):
    """Return all tables."""
    keys = ("n_labels", "method")
    parts = [
        *((f"Each network: {m}", main_table(rows, m, *keys)) for m in SHOWN),
        *((f"Differences: {m}", difference_table(rows, m, *keys)) for m in SHOWN),
        ("Error of one fit, divided by that of each alone", ratios(rows)),
    ]
    return text_of([*parts, failures(rows)], rst)


def ratios(rows):
    """Return how much smaller the errors of one fit are, and both, with and without noise."""
    rows = [{**row, "noise": "shared" if row["set"].endswith(NOISY) else "none"} for row in rows]
    body = []
    for metric in SHOWN:
        single = [row for row in measured(rows, metric) if row["part"] == "system"]
        for (noise, n_labels), found in grouped(single, "noise", "n_labels").items():
            errors = {m: mean(of, "error") for (m,), of in grouped(found, "method").items()}
            if errors.keys() >= set(COMPARED):
                ours, other = (errors[m] for m in COMPARED)
                both = [f"{ours:.4f}", f"{other:.4f}"]
                body.append([noise, n_labels, metric, *both, f"{ours / other:.2f}"])
    return ["noise", "n_labels", "metric", *COMPARED, "ratio"], body
