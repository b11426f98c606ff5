"""Metrics of predicted probabilities."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from ..metrics._metric import with_origin
from ..metrics._probability_metric import ProbabilityMetric
from ..results._bands import ScalarEstimate
from ._estimates import number
from ._operating_points import FINEST_CELLS, drawn_by_score, over_draws


def probability_estimate(
    metric: ProbabilityMetric, posterior, task, *, predicted=None
) -> ScalarEstimate:
    """Return a metric of predicted probabilities.

    Parameters
    ----------
    metric : ProbabilityMetric
    posterior : Posterior
    task : Task
    predicted : callable, default=None
        From scores to predicted probabilities, both of shape (n_scores,). None uses the scores.

    Raises
    ------
    ValueError
        If the predicted probabilities lie outside [0, 1], or have another shape.
    """
    states = posterior.taken_for_probability if predicted is None else predicted
    of_scores = "the scores"
    what = of_scores if predicted is None else "the values of predicted="
    values = partial(_values, metric, partial(_probabilities, metric.name, states, what))
    return number(metric.name, posterior, values, metric.zero_division, task)


def predictions(predicted, scores) -> np.ndarray:
    """Return the output of a user's function of the scores, one number for each."""
    numbers = np.asarray(predicted(scores), dtype=float)
    if numbers.shape != scores.shape:
        raise ValueError(
            f"predicted must return one probability for each of {len(scores)} scores, got an array "
            f"of shape {numbers.shape}."
        )
    return numbers


def _probabilities(name, predicted, what, scores) -> np.ndarray:
    """Return predicted probabilities of scores; raise unless they lie in [0, 1]."""
    probability = predictions(predicted, scores)
    if not ((probability >= 0.0) & (probability <= 1.0)).all():
        raise ValueError(
            f"{name!r} needs predicted probabilities of the positive class, but {what} run from "
            f"{probability.min():.6g} to {probability.max():.6g}. Fit to probabilities "
            f"(scipy.special.expit(scores), if they are log-odds), or recalibrate them: "
            f"SemisupervisedCalibratedClassifier has estimate({name!r}) too."
        )
    return probability


def _values(metric, predicted, posterior, task) -> np.ndarray:
    """Return the metric for every draw, of shape (n_draws, 1)."""
    sample = posterior.sample
    if not task.draws_labels:
        cells = sample.grouped(FINEST_CELLS)
        function = partial(_of_shares, metric, predicted(cells.scores)[::-1])
        return over_draws(posterior, function, task, thresholds=cells.lower[::-1])
    probability = predicted(sample.scores)
    if not sample.unlabeled.any():
        known = metric.value(sample.positive, sample.negative, probability)
        return np.full((posterior.n_draws, 1), known)
    parts = Parallel(n_jobs=task.n_jobs)(
        delayed(_of_labels)(metric, probability, posterior, block, task.entropy)
        for block in posterior.blocks()
    )
    return np.concatenate(parts)[:, np.newaxis]


def _of_labels(metric, probability, posterior, block, entropy) -> np.ndarray:
    """Return the metric of completed labels, for each draw of a block."""
    sample, values = posterior.sample, []
    for drawn in drawn_by_score(posterior, block, entropy):
        positive = sample.positive + drawn
        values.append(metric.value(positive, sample.counts - positive, probability))
    return np.concatenate(values)


def _of_shares(metric, probability, points) -> np.ndarray:
    """Return the metric of a population, constant within cells of decreasing scores."""
    classes = []
    for above, everything in ((points.tp, points.n_positive), (points.fp, points.n_negative)):
        # The mass below all scores of the sample belongs to the lowest cell.
        above = np.concatenate([above[:, :-1], everything], axis=1)
        classes.append(np.diff(with_origin(above), axis=1))
    return metric.value(*classes, probability)[:, np.newaxis]
