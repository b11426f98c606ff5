"""Completions of the labels of a sample, with any or with a known number of positives.

Given the number of positives, independent labels have a distribution that does not change if all
odds are multiplied by one factor. So odds are tilted until the expected number is the known one,
draws that have it are kept, and where it is rare the few labels that are left over are moved.
"""

from __future__ import annotations

import numpy as np
from scipy import special

# A binomial distribution has at most so many trials; with more of them it is a Poisson one.
MAX_TRIALS = 1e9
# Below this probability a range of totals has that of its likeliest end.
MIN_MASS = 1e-10
# Totals are drawn up to this number of standard deviations from their mean, and at least so many
# units.
N_DEVIATIONS, MIN_REACH = 8.0, 8
# Probabilities closer to 0 and 1 than this are moved: every total is possible.
SMALLEST = 1e-12
# Newton steps to the tilt, and their largest size.
N_STEPS, LARGEST_STEP = 60, 2.0
# Draws are repeated until they have the total: so many times, if the variance of the total is not
# larger than this. Labels are moved otherwise, with relative errors of one over the variance.
N_REPEATS, MAX_VARIANCE = 40, 64.0


def draw_positives(
    rng: np.random.Generator,
    weights: np.ndarray,
    probability: np.ndarray,
    total: tuple[float, float] | None = None,
) -> np.ndarray:
    """Draw the weight of the positives in each cell, (n_rows, n_cells).

    A cell of weight w holds ``floor(w)`` items of weight one and, if w is not an integer, one of
    the remaining weight. With the smallest and largest possible `total`, weights are whole numbers.
    """
    positives = _draw_independent(rng, weights, probability)
    if total is None:
        return positives

    positives = positives.astype(float)
    low, high = total
    probability = np.clip(probability, SMALLEST, 1.0 - SMALLEST)

    # Where the number of positives is impossible, draw a possible one, and labels that have it.
    n_positive = positives.sum(axis=1)
    rows = np.flatnonzero((n_positive < low) | (n_positive > high))
    if len(rows):
        moments = moments_of_total(weights, probability[rows])
        totals = draw_totals(rng, low, high, *moments, weights.sum())
        positives[rows] = _draw_with_total(rng, weights, probability[rows], totals)
    return positives


def _draw_independent(
    rng: np.random.Generator, weights: np.ndarray, probability: np.ndarray
) -> np.ndarray:
    """Draw the weight of the positives in each cell, without a condition on their total."""
    n_ones = np.floor(weights)
    remainder = weights - n_ones
    hits = rng.random(probability.shape) < probability
    if (weights == 1.0).all():
        return hits

    positives = np.where(n_ones == 1.0, hits, 0.0)
    several = np.flatnonzero(n_ones > 1.0)
    if len(several):
        positives[:, several] = rng.binomial(
            n_ones[several].astype(np.int64), probability[:, several]
        )

    partial = np.flatnonzero(remainder)
    if len(partial):
        hits = rng.random((len(probability), len(partial))) < probability[:, partial]
        positives[:, partial] += remainder[partial] * hits
    return positives


def smallest_type(weights: np.ndarray, largest: float) -> np.dtype:
    """Return the smallest type that holds whole weights, or sums of them, or floats."""
    if (weights != np.floor(weights)).any():
        return np.dtype(float)
    return np.min_scalar_type(int(largest))


