r"""An e-process against the model: bets against its predictive probabilities of every batch.

The model's predictive probability of a batch of labels is the mean over its draws of :math:`\prod
p(z_i \mid s_i)`. Alternatives are the same with the log-odds of one part of the pool shifted. The
likelihood ratio has expectation one under the model, and the mean over all alternatives is an
e-process [1]_: it exceeds 1 / alpha with probability at most alpha, under repeated looks and at any
stopping time.

References
----------
.. [1] A. Ramdas, P. Grünwald, V. Vovk, G. Shafer. "Game-theoretic statistics and safe anytime-valid
   inference." Statistical Science 38 (2023) 576-601.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from ...score_mixture._e_process import SHIFTS, EProcess

__all__ = ["ModelEProcess"]

# Ends of the parts of the pool, as shares of all items from the top.
ENDS = (0.02, 0.1, 0.4)
# Scores shared by more of the items form parts of their own; and the maximum number of these.
HEAVY_TIE, MAX_TIES = 0.04, 5
# Betting on a batch stops once so few draws, and so small a share, agree with its labels so far,
# and after so many labels: the joint probability of hundreds of labels has no reliable estimate.
MIN_ESS, MIN_SHARE, MAX_AT_ONCE = 10.0, 0.2, 500


@dataclass(frozen=True, eq=False)
class ModelEProcess(EProcess):
    """E-processes of several alternatives to a model."""

    ends: np.ndarray  # (n_ends,); ranks at which parts of the pool end
    ties: np.ndarray  # (n_ties,); scores that form parts of their own
    largest: float = 0.0  # running maximum of the log of the mean e-process

    @classmethod
    def of(cls, scores, counts=None) -> ModelEProcess:
        """Divide a pool into parts, before any bet; `counts` are the items per score, or None."""
        n_items = len(scores) if counts is None else counts.sum()
        values, tie = np.unique(scores, return_inverse=True)
        counts = np.bincount(tie, counts)
        heavy = np.flatnonzero(counts > HEAVY_TIE * n_items)
        heavy = heavy[np.argsort(-counts[heavy], kind="stable")][:MAX_TIES]
        n_parts = 2 + len(ENDS) + len(heavy)
        ends = np.array(ENDS) * n_items
        return cls(np.zeros((len(SHIFTS), n_parts)), ends, values[heavy])

    def after(self, probability, weights, labels, scores, ranks) -> ModelEProcess:
        """Return the e-processes after the labels of a batch."""
        labels, scores, ranks = (part[:MAX_AT_ONCE] for part in (labels, scores, ranks))
        probability = probability[:, :MAX_AT_ONCE]
        inside = self._parts(scores, ranks).astype(float)
        with np.errstate(divide="ignore"):
            log_weights = np.log(weights)
        p = np.clip(np.asarray(probability, dtype=float), 1e-12, 1.0 - 1e-12)
        sign = np.where(labels == 1, 1.0, -1.0)
        odds = sign * special.logit(p)
        predictive = special.log_expit(odds)
        kept = _while_draws_agree(log_weights, predictive)
        odds, sign, predictive, inside = (
            odds[:, kept],
            sign[kept],
            predictive[:, kept],
            inside[:, kept],
        )
        base = log_weights + predictive.sum(axis=1)
        model = special.logsumexp(base)
        log_e_values = self.log_e_values.copy()
        for k, shift in enumerate(SHIFTS):
            more = special.log_expit(odds + sign * shift) - predictive
            rival = base[:, np.newaxis] + np.einsum("ij,kj->ik", more, inside)
            log_e_values[k] += special.logsumexp(rival, axis=0) - model
        new = replace(self, log_e_values=log_e_values)
        return replace(new, largest=max(self.largest, new.log_e_value))

    def _parts(self, scores, ranks) -> np.ndarray:
        """Return which items lie in each part, (n_parts, n_labels)."""
        band = np.searchsorted(self.ends, ranks)
        bands = [band == i for i in range(len(self.ends) + 1)]
        ties = [scores == value for value in self.ties]
        return np.array([np.ones(len(scores), dtype=bool), *bands, *ties])


def _while_draws_agree(log_weights, predictive) -> np.ndarray:
    """Return the labels that are bet on: those before which enough draws agree with the others.

    This is predictable, so that leaving out the rest keeps the e-process valid.
    """
    so_far = log_weights[:, np.newaxis] + np.cumsum(predictive, axis=1)
    weights = special.softmax(so_far, axis=0)
    agree = 1.0 / np.einsum("ij,ij->j", weights, weights)
    at_first = 1.0 / np.exp(2.0 * log_weights).sum()
    enough = np.r_[True, agree[:-1] >= min(MIN_ESS, MIN_SHARE * at_first)]
    return np.flatnonzero(np.cumprod(enough[: predictive.shape[1]]))
