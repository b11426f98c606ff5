r"""Curvatures of many Bernoulli regressions, in the space of coefficients or of labeled rows.

Laplace's approximation needs the curvature :math:`H = I + Z^\top W Z` of d coefficients, for
weights W of r rows. Where rows are fewer, the matrix inversion lemma gives the same numbers from
matrices of r rows: with the kernel :math:`K = Z Z^\top` and :math:`B = I + W^{1/2} K W^{1/2}`,

.. math::

   H^{-1} v = v - Z^\top W^{1/2} B^{-1} W^{1/2} Z v , \qquad |H| = |B| .

Columns that have the same scale share a kernel, so K is a sum of a few matrices, the same for
all regressions, times squared scales; columns that stretch the prior curve m have theirs multiplied
by :math:`m m^\top`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

# An entry of the matrix of rows is made, scaled and read in the time of so many multiplications.
N_PASSES = 12


@dataclass(frozen=True, eq=False)
class DesignColumns:
    """The columns that all regressions of an axis have, up to a scale."""

    plain: np.ndarray  # (n_rows, n_plain), which enter the log-odds as they are
    stretching: np.ndarray  # (n_rows, n_stretching), which multiply the prior curve
    groups: np.ndarray  # (n_rows, n_groups), indicators of groups that exclude each other
    blocks: tuple[slice, ...]  # of neighbors among all columns that have the same scale

    @property
    def n_rows(self) -> int:
        return len(self.plain)

    @property
    def n_plain(self) -> int:
        return self.plain.shape[1]

    @property
    def n_dense(self) -> int:
        """Number of columns that are not indicators of groups."""
        return self.n_plain + self.stretching.shape[1]

    @property
    def n(self) -> int:
        return self.n_dense + self.groups.shape[1]

    @property
    def has_few_rows(self) -> bool:
        """Whether curvatures take fewer multiplications in the space of rows."""
        n_rows = self.n_rows
        n_dense = self.n_dense
        by_rows = n_rows**3 / 3 + N_PASSES * n_rows**2
        by_coefficients = n_dense**2 * (n_rows + n_dense / 3 + self.n - n_dense)
        return n_rows > 0 and by_rows < by_coefficients

    @property
    def size_of_curvature(self) -> int:
        """Number of floats that the curvature of one regression takes."""
        return self.n_rows**2 if self.has_few_rows else self.n_dense * self.n

    def log_odds(self, prior: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Return the change of prior curves, (m, n_rows), by scaled coefficients, (m, n).

        Those of groups may be left out.
        """
        n_plain = self.n_plain
        n_dense = self.n_dense
        added = prior * (coefficients[:, n_plain:n_dense] @ self.stretching.T)
        added += coefficients[:, :n_plain] @ self.plain.T
        if coefficients.shape[1] > n_dense:
            added += self.at_rows(coefficients[:, n_dense:])
        return added

    def by_coefficients(self, prior: np.ndarray, by_log_odds: np.ndarray) -> np.ndarray:
        """Return derivatives by scaled coefficients, given derivatives by log-odds, (m, n_rows)."""
        stretched = (by_log_odds * prior) @ self.stretching
        of_groups = self.sums_of_groups(by_log_odds)
        return np.hstack([by_log_odds @ self.plain, stretched, of_groups])

    def at_rows(self, of_groups: np.ndarray) -> np.ndarray:
        """Return at each row the number of its group, (m, n_groups): (m, n_rows)."""
        return of_groups[:, self._group_of_row]

    def sums_of_groups(self, of_rows: np.ndarray) -> np.ndarray:
        """Return the sum over the rows of each group, (m, n_rows): (m, n_groups)."""
        if not self.groups.shape[1]:
            return np.empty((len(of_rows), 0))
        return (self._rows_of_groups @ of_rows.T).T

    def products_with_groups(self, weights: np.ndarray, stretched: np.ndarray) -> np.ndarray:
        """Return sums over rows of weights times columns times indicators of groups.

        Those of columns that stretch the curve have other weights, (m, n_rows) each. The sums are
        (m, n_dense, n_groups).
        """
        n_groups = self.n - self.n_dense
        products = np.empty((len(weights), self.n_dense, n_groups))
        if n_groups:
            plain, stretching = self._columns_of_groups
            of_plain = plain @ np.ascontiguousarray(weights.T)
            of_stretching = stretching @ np.ascontiguousarray(stretched.T)
            shape = len(weights), -1, n_groups
            products[:, : self.n_plain] = of_plain.T.reshape(shape)
            products[:, self.n_plain :] = of_stretching.T.reshape(shape)
        return products

    @cached_property
    def _columns_of_groups(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """The columns in the rows of each group, (n_plain n_groups, n_rows), and the stretching."""
        groups = self._rows_of_groups
        plain, stretching = (
            sparse.vstack([groups.multiply(column) for column in columns.T], format="csr")
            for columns in (self.plain, self.stretching)
        )
        return plain, stretching

    @cached_property
    def _group_of_row(self) -> np.ndarray:
        """The group of each row, (n_rows,)."""
        return self.groups.argmax(axis=1)

    @cached_property
    def _rows_of_groups(self) -> sparse.csr_array:
        """The rows of each group, as indicators, (n_groups, n_rows)."""
        return sparse.csr_array(self.groups.T)

    def kernels(self, prior: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Return Z Z' of regressions, (m, n_rows, n_rows), with scales (m, n).

        They have the precision of the prior curves, (m, n_rows).
        """
        stretching, plain = (
            ((scale[:, columns] ** 2).astype(prior.dtype) @ kernels.astype(prior.dtype)).reshape(
                len(prior), self.n_rows, self.n_rows
            )
            for columns, kernels in (self._shared_kernels[True], self._shared_kernels[False])
        )
        stretching *= prior[:, :, np.newaxis]
        stretching *= prior[:, np.newaxis]
        stretching += plain
        return stretching

    @cached_property
    def _shared_kernels(self) -> dict[bool, tuple[list[int], np.ndarray]]:
        """The first column and the kernel of each block, by whether it stretches the curve."""
        columns = np.hstack([self.plain, self.stretching, self.groups])
        first: dict[bool, list[int]] = {True: [], False: []}
        kernels: dict[bool, list[np.ndarray]] = {True: [], False: []}
        for block in self.blocks:
            if block.start == block.stop:
                continue
            is_stretching = self.n_plain <= block.start < self.n_dense
            kernel = columns[:, block] @ columns[:, block].T
            first[is_stretching].append(block.start)
            kernels[is_stretching].append(kernel.ravel())

        empty = np.empty((0, self.n_rows**2))
        return {key: (first[key], np.vstack([empty, *kernels[key]])) for key in first}


@dataclass(frozen=True, eq=False)
class Curvature:
    """Curvatures of several regressions: the effects of groups are independent given the rest."""

    dense: np.ndarray  # (m, n_dense, n_dense)
    cross: np.ndarray  # (m, n_dense, n_groups)
    diagonal: np.ndarray  # (m, n_groups), of the groups among themselves

    @cached_property
    def schur(self) -> np.ndarray:
        """The curvature of the other coefficients once groups are integrated out."""
        if not self.diagonal.shape[1]:
            return self.dense
        within = self.cross / self.diagonal[:, np.newaxis]
        return self.dense - np.matmul(within, np.swapaxes(self.cross, 1, 2))

    def solve(self, vector: np.ndarray) -> np.ndarray:
        """Return the inverse times vectors, (m, n)."""
        n_dense = self.dense.shape[1]
        groups = vector[:, n_dense:] / self.diagonal
        right_side = vector[:, :n_dense] - np.matmul(self.cross, groups[:, :, np.newaxis])[:, :, 0]
        dense = _solved(self._root, right_side)
        implied = np.matmul(dense[:, np.newaxis], self.cross)[:, 0] / self.diagonal
        return np.hstack([dense, groups - implied])

    def log_det(self, index: slice | np.ndarray = slice(None)) -> np.ndarray:
        """Return the logs of the determinants of some curvatures."""
        roots = np.diagonal(self._root, axis1=1, axis2=2)[index]
        return 2.0 * np.log(roots).sum(axis=1) + np.log(self.diagonal[index]).sum(axis=1)

    @cached_property
    def _root(self) -> np.ndarray:
        """The Cholesky factors of that of the other coefficients."""
        return np.linalg.cholesky(self.schur)

    def roots(self) -> CurvatureRoots:
        """Return the roots that turn standard normal draws into draws."""
        inverse = inverse_of_triangular(self._root)
        slope = self.cross / self.diagonal[:, np.newaxis]
        return CurvatureRoots(inverse, slope, 1.0 / np.sqrt(self.diagonal))


@dataclass(frozen=True, eq=False)
class RowCurvature:
    """The same curvatures, in the space of rows."""

    columns: DesignColumns
    prior: np.ndarray  # (m, n_rows)
    scale: np.ndarray  # (m, n)
    root_weights: np.ndarray  # (m, n_rows), the square roots of the weights of rows
    factors: list[np.ndarray]  # m Cholesky factors of B, (n_rows, n_rows) each
    diagonal: np.ndarray  # (m, n_groups), of the groups among themselves

    @classmethod
    def of(
        cls,
        columns: DesignColumns,
        prior: np.ndarray,
        scale: np.ndarray,
        weights: np.ndarray,
        kernels: np.ndarray,
    ) -> RowCurvature:
        """Return curvatures, in the precision of `kernels`, which is overwritten."""
        root_weights = np.sqrt(weights).astype(kernels.dtype)

        # B = I + W^1/2 K W^1/2, in place.
        kernels *= root_weights[:, :, np.newaxis]
        kernels *= root_weights[:, np.newaxis]
        diagonal = np.arange(columns.n_rows)
        kernels[:, diagonal, diagonal] += 1.0
        factors = [_cholesky(matrix) for matrix in kernels]

        of_groups = 1.0 + scale[:, columns.n_dense :] ** 2 * columns.sums_of_groups(weights)
        return cls(columns, prior, scale, root_weights, factors, of_groups)

    def solve(self, vector: np.ndarray) -> np.ndarray:
        """Return the inverse times vectors, (m, n)."""
        of_rows = self.root_weights * self.columns.log_odds(self.prior, self.scale * vector)
        is_single = self.root_weights.dtype == np.float32
        solve = lapack.spotrs if is_single else lapack.dpotrs
        for factor, row in zip(self.factors, of_rows, strict=True):
            row[:] = solve(factor, row)[0]
        of_rows *= self.root_weights
        return vector - self.scale * self.columns.by_coefficients(self.prior, of_rows)

    def log_det(self, index: slice | np.ndarray = slice(None)) -> np.ndarray:
        """Return the logs of the determinants of some curvatures."""
        indices = np.arange(len(self.factors))[index]
        roots = np.array([self.factors[j].diagonal() for j in indices])
        roots = roots.reshape(len(indices), self.columns.n_rows)
        return 2.0 * np.log(roots, dtype=float).sum(axis=1)


@dataclass(frozen=True, eq=False)
class CurvatureRoots:
    """Roots of the inverse curvatures of other coefficients, and groups given these."""

    inverse: np.ndarray  # (m, n_dense, n_dense), of the Cholesky factor
    slope: np.ndarray  # (m, n_dense, n_groups), of the groups by the other coefficients
    deviation: np.ndarray  # (m, n_groups), of the groups given these

    def log_det(self) -> np.ndarray:
        """Return the logs of the determinants of the roots, (m,)."""
        return np.log(np.diagonal(self.inverse, axis1=1, axis2=2)).sum(axis=1)

    def times(self, index: np.ndarray, noise: np.ndarray) -> np.ndarray:
        """Return the roots of some regressions, (n,), times standard normal draws, (n, n_dense)."""
        return np.matmul(noise[:, np.newaxis], self.inverse[index])[:, 0]

    def shifts_of_groups(self, index: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Return the (n, n_groups) shifts of groups due to (n, n_dense) steps of the rest."""
        return -np.matmul(steps[:, np.newaxis], self.slope[index])[:, 0]

    @staticmethod
    def joined(parts: list[CurvatureRoots]) -> CurvatureRoots:
        return CurvatureRoots(
            np.concatenate([part.inverse for part in parts]),
            np.concatenate([part.slope for part in parts]),
            np.concatenate([part.deviation for part in parts]),
        )


def _solved(roots: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Solve for vectors (m, n), given Cholesky factors (m, n, n): all of them at once."""
    solution = np.array(vector)
    scale = 1.0 / np.diagonal(roots, axis1=1, axis2=2)
    n = solution.shape[1]
    for j in range(n):
        solution[:, j] -= np.einsum("ij,ij->i", roots[:, j, :j], solution[:, :j])
        solution[:, j] *= scale[:, j]
    for j in range(n - 1, -1, -1):
        solution[:, j] *= scale[:, j]
        solution[:, :j] -= roots[:, j, :j] * solution[:, [j]]
    return solution


def inverse_of_triangular(roots: np.ndarray) -> np.ndarray:
    """Return the inverses of Cholesky factors, (m, n, n): row by row, of all at once."""
    rows = np.ascontiguousarray(roots.transpose(1, 2, 0))
    inverse = np.zeros_like(rows)
    for j, row in enumerate(rows):
        inverse[j, j] = 1.0 / row[j]
        inverse[j, :j] = np.einsum("km,kim->im", row[:j], inverse[:j, :j])
        inverse[j, :j] *= -inverse[j, j]
    return np.ascontiguousarray(inverse.transpose(2, 0, 1))


def _cholesky(matrix: np.ndarray) -> np.ndarray:
    """Return the Cholesky factor of a matrix in memory order of C, in its place."""
    factorize = lapack.spotrf if matrix.dtype == np.float32 else lapack.dpotrf
    factor, fault = factorize(matrix.T, clean=0, overwrite_a=1)
    if fault:
        raise np.linalg.LinAlgError("the curvature is not positive definite")
    return factor
