r"""Laplace's approximation to Bernoulli regressions, many at once.

The log-odds of row i are :math:`f_i = m_i + z_i^\top c` with :math:`c \sim N(0, I)`, and lapses
make of them :math:`p_i = \epsilon_0 + (1 - \epsilon_0 - \epsilon_1) \operatorname{expit} f_i`.
Fisher scoring climbs to the mode: with :math:`W = (dp/df)^2 / \{p (1 - p)\}` a row, the curvature
is :math:`H = I + Z^\top W Z`, and the log evidence
:math:`\log L(c^*) - |c^*|^2 / 2 - \log |H| / 2`.
Where rows are fewer than coefficients, both come from matrices of rows (`_curvature`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy import special

from ._components import expit_in_place
from ._curvature import Curvature, DesignColumns, RowCurvature
from ._label_rows import LabelRows

# Probabilities stay so far from 0 and 1: the log likelihood of any label is finite.
MIN_PROBABILITY = 1e-9
# A step that lowers the density is cut so often, each time to this share.
N_CUTS, CUT = 6, 0.3
# Columns are multiplied with each other at once as long as there are no more pairs of them.
MAX_PAIRS = 1000
# Curvatures in the space of rows have single precision if no row counts more labels than this.
MAX_SINGLE = 4.0
# Nodes of the quadrature of a group's effect, and steps that draw it.
NODES, N_GROUP_MOVES = np.polynomial.hermite_e.hermegauss(7), 12


@dataclass(frozen=True, eq=False)
class RegressionPoints:
    """Coefficients of several regressions, with the derivatives that steps need."""

    coefficients: np.ndarray  # (m, d)
    probability: np.ndarray  # (m, n_rows), P(y = 1) at the rows
    slope: np.ndarray  # (m, n_rows), its derivative by the log-odds
    height: np.ndarray  # (m,), the log density

    def take(self, index: np.ndarray) -> RegressionPoints:
        """Return the points of some regressions."""
        return RegressionPoints(
            self.coefficients[index],
            self.probability[index],
            self.slope[index],
            self.height[index],
        )

    def put(self, index: np.ndarray, points: RegressionPoints) -> None:
        """Replace the points of some regressions."""
        self.coefficients[index] = points.coefficients
        self.probability[index] = points.probability
        self.slope[index] = points.slope
        self.height[index] = points.height


@dataclass(frozen=True, eq=False)
class Regressions:
    """Regressions on the same rows and columns, one for each of several components of one axis."""

    prior: np.ndarray  # (m, n_rows), the log-odds of the prior curves
    columns: DesignColumns
    scale: np.ndarray  # (m, d), the standard deviations of the coefficients
    bottom: np.ndarray  # (m, 1), lapse rates
    room: np.ndarray  # (m, 1), what these leave for the curve
    rows: LabelRows
    # (d,) or one for all, of the coefficients in standard deviations
    mean: np.ndarray = field(default_factory=lambda: np.zeros(1))

    def take(self, index: np.ndarray) -> Regressions:
        """Return the regressions of some of the components."""
        return Regressions(
            self.prior[index],
            self.columns,
            self.scale[index],
            self.bottom[index],
            self.room[index],
            self.rows,
            self.mean,
        )

    def log_density(self, coefficients: np.ndarray) -> np.ndarray:
        """Return the log likelihood plus the log prior of coefficients, (m, d): (m,)."""
        probability, _ = self._probability(coefficients)
        return self._log_density(coefficients, probability)

    def kernels(self) -> np.ndarray | None:
        """Return the kernels of the rows, (m, n_rows, n_rows), where rows are few; else None."""
        if not self.columns.has_few_rows:
            return None
        # Steps and determinants need few digits, unless a row counts many labels.
        precision = np.float32 if self.rows.total.max() <= MAX_SINGLE else np.float64
        return self.columns.kernels(self.prior.astype(precision), self.scale)

    def climb(
        self, coefficients: np.ndarray, max_steps: int, tolerance: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Take steps of Fisher scoring, cut where the density falls.

        Returns coefficients (m, d), Laplace's log evidence before the last step of each, and what
        that step should have added to it, (m,) each.
        """
        coefficients = np.array(coefficients)
        n_regressions = len(coefficients)
        log_evidence = np.empty(n_regressions)
        rise = np.empty(n_regressions)

        kernels = self.kernels()
        active = np.arange(n_regressions)
        regressions = self
        points = self._points(coefficients)
        for n_left in range(max_steps, 0, -1):
            gradient, weights = regressions._expansion(points)
            active_kernels = kernels
            if kernels is not None and (n_left > 1 or len(active) < n_regressions):
                active_kernels = kernels[active]
            curvature = regressions.curvature(weights, active_kernels)
            step = curvature.solve(gradient)
            rise[active] = 0.5 * np.einsum("ij,ij->i", gradient, step)
            next_points = regressions._cut(points, step)
            coefficients[active] = next_points.coefficients

            # Leave the regressions whose step added no more than the tolerance.
            done = (rise[active] <= tolerance) | (n_left == 1)
            log_evidence[active[done]] = points.height[done] - 0.5 * curvature.log_det(done)
            active = active[~done]
            if not len(active):
                break
            regressions = self.take(active)
            points = next_points.take(~done)
        return coefficients, log_evidence, rise

    def marginal_climb(
        self, coefficients: np.ndarray, n_steps: int
    ) -> tuple[np.ndarray, np.ndarray]:
        r"""Take steps to the mode of the density with groups integrated out.

        Given the other coefficients groups are nearly normal, so a step of the others and what
        it implies for groups solve :math:`H \delta = (g, 0)`, for the gradient g by the others; the
        curvature of these is that of all without that of the groups among themselves.

        Returns coefficients (m, d) and the log evidence (m,).
        """
        n_dense = self.columns.n_dense
        kernels = self.kernels()
        for n_left in range(n_steps, -1, -1):
            _, weights = self._expansion(self._points(coefficients))
            curvature = self.curvature(weights, None if kernels is None else kernels.copy())
            deviation = 1.0 / np.sqrt(curvature.diagonal)
            if n_left:
                gradient = np.zeros_like(coefficients)
                gradient[:, :n_dense] = self.marginal_gradient(
                    coefficients[:, :n_dense], coefficients[:, n_dense:], deviation
                )
                coefficients = coefficients + curvature.solve(gradient)

        log_det = curvature.log_det() - np.log(curvature.diagonal).sum(axis=1)
        log_marginal = self.log_marginal(
            coefficients[:, :n_dense], coefficients[:, n_dense:], deviation
        )
        return coefficients, log_marginal - 0.5 * log_det

    def log_marginal(
        self, dense: np.ndarray, center: np.ndarray, deviation: np.ndarray
    ) -> np.ndarray:
        """Return the log density of other coefficients, groups integrated out, (m,).

        Given these, (m, n_dense), groups are independent, and each integral has one dimension:
        Gauss-Hermite quadrature at its normal approximation, (m, n_groups) each.
        """
        log_masses = [log_mass for log_mass, *_ in self._at_nodes(dense, center, deviation)]
        log_integrals = special.logsumexp(log_masses, axis=0)
        log_integrals = log_integrals + np.log(deviation / np.sqrt(2.0 * np.pi))
        return log_integrals.sum(axis=1) - 0.5 * np.einsum("ij,ij->i", dense, dense)

    def marginal_gradient(
        self, dense: np.ndarray, center: np.ndarray, deviation: np.ndarray
    ) -> np.ndarray:
        """Return the gradient of the log density with groups integrated out, (m, n_dense)."""
        columns = self.columns
        nodes = list(self._at_nodes(dense, center, deviation))

        # The heaviest node of each group has the mass one: no sum is zero, and none overflows.
        largest = np.max([log_mass for log_mass, *_ in nodes], axis=0)
        total: float | np.ndarray = 0.0
        score: float | np.ndarray = 0.0
        for log_mass, probability, slope in nodes:
            mass_of_rows = columns.at_rows(np.exp(log_mass - largest))
            total = total + mass_of_rows
            score = score + mass_of_rows * self._score(probability, slope)
        score = score / total

        gradient = np.hstack([score @ columns.plain, (score * self.prior) @ columns.stretching])
        return gradient * self.scale[:, : columns.n_dense] - dense

    def _at_nodes(
        self, dense: np.ndarray, center: np.ndarray, deviation: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield the log mass of each group at each node, with probabilities and slopes of its rows.

        That is P(y = 1) and its derivative by the log-odds.
        """
        without_groups = self._without_groups(dense)
        for node, weight in zip(*NODES, strict=True):
            groups = center + node * deviation
            log_of_groups, *of_rows = self._log_of_groups(without_groups, groups)
            yield np.log(weight) + 0.5 * node**2 + log_of_groups, *of_rows

    def draw_groups(
        self,
        dense: np.ndarray,
        center: np.ndarray,
        deviation: np.ndarray,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """Draw coefficients of groups given the others, (m, n_groups).

        Separate steps of Metropolis and Hastings for each group. Independent proposals come from
        its normal approximation and, where labels that agree leave a long tail, from its prior.
        """
        groups = center
        without_groups = self._without_groups(dense)
        log_density, *_ = self._log_of_groups(without_groups, center)
        for move in range(N_GROUP_MOVES):
            from_prior = move % 2
            noise = rng.standard_normal(center.shape)
            proposal = noise if from_prior else center + noise * deviation
            proposal_log_density, *_ = self._log_of_groups(without_groups, proposal)

            # How far each density exceeds that of the proposals, the constant aside.
            standardized = groups if from_prior else (groups - center) / deviation
            log_ratio = proposal_log_density - log_density + 0.5 * (noise**2 - standardized**2)

            accepted = np.log(rng.random(center.shape)) < log_ratio
            groups = np.where(accepted, proposal, groups)
            log_density = np.where(accepted, proposal_log_density, log_density)
        return groups

    def _without_groups(self, dense: np.ndarray) -> np.ndarray:
        """Return the log-odds of the rows without the effects of groups, (m, n_rows)."""
        n_dense = self.columns.n_dense
        scaled = self.scale[:, :n_dense] * (dense + self.mean[:n_dense])
        return self.prior + self.columns.log_odds(self.prior, scaled)

    def _log_of_groups(
        self, without_groups: np.ndarray, groups: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the log likelihood of groups plus the log prior of their coefficients, (m, n).

        And P(y = 1) at the rows and its derivative by the log-odds, (m, n_rows) each.
        """
        scaled = self.scale[:, self.columns.n_dense :] * groups
        probability, slope = self._at_log_odds(without_groups + self.columns.at_rows(scaled))
        log_likelihood = self.columns.sums_of_groups(self.rows.log_likelihoods(probability))
        return log_likelihood - 0.5 * groups**2, probability, slope

    def derivatives(self, coefficients: np.ndarray) -> tuple[np.ndarray, Curvature, np.ndarray]:
        """Return the gradient, the curvature and the log density at coefficients."""
        points = self._points(coefficients)
        gradient, weights = self._expansion(points)
        return gradient, self._curvature(weights), points.height

    def curvature(
        self, weights: np.ndarray, kernels: np.ndarray | None
    ) -> Curvature | RowCurvature:
        """Return I + Z' W Z for weights of the rows; kernels, if there are, are overwritten."""
        if kernels is None:
            return self._curvature(weights)
        return RowCurvature.of(self.columns, self.prior, self.scale, weights, kernels)

    def _points(self, coefficients: np.ndarray) -> RegressionPoints:
        """Return probabilities, slopes and log densities at coefficients, (m, d)."""
        probability, slope = self._probability(coefficients)
        height = self._log_density(coefficients, probability)
        return RegressionPoints(coefficients, probability, slope, height)

    def _expansion(self, points: RegressionPoints) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient, and the weights of the rows."""
        rows = self.rows
        score = self._score(points.probability, points.slope)
        gradient = self.columns.by_coefficients(self.prior, score)
        gradient *= self.scale
        gradient -= points.coefficients

        # The Fisher information of each row by its log-odds.
        success = rows.success(points.probability)
        weights = rows.total * (rows.gain * points.slope) ** 2 / (success * (1.0 - success))
        return gradient, weights

    def _score(self, probability: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Return the derivative of the log likelihood of each row by its log-odds, (m, n_rows)."""
        rows = self.rows
        success = rows.success(probability)
        by_success = (rows.positive - rows.total * success) / (success * (1.0 - success))
        return by_success * rows.gain * slope

    def _cut(self, points: RegressionPoints, step: np.ndarray) -> RegressionPoints:
        """Take steps as far as the density does not fall; none where it always does."""
        next_points = self._points(points.coefficients + step)
        lower = np.flatnonzero(next_points.height < points.height - 1e-9)
        for _ in range(N_CUTS):
            if not len(lower):
                break
            step[lower] *= CUT
            shorter = self.take(lower)._points(points.coefficients[lower] + step[lower])
            next_points.put(lower, shorter)
            lower = lower[shorter.height < points.height[lower] - 1e-9]
        next_points.put(lower, points.take(lower))
        return next_points

    def _curvature(self, weights: np.ndarray) -> Curvature:
        """Return I + Z' W Z for weights of the rows, (m, n_rows)."""
        plain = self.columns.plain
        stretching = self.columns.stretching
        n_plain = plain.shape[1]
        n_dense = self.columns.n_dense
        stretched = weights * self.prior

        # The curvature of the coefficients that are no effects of groups.
        dense = np.empty((len(weights), n_dense, n_dense))
        dense[:, :n_plain, :n_plain] = _products(weights, plain, plain)
        dense[:, n_plain:, n_plain:] = _products(stretched * self.prior, stretching, stretching)
        mixed = _products(stretched, plain, stretching)
        dense[:, :n_plain, n_plain:] = mixed
        dense[:, n_plain:, :n_plain] = mixed.swapaxes(1, 2)

        # That of these and the effects of groups.
        cross = self.columns.products_with_groups(weights, stretched)

        # Scale the columns, and add the precision of the standard normal prior.
        dense_scale = self.scale[:, :n_dense]
        group_scale = self.scale[:, np.newaxis, n_dense:]
        dense *= dense_scale[:, :, np.newaxis]
        dense *= dense_scale[:, np.newaxis]
        diagonal = np.arange(n_dense)
        dense[:, diagonal, diagonal] += 1.0
        cross *= dense_scale[:, :, np.newaxis]
        cross *= group_scale
        of_groups = 1.0 + self.scale[:, n_dense:] ** 2 * self.columns.sums_of_groups(weights)
        return Curvature(dense, cross, of_groups)

    def _probability(self, coefficients: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return P(y = 1) at the rows and its derivative by the log-odds, (m, n_rows) each."""
        log_odds = self.prior + self.columns.log_odds(
            self.prior, self.scale * (coefficients + self.mean)
        )
        return self._at_log_odds(log_odds)

    def _at_log_odds(self, log_odds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return P(y = 1) and its derivative by log-odds, (m, n_rows), which are overwritten."""
        share = expit_in_place(log_odds)
        probability = self.room * share
        slope = probability * (1.0 - share)
        probability += self.bottom
        np.clip(probability, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY, out=probability)
        return probability, slope

    def _log_density(self, coefficients: np.ndarray, probability: np.ndarray) -> np.ndarray:
        log_prior = -0.5 * np.einsum("ij,ij->i", coefficients, coefficients)
        return self.rows.log_likelihood(probability) + log_prior


def _products(weights: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return sums over rows of weights (m, n_rows) times columns, (m, n_left, n_right)."""
    n_left = left.shape[1]
    n_right = right.shape[1]
    # Products of columns with themselves are symmetric: half of them are enough.
    is_symmetric = left is right
    if n_left * n_right <= MAX_PAIRS:
        # One product for all weights and pairs of columns.
        rows, columns = np.triu_indices(n_left) if is_symmetric else _all_pairs(n_left, n_right)
        pair = np.empty((n_left, n_right), dtype=np.intp)
        pair[rows, columns] = np.arange(len(rows))
        if is_symmetric:
            pair[columns, rows] = pair[rows, columns]
        return np.take(weights @ (left[:, rows] * right[:, columns]), pair, axis=1)

    products = np.empty((len(weights), n_left, n_right))
    for i, column in enumerate(left.T):
        first = i if is_symmetric else 0
        products[:, i, first:] = (weights * column) @ right[:, first:]
        if is_symmetric:
            products[:, first:, i] = products[:, i, first:]
    return products


def _all_pairs(n_left: int, n_right: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of the left and of the right column of each pair."""
    left, right = np.indices((n_left, n_right))
    return left.ravel(), right.ravel()
