"""Weighted draws, their Pareto-smoothed weights and effective size.

Read-only arrays of frozen values: float, contiguous, not writeable.

They are copies with a fixed dtype and layout, so sums are bitwise reproducible. Unlike
`FrozenArrays`, which holds views of any dtype.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import special

# Fewer exceedances than this carry no information on the tail.
_SMALLEST_TAIL = 5
# The weakly informative prior on k of Vehtari et al. (2024), appendix C: ten
# pseudo-observations at 1/2.
_PRIOR_SIZE, _PRIOR_SHAPE = 10.0, 0.5


def read_only(array: npt.ArrayLike) -> np.ndarray:
    """Return a read-only float copy."""
    frozen = np.array(array, dtype=np.float64, order="C")
    frozen.setflags(write=False)
    return frozen


class ThroughConstructor:
    """Mixin that unpickles through the constructor, which makes arrays read-only."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __reduce__(self):
        return type(self), tuple(getattr(self, field.name) for field in fields(self))


def freeze_fields(instance: object, *names: str) -> None:
    """Replace the named fields of a frozen dataclass by read-only float copies."""
    for name in names:
        object.__setattr__(instance, name, read_only(getattr(instance, name)))


def effective_size(weights: np.ndarray) -> float:
    """Return Kish's effective sample size of weights that sum to one."""
    return float(1.0 / np.sum(weights**2))


def picked(weights: np.ndarray, n: int) -> np.ndarray:
    """Return indices of `n` draws in proportion to their weights, deterministically."""
    marks = (np.arange(n) + 0.5) / n
    return np.searchsorted(np.cumsum(weights), marks)


def smooth_log_weights(log_weights: npt.ArrayLike) -> tuple[np.ndarray, float]:
    """Smooth the largest importance weights and normalize all of them.

    The largest ``min(n / 5, 3 sqrt(n))`` weights are replaced by the expected
    order statistics of a generalized Pareto distribution fitted to them, and
    are never larger than the largest raw weight.

    Parameters
    ----------
    log_weights : array-like of shape (n_draws,)
        Unnormalized log weights, log target minus log proposal; -inf is a
        weight of zero.

    Returns
    -------
    log_weights : ndarray of shape (n_draws,)
        Smoothed, in the order given; their exponentials sum to one.
    pareto_k : float
        Shape of the tail, regularized towards 1/2. Estimates are reliable below 0.7. It is -inf if
        the weights have no tail (the largest are all equal) and inf if there are too few weights:
        those are normalized only.

    Raises
    ------
    ValueError
        If a log weight is nan or +inf, or all weights are zero.

    References
    ----------
    .. [1] Vehtari, Simpson, Gelman, Yao, Gabry (2024). Pareto smoothed importance
       sampling. Journal of Machine Learning Research 25(72).
    .. [2] Zhang, Stephens (2009). A new and efficient estimation method for the
       generalized Pareto distribution. Technometrics 51(3).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.inference._draws import smooth_log_weights
    >>> u = np.random.default_rng(0).standard_normal(1000)
    >>> log_weights, pareto_k = smooth_log_weights(0.1 * u)
    >>> bool(pareto_k < 0.5), float(np.exp(log_weights).sum().round(6))
    (True, 1.0)
    """
    log_weights = _checked(log_weights)
    log_weights -= log_weights.max()
    order = np.argsort(log_weights, kind="stable")
    pareto_k, tail, smoothed = _smooth_tail(log_weights[order])
    if smoothed is not None:
        log_weights[order[tail]] = smoothed
    return log_weights - np.log(np.exp(log_weights).sum()), pareto_k


def _checked(log_weights: npt.ArrayLike) -> np.ndarray:
    log_weights = np.array(log_weights, dtype=np.float64)
    if log_weights.ndim != 1 or log_weights.size == 0:
        raise ValueError(f"log_weights must be a non-empty vector, got {log_weights.shape}.")
    if np.isnan(log_weights).any() or np.isposinf(log_weights).any():
        raise ValueError("log_weights must be finite or -inf, got nan or +inf.")
    if np.isneginf(log_weights).all():
        raise ValueError(
            "All weights are zero: no draw of the proposal has positive target density."
        )
    return log_weights


