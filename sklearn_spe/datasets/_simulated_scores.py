"""Scores of two classes, of many shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from ..families._family import Family
from ..families._registry import as_family
from ..inputs._arrays import FrozenArrays, RandomState
from ..inputs._validation import (
    as_numbers,
    as_vector,
    check_choice,
    check_count,
    check_number,
    seed_entropy,
    spawn,
)

# The normal ranks at which a distribution is stored, and the probability of each.
RANKS = np.linspace(-5.5, 5.5, 4401)
MASSES = np.diff(special.ndtr(np.r_[-np.inf, (RANKS[1:] + RANKS[:-1]) / 2.0, np.inf]))
# Bounds of prevalences, except for kinds with rare or frequent positives.
COMMON = 0.03, 0.7


@dataclass(frozen=True, eq=False, repr=False)
class ScoreShape(FrozenArrays):
    """A distribution of scores and of labels given scores, without a parametric form.

    Items have a normal rank; the score is nondecreasing in it, and P(y = 1) is any function of it.

    .. versionadded:: 0.1

    Attributes
    ----------
    kind : str
        One of `SCORE_SHAPES`.
    scores : ndarray of shape (4401,)
        The score at normal ranks from -5.5 to 5.5, nondecreasing.
    probabilities : ndarray of shape (4401,)
        P(y = 1 | score) there.

    Raises
    ------
    ValueError
        If there is another number of scores or probabilities, scores decrease or are not finite, or
        probabilities are outside [0, 1].

    Examples
    --------
    >>> from sklearn_spe.datasets import ScoreShape
    >>> shape = ScoreShape.random("inverted", random_state=0)
    >>> scores, labels = shape.draw(2000, random_state=0)
    >>> shape
    ScoreShape('inverted', prevalence=0.0899)
    """

    kind: str
    scores: np.ndarray
    probabilities: np.ndarray

    def __post_init__(self) -> None:
        for name in ("scores", "probabilities"):
            numbers = as_vector(getattr(self, name), name, len(RANKS))
            object.__setattr__(self, name, np.array(numbers, dtype=float))
        finite = np.isfinite(self.scores).all()
        if not (finite and (np.diff(self.scores) >= 0.0).all()):
            raise ValueError("scores must be finite and nondecreasing.")
        if not ((self.probabilities >= 0.0) & (self.probabilities <= 1.0)).all():
            raise ValueError(
                f"probabilities must lie in [0, 1]; got {self.probabilities.min():.6g} to "
                f"{self.probabilities.max():.6g}."
            )
        super().__post_init__()

    @classmethod
    def random(cls, kind: str = "any", random_state: RandomState = None) -> ScoreShape:
        """Draw a shape.

        Parameters
        ----------
        kind : str, default="any"
            One of `SCORE_SHAPES`, or "any" for one of them at random.
        random_state : int, RandomState, Generator or None, default=None

        Returns
        -------
        shape : ScoreShape

        Raises
        ------
        ValueError
            If the kind does not exist.
        """
        check_choice(kind, "kind", ("any", *SCORE_SHAPES))
        rng = spawn(seed_entropy(random_state), 0)
        name = str(rng.choice(list(SCORE_SHAPES))) if kind == "any" else kind
        scores, log_odds = SCORE_SHAPES[name](rng)

        # Items with equal scores have equal probabilities.
        _, group = np.unique(scores, return_inverse=True)
        mass = np.bincount(group, MASSES)
        probabilities = np.bincount(group, MASSES * special.expit(log_odds)) / mass
        return cls(name, scores, probabilities[group])

    @property
    def prevalence(self) -> float:
        """The probability that an item is positive."""
        return float(MASSES @ self.probabilities)

    def draw(
        self, n_samples: int, random_state: RandomState = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw items.

        Parameters
        ----------
        n_samples : int
        random_state : int, RandomState, Generator or None, default=None

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        labels : ndarray of shape (n_samples,), dtype=int64
            0 and 1.
        """
        check_count(n_samples, "n_samples")
        rng = spawn(seed_entropy(random_state), 1)
        ranks = np.clip(rng.standard_normal(n_samples), RANKS[0], RANKS[-1])

        # Between two ranks scores are interpolated, but not where they tie.
        nearest = np.rint((ranks - RANKS[0]) / (RANKS[1] - RANKS[0])).astype(int)
        tied = np.r_[self.scores[1:] == self.scores[:-1], False]
        tied[1:] |= tied[:-1]
        interpolated = np.interp(ranks, RANKS, self.scores)
        scores = np.where(tied[nearest], self.scores[nearest], interpolated)
        labels = (rng.random(n_samples) < self.probabilities[nearest]).astype(np.int64)
        return scores, labels

    def __repr__(self) -> str:
        return f"ScoreShape({self.kind!r}, prevalence={self.prevalence:.3g})"


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