def moments_of_total(weights: np.ndarray, probability: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of the number of positives, (n_rows,) each."""
    mean = np.einsum("ij,j->i", probability, weights)
    return mean, np.einsum("ij,ij,j->i", probability, 1.0 - probability, weights)


def log_probability_of_total(
    low: float, high: float, mean: np.ndarray, variance: np.ndarray, size: float
) -> np.ndarray:
    """Return the log probability that a number of positives lies in a range, (n_rows,).

    The number is a sum of independent labels of `size` items, with this mean and variance. It is
    approximated by the binomial distribution of these moments, of the class with the smaller mean.
    """
    is_mirrored = mean > size / 2.0

    # Count the class with the smaller mean.
    lowest = np.where(is_mirrored, size - high, low)
    highest = np.where(is_mirrored, size - low, high)
    center = np.where(is_mirrored, size - mean, mean)
    nearest = np.clip(np.floor(center), lowest, highest)
    log_mass = _log_mass(nearest, center, variance)
    if low == high:
        return log_mass

    mass = _cumulated(highest, center, variance) - _cumulated(lowest - 1.0, center, variance)
    with np.errstate(divide="ignore"):
        return np.where(mass > MIN_MASS, np.log(mass), log_mass)


def draw_totals(
    rng: np.random.Generator,
    low: float,
    high: float,
    mean: np.ndarray,
    variance: np.ndarray,
    size: float,
) -> np.ndarray:
    """Draw numbers of positives within a range, given their means and variances, (n_rows,)."""
    nearest = np.clip(np.round(mean), low, high)
    farthest = N_DEVIATIONS * np.sqrt(variance.max(initial=0.0)) + MIN_REACH
    reach = int(min(farthest, high - low))
    totals = nearest[:, np.newaxis] + np.arange(-reach, reach + 1)

    # The binomial approximation counts the class with the smaller mean.
    expected = mean[:, np.newaxis]
    is_mirrored = expected > size / 2.0
    center = np.where(is_mirrored, size - expected, expected)
    counts = np.where(is_mirrored, size - totals, totals)
    is_possible = (totals >= low) & (totals <= high)
    log_mass = _log_mass(np.clip(counts, 0.0, size), center, variance[:, np.newaxis])
    log_mass = np.where(is_possible, log_mass, -np.inf)
    mass = special.softmax(log_mass, axis=1)

    # Invert the cumulative distribution at uniform levels.
    cumulated = np.cumsum(mass, axis=1)
    levels = rng.random((len(totals), 1)) * cumulated[:, -1:]
    column = np.minimum((cumulated <= levels).sum(axis=1), totals.shape[1] - 1)
    return np.clip(totals[np.arange(len(totals)), column], low, high)


def _trials(
    count: float | np.ndarray, mean: np.ndarray, variance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of trials, of at least `count`, and the success rate of a binomial."""
    squares = np.maximum(mean - variance, mean * mean / MAX_TRIALS)
    n_trials = mean * np.divide(mean, squares, out=np.ones_like(squares), where=squares > 0.0)
    n_trials = np.maximum(np.maximum(n_trials, mean), count)
    share = np.divide(mean, n_trials, out=np.zeros_like(n_trials), where=n_trials > 0.0)
    return n_trials, np.minimum(share, 1.0)


def _log_mass(count: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Return the log probability of a count under the binomial of these moments."""
    n_trials, share = _trials(count, mean, variance)
    log_ways = -np.log1p(n_trials) - special.betaln(n_trials - count + 1.0, count + 1.0)
    log_successes = special.xlogy(count, share)
    return log_ways + log_successes + special.xlog1py(n_trials - count, -share)


def _cumulated(count: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Return the probability of at most this count under the binomial of these moments."""
    n_trials, share = _trials(0.0, mean, variance)
    left = np.maximum(n_trials - count, SMALLEST)
    at_most = special.betainc(left, np.maximum(count, 0.0) + 1.0, 1.0 - share)
    return np.where(count < 0.0, 0.0, np.where(count >= n_trials, 1.0, at_most))


def _draw_with_total(
    rng: np.random.Generator, weights: np.ndarray, probability: np.ndarray, totals: np.ndarray
) -> np.ndarray:
    """Draw the weight of the positives in each cell, given their total in each row."""
    tilted = _tilted(weights, probability, totals)
    positives = _draw_independent(rng, weights, tilted).astype(float)
    _, variance = moments_of_total(weights, tilted)

    # Draw again until the total is reached, where that is likely.
    is_repeated = variance <= MAX_VARIANCE
    for _ in range(N_REPEATS):
        rows = np.flatnonzero(is_repeated & (positives.sum(axis=1) != totals))
        if not len(rows):
            break
        positives[rows] = _draw_independent(rng, weights, tilted[rows])

    return _moved(rng, positives, weights, tilted, totals)


def _tilted(weights: np.ndarray, probability: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Return probabilities with odds multiplied until the expected total is the given one."""
    log_odds = special.logit(probability)
    shift = np.zeros((len(totals), 1))
    n_items = weights.sum()

    # Newton's method for the log of the factor.
    for _ in range(N_STEPS):
        tilted = special.expit(log_odds + shift)
        mean, variance = moments_of_total(weights, tilted)
        step = (totals - mean) / np.maximum(variance, SMALLEST)
        step = np.clip(step, -LARGEST_STEP, LARGEST_STEP)
        shift += step[:, np.newaxis]
        if np.abs(step).max(initial=0.0) < 1e-6:
            break
    tilted = special.expit(log_odds + shift)
    tilted[totals <= 0.0] = 0.0
    tilted[totals >= n_items] = 1.0
    return tilted


def _moved(
    rng: np.random.Generator,
    positives: np.ndarray,
    weights: np.ndarray,
    probability: np.ndarray,
    totals: np.ndarray,
) -> np.ndarray:
    """Return positives with the given totals, after moving excess items to the other class.

    An item of probability p becomes positive, or negative, with a probability that is proportional
    to p (1 - p), so expectations stay.
    """
    excess = positives.sum(axis=1) - totals
    while (rows := np.flatnonzero(excess)).size:
        is_above = excess[rows, np.newaxis] > 0.0
        p = probability[rows]
        before = positives[rows]
        movable = np.where(is_above, before, weights - before)

        share = movable * np.where(is_above, 1.0 - p, p)
        # Where no probability is left, any item may move.
        share = np.where(share.sum(axis=1, keepdims=True) > 0.0, share, movable)
        share /= share.sum(axis=1, keepdims=True)

        n_moved = rng.multinomial(np.abs(excess[rows]).astype(np.int64), share)
        n_moved = np.minimum(n_moved, movable)
        positives[rows] -= np.where(is_above, n_moved, -n_moved)
        excess[rows] -= np.where(is_above, 1.0, -1.0)[:, 0] * n_moved.sum(axis=1)
    return positives
