r"""E-processes on the labels of a fit, against its own model.

An alternative has the model's curves with the log-odds of one part of the scores shifted. The ratio
of the marginal likelihoods of all labels is an e-value: its expectation is one under the model, so
that the mean of such ratios exceeds :math:`1 / \alpha` with probability at most :math:`\alpha`
[1]_. It equals the posterior expectation of the likelihood ratio, :math:`Z' / Z = E[L'(f) / L(f)
\mid Y]`, so that no sequential pass over the labels is needed.

References
----------
.. [1] A. Ramdas, P. Grünwald, V. Vovk, G. Shafer. "Game-theoretic statistics and safe anytime-valid
   inference." Statistical Science 38 (2023) 576-601.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from .._posterior import Posterior
from ..inputs._score_direction import ScoreDirection
from ..results._verdict import Reason
from ._e_process import SHIFTS, EProcess

__all__ = ["LabelEProcess", "parts_of_scores"]

# Boundaries of the parts of the scores, as shares of all items from the top.
ENDS = (0.02, 0.1, 0.4, 1.0)
# E-value at which the model is rejected.
FALSE_ALARM = 0.03
# Above this number of labeled scores, pool them into cells.
MAX_LABELED = 150


@dataclass(frozen=True, eq=False)
class LabelEProcess(EProcess):
    """E-values of alternatives to a model, given the labels."""

    others: tuple[str, ...] = ()  # names of these other parts

    @classmethod
    def of(cls, posterior: Posterior) -> LabelEProcess:
        """Compute the e-values of all labels of a posterior's sample."""
        labeled = posterior.sample.labeled()
        # Draws around a likelihood maximum are not a posterior, and give no e-value.
        if not labeled.n_cells or posterior.kind != "posterior":
            return cls(np.zeros((len(SHIFTS), 1 + len(ENDS))))
        if labeled.n_cells > MAX_LABELED:
            labeled = labeled.merged(np.linspace(0, labeled.n_cells - 1, MAX_LABELED).astype(int))
        parts = (posterior.labeled_probability(labeled.scores, b) for b in posterior.blocks())
        return cls.placed(
            parts, posterior, labeled, parts_of_scores(posterior.sample, labeled.scores)
        )

    @classmethod
    def placed(
        cls, probabilities, posterior: Posterior, labeled, inside, others=()
    ) -> LabelEProcess:
        """Compute the e-values of labels, given their probabilities.

        `probabilities` yields P(y = 1) block by block, (n_rows, n_labeled), for the draws of
        `posterior`; `labeled` has the counts `positive` and `negative`, (n_labeled,); `inside`
        (n_parts, n_labeled) tells which labels lie in each part: all, those between two `ENDS`, and
        the `others`.
        """
        log_ratios = [np.empty((len(SHIFTS), 0, len(inside)))]
        for p in probabilities:
            log_odds = special.logit(np.clip(p, 1e-12, 1.0 - 1e-12))
            log_ratios.append(_log_ratios(log_odds, labeled, inside))
        with np.errstate(divide="ignore"):
            log_weights = np.log(posterior.weights)
        log_ratio = np.concatenate(log_ratios, axis=1) + log_weights[:, np.newaxis]
        return cls(special.logsumexp(log_ratio, axis=1), tuple(others))

    def reasons(self, score_direction: ScoreDirection):
        """Yield a reason if the e-value rejects the model."""
        e_value = float(np.exp(min(self.log_e_value, 700.0)))
        if e_value <= 1.0 / FALSE_ALARM:
            return
        shift, part = np.unravel_index(np.argmax(self.log_e_values), self.log_e_values.shape)
        kind = "Fewer" if SHIFTS[shift] < 0.0 else "More"
        where = self._where(int(part), score_direction)
        yield Reason(
            "labels_bet",
            "misfit",
            f"{kind} items are positive {where} than the model predicts: if it were right, this "
            f"would occur in at most one of {e_value:.3g} fits. Bands are too narrow there: "
            "check the labels, and label more of these items.",
            e_value,
            1.0 / FALSE_ALARM,
        )

    def _where(self, part: int, score_direction: ScoreDirection) -> str:
        """Return the name of a part of the scores."""
        if part == 0:
            return "among all scores"
        if part > len(ENDS):
            return self.others[part - len(ENDS) - 1]
        first, last = (0.0, *ENDS)[part - 1 : part + 1]
        return (
            f"between the {score_direction.word('highest')} {first:.0%} and {last:.0%} of the "
            f"scores"
        )


def _log_ratios(log_odds, labeled, inside) -> np.ndarray:
    """Return the log likelihood ratio of each shift, (n_shifts, n_rows, n_parts).

    For log-odds (n_rows, n_labeled). A shift c adds g to the log likelihood of a positive label,
    and g - c to that of a negative one.
    """
    counts, log_p = labeled.positive + labeled.negative, special.log_expit(log_odds)
    gains = [special.log_expit(log_odds + shift) - log_p for shift in SHIFTS]
    of_negatives = np.multiply.outer(SHIFTS, np.einsum("lj,j->l", inside, labeled.negative))
    return np.einsum("kij,lj->kil", gains, inside * counts) - of_negatives[:, np.newaxis]


def parts_of_scores(sample, scores) -> np.ndarray:
    """Return which scores lie in each part: all of them, and those between two `ENDS`."""
    above = 1.0 - np.cumsum(sample.counts) / sample.counts.sum()
    share = above[np.searchsorted(sample.scores, scores, side="right") - 1]
    part = np.searchsorted(ENDS, share, side="right")
    each = [part == k for k in range(len(ENDS))]
    return np.array([np.ones(len(scores), dtype=bool), *each], dtype=float)
