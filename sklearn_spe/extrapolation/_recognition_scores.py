"""Scores of recognition tasks, which are known by name."""

from __future__ import annotations

import numpy as np

from ..inputs._arrays import RandomState
from ..inputs._validation import seed_entropy, spawn
from ._recognition import BivariateNormalClasses, GaussianClasses, RecognitionTask

RECOGNITION_TASKS = {"gaussian": GaussianClasses, "bivariate_normal": BivariateNormalClasses}


def make_recognition_scores(
    n_classes: int = 100,
    *,
    task: str | RecognitionTask = "gaussian",
    n_test: int = 1,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw classes, and the scores of test items for all of them.

    The expected accuracy with any number of classes is known: ``task.accuracy``.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_classes : int, default=100
        At least 2.
    task : {"gaussian", "bivariate_normal"} or RecognitionTask, default="gaussian"
        The distribution of classes and their scores: `GaussianClasses` or `BivariateNormalClasses`
        with default parameters, or an instance of either.
    n_test : int, default=1
        Number of test items of each class.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    scores : ndarray of shape (n_classes * n_test, n_classes)
        Larger for more likely.
    labels : ndarray of shape (n_classes * n_test,), dtype=int64
        The column of each item's true class.

    Raises
    ------
    TypeError
        If a number of classes or items is not whole.
    ValueError
        If the task is unknown, or there are too few classes or items.

    Examples
    --------
    >>> from sklearn_spe.extrapolation import GaussianClasses, make_recognition_scores
    >>> task = GaussianClasses(noise=0.8)
    >>> scores, labels = make_recognition_scores(200, task=task, random_state=0)
    >>> scores.shape, labels.shape
    ((200, 200), (200,))
    >>> float((scores.argmax(axis=1) == labels).mean())
    0.185
    >>> task.accuracy([200, 10_000]).round(3)
    array([0.215, 0.021])
    """
    rng = spawn(seed_entropy(random_state))
    return _as_task(task).draw(n_classes, n_test, rng)


def _as_task(task: str | RecognitionTask) -> RecognitionTask:
    if isinstance(task, RecognitionTask):
        return task
    if not isinstance(task, str) or task not in RECOGNITION_TASKS:
        raise ValueError(
            f"task must be one of {', '.join(RECOGNITION_TASKS)} or an instance of a "
            f"RecognitionTask such as GaussianClasses(noise=0.3); got {task!r}."
        )
    return RECOGNITION_TASKS[task]()
