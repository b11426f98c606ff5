r"""The true classes of errors: a distribution of those of each predicted class.

The errors of a predicted class c have the distribution

.. math:: r_c \sim \mathrm{Dirichlet}(\kappa m_c),

around a mean :math:`m_c` over the items predicted as c, by the probability of an error. What it is
the mean of is even over the other classes, or what a classifier states of an item,

.. math:: w_{ik} = (1 - \varepsilon) \frac{p_{ik}^\beta}{\sum_l p_{il}^\beta}
          + \frac{\varepsilon}{K - 1}, \qquad k \ne c

The labeled errors weigh these, and for each class the concentration :math:`\kappa`, by their
probability one after the other (Polya's urn [1]_), the label of an error i being k with

.. math:: \frac{\kappa w_{ik} + n_{ck}}{\kappa + n_c}

after :math:`n_{ck}` such errors of the same predicted class. The class probabilities of an item
are :math:`w_{ik} r_{ck} / m_{ck}`, up to a constant.

References
----------
.. [1] D. Blackwell, J. B. MacQueen. Ferguson distributions via Polya urn schemes. Annals of
   Statistics 1 (1973) 353-355.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy import special

from ..inputs._arrays import FrozenArrays

# Number of distributions that represent the posterior.
N_DISTRIBUTIONS = 64
# What a classifier states may be too flat or too sharp (powers), and wrong at times (shares of the
# errors that are even over classes): a grid, of equal weight.
POWERS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
EVEN_SHARES = (0.02, 0.1, 0.25, 0.5, 0.75)
STATED = tuple(itertools.product(POWERS, EVEN_SHARES))
# Grid of concentrations, of equal weight; with the last one, errors have the mean distribution.
CONCENTRATIONS = np.array([0.5, 2.0, 8.0, 32.0, 128.0, 1e6])


@dataclass(frozen=True, eq=False)
class LabeledErrors(FrozenArrays):
    """The labeled items whose predicted class is wrong."""

    log_others: np.ndarray  # (n_systems, n_errors, n_classes), `ClassScores.log_others`
    predicted: np.ndarray  # (n_errors,)
    true: np.ndarray  # (n_errors,)
    counts: np.ndarray  # (n_errors,), for how many items each counts


@dataclass(frozen=True, eq=False)
class PredictedRows(FrozenArrays):
    """Rows that represent the items predicted as each class, those of a class together."""

    log_others: np.ndarray  # (n_systems, n_rows, n_classes), as `ClassScores.log_others`
    predicted: np.ndarray  # (n_rows,), increasing
    weights: np.ndarray  # (n_rows,), the expected number of errors that each represents


@dataclass(frozen=True, eq=False)
class ErrorRows(FrozenArrays):
    """Equally weighted draws of the distributions of the true class given an error."""

    kind: np.ndarray  # (n_distributions,), of int, of the mean: as in `mean_of_items`
    # (n_distributions, n_classes, n_classes), by predicted and true class, factors of the mean;
    # None of many classes, whose errors have the mean distribution
    ratios: np.ndarray | None = None

    @classmethod
    def updated(
        cls, errors: LabeledErrors, rows: PredictedRows | None, rng: np.random.Generator
    ) -> ErrorRows:
        """Draw distributions given the labels of errors; without rows all have the mean."""
        n_systems, _, n_classes = errors.log_others.shape
        concentrations = CONCENTRATIONS[-1:] if rows is None else CONCENTRATIONS
        kinds = range(1 + n_systems * len(STATED))
        log_evidence = np.array(
            [log_probability_of_errors(kind, errors, concentrations) for kind in kinds]
        )
        # Each predicted class has a concentration of its own. Even or not is half and half.
        of_kinds = special.logsumexp(log_evidence, axis=2).sum(axis=1)
        of_kinds[1:] -= np.log(len(kinds) - 1)
        kind = rng.choice(len(kinds), N_DISTRIBUTIONS, p=special.softmax(of_kinds))
        if rows is None:
            return cls(kind)

        pair = errors.predicted * n_classes + errors.true
        n_errors = np.bincount(pair, errors.counts, n_classes**2).reshape(n_classes, n_classes)
        distinct, index = np.unique(kind, return_inverse=True)
        means = np.stack([mean_by_class(of_kind, rows) for of_kind in distinct.tolist()])[index]
        logs = log_evidence[kind]
        number = (logs + rng.gumbel(size=logs.shape)).argmax(axis=2)
        shapes = concentrations[number][:, :, np.newaxis] * means + n_errors
        gammas = rng.standard_gamma(shapes)
        total = gammas.sum(axis=2, keepdims=True)
        # All gamma numbers of tiny shapes may underflow: the mean distribution is left.
        distributions = np.where(total > 0.0, gammas / np.where(total > 0.0, total, 1.0), means)
        ratios = distributions / np.where(means > 0.0, means, 1.0)
        return cls(kind, np.where(means > 0.0, ratios, 0.0))

    @property
    def n_distributions(self) -> int:
        """The number of draws."""
        return len(self.kind)

    def probability(
        self, distribution: int, log_others: np.ndarray, predicted: np.ndarray
    ) -> np.ndarray:
        """Return the class probabilities of errors under one draw, (n_items, n_classes).

        `log_others` (n_systems, n_items, n_classes) is `ClassScores.log_others`. The predicted
        class has zero probability; rows sum to one.
        """
        weights = mean_of_items(int(self.kind[distribution]), log_others, predicted)
        if self.ratios is None:
            return weights
        with_ratios = weights * self.ratios[distribution, predicted]
        total = with_ratios.sum(axis=1, keepdims=True)
        # Of an item whose other classes all have the factor zero nothing would be left.
        return np.where(total > 0.0, with_ratios / np.where(total > 0.0, total, 1.0), weights)


def mean_of_items(kind: int, log_others: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return the mean probabilities of the true classes of errors, (n_items, n_classes).

    The kind is 0 of even ones, else the number of a classifier, and of a power and a share.
    """
    n_classes = log_others.shape[2]
    is_other = np.arange(n_classes) != predicted[:, np.newaxis]
    even = is_other / (n_classes - 1)
    if not kind:
        return even
    system, number = divmod(kind - 1, len(STATED))
    power, even_share = STATED[number]
    with np.errstate(under="ignore"):
        stated = special.softmax(power * log_others[system], axis=1)
    return (1.0 - even_share) * stated + even_share * even


