"""Parameters of densities: name, bounds, prior and transform to the real line."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import optimize, special

from .inputs._array_like import shape_of
from .inputs._numbers import check_number

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
# Clip here: farther out the transform reaches the bounds in floating point.
_FAR_LOGIT, _FAR_LOG = 30.0, 60.0


class Prior(Protocol):
    """A univariate prior density, in the units of the parameter it belongs to."""

    def logpdf(self, value): ...

    def score(self, value):
        """Return the derivative of the log density."""

    def cdf(self, value): ...

    def ppf(self, probability): ...

    def rescaled(self, location: float, spread: float) -> Prior:
        """Return the distribution of ``location + spread * value``."""


@dataclass(frozen=True)
class NormalPrior:
    """Normal density with mean `location` and standard deviation `scale`.

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

    def __post_init__(self):
        check_number(self.location, "location", "(-inf, inf)")
        check_number(self.scale, "scale", "(0, inf)")

    def logpdf(self, value):
        z = (value - self.location) / self.scale
        return -0.5 * z * z - self._log_norm

    @cached_property
    def _log_norm(self) -> float:
        return math.log(self.scale) + _HALF_LOG_2PI

    def score(self, value):
        return (self.location - value) / self.scale**2

    def cdf(self, value):
        return special.ndtr((value - self.location) / self.scale)

    def ppf(self, probability):
        return self.location + self.scale * special.ndtri(probability)

    def rescaled(self, location, spread):
        return NormalPrior(location + spread * self.location, spread * self.scale)


@dataclass(frozen=True)
class GammaPrior:
    """Gamma density on the positive half line with mean ``shape * scale``.

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

    def __post_init__(self):
        check_number(self.shape, "shape", "(0, inf)")
        check_number(self.scale, "scale", "(0, inf)")

    def logpdf(self, value):
        return (self.shape - 1.0) * np.log(value) - value / self.scale - self._log_norm

    @cached_property
    def _log_norm(self) -> float:
        return self.shape * math.log(self.scale) + math.lgamma(self.shape)

    def score(self, value):
        return (self.shape - 1.0) / value - 1.0 / self.scale

    def cdf(self, value):
        return special.gammainc(self.shape, np.maximum(value, 0.0) / self.scale)

    def ppf(self, probability):
        return self.scale * special.gammaincinv(self.shape, probability)

    def rescaled(self, location, spread):
        # A scale has no location: only its unit changes.
        return GammaPrior(self.shape, spread * self.scale)


@dataclass(frozen=True)
class BetaPrior:
    """Beta density on (0, 1); ``BetaPrior(1, 1)`` is uniform.

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

    def __post_init__(self):
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
        mean, std = (low + high) / 2.0, (high - low) / (2.0 * special.ndtri(tails[1]))
        size = max(mean * (1.0 - mean) / std**2 - 1.0, 1.0)
        solution = optimize.root(
            lambda logs: special.betainc(*np.exp(logs), [low, high]) - tails,
            np.log([mean * size, (1.0 - mean) * size]),
        )
        # `root` reports failure when the start already is the solution: check the residual instead.
        if not np.abs(solution.fun).max() < 1e-6:
            raise ValueError(f"No beta prior was found with {probability:.0%} in [{low}, {high}].")
        return cls(*(float(v) for v in np.exp(solution.x)))

    def logpdf(self, value):
        return (
            special.xlogy(self.a - 1.0, value)
            + special.xlog1py(self.b - 1.0, -value)
            - self._log_norm
        )

    @cached_property
    def _log_norm(self) -> float:
        return float(special.betaln(self.a, self.b))

    def score(self, value):
        return (self.a - 1.0) / value - (self.b - 1.0) / (1.0 - value)

    def cdf(self, value):
        return special.betainc(self.a, self.b, np.clip(value, 0.0, 1.0))

    def ppf(self, probability):
        return special.betaincinv(self.a, self.b, probability)

    def rescaled(self, location, spread):
        return self


# If both parameters are below this, the user probably meant an interval.
MIN_PAIR = 0.2


def as_prevalence_prior(prior) -> BetaPrior:
    """Return the `BetaPrior` given as one, or as the pair of its parameters."""
    given = isinstance(prior, BetaPrior)
    prior = (prior.a, prior.b) if given else prior
    if shape_of(prior) != (2,):
        raise ValueError(
            f"prevalence_prior must be the two parameters of a beta density, or one such as "
            f"BetaPrior.from_interval(0.01, 0.05); got {prior!r}."
        )
    a, b = (check_number(v, "prevalence_prior", "(0, inf)") for v in prior)
    if a < MIN_PAIR and b < MIN_PAIR and not given:
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
    def _bounded(self) -> bool:
        return bool(np.isfinite(self.lower) and np.isfinite(self.upper))

    def value(self, u):
        """Map the real line to the interval; extreme values stay strictly inside."""
        if self._bounded:
            return self.lower + (self.upper - self.lower) * special.expit(_within(u, _FAR_LOGIT))
        return self.lower + np.exp(_within(u, _FAR_LOG)) if np.isfinite(self.lower) else u

    def real(self, value):
        """Map the interval to the real line; values at the bounds are moved inside."""
        if self._bounded:
            share = (value - self.lower) / (self.upper - self.lower)
            return special.logit(np.clip(share, 1e-9, 1.0 - 1e-9))
        if np.isfinite(self.lower):
            return np.log(np.maximum(value - self.lower, 1e-9 * (1.0 + abs(self.lower))))
        return value

    def slope(self, value):
        """Return the derivative of the transform from the real line at a given value."""
        if self._bounded:
            return (value - self.lower) * (self.upper - value) / (self.upper - self.lower)
        return value - self.lower if np.isfinite(self.lower) else np.ones_like(value)

    def log_prior(self, u, value=None, slope=None):
        """Return the log prior density of `u` on the real line, and its derivative.

        The density on the real line is that of the value times the Jacobian of
        the map; a mode on the real line is therefore not the mode of the value.
        """
        value = self.value(u) if value is None else value
        slope = self.slope(value) if slope is None else slope
        log_density = self.prior.logpdf(value) - self._log_mass
        gradient = self.prior.score(value)
        if self._bounded:
            width = self.upper - self.lower
            log_jacobian = math.log(width) - np.abs(u) - 2.0 * np.log1p(np.exp(-np.abs(u)))
            return log_density + log_jacobian, gradient * slope - np.tanh(0.5 * u)
        if np.isfinite(self.lower):
            return log_density + u, gradient * slope + 1.0
        return log_density, gradient

    def ppf(self, probability):
        """Return the quantiles of the prior on the interval."""
        low, high = self.prior.cdf(self.lower), self.prior.cdf(self.upper)
        return self.prior.ppf(low + (high - low) * probability)

    def rvs(self, rng: np.random.Generator, size: int) -> np.ndarray:
        """Draw values from the prior."""
        return self.ppf(rng.random(size))

    @cached_property
    def _log_mass(self) -> float:
        return float(np.log(self.prior.cdf(self.upper) - self.prior.cdf(self.lower)))


def _within(u, far):
    return np.minimum(np.maximum(u, -far), far)
