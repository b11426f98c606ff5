"""All methods on the fixed problems: pilots of several sizes, asked for up to 100 times more.

Errors are of the accuracy itself, as a distribution has it (plain) and as `AccuracyExtrapolator`
gives it, scaled to meet the exact curve of the pilot (joined). A cell is one problem, size of pilot
and range of the ratio of classes asked for to classes tried. The oracle knows the conditional
accuracy of every item of the pilot.
"""

from peers import ORACLE, PEERS, PUBLISHED
from predictions import predict
from problems import CELLS, chosen, counts_beyond
from report import (
    BUCKETS,
    by_cell,
    by_group,
    by_method,
    by_ratio,
    failures,
    methods_of,
    write_guide,
)
from resuming import Task, run
from text_tables import text_of

METHODS = (*PEERS, ORACLE)
REPEATS = 4
NOTES = (
    "Bias: mean of predicted less true accuracy. Worst cell: the largest root mean squared error "
    "over cells.\n",
    "Beside the best of classexreg, kde and probit in the same cell: the median and the largest "
    "ratio, where that is,\nthe cells in which it is above 1.5, and those where the error is "
    "larger by more than 0.02, too.\n",
)


def add_options(parser):
    """Add what only this mode understands."""
    parser.add_argument("--problems", choices=("design", "evaluation"), default="evaluation")


def main(options):
    """Run the remaining work; return tables."""
    rows = run(tasks(options.problems, options), predict, options)
    heading, body = by_method(rows, "joined", methods_of(rows, options.methods))
    width = len(("method", *BUCKETS, "all", "bias"))
    write_guide(options.csv, heading[:width], [line[:width] for line in body])
    return report(rows, options)


def tasks(list_name, options):
    """Return all pilots of a list of problems."""
    found = []
    for problem in chosen(list_name, options.only, options.n_problems):
        counts = sorted({int(k) for n, _ in CELLS for k in counts_beyond(n)})
        truth = dict(zip(counts, problem.truth(counts, options.cache).tolist(), strict=True))
        for n_classes, n_items in CELLS:
            asked = {k: truth[k] for k in counts_beyond(n_classes).tolist()}
            for repeat in range(options.repeats):
                key = {
                    "list": list_name,
                    "problem": problem.name,
                    "n_classes": n_classes,
                    "n_items": n_items,
                    "repeat": repeat,
                }
                arguments = (list_name, problem, n_classes, n_items, repeat, asked)
                found.append(Task(key, arguments, tuple(options.methods)))
    return found


def report(rows, options):
    """Return all tables."""
    methods = methods_of(rows, options.methods)
    parts = []
    for column in ("plain", "joined"):
        parts += [
            (f"Root mean squared error, {column}", by_method(rows, column, methods)),
            NOTES[0],
            *beside_published(rows, column, methods),
            (f"By problem, {column}", by_group(rows, column, methods, "problem")),
            (
                f"By size of the pilot, {column}",
                by_group(rows, column, methods, "n_classes", "n_items"),
            ),
        ]
    return text_of([*parts, failures(rows)], options.rst)


def beside_published(rows, column, methods):
    """Return tables of errors over those of the best published method, if any took part."""
    if not set(methods) & set(PUBLISHED):
        return []
    return [
        (f"Over the best published, {column}", by_ratio(rows, column, methods)),
        (f"By cell, over the best published, {column}", by_cell(rows, column, methods)),
        NOTES[1],
    ]
