"""Rare positives: the package and the labels alone, on thirteen distributions and four plans.

Each distribution of `rare_shapes` is drawn at each size and prevalence and labeled by each plan of
`label_plans`; the labels alone are a beta rate in each stratum of the plan, and for average
precision a weighted Bayesian bootstrap. The threshold is the score at the rank of the number of
positives: near the best F1, and not chosen by the luck of the labels. An interval misses "by far"
if the truth lies outside by more than its width, and by more than .02. Run ``python
examples/benchmarks/experts/rare_positives.py fits.csv --share 0.2``; fits that the file holds are
not made again.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import sys
import time
import warnings
import zlib
from collections import defaultdict
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from draw_tables import show_rows
from label_plans import PLANS, LabelPlan, by_bootstrap, by_strata
from rare_shapes import SHAPES, SIZES, draw
from sklearn.metrics import average_precision_score, f1_score, precision_score, recall_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture

QUESTIONS = "average_precision", "prevalence", "precision", "recall", "f1"
METHODS = "package", "labels alone"
N_LABELS, LEVEL = (20, 100, 400), 0.9
# Fewer positives than this are expected among random labels that are not worth a fit.
MIN_EXPECTED = 0.3
# Counts divided by counts may differ in their last bits; and what a small miss is.
ROUNDING, NEAR = 1e-9, 0.02
KEY = ("shape", "n_items", "prevalence", "plan", "n_labels", "repeat")
COLUMNS = (*KEY, "question", "method", "truth", "value", "low", "high", "verdict", "seconds")


def cases(n_repeats: int, share: float):
    """Yield the keys of a share of all cases, the same for every run."""
    grid = itertools.product(SHAPES, SIZES, PLANS, N_LABELS, range(n_repeats))
    for shape, (n_items, prevalence), plan, n_labels, repeat in grid:
        if plan == "random" and n_labels * prevalence < MIN_EXPECTED:
            continue
        key = shape, n_items, prevalence, plan, n_labels, repeat
        if zlib.crc32(repr(key).encode()) < share * 2**32:
            yield key


def rows_of(key):
    """Return a row for each question and method of one case."""
    shape, n_items, prevalence, plan_name, n_labels, repeat = key
    rng = np.random.default_rng(zlib.crc32(repr(key).encode()))
    scores, labels = draw(shape, n_items, prevalence, rng)
    plan = LabelPlan.of(plan_name, scores, n_labels, rng)
    threshold = np.sort(scores)[-labels.sum()]
    decided = scores >= threshold
    truth = dict(
        zip(
            QUESTIONS,
            (
                average_precision_score(labels, scores),
                labels.mean(),
                precision_score(labels, decided),
                recall_score(labels, decided),
                f1_score(labels, decided),
            ),
            strict=True,
        )
    )

    start = time.process_time()
    package, verdict = by_package(scores, labels, plan, threshold, repeat)
    seconds = time.process_time() - start
    draws = by_strata(plan, scores, labels, threshold, rng)
    draws["average_precision"] = by_bootstrap(plan, scores, labels, rng)
    tail = (1.0 - LEVEL) / 2.0
    alone = {q: np.quantile(draws[q], [0.5, tail, 1.0 - tail]) for q in QUESTIONS}
    return [
        dict(
            zip(
                COLUMNS,
                (*key, q, method, truth[q], *map(float, answers[q]), said, seconds),
                strict=True,
            )
        )
        for method, answers, said in zip(METHODS, (package, alone), (verdict, ""), strict=True)
        for q in QUESTIONS
    ]


def by_package(scores, labels, plan, threshold, seed):
    """Return value and interval of each question, and the verdict."""
    y = np.full(len(labels), -1)
    y[plan.items] = labels[plan.items]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mixture = SemisupervisedScoreMixture(classes=[0, 1])
        performance = PerformanceCurveEstimator(mixture, random_state=seed).fit(scores, y)
        answers = {}
        for question in QUESTIONS:
            of_ranking = question in ("average_precision", "prevalence")
            given = {} if of_ranking else {"threshold": threshold}
            estimate = performance.estimate(question, **given)
            answers[question] = estimate.value, *estimate.interval(LEVEL)
    return answers, str(performance.verdict_)


def table(rows, by: str | None) -> list[dict[str, str]]:
    """Return coverage and interval score of each question, a row for each group and method."""
    groups = defaultdict(list)
    for row in rows:
        groups[row[by] if by else "all", row["method"]].append(row)
    lines = []
    for (group, method), own in groups.items():
        n_fits = len({tuple(row[k] for k in KEY) for row in own})
        line = {by or "of": str(group), "fits": str(n_fits), "method": method}
        far = defaultdict(bool)
        for question in QUESTIONS:
            asked = [row for row in own if row["question"] == question]
            low, high, truth = (
                np.array([float(row[name]) for row in asked]) for name in ("low", "high", "truth")
            )
            outside = np.maximum(np.maximum(low - truth, truth - high), 0.0)
            score = (high - low + 2.0 / (1.0 - LEVEL) * outside).mean()
            line[question] = f"{(outside <= ROUNDING).mean():.2f}, {score:.3f}"
            for row, miss, width in zip(asked, outside, high - low, strict=True):
                if row["verdict"] == "ok":
                    far[tuple(row[k] for k in KEY)] |= bool(miss > max(width, NEAR))
        line["far of ok"] = f"{sum(far.values())} of {len(far)}" if far else ""
        lines.append(line)
    return lines


def main():
    """Make the fits that the file lacks, and print the table."""
    parser = argparse.ArgumentParser(prog="rare_positives", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="a CSV file, which keeps the answers")
    parser.add_argument("--share", type=float, default=1.0, help="of all cases")
    parser.add_argument("--repeats", type=int, default=1, help="draws of each case")
    parser.add_argument("--by", choices=KEY, help="a column to group by")
    parser.add_argument("--csv", type=Path, help="a file for the table")
    options = parser.parse_args()

    rows = []
    if options.file.is_file():
        with options.file.open(newline="") as file:
            rows = list(csv.DictReader(file))
    kept = {tuple(row[name] for name in KEY) for row in rows}
    with options.file.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not rows:
            writer.writeheader()
        for key in cases(options.repeats, options.share):
            if tuple(map(str, key)) not in kept:
                writer.writerows(rows_of(key))
                file.flush()

    with options.file.open(newline="") as file:
        show_rows(table(list(csv.DictReader(file)), options.by), options.csv)


if __name__ == "__main__":
    main()
