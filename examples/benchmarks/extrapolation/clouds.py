"""Recognition problems with classes that are clouds of points, distinguished by their means.

A class has a mean and a spread, both drawn from the population of the problem. It is trained on a
few points around its mean; their average is its center. A test item is one more point, and the
score of a class compares it with the center of that class alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pools import mean_power, pooled_wins
from scipy import special, stats

from sklearn_spe.extrapolation import GaussianClasses

N_CLUSTERS = 12
# The share of the variance of class means that is between clusters.
BETWEEN = 0.6
# Which clusters there are is a trait of the population, the same in every draw.
CLUSTER_SEED = 7
HEAVY_TAIL = 3.0
SPREAD_OF_LOG_STD = 0.5


@dataclass(frozen=True)
class Drawn:
    """Classes and test items, drawn from a problem.

    Attributes
    ----------
    scores : ndarray of shape (n_items, n_classes)
    labels : ndarray of shape (n_items,)
    points : ndarray
        The test items.
    centers : ndarray
        What each class is known by.
    """

    scores: np.ndarray
    labels: np.ndarray
    points: np.ndarray
    centers: np.ndarray


@dataclass(frozen=True)
class Clouds:
    """One problem.

    Attributes
    ----------
    name : str
    n_features : int
    noise : float
        The typical standard deviation of a feature within a class. Between classes it is 1.
    means : {"normal", "heavy", "decaying", "clustered", "sphere"}
        The distribution of the class means.
    within : {"normal", "heavy", "decaying", "unequal"}
        The distribution of points around their mean; "unequal" has a spread of its own for each
        class.
    score : {"squared", "distance", "dot", "cosine", "log_probability", "probability"}
        The first two are negative.
    n_train : int
        Training points of a class.
    """

    name: str
    n_features: int
    noise: float
    means: str = "normal"
    within: str = "normal"
    score: str = "squared"
    n_train: int = 1

    def draw(self, n_classes, n_items, rng) -> Drawn:
        """Draw classes with a number of test items each."""
        means, stds = self._classes(n_classes, rng)
        centers = self._centres(means, stds, rng)
        labels = np.repeat(np.arange(n_classes), n_items)
        points = self._around(means[labels], stds[labels], rng)
        return Drawn(SCORES[self.score](points, centers, self.noise), labels, points, centers)

    def truth(self, n_classes, cache: Path | None = None) -> np.ndarray:
        """Return the average accuracy with these numbers of classes.

        It is exact where points around normal class means are normal themselves; elsewhere it
        comes from a pool of competitors, and is right to about 0.005.
        """
        if self._is_exact:
            # All of these scores rank classes by the distance of their centers.
            rule = "linear_discriminant"
            task = GaussianClasses(self.n_features, self.noise, self.n_train, rule)
            return task.accuracy(np.asarray(n_classes))
        return mean_power(*pooled_wins(self, cache), n_classes)

    def known_accuracy(self, drawn, n_classes, rng) -> np.ndarray:
        """Return the mean of U^(k - 1) over the items that were drawn, for a known U."""
        own = drawn.centers[drawn.labels]
        if not self._is_exact:
            competitors = self.competitors(20_000, rng)
            wins = self.wins(drawn.points, own, competitors)
            return mean_power(wins, len(competitors), n_classes)
        variance = 1.0 + self.noise**2 / self.n_train
        # The squared distance of a random center from a fixed point is noncentral chi-square.
        above = stats.ncx2.cdf(
            ((drawn.points - own) ** 2).sum(axis=1) / variance,
            self.n_features,
            (drawn.points**2).sum(axis=1) / variance,
        )
        powers = np.asarray(n_classes)[:, np.newaxis] - 1.0
        return np.exp(special.xlog1py(powers, -above)).mean(axis=1)

    def items(self, n_items, rng) -> tuple[np.ndarray, np.ndarray]:
        """Draw test items of as many classes; return them, and the centers of their classes."""
        means, stds = self._classes(n_items, rng)
        return self._around(means, stds, rng), self._centres(means, stds, rng)

    def competitors(self, n_classes, rng) -> np.ndarray:
        """Draw the centers of a number of classes."""
        return self._centres(*self._classes(n_classes, rng), rng)

    def wins(self, points, own, competitors) -> np.ndarray:
        """Return how many competitors score below each item's own center."""
        if self.score == "cosine":
            points, own, competitors = map(_unit, (points, own, competitors))
        # A distance ranks centers t for a point x like x @ t - t @ t / 2.
        half = 0.0 if self.score in ("dot", "cosine") else 0.5
        offsets = half * (competitors**2).sum(axis=1)
        own_scores = (points * own).sum(axis=1) - half * (own**2).sum(axis=1)
        wins = np.empty(len(points), dtype=np.int64)
        for start in range(0, len(points), 250):
            rows = slice(start, start + 250)
            scores = points[rows] @ competitors.T
            scores -= offsets
            wins[rows] = np.count_nonzero(scores < own_scores[rows, np.newaxis], axis=1)
        return wins

    @property
    def _is_exact(self):
        distances = self.score not in ("dot", "cosine")
        return self.means == "normal" and self.within == "normal" and distances

    def _classes(self, n_classes, rng):
        """Return the means and the standard deviations of classes."""
        means = rng.standard_normal((n_classes, self.n_features))
        if self.means == "heavy":
            means /= _root_chi_square(n_classes, rng)
        elif self.means == "decaying":
            means *= _decay(self.n_features)
        elif self.means == "sphere":
            means = _unit(means) * np.sqrt(self.n_features)
        elif self.means == "clustered":
            shape = (N_CLUSTERS, self.n_features)
            clusters = np.random.default_rng(CLUSTER_SEED).standard_normal(shape)
            chosen = clusters[rng.integers(N_CLUSTERS, size=n_classes)]
            means = np.sqrt(BETWEEN) * chosen + np.sqrt(1.0 - BETWEEN) * means
        stds = np.full((n_classes, 1), self.noise)
        if self.within == "unequal":
            stds *= np.exp(SPREAD_OF_LOG_STD * rng.standard_normal((n_classes, 1)))
        return means, stds

    def _around(self, means, stds, rng):
        """Draw one point of each class."""
        steps = rng.standard_normal(means.shape)
        if self.within == "heavy":
            steps /= _root_chi_square(len(means), rng)
        elif self.within == "decaying":
            steps *= _decay(self.n_features)
        return means + stds * steps

    def _centres(self, means, stds, rng):
        return np.mean([self._around(means, stds, rng) for _ in range(self.n_train)], axis=0)


