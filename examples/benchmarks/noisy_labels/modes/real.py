"""Two public sets with noisy and clean labels: Precision@K and average precision.

Tweets of one pool, whose noisy label is that of a single annotator and the clean one that of the
majority: the 1,000 highest. CIFAR-10, a pair of an image and a class being an item, with 40% of the
images labelled wrongly, class by class: the 500 highest of each class. Average precision looks at
all items: of CIFAR-10 those of 2,000 random images, and the default takes the best gains instead of
drawing (``draw="argmax"``). A batch is 5%. Files are as `noisy_files` says.

Errors are absolute and of lists, then averaged; coverage and width are of 90% intervals, of the
mean over lists and of lists. Tweets are one list. Unless items are drawn, repeats share their data
and differ by the choice of labels and by the draws of the model alone.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from list_runs import label_lists
from noisy_files import load_classes, load_tweets
from ranked_lists import RankedLists
from resuming import Task, run
from tables import by_line, by_share, cell, choice_of, failures, measured
from text_tables import grouped, text_of, titled_table

METHODS = (
    *("chosen", "estimator_change", "random"),
    *("random_counts", "estimator_change_counts"),
)
SHARES = (10, 20, 50)
START = "chosen"
BATCH = 5.0
LINES = (
    ("chosen", "learned"),
    ("estimator_change", "learned"),
    ("random", "learned"),
    ("random", "naive"),
    ("random", "verified"),
    ("random_counts", "learned"),
    ("estimator_change_counts", "learned"),
)
SHOWN = (
    ("error", "error of lists", 4),
    ("mean_error", "error of mean", 4),
    ("covered", "coverage", 2),
    ("width", "width", 3),
    ("list_covered", "lists cov.", 2),
    ("list_width", "lists width", 3),
    ("model_weight", "model weight", 2),
    ("step_seconds", "seconds a step", 2),
)


@dataclass(frozen=True)
class Set:
    """A file, and the metric to estimate.

    Attributes
    ----------
    title : str
        In the tables.
    file : str
    load : callable
    k : int or None
        Of Precision@K; None stands for average precision.
    n_items : int or None
        How many random tweets or images a repeat takes; None takes all.
    is_heavy : bool
        Whether gains are taken for the best and not drawn.
    """

    title: str
    file: str
    load: object
    k: int | None = None
    n_items: int | None = None
    is_heavy: bool = False


TWEETS, CLASSES = "tweets_crowd_noisy.csv.gz", "cifar10_noisy_active.npz"
SETS = {
    "tweets_precision": Set("tweets, precision at 1,000", TWEETS, load_tweets, 1000),
    "tweets_ap": Set("tweets, average precision", TWEETS, load_tweets),
    "cifar10_precision": Set("CIFAR-10, precision at 500", CLASSES, load_classes, 500),
    "cifar10_ap": Set(
        "CIFAR-10, average precision, 2,000 images",
        CLASSES,
        load_classes,
        n_items=2000,
        is_heavy=True,
    ),
}


def add_options(add):
    """Add what only this mode understands."""
    add("folder", type=Path, help="a folder with the two files")
    help = "so many random tweets and images instead of what the mode says"
    add("--items", type=int, help=help)


def main(options):
    """Run the remaining work; return tables."""
    tasks = []
    for repeat in range(options.repeats):
        for name, set_ in SETS.items():
            if not (re.search(options.only, name) and (options.folder / set_.file).is_file()):
                continue
            key = {
                "set": name,
                "items_asked": options.items or "",
                "start": options.start,
                "shares_asked": " ".join(f"{share:g}" for share in options.shares),
                "repeat": repeat,
            }
            arguments = (name, options.folder, options.items, repeat, options.shares, options.start)
            tasks.append(Task(key, arguments, tuple(options.methods)))
    if not tasks:
        return f"Skipped: {options.folder} holds no set that matches {options.only!r}.\n"
    return report(run(tasks, label_set, options), options.rst)


def label_set(name, folder, n_items, repeat, shares, start, methods):
    """Return a row for each method, budget and estimator."""
    set_ = SETS[name]
    rng = np.random.default_rng([2, repeat])
    lists = RankedLists(set_.k, *set_.load(folder / set_.file, n_items or set_.n_items, rng))
    where = {"draw": "argmax"} if set_.is_heavy else {}
    return label_lists(lists, name, repeat, shares, BATCH, start, methods, **where)


def report(rows, rst=False):
    """Return all tables."""
    parts = [
        (SETS[name].title, by_share(found, LINES, SHOWN))
        for (name,), found in grouped(measured(rows), "set").items()
    ]
    note = (
        "s.e.: of the error of lists, over repeats; to random: its paired difference to random "
        "labels with the joint model,\nin standard errors, negative if better.\n"
    )
    return text_of([*parts, note, failures(rows)], rst)


def guide(rows):
    """Return the table of the guide."""
    body, shares = [], {}
    for (name,), found in grouped(measured(rows), "set").items():
        groups = dict(by_line(found, LINES))
        shares |= dict.fromkeys(groups)
        for line in LINES:
            lines = [groups.get(share, {}).get(line, []) for share in shares]
            if not any(lines):
                continue
            held = cell([row for found in lines for row in found], "covered", 2)
            errors = [cell(found, "error") for found in lines]
            body.append([SETS[name].title, *choice_of(*line), *errors, held])
    heading = ["set and metric", "chosen", "estimated by", *(f"{share}%" for share in shares)]
    title = "Mean absolute error on two public sets, by the share that is verified"
    widths = [28, 18, 18, *(9 for _ in shares), 9]
    return [titled_table(title, [*heading, "coverage"], body, widths)]
