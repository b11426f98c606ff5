"""Methods for several systems that score the same items.

A method takes a `SystemsProblem` and returns a `Reply` for each metric; an addition is one
function and one entry in `METHODS`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from calibration_error import calibration_error
from cells import log_odds
from rankings import METRICS, Ranking, drawn_labels, stacked
from replies import Reply, said_by
from ssme_kernels import ssme_probability

from sklearn_spe import PerformanceCurveEstimator

N_DRAWS = 1000
CLASSES = (0, 1)
# Metrics that are functions of labels and scores.
CALLED = {"calibration_error": calibration_error}
# Half the width that holds the middle 80% of a normal distribution, in deviations.
MIDDLE = 2.563
FAR = 4.0


@dataclass(frozen=True)
class SystemsProblem:
    """Scores of several systems, and a few labels.

    Attributes
    ----------
    scores : ndarray of shape (n, n_systems)
    thresholds : ndarray of shape (n_systems,)
        Where each system decides.
    y : ndarray of shape (n,)
        0, 1 or -1 for unknown.
    seed : int
    metrics : sequence of str
        What is asked.
    """

    scores: np.ndarray
    thresholds: np.ndarray
    y: np.ndarray
    seed: int
    metrics: tuple[str, ...] = METRICS[:3]

    @property
    def n_systems(self):
        """The number of systems."""
        return self.scores.shape[1]

    @property
    def rng(self):
        """The random numbers of a method."""
        return np.random.default_rng(self.seed)

    def measured(self, labels, weights=None, items=slice(None)):
        """Return metrics of all systems, (n_draws, n_systems), for drawings of labels."""
        scores = self.scores[items]
        return stacked(
            [
                Ranking.of(scores[:, k], self.thresholds[k]).measured(labels, weights)
                for k in range(self.n_systems)
            ]
        )

    def asked(self, performance, metric, k, system=None):
        """Ask a fit for a metric of one system."""
        where = {"threshold": self.thresholds[k]} if metric == "accuracy" else {}
        return performance.of(system=system).estimate(CALLED.get(metric, metric), **where)


def several(problem):
    """Fit all systems at once."""
    performance = PerformanceCurveEstimator(classes=CLASSES, random_state=problem.seed)
    performance.fit(problem.scores, problem.y)
    return {
        metric: Reply.from_estimates(
            [problem.asked(performance, metric, k, system=k) for k in range(problem.n_systems)]
        )
        for metric in problem.metrics
    }


def alone(problem):
    """Fit the default to each system by itself."""
    rng, fits = problem.rng, []
    for k, seed in enumerate(rng.integers(2**31, size=problem.n_systems)):
        performance = PerformanceCurveEstimator(
            classes=CLASSES, n_draws=N_DRAWS, random_state=int(seed)
        )
        fits.append(performance.fit(problem.scores[:, k], problem.y))
    return {
        metric: unpaired([problem.asked(f, metric, k) for k, f in enumerate(fits)], rng)
        for metric in problem.metrics
    }


def unpaired(estimates, rng):
    """Return the reply of estimates whose errors are taken to be independent."""
    # Draws of a fit are in order of their experts.
    draws = [rng.choice(e.draws, N_DRAWS, p=e.weights) for e in estimates]
    return Reply.from_draws(np.stack(draws, axis=1), said_by(estimates))


def labels(problem):
    """Weigh the labelled items by the Bayesian bootstrap."""
    items = np.flatnonzero(problem.y >= 0)
    weights = problem.rng.standard_exponential((N_DRAWS, len(items)))
    known = problem.y[items][np.newaxis] == 1
    measured = problem.measured(known, weights, items)
    return {metric: Reply.from_draws(measured[metric]) for metric in problem.metrics}


def mean(problem):
    """Fit the default to the mean of all log-odds, and draw labels for all systems."""
    scores = mean_log_odds(problem.scores)
    performance = PerformanceCurveEstimator(
        classes=CLASSES, n_draws=N_DRAWS, random_state=problem.seed
    )
    performance.fit(scores, problem.y)
    probability = performance.posterior_.probability_draws(scores)
    measured = problem.measured(drawn_labels(probability, problem.y, problem.rng))
    return {metric: Reply.from_draws(measured[metric]) for metric in problem.metrics}


def ssme(problem):
    """Fit a kernel density of all log-odds to each class, and draw labels for all systems."""
    scores = problem.scores
    are_probabilities = scores.min() >= 0.0 and scores.max() <= 1.0
    # Log-odds as they are, unless units differ.
    z = log_odds(scores) if are_probabilities else standardised(scores)[0]
    rng = problem.rng
    probability = ssme_probability(z, scores, problem.y, rng)
    probability = np.broadcast_to(probability, (N_DRAWS, len(problem.y)))
    measured = problem.measured(drawn_labels(probability, problem.y, rng))
    return {metric: Reply.from_draws(measured[metric]) for metric in problem.metrics}


def mean_log_odds(scores):
    """Return the mean of log-odds that were put on one scale, on the middle one of their scales."""
    z, center, spread = standardised(scores)
    return np.median(center) + np.median(spread) * z.mean(axis=1)


def standardised(scores):
    """Return log-odds in units of their spread around their medians, with both.

    The largest are drawn in, else the scores of one overconfident system are the mean.
    """
    odds = np.stack([log_odds(column) for column in scores.T], axis=1)
    center = np.median(odds, axis=0)
    spread = np.subtract(*np.quantile(odds, [0.9, 0.1], axis=0)) / MIDDLE
    spread = np.where(spread > 0.0, spread, odds.std(axis=0))
    z = (odds - center) / spread
    size = np.abs(z)
    drawn_in = np.where(size > FAR, FAR + np.log(np.maximum(size, FAR) / FAR), size)
    return np.sign(z) * drawn_in, center, spread


METHODS = {"several": several, "alone": alone, "labels": labels, "mean": mean, "ssme": ssme}