def _root_chi_square(n, rng):
    """Return the divisor of a normal point for Student's distribution."""
    return np.sqrt(rng.chisquare(HEAVY_TAIL, (n, 1)) / HEAVY_TAIL)


def _decay(n_features):
    """Return standard deviations of features whose variances fall like 1 / i, with mean 1."""
    variances = 1.0 / np.arange(1, n_features + 1)
    return np.sqrt(variances / variances.mean())


def _unit(points):
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def _squared(points, centers, noise):
    squares = (points**2).sum(axis=1)[:, np.newaxis] - 2.0 * points @ centers.T
    squares += (centers**2).sum(axis=1)
    return -np.maximum(squares, 0.0)


def _distance(points, centers, noise):
    return -np.sqrt(-_squared(points, centers, noise))


def _dot(points, centers, noise):
    return points @ centers.T


def _cosine(points, centers, noise):
    return _unit(points) @ _unit(centers).T


def _log_probability(points, centers, noise):
    return special.log_softmax(_squared(points, centers, noise) / (2.0 * noise**2), axis=1)


def _probability(points, centers, noise):
    return np.exp(_log_probability(points, centers, noise))


SCORES = {
    "squared": _squared,
    "distance": _distance,
    "dot": _dot,
    "cosine": _cosine,
    "log_probability": _log_probability,
    "probability": _probability,
}
