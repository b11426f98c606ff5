"""Intervals of this package and of its peers, on the same public score sets and draws of labels.

Run ``python examples/benchmarks/peers --csv examples/benchmarks/peers.csv``, whose table the README
has too. From each of the 32 sets of ``examples/data`` 600 items are drawn, and 20 or 100 of them
are labeled at random; asked are the mean of the labels, the accuracy at threshold 0 and the average
precision, with 90% intervals. Every package has its defaults. A peer that cannot answer, such as
for want of a label of each class, gets the interval from 0 to 1.

Packages that are not installed are left out, and their rows of an existing file stay: not all go
into one environment. ``--draws N`` draws of each set instead of 2; six minutes of a processor with
the default, most of them of ssme-lite, which is asked on `N_SLOW` sets only.
"""

import argparse
import csv
import os
import time
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy import special, stats
from sklearn.metrics import average_precision_score

from sklearn_spe import PerformanceCurveEstimator

DATA = Path(__file__).resolve().parents[2] / "data"
LEVEL = 0.9
N_ITEMS, N_LABELS, N_DRAWS, N_SLOW, N_RESAMPLES = 600, (20, 100), 2, 3, 200
QUANTITIES = ("mean", "accuracy", "average precision")
NOTHING = (0.0, 1.0)


class Case:
    """Items of a score set, some with a label."""

    def __init__(self, path, n_labels, seed):
        rng = np.random.default_rng([seed, n_labels])
        scores, truth = np.loadtxt(path, delimiter=",", skiprows=1).T
        items = rng.choice(len(scores), N_ITEMS, replace=False)
        self.scores, self.truth = scores[items], truth[items].astype(int)
        self.known = np.zeros(N_ITEMS, dtype=bool)
        self.known[rng.choice(N_ITEMS, n_labels, replace=False)] = True
        self.seed = seed

        self.y = np.where(self.known, self.truth, -1)
        self.predicted = (self.scores >= 0.0).astype(int)
        self.proba = special.expit(self.scores)
        # What is averaged, and what predicts it.
        correct = (self.predicted == self.truth).astype(float)
        self.means = {
            "mean": (self.truth.astype(float), self.proba),
            "accuracy": (correct, special.expit(np.abs(self.scores))),
        }
        self.true_values = {
            "mean": self.truth.mean(),
            "accuracy": correct.mean(),
            "average precision": average_precision_score(self.truth, self.scores),
        }

    def of_means(self, interval_of):
        """Return intervals of both means, of the labels and what predicts them and all others."""
        return {
            name: answered(interval_of, values[self.known], proxy[self.known], proxy[~self.known])
            for name, (values, proxy) in self.means.items()
        }


def answered(call, *arguments):
    """Return the interval of a call; the interval from 0 to 1 if it refuses."""
    try:
        return call(*arguments)
    except Exception:
        return NOTHING


def sklearn_spe(case):
    """Ask this package."""
    performance = PerformanceCurveEstimator(classes=[0, 1], random_state=case.seed)
    performance.fit(case.scores, case.y)
    estimates = (
        performance.estimate("prevalence"),
        performance.estimate("accuracy", threshold=0.0),
        performance.estimate("average_precision"),
    )
    return dict(zip(QUANTITIES, (one.interval(LEVEL) for one in estimates), strict=True))


def bootstrap(case):
    """Ask scipy for a bootstrap of the labeled items, of scikit-learn's metrics."""
    y, scores, predicted = (x[case.known] for x in (case.truth, case.scores, case.predicted))

    def interval(metric):
        found = stats.bootstrap(
            (np.arange(len(y)),),
            lambda items: metric(items.astype(int)),
            confidence_level=LEVEL,
            n_resamples=N_RESAMPLES,
            method="percentile",
            vectorized=False,
            rng=np.random.default_rng(case.seed),
        )
        return tuple(found.confidence_interval)

    intervals = {
        "mean": interval(lambda items: y[items].mean()),
        "accuracy": interval(lambda items: (y == predicted)[items].mean()),
        "average precision": NOTHING,
    }
    if y.any():
        intervals["average precision"] = interval(
            lambda items: average_precision_score(y[items], scores[items])
        )
    return intervals


def ppi_python(case):
    """Ask ppi-python for PPI++."""
    from ppi_py import ppi_mean_ci

    return case.of_means(lambda *split: np.ravel(ppi_mean_ci(*split, alpha=1.0 - LEVEL)))


def ppi_aipw(case):
    """Ask ppi-aipw."""
    from ppi_aipw import mean_inference

    return case.of_means(lambda *split: np.ravel(mean_inference(*split, alpha=1.0 - LEVEL).ci))


def glide(case):
    """Ask glide-py for PPI++."""
    from glide.estimators import PPIMeanEstimator

    def interval(name):
        values, proxy = case.means[name]
        y = np.where(case.known, values, np.nan)
        ends = PPIMeanEstimator().estimate(y, proxy, confidence_level=LEVEL).confidence_interval
        return ends.lower_bound, ends.upper_bound

    return {name: answered(interval, name) for name in case.means}


def truescore(case):
    """Ask truescore, which takes verdicts, for the mean."""
    from truescore import ppi_estimate

    places = np.flatnonzero(case.known)
    found = ppi_estimate(case.predicted, case.truth[places], places, alpha=1.0 - LEVEL)
    return {"mean": (found.low, found.high)}


