"""Tasks with subgroups: natural ones of the sets of a folder, and some that are resampled.

A resampled task draws labels with a prevalence of each subgroup, then scores of real items with
these labels, which it shifts by a number of each subgroup. Every repeat draws another one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from cells import log_odds
from scipy import special
from score_files import seed_of
from system_files import SUFFIX, SystemSet, find_systems

# Systems of natural tasks, where a set has them.
SYSTEMS = ("forest", "mlp_half_rows")
N_ROWS = 2000
# Half the width that holds the middle 80% of a normal distribution, in deviations.
MIDDLE = 2.563


@dataclass(frozen=True)
class SubgroupTask:
    """Items of one system in subgroups, with all labels.

    Attributes
    ----------
    scores, labels : ndarray of shape (n,)
    category : ndarray of shape (n,)
    threshold : float
        Where the system decides.
    """

    scores: np.ndarray
    labels: np.ndarray
    category: np.ndarray
    threshold: float


@dataclass(frozen=True)
class Resampling:
    """How a task is resampled.

    Attributes
    ----------
    source, system : str
        The set and the system whose scores are taken.
    n_groups : int
    prevalence_sd : float
        Of the subgroups' prevalence, on the logit.
    shift : float
        The deviation of the shifts, in spreads of the log-odds.
    """

    source: str
    system: str
    n_groups: int
    prevalence_sd: float
    shift: float


RESAMPLED = {
    "resampled_spambase": Resampling("spambase", "boosting", 8, 0.0, 0.0),
    "resampled_wine": Resampling("wine", "logreg", 8, 0.6, 0.3),
    "resampled_tweets": Resampling("tweets", "svm_letters", 12, 1.2, 0.0),
    "resampled_digits": Resampling("digits", "mlp_half_rows", 20, 0.6, 0.3),
    "resampled_satellite": Resampling("satellite_damp", "forest", 20, 1.2, 0.6),
}


def find_tasks(folder):
    """Return the names of all tasks: ``set:system``, and those of `RESAMPLED`."""
    natural = [
        f"{path.name.removesuffix(SUFFIX)}:{system}"
        for path in find_systems(folder)
        for items in [SystemSet.load(path, 1)]
        for system in SYSTEMS
        if items.category is not None and system in items.systems
    ]
    found = {path.name.removesuffix(SUFFIX) for path in find_systems(folder)}
    return natural + [name for name, how in RESAMPLED.items() if how.source in found]


def load_task(folder, name, repeat) -> SubgroupTask:
    """Return a task; a resampled one is that of the repeat."""
    if name in RESAMPLED:
        return resampled(folder, RESAMPLED[name], np.random.default_rng(seed_of(name, repeat, 0)))
    source, system = name.split(":")
    items = SystemSet.load(folder / f"{source}{SUFFIX}", N_ROWS)
    k = items.systems.index(system)
    return SubgroupTask(items.scores[:, k], items.labels, items.category, items.thresholds[k])


def resampled(folder, how, rng) -> SubgroupTask:
    """Draw subgroups of uneven size, and their items."""
    scores, labels = log_odds_of(folder, how.source, how.system)
    category = rng.choice(how.n_groups, N_ROWS, p=rng.dirichlet(np.full(how.n_groups, 4.0)))
    logit = special.logit(labels.mean()) + how.prevalence_sd * rng.standard_normal(how.n_groups)
    shift = how.shift * rng.standard_normal(how.n_groups)
    found = resampled_items(scores, labels, logit[category], shift[category], rng)
    return SubgroupTask(*found, category.astype(str), 0.0)


def log_odds_of(folder, source, system):
    """Return the log-odds that a system says, less its threshold, and the labels."""
    items = SystemSet.load(folder / f"{source}{SUFFIX}")
    return log_odds(items.scores[:, items.systems.index(system)]), items.labels


def resampled_items(scores, labels, logit, shift, rng):
    """Draw a label for each logit of its probability, and the score of a real item with it.

    Parameters
    ----------
    scores, labels : ndarray of shape (n_source,)
    logit : ndarray of shape (n,)
    shift : ndarray of shape (n,)
        What is added to scores, in their spreads.
    rng : numpy.random.Generator

    Returns
    -------
    scores, labels : ndarray of shape (n,)
    """
    spread = np.subtract(*np.quantile(scores, [0.9, 0.1])) / MIDDLE
    new = (rng.random(len(logit)) < special.expit(logit)).astype(int)
    drawn = np.where(
        new == 1,
        rng.choice(scores[labels == 1], len(new)),
        rng.choice(scores[labels == 0], len(new)),
    )
    return drawn + spread * shift, new
