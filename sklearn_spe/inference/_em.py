"""Expectation maximization with monotone acceleration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._draws import ThroughConstructor, freeze_fields
from ._modes import ValueAndGradient, climb

# Number of steps between acceleration attempts.
_STEPS_BETWEEN = 10


@dataclass(frozen=True, eq=False)
class EmPath(ThroughConstructor):
    """Iterations of expectation maximization.

    Parameters
    ----------
    point : ndarray of shape (n_dim,)
        The last and best iterate.
    log_likelihoods : ndarray of shape (n_iter + 1,)
        The log likelihood of the start and of every iterate; it never decreases.
    last_change : float
        The last change of the log likelihood, relative to its size.
    converged : bool
        Whether that change is within the tolerance.
    """

    point: np.ndarray
    log_likelihoods: np.ndarray
    last_change: float
    converged: bool

    def __post_init__(self):
        freeze_fields(self, "point", "log_likelihoods")

    @property
    def log_likelihood(self) -> float:
        """The log likelihood of the last iterate."""
        return float(self.log_likelihoods[-1])

    @property
    def n_iter(self) -> int:
        """The number of iterations."""
        return len(self.log_likelihoods) - 1

    def __repr__(self) -> str:
        end = "converged" if self.converged else f"last change {self.last_change:.1e}"
        return f"EmPath(n_iter={self.n_iter}, log_likelihood={self.log_likelihood:.6g}, {end})"


def expectation_maximization(
    e_step: Callable[[np.ndarray], tuple[float, Any]],
    m_step: Callable[[Any, np.ndarray], np.ndarray],
    start: npt.ArrayLike,
    *,
    tol: float = 1e-8,
    max_iter: int = 500,
    leap: Callable[[np.ndarray], np.ndarray] | None = None,
) -> EmPath:
    """Maximize a likelihood by expectation maximization.

    Parameters
    ----------
    e_step : callable
        From a point (n_dim,) to its log likelihood and the input of `m_step`: the expectation of
        the missing data.
    m_step : callable
        From that expectation and the point to the next point, at which the expected complete
        log likelihood is no lower.
    start : array-like of shape (n_dim,)
        A point with finite log likelihood.
    tol : float, default=1e-8
        Relative tolerance: stop when the log likelihood increases by less.
    max_iter : int, default=500
    leap : callable, default=None
        From a point to a candidate of higher likelihood, such as `newton_leap`. It is tried
        periodically and accepted if it improves: expectation maximization is fast far from the
        maximum, but may need thousands of steps near it [1]_.

    Returns
    -------
    path : EmPath

    Raises
    ------
    ValueError
        If the log likelihood of the start is not finite.

    References
    ----------
    .. [1] M. Jamshidian, R. I. Jennrich. "Acceleration of the EM algorithm by using quasi-Newton
       methods." J. R. Stat. Soc. B 59 (1997) 569-587.

    Examples
    --------
    The mixing weight of the first of two known distributions, with probabilities 0.2 and 0.6 of one
    score, 0.8 and 0.4 of the other:

    >>> import numpy as np
    >>> from sklearn_spe.inference._em import expectation_maximization
    >>> first, second, counts = np.array([0.2, 0.8]), np.array([0.6, 0.4]), np.array([30, 70])
    >>> def e_step(share):
    ...     joint = share * first, (1.0 - share) * second
    ...     return counts @ np.log(sum(joint)), joint[0] / sum(joint)
    >>> def m_step(expected, share):
    ...     return np.array([counts @ expected / counts.sum()])
    >>> path = expectation_maximization(e_step, m_step, [0.5], tol=1e-12)
    >>> path.point.round(4)
    array([0.75])
    """
    point = np.array(start, dtype=np.float64)
    log_likelihood, expected = e_step(point)
    if not np.isfinite(log_likelihood):
        raise ValueError(
            f"The log likelihood of the start {point.tolist()} is {log_likelihood}; it must be "
            "finite for expectation maximization."
        )

    trace = [log_likelihood]
    change = np.inf

    for iteration in range(max_iter):
        proposed = m_step(expected, point)
        proposed_likelihood, proposed_expected = e_step(proposed)

        if leap is not None and iteration % _STEPS_BETWEEN == _STEPS_BETWEEN - 1:
            leaped = leap(proposed)
            leaped_likelihood, leaped_expected = e_step(leaped)
            if leaped_likelihood > proposed_likelihood:
                proposed = leaped
                proposed_likelihood = leaped_likelihood
                proposed_expected = leaped_expected

        if not proposed_likelihood >= log_likelihood:
            # Converged, if the decrease is within rounding.
            change = abs(proposed_likelihood - log_likelihood) / max(1.0, abs(log_likelihood))
            break

        change = (proposed_likelihood - log_likelihood) / max(1.0, abs(log_likelihood))
        point = proposed
        log_likelihood = proposed_likelihood
        expected = proposed_expected
        trace.append(log_likelihood)

        if change <= tol:
            break

    return EmPath(point, np.array(trace), float(change), bool(change <= tol))


def newton_leap(value_and_gradient: ValueAndGradient):
    """Return an acceleration step that maximizes by damped Newton steps.

    Parameters
    ----------
    value_and_gradient : callable
        That of the log likelihood, as for `find_modes`.

    Returns
    -------
    leap : callable
        For `expectation_maximization`.
    """

    def leap(point: np.ndarray) -> np.ndarray:
        ends, _ = climb(value_and_gradient, point[np.newaxis])
        return ends[0]

    return leap
