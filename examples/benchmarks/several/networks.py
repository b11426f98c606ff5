"""Seven networks of one kind whose softmax is overconfident, trained on data of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from system_files import SystemSet
from threadpoolctl import threadpool_limits

# The hidden units of each network, and the share of the rows for training that it sees.
NETWORKS = ((4, 1.0), (8, 1.0), (16, 1.0), (32, 1.0), (8, 0.7), (16, 0.7), (32, 0.5))


@dataclass(frozen=True)
class NetworkTask:
    """What networks are trained for.

    Attributes
    ----------
    load : callable
        Returns features and classes.
    positive : tuple of int
        The classes that are positive.
    n_training : int
        How many rows they are trained on; all others are the items.
    noise : float
        The deviation of what is added to standardised features. All networks see the same, and are
        wrong together.
    wrong : float
        The share of labels for training that are wrong, of which a network is as sure.
    """

    load: object
    positive: tuple[int, ...]
    n_training: int
    noise: float = 0.0
    wrong: float = 0.0


TASKS = {
    "digits_8": NetworkTask(load_digits, (8,), 100),
    "digits_odd": NetworkTask(load_digits, (1, 3, 5, 7, 9), 100),
    "breast_cancer": NetworkTask(load_breast_cancer, (0,), 100),
    "digits_8_noisy": NetworkTask(load_digits, (8,), 300, 1.0, 0.03),
    "digits_odd_noisy": NetworkTask(load_digits, (1, 3, 5, 7, 9), 300, 0.5, 0.05),
    "breast_cancer_noisy": NetworkTask(load_breast_cancer, (0,), 100, 2.0, 0.05),
}


@cache
def trained(name) -> SystemSet:
    """Train the networks of a task, and return their probabilities of all other rows."""
    task = TASKS[name]
    rng = np.random.default_rng(len(name))
    X, classes = task.load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    X += task.noise * rng.standard_normal(X.shape)
    labels = np.isin(classes, task.positive).astype(int)
    order = rng.permutation(len(X))
    training, items = order[: task.n_training], order[task.n_training :]
    taught = np.where(rng.random(len(X)) < task.wrong, 1 - labels, labels)
    columns = []
    for number, (n_hidden, share) in enumerate(NETWORKS):
        rows = rng.permutation(training)[: round(share * len(training))]
        # No penalty and no early end: training goes on until the softmax is all but certain.
        network = MLPClassifier(
            (n_hidden,),
            alpha=0.0,
            solver="lbfgs",
            max_iter=2000,
            max_fun=30000,
            random_state=number,
        )
        with threadpool_limits(limits=1):
            network.fit(X[rows], taught[rows])
        columns.append(network.predict_proba(X[items])[:, 1])
    names = tuple(f"network_{number}" for number in range(len(NETWORKS)))
    return SystemSet(name, names, np.stack(columns, axis=1), labels[items], None)
