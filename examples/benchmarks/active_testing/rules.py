"""When to stop: functions that label until the 90% interval of a precision is narrow enough.

``rule(problem, seed)`` returns a `Stop`. An addition is one function and one entry in `RULES`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np
from answers import LEVEL
from choosing import as_estimate
from scipy import special, stats

from sklearn_spe import ActiveTestSelector
from sklearn_spe.exceptions import RepeatedLooksWarning

N_ITEMS = 1000
HALF_WIDTH = 0.05
# Items are labelled by so many at once.
BATCH = 5
# The probabilities of the items that are called positive.
SHAPES = (2.1, 0.9)
# What the log-odds are multiplied with, and the scores are.
PROBLEMS = {"calibrated": 1.0, "over-confident": 2.0}
# Wald's interval is not looked at with fewer labels.
FEWEST = 30
# How much of its capital a bet of the plain bettor may lose.
LARGEST_BET = 0.5


@dataclass(frozen=True)
class Problem:
    """Items that a classifier calls positive, each with its score and label.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        Log-odds, right or exaggerated.
    labels : ndarray of shape (n,)
    """

    scores: np.ndarray
    labels: np.ndarray

    @classmethod
    def draw(cls, name, repeat) -> Problem:
        """Draw items; both problems have the same labels."""
        rng = np.random.default_rng([2018, repeat])
        p = rng.beta(*SHAPES, N_ITEMS)
        labels = (rng.random(N_ITEMS) < p).astype(int)
        return cls(PROBLEMS[name] * special.logit(p), labels)

    @property
    def precision(self):
        """The wanted result."""
        return float(self.labels.mean())


@dataclass(frozen=True)
class Stop:
    """Where a rule stopped.

    Attributes
    ----------
    n_labels : int
    estimate, low, high : float
    held_always : bool
        Whether the interval held at every look until then.
    """

    n_labels: int
    estimate: float
    low: float
    high: float
    held_always: bool


def stopped(looks, truth):
    """Return where intervals are narrow enough first.

    Parameters
    ----------
    looks : iterable of tuple
        The number of labels, the value and the ends of the interval, at each look.
    truth : float
    """
    held = True
    for n, value, low, high in looks:
        held &= bool(low - 1e-9 <= truth <= high + 1e-9)
        if high - low <= 2.0 * HALF_WIDTH:
            return Stop(n, value, low, high, held)
    raise ValueError("The interval never was narrow enough.")


def select(problem, seed, **parameters):
    """Ask the package until `should_stop` is true."""
    selector = ActiveTestSelector(
        "precision",
        threshold=problem.scores.min(),
        confidence_level=LEVEL,
        random_state=seed,
        **parameters,
    )

    def looks():
        selector.fit(problem.scores)
        stop = False
        while not stop:
            items = selector.query(min(BATCH, N_ITEMS - selector.n_labels_))
            selector.update(items, problem.labels[items])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RepeatedLooksWarning)
                stop = selector.should_stop(half_width=HALF_WIDTH)
            found = as_estimate(selector.estimate_)
            yield selector.n_labels_, found.value, found.low, found.high

    return stopped(looks(), problem.precision)


def wald(problem, seed):
    """Label at random; the normal interval, with the correction for a finite pool."""
    labels = _in_random_order(problem, seed)
    n = np.arange(1, N_ITEMS + 1)
    share = np.cumsum(labels) / n
    rest = (N_ITEMS - n) / (N_ITEMS - 1.0)
    half = stats.norm.ppf(0.5 + LEVEL / 2.0) * np.sqrt(share * (1.0 - share) / n * rest)
    looks = zip(n, share, share - half, share + half, strict=True)
    return stopped((look for look in looks if look[0] >= FEWEST), problem.precision)


def plain_betting(problem, seed):
    """Label at random; bet against every mean, without replacement [1]_.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas. "Estimating means of bounded random variables by betting."
       JRSS B 86 (2024) 1-27.
    """
    labels = _in_random_order(problem, seed)
    return stopped(_bets(labels, np.linspace(0.0, 1.0, 1001)), problem.precision)


def _bets(labels, means):
    """Yield the intervals of the hedged bettor after each label."""
    log_alpha = np.log(1.0 - LEVEL)
    log_e_value = np.zeros((2, len(means)))
    alive = np.ones(len(means), dtype=bool)
    total, squares = 0.0, 0.25
    for t, z in enumerate(labels, 1):
        left = (N_ITEMS * means - total) / (N_ITEMS - t + 1.0)
        # What labels so far leave no room for.
        alive &= (left >= 0.0) & (left <= 1.0)
        inner = np.clip(left, 1e-9, 1.0 - 1e-9)
        variance = squares / t
        stake = np.sqrt(2.0 * (np.log(2.0) - log_alpha) / (variance * t * np.log1p(t)))
        up = np.minimum(stake, LARGEST_BET / inner)
        down = np.minimum(stake, LARGEST_BET / (1.0 - inner))
        log_e_value += np.log1p(np.array([up, -down]) * (z - inner))
        alive &= log_e_value.max(axis=0) - np.log(2.0) < -log_alpha
        squares += (z - (total + 0.5) / t) ** 2
        total += z
        inside = means[alive]
        yield t, total / t, inside.min(initial=1.0), inside.max(initial=0.0)


def _in_random_order(problem, seed):
    return np.random.default_rng(seed).permutation(problem.labels).astype(float)


ANYTIME = {"interval": "anytime"}
RULES = {
    "betting_importance": partial(select, **ANYTIME),
    # As good as none: a confidence sequence wants every item to have a chance.
    "betting_random": partial(select, strategy="random", exploration=1e-9, **ANYTIME),
    "plain_betting": plain_betting,
    "wald": wald,
    "posterior": select,
    "posterior_entropy": partial(select, strategy="entropy"),
}
