"""Several systems and few labels: one fit, SSME, and the labels alone.

Run ``python examples/benchmarks/several_systems.py FOLDER``: the table of the guide page beside
SSME. Classifiers of scikit-learn are one row, networks one a set. Of each set 1,000 items are
drawn, and 20 or 100 that have a label; the truth is that of all these. Columns: the mean absolute
error over systems and draws with its standard error over draws, how often 90% intervals cover, and
the mean interval score. SSME is implemented here after its published code; its intervals are of
labels drawn from its probabilities.

Sets of a folder are ``NAME.csv.gz`` (`several/system_files.py`) and ``NAME.npz`` with
``probability`` of shape (n, n_systems) or (n, n_systems, n_classes) and ``label``. SSME's own
networks (CivilComments and MultiNLI, 33 MB, published without a license) are read from a clone of
its repository, ``--networks CLONE``. Without either only networks that are made up here take part.
Five minutes; ``--draws N`` draws instead of 12, a sixth of them of sets that share a row; ``--csv
FILE`` writes the table.
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent / "harness"))
sys.path.append(str(Path(__file__).resolve().parent / "several"))

from draw_tables import judged, show_rows
from modes.systems import distinct
from scipy import special
from ssme_kernels import ssme_class_probability
from system_files import SUFFIX, SystemSet
from system_methods import METHODS, N_DRAWS, SystemsProblem

from sklearn_spe import PerformanceCurveEstimator

N_UNLABELED, SIZES = 1000, (20, 100)
SHOWN = ("several", "ssme", "labels")
METRICS = ("accuracy", "roc_auc", "average_precision")
MADE_UP, PUBLIC = "made up", "scikit-learn"
# Draws of a set that has a row of its own, for each draw of one that shares it.
N_SHARED = 6
# Of a clone: the folders of networks, by the name of a set.
OF_CLONE = {"CivilComments": "inputs/CivilComments", "MultiNLI": "inputs/MultiNLI"}


def made_up(n=5000):
    """Return networks whose log-odds are three times too large, on items of which 12% are positive.

    Half of the noise in them is common to all.
    """
    rng = np.random.default_rng(0)
    truth = rng.normal(-3.0, 1.8, n)
    labels = (rng.random(n) < special.expit(truth)).astype(int)
    noise = rng.normal(size=(n, 1)) + rng.normal(size=(n, 5))
    return 1.0 / (1.0 + np.exp(-3.0 * (truth[:, np.newaxis] + noise))), labels


def sets_of(folder, clone):
    """Return a list of sets by the name of their row: scores, labels and thresholds of each."""
    sets = {MADE_UP: [(*made_up(), None)]}
    for name in distinct(folder) if folder else ():
        of_file = SystemSet.load(folder / f"{name}{SUFFIX}")
        set_ = of_file.scores, of_file.labels, of_file.thresholds
        sets.setdefault(PUBLIC, []).append(set_)
    for path in sorted(folder.glob("*.npz")) if folder else ():
        with np.load(path, allow_pickle=False) as arrays:
            if {"probability", "label"} <= set(arrays):
                probability = arrays["probability"].astype(float)
                sets[path.stem.replace("_", " ")] = [(probability, arrays["label"], None)]
    for name, place in OF_CLONE.items():
        systems = sorted((clone / place).glob("*/preds.npy")) if clone else []
        labels = sorted((clone / place).glob("*/labels.npy")) if clone else []
        if systems and labels:
            scores = np.stack([np.load(path) for path in systems], axis=1).astype(float)
            # Both classes of two have a column, of which the second is that of positives.
            scores = scores[:, :, 1] if scores.shape[2:] == (2,) else scores
            sets[name] = [(scores, np.load(labels[0]).astype(int), None)]
        else:
            print(f"{name} is left out: pass --networks and a clone of SSME's repository.")
    return sets


def drawn(scores, labels, n_labels, seed):
    """Return some items of a set, and which labels are known."""
    items = np.random.default_rng([seed, n_labels]).permutation(len(labels))
    items = items[: N_UNLABELED + n_labels]
    truth = labels[items].astype(int)
    return scores[items], truth, np.where(np.arange(len(items)) < n_labels, truth, -1)


def of_two_classes(method, scores, truth, y, thresholds, seed):
    """Return values and ends of intervals, and the truth, of each metric: arrays of systems."""
    thresholds = np.full(scores.shape[1], 0.5) if thresholds is None else thresholds
    problem = SystemsProblem(scores, thresholds, y, seed, METRICS)
    of_all = problem.measured(truth[np.newaxis] == 1)
    replies = METHODS[method](problem)
    return {
        metric: (each.value, (each.low, each.high), of_all[metric][0])
        for metric, reply in replies.items()
        if (each := reply.each) is not None
    }


def of_more_classes(method, scores, truth, y, seed):
    """Return the accuracy of each system with more than two classes, as `of_two_classes`."""
    n_classes = scores.shape[2]
    rng = np.random.default_rng(seed)
    is_right = scores.argmax(axis=2) == truth[:, np.newaxis]
    known = y >= 0
    if method == "several":
        performance = PerformanceCurveEstimator(classes=np.arange(n_classes), random_state=seed)
        performance.fit(scores, y)
        estimates = [performance.of(system=k).estimate("accuracy") for k in range(scores.shape[1])]
        values = np.array([estimate.value for estimate in estimates])
        ends = np.array([estimate.interval(0.9) for estimate in estimates]).T
    elif method == "ssme":
        ratios = np.log(np.maximum(scores, 1e-6))
        ratios = (ratios[:, :, 1:] - ratios[:, :, :1]).reshape(len(scores), -1)
        probability = ssme_class_probability(ratios, scores.mean(axis=1), y, rng)
        levels = probability.cumsum(axis=1)
        uniform = rng.random((N_DRAWS, len(y)))
        labels = (uniform[:, :, np.newaxis] > levels[:, :-1]).sum(axis=2)
        labels[:, known] = y[known]
        hits = labels[:, :, np.newaxis] == scores.argmax(axis=2)
        values, *ends = np.quantile(hits.mean(axis=1), [0.5, 0.05, 0.95], axis=0)
    else:
        n_right = is_right[known].sum(axis=0)
        rate = rng.beta(0.5 + n_right, 0.5 + known.sum() - n_right, (N_DRAWS, len(n_right)))
        total = n_right + rng.binomial((~known).sum(), rate)
        values, *ends = np.quantile(total / len(y), [0.5, 0.05, 0.95], axis=0)
    return {"accuracy": (values, tuple(ends), is_right.mean(axis=0))}


def measure(method, scores, labels, thresholds, n_labels, seed):
    """Return error, interval score and coverage of each metric, over systems; None without both."""
    of_items, truth, y = drawn(scores, labels, n_labels, seed)
    if len(np.unique(truth)) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if scores.ndim == 3:
            replies = of_more_classes(method, of_items, truth, y, seed)
        else:
            replies = of_two_classes(method, of_items, truth, y, thresholds, seed)
    return {
        metric: (np.abs(values - right).mean(), *judged(ends, right))
        for metric, (values, ends, right) in replies.items()
    }


def row_of(name, method, sets, n_labels, n_draws):
    """Return a row of the table, the mean over its sets and their draws."""
    n_each = n_draws if len(sets) == 1 else max(1, n_draws // N_SHARED)
    results = [
        result
        for of_set in sets
        for seed in range(n_each)
        if (result := measure(method, *of_set, n_labels, seed)) is not None
    ]
    row = {"set": name, "labels": str(n_labels), "method": method}
    for metric in METRICS:
        values = np.array([result[metric] for result in results if metric in result])
        row |= dict.fromkeys((metric, f"{metric} covered", f"{metric} score"), "")
        if len(values):
            error, score, covered = values.mean(axis=0)
            spread = values[:, 0].std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
            row[metric] = f"{error:.4f} ({spread:.4f})"
            row[f"{metric} covered"] = f"{covered:.2f}"
            row[f"{metric} score"] = f"{score:.3f}"
    return row


def table(folder, clone, n_draws, sizes=SIZES, methods=SHOWN):
    """Return a row for each set, size and method."""
    return [
        row_of(name, method, sets, n_labels, n_draws)
        for name, sets in sets_of(folder, clone).items()
        for n_labels in sizes
        for method in methods
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="a folder of sets of systems")
    parser.add_argument("--networks", type=Path, help="a clone of SSME's repository")
    parser.add_argument("--draws", type=int, default=12, help="number of draws of a set")
    parser.add_argument("--csv", type=Path, help="the file to write")
    options = parser.parse_args()
    show_rows(table(options.folder, options.networks, options.draws), options.csv)
