"""Reasons against a fit: its labels, and the order of its scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special
from scipy.optimize import isotonic_regression

from ..data._sample import ScoreSample
from ..inputs._scores import ScoreDirection
from ..inputs._validation import spawn
from ..posterior._posterior import CellPosterior, Posterior
from ..results._distributions import WeightedDraws
from ..results._remedies import Remedy
from ..results._verdict import Reason

# One-sided level of the rank sum test for inverted scores.
INVERTED = 2.326
# Level of the posterior predictive check in each third of the scores.
MIN_P_VALUE = 0.005
# Above this number of labeled scores, compare them in groups.
MAX_LABELED = 300
# Minimum number of labeled positives if the prevalence is below one in fifty.
FEW_POSITIVES = 3.0
RARE = 0.02
# If the labels are concentrated in the tail, recall is unidentified if its 90% interval at the end
# of the tail is wider than this, or its ends differ by more than this factor.
WIDEST_RECALL = 0.6
LARGEST_RATIO = 4.0
RECALL_CELLS = 200
# Minimum mean distance to the nearest increasing curve, as a share of the rarer class, over all
# items in this many cells.
LARGEST_FALL = 0.05
FALL_CELLS = 200
# Bayes factor of a misspecification expert against all others: a few of a hundred fits exceed it if
# the ranking is right.
LARGEST_ODDS = 10.0
# Posterior weight of misspecified curves, with a ranking hardly better than chance, above which
# labels do not rule them out.
LARGEST_MISSPECIFICATION = 0.15
CHANCE_AUC = 0.6


def reasons_of_labels(posterior: Posterior, score_direction: ScoreDirection) -> Iterator[Reason]:
    """Yield diagnostics of the labels, and of the posterior at them."""
    sample = posterior.sample
    n_negative = sample.negative.sum()
    n_positive = sample.positive.sum()

    # Without labels of one class, check the share of the other.
    by_design = sample.n_labeled and any(map(sample.inclusion.never_labels, (0, 1)))
    if not ((n_negative and n_positive) or by_design):
        labeled = "No item is labeled" if not sample.n_labeled else "Only one class is labeled"
        yield Reason(
            "one_class",
            "unidentified",
            f"{labeled} ({n_negative:g} negative, {n_positive:g} positive): the estimates are "
            "dominated by the prior, which assumes that positives score "
            f"{score_direction.word('higher')}.",
            float(min(n_negative, n_positive)),
            1.0,
            remedy="Label more items, at random or by their scores, until both classes are found.",
        )

    yield from reason_of_inversion(sample, score_direction)
    yield from _rare(posterior, score_direction, n_positive)
    yield from _missed(posterior, score_direction)


def reasons_of_one_score(sample: ScoreSample) -> Iterator[Reason]:
    """Yield a remark if all items have the same score."""
    if sample.n_cells == 1:
        yield Reason(
            "one_score",
            "ok",
            "All items have the same score, so there is no ranking: ROC AUC is 0.5, and average "
            "precision the prevalence, for any labels.",
            1.0,
            2.0,
        )


def reason_of_inversion(sample: ScoreSample, score_direction: ScoreDirection) -> Iterator[Reason]:
    """Yield a reason if the labeled positives score lower by the rank sum test."""
    n_negative = sample.negative.sum()
    n_positive = sample.positive.sum()
    if not (n_negative and n_positive):
        return

    # The rank sum statistic, as a share of all pairs, and its standard error.
    below = np.cumsum(sample.negative) - sample.negative / 2.0
    auc = (sample.positive @ below) / (n_negative * n_positive)
    error = np.sqrt((n_negative + n_positive + 1.0) / (12.0 * n_negative * n_positive))
    if auc < 0.5 - INVERTED * error:
        word = score_direction.word
        change = "{flip}" if score_direction.greater_is_positive else "{unflip}"
        yield Reason(
            "inverted_scores",
            "misfit",
            f"Labeled positives score {word('lower')} than negatives: the positive has the "
            f"{word('higher')} score in {auc:.0%} of all such pairs. The prior assumes that "
            f"positives score {word('higher')}, so the estimates are invalid.",
            float(auc),
            float(0.5 - INVERTED * error),
            remedy=Remedy(
                f"If {word('smaller')} scores mean positive, {change}. Otherwise check "
                f"{{pos_label}} and the labels. If only the {word('largest')} scores are labeled, "
                f"check whether negatives have scores far {word('above')} all others."
            ),
            parameter="greater_is_positive",
        )


def _rare(
    posterior: Posterior, score_direction: ScoreDirection, n_positive: float
) -> Iterator[Reason]:
    if not posterior.sample.n_labeled > 0.0 or n_positive >= FEW_POSITIVES:
        # The prevalence takes time for many items: compute it last.
        return

    prevalence = posterior.prevalence().value
    if prevalence < RARE:
        yield Reason(
            "rare_positives",
            "unidentified",
            f"Positives are rare (about {prevalence:.1%}) and {n_positive:g} of them are "
            "labeled: precision and recall are dominated by the prior.",
            float(n_positive),
            FEW_POSITIVES,
            remedy=f"Label items with {score_direction.word('high')} scores; this needs no "
            "correction.",
        )


def reasons_of_contradiction(
    posterior: Posterior, score_direction: ScoreDirection
) -> Iterator[Reason]:
    """Yield a reason for each third of the scores whose labels the posterior contradicts."""
    labeled = posterior.sample.labeled(MAX_LABELED)
    if not labeled.n_cells:
        return
    thirds = posterior.sample.quantile([1.0 / 3.0, 2.0 / 3.0])
    counts = labeled.counts
    p = posterior.weighted_draws_of_labeled(labeled.scores)
    rng = spawn(0, 4)

    # Draw the labels anew. Round weights to the nearest number of items of equal weight.
    items = np.maximum(np.round(counts), 1.0)
    expected = rng.binomial(items.astype(np.int64), p) * (counts / items)

    third_of = np.searchsorted(thirds, labeled.scores)
    for k, name in enumerate(("lowest", "middle", "highest")):
        third = third_of == k
        observed = labeled.positive[third].sum()
        drawn = expected[:, third].sum(axis=1)
        # Sums of weights are equal up to rounding.
        excess = np.round(drawn - observed, 9)
        half = 0.5 * posterior.weights @ (excess == 0.0)
        below = posterior.weights @ (excess < 0.0) + half
        above = posterior.weights @ (excess > 0.0) + half
        p_value = 2.0 * min(below, above)
        if p_value < MIN_P_VALUE:
            n = counts[third].sum()
            mean = posterior.weights @ drawn
            yield Reason(
                "labels_contradict",
                "misfit",
                f"In the {score_direction.word(name)} third of the scores {observed:g} of "
                f"{n:g} labeled items are positive, and the fit expects {mean:.1f} (p = "
                f"{p_value:.4f}).",
                float(p_value),
                MIN_P_VALUE,
                remedy="Check the labels; if they are right, label more items there before "
                "relying on the bands.",
                details={
                    "third": name,
                    "found": float(observed),
                    "n": float(n),
                    "mean": float(mean),
                },
            )


def _missed(posterior: Posterior, score_direction: ScoreDirection) -> Iterator[Reason]:
    """Yield a reason if labels are concentrated in the upper tail and recall is unidentified."""
    sample = posterior.sample

    # The tail with the largest excess of its share of the labels over that of the items.
    excess, first = sample.labeled_tail
    if not excess:
        return

    # The share of all positives that lie in the labeled tail.
    tail_start = sample.lower[first]
    below = sample.counts[:first].sum() / sample.counts.sum()
    cells = sample.grouped(RECALL_CELLS, [tail_start])
    above = cells.lower >= tail_start
    recalls = []
    for block in posterior.parts_of_draws(cells.n_cells):
        p = posterior.unlabeled_probability(cells.scores, block)
        positive = cells.positive + cells.unlabeled * p
        recalls.append(positive[:, above].sum(axis=1) / positive.sum(axis=1))
    distribution = WeightedDraws(np.concatenate(recalls)[:, np.newaxis], posterior.weights)
    low, high = distribution.quantile([0.05, 0.95])[:, 0]

    if not (high - low <= WIDEST_RECALL and high <= LARGEST_RATIO * low):
        word = score_direction.word
        yield Reason(
            "missed_positives",
            "unidentified",
            f"Labels are concentrated on the {word('largest')} {1.0 - below:.2%} of the scores, "
            f"with little information on positives {word('below')}: between {low:.0%} and "
            f"{high:.0%} of all positives are among the former (90% interval). Recall, and the "
            f"cost of a {word('lower')} threshold, are dominated by the prior.",
            float(high - low),
            WIDEST_RECALL,
            remedy=Remedy(
                f"Label some items {word('below')}, nearest first{{or_state_prevalence}}."
            ),
            parameter="prevalence_prior",
        )


def reasons_of_order(posterior: Posterior, score_direction: ScoreDirection) -> Iterator[Reason]:
    """Yield a remark if P(y = 1 | score) decreases somewhere."""
    fall = largest_fall(posterior)
    if fall.share > LARGEST_FALL:
        yield Reason(
            "falling_curve",
            "ok",
            f"{fall.in_words(score_direction)}: either the classifier is wrong there, or the model "
            "follows the score distribution and a few labels too closely.",
            fall.share,
            LARGEST_FALL,
            remedy="Label some of the items between, and check whether to use a threshold below "
            "them.",
        )


def reasons_of_wrong_order(
    posterior: CellPosterior, score_direction: ScoreDirection
) -> Iterator[Reason]:
    """Yield a remark if the labels support, or do not rule out, misspecification."""
    weights = posterior.updated.weights
    wrong = weights.misspecification
    misspecified = np.array([bool(text) for text in wrong])
    sample = posterior.sample
    if not sample.n_labeled or not misspecified.any() or misspecified.all():
        return
    both = sample.negative.any() and sample.positive.any()

    # Odds of each misspecified expert against all that trust the order.
    log_trusting = special.logsumexp(
        weights.log_evidence[~misspecified], b=weights.prior[~misspecified]
    )
    log_trusting -= np.log(weights.prior[~misspecified].sum())
    log_odds = np.where(misspecified, weights.log_evidence - log_trusting, -np.inf)
    first = int(np.argmax(log_odds))
    odds = float(np.exp(min(log_odds.max(), 700.0)))
    if odds > LARGEST_ODDS and both:
        fall = largest_fall(posterior)
        part = f" {fall.in_words(score_direction)}." if fall.share > LARGEST_FALL else ""
        yield Reason(
            "doubtful_order",
            "ok",
            f"The labels are {odds:.3g} times as probable if {wrong[first]} (the expert "
            f"{weights.names[first]!r}) than if higher scores are more often positive.{part}",
            odds,
            LARGEST_ODDS,
            remedy=Remedy(
                "Check the labels, {pos_label} and the direction of the scores; if they are "
                "right, the classifier is wrong."
            ),
            parameter="pos_label",
            plain=f"The labels are {odds:,.0f} times as probable if the order of the scores is "
            "wrong somewhere than if higher scores are more often positive.",
        )

    # Else misspecification may be left over, with a ranking hardly better than chance.
    heaviest = int(np.argmax(np.where(misspecified, weights.posterior, -np.inf)))
    auc = posterior.cells.roc_auc(special.expit(posterior.cell_log_odds))
    proba = float(np.mean(misspecified[posterior.updated.expert] & (auc < CHANCE_AUC)))
    if proba > LARGEST_MISSPECIFICATION and not (odds > LARGEST_ODDS and both):
        yield Reason(
            "order_not_tested",
            "ok",
            f"The labels do not exclude that {wrong[heaviest]}: this has probability {proba:.0%}.",
            proba,
            LARGEST_MISSPECIFICATION,
            remedy="Label more items of both classes, some of them with "
            f"{score_direction.word('high')} scores.",
        )


@dataclass(frozen=True)
class Fall:
    """A decrease of P(y = 1 | score) with increasing scores."""

    share: float  # distance to the nearest increasing curve, as a share of the rarer class
    above: tuple[float, float]  # shares of the items with scores above its start and its end
    probability: tuple[float, float]  # expected there

    def in_words(self, score_direction: ScoreDirection) -> str:
        """Return where it is."""
        start, end = self.above
        before, after = self.probability
        return (
            f"Between the {score_direction.word('highest')} {start:.1%} and {end:.1%} of the "
            f"scores the probability to be positive decreases from {before:.0%} to {after:.0%}"
        )


def largest_fall(posterior: Posterior) -> Fall:
    """Return the decrease of P(y = 1 | score) that affects the most items."""
    cells = posterior.sample.grouped(FALL_CELLS)
    shares = cells.counts / cells.counts.sum()
    # Labeled cells are not merged: of many, interpolated probabilities cost less.
    is_long = cells.n_cells > 10 * FALL_CELLS
    probability = posterior.predicted_probability if is_long else posterior.expected_probability
    expected = probability(cells.scores)
    increasing = isotonic_regression(expected, weights=shares).x

    # At least one item: the expected size of an unlabeled class may be smaller.
    n_items = cells.counts.sum()
    rarer = max(float(min(shares @ expected, shares @ (1.0 - expected))), 1.0 / n_items)

    # From the highest probability before to the end, where the increasing curve is constant.
    end = int(np.argmax(shares * (increasing - expected)))
    level = np.flatnonzero(increasing == increasing[end])
    before = level[level < end] if end > level[0] else level[:1]
    start = int(before[np.argmax(expected[before])])

    # Rounding errors of the sum must not make the last share negative.
    above = np.maximum(1.0 - np.cumsum(shares), 0.0)
    moved = float(shares @ np.abs(expected - increasing))
    return Fall(
        moved / rarer,
        (float(above[start]), float(above[end])),
        (float(expected[start]), float(expected[end])),
    )
