r"""Discrepancy: how far the truth may lie from a prior curve.

.. math:: p = \epsilon_0 + (1 - \epsilon_0 - \epsilon_1)
    \operatorname{expit}\{m + \sigma_a c_a + \sigma_b c_b m + \rho \, \phi^\top c\}

with a prior curve :math:`m`, a shift, a stretch, a smooth Gaussian process over normal ranks
together with an effect of each heavy tie (the basis :math:`\phi`), standard normal coefficients
:math:`c`, and lapse rates :math:`\epsilon_0, \epsilon_1`: positives among the lowest scores,
negatives among the highest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ..sample._cells import ScoreCells

# The Gaussian process: squared exponential over normal ranks, by its leading eigenfunctions.
LENGTH, N_FUNCTIONS, REACH = 0.4, 12, 3.5
# Scores that hold more than this share of the items have an effect of their own.
HEAVY_TIE, MAX_TIES, TIE_SIZE = 0.04, 5, 0.67


@dataclass(frozen=True)
class DiscrepancyScale:
    """How far the truth may lie from an expert's curves.

    Parameters
    ----------
    shift, stretch : float
        Standard deviations of the intercept, and of the slope relative to the curve's.
    roughness : float
        A factor of the standard deviations of the Gaussian process and of the effects of ties.
    small_lapse : float
        The probability of a small lapse rate at one end.
    large_lapse : float
        The probability of a large lapse rate at the other end.
    wide_share : float
        The share of curves with `wide_shift` and `wide_stretch` instead.
    """

    shift: float = 0.3
    stretch: float = 0.15
    roughness: float = 1.0
    small_lapse: float = 0.12
    large_lapse: float = 0.12
    wide_share: float = 0.0
    wide_shift: float = 1.2
    wide_stretch: float = 0.5


def heavy_ties(cells: ScoreCells) -> np.ndarray:
    """Return the cells of one score each that hold many of the items, heaviest first."""
    tied = cells.single & (cells.counts > 1.0) & (cells.shares > HEAVY_TIE)
    ties = np.flatnonzero(tied)
    return ties[np.argsort(-cells.shares[ties], kind="stable")]


def discrepancy_basis(cells: ScoreCells) -> np.ndarray:
    """Return the basis functions on the cells, of shape (n_cells, n_functions).

    Eigenfunctions of the Gaussian process times the roots of their eigenvalues, then one column for
    each heavy tie.
    """
    ties = heavy_ties(cells)[:MAX_TIES]
    own = np.zeros((cells.n_cells, len(ties)))
    own[ties, np.arange(len(ties))] = TIE_SIZE
    return np.hstack([rank_functions(cells.normal_ranks), own])


def rank_process(cells: ScoreCells, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw standard Gaussian processes over the normal ranks of cells, (n, n_cells)."""
    # Not a matrix product: BLAS sums in an order that depends on its threads.
    functions = rank_functions(cells.normal_ranks)
    return np.einsum("ij,kj->ki", functions, rng.standard_normal((n, N_FUNCTIONS)))


def rank_functions(normal_ranks) -> np.ndarray:
    """Return the eigenfunctions of the Gaussian process at normal ranks, (n, N_FUNCTIONS)."""
    grid, leading = _eigenfunctions()
    within = np.clip(normal_ranks, -REACH, REACH)
    return np.stack([np.interp(within, grid, column) for column in leading.T], axis=1)


@cache
def _eigenfunctions() -> tuple[np.ndarray, np.ndarray]:
    grid = np.linspace(-REACH, REACH, 141)
    covariance = np.exp(-0.5 * ((grid[:, np.newaxis] - grid) / LENGTH) ** 2)
    values, vectors = np.linalg.eigh(covariance)
    leading = vectors[:, ::-1][:, :N_FUNCTIONS] * np.sqrt(values[::-1][:N_FUNCTIONS])
    # The sign of an eigenvector is arbitrary, and differs between libraries.
    leading *= np.sign(leading[-1])
    leading.flags.writeable = False
    return grid, leading
