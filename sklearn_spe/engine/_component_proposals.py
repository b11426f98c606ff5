"""Proposals of coefficients: the Laplace approximations of components, and draws from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._curvature import CurvatureRoots, inverse_of_triangular


@dataclass(frozen=True, eq=False)
class Proposals:
    """Draws of components, and the normal distributions within each."""

    components: np.ndarray  # (m,), those that occur, in order
    index: np.ndarray  # (n_proposals,), which of them each proposal has
    roots: CurvatureRoots
    log_scale: np.ndarray  # (m,), the log importance weight but for the density and |x|^2 / 2

    def log_density(
        self, component: np.ndarray, steps: np.ndarray, columns: np.ndarray
    ) -> np.ndarray:
        """Return how densely steps of some columns from the modes are proposed, up to a constant.

        That is the number of proposals of a component, (n,), times the normal density of each step,
        (n, n_columns); -inf for components without a proposal.
        """
        at = np.minimum(np.searchsorted(self.components, component), len(self.components) - 1)
        is_proposed = self.components[at] == component
        at = at[is_proposed]

        # Draws are noise times the root: the covariance of some columns is that of their product.
        of_columns = self.roots.inverse[:, :, columns]
        roots = np.linalg.cholesky(np.matmul(of_columns.transpose(0, 2, 1), of_columns))
        inverse = inverse_of_triangular(roots)[at]
        noise = np.matmul(inverse, steps[is_proposed, :, np.newaxis])[:, :, 0]
        log_det = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)

        log_density = np.full(len(component), -np.inf)
        log_density[is_proposed] = np.log(np.bincount(self.index)[at]) - log_det[at]
        log_density[is_proposed] -= 0.5 * np.einsum("ij,ij->i", noise, noise)
        return log_density


@dataclass(frozen=True, eq=False)
class ProposedDraws:
    """Draws from the proposals, with their log importance weights."""

    index: np.ndarray  # (n_draws,), which component of the proposals each draw has
    noise: np.ndarray  # (n_draws, n_dense), the standard normal draws
    coefficients: np.ndarray  # (n_draws, n_dense)
    log_ratio: np.ndarray  # (n_draws,), the log importance weight

    def take(self, draws: np.ndarray) -> ProposedDraws:
        return ProposedDraws(
            self.index[draws], self.noise[draws], self.coefficients[draws], self.log_ratio[draws]
        )

    def replaced(self, accepted: np.ndarray, proposed: ProposedDraws) -> ProposedDraws:
        """Return the proposed draws where they are accepted, and these elsewhere."""
        column = accepted[:, np.newaxis]
        return ProposedDraws(
            np.where(accepted, proposed.index, self.index),
            np.where(column, proposed.noise, self.noise),
            np.where(column, proposed.coefficients, self.coefficients),
            np.where(accepted, proposed.log_ratio, self.log_ratio),
        )
