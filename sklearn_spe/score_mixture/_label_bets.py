r"""Bets on the labels of one fit, against the model that they were fitted with.

A rival has the model's curves with the log-odds of one part of the scores shifted. The ratio of
what both say of all labels is a bet whose expectation is one if the model is right, so that the
mean of such ratios exceeds :math:`1 / \alpha` with a probability of at most :math:`\alpha` [1]_.
Its value is the posterior expectation of the ratio of the likelihoods,
:math:`Z' / Z = E[L'(f) / L(f) \mid Y]`: no label has to wait for another one.

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
from ..inputs._orientation import Orientation
from ..results._verdict import Reason
from ._rival_wealth import SHIFTS, RivalWealth

__all__ = ["LabelBets", "parts_of_scores"]

# Where parts of the scores end, as shares of all items from the top.
ENDS = (0.02, 0.1, 0.4, 1.0)
# The model is right and the bets are worth as much once in so many fits at most.
FALSE_ALARM = 0.03
# More labelled scores than these are gathered.
MOST_LABELED = 150


@dataclass(frozen=True, eq=False)
class LabelBets(RivalWealth):
    """What rivals of a model won on the labels.

    Attributes
    ----------
    log_wealth : ndarray of shape (n_shifts, n_parts)
        The log of what was won by each shift of all scores, of those between two of `ENDS`, and of
        other parts of the items.
    others : tuple of str
        Where these other parts are, in words.
    """

    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, posterior: Posterior) -> LabelBets:
        """Bet on all labels of a posterior's sample."""
        labeled = posterior.sample.labeled()
        # Around a maximum of the likelihood draws are no posterior, and their mean no bet.
        if not labeled.n_cells or posterior.kind != "posterior":
            return cls(np.zeros((len(SHIFTS), 1 + len(ENDS))))
        if labeled.n_cells > MOST_LABELED:
            labeled = labeled.merged(np.linspace(0, labeled.n_cells - 1, MOST_LABELED).astype(int))
        parts = (posterior.labeled_probability(labeled.scores, b) for b in posterior.blocks())
        return cls.placed(
            parts, posterior, labeled, parts_of_scores(posterior.sample, labeled.scores)
        )

    @classmethod
    def placed(cls, probabilities, posterior: Posterior, labeled, inside, others=()) -> LabelBets:
        """Bet on labels, given their probabilities.

        Parameters
        ----------
        probabilities : iterable of ndarray of shape (n_rows, n_labeled)
            Of being positive, block by block.
        posterior : Posterior
            Whose draws they are of.
        labeled : object with `positive` and `negative`
            How often each label is that, (n_labeled,) each.
        inside : ndarray of shape (n_parts, n_labeled)
            Which labels lie in each part: all, those between two of `ENDS`, and others.
        others : tuple of str
            Where the others are, in words.
        """
        log_ratios = [np.empty((len(SHIFTS), 0, len(inside)))]
        for p in probabilities:
            log_odds = special.logit(np.clip(p, 1e-12, 1.0 - 1e-12))
            log_ratios.append(_log_ratios(log_odds, labeled, inside))
        with np.errstate(divide="ignore"):
            log_weights = np.log(posterior.weights)
        log_ratio = np.concatenate(log_ratios, axis=1) + log_weights[:, np.newaxis]
        return cls(special.logsumexp(log_ratio, axis=1), tuple(others))

    def reasons(self, orientation: Orientation):
        """Yield a reason if the rivals won too much for chance."""
        e_value = float(np.exp(min(self.log_e_value, 700.0)))
        if e_value <= 1.0 / FALSE_ALARM:
            return
        shift, part = np.unravel_index(np.argmax(self.log_wealth), self.log_wealth.shape)
        kind = "Fewer" if SHIFTS[shift] < 0.0 else "More"
        where = self._where(int(part), orientation)
        yield Reason(
            "labels_bet",
            "misfit",
            f"{kind} items are positive {where} than the model says: were it right, labels would "
            f"look so wrong in one of {e_value:.3g} fits at most. Bands are too narrow there: "
            f"check the labels, and label more of these items.",
            e_value,
            1.0 / FALSE_ALARM,
        )

    def _where(self, part: int, orientation: Orientation) -> str:
        """Return which scores make a part, in words."""
        if part == 0:
            return "among all scores"
        if part > len(ENDS):
            return self.others[part - len(ENDS) - 1]
        first, last = (0.0, *ENDS)[part - 1 : part + 1]
        return f"between the {orientation.word('highest')} {first:.0%} and {last:.0%} of the scores"


def _log_ratios(log_odds, labeled, inside) -> np.ndarray:
    """Return by how much each shift raises the log probability of the labels in each part.

    Of shape (n_shifts, n_rows, n_parts), for log-odds of shape (n_rows, n_labeled). A shift c
    raises that of a positive label by g, and that of a negative one by g - c.
    """
    counts, log_p = labeled.positive + labeled.negative, special.log_expit(log_odds)
    gains = [special.log_expit(log_odds + shift) - log_p for shift in SHIFTS]
    of_negatives = np.multiply.outer(SHIFTS, np.einsum("lj,j->l", inside, labeled.negative))
    return np.einsum("kij,lj->kil", gains, inside * counts) - of_negatives[:, np.newaxis]


def parts_of_scores(sample, scores) -> np.ndarray:
    """Return which scores lie in each part: all of them, and those between two of `ENDS`."""
    above = 1.0 - np.cumsum(sample.counts) / sample.counts.sum()
    share = above[np.searchsorted(sample.scores, scores, side="right") - 1]
    part = np.searchsorted(ENDS, share, side="right")
    each = [part == k for k in range(len(ENDS))]
    return np.array([np.ones(len(scores), dtype=bool), *each], dtype=float)
