r"""Effects of pairs of classes: which class errors of one predicted class truly are.

A classifier may take items of one class for one other, and know nothing of it. So the true classes
of the errors of a predicted class c have a distribution of their own,

.. math:: r_c \sim \mathrm{Dirichlet}(\kappa m_c),

around what the confusion model expects, :math:`m_c`: the mean over the items predicted as c, by the
probability of an error. The labels of errors update both, :math:`r_c` in closed form and the
concentration :math:`\kappa`, which each predicted class has of its own, by their probability
(Dirichlet-multinomial [1]_),

.. math:: P(e_c) = \frac{\Gamma(\kappa)}{\Gamma(\kappa + n_c)}
          \prod_k \frac{\Gamma(\kappa m_{ck} + e_{ck})}{\Gamma(\kappa m_{ck})}.

The class probabilities of an item are multiplied by :math:`r_{ck} / m_{ck}`.

References
----------
.. [1] J. E. Mosimann. On the compound multinomial distribution. Biometrika 49 (1962) 65-82.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from ..inputs._arrays import FrozenArrays

# Grid of concentrations, and their prior probabilities; without end there are no pair effects.
CONCENTRATIONS, CONCENTRATION_WEIGHTS = np.array([0.7, 3.0, 12.0, np.inf]), np.full(4, 0.25)


@dataclass(frozen=True, eq=False)
class PredictedRows(FrozenArrays):
    """Rows that represent the items predicted as each class, those of a class together."""

    log_others: np.ndarray  # (n_systems, n_rows, n_classes), as `ClassScores.log_others`
    predicted: np.ndarray  # (n_rows,), increasing
    weights: np.ndarray  # (n_rows,), the expected number of errors that each represents

    @cached_property
    def classes(self) -> np.ndarray:
        """The predicted classes, increasing, (n_predicted,)."""
        return np.unique(self.predicted)

    def errors_by_class(
        self, predicted: np.ndarray, true: np.ndarray, counts: np.ndarray
    ) -> np.ndarray:
        """Return labeled errors by predicted and true class, (n_predicted, n_classes)."""
        classes = self.classes
        n_classes = self.log_others.shape[2]
        pair = np.searchsorted(classes, predicted) * n_classes + true
        n_errors = np.bincount(pair, counts, len(classes) * n_classes)
        return n_errors.reshape(len(classes), n_classes)

    def mean_by_class(self, probability: np.ndarray) -> np.ndarray:
        """Return the mean of class probabilities, (..., n_rows, n_classes), by predicted class."""
        firsts = np.searchsorted(self.predicted, self.classes)
        total = np.add.reduceat(self.weights[:, np.newaxis] * probability, firsts, axis=-2)
        return total / total.sum(axis=-1, keepdims=True)


def log_probability_of_errors(
    expected: np.ndarray, n_errors: np.ndarray, concentration: float
) -> np.ndarray:
    """Return the log probability of the true classes of errors, (n_distributions, n_predicted).

    `expected` (n_distributions, n_predicted, n_classes) are the mean distributions, `n_errors`
    (n_predicted, n_classes) the labeled errors, `concentration` is finite.
    """
    shapes = np.maximum(concentration * expected, np.finfo(float).tiny)
    of_classes = special.gammaln(shapes + n_errors) - special.gammaln(shapes)
    n_labels = n_errors.sum(axis=1)
    of_rows = special.gammaln(concentration) - special.gammaln(concentration + n_labels)
    return np.where(n_errors > 0.0, of_classes, 0.0).sum(axis=2) + of_rows


def draw_concentrations(log_probability: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw the concentration of each predicted class, (n_distributions, n_predicted).

    `log_probability` (n_concentrations, n_distributions, n_predicted) is that of the errors.
    """
    log_weights = np.log(CONCENTRATION_WEIGHTS)[:, np.newaxis, np.newaxis]
    cumulative = special.softmax(log_weights + log_probability, axis=0).cumsum(axis=0)
    index = (cumulative < rng.random(cumulative.shape[1:])).sum(axis=0)
    return CONCENTRATIONS[np.minimum(index, len(CONCENTRATIONS) - 1)]


def draw_ratios(
    expected: np.ndarray,
    n_errors: np.ndarray,
    concentration: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw the distributions of the errors of each predicted class, relative to the expected ones.

    Arrays are those of `log_probability_of_errors`, but concentrations (n_distributions,
    n_predicted) may be without end.
    """
    is_finite = np.isfinite(concentration)
    ratios = np.ones_like(expected)
    means = expected[is_finite]  # of each such distribution and predicted class
    n_labels = np.broadcast_to(n_errors, expected.shape)[is_finite]
    drawn = rng.standard_gamma(concentration[is_finite, np.newaxis] * means + n_labels)
    total = drawn.sum(axis=-1, keepdims=True)
    # All gamma numbers of tiny shapes may underflow: the expected distribution is left.
    rows = np.where(total > 0.0, drawn / np.where(total > 0.0, total, 1.0), means)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios[is_finite] = np.where(means > 0.0, rows / means, 1.0)
    return ratios
