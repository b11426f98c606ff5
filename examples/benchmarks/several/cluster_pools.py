"""Items that belong together, made from real scores.

A cluster has a number of its own in the log-odds of all its items, by which their prevalence
differs, and another one in their scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from rankings import METRICS, Ranking
from scipy import special
from score_files import seed_of
from subgroup_tasks import log_odds_of, resampled_items

# Of the clusters' log-odds: intraclass correlations of 0, 0.1, 0.3 and 0.5.
DEVIATIONS = {"0": 0.0, "0.1": 0.61, "0.3": 1.19, "0.5": 1.81}
# Of the clusters' scores, in spreads, wherever clusters differ at all.
SHIFT = 0.5
SHAPES = {"10x60": (10, 60), "40x40": (40, 40)}
SOURCES = {
    "spambase": "forest",
    "wine": "boosting",
    "tweets": "logreg_words",
    "satellite_damp": "mlp_half_rows",
}
N_LABELED_CLUSTERS, N_LABELS_EACH = 10, 5
# A population is known from so many clusters of so many items.
N_TRUTH = (20000, 20)


@dataclass(frozen=True)
class Setting:
    """How clusters are made.

    Attributes
    ----------
    source : str
        The set whose scores are taken.
    shape : str
        One of `SHAPES`.
    icc : str
        One of `DEVIATIONS`.
    """

    source: str
    shape: str
    icc: str

    @property
    def name(self):
        """The meaning of the rows."""
        return f"{self.source} {self.shape} {self.icc}"

    @classmethod
    def of(cls, name) -> Setting:
        """Return the setting of a name."""
        return cls(*name.split())


@dataclass(frozen=True)
class ClusterPool:
    """Items in clusters, a few of them labelled.

    Attributes
    ----------
    scores, labels, groups : ndarray of shape (n,)
    y : ndarray of shape (n,)
        -1 for unknown.
    seed : int
    """

    scores: np.ndarray
    labels: np.ndarray
    groups: np.ndarray
    y: np.ndarray
    seed: int

    @property
    def rng(self):
        """The random numbers of a method."""
        return np.random.default_rng(self.seed)


def settings():
    """Return all settings."""
    return [Setting(s, shape, icc) for s in SOURCES for shape in SHAPES for icc in DEVIATIONS]


def draw(folder, setting, repeat) -> ClusterPool:
    """Draw clusters, of which a few are labelled in a few items."""
    rng = np.random.default_rng(seed_of(setting.name, repeat, 0))
    scores, labels, groups = items_of(folder, setting, *SHAPES[setting.shape], rng)
    y = np.full(len(scores), -1)
    for group in rng.permutation(SHAPES[setting.shape][0])[:N_LABELED_CLUSTERS]:
        some = rng.permutation(np.flatnonzero(groups == group))[:N_LABELS_EACH]
        y[some] = labels[some]
    return ClusterPool(scores, labels, groups, y, int(rng.integers(2**31)))


def items_of(folder, setting, n_clusters, size, rng):
    """Draw the scores and labels of clusters, and the cluster of each item."""
    source, labels = log_odds_of(folder, setting.source, SOURCES[setting.source])
    deviation = DEVIATIONS[setting.icc]
    groups = np.repeat(np.arange(n_clusters), size)
    logit = special.logit(labels.mean()) + deviation * rng.standard_normal(n_clusters)
    shift = (SHIFT if deviation else 0.0) * rng.standard_normal(n_clusters)
    return *resampled_items(source, labels, logit[groups], shift[groups], rng), groups


def sample_truth(pool):
    """Return all metrics of these very items."""
    measured = Ranking.of(pool.scores, 0.0).measured(pool.labels[np.newaxis] == 1)
    return {metric: measured[metric][0] for metric in METRICS}


@cache
def population_truth(folder, source, icc):
    """Return all metrics of endless clusters."""
    setting = Setting(source, "", icc)
    rng = np.random.default_rng(seed_of(setting.name, 0, 0))
    scores, labels, _ = items_of(folder, setting, *N_TRUTH, rng)
    measured = Ranking.of(scores, 0.0).measured(labels[np.newaxis] == 1)
    return {metric: measured[metric][0] for metric in METRICS}
