"""The contract of a family and its parameters; positive, truncated and exponentiated families."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from scipy import optimize, special

from ..inputs._arrays import Floats, NumberOrArray
from ..inputs._validation import check_number, shape_of

HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
REAL_LINE = (-np.inf, np.inf)
POSITIVE = (0.0, np.inf)
# Clip here: farther out the transform reaches the bounds in floating point.
_FAR_LOGIT, _FAR_LOG = 30.0, 60.0
# If both parameters of a beta density are below this, the user probably meant an interval.
MIN_PAIR = 0.2
# Starting values must be inside the bounds even if all scores are equal.
_SMALLEST_START = 1e-8
# Step of central differences, in standard deviations; and how many steps find a quantile at most.
_STEP, _MAX_STEPS = 1e-5, 100


class Prior(Protocol):
    """A univariate prior density, in the units of the parameter it belongs to."""

    def logpdf(self, value: NumberOrArray) -> NumberOrArray: ...

    def score(self, value: NumberOrArray) -> NumberOrArray:
        """Return the derivative of the log density."""

    def cdf(self, value: NumberOrArray) -> NumberOrArray: ...

    def ppf(self, probability: NumberOrArray) -> NumberOrArray: ...

    def rescaled(self, location: float, spread: float) -> Prior:
        """Return the distribution of ``location + spread * value``."""


@dataclass(frozen=True)
class NormalPrior:
    """Normal density with mean `location` and standard deviation `scale`.

    .. versionadded:: 0.1

    Parameters
    ----------
    location : float, default=0.0
    scale : float, default=1.0

    Examples
    --------
    >>> from sklearn_spe.families import NormalPrior, TruncNorm
    >>> TruncNorm(mean_prior=NormalPrior(0.0, 2.0)).mean_prior.scale
    2.0
    """

    location: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        check_number(self.location, "location", "(-inf, inf)")
        check_number(self.scale, "scale", "(0, inf)")

    def logpdf(self, value: NumberOrArray) -> NumberOrArray:
        z = (value - self.location) / self.scale
        return -0.5 * z * z - self._log_norm

    @cached_property
    def _log_norm(self) -> float:
        return math.log(self.scale) + HALF_LOG_2PI

    def score(self, value: NumberOrArray) -> NumberOrArray:
        return (self.location - value) / self.scale**2

    def cdf(self, value: NumberOrArray) -> NumberOrArray:
        return special.ndtr((value - self.location) / self.scale)

    def ppf(self, probability: NumberOrArray) -> NumberOrArray:
        return self.location + self.scale * special.ndtri(probability)

    def rescaled(self, location: float, spread: float) -> NormalPrior:
        return NormalPrior(location + spread * self.location, spread * self.scale)


@dataclass(frozen=True)
class GammaPrior:
    """Gamma density on the positive half line with mean ``shape * scale``.

    .. versionadded:: 0.1

    Parameters
    ----------
    shape : float, default=2.0
    scale : float, default=0.5

    Examples
    --------
    >>> from sklearn_spe.families import Gamma, GammaPrior
    >>> Gamma(std_prior=GammaPrior(3.0, 0.2)).std_prior.shape
    3.0
    """

    shape: float = 2.0
    scale: float = 0.5

    def __post_init__(self) -> None:
        check_number(self.shape, "shape", "(0, inf)")
        check_number(self.scale, "scale", "(0, inf)")

    def logpdf(self, value: NumberOrArray) -> NumberOrArray:
        return (self.shape - 1.0) * np.log(value) - value / self.scale - self._log_norm

    @cached_property
    def _log_norm(self) -> float:
        return self.shape * math.log(self.scale) + math.lgamma(self.shape)

    def score(self, value: NumberOrArray) -> NumberOrArray:
        return (self.shape - 1.0) / value - 1.0 / self.scale

    def cdf(self, value: NumberOrArray) -> NumberOrArray:
        return special.gammainc(self.shape, np.maximum(value, 0.0) / self.scale)

    def ppf(self, probability: NumberOrArray) -> NumberOrArray:
        return self.scale * special.gammaincinv(self.shape, probability)

    def rescaled(self, location: float, spread: float) -> GammaPrior:
        # A scale has no location: only its unit changes.
        return GammaPrior(self.shape, spread * self.scale)


@dataclass(frozen=True)
class BetaPrior:
    """Beta density on (0, 1); ``BetaPrior(1, 1)`` is uniform.

    .. versionadded:: 0.1

    Parameters
    ----------
    a, b : float, default=1.0

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import BetaPrior
    >>> float(np.exp(BetaPrior(2.0, 2.0).logpdf(0.5)).round(6))
    1.5
    """

    a: float = 1.0
    b: float = 1.0

    def __post_init__(self) -> None:
        check_number(self.a, "a", "(0, inf)")
        check_number(self.b, "b", "(0, inf)")

    @property
    def is_flat(self) -> bool:
        """Whether the prior is uniform, BetaPrior(1, 1)."""
        return self.a == 1.0 and self.b == 1.0

    @classmethod
    def from_interval(cls, low: float, high: float, probability: float = 0.9) -> BetaPrior:
        """Return the prior with a given probability in (low, high) and equal tails outside.

        Parameters
        ----------
        low, high : float in (0, 1)
        probability : float in (0, 1), default=0.9

        Raises
        ------
        ValueError
            If `low` is not below `high`, or no beta density has these quantiles.

        Examples
        --------
        >>> from sklearn_spe.families import BetaPrior
        >>> prior = BetaPrior.from_interval(0.01, 0.05)
        >>> prior.ppf(0.05).round(4).item(), prior.ppf(0.95).round(4).item()
        (0.01, 0.05)
        """
        low = check_number(low, "low", "(0, 1)")
        high = check_number(high, "high", "(0, 1)")
        probability = check_number(probability, "probability", "(0, 1)")

        if low >= high:
            raise ValueError(f"low must be smaller than high, got {low!r} and {high!r}.")

        tails = np.array([1.0 - probability, 1.0 + probability]) / 2.0
        if tails[0] == tails[1]:
            raise ValueError(
                f"No beta prior was found with probability {probability!r} in [{low}, {high}]: "
                "it is too small."
            )

        # Start at the beta density with the moments of a normal that has this interval.
        mean = (low + high) / 2.0
        std = (high - low) / (2.0 * special.ndtri(tails[1]))
        size = max(mean * (1.0 - mean) / std**2 - 1.0, 1.0)
        solution = optimize.root(
            lambda logs: special.betainc(*np.exp(logs), [low, high]) - tails,
            np.log([mean * size, (1.0 - mean) * size]),
        )

        # `root` reports failure when the start already is the solution: check the residual instead.
        if not np.abs(solution.fun).max() < 1e-6:
            raise ValueError(f"No beta prior was found with {probability:.0%} in [{low}, {high}].")
        return cls(*(float(parameter) for parameter in np.exp(solution.x)))

    def logpdf(self, value: NumberOrArray) -> NumberOrArray:
        return (
            special.xlogy(self.a - 1.0, value)
            + special.xlog1py(self.b - 1.0, -value)
            - self._log_norm
        )

    @cached_property
    def _log_norm(self) -> float:
        return float(special.betaln(self.a, self.b))

    def score(self, value: NumberOrArray) -> NumberOrArray:
        return (self.a - 1.0) / value - (self.b - 1.0) / (1.0 - value)

    def cdf(self, value: NumberOrArray) -> NumberOrArray:
        return special.betainc(self.a, self.b, np.clip(value, 0.0, 1.0))

    def ppf(self, probability: NumberOrArray) -> NumberOrArray:
        return special.betaincinv(self.a, self.b, probability)

    def rescaled(self, location: float, spread: float) -> Self:
        return self


def as_prevalence_prior(prior: BetaPrior | Sequence[float]) -> BetaPrior:
    """Return the `BetaPrior` given as one, or as the pair of its parameters."""
    if isinstance(prior, BetaPrior):
        return prior

    if shape_of(prior) != (2,):
        raise ValueError(
            f"prevalence_prior must be the two parameters of a beta density, or one such as "
            f"BetaPrior.from_interval(0.01, 0.05); got {prior!r}."
        )

    a, b = (check_number(parameter, "prevalence_prior", "(0, inf)") for parameter in prior)
    if a < MIN_PAIR and b < MIN_PAIR:
        raise ValueError(
            f"prevalence_prior={prior!r} would be a beta density with nearly all its mass at 0 and "
            f"1. For a range pass BetaPrior.from_interval{tuple(sorted((a, b)))}; if you do mean "
            f"these parameters, BetaPrior({a}, {b})."
        )

    return BetaPrior(a, b)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a density.

    A parameter takes values in an interval `(lower, upper)`; samplers and optimizers work on the
    whole real line. The map between them is the identity on the real line, ``lower + exp(u)`` on a
    half line and a logistic function on a bounded interval.

    Parameters
    ----------
    name : str
        The keyword argument of the densities.
    role : {"location", "scale", "shape"}
        How the parameter transforms with the unit of the scores. The priors of
        locations and scales are given in standard units (the mean of all scores
        is 0, their standard deviation 1) and are carried to the unit of the
        scores by `in_units`.
    prior : Prior
        Prior density, renormalized to the interval.
    lower, upper : float
        Ends of the open interval of its values.
    typical : tuple of float
        Typical values, in standard units, for tests and examples.
    """

    name: str
    role: str
    prior: Prior
    lower: float = -np.inf
    upper: float = np.inf
    typical: tuple[float, ...] = ()

    def in_units(self, location: float, spread: float, resolution: float) -> Parameter:
        """Return this parameter for scores of a given location and spread.

        A scale is never smaller than `resolution`, the precision of the scores; a narrower density
        would be rewarded for ties.
        """
        if self.role == "shape":
            return self
        lower = max(self.lower, resolution) if self.role == "scale" else self.lower
        return replace(self, prior=self.prior.rescaled(location, spread), lower=lower)

    @cached_property
    def _is_bounded(self) -> bool:
        return bool(np.isfinite(self.lower) and np.isfinite(self.upper))

    @cached_property
    def _is_bounded_below(self) -> bool:
        return bool(np.isfinite(self.lower))

    def value(self, u: NumberOrArray) -> NumberOrArray:
        """Map the real line to the interval; extreme values stay strictly inside."""
        # Of few numbers a clip takes several times as long as a minimum and a maximum.
        if self._is_bounded:
            inside = np.minimum(np.maximum(u, -_FAR_LOGIT), _FAR_LOGIT)
            return self.lower + (self.upper - self.lower) * special.expit(inside)
        if self._is_bounded_below:
            return self.lower + np.exp(np.minimum(np.maximum(u, -_FAR_LOG), _FAR_LOG))
        return u

    def real(self, value: NumberOrArray) -> NumberOrArray:
        """Map the interval to the real line; values at the bounds are moved inside."""
        if self._is_bounded:
            share = (value - self.lower) / (self.upper - self.lower)
            return special.logit(np.clip(share, 1e-9, 1.0 - 1e-9))
        if self._is_bounded_below:
            return np.log(np.maximum(value - self.lower, 1e-9 * (1.0 + abs(self.lower))))
        return value

    def slope(self, value: NumberOrArray) -> NumberOrArray:
        """Return the derivative of the transform from the real line at a given value."""
        if self._is_bounded:
            return (value - self.lower) * (self.upper - value) / (self.upper - self.lower)
        if self._is_bounded_below:
            return value - self.lower
        return np.ones_like(value)  # type: ignore[return-value]

    def log_prior(self, u: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Return the log prior density on the real line of `u`, which has a given value.

        The density on the real line is that of the value times the Jacobian of
        the map; a mode on the real line is therefore not the mode of the value.
        """
        log_density = self.prior.logpdf(value) - self._log_mass
        if self._is_bounded:
            size = np.abs(u)
            log_density += math.log(self.upper - self.lower) - size
            return log_density - 2.0 * np.log1p(np.exp(-size))
        return log_density + u if self._is_bounded_below else log_density

    def prior_score(self, u: np.ndarray, value: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Return the derivative of `log_prior` by `u`, given the slope of the map as well."""
        score = self.prior.score(value)
        if self._is_bounded:
            return score * slope - np.tanh(0.5 * u)
        return score * slope + 1.0 if self._is_bounded_below else score

    def ppf(self, probability: NumberOrArray) -> NumberOrArray:
        """Return the quantiles of the prior on the interval."""
        low = self.prior.cdf(self.lower)
        high = self.prior.cdf(self.upper)
        return self.prior.ppf(low + (high - low) * probability)

    @cached_property
    def _log_mass(self) -> float:
        return float(np.log(self.prior.cdf(self.upper) - self.prior.cdf(self.lower)))


@dataclass(frozen=True, repr=False)
class Family(ABC):
    """Base class of families of densities of the scores of one class.

    A family is stateless: it has priors, but no values or data. The parameters of every family are
    the mean and the standard deviation of a class on the model scale, followed by any shapes. For
    families truncated at zero, they are the mean and the standard deviation before truncation.

    Scores have shape ``(n,)`` and parameter values are scalars or have shape ``(n_draws, 1)``.
    Results have shape ``(n,)`` or ``(n_draws, n)``, by broadcasting. Outside the support the log
    density is ``-inf``, never ``nan``. No method issues warnings.

    A new family is a frozen dataclass (``@dataclass(frozen=True, repr=False)``, to keep the short
    representation) with the class attributes and abstract methods below; each shape has a field for
    its prior and is appended to `parameters`.

    .. versionadded:: 0.1

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the mean, in standard units: the difference from the mean of all scores, divided by
        the standard deviation of all scores.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the standard deviation, in standard deviations of all scores.

    Attributes
    ----------
    name : str
        The key in `FAMILIES`.
    support : tuple of float
        The open interval outside which every member has zero density.
    mean_lower : float
        Lower bound of the mean.
    exact_moments : bool
        Whether `mean` and `std` are the mean and the standard deviation of the density. If not, the
        family defines them.
    regular : bool
        Whether the support is independent of the values, so the Fisher information exists.
    """

    mean_prior: Prior = field(default=NormalPrior(0.0, 3.0))
    std_prior: Prior = field(default=GammaPrior(2.0, 0.5))

    name: ClassVar[str]
    support: ClassVar[tuple[float, float]] = REAL_LINE
    mean_lower: ClassVar[float] = -np.inf
    exact_moments: ClassVar[bool] = True
    regular: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for prior_field in fields(self):
            prior = getattr(self, prior_field.name)
            if _is_prior(prior_field.default) and not _is_prior(prior):
                raise TypeError(
                    f"{prior_field.name} of {type(self).__name__} must be a prior, such as "
                    f"{prior_field.default!r}; got {prior!r}."
                )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters, in the order of the method arguments."""
        means = (0.8, 1.5, 4.0)
        stds = (1.0, 0.5, 2.0)
        return (
            Parameter("mean", "location", self.mean_prior, self.mean_lower, typical=means),
            Parameter("std", "scale", self.std_prior, 0.0, typical=stds),
        )

    @abstractmethod
    def logpdf(self, scores: np.ndarray, *values: Any) -> np.ndarray:
        """Return the log density of the scores."""

    @abstractmethod
    def gradient(self, scores: np.ndarray, *values: Any) -> tuple[np.ndarray, ...]:
        """Return the derivatives of `logpdf`, one array for each parameter.

        The derivatives are never ``nan``. Outside the support they are arbitrary.
        """

    @abstractmethod
    def sf(self, scores: np.ndarray, *values: Any) -> np.ndarray:
        """Return the survival function P(S >= score)."""

    @abstractmethod
    def ppf(self, probability: Floats, *values: Any) -> np.ndarray:
        """Return the quantiles, the inverse of ``1 - sf``."""

    def rvs(
        self, rng: np.random.Generator, size: int | tuple[int, ...], *values: Floats
    ) -> np.ndarray:
        """Draw scores by inverting the distribution function."""
        return self.ppf(rng.random(size), *values)

    def center(self, *values: Any) -> tuple[Floats, tuple[Floats, ...]]:
        """Return the location of the class, and its derivatives by the parameters.

        The location, which orders the classes, is the mean or a substitute such as the median. The
        values have shape ``(n_draws,)``.
        """
        return values[0], (np.ones_like(values[0]), *(np.zeros_like(v) for v in values[1:]))

    def start(self, scores: np.ndarray, weights: np.ndarray | None) -> tuple[float, ...]:
        """Return approximate values for weighted scores, by the method of moments."""
        mean = np.average(scores, weights=weights)
        std = np.sqrt(np.average((scores - mean) ** 2, weights=weights))
        smallest = _SMALLEST_START * max(1.0, abs(mean))
        return float(max(mean, self.mean_lower + smallest)), float(max(std, smallest))

    def maximum_likelihood(
        self, scores: np.ndarray, weights: np.ndarray
    ) -> tuple[float, ...] | None:
        """Return the weighted maximum likelihood estimates, if there is a closed form.

        This is the M-step of a mixture. None means that there is no closed form, and the caller
        maximizes numerically with `gradient`. Some weights must be positive, and their scores must
        lie inside the support.
        """
        return None

    def __repr__(self) -> str:
        changed = (
            f"{prior.name}={getattr(self, prior.name)!r}"
            for prior in fields(self)
            if getattr(self, prior.name) != prior.default
        )
        return f"{type(self).__name__}({', '.join(changed)})"


def _is_prior(value: object) -> bool:
    return hasattr(value, "logpdf") and not isinstance(value, type)


def bracketed_root(
    step: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    point: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """Return roots of increasing functions by Newton steps inside a shrinking bracket.

    `step` maps points to the values there and to the ends of Newton steps.
    """
    for _ in range(_MAX_STEPS):
        excess, newton = step(point)
        is_below = excess < 0.0
        low = np.where(is_below, point, low)
        high = np.where(is_below, high, point)

        # Bisect where the Newton step leaves the bracket.
        inside = (newton >= low) & (newton <= high)
        previous = point
        point = np.where(inside, newton, 0.5 * (low + high))
        if np.all(np.abs(point - previous) <= 4e-16 * np.maximum(1.0, np.abs(point))):
            break

    return point


def skewness(scores: np.ndarray, weights: np.ndarray | None, mean: float, std: float) -> float:
    """Return the standardized third central moment of weighted scores."""
    return float(np.average(((scores - mean) / std) ** 3, weights=weights))


@dataclass(frozen=True, repr=False)
class PositiveFamily(Family):
    """A family on (0, inf); `_logpdf`, `_gradient` and `_sf` get positive scores only."""

    support: ClassVar[tuple[float, float]] = POSITIVE

    def logpdf(self, scores: np.ndarray, *values: Any) -> np.ndarray:
        return self._on_support(self._logpdf, -np.inf, scores, values)

    def gradient(self, scores: np.ndarray, *values: Any) -> tuple[np.ndarray, ...]:
        return tuple(self._on_support(self._gradient, 0.0, scores, values))

    def sf(self, scores: np.ndarray, *values: Any) -> np.ndarray:
        return self._on_support(self._sf, 1.0, scores, values)

    @staticmethod
    def _on_support(
        kernel: Callable[..., Any], outside: float, scores: np.ndarray, values: tuple[Floats, ...]
    ) -> np.ndarray:
        # The scores are (n,) and the result (n_draws, n): checking the scores first usually avoids
        # a pass over the draws.
        inside = np.greater(scores, 0.0)
        if inside.all():
            return kernel(scores, *values)
        return np.where(inside, kernel(np.where(inside, scores, 1.0), *values), outside)

    @abstractmethod
    def _logpdf(self, scores: np.ndarray, *values: Any) -> np.ndarray: ...

    @abstractmethod
    def _gradient(self, scores: np.ndarray, *values: Any) -> tuple[np.ndarray, ...]: ...

    @abstractmethod
    def _sf(self, scores: np.ndarray, *values: Any) -> np.ndarray: ...


@dataclass(frozen=True, repr=False)
class TruncatedFamily(PositiveFamily):
    """A location-scale family truncated below zero; mean and std before truncation."""

    exact_moments: ClassVar[bool] = False

    def center(self, *values: Any) -> tuple[Floats, tuple[Floats, ...]]:
        # The median after truncation: the mean before it may be far below zero.
        center = self.ppf(0.5, *values)
        slopes = []
        for j, value in enumerate(values):
            # Resolve the mean on the scale of the standard deviation.
            step = _STEP * (values[1] if j == 0 else value)
            ends = ([v + sign * step * (i == j) for i, v in enumerate(values)] for sign in (1, -1))
            above, below = (self.ppf(0.5, *end) for end in ends)
            slopes.append((above - below) / (2.0 * step))
        return center, tuple(slopes)

    def start(
        self, scores: np.ndarray, weights: np.ndarray | None, *shapes: Any
    ) -> tuple[float, ...]:
        mean, std = super().start(scores, weights)
        ratios, means, variations = _after_truncation(self, shapes)
        variation = std / mean
        if not variation > variations[-1]:
            # Truncation is negligible.
            return mean, std, *shapes
        # The coefficient of variation determines the truncation point. Scores that vary as much as
        # an exponential or more get the largest truncation of the table.
        ratio = np.interp(variation, variations[::-1], ratios[::-1])
        std = mean / np.interp(ratio, ratios, means)
        return float(ratio * std), float(std), *shapes


@lru_cache(maxsize=32)
def _after_truncation(family: Family, shapes: tuple[float, ...]) -> tuple[np.ndarray, ...]:
    """Return a grid of ``mean / std``, and mean and variation after truncation."""
    ratios = np.linspace(-4.0, 6.0, 41)
    middles = (np.arange(64) + 0.5) / 64
    draws = family.ppf(middles, ratios[:, np.newaxis], 1.0, *shapes)
    means = draws.mean(axis=1)
    return ratios, means, draws.std(axis=1) / means


@dataclass(frozen=True, repr=False)
class ExponentiatedFamily(PositiveFamily):
    """Distribution of ``exp(Y)``, with `parent` the family of Y.

    The mean and the standard deviation of Y are those of the logarithm of a
    lognormal variable with mean `mean` and standard deviation `std`.
    """

    mean_lower: ClassVar[float] = 0.0
    parent: ClassVar[Family]

    def _logpdf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        log_scores = np.log(scores)
        return self.parent.logpdf(log_scores, *log_moments(mean, std)) - log_scores

    def _gradient(self, scores: np.ndarray, mean: Floats, std: Floats) -> tuple[np.ndarray, ...]:
        log_mean, log_std = log_moments(mean, std)
        by_log_mean, by_log_std = self.parent.gradient(np.log(scores), log_mean, log_std)
        # d log_std / d log(std / mean); log_mean = log(mean) - log_std^2 / 2.
        slope = special.expit(2.0 * np.log(std / mean)) / log_std
        by_log_std = slope * (by_log_std - log_std * by_log_mean)
        return (by_log_mean - by_log_std) / mean, by_log_std / std

    def maximum_likelihood(
        self, scores: np.ndarray, weights: np.ndarray
    ) -> tuple[float, ...] | None:
        counted = weights > 0.0
        of_logs = self.parent.maximum_likelihood(np.log(scores[counted]), weights[counted])
        if of_logs is None:
            return None
        log_mean, log_std = of_logs
        mean = np.exp(log_mean + 0.5 * log_std**2)
        return mean, mean * np.sqrt(np.expm1(log_std**2))

    def _sf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        return self.parent.sf(np.log(scores), *log_moments(mean, std))

    def ppf(self, probability: Floats, mean: Floats, std: Floats) -> np.ndarray:
        with np.errstate(under="ignore", over="ignore"):
            return np.exp(self.parent.ppf(probability, *log_moments(mean, std)))


def log_moments(mean: Floats, std: Floats) -> tuple[Floats, Floats]:
    """Return the mean and standard deviation of the log of a lognormal variable."""
    variance = np.logaddexp(0.0, 2.0 * np.log(std / mean))
    return np.log(mean) - 0.5 * variance, np.sqrt(variance)