def mean_by_class(kind: int, rows: PredictedRows) -> np.ndarray:
    """Return the mean distribution of the errors of each predicted class, (n_classes, n_classes).

    That of a class which is never predicted is zero.
    """
    n_classes = rows.log_others.shape[2]
    classes, firsts = np.unique(rows.predicted, return_index=True)
    of_rows = mean_of_items(kind, rows.log_others, rows.predicted)
    mean = np.zeros((n_classes, n_classes))
    mean[classes] = np.add.reduceat(rows.weights[:, np.newaxis] * of_rows, firsts)
    return mean / np.maximum(mean.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def log_probability_of_errors(
    kind: int, errors: LabeledErrors, concentrations: np.ndarray
) -> np.ndarray:
    """Return the log probability of the true classes of errors, (n_classes, n_concentrations).

    That of each predicted class.
    """
    of_items = mean_of_items(kind, errors.log_others, errors.predicted)
    stated = of_items[np.arange(len(errors.true)), errors.true]
    n_classes = errors.log_others.shape[2]
    n_same = _n_before(errors.predicted * n_classes + errors.true, errors.counts)
    n_before = _n_before(errors.predicted, errors.counts)

    concentrations = concentrations[:, np.newaxis]
    logs = _log_ascending(concentrations * stated + n_same, errors.counts)
    logs -= _log_ascending(concentrations + n_before, errors.counts)
    return np.stack([np.bincount(errors.predicted, row, n_classes) for row in logs], axis=1)


def _n_before(codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the sum of the counts before each item of those with its code, (n_items,)."""
    order = np.argsort(codes, kind="stable")
    sums = counts[order].cumsum() - counts[order]
    _, first, n_each = np.unique(codes[order], return_index=True, return_counts=True)
    before = np.empty(len(codes))
    before[order] = sums - np.repeat(sums[first], n_each)
    return before


def _log_ascending(start: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return the log of start (start + 1) ... (start + count - 1)."""
    return special.gammaln(start + count) - special.gammaln(start)
