"""The simulation of the journal paper: 500 classes, asked for up to 10,000.

Class means in ten dimensions are standard normal; each class has one training point and one test
item, and the nearest training point wins. What is reported is the largest root mean squared error
over levels of noise, as there (over 50 levels; here over five). One level is nearly a problem of
the design list, and the weights of the blend were looked at on this simulation, with other seeds:
this is a replication, no test on unseen problems.
"""

import numpy as np
from peers import ORACLE
from predictions import predict
from problems import chosen
from report import Errors, by_group, cell, failures, methods_of, write_guide
from resuming import Task, run
from text_tables import text_of

METHODS = ("blend", "scores", "classexreg", "kde", "kde_bcv", "kde_scaled", "probit", ORACLE)
REPEATS = 40
N_CLASSES = 500
COUNTS = (1_000, 2_000, 5_000, 10_000)
# Zheng, Achanta and Benjamini, Journal of Machine Learning Research 19, 2018.
PUBLISHED = {
    "classexreg, published": (0.032, 0.044, 0.073, 0.098),
    "kde, published": (0.067, 0.059, 0.051, 0.045),
    "kde_bcv, published": (0.090, 0.088, 0.079, 0.076),
}


def add_options(parser):
    """Add nothing."""


def main(options):
    """Run the remaining work; return tables."""
    tasks = []
    for problem in chosen("journal", options.only, options.n_problems):
        truth = dict(zip(COUNTS, problem.truth(COUNTS).tolist(), strict=True))
        for repeat in range(options.repeats):
            key = {"problem": problem.name, "n_classes": N_CLASSES, "n_items": 1, "repeat": repeat}
            arguments = ("journal", problem, N_CLASSES, 1, repeat, truth)
            tasks.append(Task(key, arguments, tuple(options.methods)))
    rows = run(tasks, predict, options)
    write_guide(options.csv, *largest(rows, "plain", methods_of(rows, options.methods)))
    return report(rows, options)


def report(rows, options):
    """Return all tables."""
    methods = methods_of(rows, options.methods)
    parts = []
    for column in ("plain", "joined"):
        title = f"Largest root mean squared error over levels of noise, {column}"
        table = by_group(rows, column, methods, "problem", "n_asked")
        parts += [(title, largest(rows, column, methods)), (f"By level, {column}", table)]
    return text_of([*parts, failures(rows)], options.rst)


def largest(rows, column, methods):
    """Return the largest error over levels of noise, and those that were published."""
    errors = Errors.of(rows, column).rmse("method", "n_asked", "problem")
    body = []
    for m in methods:
        worst = [
            max((e for k, e in errors.items() if k[:2] == (m, str(n))), default=np.nan)
            for n in COUNTS
        ]
        body.append([m, *map(cell, worst)])
    body += [[name, *map(cell, values)] for name, values in PUBLISHED.items()]
    return ["method", *(f"{n:,}" for n in COUNTS)], body
