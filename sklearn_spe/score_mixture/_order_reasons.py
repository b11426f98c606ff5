"""Diagnostics of the ranking: whether higher scores are more probably positive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special
from scipy.optimize import isotonic_regression

from .._posterior import Posterior
from ..engine._cell_posterior import CellPosterior
from ..inputs._score_direction import ScoreDirection
from ..results._verdict import Reason

__all__ = ["reasons_of_order", "reasons_of_wrong_order"]

# Minimum mean distance to the nearest increasing curve, as a share of the rarer class, over all
# items in this many cells.
LARGEST_FALL, FALL_CELLS = 0.05, 200
# ... and posterior probability of a decrease at which the classifier is called wrong.
CERTAIN = 0.8
# Bayes factor of a misspecification expert against all others: a few of a hundred fits exceed it if
# the ranking is right.
LARGEST_ODDS = 10.0
# Posterior weight of misspecified curves, with a ranking hardly better than chance, above which
# labels do not rule them out.
LARGEST_MISSPECIFICATION, CHANCE_AUC = 0.15, 0.6


def reasons_of_order(posterior: Posterior, score_direction: ScoreDirection):
    """Yield a reason if P(y = 1 | score) decreases somewhere."""
    fall = Fall.of(posterior)
    if fall.share <= LARGEST_FALL:
        return
    certain = posterior.sample.n_labeled > 0.0 and fall.certainty > CERTAIN
    if certain:
        advice = (
            f"with a probability of {fall.certainty:.1%}. The classifier is wrong there: check "
            "the labels of these items, and whether to use a threshold below them."
        )
    else:
        advice = (
            "either the classifier is wrong there, or the model overfits the score distribution "
            "and a few labels. Label some of the items between."
        )
    yield Reason(
        "falling_curve",
        "misfit" if certain else "unidentified",
        f"{fall.describe(score_direction)}{', ' if certain else ': '}{advice}",
        fall.certainty if certain else fall.share,
        CERTAIN if certain else LARGEST_FALL,
    )


def reasons_of_wrong_order(posterior: CellPosterior, score_direction: ScoreDirection):
    """Yield a reason if the labels support, or do not rule out, misspecification."""
    weights = posterior.updated.weights
    wrong = weights.misspecification
    misspecified = np.array([bool(text) for text in wrong])
    sample = posterior.sample
    if not sample.n_labeled or not misspecified.any() or misspecified.all():
        return
    both = sample.negative.any() and sample.positive.any()
    trusting = special.logsumexp(
        weights.log_evidence[~misspecified], b=weights.prior[~misspecified]
    )
    trusting -= np.log(weights.prior[~misspecified].sum())
    ahead = np.where(misspecified, weights.log_evidence - trusting, -np.inf)
    first, odds = int(np.argmax(ahead)), float(np.exp(min(ahead.max(), 700.0)))
    if odds > LARGEST_ODDS and both:
        fall = Fall.of(posterior)
        where = f" {fall.describe(score_direction)}." if fall.share > LARGEST_FALL else ""
        yield Reason(
            "doubtful_order",
            "misfit",
            f"The labels are {odds:.3g} times as probable if {wrong[first]} (the expert "
            f"{weights.names[first]!r}) than if higher scores are more often positive.{where} "
            "Check labels, pos_label and the direction of the scores; if they are right, the "
            "classifier is wrong.",
            odds,
            LARGEST_ODDS,
        )
    heaviest = int(np.argmax(np.where(misspecified, weights.posterior, -np.inf)))
    auc = posterior.cells.roc_auc(special.expit(posterior.cell_log_odds))
    left = float(np.mean(misspecified[posterior.updated.expert] & (auc < CHANCE_AUC)))
    if left > LARGEST_MISSPECIFICATION and not (odds > LARGEST_ODDS and both):
        yield Reason(
            "order_not_tested",
            "unidentified",
            f"The labels do not rule out that {wrong[heaviest]}: this has probability "
            f"{left:.0%}. Label more items of both classes, some of them with "
            f"{score_direction.word('high')} scores.",
            left,
            LARGEST_MISSPECIFICATION,
        )


@dataclass(frozen=True)
class Fall:
    """The largest decrease of P(y = 1 | score)."""

    share: float  # distance to the nearest increasing curve, as a share of the rarer class
    # shares of all items above the start and above the end of the decrease
    shares_above: tuple[float, float]
    probabilities: tuple[float, float]  # at the start and at the end
    # posterior probability of a decrease, from the half of the items around the start, among those
    # where the nearest increasing curve is constant, to the half around the end
    certainty: float

    @classmethod
    def of(cls, posterior: Posterior) -> Fall:
        """Find the decrease that affects the most items."""
        cells = posterior.sample.grouped(FALL_CELLS)
        shares = cells.counts / cells.counts.sum()
        expected = posterior.expected_probability(cells.scores)
        increasing = isotonic_regression(expected, weights=shares).x
        # At least one item: the expected size of an unlabeled class may be smaller.
        rarer = max(
            float(min(shares @ expected, shares @ (1.0 - expected))), 1.0 / cells.counts.sum()
        )
        end = int(np.argmax(shares * (increasing - expected)))
        level = np.flatnonzero(increasing == increasing[end])
        before = level[level < end] if end > level[0] else level[:1]
        start = int(before[np.argmax(expected[before])])
        above = 1.0 - np.cumsum(shares)
        moved = float(shares @ np.abs(expected - increasing))
        return cls(
            moved / rarer,
            (float(above[start]), float(above[end])),
            (float(expected[start]), float(expected[end])),
            _certainty(posterior, cells, level, (start + end) // 2),
        )

    def describe(self, score_direction: ScoreDirection) -> str:
        """Return a description of where the probability decreases."""
        (start, end), (high, low) = self.shares_above, self.probabilities
        return (
            f"Between the {score_direction.word('highest')} {start:.1%} and {end:.1%} of the "
            f"scores "
            f"the probability to be positive decreases from {high:.0%} to {low:.0%}"
        )


def _certainty(posterior, cells, level, middle) -> float:
    """Return the probability that the items up to a cell are positive more often."""
    before, after = level[level <= middle], level[level > middle]
    if not (len(before) and len(after)):
        return 0.0
    counts, certainty = cells.counts[level], 0.0
    parts = [np.where(np.isin(level, part), counts, 0.0) for part in (before, after)]
    shares = np.array([part / part.sum() for part in parts])
    for block in posterior.blocks():
        p = posterior.positive_probability(cells.scores[level], block)
        first, second = np.einsum("ij,kj->ki", p, shares)
        certainty += posterior.weights[block.rows] @ (first > second)
    return float(certainty)
