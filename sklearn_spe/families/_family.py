"""Interface of a family of densities p(score | class)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import ClassVar

import numpy as np

from .._parameter import GammaPrior, NormalPrior, Parameter, Prior

REAL_LINE = (-np.inf, np.inf)
POSITIVE = (0.0, np.inf)

# Starting values must be inside the bounds even if all scores are equal.
_SMALLEST_START = 1e-8


@dataclass(frozen=True, repr=False)
class Family(ABC):
    """Base class of families of densities of the scores of one class.

    A family is stateless: it has priors, but no values or data. Every family is parametrized by the
    mean and the standard deviation of a class on the model scale, followed by shapes if any.
    Families truncated at zero use those before truncation.

    Shapes: scores are ``(n,)``, every parameter value a scalar or ``(n_draws, 1)``,
    the result ``(n,)`` or ``(n_draws, n)``; vectorizing over draws is broadcasting.
    Outside the support the log density is ``-inf``, never ``nan``, and no method
    warns.

    A new family is a frozen dataclass (``@dataclass(frozen=True, repr=False)``, to keep the short
    representation) with the class attributes and abstract methods below; each shape has a field for
    its prior and is appended to `parameters`.

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the mean, in standard units: the distance from the mean of all
        scores in standard deviations of all scores.
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
        Whether `mean` and `std` are the mean and the standard deviation of the
        density; if not, see the family.
    regular : bool
        Whether the support is independent of the values, so that the Fisher information exists.
    """

    mean_prior: Prior = field(default=NormalPrior(0.0, 3.0))
    std_prior: Prior = field(default=GammaPrior(2.0, 0.5))

    name: ClassVar[str]
    support: ClassVar[tuple[float, float]] = REAL_LINE
    mean_lower: ClassVar[float] = -np.inf
    exact_moments: ClassVar[bool] = True
    regular: ClassVar[bool] = True

    def __post_init__(self):
        for known in fields(self):
            given = getattr(self, known.name)
            if _is_prior(known.default) and not _is_prior(given):
                raise TypeError(
                    f"{known.name} of {type(self).__name__} must be a prior, such as "
                    f"{known.default!r}; got {given!r}."
                )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters, in the order of the method arguments."""
        return (
            Parameter(
                "mean",
                "location",
                self.mean_prior,
                lower=self.mean_lower,
                typical=(0.8, 1.5, 4.0),
            ),
            Parameter("std", "scale", self.std_prior, lower=0.0, typical=(1.0, 0.5, 2.0)),
        )

    @abstractmethod
    def logpdf(self, scores, *values) -> np.ndarray:
        """Return the log density of the scores."""

    @abstractmethod
    def gradient(self, scores, *values) -> tuple[np.ndarray, ...]:
        """Return the derivatives of `logpdf`, one array for each parameter.

        They are never ``nan``, and arbitrary outside the support.
        """

    @abstractmethod
    def sf(self, scores, *values) -> np.ndarray:
        """Return the survival function P(S >= score)."""

    @abstractmethod
    def ppf(self, probability, *values) -> np.ndarray:
        """Return the quantiles, the inverse of ``1 - sf``."""

    def rvs(self, rng: np.random.Generator, size, *values) -> np.ndarray:
        """Draw scores by inverting the distribution function."""
        return self.ppf(rng.random(size), *values)

    def centre(self, *values):
        """Return the location of the class, and its derivatives by the parameters.

        The mean, or a substitute such as the median, to compare the classes. The values have shape
        ``(n_draws,)``.
        """
        return values[0], (np.ones_like(values[0]), *(np.zeros_like(v) for v in values[1:]))

    def start(self, scores, weights) -> tuple[float, ...]:
        """Return approximate values for weighted scores, by the method of moments."""
        mean = np.average(scores, weights=weights)
        std = np.sqrt(np.average((scores - mean) ** 2, weights=weights))
        smallest = _SMALLEST_START * max(1.0, abs(mean))
        return float(max(mean, self.mean_lower + smallest)), float(max(std, smallest))

    def maximum_likelihood(self, scores, weights) -> tuple[float, ...] | None:
        """Return the weighted maximum likelihood estimates, if there is a closed form.

        The M-step of a mixture. None means no closed form: the caller then maximizes numerically
        with `gradient`. The weights are not all zero, and scores with positive weight lie inside
        the support.
        """
        return None

    def __repr__(self):
        changed = (
            f"{prior.name}={getattr(self, prior.name)!r}"
            for prior in fields(self)
            if getattr(self, prior.name) != prior.default
        )
        return f"{type(self).__name__}({', '.join(changed)})"


def _is_prior(value) -> bool:
    return hasattr(value, "logpdf") and not isinstance(value, type)


def skewness(scores, weights, mean, std) -> float:
    """Return the standardized third central moment of weighted scores."""
    return float(np.average(((scores - mean) / std) ** 3, weights=weights))