def _monotone(rng: np.random.Generator) -> tuple:
    return _distribution(rng), _of_prevalence(_increasing(rng), _prevalence(rng))


def _calibrated(rng: np.random.Generator) -> tuple:
    curve = _of_prevalence(_increasing(rng), _prevalence(rng))
    score = rng.normal(0.0, 0.1) + np.exp(rng.normal(0.0, 0.05)) * curve
    return (special.expit(score) if rng.random() < 0.7 else score), curve


def _overconfident(rng: np.random.Generator) -> tuple:
    curve = _of_prevalence(_increasing(rng), _prevalence(rng))
    score = rng.normal(0.0, 0.7) + np.exp(rng.normal(0.8, 0.4)) * curve
    return (special.expit(score) if rng.random() < 0.5 else score), curve


def _saturated(rng: np.random.Generator) -> tuple:
    curve = _of_prevalence(_increasing(rng), _prevalence(rng))
    # Up to half of the scores are exactly 1 in floating point; the smallest are far below 1e-16.
    top = np.interp(rng.uniform(0.6, 0.98), np.cumsum(MASSES), RANKS)
    score = 37.0 * (1.0 + rng.uniform(0.5, 3.0) * (RANKS - top))
    curve = np.minimum(curve, np.interp(top + rng.exponential(0.5), RANKS, curve))
    return special.expit(score), _of_prevalence(curve, _prevalence(rng))


def _heaps(rng: np.random.Generator) -> tuple:
    curve = _of_prevalence(_increasing(rng), _prevalence(rng))
    ends = np.sort(rng.choice(np.arange(1, 40), rng.integers(2, 9), replace=False)) / 40.0
    heap = np.searchsorted(ends, np.cumsum(MASSES))
    values = np.sort(rng.uniform(0.0, rng.choice([1.0, 10.0]), len(ends) + 1))
    return values[heap], curve


def _worthless(rng: np.random.Generator) -> tuple:
    curve = rng.normal(0.0, 0.15) * RANKS
    return _distribution(rng), _of_prevalence(curve, _prevalence(rng))


def _inverted(rng: np.random.Generator) -> tuple:
    distribution = _distribution(rng)
    curve = rng.uniform(-1.2, -0.4) * _increasing(rng)
    return distribution, _of_prevalence(curve, _prevalence(rng))


def _u_shaped(rng: np.random.Generator) -> tuple:
    curve = np.exp(rng.normal(0.0, 0.4)) * np.abs(RANKS - rng.normal(0.0, 0.4)) ** 1.5
    return _distribution(rng), _of_prevalence(curve, _prevalence(rng))


def _saw_teeth(rng: np.random.Generator) -> tuple:
    teeth = rng.uniform(1.0, 2.5) * np.sin(rng.uniform(2.0, 6.0) * RANKS + rng.uniform(0.0, 6.3))
    curve = rng.uniform(0.3, 1.0) * _increasing(rng) + teeth
    return _distribution(rng), _of_prevalence(curve, _prevalence(rng))


def _negatives_on_top(rng: np.random.Generator) -> tuple:
    prevalence = _prevalence(rng, 0.05, 0.5)
    curve = _of_prevalence(_increasing(rng), prevalence)
    # The number of hard negatives is comparable to that of positives.
    shelf = prevalence * rng.uniform(0.1, 0.8)
    from_top = np.interp(1.0 - shelf, np.cumsum(MASSES), RANKS)
    fallen = special.logit(rng.uniform(0.005, 0.2))
    return _distribution(rng), np.where(from_top < RANKS, np.minimum(curve, fallen), curve)


