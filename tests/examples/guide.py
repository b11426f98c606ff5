"""Cheap cells of the tables of the guide, which benchmarks write.

Each function returns what is printed, what is computed, and what chance may add to the difference.
"""

import csv
import re

import numpy as np

from tests.examples.tables import BENCHMARKS, MEASURED, script

PUBLIC_SETS = "the score sets are not part of the repository, nor are the runs"
N_IMAGES, N_TAGS, N_REPEATS = 2000, 81, 4
SKIPPED = {
    "active_testing_table": PUBLIC_SETS,
    "benchmark_table": PUBLIC_SETS,
    "calibration_table": PUBLIC_SETS,
    "goals_table": PUBLIC_SETS,
    "guarantees_table": PUBLIC_SETS,
    "reviews_table": PUBLIC_SETS,
    "shapes_table": "forty fits a cell take an hour",
}


def printed_tables(name):
    """Return the tables of a file, each a list of rows of text."""
    tables = []
    for line in (MEASURED / f"{name}.rst").read_text().splitlines():
        if line.startswith(".. csv-table::"):
            tables.append([])
        elif re.match(r"   [^:\s]", line):
            tables[-1].append([cell.strip() for cell in line.split("|")])
    return tables


def noisy_labels_table():
    """The naive estimate of random labels, with other random ones.

    A verified label repairs at most one pair of 3,888. Of n random ones, of which a share w is
    wrong, a binomial number is repaired, and the error has a standard deviation below sqrt(n w) /
    3,888. Two means over four repeats each differ by more than 3.5 of these, which are five
    standard deviations of the difference, less than once in a million.
    """
    folder = BENCHMARKS / "noisy_labels"
    tags = script(folder, "modes/tags")
    (line,) = (
        row
        for row in printed_tables("noisy_labels_table")[0]
        if row[:2] == ["at random", "noisy labels"]
    )
    found, bounds = [], []
    for repeat in range(N_REPEATS):
        data = tags.make_noisy_tags(N_IMAGES, N_TAGS, random_state=repeat)
        given = (data.scores, data.labels, data.noisy_labels, data.category)
        lists = tags.RankedLists(tags.K, *given)
        n = round(0.05 * len(lists.candidates))
        verified = np.random.default_rng(repeat).choice(lists.candidates, n, replace=False)
        found.append(np.nanmean(np.abs(lists.naive_values(verified) - lists.truth)))
        wrong = np.mean(data.labels[lists.candidates] != data.noisy_labels[lists.candidates])
        bounds.append(3.5 * np.sqrt(n * wrong) / len(lists.candidates))
    return [(line[2], float(np.mean(found)), float(np.mean(bounds)))]


def rare_events_table():
    """The errors by set, from the means that are kept."""
    report = script(BENCHMARKS / "rare_events", "report")
    with (BENCHMARKS / "rare_events" / "by_set.csv").open(newline="") as file:
        kept = list(csv.DictReader(file))
    printed = {row[0]: row[2:] for row in printed_tables("rare_events_table")[1][1:]}
    found = {}
    for row in kept:
        found.setdefault(row["set"].replace("_", " "), {})[row["method"]] = row["error"]
    return [
        (text, float(found[name][method]), 0.0)
        for name, row in printed.items()
        for text, method in zip(row, report.SHORT, strict=True)
    ]
