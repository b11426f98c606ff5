"""Width of an interval after further labels: as a report expects it, and after labelling them.

Run ``python examples/benchmarks/expected_widths.py FOLDER``: the table of the guide page on numbers
of labels. A few random items of each score set are labelled. The report recommends further labels
and says how wide the interval of its headline will be; then these are chosen by the selector and
labelled by the set's own labels, and a new fit gives the width. The same for as many random labels
as it says. Without a folder the digit and satellite sets of ``examples/data`` are used; of a data
set with several files, two. Reports whose verdict is not "ok" expect nothing and are only counted.
A quarter of an hour; ``--repeats N`` draws of labels a set instead of 2, ``--csv FILE`` writes the
table.
"""

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from sklearn_spe import PerformanceCurveEstimator, PerformanceReport
from sklearn_spe.active import ActiveTestSelector

sys.path.append(str(Path(__file__).resolve().parent / "harness"))

from draw_tables import show_rows
from score_files import find_sets, hide, seed_of

DATA = Path(__file__).resolve().parents[1] / "data"
LABELS = (10, 60)
MAX_ROWS, MAX_FILES = 5_000, 2
CHOSEN, RANDOM = "most informative", "at random"


def sets_of(folder):
    """Return score sets, few of each data set."""
    n_files = Counter()
    sets = []
    for score_set in find_sets(folder):
        n_files[score_set.data_set] += 1
        if n_files[score_set.data_set] <= MAX_FILES and score_set.load(MAX_ROWS) is not None:
            sets.append(score_set)
    return sets


def fit(scores, y, seed):
    """Return a fitted estimator of performance."""
    return PerformanceCurveEstimator(random_state=seed).fit(scores, y)


def width_after(scores, labels, y, rows, value, seed):
    """Return the width of the headline's interval with the labels of further rows."""
    y = y.copy()
    y[rows] = labels[rows]
    estimate = fit(scores, y, seed).estimate(value.metric, threshold=value.threshold)
    low, high = estimate.interval()
    return high - low


def measure(score_set, n_labels, repeat):
    """Return the expected by the measured width of each strategy; None if none is expected."""
    scores, labels = score_set.load(MAX_ROWS)
    y = hide(labels, score_set.name, repeat, n_labels)
    if len(np.unique(y)) < 3:
        return None
    seed = seed_of(score_set.name, repeat, n_labels)
    (value,) = PerformanceReport.from_estimator(fit(scores, y, seed)).worth
    low, high = value.estimate.interval()
    if not value.is_known or not high > low:
        return None

    selector = ActiveTestSelector(
        value.metric, threshold=value.threshold, draw="argmax", random_state=seed
    )
    chosen = selector.fit(scores, y).query(value.recommended)
    ratios = {
        CHOSEN: value.width / width_after(scores, labels, y, chosen, value, seed),
    }
    if value.at_random is not None and value.at_random <= np.count_nonzero(y < 0):
        more = hide(labels, score_set.name, repeat, n_labels + value.at_random)
        rows = np.flatnonzero((more >= 0) & (y < 0))
        ratios[RANDOM] = value.width / width_after(scores, labels, y, rows, value, seed)
    return ratios


def rows_of_table(sets, n_repeats):
    """Return a row for each number of labels and strategy."""
    rows = []
    for n_labels in LABELS:
        results = [measure(each, n_labels, repeat) for each in sets for repeat in range(n_repeats)]
        known = [ratios for ratios in results if ratios is not None]
        for strategy in (CHOSEN, RANDOM):
            ratios = np.array([each[strategy] for each in known if strategy in each])
            # Too wide or too narrow by a factor.
            factor = np.maximum(ratios, 1.0 / ratios)
            rows.append(
                {
                    "labels": str(n_labels),
                    "further labels": strategy,
                    "reports": str(len(results)),
                    "that expect a width": str(len(ratios)),
                    "expected by measured, median": f"{np.median(ratios):.2f}",
                    "within a factor, median": f"{np.median(factor):.2f}",
                    "within 2": f"{np.mean(factor <= 2.0):.2f}",
                }
            )
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DATA, help="a folder of score sets")
    parser.add_argument("--repeats", type=int, default=2, help="draws of labels of each set")
    parser.add_argument("--csv", type=Path, help="the file to write")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        table = rows_of_table(sets_of(options.folder), options.repeats)
    show_rows(table, options.csv)