def _positives_below(rng: np.random.Generator) -> tuple:
    curve = _of_prevalence(_increasing(rng), _prevalence(rng, 0.05, 0.5))
    below = np.interp(rng.uniform(0.1, 0.4), np.cumsum(MASSES), RANKS)
    log_odds = special.logit(rng.uniform(0.05, 0.4))
    return _distribution(rng), np.where(below > RANKS, np.maximum(curve, log_odds), curve)


def _rare(rng: np.random.Generator) -> tuple:
    return _distribution(rng), _of_prevalence(_increasing(rng) * 1.3, _prevalence(rng, 1e-4, 0.01))


def _frequent(rng: np.random.Generator) -> tuple:
    return _distribution(rng), _of_prevalence(_increasing(rng), _prevalence(rng, 0.75, 0.97))


# A kind draws the score, and the log-odds of being positive, at each of `RANKS`.
SCORE_SHAPES: dict[str, Callable] = {
    "monotone": _monotone,
    "calibrated": _calibrated,
    "overconfident": _overconfident,
    "saturated": _saturated,
    "heaps": _heaps,
    "worthless": _worthless,
    "inverted": _inverted,
    "u_shaped": _u_shaped,
    "saw_teeth": _saw_teeth,
    "negatives_on_top": _negatives_on_top,
    "positives_below": _positives_below,
    "rare": _rare,
    "frequent": _frequent,
}


def make_scores(
    n_samples: int = 1000,
    *,
    prevalence: float = 0.3,
    negative: str | Family = "norm",
    positive: str | Family = "norm",
    negative_values: Sequence[float] = (0.0, 1.0),
    positive_values: Sequence[float] = (2.0, 1.0),
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw scores and labels from any two families.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_samples : int, default=1000
    prevalence : float in [0, 1], default=0.3
        The probability that an item is positive.
    negative, positive : str or Family, default="norm"
        The families of the scores of both classes.
    negative_values, positive_values : sequence of float, default=(0.0, 1.0) and (2.0, 1.0)
        Mean and standard deviation of each class, and the shapes of families that have any.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    scores : ndarray of shape (n_samples,)
    labels : ndarray of shape (n_samples,), dtype=int64
        0 and 1.

    Raises
    ------
    ValueError
        If a family is unknown, or its values are too many, too few or out of bounds.

    Examples
    --------
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(
    ...     5, negative="gamma", negative_values=(1.0, 0.5), random_state=0
    ... )
    >>> scores.shape, labels.tolist()
    ((5,), [0, 1, 1, 1, 0])
    """
    check_count(n_samples, "n_samples")
    prevalence = check_number(prevalence, "prevalence", "[0, 1]")
    negative = as_family(negative)
    positive = as_family(positive)
    negative_values = _check_values("negative_values", negative, negative_values)
    positive_values = _check_values("positive_values", positive, positive_values)

    rng = spawn(seed_entropy(random_state))
    labels = (rng.random(n_samples) < prevalence).astype(np.int64)
    scores = negative.rvs(rng, n_samples, *negative_values)
    positives = labels == 1
    scores[positives] = positive.rvs(rng, int(positives.sum()), *positive_values)
    return scores, labels


def _check_values(name: str, family: Family, values: Sequence[float]) -> list[float]:
    parameters = family.parameters
    numbers = as_numbers(values, name)
    if numbers.shape != (len(parameters),):
        raise ValueError(
            f"{name} must hold {', '.join(p.name for p in parameters)} of {family.name!r}; got "
            f"{values!r}."
        )

    checked = numbers.tolist()
    for parameter, value in zip(parameters, checked, strict=True):
        if not parameter.lower < value < parameter.upper:
            raise ValueError(
                f"{name}: {parameter.name} of {family.name!r} must lie in ({parameter.lower:g}, "
                f"{parameter.upper:g}), got {value!r}."
            )
    return checked
