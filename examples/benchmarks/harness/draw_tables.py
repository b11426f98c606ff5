"""The options of a benchmark of one file, whose table has a row for each model or cell."""

import argparse
import csv
from pathlib import Path

import numpy as np


def judged(interval, value, tolerance=0.0):
    """Return the mean interval score at 90%, and the share of the values that are covered.

    A value that an interval misses by the tolerance counts as covered.
    """
    low, high = interval
    miss = np.maximum(np.maximum(low - value, value - high) - tolerance, 0.0)
    return np.mean(high - low + 20.0 * miss), np.mean(miss == 0.0)


def rows_beside_labels(about, results):
    """Return a row for each quantity: the model and the labels alone, as means over data sets.

    `about` are the first cells of each row, and `results` dictionaries of quantities, one a data
    set: interval score and coverage of the model, then of the labels alone.
    """
    rows = []
    for name in results[0]:
        score, covered, by_labels_score, by_labels_covered = np.mean(
            [result[name] for result in results], axis=0
        )
        rows.append(
            {
                **about,
                "of": name,
                "covered": f"{covered:.2f}",
                "score": f"{score:.3f}",
                "by labels, covered": f"{by_labels_covered:.2f}",
                "by labels, score": f"{by_labels_score:.3f}",
            }
        )
    return rows


def print_table(description, table, n_draws):
    """Print the rows of `table(n_sets)`, dictionaries, and write them if that is asked for."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--draws", type=int, default=n_draws, help="number of data sets")
    parser.add_argument("--csv", type=Path, help="the file to write")
    options = parser.parse_args()
    show_rows(table(options.draws), options.csv)


def show_rows(rows, path=None):
    """Print the rows, dictionaries, and write them to a file if one is given."""
    for row in rows:
        print(" | ".join(row.values()))

    if path is not None:
        write_rows(rows, path)


def write_rows(rows, path):
    """Write rows of one kind, at least one, as a new file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