def _smooth_tail(ordered: np.ndarray):
    """Return k-hat, the slice of the tail and its smoothed log weights (or None)."""
    n_draws = len(ordered)
    n_positive = int(np.isfinite(ordered).sum())
    n_tail = min(int(n_draws / 5), int(3.0 * np.sqrt(n_draws)), n_positive - 1)
    if n_tail < _SMALLEST_TAIL:
        return np.inf, None, None

    cutoff = np.exp(ordered[n_draws - n_tail - 1])
    exceedances = np.exp(ordered) - cutoff

    # Ties at the cutoff are not exceedances.
    n_tail = int((exceedances > 0.0).sum())
    if n_tail < _SMALLEST_TAIL:
        return (-np.inf if n_tail == 0 else np.inf), None, None

    tail = slice(n_draws - n_tail, n_draws)
    shape, scale = fit_generalized_pareto(exceedances[tail])
    probabilities = (np.arange(n_tail) + 0.5) / n_tail

    # The quantile ((1 - p)^-k - 1) / k, continuous at k = 0.
    quantiles = cutoff + scale * special.boxcox(1.0 / (1.0 - probabilities), shape)
    return shape, tail, np.minimum(np.log(quantiles), ordered[-1])


def fit_generalized_pareto(exceedances: np.ndarray) -> tuple[float, float]:
    """Fit shape and scale of a generalized Pareto distribution.

    The quasi-Bayesian estimate of Zhang and Stephens (2009): with theta = -k / sigma
    (their sign of k reversed) the likelihood is profiled over a grid of theta,
    whose posterior mean gives k; k is then shrunk to 1/2 with the weight of ten
    observations, as Vehtari et al. (2024) do.
    """
    n = len(exceedances)
    n_grid = 30 + int(np.sqrt(n))

    # If weights differ only in their last digit, the quartile may be zero.
    quartile = max(exceedances[int(n / 4 + 0.5) - 1], 1e-12 * exceedances[-1])
    grid = 1.0 - np.sqrt(n_grid / (np.arange(n_grid) + 0.5))

    # The profile likelihood on the grid, and its mean.
    theta = _not_zero(1.0 / exceedances[-1] + grid / (3.0 * quartile), exceedances[-1])
    shapes = np.log1p(-theta[:, np.newaxis] * exceedances).mean(axis=1)
    log_profile = n * (np.log(-theta / shapes) - shapes - 1.0)
    posterior = special.softmax(log_profile)
    theta_mean = float(_not_zero(np.sum(theta * posterior), exceedances[-1]))
    shape = float(np.log1p(-theta_mean * exceedances).mean())
    scale = -shape / theta_mean

    regularized = (n * shape + _PRIOR_SIZE * _PRIOR_SHAPE) / (n + _PRIOR_SIZE)
    return regularized, scale


def _not_zero(theta: np.ndarray, largest: float):
    """Return rates -k / sigma, with a tiny one for zero: the exponential distribution is a limit.

    Equal exceedances have a rate of exactly zero on the grid.
    """
    return np.where(theta == 0.0, 1e-9 / largest, theta)


@dataclass(frozen=True, eq=False)
class Draws(ThroughConstructor):
    """Weighted draws from a density, with diagnostics.

    Parameters
    ----------
    points : ndarray of shape (n_draws, n_dim)
        The draws, unconstrained.
    log_weights : ndarray of shape (n_draws,)
        Normalized log weights (their exponentials sum to one), smoothed where
        they come from importance sampling.
    pareto_k : float
        k-hat of the raw importance weights; reliable below 0.7.
    log_evidence : float
        Log of the integral of the unnormalized density.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.inference._draws import Draws
    >>> Draws(np.zeros((4, 2)), np.log([0.25] * 4), pareto_k=0.1, log_evidence=-3.0)
    Draws(n_draws=4, n_dim=2, ess=4, pareto_k=0.1, log_evidence=-3)
    """

    points: np.ndarray
    log_weights: np.ndarray
    pareto_k: float
    log_evidence: float

    def __post_init__(self):
        freeze_fields(self, "points", "log_weights")
        if self.points.ndim != 2 or self.log_weights.shape != self.points.shape[:1]:
            raise ValueError(
                f"points must be (n_draws, n_dim) and log_weights (n_draws,), got "
                f"{self.points.shape} and {self.log_weights.shape}."
            )

    @property
    def weights(self) -> np.ndarray:
        """Weights that sum to one: (n_draws,)."""
        with np.errstate(under="ignore"):
            return np.exp(self.log_weights)

    @property
    def ess(self) -> float:
        """Kish's effective sample size, ``1 / sum(weights**2)``."""
        return effective_size(self.weights)

    @property
    def centered(self) -> Draws:
        """The point estimate around which the draws scatter, as a single draw; else the draws."""
        return self

    def picked(self, n: int) -> np.ndarray:
        """Return indices of `n` draws in proportion to their weights, deterministically."""
        return picked(self.weights, n)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        n_draws, n_dim = self.points.shape
        return (
            f"Draws(n_draws={n_draws}, n_dim={n_dim}, ess={self.ess:.0f}, "
            f"pareto_k={self.pareto_k:.3g}, log_evidence={self.log_evidence:.6g})"
        )
