"""The Fisher information of items of a mixture of two normals, eq. 3 to 5 of the 2018 paper.

The parameters are the share of positives, and the mean and the standard deviation of either class.
With the classes' log densities l_y(s), minus the second derivatives of log p(s) are

    q (-H_1) + (1 - q) (-H_0) - q (1 - q) d d',   q = P(y = 1 | s),   d = gradient of l_1 - l_0

and a label adds the last term again. Cross terms, which the paper leaves out, are there.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

NAMES = ("prevalence", "negative_mean", "negative_std", "positive_mean", "positive_std")
# Integrals over a class, in its standard deviations: Gauss-Legendre quadrature.
REACH, N_NODES = 7.5, 640


@dataclass(frozen=True)
class TwoNormals:
    """Two normal classes at given parameters: shares, means and standard deviations."""

    shares: tuple[float, float]
    values: tuple[tuple[float, float], tuple[float, float]]  # negatives, positives

    def joint(self, scores):
        """Return log p(s, y), its gradient and its second derivatives, for both classes."""
        logs, gradients, hessians = [], [], []
        for k, (share, (mean, std)) in enumerate(zip(self.shares, self.values, strict=True)):
            z = (scores - mean) / std
            logs.append(np.log(share / std) - 0.5 * z**2)
            gradient = np.zeros((len(scores), len(NAMES)))
            gradient[:, 0] = (2.0 * k - 1.0) / share
            gradient[:, 1 + 2 * k : 3 + 2 * k] = np.stack([z, z**2 - 1.0], axis=1) / std
            gradients.append(gradient)
            hessian = np.zeros((len(scores), len(NAMES), len(NAMES)))
            hessian[:, 0, 0] = -1.0 / share**2
            first, second = 1 + 2 * k, 2 + 2 * k
            hessian[:, first, first] = -1.0 / std**2
            hessian[:, first, second] = hessian[:, second, first] = -2.0 * z / std**2
            hessian[:, second, second] = (1.0 - 3.0 * z**2) / std**2
            hessians.append(hessian)
        return logs, gradients, hessians

    def of_score(self, k):
        """Return the expected information of the score of an item of class k."""
        nodes, weights = np.polynomial.legendre.leggauss(N_NODES)
        z = REACH * nodes
        weights = REACH * weights * np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
        mean, std = self.values[k]
        logs, gradients, hessians = self.joint(mean + std * z)
        q = special.expit(logs[1] - logs[0])
        d = gradients[1] - gradients[0]
        of_classes = np.einsum("n,njk->jk", weights * q, -hessians[1])
        of_classes += np.einsum("n,njk->jk", weights * (1.0 - q), -hessians[0])
        return of_classes - np.einsum("n,nj,nk->jk", weights * q * (1.0 - q), d, d)

    def of_labeled(self, k):
        """Return the expected information of the score and the label of an item of class k."""
        information = np.zeros((len(NAMES), len(NAMES)))
        information[0, 0] = 1.0 / self.shares[k] ** 2
        std = self.values[k][1]
        for place, factor in ((1 + 2 * k, 1.0), (2 + 2 * k, 2.0)):
            information[place, place] = factor / std**2
        return information


def fisher_information(
    prevalence, negative_values, positive_values, n_unlabeled=None, n_negative=0.0, n_positive=0.0
):
    """Return the information of independent items, by parameters in the order of `NAMES`.

    `n_unlabeled` is the number of items without a label, or a pair, of negatives and positives.
    """
    shares = (1.0 - prevalence, prevalence)
    classes = TwoNormals(shares, (negative_values, positive_values))
    if n_unlabeled is None:
        n_unlabeled = (0.0, 0.0)
    elif np.ndim(n_unlabeled) == 0:
        n_unlabeled = tuple(share * n_unlabeled for share in shares)
    counts = zip(n_unlabeled, (n_negative, n_positive), strict=True)
    return sum(
        n_scores * classes.of_score(k) + n_labels * classes.of_labeled(k)
        for k, (n_scores, n_labels) in enumerate(counts)
    )


def alone(matrix):
    """Return the information about each parameter if the others are known."""
    return dict(zip(NAMES, np.diag(matrix).tolist(), strict=True))


def standard_errors(matrix):
    """Return the Cramer-Rao bound of each standard error if no parameter is known."""
    size = np.sqrt(np.diag(matrix))
    covariance = np.linalg.inv(matrix / np.outer(size, size))
    return dict(zip(NAMES, (np.sqrt(np.diag(covariance)) / size).tolist(), strict=True))
