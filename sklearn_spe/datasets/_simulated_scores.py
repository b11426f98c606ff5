"""Scores of two classes, of many shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

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
from ._score_shapes import (
    MASSES,
    RANKS,
    calibrated,
    frequent,
    heaps,
    inverted,
    monotone,
    negatives_on_top,
    overconfident,
    positives_below,
    rare,
    saturated,
    saw_teeth,
    u_shaped,
    worthless,
)

ShapeDraw = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]

# A kind draws the score, and the log-odds of being positive, at each of `RANKS`.
SCORE_SHAPES: dict[str, ShapeDraw] = {
    "monotone": monotone,
    "calibrated": calibrated,
    "overconfident": overconfident,
    "saturated": saturated,
    "heaps": heaps,
    "worthless": worthless,
    "inverted": inverted,
    "u_shaped": u_shaped,
    "saw_teeth": saw_teeth,
    "negatives_on_top": negatives_on_top,
    "positives_below": positives_below,
    "rare": rare,
    "frequent": frequent,
}


@dataclass(frozen=True, eq=False, repr=False)
class ScoreShape(FrozenArrays):
    """A distribution of scores and of labels given scores, without a parametric form.

    Each item has a standard normal rank. The score is a nondecreasing function of the rank, and P(y
    = 1) is any function of it.

    .. versionadded:: 0.1

    Attributes
    ----------
    kind : str
        One of `SCORE_SHAPES`.
    scores : ndarray of shape (4401,)
        The score at normal ranks from -5.5 to 5.5, nondecreasing.
    probabilities : ndarray of shape (4401,)
        P(y = 1 | score) at the same ranks.

    Raises
    ------
    ValueError
        If the numbers of scores or probabilities are wrong, scores decrease or are not finite, or
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
        The families of the scores of each class.
    negative_values, positive_values : sequence of float, default=(0.0, 1.0) and (2.0, 1.0)
        Mean and standard deviation of each class, followed by the shapes of its family, if any.
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
