r"""Laplace's approximation to Bernoulli regressions, many at once.

The log-odds of row i are :math:`f_i = m_i + z_i^\top c` with :math:`c \sim N(0, I)`, and lapses make
of them :math:`p_i = \epsilon_0 + (1 - \epsilon_0 - \epsilon_1) \operatorname{expit} f_i`. Fisher
scoring climbs to the mode: with :math:`W = (dp/df)^2 / \{p (1 - p)\}` a row, the curvature is
:math:`H = I + Z^\top W Z`, and the log evidence :math:`\log L(c^*) - |c^*|^2 / 2 - \log |H| / 2`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ._label_rows import LabelRows

__all__ = ["Regressions"]

# Probabilities stay so far from 0 and 1: the log likelihood of any label is finite.
MIN_PROBABILITY = 1e-9
N_CUTS, CUT = 6, 0.3


@dataclass(frozen=True, eq=False)
class Regressions:
    """Regressions on the same rows, one for each of several components."""

    prior: np.ndarray  # (m, n_rows), the log-odds of the prior curves
    design: np.ndarray  # (m, n_rows, d)
    bottom: np.ndarray  # (m,)
    room: np.ndarray  # (m,)
    rows: LabelRows

    def log_odds(self, c) -> np.ndarray:
        """Return the log-odds of the rows for coefficients, (m, d): (m, n_rows)."""
        return self.prior + np.matmul(self.design, c[:, :, np.newaxis])[:, :, 0]

    def log_density(self, c) -> np.ndarray:
        """Return the log likelihood plus the log prior of coefficients, (m,)."""
        return self._log_density(c, self._probability(self.log_odds(c))[0])

    def climb(self, c, max_steps: int, tolerance: float) -> np.ndarray:
        """Return coefficients after steps of Fisher scoring, cut where the density falls."""
        state = self._state(c)
        for _ in range(max_steps):
            gradient, curvature, height = state
            step = np.linalg.solve(curvature, gradient[:, :, np.newaxis])[:, :, 0]
            size = np.ones((len(c), 1))
            state = self._state(c + step)
            for _ in range(N_CUTS):
                worse = state[2] < height - 1e-9
                if not worse.any():
                    break
                size[worse] *= CUT
                state = self._state(c + size * step)
            # A step that never helps is not taken.
            size[state[2] < height - 1e-9] = 0.0
            c = c + size * step
            if (size == 0.0).any():
                state = self._state(c)
            if np.abs(size * step).max(initial=0.0) < tolerance:
                break
        return c

    def evidence(self, c) -> tuple[np.ndarray, np.ndarray]:
        """Return Laplace's log evidence at coefficients, and what the next step should add."""
        gradient, curvature, height = self._state(c)
        step = np.linalg.solve(curvature, gradient[:, :, np.newaxis])[:, :, 0]
        rise = 0.5 * np.einsum("ij,ij->i", gradient, step)
        return height - 0.5 * np.linalg.slogdet(curvature)[1], rise

    def curvature(self, c) -> np.ndarray:
        """Return the curvature at coefficients, (m, d, d)."""
        return self._state(c)[1]

    def _probability(self, log_odds):
        """Return P(y = 1) and its derivative by the log-odds."""
        s = special.expit(log_odds)
        room = self.room[:, np.newaxis]
        p = np.clip(self.bottom[:, np.newaxis] + room * s, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY)
        return p, room * s * (1.0 - s)

    def _log_density(self, c, p) -> np.ndarray:
        return self.rows.log_likelihood(p) - 0.5 * np.einsum("ij,ij->i", c, c)

    def _state(self, c):
        """Return the gradient, the curvature and the log density at coefficients."""
        rows = self.rows
        p, slope = self._probability(self.log_odds(c))
        q, slope = rows.base + rows.gain * p, rows.gain * slope
        variance = q * (1.0 - q)
        score = (rows.positive - rows.total * q) / variance * slope
        gradient = np.matmul(score[:, np.newaxis], self.design)[:, 0] - c
        weighted = self.design * (rows.total * slope**2 / variance)[:, :, np.newaxis]
        curvature = np.matmul(np.swapaxes(weighted, 1, 2), self.design)
        curvature += np.eye(c.shape[1])
        return gradient, curvature, self._log_density(c, p)
