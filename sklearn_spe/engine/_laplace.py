r"""Laplace's approximation to Bernoulli regressions, many at once.

The log-odds of row i are :math:`f_i = m_i + z_i^\top c` with :math:`c \sim N(0, I)`, and lapses
make of them :math:`p_i = \epsilon_0 + (1 - \epsilon_0 - \epsilon_1) \operatorname{expit} f_i`.
Fisher scoring climbs to the mode: with :math:`W = (dp/df)^2 / \{p (1 - p)\}` a row, the curvature
is :math:`H = I + Z^\top W Z`, and the log evidence
:math:`\log L(c^*) - |c^*|^2 / 2 - \log |H| / 2`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ._label_rows import LabelRows

__all__ = ["Regressions"]

# Probabilities stay so far from 0 and 1: the log likelihood of any label is finite.
MIN_PROBABILITY = 1e-9
# A step that lowers the density is cut so often, each time to this share.
N_CUTS, CUT = 6, 0.3


@dataclass(frozen=True, eq=False)
class Regressions:
    """Regressions on the same rows, one for each of several components of one axis.

    All have the same columns up to a scale: some enter the log-odds as they are, the others times
    the prior curve.
    """

    prior: np.ndarray  # (m, n_rows), the log-odds of the prior curves
    plain: np.ndarray  # (n_rows, n_plain), columns that enter as they are
    stretching: np.ndarray  # (n_rows, n_stretching), columns that multiply the prior curve
    scale: np.ndarray  # (m, n_plain + n_stretching), the standard deviations of the coefficients
    bottom: np.ndarray  # (m, 1), lapse rates
    room: np.ndarray  # (m, 1), what these leave for the curve
    rows: LabelRows

    def take(self, k) -> Regressions:
        """Return the regressions of some of the components."""
        return Regressions(
            self.prior[k],
            self.plain,
            self.stretching,
            self.scale[k],
            self.bottom[k],
            self.room[k],
            self.rows,
        )

    def log_density(self, c) -> np.ndarray:
        """Return the log likelihood plus the log prior of coefficients, (m, d): (m,)."""
        return self._log_density(c, self._probability(c)[0])

    def climb(self, c, max_steps: int, tolerance: float) -> np.ndarray:
        """Return coefficients after steps of Fisher scoring, cut where the density falls."""
        c, left = np.array(c), np.arange(len(c))
        for _ in range(max_steps):
            if not len(left):
                break
            here = self.take(left)
            gradient, curvature, height = here.derivatives(c[left])
            step = np.linalg.solve(curvature, gradient[:, :, np.newaxis])[:, :, 0]
            step = here.cut(c[left], step, height)
            c[left] += step
            left = left[np.abs(step).max(axis=1) > tolerance]
        return c

    def cut(self, c, step, height) -> np.ndarray:
        """Return steps as far as the density does not fall; zero where it always does."""
        worse = np.flatnonzero(self.log_density(c + step) < height - 1e-9)
        for _ in range(N_CUTS):
            if not len(worse):
                break
            step[worse] *= CUT
            log = self.take(worse).log_density(c[worse] + step[worse])
            worse = worse[log < height[worse] - 1e-9]
        step[worse] = 0.0
        return step

    def evidence(self, c) -> tuple[np.ndarray, np.ndarray]:
        """Return Laplace's log evidence at coefficients, and what the next step should add."""
        gradient, curvature, height = self.derivatives(c)
        step = np.linalg.solve(curvature, gradient[:, :, np.newaxis])[:, :, 0]
        rise = 0.5 * np.einsum("ij,ij->i", gradient, step)
        return height - 0.5 * np.linalg.slogdet(curvature)[1], rise

    def derivatives(self, c) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the gradient, the curvature and the log density at coefficients."""
        rows = self.rows
        p, slope = self._probability(c)
        q, slope = rows.base + rows.gain * p, rows.gain * slope
        variance = q * (1.0 - q)
        score = (rows.positive - rows.total * q) / variance * slope
        gradient = np.hstack([score @ self.plain, (score * self.prior) @ self.stretching])
        gradient *= self.scale
        gradient -= c
        return gradient, self._curvature(rows.total * slope**2 / variance), self._log_density(c, p)

    def _curvature(self, weights) -> np.ndarray:
        """Return I + Z' W Z for weights of the rows, (m, n_rows): (m, d, d)."""
        plain, stretching = self.plain, self.stretching
        n_plain, d = plain.shape[1], self.scale.shape[1]
        found = np.empty((len(weights), d, d))
        stretched = weights * self.prior
        for i, column in enumerate(plain.T):
            found[:, i, i:n_plain] = (weights * column) @ plain[:, i:]
            found[:, i, n_plain:] = (stretched * column) @ stretching
        stretched *= self.prior
        for j, column in enumerate(stretching.T):
            found[:, n_plain + j, n_plain + j :] = (stretched * column) @ stretching[:, j:]
        lower, upper = np.tril_indices(d, -1), np.diag_indices(d)
        found[:, lower[0], lower[1]] = found[:, lower[1], lower[0]]
        found *= self.scale[:, :, np.newaxis]
        found *= self.scale[:, np.newaxis, :]
        found[:, upper[0], upper[1]] += 1.0
        return found

    def _probability(self, c):
        """Return P(y = 1) at the rows and its derivative by the log-odds, (m, n_rows) each."""
        scaled, n_plain = self.scale * c, self.plain.shape[1]
        stretch = scaled[:, n_plain:] @ self.stretching.T
        stretch += 1.0
        s = special.expit(self.prior * stretch + scaled[:, :n_plain] @ self.plain.T)
        p = np.clip(self.bottom + self.room * s, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY)
        return p, self.room * s * (1.0 - s)

    def _log_density(self, c, p) -> np.ndarray:
        return self.rows.log_likelihood(p) - 0.5 * np.einsum("ij,ij->i", c, c)
