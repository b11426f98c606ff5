"""Scores where positives are rare: thirteen distributions, at sizes and prevalences of practice."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy import special, stats
from sklearn.ensemble import HistGradientBoostingClassifier

# Numbers of items and prevalences; at least so many items are positive.
SIZES = (
    *((2_000, rate) for rate in (0.05, 0.02)),
    *((20_000, rate) for rate in (0.01, 0.003, 0.001)),
    *((200_000, rate) for rate in (0.001, 0.0001)),
)
MIN_POSITIVES = 3
# A slope of the log-odds of the score, and where that of a classifier trained on balanced data has
# the log-odds 0.
SLOPE, BALANCED = 3.0, 4.5
# A classifier learns from so many items with so many features, one in a hundred positive.
N_TRAINING, N_FEATURES, TRAINING_RATE = 20_000, 8, 0.01
# Most batches of duplicates are small, by Zipf's law.
ZIPF, LARGEST_BATCHES = 1.8, (60, 20)

Draw = Callable[[int, int, float, np.random.Generator], tuple[np.ndarray, np.ndarray]]
SHAPES: dict[str, Draw] = {}


def draw(shape: str, n_items: int, prevalence: float, rng) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and labels of items in random order, (n_items,) each."""
    n_positive = max(MIN_POSITIVES, round(n_items * prevalence))
    classes = SHAPES[shape](n_items - n_positive, n_positive, prevalence, rng)
    labels = np.repeat([0, 1], [n_items - n_positive, n_positive])
    order = rng.permutation(n_items)
    return np.concatenate(classes)[order], labels[order]


def shape(function: Draw) -> Draw:
    """Enter a distribution by the name of its function."""
    SHAPES[function.__name__] = function
    return function


def _normal(mean: float, std: float) -> Draw:
    return lambda n0, n1, _, rng: (rng.normal(size=n0), rng.normal(mean, std, n1))


SHAPES |= {"binormal": _normal(3.0, 1.0), "wide": _normal(2.5, 2.0), "narrow": _normal(3.2, 0.5)}


def _above_heavy_tail(tail: stats.rv_continuous, further: float, spread: float) -> Draw:
    """Return a distribution with positives where a share of negatives scores at least as high."""

    def drawn(n_negative, n_positive, prevalence, rng):
        center = tail.isf(further * prevalence)
        positive = center * (1.0 + spread * rng.normal(size=n_positive))
        return tail.rvs(n_negative, random_state=rng), positive

    return drawn


SHAPES |= {
    "heavy tail": _above_heavy_tail(stats.t(2), 1.5, 0.2),
    "heavy tail, strong": _above_heavy_tail(stats.t(2), 0.15, 0.3),
    "log-normal": _above_heavy_tail(stats.lognorm(1.0), 0.7, 0.2),
}


@shape
def outliers(n_negative, n_positive, prevalence, rng):
    """Return negatives of which as many as there are positives lie above these."""
    is_outlier = rng.random(n_negative) < prevalence
    return rng.normal(9.0 * is_outlier), rng.normal(4.5, 1.0, n_positive)


@shape
def two_kinds(n_negative, n_positive, prevalence, rng):
    """Return positives of which two in five look like negatives."""
    is_hidden = rng.random(n_positive) < 0.4
    positive = rng.normal(np.where(is_hidden, 0.5, 5.0), np.where(is_hidden, 1.0, 0.8))
    return rng.normal(size=n_negative), positive


@shape
def duplicates(n_negative, n_positive, prevalence, rng):
    """Return items that come in batches of equal scores and labels."""
    scores = []
    for n_items, mean, largest in zip(
        (n_negative, n_positive), (0.0, 3.0), LARGEST_BATCHES, strict=True
    ):
        batch = np.repeat(np.arange(n_items), np.minimum(rng.zipf(ZIPF, n_items), largest))
        scores.append(rng.normal(mean, 1.0, n_items)[batch[:n_items]])
    return tuple(scores)


@shape
def saturated(n_negative, n_positive, prevalence, rng):
    """Return probabilities many of which single precision rounds to one."""
    log_odds = rng.normal(-15.0, 6.0, n_negative), rng.normal(6.0, 9.0, n_positive)
    return tuple(special.expit(own).astype(np.float32).astype(float) for own in log_odds)


@shape
def boosting(n_negative, n_positive, prevalence, rng):
    """Return probabilities by gradient boosting, trained at one in a hundred."""
    classifier = _boosting()
    features = (_features(n, k, rng) for k, n in enumerate((n_negative, n_positive)))
    return tuple(classifier.predict_proba(own)[:, 1] for own in features)


@shape
def balanced(n_negative, n_positive, prevalence, rng):
    """Return probabilities as if half of the items were positive."""
    return _probabilities(n_negative, n_positive, -BALANCED, rng)


@shape
def calibrated(n_negative, n_positive, prevalence, rng):
    """Return the probabilities of two normal classes at this prevalence."""
    return _probabilities(n_negative, n_positive, special.logit(prevalence) - BALANCED, rng)


def _probabilities(n_negative, n_positive, intercept, rng):
    latent = rng.normal(size=n_negative), rng.normal(3.0, 1.0, n_positive)
    return tuple(special.expit(SLOPE * own + intercept) for own in latent)


def _features(n_items: int, label: int, rng) -> np.ndarray:
    """Return features of items of a class; positives are of two kinds, one hard to find."""
    features = rng.standard_t(4, (n_items, N_FEATURES))
    if label:
        is_easy = rng.random(n_items) < 0.6
        features[:, :3] += np.where(is_easy, 1.8, 0.4)[:, np.newaxis]
        features[:, 3] += np.where(is_easy, 0.0, 2.5) * np.sign(features[:, 4])
    return features


@cache
def _boosting() -> HistGradientBoostingClassifier:
    rng = np.random.default_rng(0)
    n_positive = round(TRAINING_RATE * N_TRAINING)
    sizes = N_TRAINING - n_positive, n_positive
    X = np.concatenate([_features(n, k, rng) for k, n in enumerate(sizes)])
    return HistGradientBoostingClassifier(max_iter=60, random_state=0).fit(
        X, np.repeat([0, 1], sizes)
    )
