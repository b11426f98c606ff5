"""Methods for one system in every subgroup.

A method takes a `SubgroupProblem` and returns a `Reply` for each metric it can speak of; an
addition is one function and one entry in `METHODS`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rankings import Ranking, drawn_labels, stacked
from replies import Reply
from scipy import special
from system_methods import CLASSES, N_DRAWS

from sklearn_spe import PerformanceCurveEstimator

METRICS = ("average_precision", "accuracy", "prevalence")
# The prior of what labels of all subgroups have in common, on a grid.
SHARES = (np.arange(100) + 0.5) / 100.0
SIZES = np.geomspace(0.5, 500.0, 40)


@dataclass(frozen=True)
class SubgroupProblem:
    """Scores of items in subgroups, and a few labels.

    Attributes
    ----------
    scores : ndarray of shape (n,)
    threshold : float
        Where the system decides.
    y : ndarray of shape (n,)
        0, 1 or -1 for unknown.
    category : ndarray of shape (n,)
    seed : int
    """

    scores: np.ndarray
    threshold: float
    y: np.ndarray
    category: np.ndarray
    seed: int

    @property
    def names(self):
        """The subgroups, in order."""
        return np.unique(self.category)

    @property
    def rng(self):
        """The random numbers of a method."""
        return np.random.default_rng(self.seed)

    def items_of(self):
        """Return which items belong to each subgroup."""
        return [self.category == name for name in self.names]

    def measured(self, labels):
        """Return metrics of all subgroups, (n_draws, n_groups), for drawings of labels."""
        return stacked(
            [
                Ranking.of(self.scores[own], self.threshold).measured(labels[:, own])
                for own in self.items_of()
            ]
        )

    def asked(self, performance, metric, category=None):
        """Ask a fit for a metric, of one subgroup if it is named."""
        where = {"threshold": self.threshold} if metric == "accuracy" else {}
        return performance.of(category=category).estimate(metric, **where)


def category(problem):
    """Fit once, knowing of the subgroups."""
    performance = PerformanceCurveEstimator(classes=CLASSES, random_state=problem.seed)
    performance.fit(problem.scores, problem.y, category=problem.category)
    return {
        metric: Reply.from_estimates(
            [problem.asked(performance, metric, category=name) for name in problem.names]
        )
        for metric in METRICS
    }


def separate(problem):
    """Fit the default to each subgroup by itself."""
    rng = problem.rng
    probability = np.empty((N_DRAWS, len(problem.scores)))
    for own in problem.items_of():
        draws = proba_draws(problem.scores[own], problem.y[own], int(rng.integers(2**31)))
        # Draws of a fit are in order of their experts, and those of two fits have nothing to do
        # with each other.
        probability[:, own] = rng.permutation(draws)
    return drawn(problem, probability, rng)


def pooled(problem):
    """Fit the default to all items, and draw their labels for all subgroups."""
    return drawn(problem, proba_draws(problem.scores, problem.y, problem.seed), problem.rng)


def proba_draws(scores, y, seed):
    """Return draws of the probabilities of items to be positive."""
    performance = PerformanceCurveEstimator(classes=CLASSES, n_draws=N_DRAWS, random_state=seed)
    return performance.fit(scores, y).posterior_.probability_draws(scores)


def drawn(problem, probability, rng):
    """Return replies by labels that are drawn with some probabilities, (n_draws, n)."""
    measured = problem.measured(drawn_labels(probability, problem.y, rng))
    return {metric: Reply.from_draws(measured[metric]) for metric in METRICS}


def empirical_bayes(problem):
    """Give labelled shares a beta prior, which the labels of all subgroups judge."""
    positive = problem.y == 1
    right = positive == (problem.scores >= problem.threshold)
    return {
        metric: Reply.from_draws(shrunken(problem, event))
        for metric, event in (("accuracy", right), ("prevalence", positive))
    }


def shrunken(problem, event):
    """Draw the share of the items of each subgroup at which something is so."""
    known, rng = problem.y >= 0, problem.rng
    groups = problem.items_of()
    n = np.array([own.sum() for own in groups])
    seen = np.array([(own & known).sum() for own in groups])
    came = np.array([(own & known & event).sum() for own in groups])
    a, b = (part.ravel()[:, np.newaxis] for part in np.array(np.meshgrid(SHARES, SIZES)))
    a, b = a * b, (1.0 - a) * b
    evidence = (special.betaln(a + came, b + seen - came) - special.betaln(a, b)).sum(axis=1)
    # The best prior alone would say that subgroups do not differ, and be sure of it.
    prior = rng.choice(len(a), N_DRAWS, p=special.softmax(evidence))
    rate = rng.beta(a[prior] + came, b[prior] + seen - came)
    return (came + rng.binomial(n - seen, rate)) / n


METHODS = {
    "category": category,
    "separate": separate,
    "pooled": pooled,
    "empirical_bayes": empirical_bayes,
}
