r"""Logistic regression with normal effects of unknown sizes.

.. math:: \operatorname{logit} P(y_i = 1) = c(s_u) x_i^\top b + u_{g(i)}, \quad
    b_e \sim N(m_e, s_e^2 I), \quad u \sim N(0, s_u^2 I)

With :math:`c(s)^2 = 1 + 0.346 s^2` the mean over members is near that of :math:`x_i^\top b`
[1]_, so coefficients mean the same whatever the members' size.

Each size is one of a few, with a prior weight. For each combination of them Newton's method finds
the mode and Laplace's approximation its evidence; draws come from the combinations by evidence, by
importance resampling of multivariate t proposals. The members' block of the precision matrix is
diagonal and is eliminated (Schur's complement), so many of them cost little.

References
----------
.. [1] S. Zeger, K. Liang, P. Albert. Models for longitudinal data. Biometrics 44 (1988) 1049-1060.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy import linalg, sparse, special

# Newton steps, the largest change of a coefficient in one, and the change below which they end.
N_STEPS, MAX_STEP, TOLERANCE = 40, 2.0, 1e-5
# Combinations of sizes with less weight have no draws.
MIN_WEIGHT = 1e-3
# Proposals for each draw, and the fewest of a combination.
N_PROPOSED, MIN_PROPOSED = 6, 100
# Degrees of freedom of proposals, of few coefficients and of more than so many.
FREEDOM, FREEDOM_OF_MANY, MANY = 6.0, 60.0, 40
# Of a logistic and a normal distribution: the factor c above.
CURB = 16.0 * np.sqrt(3.0) / (15.0 * np.pi)


def steepness_of(size: np.ndarray | float) -> np.ndarray:
    """Return by how much log-odds of members of a size are steeper than those of their mean."""
    return np.sqrt(1.0 + (CURB * np.asarray(size)) ** 2)


@dataclass(frozen=True)
class SizedEffect:
    """Columns whose coefficients have a common, unknown size; None: the members."""

    columns: slice | None
    sizes: tuple[float, ...]
    weights: tuple[float, ...]
    mean: float = 0.0


@dataclass(frozen=True)
class BinaryRows:
    """Labeled rows: their columns, their members, and counts of both labels."""

    columns: np.ndarray  # (n_rows, n_columns)
    member: np.ndarray  # (n_rows,), of int
    n_members: int
    counts: np.ndarray  # (n_rows,)
    positive: np.ndarray  # (n_rows,)

    def steeper(self, factor: float) -> BinaryRows:
        """Return the rows with columns times a factor."""
        return replace(self, columns=factor * self.columns)

    @property
    def members(self) -> sparse.csr_array:
        """Indicators of the members, (n_members, n_rows)."""
        n_rows = len(self.member)
        if not self.n_members:
            return sparse.csr_array((0, n_rows))
        places = self.member, np.arange(n_rows)
        return sparse.csr_array((np.ones(n_rows), places), shape=(self.n_members, n_rows))


@dataclass(frozen=True)
class RegressionDraws:
    """Draws of the coefficients, of the members, and of the members' size."""

    coefficients: np.ndarray  # (n_draws, n_columns)
    members: np.ndarray  # (n_draws, n_members)
    size: np.ndarray  # (n_draws,); zero without members
    ess: float


@dataclass(frozen=True)
class _Mode:
    """The mode given a combination of sizes, and the curvature there."""

    coefficients: np.ndarray
    members: np.ndarray
    complement: np.ndarray  # (n_columns, n_columns), the Schur complement of the precision
    diagonal: np.ndarray  # (n_members,), of the members' block
    between: np.ndarray  # (n_members, n_columns)
    log_evidence: float


def draw_regression(
    rows: BinaryRows, effects: Sequence[SizedEffect], n_draws: int, rng: np.random.Generator
) -> RegressionDraws:
    """Draw the coefficients given labels, equally weighted and in random order."""
    log_weights: list[float] = []
    priors: list[_NormalPrior] = []
    modes: list[_Mode] = []
    start = np.zeros(rows.columns.shape[1]), np.zeros(rows.n_members)
    for combination in product(*(range(len(effect.sizes)) for effect in effects)):
        prior = _NormalPrior.of(effects, combination, rows.columns.shape[1])
        mode = _mode(rows, prior, *start)
        start = mode.coefficients, mode.members
        shares = [effect.weights[k] for effect, k in zip(effects, combination, strict=True)]
        log_weights.append(mode.log_evidence + float(np.log(shares).sum()))
        priors.append(prior)
        modes.append(mode)

    weights = special.softmax(log_weights)
    # Of very many combinations each has little.
    weights[weights < min(MIN_WEIGHT, 0.1 * weights.max())] = 0.0
    parts = []
    for prior, mode, n in zip(
        priors, modes, rng.multinomial(n_draws, weights / weights.sum()), strict=True
    ):
        if n:
            parts.append(_draws_of(rows, prior, mode, int(n), rng))
    coefficients, members, sizes, shares_of_effective = (
        np.concatenate(part) for part in zip(*parts, strict=True)
    )
    order = rng.permutation(n_draws)
    ess = float(shares_of_effective.mean() * n_draws)
    return RegressionDraws(coefficients[order], members[order], sizes[order], ess)