def ssme_lite(case):
    """Ask ssme-lite, an implementation of SSME, of one classifier."""
    from ssme_lite import SSMEEstimator

    estimator = SSMEEstimator(random_state=case.seed)
    estimator.fit(case.proba[:, np.newaxis], case.y, model_names=["model"])
    report = estimator.evaluate(metrics=("accuracy", "auprc"), confidence=LEVEL)
    intervals = {}
    for name, metric in (("accuracy", "accuracy"), ("average precision", "auprc")):
        row = report.ranking(metric).iloc[0]
        intervals[name] = (row["interval_low"], row["interval_high"])
    return intervals


def nannyml(case):
    """Ask nannyml's CBPE, which has the labeled items as its reference."""
    # Else it reports its use to a server.
    os.environ["NML_DISABLE_USAGE_LOGGING"] = "1"
    import pandas as pd
    from nannyml import CBPE

    table = pd.DataFrame({"y": case.truth, "p": case.proba, "predicted": case.predicted})
    estimator = CBPE(
        y_true="y",
        y_pred_proba="p",
        y_pred="predicted",
        problem_type="classification_binary",
        metrics=["accuracy", "average_precision"],
        chunk_number=1,
    )
    estimator.fit(table[case.known])
    found = estimator.estimate(table.drop(columns="y")).filter(period="analysis").to_df()
    intervals = {}
    for name in ("accuracy", "average_precision"):
        ends = (found[name, f"{end}_confidence_boundary"].iloc[0] for end in ("lower", "upper"))
        intervals[name.replace("_", " ")] = tuple(ends)
    return intervals


# What each needs.
PEERS = {
    "sklearn-spe": (sklearn_spe, "sklearn_spe"),
    "bootstrap of the labels": (bootstrap, "scipy"),
    "ppi-python": (ppi_python, "ppi_py"),
    "ppi-aipw": (ppi_aipw, "ppi_aipw"),
    "glide-py": (glide, "glide"),
    "truescore": (truescore, "truescore"),
    "ssme-lite": (ssme_lite, "ssme_lite"),
    "nannyml": (nannyml, "nannyml"),
}
SLOW = ("ssme-lite",)


def ask(method, case):
    """Return the intervals of a method, and the seconds of a processor."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        intervals = answered(method, case)
    return intervals, time.process_time() - start


def measure(name, n_draws):
    """Yield a row for each quantity and number of labels."""
    method, _ = PEERS[name]
    paths = sorted(DATA.glob("*.csv.gz"))
    if name in SLOW:
        # Spread over both data sets.
        paths = paths[4 :: len(paths) // N_SLOW][:N_SLOW]
        n_draws = 1
    for n_labels in N_LABELS:
        cases = [Case(path, n_labels, seed) for path in paths for seed in range(n_draws)]
        answers = [ask(method, case) for case in cases]
        asked = {name for intervals, _ in answers if intervals != NOTHING for name in intervals}
        seconds = np.mean([spent for _, spent in answers])
        for quantity in (one for one in QUANTITIES if one in asked):
            ends = [
                NOTHING if intervals == NOTHING else intervals[quantity] for intervals, _ in answers
            ]
            low, high = np.clip(np.nan_to_num(ends, nan=0.0), 0.0, 1.0).T
            truth = np.array([case.true_values[quantity] for case in cases])
            miss = np.maximum(np.maximum(low - truth, truth - high), 0.0)
            yield {
                "package": name,
                "of": quantity,
                "labels": str(n_labels),
                "covered": f"{np.mean(miss <= 1e-9):.2f}",
                "width": f"{np.mean(high - low):.2f}",
                "interval score": f"{np.mean(high - low + 2.0 / (1.0 - LEVEL) * miss):.2f}",
                "CPU s": f"{seconds:.2g}",
                "refused": f"{np.mean([tuple(pair) == NOTHING for pair in ends]):.2f}",
                "fits": str(len(cases)),
            }


def readme_table(rows):
    """Return the lines of the README's table: covered and interval score, by labels."""
    columns = [(quantity, str(n)) for quantity in QUANTITIES for n in N_LABELS]
    head = ["90% intervals", *(f"{quantity}, {n}" for quantity, n in columns), "CPU s"]
    lines = [head, ["---"] * len(head)]
    for name in dict.fromkeys(row["package"] for row in rows):
        of_name = {(row["of"], row["labels"]): row for row in rows if row["package"] == name}
        cells = [
            f"{row['covered']} / {row['interval score']}" if (row := of_name.get(column)) else ""
            for column in columns
        ]
        seconds = max((row["CPU s"] for row in of_name.values()), key=float)
        lines.append([name, *cells, seconds])
    return [f"| {' | '.join(line)} |" for line in lines]


def main():
    """Ask every package that is installed, and keep the rows of the others."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=N_DRAWS, help="draws of labels of each set")
    parser.add_argument("--csv", type=Path, help="the file to write")
    parser.add_argument("--packages", nargs="+", choices=PEERS, default=list(PEERS))
    options = parser.parse_args()

    rows = []
    if options.csv is not None and options.csv.exists():
        with options.csv.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    for name in options.packages:
        if find_spec(PEERS[name][1]) is None:
            print(f"{name} is not installed")
            continue
        new = list(measure(name, options.draws))
        rows = [row for row in rows if row["package"] != name] + new
        rows.sort(key=lambda row: list(PEERS).index(row["package"]))
        for row in new:
            print(" | ".join(row.values()), flush=True)
        if options.csv is not None:
            write(rows, options.csv)

    print(*readme_table(rows), sep="\n")


def write(rows, path):
    """Write the rows to a file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
