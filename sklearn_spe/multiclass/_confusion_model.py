r"""Confusion model: the true class of an item whose predicted class is wrong.

.. math:: q_c \propto e^{\tau z_c - \kappa m_c} \Bigl(
          (1 - \epsilon) \frac{p_c^\beta}{\sum_k p_k^\beta} + \frac{\epsilon}{K - 1} \Bigr),
          \qquad c \ne \hat y

The classifier's own probabilities of the other classes, raised to a power to correct over- or
underconfidence; a share of errors that are uniform over classes; and random effects of the true
class. Where a class is rarer than the classifier assumes, predictions of it are wrong more often,
by :math:`m_c`, and it is the true class of errors less often: :math:`\kappa = 1` is the case of
pure prior shift. Labels of errors update all four.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from .._arrays import FrozenArrays, row_tiles
from ..inference._smc import systematic_resample
from ..inference._tempering import power_with_ess

__all__ = ["ConfusionModel"]

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
MIN_STEP = 1e-3


@dataclass(frozen=True, eq=False)
class ConfusionModel(FrozenArrays):
    """Equally weighted particles of the distribution of the true class given an error."""

    # (n_laws, 3 + n_classes [+ n_systems]), standard normal a priori: the power, the uniform share,
    # kappa, each class, and each of several classifiers
    normal: np.ndarray
    size: np.ndarray  # (n_laws,), standard deviation of the class effects
    shift: np.ndarray  # (n_classes,), class effects on the error log-odds

    @classmethod
    def updated(
        cls, log_others, predicted, true, shift, rng: np.random.Generator
    ) -> ConfusionModel:
        """Draw particles from the posterior given the labels of errors.

        `log_others` (n_systems, n_mistakes, n_classes) is `ClassScores.log_others` of the labeled
        errors, `predicted` and `true` are (n_mistakes,), `shift` is (n_classes,).
        """
        n_systems, _, n_classes = log_others.shape
        n_normal = N_COMMON + n_classes + (n_systems if n_systems > 1 else 0)
        distributions = cls(
            rng.standard_normal((N_DISTRIBUTIONS, n_normal)),
            rng.choice(SIZES, size=N_DISTRIBUTIONS, p=SIZE_WEIGHTS),
            np.asarray(shift, dtype=float),
        )
        if not len(true):
            return distributions
        log_likelihood, power = distributions.log_likelihood(log_others, predicted, true), 0.0
        while power < 1.0:
            step = power_with_ess(log_likelihood, N_DISTRIBUTIONS / 2.0, 1.0 - power)
            step = max(step, min(MIN_STEP, 1.0 - power))
            chosen = systematic_resample(special.softmax(step * log_likelihood), rng)
            distributions, log_likelihood = distributions.take(chosen), log_likelihood[chosen]
            power = min(1.0, power + step)
            for _ in range(MOVES_BETWEEN if power < 1.0 else LAST_MOVES):
                proposed = distributions.proposed(rng)
                log = proposed.log_likelihood(log_others, predicted, true)
                accepted = np.log(rng.random(N_DISTRIBUTIONS)) < power * (log - log_likelihood)
                distributions = distributions.where(accepted, proposed)
                log_likelihood = np.where(accepted, log, log_likelihood)
        return distributions

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
    def favour(self) -> np.ndarray:
        """Factors of the class probabilities, (n_laws, n_classes)."""
        kappa = KAPPA[0] + KAPPA[1] * self.normal[:, 2:3]
        own = self.normal[:, N_COMMON : N_COMMON + self.n_classes]
        return np.exp(self.size[:, np.newaxis] * own - kappa * self.shift)

    @property
    def shares(self) -> np.ndarray:
        """Weights of the classifiers, (n_laws, n_systems); rows sum to one."""
        normal = self.normal[:, N_COMMON + self.n_classes :]
        if not normal.shape[1]:
            return np.ones((len(normal), 1))
        return special.softmax(SIZE_OF_WEIGHTS * normal, axis=1)

    def take(self, indices) -> ConfusionModel:
        return replace(self, normal=self.normal[indices], size=self.size[indices])

    def where(self, accepted, other: ConfusionModel) -> ConfusionModel:
        """Return another's particles where accepted, else these."""
        normal = np.where(accepted[:, np.newaxis], other.normal, self.normal)
        return replace(self, normal=normal, size=np.where(accepted, other.size, self.size))

    def proposed(self, rng) -> ConfusionModel:
        """Propose particles by moves that leave the prior invariant."""
        steps = rng.choice(STEP_SIZES, size=(len(self.size), 1))
        noise = rng.standard_normal(self.normal.shape)
        anew = rng.random(len(self.size)) < REDRAW_SIZE
        size = rng.choice(SIZES, size=len(self.size), p=SIZE_WEIGHTS)
        return replace(
            self,
            normal=np.sqrt(1.0 - steps**2) * self.normal + steps * noise,
            size=np.where(anew, size, self.size),
        )

    def log_likelihood(self, log_others, predicted, true) -> np.ndarray:
        """Return the log likelihood of the true classes of errors, for each particle."""
        total = np.zeros(len(self.size))
        for part in row_tiles(len(true), self.normal.size):
            own, rows = true[part], np.arange(len(true[part]))
            weights = self._weights(log_others[:, part], predicted[part])
            found = weights[:, rows, own] / weights.sum(axis=2)
            total += np.log(np.maximum(found, np.finfo(float).tiny)).sum(axis=1)
        return total

    def probability(self, distribution: int, log_others, predicted) -> np.ndarray:
        """Return the class probabilities of errors under one particle, (n_items, n_classes).

        `log_others` (n_systems, n_items, n_classes) is `ClassScores.log_others`. The predicted
        class has zero probability; rows sum to one.
        """
        (weights,) = self.take([distribution])._weights(log_others, predicted)
        return weights / weights.sum(axis=1, keepdims=True)

    def _weights(self, log_others, predicted) -> np.ndarray:
        """Return unnormalized class probabilities, (n_laws, n_items, n_classes)."""
        power, blind = (part[:, np.newaxis, np.newaxis] for part in (self.power, self.blind))
        mean = np.einsum("ls,sij->lij", self.shares, log_others)
        if len(log_others) > 1:
            mean -= mean.max(axis=2, keepdims=True)
        with np.errstate(under="ignore"):
            weights = np.exp(power * mean)
            weights *= (1.0 - blind) / weights.sum(axis=2, keepdims=True)
        weights += blind / (self.n_classes - 1)
        weights *= self.favour[:, np.newaxis]
        weights[:, np.arange(len(predicted)), predicted] = 0.0
        return weights
