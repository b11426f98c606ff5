"""The rates of two systems whose answers a judge marks, and their difference.

A thousand simulated prompts, which both systems answer; settings of the judge are in
`judged_answers`. Of all answers a few random ones are seen by people. ``sklearn_spe``: the verdicts
are the judge, the systems the categories. ``by_prompt``: answers to one prompt are a group, too.
``naive``: the judge is believed. ``labels``: the labels alone. ``rogan_gladen``: verdicts corrected
by errors that are taken to be the same of both systems; ``rogan_gladen_each``: of each its own.
``ppi``, ``aipw`` and ``truescore``: PPI++, ppi-aipw and truescore's estimate of each system.
"""

from pathlib import Path

import numpy as np
from answer_methods import METHODS, AnswersProblem
from asking import ask, seed_for, tasks_of
from judged_answers import SETTINGS, SYSTEMS, draw
from reply_tables import difference_table, failures, main_table, write_over_all
from resuming import run
from score_files import hide
from text_tables import text_of

LABELS = (20, 50, 100)
# Headings of the written table.
NAMES = {
    "sklearn_spe": "sklearn-spe",
    "labels": "labels alone",
    "aipw": "ppi-aipw",
    "truescore": "truescore",
    "rogan_gladen": "Rogan-Gladen",
    "naive": "judge alone",
}


def add_options(add):
    """Add what only this mode understands."""
    add("--csv", type=Path, help="a file for the tables over all sets")


def main(options):
    """Run the remaining work; return tables."""
    tasks = tasks_of(list(SETTINGS), options)
    if not tasks:
        return "Nothing to do.\n"
    rows = run(tasks, label_answers, options)
    write_over_all(options.csv, over_all(rows), NAMES)
    return report(rows, options.rst)


def label_answers(name, n_labels, repeat, methods):
    """Return the rows of some random labels of drawn answers."""
    answers = draw(SETTINGS[name], np.random.default_rng(seed_for(name, 0, repeat, "answers")))
    y = hide(answers.right, name, repeat, n_labels)
    problem = AnswersProblem(answers, y, seed_for(name, n_labels, repeat, "labels"))
    truth = np.array([answers.right[answers.system == system].mean() for system in SYSTEMS])
    return ask(METHODS, methods, problem, {"rate": truth}, ["system"] * len(SYSTEMS))


def over_all(rows):
    """Return the tables over all settings, by quantity."""
    return {
        "rate": main_table(rows, "rate", "n_labels", "method"),
        "difference": difference_table(rows, "rate", "n_labels", "method"),
    }


def report(rows, rst=False):
    """Return all tables."""
    parts = []
    for of, table in over_all(rows).items():
        by_setting = main_table if of == "rate" else difference_table
        parts.append((f"The {of}", table))
        parts.append(
            (f"The {of}, by setting", by_setting(rows, "rate", "set", "n_labels", "method"))
        )
    return text_of([*parts, failures(rows)], rst)
