"""The rate of new items, where the labels were chosen by class: 50 of each, and 600 new ones.

``verdict``: a judge is right in 0.95 of the positives and 0.85 of the negatives. ``score``: normal
in each class, 1.8 deviations apart. The number is the share of positives among the new items.
``sklearn_spe``: the package, with ``inclusion_proba="by_class"``. ``rogan_gladen``: the share of
verdicts, or of scores in the upper half, corrected by the errors at the labels.
"""

from pathlib import Path

import numpy as np
from answers import Estimate
from asking import ask, seed_for, tasks_of
from rate_methods import CLASSES, RateProblem, asked, corrected, reply_of
from reply_tables import failures, main_table, write_over_all
from resuming import run
from text_tables import text_of

from sklearn_spe import PerformanceCurveEstimator

N_EACH, N_NEW, SEPARATION = 50, 600, 1.8
LABELS = (2 * N_EACH,)
SHARES_CALLED = {0: 0.15, 1: 0.95}
SETS = {f"{kind}, {p}": (kind, p) for kind in ("verdict", "score") for p in (0.5, 0.85, 0.95)}
# Headings of the written table.
NAMES = {"sklearn_spe": "sklearn-spe", "rogan_gladen": "Rogan-Gladen"}


def sklearn_spe(problem):
    """Ask the package, which is given verdicts or scores."""
    performance = PerformanceCurveEstimator(classes=CLASSES, random_state=problem.seed)
    judges = problem.verdicts if problem.scores is None else None
    return asked(
        performance.fit(problem.scores, problem.y, judges=judges, inclusion_proba="by_class")
    )


def rogan_gladen(problem):
    """Correct the share of verdicts of new items by the errors that labels found."""
    new, stated = problem.verdicts[~problem.known], problem.verdicts[problem.known]
    return Estimate.from_draws(corrected(problem.rng, [new], stated, problem.labels)[:, 0])


METHODS = {rate.__name__: reply_of(rate) for rate in (sklearn_spe, rogan_gladen)}


def add_options(add):
    """Add what only this mode understands."""
    add("--csv", type=Path, help="a file for the tables over all sets")


def main(options):
    """Run the remaining work; return tables."""
    tasks = tasks_of(list(SETS), options)
    if not tasks:
        return "Nothing to do.\n"
    rows = run(tasks, label_items, options)
    by_set = {
        name: main_table([r for r in rows if r["set"] == name], "rate", "n_labels", "method")
        for name in SETS
    }
    write_over_all(options.csv, by_set, NAMES)
    return text_of([*by_set.items(), failures(rows)], options.rst)


def label_items(name, n_labels, repeat, methods):
    """Return the rows of one labelled sample and new items."""
    kind, prevalence = SETS[name]
    rng = np.random.default_rng(seed_for(name, n_labels, repeat, "items"))
    new = rng.random(N_NEW) < prevalence
    truth = np.r_[np.repeat([1, 0], n_labels // 2), new].astype(int)
    scores = rng.standard_normal(len(truth)) + SEPARATION * truth
    verdicts = (scores > SEPARATION / 2.0).astype(int)
    if kind == "verdict":
        called = np.where(truth == 1, SHARES_CALLED[1], SHARES_CALLED[0])
        scores, verdicts = None, (rng.random(len(truth)) < called).astype(int)
    y = np.where(np.arange(len(truth)) < n_labels, truth, -1)
    problem = RateProblem(scores, None, verdicts, y, seed_for(name, n_labels, repeat, "by_class"))
    return ask(METHODS, methods, problem, {"rate": np.array([new.mean()])}, ["new"])
