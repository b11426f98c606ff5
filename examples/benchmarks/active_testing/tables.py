"""Parts of the tables of all modes."""

import numpy as np
from answers import Estimate
from choosing import ESTIMATORS
from measures import number_measures
from text_tables import grouped, weighted_mean

NAMES = {
    "random": "random labels",
    "chosen": "chosen labels",
    "argmax": "chosen labels, best gain",
    "labels_alone": "random labels, these alone",
    "neyman": "stratified (Neyman), labels alone",
    "importance": "static importance sampling",
    "importance_draws": "the same, repeated draws paid",
}


def measured(row, truth):
    """Return a row with the measures of all estimators that it holds.

    Those of the estimate have plain names such as "error", others "model_error".

    Parameters
    ----------
    row : dict
        As a file holds it.
    truth : str
        The column of the truth.
    """
    true = float(row[truth])
    found = dict(row)
    for estimator in ESTIMATORS:
        prefix = "" if estimator == "estimate" else f"{estimator}_"
        if row[estimator] == "":
            continue
        estimate = Estimate(*(float(row[f"{estimator}{end}"]) for end in ("", "_low", "_high")))
        measures = number_measures(estimate, true)
        if np.isnan(estimate.low):
            measures = {"error": measures["error"]}
        measures["bias"] = estimate.value - true
        found |= {f"{prefix}{name}": value for name, value in measures.items()}
    return found


def cell(rows, measure, digits=3):
    """Return a weighted mean over the rows that have a measure, a dash if none has."""
    rows = [row for row in rows if row.get(measure, "") != ""]
    return f"{weighted_mean(rows, measure):.{digits}f}" if rows else "--"


def worst_sets(rows, measure, key="set"):
    """Return the means of a measure by set or data set, the largest first."""
    means = {name: weighted_mean(found, measure) for (name,), found in grouped(rows, key).items()}
    return sorted(means.items(), key=lambda pair: -pair[1])


def numbers(rows):
    """Return the numbers of labels in rising order, as the rows hold them."""
    return sorted({row["n_labels"] for row in rows}, key=int)


def lines(rows, methods):
    """Yield each number of labels and method with its rows."""
    groups = grouped(rows, "n_labels", "method")
    for n in numbers(rows):
        for m in methods:
            if (n, m) in groups:
                yield n, m, groups[n, m]


def failures(rows):
    """Return the number of failed rows of each method, and the first failure."""
    failed = grouped([row for row in rows if row["failure"]], "method")
    return "".join(
        f"{len(found)} rows of {m} failed, the first: {found[0]['failure']}\n"
        for (m,), found in failed.items()
    )


def filled(row, columns):
    """Return a row with all columns, in order."""
    return {column: row.get(column, "") for column in columns}
