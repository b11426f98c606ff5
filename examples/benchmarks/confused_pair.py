"""Ten classes, of which one is taken for one other: the model beside the labels alone.

Run ``python examples/benchmarks/confused_pair.py``: what the effects of pairs of classes are worth
(guide page on the draws of classes). 1,500 items of ten classes with even shares; four in a hundred
predictions are wrong at random, and 35 in a hundred items of class 7 are called 1, which the stated
probabilities know or not. The labels alone are a Dirichlet distribution for each predicted class,
around the labels' own accuracy with errors even, that counts as one label; the sizes of the
predictions are known. Labels are at random, and chosen for the confusion by `ActiveTestSelector`.
A quarter of an hour; ``--draws N`` data sets instead of 40, ``--csv FILE``
writes the table.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

from sklearn_spe import ActiveTestSelector, PerformanceCurveEstimator
from sklearn_spe.metrics import ConfusionShare

sys.path.append(str(Path(__file__).resolve().parent / "harness"))

from class_tables import tables_by_labels
from draw_tables import judged, print_table

N_ITEMS, N_CLASSES, SHARE_OF_ERRORS = 1500, 10, 0.04
TRUE, CALLED, SHARE_CALLED = 7, 1, 0.35
LABELS, BATCH = (50, 100, 200), 25
KNOWLEDGE = ("known", "not known")
N_DRAWS, LEVELS = 2000, (0.05, 0.95)
# No miss of a count.
HALF_AN_ITEM = 0.5 / N_ITEMS
CHOSEN = "largest confusion, labels chosen"
QUANTITIES = ("largest confusion", CHOSEN, "its recall", "accuracy", "all recalls")


def draw(knowledge, n_labels, seed):
    """Return probabilities, the truth and the labels of one data set."""
    rng = np.random.default_rng([seed, n_labels])
    truth = rng.integers(N_CLASSES, size=N_ITEMS)
    predicted = truth.copy()
    at_random = rng.random(N_ITEMS) < SHARE_OF_ERRORS
    predicted[at_random] = rng.integers(N_CLASSES, size=at_random.sum())
    is_pair = (truth == TRUE) & (rng.random(N_ITEMS) < SHARE_CALLED)
    predicted[is_pair] = CALLED

    # The log-odds of being right, and how the rest is shared among the other classes.
    is_wrong = predicted != truth
    log_odds = np.where(is_wrong, rng.normal(1.2, 1.0, N_ITEMS), rng.normal(3.0, 1.2, N_ITEMS))
    top = 1.0 / (1.0 + np.exp(-np.clip(log_odds, 0.2, None)))
    others = rng.dirichlet(np.full(N_CLASSES, 0.3), N_ITEMS)
    if knowledge == "known":
        others[is_pair, TRUE] += 1.0
        others[(predicted == CALLED) & ~is_pair, TRUE] += 0.5
    items = np.arange(N_ITEMS)
    others[items, predicted] = 0.0
    # The prediction stays the most probable class.
    others *= ((1.0 - top) / others.sum(axis=1))[:, np.newaxis]
    others = np.minimum(others, 0.99 * top[:, np.newaxis])
    probability = others
    probability[items, predicted] = 1.0 - others.sum(axis=1)

    y = np.full(N_ITEMS, -1)
    labeled = rng.choice(N_ITEMS, n_labels, replace=False)
    y[labeled] = truth[labeled]
    return probability, truth, y, rng


def of_tables(tables):
    """Return the quantities of tables of shares, (n, n_classes, n_classes): name to (n, m)."""
    hits = np.diagonal(tables, axis1=1, axis2=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        recalls = hits / tables.sum(axis=2)
    return {
        "largest confusion": tables[:, TRUE, CALLED, np.newaxis],
        "its recall": recalls[:, TRUE, np.newaxis],
        "accuracy": hits.sum(axis=1, keepdims=True),
        "all recalls": recalls,
    }


def by_labels(predicted, y, rng):
    """Return intervals by the labels alone: name to (2, m)."""
    tables = tables_by_labels(predicted, y, N_CLASSES, N_DRAWS, rng)
    return {
        name: np.nanquantile(values, LEVELS, axis=0) for name, values in of_tables(tables).items()
    }


def by_model(probability, y, seed):
    """Return intervals by the model: name to (2, m)."""
    performance = PerformanceCurveEstimator(classes=np.arange(N_CLASSES), random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        performance.fit(probability, y)
        cells = np.array(performance.confusion_matrix().interval())[:, TRUE, CALLED] / N_ITEMS
        recalls = performance.by_category("recall", by="class").estimates
        accuracy = performance.estimate("accuracy").interval()
    recalls = np.array([estimate.interval() for estimate in recalls]).T
    return {
        "largest confusion": cells[:, np.newaxis],
        "its recall": recalls[:, [TRUE]],
        "accuracy": np.array(accuracy)[:, np.newaxis],
        "all recalls": recalls,
    }


def by_chosen_labels(probability, truth, n_labels, seed, rng):
    """Return intervals of the confusion by model and labels, (2, 1) each, for chosen labels."""
    selector = ActiveTestSelector(
        ConfusionShare(TRUE, CALLED), classes=np.arange(N_CLASSES), random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(probability)
        for n in (10, *[BATCH] * (n_labels // BATCH - 1), BATCH - 10):
            items = selector.query(n)
            selector.update(items, truth[items])

    chosen = np.isfinite(selector.query_proba_)
    y = np.where(chosen, truth, -1)
    labels = by_labels(probability.argmax(axis=1), y, rng)["largest confusion"]
    return np.array(selector.estimate_.interval())[:, np.newaxis], labels


def measure(knowledge, n_labels, seed):
    """Return score and coverage of the model and of the labels, by quantity."""
    probability, truth, y, rng = draw(knowledge, n_labels, seed)
    predicted = probability.argmax(axis=1)
    table = np.zeros((1, N_CLASSES, N_CLASSES))
    np.add.at(table[0], (truth, predicted), 1.0 / N_ITEMS)
    values = of_tables(table)
    intervals = by_model(probability, y, seed), by_labels(predicted, y, rng)
    chosen = by_chosen_labels(probability, truth, len(y[y >= 0]), seed, rng)
    for of_method, interval in zip(intervals, chosen, strict=True):
        of_method[CHOSEN] = interval
    values[CHOSEN] = values["largest confusion"]
    return {
        name: [
            number
            for of_method in intervals
            for number in judged(of_method[name], values[name][0], HALF_AN_ITEM)
        ]
        for name in QUANTITIES
    }


def table(n_sets):
    """Return a row for each kind of probabilities, number of labels and quantity."""
    rows = []
    for knowledge in KNOWLEDGE:
        for n_labels in LABELS:
            results = [measure(knowledge, n_labels, seed) for seed in range(n_sets)]
            for name in QUANTITIES:
                model, covered, labels, covered_by_labels = np.mean(
                    [result[name] for result in results], axis=0
                )
                rows.append(
                    {
                        "pair": knowledge,
                        "labels": str(n_labels),
                        "quantity": name,
                        "score": f"{model:.3f}",
                        "covered": f"{covered:.2f}",
                        "score of the labels": f"{labels:.3f}",
                        "covered by them": f"{covered_by_labels:.2f}",
                    }
                )
    return rows


if __name__ == "__main__":
    print_table(__doc__, table, 40)
