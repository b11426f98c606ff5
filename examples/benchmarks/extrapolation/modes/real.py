"""All methods on score tables of real classifiers: from some of their classes to all of them.

A folder holds one npz file a table, with the arrays `scores`, a row for each item and a column for
each class, and `labels`, the column of each item's class. Some of the classes are drawn, with at
most 20 items each; the truth is the exact curve of the whole table. It holds the classes that were
drawn, too: errors at twice the classes are smaller than they would be with new ones, for all
methods alike.
"""

import re
import zlib
from pathlib import Path

import numpy as np
from peers import PEERS
from predictions import as_rows, predict_one
from report import by_group, by_method, failures, methods_of
from resuming import Task, run
from text_tables import text_of

from sklearn_spe import average_accuracy_curve
from sklearn_spe.extrapolation._pilot import Pilot

METHODS = tuple(PEERS)
REPEATS = 8
SEED = 2020
# Sizes of pilots, by the number of classes of the table; of others a quarter and a half.
SIZES = {26: (8, 13), 136: (10, 20, 34, 68)}
FEWEST_CLASSES = 20
MAX_ITEMS = 20
DATA = Path(__file__).resolve().parents[3] / "data"


def add_options(parser):
    """Add what only this mode understands."""
    parser.add_argument("--data", type=Path, default=DATA, help="a folder of npz files")


def main(options):
    """Run the remaining work; return tables."""
    tables = find(options.data, options.only)[: options.n_problems]
    if not tables:
        return (
            f"Skipped: {options.data} holds no npz file with scores of {FEWEST_CLASSES} classes or "
            f"more; name a folder with --data.\n"
        )
    tasks = []
    for path in tables:
        scores, labels = load(path)
        curve = average_accuracy_curve(
            labels, scores, labels=np.arange(scores.shape[1]), average="macro"
        )
        for n_classes in sizes(scores.shape[1]):
            for repeat in range(options.repeats):
                key = {
                    "problem": path.stem,
                    "n_classes": n_classes,
                    "n_items": MAX_ITEMS,
                    "repeat": repeat,
                }
                arguments = (path, n_classes, repeat, curve)
                tasks.append(Task(key, arguments, tuple(options.methods)))
    return report(run(tasks, predict, options), options)


def find(folder, pattern):
    """Return the files of a folder that hold scores of enough classes."""
    found = []
    for path in sorted(folder.glob("*.npz")) if folder.is_dir() else []:
        with np.load(path) as file:
            useful = {"scores", "labels"} <= set(file.files)
            useful = useful and file["scores"].shape[1] >= FEWEST_CLASSES
        if useful and re.search(pattern, path.stem):
            found.append(path)
    return found


def load(path):
    """Return scores and labels of a table."""
    with np.load(path) as file:
        return file["scores"].astype(float), file["labels"].astype(int)


def sizes(n_classes):
    """Return how many classes pilots have."""
    return SIZES.get(n_classes, (n_classes // 4, n_classes // 2))


def predict(path, n_classes, repeat, curve, methods):
    """Return rows for one pilot: some classes, with a few of their items."""
    scores, labels = load(path)
    entropy = [SEED, zlib.crc32(path.stem.encode()), n_classes, repeat]
    rng = np.random.default_rng(entropy)
    classes = rng.permutation(len(curve))[:n_classes]
    order = rng.permutation(len(labels))
    rows = np.concatenate([order[labels[order] == c][:MAX_ITEMS] for c in classes])
    columns = np.full(len(curve), -1)
    columns[classes] = np.arange(n_classes)
    pilot = Pilot.of(
        scores[np.ix_(rows, classes)], columns[labels[rows]], np.arange(n_classes), average="macro"
    )
    counts = np.array([k for k in (2, 4, 8) if k * n_classes < len(curve)]) * n_classes
    counts = np.append(counts, len(curve)).astype(int)
    found = []
    for method in methods:
        answer = predict_one(PEERS[method], pilot, counts, [*entropy, 1])
        found += as_rows(method, n_classes, counts, curve[counts - 1], *answer)
    return found


def report(rows, options):
    """Return all tables."""
    methods = methods_of(rows, options.methods)
    parts = []
    for column in ("plain", "joined"):
        by_size = by_group(rows, column, methods, "problem", "n_classes")
        parts += [
            (f"Root mean squared error, {column}", by_method(rows, column, methods)),
            (f"By table, {column}", by_group(rows, column, methods, "problem")),
            (f"By table and size of the pilot, {column}", by_size),
        ]
    return text_of([*parts, failures(rows)], options.rst)
