"""Densities with known moments and known evidence, to hold samplers to."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import special


@dataclass
class Target:
    """A log density with its gradient, which counts the rows it is asked for."""

    name: str
    value_and_gradient: object
    mean: np.ndarray
    variance: np.ndarray
    log_evidence: float
    starts: np.ndarray
    n_rows: int = field(default=0, init=False)

    def log_density(self, u):
        self.n_rows += len(u)
        return self.value_and_gradient(u)[0]

    @property
    def n_dim(self):
        return len(self.mean)


def gaussian(n_dim=5, correlation=0.9, scale=1.0):
    correlations = np.full((n_dim, n_dim), correlation) + (1 - correlation) * np.eye(n_dim)
    sd = scale * np.geomspace(0.1, 2.0, n_dim)
    covariance = correlations * sd[:, np.newaxis] * sd
    precision, mean = np.linalg.inv(covariance), np.arange(1.0, n_dim + 1.0)

    def value_and_gradient(u):
        slope = -np.einsum("ij,nj->ni", precision, u - mean)
        return 0.5 * np.einsum("ni,ni->n", slope, u - mean), slope

    log_evidence = 0.5 * np.linalg.slogdet(2 * np.pi * covariance)[1]
    starts = mean + sd
    return Target("gaussian", value_and_gradient, mean, sd**2, log_evidence, starts[np.newaxis])


def student(n_dim=4, dof=5.0):
    def value_and_gradient(u):
        squared = (u * u).sum(axis=1)
        value = -0.5 * (dof + n_dim) * np.log1p(squared / dof)
        return value, -(dof + n_dim) * u / (dof + squared)[:, np.newaxis]

    log_evidence = special.gammaln(0.5 * dof) - special.gammaln(0.5 * (dof + n_dim))
    log_evidence += 0.5 * n_dim * np.log(dof * np.pi)
    variance = np.full(n_dim, dof / (dof - 2.0))
    return Target(
        "student", value_and_gradient, np.zeros(n_dim), variance, log_evidence, np.ones((1, n_dim))
    )


def banana(n_dim=5, bend=1.0):
    """Standard normals, the second moved by ``bend * (u_0**2 - 1)``."""

    def value_and_gradient(u):
        x = u.copy()
        x[:, 1] -= bend * (u[:, 0] ** 2 - 1.0)
        slope = -x
        slope[:, 0] += 2.0 * bend * u[:, 0] * x[:, 1]
        return -0.5 * (x * x).sum(axis=1), slope

    variance = np.ones(n_dim)
    variance[1] += 2.0 * bend**2
    log_evidence = 0.5 * n_dim * np.log(2 * np.pi)
    starts = np.full((1, n_dim), 0.3)
    return Target("banana", value_and_gradient, np.zeros(n_dim), variance, log_evidence, starts)


def funnel(n_dim=4, spread=1.0):
    """Neal's funnel: ``v ~ N(0, spread**2)``, the others ``N(0, exp(v))``."""

    def value_and_gradient(u):
        v, x = u[:, 0], u[:, 1:]
        # Far down the neck no float holds the density.
        with np.errstate(over="ignore", invalid="ignore"):
            squared = (x * x).sum(axis=1) * np.exp(-v)
            value = -0.5 * (v / spread) ** 2 - 0.5 * squared - 0.5 * (n_dim - 1) * v
            slope = np.empty_like(u)
            slope[:, 0] = -v / spread**2 + 0.5 * squared - 0.5 * (n_dim - 1)
            slope[:, 1:] = -x * np.exp(-v)[:, np.newaxis]
        return value, slope

    variance = np.full(n_dim, np.exp(0.5 * spread**2))
    variance[0] = spread**2
    log_evidence = 0.5 * n_dim * np.log(2 * np.pi) + np.log(spread)
    starts = np.full((1, n_dim), 0.1)
    return Target("funnel", value_and_gradient, np.zeros(n_dim), variance, log_evidence, starts)


def two_modes(n_dim=3, distance=8.0, share=0.8, both_starts=True):
    """Two unit normals, the share at zero and the rest `distance` along the first axis."""
    away = np.zeros(n_dim)
    away[0] = distance

    def value_and_gradient(u):
        near = np.log(share) - 0.5 * (u * u).sum(axis=1)
        far = np.log1p(-share) - 0.5 * ((u - away) ** 2).sum(axis=1)
        far_share = special.expit(far - near)[:, np.newaxis]
        return np.logaddexp(near, far), -u + far_share * away

    variance = np.ones(n_dim)
    variance[0] += share * (1 - share) * distance**2
    starts = np.array([0.3 * np.ones(n_dim), away - 0.3])
    return Target(
        "two_modes",
        value_and_gradient,
        (1 - share) * away,
        variance,
        0.5 * n_dim * np.log(2 * np.pi),
        starts if both_starts else starts[:1],
    )


def assert_moments(draws, target, n_errors=5.0, coordinates=None):
    """Means, variances and evidence within Monte Carlo error.

    A self-normalized estimate has variance ``sum(w**2 (f - E f)**2)``, the mean weight
    a relative variance of about 1 / ess - 1 / n.
    """
    coordinates = slice(None) if coordinates is None else coordinates
    weights = draws.weights[:, np.newaxis]
    steps = (draws.points - target.mean)[:, coordinates]
    variance = np.asarray(target.variance)[coordinates]
    for values, expected in ((steps, 0.0 * variance), (steps**2, variance)):
        estimate = (weights * values).sum(axis=0)
        error = np.sqrt((weights**2 * (values - expected) ** 2).sum(axis=0))
        assert np.all(np.abs(estimate - expected) < n_errors * error)
    assert_evidence(draws, target, n_errors)


def assert_evidence(draws, target, n_errors=5.0):
    error = np.sqrt(1.0 / draws.ess - 1.0 / len(draws) + 1e-4)
    assert abs(draws.log_evidence - target.log_evidence) < n_errors * error