@dataclass(frozen=True)
class _NormalPrior:
    """Independent normal coefficients and members."""

    mean: np.ndarray  # (n_columns,)
    precision: np.ndarray  # (n_columns,)
    size: float  # of the members

    @property
    def steepness(self) -> float:
        """The steepness of the members' log-odds."""
        return float(steepness_of(self.size))

    @classmethod
    def of(
        cls, effects: Sequence[SizedEffect], combination: Sequence[int], n_columns: int
    ) -> _NormalPrior:
        mean = np.zeros(n_columns)
        precision = np.ones(n_columns)
        size = 0.0
        for effect, k in zip(effects, combination, strict=True):
            if effect.columns is None:
                size = effect.sizes[k]
                continue
            mean[effect.columns] = effect.mean
            precision[effect.columns] = 1.0 / effect.sizes[k] ** 2
        return cls(mean, precision, size)

    def log_density(self, coefficients: np.ndarray, members: np.ndarray) -> np.ndarray:
        """Return the log density of draws, up to a constant of the size."""
        of_columns = np.einsum("...j,j->...", (coefficients - self.mean) ** 2, self.precision)
        if not self.size:
            return -0.5 * of_columns
        return -0.5 * (of_columns + np.einsum("...j,...j->...", members, members) / self.size**2)


def _mode(
    rows: BinaryRows, prior: _NormalPrior, coefficients: np.ndarray, members: np.ndarray
) -> _Mode:
    """Return the mode, by Newton's method from a start."""
    rows = rows.steeper(prior.steepness)
    X, counts, positive = rows.columns, rows.counts, rows.positive
    of_members = rows.members
    member_precision = 1.0 / prior.size**2 if prior.size else 1.0
    for _ in range(N_STEPS):
        log_odds = _log_odds(rows, coefficients, members)
        p = special.expit(log_odds)
        variance = counts * p * (1.0 - p)
        error = positive - counts * p

        # The precision matrix, with the members' block eliminated.
        weighted = variance[:, np.newaxis] * X
        between = of_members @ weighted
        diagonal = of_members @ variance + member_precision
        complement = X.T @ weighted + np.diag(prior.precision)
        complement -= between.T @ (between / diagonal[:, np.newaxis])

        gradient = X.T @ error - prior.precision * (coefficients - prior.mean)
        of_each = of_members @ error - member_precision * members
        step = linalg.solve(complement, gradient - between.T @ (of_each / diagonal), assume_a="pos")
        member_step = (of_each - between @ step) / diagonal
        largest = max(np.abs(step).max(initial=0.0), np.abs(member_step).max(initial=0.0))
        damping = max(1.0, largest / MAX_STEP)
        coefficients = coefficients + step / damping
        members = members + member_step / damping
        if largest < TOLERANCE:
            break

    log_odds = _log_odds(rows, coefficients, members)
    log_evidence = (
        positive @ log_odds
        - counts @ np.logaddexp(0.0, log_odds)
        + float(prior.log_density(coefficients, members))
        + 0.5 * np.log(prior.precision).sum()
        + 0.5 * rows.n_members * np.log(member_precision)
        - 0.5 * np.linalg.slogdet(complement)[1]
        - 0.5 * np.log(diagonal).sum()
    )
    return _Mode(coefficients, members, complement, diagonal, between, float(log_evidence))


def _log_odds(rows: BinaryRows, coefficients: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the log-odds of the rows, (..., n_rows)."""
    log_odds = coefficients @ rows.columns.T
    return log_odds + members[..., rows.member] if rows.n_members else log_odds


def _draws_of(
    rows: BinaryRows, prior: _NormalPrior, mode: _Mode, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return draws given the sizes, and the effective share of their proposals."""
    rows = rows.steeper(prior.steepness)
    n_columns = len(mode.coefficients)
    dimension = n_columns + rows.n_members
    freedom = FREEDOM if dimension <= MANY else FREEDOM_OF_MANY
    n_proposed = max(N_PROPOSED * n, MIN_PROPOSED)
    normal = rng.standard_normal((n_proposed, dimension))
    normal /= np.sqrt(rng.chisquare(freedom, (n_proposed, 1)) / freedom)

    root = np.linalg.cholesky(mode.complement)
    deviation = linalg.solve_triangular(root, normal[:, :n_columns].T, trans="T", lower=True).T
    coefficients = mode.coefficients + deviation
    members = mode.members + normal[:, n_columns:] / np.sqrt(mode.diagonal)
    members -= (deviation @ mode.between.T) / mode.diagonal

    log_odds = _log_odds(rows, coefficients, members)
    squares = np.einsum("ij,ij->i", normal, normal)
    log_weights = (
        log_odds @ rows.positive
        - np.logaddexp(0.0, log_odds) @ rows.counts
        + prior.log_density(coefficients, members)
        + 0.5 * (freedom + dimension) * np.log1p(squares / freedom)
    )
    weights = np.exp(log_weights - log_weights.max())
    # A few large weights would make equal draws.
    weights = np.minimum(weights, weights.mean() * np.sqrt(n_proposed))
    weights /= weights.sum()
    chosen = rng.choice(n_proposed, n, p=weights)
    share = min(1.0, 1.0 / (weights @ weights) / n)
    return coefficients[chosen], members[chosen], np.full(n, prior.size), np.full(n, share)
