r"""Confusion model: the true class of an item whose predicted class is wrong.

.. math:: q_c \propto e^{\tau z_c - \kappa m_c} \Bigl(
          (1 - \epsilon) \frac{p_c^\beta}{\sum_k p_k^\beta} + \frac{\epsilon}{K - 1} \Bigr),
          \qquad c \ne \hat y

The classifier's own probabilities of the other classes, raised to a power to correct over- or
underconfidence; a share of errors that are uniform over classes; and random effects of the true
class. Where a class is rarer than the classifier assumes, predictions of it are wrong more often,
by :math:`m_c`, and it is the true class of errors less often: :math:`\kappa = 1` is the case of
pure prior shift. Effects of pairs of classes multiply the result (`_pair_effects`). Labels of
errors update all five.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from ..inference._sampling import power_with_ess, systematic_resample
from ..inputs._arrays import FrozenArrays, row_tiles
from ._pair_effects import (
    CONCENTRATION_WEIGHTS,
    CONCENTRATIONS,
    PredictedRows,
    draw_concentrations,
    draw_ratios,
    log_probability_of_errors,
)

# Number of particles that represent the posterior.
N_DISTRIBUTIONS = 64
# Parameters: the power, the uniform share and kappa.
N_COMMON = 3
# Normal priors of log beta and of the log-odds of epsilon.
LOG_POWER, LOG_ODDS_BLIND = (-0.4, 0.8), (-2.0, 1.0)
# Grid of effect sizes tau, and their prior probabilities.
SIZES, SIZE_WEIGHTS = np.array([0.1, 0.5, 1.2]), np.array([0.4, 0.35, 0.25])
# Moves of each particle at the end and between two steps; probability of redrawing the size.
LAST_MOVES, MOVES_BETWEEN = 16, 4
# Mean and standard deviation of kappa.
KAPPA = (0.5, 0.5)
# Prior standard deviation of the log weights of several classifiers.
SIZE_OF_WEIGHTS = 1.5
STEP_SIZES = (0.15, 0.35, 0.8)
REDRAW_SIZE = 0.2
# The concentration of a prior that counts as one label.
ONE_LABEL = 1.0
MIN_STEP = 1e-3


@dataclass(frozen=True, eq=False)
class LabeledErrors(FrozenArrays):
    """The labeled items whose predicted class is wrong."""

    log_others: np.ndarray  # (n_systems, n_mistakes, n_classes), `ClassScores.log_others`
    predicted: np.ndarray  # (n_mistakes,)
    true: np.ndarray  # (n_mistakes,)
    counts: np.ndarray  # (n_mistakes,), for how many items each counts


@dataclass(frozen=True, eq=False)
class ConfusionModel(FrozenArrays):
    """Equally weighted particles of the distribution of the true class given an error."""

    # (n_distributions, 3 + n_classes [+ n_systems]), standard normal a priori: the power, the
    # uniform share, kappa, each class, and each of several classifiers
    normal: np.ndarray
    size: np.ndarray  # (n_distributions,), standard deviation of the class effects
    shift: np.ndarray  # (n_classes,), class effects on the error log-odds
    # (n_distributions, n_classes, n_classes), by predicted and true class, factors of probabilities
    of_pairs: np.ndarray | None = None

    @classmethod
    def updated(
        cls,
        errors: LabeledErrors,
        shift: np.ndarray,
        rng: np.random.Generator,
        rows: PredictedRows | None = None,
        by_labels: np.ndarray | None = None,
    ) -> ConfusionModel:
        """Draw particles from the posterior given the labels of errors.

        `shift` is (n_classes,). Without `rows` of all items there are no effects of pairs.
        `by_labels` (n_distributions, n_classes) tells which particles take those of a predicted
        class from the labels alone.
        """
        n_systems, _, n_classes = errors.log_others.shape
        n_normal = N_COMMON + n_classes + (n_systems if n_systems > 1 else 0)
        particles = cls(
            rng.standard_normal((N_DISTRIBUTIONS, n_normal)),
            rng.choice(SIZES, size=N_DISTRIBUTIONS, p=SIZE_WEIGHTS),
            np.asarray(shift, dtype=float),
        )
        if len(errors.true):
            particles = particles._given(errors, rows, rng)
        return particles if rows is None else particles._with_pairs(errors, rows, by_labels, rng)

    def _with_pairs(
        self,
        errors: LabeledErrors,
        rows: PredictedRows,
        by_labels: np.ndarray | None,
        rng: np.random.Generator,
    ) -> ConfusionModel:
        """Draw the effects of pairs, given the other parameters of each particle."""
        concentration = draw_concentrations(self._log_likelihoods(errors, rows), rng)
        if by_labels is not None:
            concentration = np.where(by_labels[:, rows.classes], ONE_LABEL, concentration)
        n_errors = rows.errors_by_class(errors.predicted, errors.true, errors.counts)
        of_pairs = np.ones((len(self.size), self.n_classes, self.n_classes))
        of_pairs[:, rows.classes] = draw_ratios(self._expected(rows), n_errors, concentration, rng)
        return replace(self, of_pairs=of_pairs)

    def _given(
        self, errors: LabeledErrors, rows: PredictedRows | None, rng: np.random.Generator
    ) -> ConfusionModel:
        """Return particles of the posterior, from those of the prior."""
        particles = self

        # Temper the likelihood from zero to its full power, half of the particles at a time.
        log_likelihood = particles.log_likelihood(errors, rows)
        power = 0.0
        while power < 1.0:
            step = power_with_ess(log_likelihood, N_DISTRIBUTIONS / 2.0, 1.0 - power)
            step = max(step, min(MIN_STEP, 1.0 - power))
            resampled = systematic_resample(special.softmax(step * log_likelihood), rng)
            particles = particles.take(resampled)
            log_likelihood = log_likelihood[resampled]
            power = min(1.0, power + step)

            # Move the particles by steps of Metropolis and Hastings.
            for _ in range(MOVES_BETWEEN if power < 1.0 else LAST_MOVES):
                proposed = particles.proposed(rng)
                proposed_log_likelihood = proposed.log_likelihood(errors, rows)
                log_ratio = power * (proposed_log_likelihood - log_likelihood)
                accepted = np.log(rng.random(N_DISTRIBUTIONS)) < log_ratio
                particles = particles.where(accepted, proposed)
                log_likelihood = np.where(accepted, proposed_log_likelihood, log_likelihood)
        return particles

    @property
    def power(self) -> np.ndarray:
        """Exponent of the classifier's own probabilities."""
        return np.exp(LOG_POWER[0] + LOG_POWER[1] * self.normal[:, 0])

    @property
    def blind(self) -> np.ndarray:
        """The share of errors that are uniform over the other classes."""
        return special.expit(LOG_ODDS_BLIND[0] + LOG_ODDS_BLIND[1] * self.normal[:, 1])

    @property
    def n_classes(self) -> int:
        return len(self.shift)

    @property
    def favor(self) -> np.ndarray:
        """Factors of the class probabilities, (n_distributions, n_classes)."""
        kappa = KAPPA[0] + KAPPA[1] * self.normal[:, 2:3]
        normal = self.normal[:, N_COMMON : N_COMMON + self.n_classes]
        return np.exp(self.size[:, np.newaxis] * normal - kappa * self.shift)

    @property
    def shares(self) -> np.ndarray:
        """Weights of the classifiers, (n_distributions, n_systems); rows sum to one."""
        normal = self.normal[:, N_COMMON + self.n_classes :]
        if not normal.shape[1]:
            return np.ones((len(normal), 1))
        return special.softmax(SIZE_OF_WEIGHTS * normal, axis=1)

    def take(self, indices: np.ndarray | list[int]) -> ConfusionModel:
        of_pairs = None if self.of_pairs is None else self.of_pairs[indices]
        return replace(
            self,
            normal=self.normal[indices],
            size=self.size[indices],
            of_pairs=of_pairs,
        )

    def where(self, accepted: np.ndarray, other: ConfusionModel) -> ConfusionModel:
        """Return another's particles where accepted, else these."""
        normal = np.where(accepted[:, np.newaxis], other.normal, self.normal)
        size = np.where(accepted, other.size, self.size)
        return replace(self, normal=normal, size=size)

    def proposed(self, rng: np.random.Generator) -> ConfusionModel:
        """Propose particles by moves that leave the prior invariant."""
        steps = rng.choice(STEP_SIZES, size=(len(self.size), 1))
        noise = rng.standard_normal(self.normal.shape)
        is_redrawn = rng.random(len(self.size)) < REDRAW_SIZE
        size = rng.choice(SIZES, size=len(self.size), p=SIZE_WEIGHTS)
        return replace(
            self,
            normal=np.sqrt(1.0 - steps**2) * self.normal + steps * noise,
            size=np.where(is_redrawn, size, self.size),
        )

    def log_likelihood(self, errors: LabeledErrors, rows: PredictedRows | None) -> np.ndarray:
        """Return the log likelihood of the true classes of errors, for each particle."""
        if rows is None:
            code = np.zeros(len(errors.true), dtype=int)
            return self._log_likelihood_of_items(errors, code, 1)[:, 0]
        log_weights = np.log(CONCENTRATION_WEIGHTS)[:, np.newaxis, np.newaxis]
        of_classes = special.logsumexp(log_weights + self._log_likelihoods(errors, rows), axis=0)
        return of_classes.sum(axis=1)

    def _log_likelihoods(self, errors: LabeledErrors, rows: PredictedRows) -> np.ndarray:
        """Return the log likelihood of the errors of each predicted class.

        The result is (n_concentrations, n_distributions, n_predicted). Effects of pairs speak of
        all errors of a predicted class; without them the likelihood sees the items.
        """
        expected = self._expected(rows)
        n_errors = rows.errors_by_class(errors.predicted, errors.true, errors.counts)
        has_errors = np.flatnonzero(n_errors.sum(axis=1))
        code = np.searchsorted(rows.classes, errors.predicted)
        n_predicted = len(rows.classes)
        without_pairs = self._log_likelihood_of_items(errors, code, n_predicted)

        log_likelihoods = np.zeros((len(CONCENTRATIONS), len(self.size), n_predicted))
        for of_concentration, concentration in zip(log_likelihoods, CONCENTRATIONS, strict=True):
            if np.isfinite(concentration):
                of_concentration[:, has_errors] = log_probability_of_errors(
                    expected[:, has_errors], n_errors[has_errors], concentration
                )
            else:
                of_concentration[:] = without_pairs
        return log_likelihoods

    def _log_likelihood_of_items(
        self, errors: LabeledErrors, code: np.ndarray, n_codes: int
    ) -> np.ndarray:
        """Return the log likelihood without effects of pairs, which sees the items.

        The result is (n_distributions, n_codes), a sum over the errors of each code.
        """
        is_code = (code[:, np.newaxis] == np.arange(n_codes)) * errors.counts[:, np.newaxis]
        total = np.zeros((len(self.size), n_codes))
        for part in row_tiles(len(errors.true), self.normal.size):
            true_classes = errors.true[part]
            items = np.arange(len(true_classes))
            weights = self._weights(errors.log_others[:, part], errors.predicted[part])
            shares = weights[:, items, true_classes] / weights.sum(axis=2)
            log_shares = np.log(np.maximum(shares, np.finfo(float).tiny))
            total += np.einsum("ij,jk->ik", log_shares, is_code[part])
        return total

    def _expected(self, rows: PredictedRows) -> np.ndarray:
        """Return the mean distribution of the errors of each predicted class."""
        weights = self._weights(rows.log_others, rows.predicted)
        return rows.mean_by_class(weights / weights.sum(axis=2, keepdims=True))

    def probability(
        self, distribution: int, log_others: np.ndarray, predicted: np.ndarray
    ) -> np.ndarray:
        """Return the class probabilities of errors under one particle, (n_items, n_classes).

        `log_others` (n_systems, n_items, n_classes) is `ClassScores.log_others`. The predicted
        class has zero probability; rows sum to one.
        """
        (weights,) = self.take([distribution])._weights(log_others, predicted)
        return weights / weights.sum(axis=1, keepdims=True)

    def _weights(self, log_others: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """Return unnormalized class probabilities, (n_distributions, n_items, n_classes)."""
        power = self.power[:, np.newaxis, np.newaxis]
        blind = self.blind[:, np.newaxis, np.newaxis]
        mean = np.einsum("ls,sij->lij", self.shares, log_others)
        if len(log_others) > 1:
            mean -= mean.max(axis=2, keepdims=True)

        # The classifier's probabilities to a power, and the share that is uniform.
        with np.errstate(under="ignore"):
            weights = np.exp(power * mean)
            weights *= (1.0 - blind) / weights.sum(axis=2, keepdims=True)
        weights += blind / (self.n_classes - 1)

        # The effects of the true class, which is not the predicted one.
        weights *= self.favor[:, np.newaxis]
        weights[:, np.arange(len(predicted)), predicted] = 0.0
        if self.of_pairs is None:
            return weights
        weights /= weights.sum(axis=2, keepdims=True)
        with_pairs = weights * self.of_pairs[:, predicted]
        # Of an item whose other classes all have the factor zero nothing would be left.
        is_left = with_pairs.sum(axis=2, keepdims=True) > 0.0
        return np.where(is_left, with_pairs, weights)
