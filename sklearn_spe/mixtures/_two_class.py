"""Mixtures of two classes, and the order of their densities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from ..data._sample import ScoreSample
from ..families._family import HALF_LOG_2PI, BetaPrior, Family, Parameter
from ..families._real_line import log_add_exp
from ..inputs._arrays import row_tiles

# Sharpness of the order prior: a tenth of a standard deviation in the wrong order costs four nats,
# a whole one two hundred. With less, thousands of scores would swap the classes wherever the
# families fit the score distribution better that way.
STEEPNESS = 20.0
N_LATTICE = 4096
# Below the negative of this, use the asymptotic normal distribution function.
FAR = 1e4
# Weight of a broad density where both class densities underflow.
FLOOR = 1e-9


def log_order_prior(center_0, std_0, center_1, std_1):
    r"""Return the log prior factor for the order of the classes.

    Without labels the likelihood is invariant to swapping the classes. With
    :math:`d = (c_1 - c_0) / \sqrt{\sigma_0^2 + \sigma_1^2}`, for which
    :math:`P(S_1 > S_0) = \Phi(d)` if both are normal, the prior is multiplied by
    :math:`2 \Phi(20 d)`: positives score higher. The center :math:`c` of a class is its mean, or
    its median if it is truncated (`Family.center`). A classifier that scores its positives
    lower is thereby excluded; labels that contradict this raise a warning.
    """
    variance = std_0 * std_0 + std_1 * std_1
    distance = (center_1 - center_0) / np.sqrt(variance)
    return np.log(2.0) + special.log_ndtr(STEEPNESS * distance)


def order_score(center_0, std_0, center_1, std_1):
    """Return the derivatives of `log_order_prior` by its arguments."""
    variance = std_0 * std_0 + std_1 * std_1
    distance = (center_1 - center_0) / np.sqrt(variance)
    z = STEEPNESS * distance
    # The normal density over its distribution function. In the far tail the two logs cancel up to
    # rounding, and the ratio is -z up to 1 / z.
    near = np.maximum(z, -FAR)
    ratio = np.exp(-0.5 * near * near - HALF_LOG_2PI - special.log_ndtr(near))
    slope = STEEPNESS * np.where(z < -FAR, -z, ratio)
    by_center = slope / np.sqrt(variance)
    by_std = -slope * distance / variance
    return -by_center, by_std * std_0, by_center, by_std * std_1


def lattice(n_points: int, n_dim: int) -> np.ndarray:
    """Return points that cover the unit cube evenly, of shape (n_points, n_dim).

    The additive recurrence of the generalized golden ratio, the positive root of
    ``x**(n_dim + 1) = x + 1``.
    """
    golden = 2.0
    for _ in range(60):
        golden = (1.0 + golden) ** (1.0 / (n_dim + 1))
    steps = golden ** -np.arange(1.0, n_dim + 1)
    return (0.5 + np.arange(1, n_points + 1)[:, np.newaxis] * steps) % 1.0


def names_of_parameters(negative: Family, positive: Family) -> tuple[str, ...]:
    """Return "prevalence", then the parameters of each class, prefixed by its name."""
    sides = ("negative", negative), ("positive", positive)
    return "prevalence", *(f"{side}_{p.name}" for side, family in sides for p in family.parameters)


@dataclass(frozen=True)
class TwoClassMixture:
    r"""Semisupervised mixture of two families, as in the 2013 paper.

    With the prevalence :math:`\pi` and the densities :math:`p_0, p_1` of the scores of
    negatives and positives, the likelihood of a partially labeled sample is (eq. 2)

    .. math::

        p(S, Y_t \mid \theta) = \prod_{i \in U_t} \bigl((1 - \pi) p_0(s_i) + \pi p_1(s_i)\bigr)
        \prod_{i \in L_t} \pi^{y_i} (1 - \pi)^{1 - y_i} p_{y_i}(s_i).

    A mixture is a pure function of `u` and a sample: it has no data and draws no labels. `u` of
    shape ``(n_draws, n_dim)`` is unconstrained; all densities of `u` include the Jacobian of the
    map to the parameters.

    Parameters
    ----------
    negative, positive : Family
        The families of the two classes.
    prevalence_prior : BetaPrior
        Prior of the prevalence.
    location, spread : float
        Mean and standard deviation of all scores on the model scale; the priors of the
        families are given in these units.
    resolution : float
        Minimum standard deviation of a class.
    """

    negative: Family
    positive: Family
    prevalence_prior: BetaPrior = field(default=BetaPrior())
    location: float = 0.0
    spread: float = 1.0
    resolution: float = 1e-3

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The prevalence, then the parameters of the negative and of the positive class."""
        units = (self.location, self.spread, self.resolution)
        of_families = (*self.negative.parameters, *self.positive.parameters)
        prevalence = Parameter("prevalence", "shape", self.prevalence_prior, 0.0, 1.0)
        return (prevalence, *(parameter.in_units(*units) for parameter in of_families))

    @property
    def n_dim(self) -> int:
        return len(self.parameters)

    @property
    def is_regular(self) -> bool:
        """Whether the likelihood is smooth: no density jumps to zero at the end of its support."""
        return self.negative.regular and self.positive.regular

    @property
    def name(self) -> str:
        """The pair of families, negative first."""
        return f"{self.negative.name}-{self.positive.name}"

    def values(self, u: np.ndarray) -> tuple[np.ndarray, list, list]:
        """Return the prevalence and the values of both classes, each ``(n_draws, 1)``."""
        return self._by_class(self._columns(u))

    def _columns(self, u: np.ndarray) -> list[np.ndarray]:
        return [p.value(u[:, j : j + 1]) for j, p in enumerate(self.parameters)]

    def _slopes(self, columns: list[np.ndarray]) -> list[np.ndarray]:
        """Return the derivatives of the values with respect to the real line, each (n_draws,)."""
        return [p.slope(v[:, 0]) for p, v in zip(self.parameters, columns, strict=True)]

    def _by_class(self, columns: list[np.ndarray]):
        first = self._first_of_positive
        return columns[0], columns[1:first], columns[first:]

    @cached_property
    def _first_of_positive(self) -> int:
        """The index of the first parameter of the positive class."""
        return 1 + len(self.negative.parameters)

    def real(self, prevalence: Any, negative: Any, positive: Any) -> np.ndarray:
        """Return the `u` of shape (n_dim,) of given values; the inverse of `values`."""
        values = (prevalence, *negative, *positive)
        return np.array([float(p.real(v)) for p, v in zip(self.parameters, values, strict=True)])

    def log_prior(self, u: np.ndarray) -> np.ndarray:
        """Return the log prior density of `u`, (n_draws,)."""
        return self._log_prior(u, self._columns(u))

    def _log_prior(self, u: np.ndarray, columns: list[np.ndarray]) -> np.ndarray:
        log_density = self._log_order(columns) - self.log_order_mass
        for j, (parameter, column) in enumerate(zip(self.parameters, columns, strict=True)):
            log_density += parameter.log_prior(u[:, j], column[:, 0])
        return log_density

    def _prior_score(
        self, u: np.ndarray, columns: list[np.ndarray], slopes: list[np.ndarray]
    ) -> np.ndarray:
        """Return the gradient of the log prior, shaped like `u`."""
        gradient = np.empty(u.shape)
        parts = zip(self.parameters, columns, slopes, strict=True)
        for j, (parameter, column, slope) in enumerate(parts):
            gradient[:, j] = parameter.prior_score(u[:, j], column[:, 0], slope)

        # The classes are in order.
        for j, by_value in enumerate(self._order_score(columns), 1):
            gradient[:, j] += by_value * slopes[j]
        return gradient

    def log_order(self, u: np.ndarray) -> np.ndarray:
        """Return the log of the prior factor that positives score higher, (n_draws,)."""
        return self._log_order(self._columns(u))

    def _log_order(self, columns: list[np.ndarray]) -> np.ndarray:
        return log_order_prior(*self._moments(columns)[0])

    def _order_score(self, columns: list[np.ndarray]) -> list[np.ndarray]:
        """Return the derivatives of the log factor by all values but the prevalence."""
        moments, slopes_0, slopes_1 = self._moments(columns)
        by_center_0, by_std_0, by_center_1, by_std_1 = order_score(*moments)
        slopes = [by_center_0 * slope for slope in slopes_0]
        slopes += [by_center_1 * slope for slope in slopes_1]
        slopes[1] += by_std_0
        slopes[len(slopes_0) + 1] += by_std_1
        return slopes

    def _moments(self, columns: list[np.ndarray]):
        """Return the center and the deviation of both classes, and the slopes of both centers."""
        _, negative, positive = self._by_class([column[:, 0] for column in columns])
        center_0, slopes_0 = self.negative.center(*negative)
        center_1, slopes_1 = self.positive.center(*positive)
        # The standard deviation is the second parameter of both families.
        return (center_0, negative[1], center_1, positive[1]), slopes_0, slopes_1

    @cached_property
    def log_order_mass(self) -> float:
        """The log of the mean of the order factor over the prior without it."""
        if self.negative == self.positive:
            return 0.0  # by symmetry
        levels = lattice(N_LATTICE, self.n_dim)
        columns = [
            parameter.ppf(level)[:, np.newaxis]
            for parameter, level in zip(self.parameters, levels.T, strict=True)
        ]
        with np.errstate(all="ignore"):
            return float(np.log(np.nanmean(np.exp(self._log_order(columns)))))

    def log_joint(self, u: np.ndarray, scores):
        """Return log p(score, y = 0 | u) and log p(score, y = 1 | u), each (n_draws, n)."""
        return self._log_joint(*self.values(u), scores)

    def _log_joint(self, prevalence: Any, negative: Any, positive: Any, scores):
        log_negative = self.negative.logpdf(scores, *negative)
        log_negative += np.log1p(-prevalence)
        log_positive = self.positive.logpdf(scores, *positive)
        log_positive += np.log(prevalence)
        return log_negative, log_positive

    def log_likelihood(self, u: np.ndarray, sample: ScoreSample) -> np.ndarray:
        """Return the log of eq. 2 for each draw, of shape (n_draws,)."""
        return self._log_likelihood(self._columns(u), sample)

    def _log_likelihood(self, columns: list[np.ndarray], sample: ScoreSample) -> np.ndarray:
        total = np.empty(len(columns[0]))
        for rows in row_tiles(len(total), len(sample.points)):
            tile = [column[rows] for column in columns]
            prevalence, negative, positive = self._by_class(tile)
            joint = self._log_joint(prevalence, negative, positive, sample.points)
            total[rows] = of_cells(sample, *(by_cell(j, sample) for j in joint))
        return total

    def log_label_probability(self, u: np.ndarray, sample: ScoreSample) -> np.ndarray:
        """Return the log probability of the known labels given their scores, (n_draws,).

        The likelihood divided by it is that of the scores alone. It is -inf where both class
        densities of a score are zero.
        """
        labeled = sample.labeled()
        total = np.empty(len(u))
        with np.errstate(all="ignore"):
            log_chances = np.log(sample.inclusion.labeled)
            for rows in row_tiles(len(u), len(labeled.points)):
                joint = self.log_joint(u[rows], labeled.points)
                joint = [by_cell(j, labeled) + c for j, c in zip(joint, log_chances, strict=True)]
                total[rows] = _labeled(labeled, *joint)
                total[rows] -= _weighted_sum(log_add_exp(*joint), labeled.counts)
        return np.where(np.isnan(total), -np.inf, total)

    def log_density(self, u: np.ndarray, sample: ScoreSample) -> np.ndarray:
        """Return the unnormalized log posterior of `u`: likelihood times prior (eq. 3)."""
        with np.errstate(all="ignore"):
            columns = self._columns(u)
            density = self._log_prior(u, columns) + self._log_likelihood(columns, sample)
        return np.where(np.isnan(density), -np.inf, density)

    def value_and_gradient(self, u: np.ndarray, sample: ScoreSample, *, prior: bool = True):
        """Return `log_density` and its gradient, of shapes (n_draws,) and (n_draws, n_dim).

        Without the prior, those of the log likelihood.
        """
        with np.errstate(all="ignore"):
            columns = self._columns(u)
            slopes = self._slopes(columns)
            if prior:
                value = self._log_prior(u, columns)
                gradient = self._prior_score(u, columns, slopes)
            else:
                value = np.zeros(len(u))
                gradient = np.zeros(u.shape)

            # The likelihood, some draws at a time.
            for rows in row_tiles(len(u), len(sample.points)):
                tile = [column[rows] for column in columns]
                likelihood, by_value = self._likelihood_gradient(tile, sample)
                value[rows] += likelihood
                for j, slope in enumerate(slopes):
                    gradient[rows, j] += by_value[:, j] * slope[rows]
        return value, gradient

    def positive_probability(
        self, u: np.ndarray, points: np.ndarray, firsts: np.ndarray | None = None
    ) -> np.ndarray:
        """Return P(y = 1 | score, u) of shape (n_draws, n).

        `firsts` are the start indices of the points of each score, for spread ties; the probability
        of a tie is that of its interval.
        """
        joint = self._floored_joint(u, points, each=False)
        log_negative = _by_cell(joint[0], firsts)
        log_positive = _by_cell(joint[1], firsts)

        # The logistic function in place: 1.5 times as fast as scipy's.
        log_negative -= log_positive
        with np.errstate(over="ignore"):
            odds = np.exp(log_negative, out=log_negative)
        odds += 1.0
        return np.reciprocal(odds, out=odds)

    def log_score_density(
        self, u: np.ndarray, points: np.ndarray, firsts: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return log p(score, y = 0 | u) and log p(score, y = 1 | u), never -inf."""
        log_negative, log_positive = self._floored_joint(u, points, each=True)
        return _by_cell(log_negative, firsts), _by_cell(log_positive, firsts)

    def rates(self, u: np.ndarray, thresholds: np.ndarray):
        """Return the prevalence (n_draws, 1) and, at thresholds on the model scale, both rates.

        The true positive rate is eq. 4 of the paper; both rates have shape
        (n_draws, n_thresholds).
        """
        prevalence, negative, positive = self.values(u)
        tpr = self.positive.sf(thresholds, *positive)
        fpr = self.negative.sf(thresholds, *negative)
        return prevalence, tpr, fpr

    def expectation(self, u: np.ndarray, sample: ScoreSample):
        """Return the log likelihood and the class weights of each point.

        The E-step (eq. 6 of [1]_): an unlabeled item has its posterior class probabilities as
        weights, a labeled item belongs to its class.

        Parameters
        ----------
        u : ndarray of shape (n_dim,)
        sample : ScoreSample

        Returns
        -------
        log_likelihood : float
        to_negative, to_positive : ndarray of shape (n_points,)

        References
        ----------
        .. [1] B. A. Miller, J. Vila, M. Kirn, J. R. Zipkin. "Classifier performance estimation
           with unbalanced, partially labeled data." PMLR 88 (2018) 4-16.
        """
        with np.errstate(all="ignore"):
            value, *weights = self._expectation(self.values(u[np.newaxis]), sample)
        value = float(value[0])
        return value if value == value else -np.inf, *(w[0] for w in weights)

    def _expectation(self, values: tuple, sample: ScoreSample):
        """Return the log likelihood and the class weights of the points, by draw."""
        prevalence, negative, positive = values
        joint = self._log_joint(prevalence, negative, positive, sample.points)
        cells = [by_cell(j, sample) for j in joint]
        return of_cells(sample, *cells), *class_weights(sample, joint, cells)

    def _likelihood_gradient(self, columns: list[np.ndarray], sample: ScoreSample):
        """Return the log likelihood and its gradient by the values, for a tile of draws."""
        prevalence, negative, positive = values = self._by_class(columns)
        value, to_negative, to_positive = self._expectation(values, sample)
        by_prevalence = to_positive.sum(axis=1) / prevalence[:, 0]
        by_prevalence = by_prevalence - to_negative.sum(axis=1) / (1.0 - prevalence[:, 0])
        parts = [by_prevalence]
        for family, class_values, weights in (
            (self.negative, negative, to_negative),
            (self.positive, positive, to_positive),
        ):
            gradients = family.gradient(sample.points, *class_values)
            parts += [np.einsum("ij,ij->i", gradient, weights) for gradient in gradients]

        return value, np.column_stack(parts)

    def _floored_joint(self, u: np.ndarray, points: np.ndarray, *, each: bool):
        """Return `log_joint` with a broad density, equal for both classes, far below all others.

        It is added only where it matters: where both class densities nearly underflow, or, if
        `each`, where one of them does.
        """
        prevalence, negative, positive = self.values(u)
        joint = self._log_joint(prevalence, negative, positive, points)
        z = (points - self.location) / self.spread
        log_floor = np.log(FLOOR / (np.pi * self.spread)) - np.log1p(z * z)

        higher = np.maximum(*joint)
        for log_joint, share in zip(joint, (1.0 - prevalence, prevalence), strict=True):
            low = ~((log_joint if each else higher) > log_floor + 14.0)
            if low.any():
                floor = (log_floor + np.log(share))[low]
                log_joint[low] = np.logaddexp(log_joint[low], floor)
        return joint


def _weighted_sum(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    # Not a matrix product: the summation order of BLAS depends on the number of rows.
    return np.einsum("ij,j->i", values, weights)


def of_cells(sample: ScoreSample, log_negative: np.ndarray, log_positive: np.ndarray) -> np.ndarray:
    """Return the log likelihood, given the log joint densities of the cells."""
    total = _labeled(sample, log_negative, log_positive)
    return total + _weighted_sum(log_add_exp(log_negative, log_positive), sample.unlabeled)


def _labeled(sample: ScoreSample, log_negative: np.ndarray, log_positive: np.ndarray):
    total = np.zeros(len(log_negative))
    for (cells, weights), log_joint in zip(sample.known, (log_negative, log_positive), strict=True):
        if len(cells):
            # Fancy indexing would change the memory layout, and sums would depend on the tile.
            total += _weighted_sum(np.take(log_joint, cells, axis=1), weights)
    return total


def class_weights(
    sample: ScoreSample, joint: Sequence[np.ndarray], cells: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of the points in each class, given the log joint densities.

    Those are of the points, and of the cells.
    """
    log_negative, log_positive = cells
    to_positive = special.expit(log_positive - log_negative) * sample.unlabeled
    to_negative = sample.unlabeled - to_positive
    to_positive += sample.positive
    to_negative += sample.negative
    if sample.firsts is not None:
        to_negative = _by_point(to_negative, joint[0], log_negative, sample)
        to_positive = _by_point(to_positive, joint[1], log_positive, sample)
    return to_negative, to_positive


def by_cell(log_joint: np.ndarray, sample: ScoreSample) -> np.ndarray:
    """Return the log of the mean density over the points of each cell of a sample."""
    return _by_cell(log_joint, sample.firsts)


def _by_cell(log_joint: np.ndarray, firsts: np.ndarray | None) -> np.ndarray:
    """Return the log of the mean density over the points of each cell."""
    if firsts is None or len(firsts) == log_joint.shape[1]:
        return log_joint
    high = np.maximum.reduceat(log_joint, firsts, axis=1)
    high[np.isneginf(high)] = 0.0
    sizes = np.diff(np.r_[firsts, log_joint.shape[1]])
    shifted = np.exp(log_joint - np.repeat(high, sizes, axis=1))
    with np.errstate(divide="ignore"):
        return np.log(np.add.reduceat(shifted, firsts, axis=1) / sizes) + high


def _by_point(
    weights: np.ndarray, log_points: np.ndarray, log_cells: np.ndarray, sample: ScoreSample
) -> np.ndarray:
    """Distribute the weight of each cell over its points, by their density."""
    log_share = log_points - np.repeat(log_cells, sample.n_points, axis=1)
    share = np.exp(log_share) / np.repeat(sample.n_points, sample.n_points)
    return np.repeat(weights, sample.n_points, axis=1) * np.nan_to_num(share)
