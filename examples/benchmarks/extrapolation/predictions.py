"""What methods predict from one pilot, beside the truth."""

from __future__ import annotations

import numpy as np
from peers import ORACLE, PEERS
from problems import entropy_of
from resumable_runs import attempt

from sklearn_spe.extrapolation._accuracy_curve import AccuracyModel, subset_accuracies
from sklearn_spe.extrapolation._pilot import Pilot


def predict(list_name, problem, n_classes, n_items, repeat, truth, methods):
    """Return rows for one pilot of a problem.

    Parameters
    ----------
    list_name : str
        Of the list that the problem is from.
    problem : Clouds or Line
    n_classes, n_items, repeat : int
    truth : dict of int to float
        The true accuracy with each number of classes that is asked for.
    methods : sequence of str
    """
    entropy = entropy_of(list_name, problem, n_classes, n_items, repeat)
    drawn = problem.draw(n_classes, n_items, np.random.default_rng(entropy))
    pilot = Pilot.of(drawn.scores, drawn.labels, np.arange(n_classes), average="micro")
    counts, truths = np.array(list(truth)), np.array(list(truth.values()))
    rows = []
    for method in methods:
        if method == ORACLE:
            known = problem.known_accuracy(drawn, counts, np.random.default_rng([*entropy, 2]))
            answer = known, known, {"seconds": 0.0, "failure": ""}
        else:
            answer = predict_one(PEERS[method], pilot, counts, [*entropy, 1])
        rows += as_rows(method, n_classes, counts, truths, *answer)
    return rows


def predict_one(method, pilot, counts, entropy):
    """Return the accuracies of a method's distribution, those joined to the curve, and the time.

    They are NaN if it fails.
    """
    distribution, about = attempt(
        method.fit, pilot, np.random.default_rng(entropy), ignored=(Warning,)
    )
    if distribution is None:
        nothing = np.full(len(counts), np.nan)
        return nothing, nothing, about
    joined = AccuracyModel(subset_accuracies(pilot.histogram), distribution).accuracy(counts)
    return distribution.accuracy(counts), joined, about


def as_rows(method, n_tried, counts, truths, plain, joined, about):
    """Return one row for each number of classes that was asked for."""
    return [
        {
            "method": method,
            "n_asked": int(k),
            "ratio": float(k / n_tried),
            "truth": float(truth),
            "plain": float(p),
            "joined": float(j),
            **about,
        }
        for k, truth, p, j in zip(counts, truths, plain, joined, strict=True)
    ]
