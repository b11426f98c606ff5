"""Precision among the 48 highest scores of each of 81 simulated tags, with noisy tags.

One labelling goes through all budgets, in percent of the 3,888 pairs of a tag and an image that are
among the highest of their tag; a batch is 2.5% of them. By default the first batch is random, and
the same for all. Errors are absolute and of tags, then averaged. Coverage and width are of 90%
intervals of the mean over tags, and of tags.
"""

import re

from labellings import LABELLINGS
from list_runs import label_lists
from ranked_lists import RankedLists
from resuming import Task, run
from tables import by_line, by_share, cell, choice_of, failures, measured
from text_tables import text_of, titled_table

from sklearn_spe.datasets import make_noisy_tags

METHODS = tuple(LABELLINGS)
SHARES = (2.5, 5, 10, 20, 30, 50)
START = "random"
K, BATCH = 48, 2.5
NAME = "tags"
# Which labelling, and what estimates.
LINES = (
    ("chosen", "learned"),
    ("argmax", "learned"),
    ("estimator_change", "learned"),
    ("random", "learned"),
    ("random", "naive"),
    ("confident_mistake", "naive"),
    ("confident_mistake", "learned"),
    ("estimator_change_counts", "learned"),
    ("random_counts", "learned"),
    ("random", "verified"),
)
# What the main table shows: measure, heading, digits.
SHOWN = (
    ("error", "error of tags", 4),
    ("mean_error", "error of mean", 4),
    ("covered", "coverage", 2),
    ("width", "width", 3),
    ("list_covered", "tags cov.", 2),
    ("list_width", "tags width", 3),
    ("lists_known", "tags known", 2),
    ("model_weight", "model weight", 2),
    ("step_seconds", "seconds a step", 2),
)
# Budgets of the guide.
IN_GUIDE = ("5", "10", "20", "50")


def add_options(add):
    """Add what only this mode understands."""
    add("--images", type=int, default=2000)
    add("--tags", type=int, default=81)


def main(options):
    """Run the remaining work; return tables."""
    tasks = []
    for repeat in range(options.repeats):
        if not re.search(options.only, NAME):
            continue
        key = {
            "set": NAME,
            "n_images": options.images,
            "n_tags": options.tags,
            "start": options.start,
            "shares_asked": " ".join(f"{share:g}" for share in options.shares),
            "repeat": repeat,
        }
        arguments = (options.images, options.tags, repeat, options.shares, options.start)
        tasks.append(Task(key, arguments, tuple(options.methods)))
    return report(run(tasks, label_tags, options), options.rst) if tasks else "Nothing to do.\n"


def label_tags(n_images, n_tags, repeat, shares, start, methods):
    """Return a row for each method, budget and estimator."""
    data = make_noisy_tags(n_images, n_tags, random_state=repeat)
    lists = RankedLists(K, data.scores, data.labels, data.noisy_labels, data.category)
    return label_lists(lists, NAME, repeat, shares, BATCH, start, methods)


def report(rows, rst=False):
    """Return all tables."""
    note = (
        "s.e.: of the error of tags, over repeats; to random: its paired difference to random "
        "labels with the joint model,\nin standard errors, negative if better.\n"
    )
    table = by_share(measured(rows), LINES, SHOWN)
    return text_of([(f"Precision@{K} of tags", table), note, failures(rows)], rst)


def guide(rows):
    """Return the table of the guide."""
    rows = measured(rows)
    groups = dict(by_line(rows, LINES))
    shares = [share for share in IN_GUIDE if share in groups]
    body = []
    for line in LINES:
        by_budget = [groups[share].get(line, []) for share in shares]
        every = [row for found in by_budget for row in found]
        if not every:
            continue
        errors = [cell(found, "error") for found in by_budget]
        coverage = [cell(every, measure, 2) for measure in ("covered", "list_covered")]
        body.append([*choice_of(*line), *errors, *coverage])
    heading = [
        *("chosen", "estimated by", *(f"{share}%" for share in shares)),
        "coverage, mean",
        "coverage, tags",
    ]
    title = (
        f"Mean absolute error of the precision of the {K} highest scores of each tag, by the share "
        f"of verified labels"
    )
    widths = [24, 20, *(9 for _ in shares), 10, 10]
    return [titled_table(title, heading, body, widths)]
