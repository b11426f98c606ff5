"""Four judges that err together: the model beside the labels alone.

Run ``python examples/benchmarks/judge_errors.py``: the coverage of the recall (sensitivity),
specificity and Cohen's kappa of each judge (guide page on judges). Four judges mark 1,000 answers,
of which a random share passes; an answer that is hard for one of them is hard for all, or each errs
alone. Some pass nearly everything. Labels are at random. The labels alone are Jeffreys'
distribution of the rate of each verdict; the number of each verdict is known. Five minutes;
``--draws N`` data sets instead of 40, ``--csv FILE`` writes the table.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import special

from sklearn_spe import PerformanceCurveEstimator

sys.path.append(str(Path(__file__).resolve().parent / "harness"))

from draw_tables import judged, print_table, rows_beside_labels

N_ITEMS, N_JUDGES, LABELS = 1000, 4, (20, 50, 100)
# The spread of the ease of an answer, which judges share; mean and spread over judges of the
# log-odds that a good answer passes, and that a bad one fails; and the range of the pass rate.
SETTINGS = {
    "err together": (1.3, (2.0, 0.6), (1.0, 0.8), (0.5, 0.8)),
    "strongly": (3.0, (2.5, 0.8), (1.2, 0.8), (0.5, 0.8)),
    "each alone": (0.0, (1.6, 0.6), (1.0, 0.6), (0.5, 0.8)),
    "lenient": (2.0, (3.5, 0.5), (0.2, 0.5), (0.6, 0.85)),
}
QUANTITIES = ("recall", "specificity", "cohen_kappa")
N_DRAWS, LEVELS = 2000, (0.05, 0.95)


def draw(setting, n_labels, seed):
    """Return verdicts, (N_ITEMS, N_JUDGES), the truth and the labels of one data set."""
    rng = np.random.default_rng([seed, n_labels, list(SETTINGS).index(setting)])
    shared, good, bad, rates = SETTINGS[setting]
    truth = (rng.random(N_ITEMS) < rng.uniform(*rates)).astype(int)
    ease = shared * rng.standard_normal(N_ITEMS)
    columns = []
    for _ in range(N_JUDGES):
        log_odds = np.where(truth == 1, rng.normal(*good), rng.normal(*bad)) + ease
        is_right = rng.random(N_ITEMS) < special.expit(log_odds)
        columns.append(np.where(is_right, truth, 1 - truth))
    y = np.full(N_ITEMS, -1)
    labeled = rng.choice(N_ITEMS, n_labels, replace=False)
    y[labeled] = truth[labeled]
    return np.column_stack(columns), truth, y, rng


def of_tables(tables):
    """Return the quantities of tables of shares, (n, 2, 2), by class and verdict: name to (n,)."""
    of_classes = tables.sum(axis=2)
    of_verdicts = tables.sum(axis=1)
    agreement = tables[:, 0, 0] + tables[:, 1, 1]
    by_chance = (of_classes * of_verdicts).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "recall": tables[:, 1, 1] / of_classes[:, 1],
            "specificity": tables[:, 0, 0] / of_classes[:, 0],
            "cohen_kappa": (agreement - by_chance) / (1.0 - by_chance),
        }


def by_labels(verdicts, y, rng):
    """Return intervals by the labels alone: name to (2, 1)."""
    tables = np.zeros((N_DRAWS, 2, 2))
    for verdict in (0, 1):
        is_verdict = verdicts == verdict
        n_positive = np.sum(y[is_verdict] == 1)
        n_negative = np.sum(y[is_verdict] == 0)
        n_open = np.sum(y[is_verdict] < 0)
        rate = rng.beta(n_positive + 0.5, n_negative + 0.5, N_DRAWS)
        drawn = rng.binomial(n_open, rate)
        tables[:, 1, verdict] = n_positive + drawn
        tables[:, 0, verdict] = n_negative + n_open - drawn
    tables /= N_ITEMS
    return {
        name: np.nanquantile(values, LEVELS)[:, np.newaxis]
        for name, values in of_tables(tables).items()
    }


def measure(setting, n_labels, seed):
    """Return score and coverage of the model and of the labels, by quantity."""
    verdicts, truth, y, rng = draw(setting, n_labels, seed)
    performance = PerformanceCurveEstimator(classes=[0, 1], random_state=seed)
    results = {name: [] for name in QUANTITIES}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        performance.fit(None, y, judges=verdicts)
        for judge, of_judge in enumerate(verdicts.T):
            table = np.zeros((1, 2, 2))
            np.add.at(table[0], (truth, of_judge), 1.0 / N_ITEMS)
            values = of_tables(table)
            labels = by_labels(of_judge, y, rng)
            ranking = performance.of(judge=judge)
            for name in QUANTITIES:
                interval = np.array(ranking.estimate(name).interval())[:, np.newaxis]
                results[name].append(
                    [*judged(interval, values[name]), *judged(labels[name], values[name])]
                )
    return {name: np.mean(of_judges, axis=0) for name, of_judges in results.items()}


def table(n_sets):
    """Return a row for each number of labels and quantity, over the settings."""
    rows = []
    for n_labels in LABELS:
        by_setting = [
            [measure(setting, n_labels, seed) for seed in range(n_sets)] for setting in SETTINGS
        ]
        about = {"labels": str(n_labels)}
        everything = [result for results in by_setting for result in results]
        for row in rows_beside_labels(about, everything):
            means = [
                np.mean([result[row["of"]][1] for result in results]) for results in by_setting
            ]
            rows.append({**row, "lowest of a kind": f"{min(means):.2f}"})
    return rows


if __name__ == "__main__":
    print_table(__doc__, table, 40)
