"""Methods for the accuracy of a classifier with many classes.

A method takes a `ClassProblem` and returns an `Estimate` for each metric that it can speak of; an
addition is one function and one entry in `METHODS`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from class_tasks import ClassTask
from replies import NOTHING, said_by, summarised
from system_methods import CLASSES, N_DRAWS

from sklearn_spe import PerformanceCurveEstimator

# The package's names of what is asked; of several classes it takes the mean over them.
ASKED = {
    "accuracy": "accuracy",
    "top_k_accuracy": "top_k_accuracy",
    "macro_f1": "f1",
    "macro_precision": "precision",
    "macro_recall": "recall",
}
TOP = 2


@dataclass(frozen=True)
class ClassProblem:
    """The predictions of a classifier, and a few labels.

    Attributes
    ----------
    task : ClassTask
        Its labels are not looked at.
    y : ndarray of shape (n,)
        Columns of classes, -1 for unknown.
    seed : int
    """

    task: ClassTask
    y: np.ndarray
    seed: int

    @property
    def rng(self):
        """The random numbers of a method."""
        return np.random.default_rng(self.seed)

    @property
    def right(self):
        """Whether predictions are right: 0, 1 or -1 for unknown."""
        return np.where(self.y >= 0, self.y == self.task.predicted, -1)


def is_top(task, labels, k=TOP):
    """Return whether the true class is among the largest scores."""
    own = np.take_along_axis(task.scores, labels[:, np.newaxis], axis=1)
    return (task.scores > own).sum(axis=1) < k


def macro_means(labels, predicted, weights):
    """Return means over classes, of classes that are not seen at all none, of each row of weights.

    Parameters
    ----------
    labels, predicted : ndarray of shape (n,)
    weights : ndarray of shape (n_draws, n)
    """
    seen = np.union1d(labels, predicted)
    is_true, is_said = labels[:, np.newaxis] == seen, predicted[:, np.newaxis] == seen
    hit, true, said = (weights @ part for part in (is_true & is_said, is_true, is_said))
    with np.errstate(divide="ignore", invalid="ignore"):
        of_class = {
            "macro_precision": np.where(said > 0.0, hit / said, 0.0),
            "macro_recall": np.where(true > 0.0, hit / true, 0.0),
            "macro_f1": 2.0 * hit / (true + said),
        }
    return {metric: values.mean(axis=1) for metric, values in of_class.items()}


def truth_of(task):
    """Return all metrics."""
    every = np.ones((1, len(task.labels)))
    macro = macro_means(task.labels, task.predicted, every)
    return {
        "accuracy": np.mean(task.predicted == task.labels),
        "top_k_accuracy": np.mean(is_top(task, task.labels)),
        **{metric: values[0] for metric, values in macro.items()},
    }


def classes(problem):
    """Fit all classes at once."""
    performance = PerformanceCurveEstimator(
        classes=np.arange(problem.task.scores.shape[1]), random_state=problem.seed
    )
    performance.fit(problem.task.scores, problem.y)
    return {metric: said_by([performance.estimate(name)]) for metric, name in ASKED.items()}


def confidence(problem):
    """Fit the default to the confidence, and ask whether the prediction is right."""
    performance = PerformanceCurveEstimator(
        classes=CLASSES, n_draws=N_DRAWS, random_state=problem.seed
    )
    performance.fit(problem.task.confidence, problem.right)
    return {"accuracy": said_by([performance.estimate("prevalence")])}


def jeffreys(problem):
    """Carry the labelled share, with Jeffreys' prior, to all items."""
    known, rng = problem.y >= 0, problem.rng
    in_top = is_top(problem.task, np.maximum(problem.y, 0))
    events = {"accuracy": problem.right == 1, "top_k_accuracy": in_top}
    found = {}
    for metric, event in events.items():
        came, n = (known & event).sum(), known.sum()
        rate = rng.beta(0.5 + came, 0.5 + n - came, N_DRAWS)
        draws = (came + rng.binomial(len(known) - n, rate)) / len(known)
        found[metric] = summarised(draws[:, np.newaxis], NOTHING)
    return found


def labels(problem):
    """Weigh the labelled items by the Bayesian bootstrap."""
    items = np.flatnonzero(problem.y >= 0)
    weights = problem.rng.dirichlet(np.ones(len(items)), N_DRAWS)
    y, predicted = problem.y[items], problem.task.predicted[items]
    in_top = is_top(problem.task, np.maximum(problem.y, 0))[items]
    draws = {"accuracy": weights @ (y == predicted), "top_k_accuracy": weights @ in_top}
    draws |= macro_means(y, predicted, weights)
    return {metric: summarised(d[:, np.newaxis], NOTHING) for metric, d in draws.items()}


METHODS = {"classes": classes, "confidence": confidence, "jeffreys": jeffreys, "labels": labels}
