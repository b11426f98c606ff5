r"""Label shift: the shares of the classes among new items, by labels that were chosen by class.

The distributions of a score given the class are those of the labeled items, and the same among the
new ones, where only the shares of the classes differ. In K bins of the score

.. math:: a \sim M(p_0), \quad b \sim M(p_1), \quad u \sim M(\pi p_1 + (1 - \pi) p_0)

are the multinomial counts of labeled negatives, of labeled positives and of new items. The
posterior of both distributions (Dirichlet priors) and of the prevalence :math:`\pi` has the
sampling errors of all three. With two bins the distributions are the specificity and the
sensitivity of a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from ..inference._draws import picked, smooth_log_weights
from ..inputs._arrays import FrozenArrays

# Labels that the prior of each class adds, over all bins: a uniform prior of two.
PRIOR_LABELS = 2.0
# Draws of two of the three distributions, in a first round that finds the range of the prevalence
# and the best of the proposals, and at the end; values of the prevalence for each.
N_FIRST, N_PROPOSED = 400, 3000
# Of fewer effective draws than the first number so many more are proposed.
GOOD_ESS, N_PATIENT = 300.0, 24_000
N_FIRST_VALUES, N_VALUES = 64, 32
# Shares of the mass of the first round below this are outside the range of the prevalence.
NEGLIGIBLE = 1e-5
# Steps of Gibbs sampling from the weighted draws, which spread those that are drawn repeatedly.
N_STEPS = 20
# Steps of the EM algorithm of the test of fit.
N_EM_STEPS = 2000


@dataclass(frozen=True, eq=False)
class ClassCounts(FrozenArrays):
    """Labeled items of each class and new items, in the bins of a score."""

    negative: np.ndarray  # (n_bins,)
    positive: np.ndarray  # (n_bins,)
    unlabeled: np.ndarray  # (n_bins,)

    @property
    def n_bins(self) -> int:
        return len(self.unlabeled)

    @cached_property
    def prior(self) -> float:
        """Labels that the prior adds to each bin of a class."""
        return PRIOR_LABELS / self.n_bins

    @property
    def misfit(self) -> float:
        """P-value of the hypothesis that the new items are a mixture of the two classes.

        The likelihood ratio of all three samples, whose number of constraints is that of the bins
        less two; with two bins the share of either verdict must lie between its rates in the
        classes.
        """
        if self.n_bins < 2:
            return 1.0
        samples = np.array([self.negative, self.positive, self.unlabeled])
        totals = samples.sum(axis=1, keepdims=True)
        if not totals.all():
            return 1.0
        free = special.xlogy(samples, samples / totals).sum()
        statistic = 2.0 * (free - self._largest_log_likelihood())
        return float(special.chdtrc(max(self.n_bins - 2, 1), max(statistic, 0.0)))

    @property
    def same_classes(self) -> float:
        """P-value of the hypothesis that the score has the same distribution in both classes."""
        labeled = np.array([self.negative, self.positive])
        labeled = labeled[:, labeled.sum(axis=0) > 0.0]
        totals = labeled.sum(axis=1, keepdims=True)
        if not totals.all() or labeled.shape[1] < 2:
            return 1.0
        pooled = labeled.sum(axis=0) / labeled.sum()
        statistic = ((labeled - totals * pooled) ** 2 / (totals * pooled)).sum()
        return float(special.chdtrc(labeled.shape[1] - 1, statistic))

    def _largest_log_likelihood(self) -> float:
        """Return the maximum of the log-likelihood of the mixture, by the EM algorithm."""
        # Half a label in each bin, so that no bin of a class starts at zero.
        of_negatives, of_positives = (
            (counts + 0.5) / (counts + 0.5).sum() for counts in (self.negative, self.positive)
        )
        prevalence = 0.5
        for _ in range(N_EM_STEPS):
            joint = prevalence * of_positives
            mixture = joint + (1.0 - prevalence) * of_negatives
            positives = np.divide(
                self.unlabeled * joint, mixture, out=np.zeros(self.n_bins), where=mixture > 0.0
            )
            before = prevalence
            prevalence = positives.sum() / self.unlabeled.sum()
            of_positives = _shares(self.positive + positives)
            of_negatives = _shares(self.negative + self.unlabeled - positives)
            if abs(prevalence - before) < 1e-9:
                break
        mixture = prevalence * of_positives + (1.0 - prevalence) * of_negatives
        log_likelihoods = (
            special.xlogy(self.negative, of_negatives),
            special.xlogy(self.positive, of_positives),
            special.xlogy(self.unlabeled, mixture),
        )
        return float(np.sum(log_likelihoods))


def _shares(counts: np.ndarray) -> np.ndarray:
    return counts / counts.sum()


@dataclass(frozen=True, eq=False)
class ClassShares(FrozenArrays):
    """Equally weighted draws of the prevalence and of the bins of each class."""

    prevalence: np.ndarray  # (n_draws, 1)
    negative: np.ndarray  # (n_draws, n_bins), shares of the bins among negatives
    positive: np.ndarray  # (n_draws, n_bins)
    ess: float  # effective number of the weighted draws that these start from
    pareto_k: float

    @property
    def log_odds(self) -> np.ndarray:
        """The log-odds of the positive class in each bin, (n_draws, n_bins)."""
        tiny = np.finfo(float).tiny
        of_positives = np.log(np.maximum(self.positive, tiny))
        of_negatives = np.log(np.maximum(self.negative, tiny))
        return special.logit(self.prevalence) + of_positives - of_negatives

    @classmethod
    def drawn(
        cls,
        counts: ClassCounts,
        n_draws: int,
        rng: np.random.Generator,
        prevalence_prior: tuple[float, float] = (1.0, 1.0),
    ) -> ClassShares:
        """Draw from the posterior; the prior of the prevalence is a Beta distribution.

        Importance sampling: two of the three distributions are drawn, the third one is theirs at
        each value of the prevalence. Of few new items both classes are drawn and the new items
        weigh them; of many the new items and one class are drawn, and the labels of the other class
        weigh what is left of the new items. The first draws tell which is best.
        """
        proposals = [
            _ShareProposal(counts, prevalence_prior, solved_for) for solved_for in (None, 0, 1)
        ]
        first = [p.weighted(rng, N_FIRST, N_FIRST_VALUES, 0.0, 1.0) for p in proposals]
        best = int(np.argmax([draws.ess for draws in first]))
        low, high = first[best].range_of_prevalence()

        drawn = proposals[best].weighted(rng, N_PROPOSED, N_VALUES, low, high)
        if drawn.ess < GOOD_ESS:
            drawn = proposals[best].weighted(rng, N_PATIENT, N_VALUES, low, high)
        shares = _moved(counts, prevalence_prior, *drawn.picked(rng, n_draws), rng)
        return cls(*shares, drawn.ess, drawn.pareto_k)


@dataclass(frozen=True, eq=False)
class _ShareProposal:
    """Draws of two of three distributions, with the third one as a function of the prevalence."""

    counts: ClassCounts
    prevalence_prior: tuple[float, float]
    solved_for: int | None  # the class whose distribution is solved for; None for the new items

    def weighted(
        self, rng: np.random.Generator, n: int, n_values: int, low: float, high: float
    ) -> _WeightedShares:
        """Return draws with weights for values of the prevalence, one in each part of a range."""
        counts = self.counts
        # A value within each part is drawn, so that the mean weight has no error of a grid.
        parts = np.arange(n_values) + rng.random((n, 1))
        prevalence = np.clip(low + (high - low) * parts / n_values, 1e-12, 1.0 - 1e-12)
        a, b = self.prevalence_prior
        log_weights = special.xlogy(a - 1.0, prevalence) + special.xlog1py(b - 1.0, -prevalence)

        labeled = counts.negative + counts.prior, counts.positive + counts.prior
        if self.solved_for is None:
            negative, positive = (rng.dirichlet(of_class, n) for of_class in labeled)
            for k in range(counts.n_bins):
                mixture = prevalence * positive[:, [k]] + (1.0 - prevalence) * negative[:, [k]]
                log_weights += special.xlogy(counts.unlabeled[k], mixture)
            return _WeightedShares(log_weights, prevalence, negative, positive, None)

        mixture = rng.dirichlet(counts.unlabeled + 1.0, n)
        drawn = rng.dirichlet(labeled[1 - self.solved_for], n)
        share = prevalence if self.solved_for == 1 else 1.0 - prevalence
        log_weights -= (counts.n_bins - 1.0) * np.log(share)
        for k in range(counts.n_bins):
            solved = (mixture[:, [k]] - (1.0 - share) * drawn[:, [k]]) / share
            is_possible = solved > 0.0
            log_density = (labeled[self.solved_for][k] - 1.0) * np.log(
                np.where(is_possible, solved, 1.0)
            )
            log_weights += np.where(is_possible, log_density, -np.inf)
        return _WeightedShares(log_weights, prevalence, mixture, drawn, self.solved_for)


@dataclass(frozen=True, eq=False)
class _WeightedShares:
    """Draws of two distributions, each with weights of values of the prevalence."""

    log_weights: np.ndarray  # (n_proposed, n_values)
    prevalence: np.ndarray  # (n_proposed, n_values)
    first: np.ndarray  # (n_proposed, n_bins): negatives, or the new items
    second: np.ndarray  # (n_proposed, n_bins): positives, or the class that is not solved for
    solved_for: int | None

    @cached_property
    def _weights(self) -> np.ndarray:
        """Unnormalized weights, (n_proposed, n_values); zero where none is possible."""
        largest = self.log_weights.max()
        if not np.isfinite(largest):
            return np.zeros_like(self.log_weights)
        return np.exp(self.log_weights - largest)

    @property
    def ess(self) -> float:
        """The effective number of proposals."""
        of_proposals = self._weights.sum(axis=1)
        squares = float((of_proposals**2).sum())
        return float(of_proposals.sum()) ** 2 / squares if squares > 0.0 else 0.0

    @property
    def pareto_k(self) -> float:
        """k-hat of the weights."""
        with np.errstate(divide="ignore"):
            return smooth_log_weights(np.log(self._weights.sum(axis=1)))[1]

    def range_of_prevalence(self) -> tuple[float, float]:
        """Return where the prevalence has mass, of values in equal parts of (0, 1)."""
        mass = self._weights.sum(axis=0)
        n_values = len(mass)
        occupied = np.flatnonzero(mass > NEGLIGIBLE * mass.sum())
        if not len(occupied):
            return 0.0, 1.0
        return max(occupied[0] - 2, 0) / n_values, min(occupied[-1] + 3, n_values) / n_values

    def picked(
        self, rng: np.random.Generator, n_draws: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return equally weighted draws of the prevalence, of negatives and of positives."""
        of_proposals = self._weights.sum(axis=1)
        rows = rng.permutation(picked(of_proposals / of_proposals.sum(), n_draws))
        cumulated = np.cumsum(self._weights[rows], axis=1)
        levels = rng.random((n_draws, 1)) * cumulated[:, -1:]
        # A level is smaller than the total, since a random number is smaller than one.
        column = (cumulated <= levels).sum(axis=1)
        prevalence = self.prevalence[rows, column][:, np.newaxis]

        first = self.first[rows]
        second = self.second[rows]
        if self.solved_for is None:
            return prevalence, first, second
        share = prevalence if self.solved_for == 1 else 1.0 - prevalence
        solved = np.maximum((first - (1.0 - share) * second) / share, 0.0)
        return (prevalence, second, solved) if self.solved_for else (prevalence, solved, second)


def _moved(
    counts: ClassCounts,
    prevalence_prior: tuple[float, float],
    prevalence: np.ndarray,
    negative: np.ndarray,
    positive: np.ndarray,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return draws after steps of Gibbs sampling, each with the classes of the new items drawn."""
    n_new = counts.unlabeled.astype(np.int64)
    a, b = prevalence_prior
    for _ in range(N_STEPS):
        joint = prevalence * positive
        mixture = joint + (1.0 - prevalence) * negative
        probability = np.divide(joint, mixture, out=np.zeros_like(joint), where=mixture > 0.0)
        n_positive = rng.binomial(n_new, np.minimum(probability, 1.0))

        positive = rng.standard_gamma(counts.positive + counts.prior + n_positive)
        negative = rng.standard_gamma(counts.negative + counts.prior + n_new - n_positive)
        positive /= positive.sum(axis=1, keepdims=True)
        negative /= negative.sum(axis=1, keepdims=True)
        total = n_positive.sum(axis=1, keepdims=True)
        prevalence = rng.beta(a + total, b + n_new.sum() - total)
    return np.clip(prevalence, 1e-12, 1.0 - 1e-12), negative, positive
