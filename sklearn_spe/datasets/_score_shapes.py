"""Shapes of scores: draws of a distribution of scores, and of the log-odds given the score."""

from __future__ import annotations

import numpy as np
from scipy import optimize, special

# The normal ranks at which a distribution is stored, and the probability of each.
RANKS = np.linspace(-5.5, 5.5, 4401)
MASSES = np.diff(special.ndtr(np.r_[-np.inf, (RANKS[1:] + RANKS[:-1]) / 2.0, np.inf]))
# Bounds of prevalences, except for kinds with rare or frequent positives.
COMMON = 0.03, 0.7


def _of_prevalence(curve: np.ndarray, prevalence: float) -> np.ndarray:
    """Return a curve of log-odds, shifted to a prevalence."""

    def excess(shift: float) -> float:
        return MASSES @ special.expit(curve + shift) - prevalence

    return curve + optimize.brentq(excess, -60.0, 60.0)


def _prevalence(rng: np.random.Generator, low: float = COMMON[0], high: float = COMMON[1]) -> float:
    """Draw a prevalence, uniform in its log-odds."""
    return float(special.expit(rng.uniform(special.logit(low), special.logit(high))))


def _increasing(rng: np.random.Generator) -> np.ndarray:
    """Draw an increasing curve of log-odds: a line and some steps."""
    curve = np.exp(rng.normal(0.4, 0.5)) * RANKS
    for _ in range(rng.integers(0, 3)):
        width = np.exp(rng.normal(-1.5, 0.7))
        curve = curve + rng.gamma(1.5, 1.0) * special.expit((RANKS - rng.normal(0.5, 1.0)) / width)
    return curve


def _real(rng: np.random.Generator) -> np.ndarray:
    """Draw a distribution of real scores: skewed, with light or heavy tails, or bimodal."""
    skew = rng.normal(0.0, 0.4)
    tail = np.exp(rng.normal(0.0, 0.3))
    distribution = np.sinh(np.arcsinh(RANKS) * tail + skew)
    if rng.random() < 0.3:
        size = rng.uniform(1.0, 4.0)
        step = special.expit((RANKS - rng.normal(0.5, 0.7)) / 0.15)
        distribution = distribution + size * step
    return distribution


def _distribution(rng: np.random.Generator) -> np.ndarray:
    """Draw a distribution of scores: real numbers, probabilities or distances."""
    distribution = _real(rng)
    kind = rng.integers(3)
    if kind == 0:
        return rng.normal(0.0, 2.0) + np.exp(rng.normal(0.0, 1.0)) * distribution
    if kind == 1:
        return special.expit(rng.normal(-1.0, 1.0) + np.exp(rng.normal(0.3, 0.5)) * distribution)
    return np.exp(rng.normal(0.0, 0.5) + np.exp(rng.normal(-0.5, 0.4)) * RANKS)


def monotone(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return _distribution(rng), _of_prevalence(_increasing(rng), _prevalence(rng))


def calibrated(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    curve = _of_prevalence(_increasing(rng), _prevalence(rng))
    score = rng.normal(0.0, 0.1) + np.exp(rng.normal(0.0, 0.05)) * curve
    return (special.expit(score) if rng.random() < 0.7 else score), curve


def overconfident(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    curve = _of_prevalence(_increasing(rng), _prevalence(rng))
    score = rng.normal(0.0, 0.7) + np.exp(rng.normal(0.8, 0.4)) * curve
    return (special.expit(score) if rng.random() < 0.5 else score), curve


def saturated(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    curve = _of_prevalence(_increasing(rng), _prevalence(rng))
    # Up to half of the scores are exactly 1 in floating point; the smallest are far below 1e-16.
    top = np.interp(rng.uniform(0.6, 0.98), np.cumsum(MASSES), RANKS)
    score = 37.0 * (1.0 + rng.uniform(0.5, 3.0) * (RANKS - top))
    curve = np.minimum(curve, np.interp(top + rng.exponential(0.5), RANKS, curve))
    return special.expit(score), _of_prevalence(curve, _prevalence(rng))


def heaps(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    curve = _of_prevalence(_increasing(rng), _prevalence(rng))
    ends = np.sort(rng.choice(np.arange(1, 40), rng.integers(2, 9), replace=False)) / 40.0
    heap = np.searchsorted(ends, np.cumsum(MASSES))
    values = np.sort(rng.uniform(0.0, rng.choice([1.0, 10.0]), len(ends) + 1))
    return values[heap], curve


def worthless(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    curve = rng.normal(0.0, 0.15) * RANKS
    return _distribution(rng), _of_prevalence(curve, _prevalence(rng))


def inverted(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    distribution = _distribution(rng)
    curve = rng.uniform(-1.2, -0.4) * _increasing(rng)
    return distribution, _of_prevalence(curve, _prevalence(rng))


def u_shaped(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    curve = np.exp(rng.normal(0.0, 0.4)) * np.abs(RANKS - rng.normal(0.0, 0.4)) ** 1.5
    return _distribution(rng), _of_prevalence(curve, _prevalence(rng))


def saw_teeth(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    teeth = rng.uniform(1.0, 2.5) * np.sin(rng.uniform(2.0, 6.0) * RANKS + rng.uniform(0.0, 6.3))
    curve = rng.uniform(0.3, 1.0) * _increasing(rng) + teeth
    return _distribution(rng), _of_prevalence(curve, _prevalence(rng))


def negatives_on_top(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    prevalence = _prevalence(rng, 0.05, 0.5)
    curve = _of_prevalence(_increasing(rng), prevalence)
    # The number of hard negatives is comparable to that of positives.
    contamination = prevalence * rng.uniform(0.1, 0.8)
    from_top = np.interp(1.0 - contamination, np.cumsum(MASSES), RANKS)
    fallen = special.logit(rng.uniform(0.005, 0.2))
    return _distribution(rng), np.where(from_top < RANKS, np.minimum(curve, fallen), curve)


def positives_below(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    curve = _of_prevalence(_increasing(rng), _prevalence(rng, 0.05, 0.5))
    below = np.interp(rng.uniform(0.1, 0.4), np.cumsum(MASSES), RANKS)
    log_odds = special.logit(rng.uniform(0.05, 0.4))
    return _distribution(rng), np.where(below > RANKS, np.maximum(curve, log_odds), curve)


def rare(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return _distribution(rng), _of_prevalence(_increasing(rng) * 1.3, _prevalence(rng, 1e-4, 0.01))


def frequent(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return _distribution(rng), _of_prevalence(_increasing(rng), _prevalence(rng, 0.75, 0.97))
