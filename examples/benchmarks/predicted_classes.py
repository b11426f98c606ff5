"""Predicted classes without probabilities: the model beside the labels alone.

Run ``python examples/benchmarks/predicted_classes.py``: the coverage of estimates where only the
predicted class of each item is known (guide page on the draws of classes). 1,500 items of three or
ten classes with random shares, about four in five predicted rightly, the errors of each class with
shares of their own; labels at random. The labels alone are a Dirichlet distribution for each
predicted class, around the labels' own accuracy with errors even, that counts as one label, and
for accuracy Jeffreys' interval. Two minutes; ``--draws N`` data sets instead of 40, ``--csv FILE``
writes the table.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import stats

from sklearn_spe import PerformanceCurveEstimator

sys.path.append(str(Path(__file__).resolve().parent / "harness"))

from class_tables import tables_by_labels
from draw_tables import judged, print_table, rows_beside_labels

N_ITEMS = 1500
CLASSES, LABELS = (3, 10), (50, 100)
N_DRAWS, LEVELS = 2000, (0.05, 0.95)
# No miss of a share of items.
HALF_AN_ITEM = 0.5 / N_ITEMS
QUANTITIES = ("accuracy", "recall", "precision", "prevalence", "confusions")


def draw(n_classes, n_labels, seed):
    """Return predictions, the truth and the labels of one data set."""
    rng = np.random.default_rng([seed, n_classes, n_labels])
    truth = rng.choice(n_classes, N_ITEMS, p=rng.dirichlet(np.full(n_classes, 3.0)))
    called = rng.dirichlet(np.ones(n_classes), n_classes)
    accuracy = rng.beta(8.0, 2.0, n_classes)
    others = np.array([rng.choice(n_classes, p=called[code]) for code in truth])
    predicted = np.where(rng.random(N_ITEMS) < accuracy[truth], truth, others)
    y = np.full(N_ITEMS, -1)
    labeled = rng.choice(N_ITEMS, n_labels, replace=False)
    y[labeled] = truth[labeled]
    return predicted, truth, y, rng


def of_tables(tables):
    """Return the quantities of tables of shares, (n, n_classes, n_classes): name to (n, m)."""
    hits = np.diagonal(tables, axis1=1, axis2=2)
    is_error = ~np.eye(tables.shape[1], dtype=bool)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "accuracy": hits.sum(axis=1, keepdims=True),
            "recall": hits / tables.sum(axis=2),
            "precision": hits / tables.sum(axis=1),
            "prevalence": tables.sum(axis=2),
            "confusions": tables[:, is_error],
        }


def intervals_of(tables, weights=None):
    """Return the interval of each quantity: name to (2, m)."""
    return {
        name: np.array(
            [[_quantile(column, weights, level) for column in values.T] for level in LEVELS]
        )
        for name, values in of_tables(tables).items()
    }


def _quantile(values, weights, level):
    is_defined = ~np.isnan(values)
    weights = None if weights is None else weights[is_defined]
    return np.quantile(values[is_defined], level, weights=weights, method="inverted_cdf")


def by_labels(predicted, y, n_classes, rng):
    """Return intervals by the labels alone."""
    tables = tables_by_labels(predicted, y, n_classes, N_DRAWS, rng)
    is_labeled = y >= 0
    n_right = np.sum(predicted[is_labeled] == y[is_labeled])
    jeffreys = stats.beta.ppf(LEVELS, n_right + 0.5, is_labeled.sum() - n_right + 0.5)
    return intervals_of(tables) | {"accuracy": jeffreys[:, np.newaxis]}


def by_model(predicted, y, n_classes, seed):
    """Return intervals by the model."""
    performance = PerformanceCurveEstimator(classes=np.arange(n_classes), random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        performance.fit(predicted, y)
        matrix = performance.confusion_matrix()
    tables = matrix.distribution.draws.reshape(-1, n_classes, n_classes) / N_ITEMS
    return intervals_of(tables, matrix.distribution.weights)


def measure(n_classes, n_labels, seed):
    """Return score and coverage of the model and of the labels, by quantity."""
    predicted, truth, y, rng = draw(n_classes, n_labels, seed)
    table = np.zeros((1, n_classes, n_classes))
    np.add.at(table[0], (truth, predicted), 1.0 / N_ITEMS)
    values = of_tables(table)
    methods = by_model(predicted, y, n_classes, seed), by_labels(predicted, y, n_classes, rng)
    results = {}
    for name in QUANTITIES:
        value = values[name][0]
        is_defined = ~np.isnan(value)
        results[name] = [
            number
            for intervals in methods
            for number in judged(intervals[name][:, is_defined], value[is_defined], HALF_AN_ITEM)
        ]
    return results


def table(n_sets):
    """Return a row for each number of classes and of labels, and each quantity."""
    rows = []
    for n_classes in CLASSES:
        for n_labels in LABELS:
            results = [measure(n_classes, n_labels, seed) for seed in range(n_sets)]
            about = {"classes": str(n_classes), "labels": str(n_labels)}
            rows += rows_beside_labels(about, results)
    return rows


if __name__ == "__main__":
    print_table(__doc__, table, 40)
