r"""Label shift of several classes: their shares among new items, by labels chosen by class.

The predictions of a class are those of its labeled items, and the same among the new ones, where
only the shares of the classes differ. With the rows :math:`A_k`, the distribution of the predicted
class given the true class k,

.. math:: n_k \sim M(A_k), \quad u \sim M\Bigl(\sum_k \pi_k A_k\Bigr)

are the multinomial counts of the labeled items of a class, and of the new ones by their predicted
class. Both have Dirichlet priors: even shares of the classes, and rows around the recall of all
labels, with errors even, that count as one label. Gibbs sampling draws the true classes of the new
items, given which all distributions are Dirichlet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ._known_positives import KnownPositives
from ._posterior import UpdatedDraws, digest_of

# Labels that the prior of each class adds, over all predicted classes.
PRIOR_LABELS = 1.0
# Chains of Gibbs sampling, their first steps, which are left out, and those between two draws.
N_CHAINS, N_FIRST, N_BETWEEN = 50, 300, 15
# More new items than this for each label make chains slow and distributions no sharper.
MAX_NEW = 10.0


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionPosterior(UpdatedDraws):
    """Draws of the distribution of the true class of new items, given the predicted one."""

    of_predicted: np.ndarray  # (n_draws, n_classes, n_classes), by predicted and true class
    n_new: float  # number of new items
    # no information on the number of errors beside labels
    known_positives: ClassVar[KnownPositives] = KnownPositives()

    @classmethod
    def drawn(
        cls, labeled: np.ndarray, new: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> ConfusionPosterior:
        """Draw from the posterior.

        `labeled` (n_classes, n_classes) are the labeled items by true and predicted class, `new`
        (n_classes,) the new ones by predicted class.
        """
        n_classes = len(new)
        recall = (np.trace(labeled) + 0.5) / (labeled.sum() + 1.0)
        prior = np.full(labeled.shape, (1.0 - recall) / (n_classes - 1))
        np.fill_diagonal(prior, recall)
        shapes = labeled + PRIOR_LABELS * prior
        thinned = np.ceil(new * min(1.0, MAX_NEW * labeled.sum() / new.sum())).astype(np.int64)
        rows = _dirichlet(np.broadcast_to(shapes, (N_CHAINS, *shapes.shape)), rng)
        shares = rng.dirichlet(np.ones(n_classes), N_CHAINS)

        n_each = -(-n_draws // N_CHAINS)
        draws = []
        for step in range(N_FIRST + n_each * N_BETWEEN):
            of_predicted = _of_predicted(rows, shares)
            # By predicted and true class.
            true = rng.multinomial(thinned, of_predicted)
            rows = _dirichlet(shapes + true.transpose(0, 2, 1), rng)
            shares = _dirichlet(1.0 + true.sum(axis=1), rng)
            if step >= N_FIRST and (step - N_FIRST) % N_BETWEEN == 0:
                draws.append(_of_predicted(rows, shares))
        drawn = np.concatenate(draws)[:n_draws]
        return cls(drawn, float(new.sum()))

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return len(self.of_predicted)

    @property
    def ess(self) -> float:
        """Effective sample size: chains of equal weight."""
        return float(self.n_draws)

    @property
    def pareto_k(self) -> float:
        """k-hat: there are no importance weights."""
        return 0.0

    @property
    def is_complete(self) -> bool:
        """Whether all items are labeled: none of the new ones is."""
        return False

    @property
    def n_weighted_items(self) -> float:
        """Number of new items."""
        return self.n_new

    @cached_property
    def digest(self) -> str:
        """Hash that identifies the draws."""
        return digest_of(self.of_predicted)

    @cached_property
    def of_errors(self) -> np.ndarray:
        """Probability of an error of each predicted class, (n_draws, n_classes)."""
        return 1.0 - np.diagonal(self.of_predicted, axis1=1, axis2=2)


def _dirichlet(shapes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw Dirichlet distributions along the last axis."""
    drawn = np.maximum(rng.standard_gamma(shapes), np.finfo(float).tiny)
    return drawn / drawn.sum(axis=-1, keepdims=True)


def _of_predicted(rows: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the distribution of the true class given the predicted one, by Bayes' rule.

    `rows` is (n, n_classes, n_classes) by true and predicted class, `shares` (n, n_classes).
    """
    joint = (shares[:, :, np.newaxis] * rows).transpose(0, 2, 1)
    return joint / joint.sum(axis=2, keepdims=True)
