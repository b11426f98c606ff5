"""Diagnostics of a fit from its labels and the posterior at them."""

from __future__ import annotations

import numpy as np

from .._posterior import Posterior
from ..inputs._random_state import spawn
from ..inputs._score_direction import ScoreDirection
from ..results._distributions import WeightedDraws
from ..results._verdict import Reason
from ..sample._sample import ScoreSample

__all__ = ["reason_of_inversion", "reasons_of_labels", "reasons_of_one_score"]

# One-sided level of the rank sum test for inverted scores.
INVERTED = 2.326
# Level of the posterior predictive check in each third of the scores.
MIN_P_VALUE = 0.005
# Above this number of labeled scores, compare them in groups.
MAX_LABELED = 300
# Minimum number of labeled positives if the prevalence is below one in fifty.
FEW_POSITIVES, RARE = 3.0, 0.02
# If the labels are concentrated in the tail more than this, positives may lie below ...
TAIL = 0.5
# ... and recall is unidentified if its 90% interval at the end of the tail is wider than this, or
# its ends differ by more than this factor.
WIDEST_RECALL, LARGEST_RATIO = 0.4, 4.0
RECALL_CELLS = 200


def reasons_of_labels(posterior: Posterior, score_direction: ScoreDirection):
    """Yield diagnostics of the labels, and of the posterior at them."""
    sample = posterior.sample
    n_negative, n_positive = sample.negative.sum(), sample.positive.sum()
    # Without labels of one class, check the share of the other.
    by_design = sample.n_labeled and any(map(sample.inclusion.never_labels, (0, 1)))
    if not ((n_negative and n_positive) or by_design):
        got = "No item is labeled" if not sample.n_labeled else "Only one class is labeled"
        yield Reason(
            "one_class",
            "unidentified",
            f"{got} ({n_negative:g} negative, {n_positive:g} positive): the estimates are "
            "dominated by the prior, which assumes that positives score "
            f"{score_direction.word('higher')}. Label some items of both classes.",
            float(min(n_negative, n_positive)),
            1.0,
        )
    yield from reason_of_inversion(sample, score_direction)
    yield from _rare(posterior, score_direction, n_positive)
    yield from _contradicted(posterior, score_direction)
    yield from _missed(posterior, score_direction)


def reasons_of_one_score(sample: ScoreSample):
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


def reason_of_inversion(sample: ScoreSample, score_direction: ScoreDirection):
    """Yield a reason if the labeled positives score lower by the rank sum test."""
    n_negative, n_positive = sample.negative.sum(), sample.positive.sum()
    if not (n_negative and n_positive):
        return
    below = np.cumsum(sample.negative) - sample.negative / 2.0
    auc = (sample.positive @ below) / (n_negative * n_positive)
    error = np.sqrt((n_negative + n_positive + 1.0) / (12.0 * n_negative * n_positive))
    if auc < 0.5 - INVERTED * error:
        word, direction = score_direction.word, "greater_is_positive=False"
        remedy = (
            f"say {direction}" if score_direction.greater_is_positive else f"leave {direction} out"
        )
        yield Reason(
            "inverted_scores",
            "misfit",
            f"Labeled positives score {word('lower')} than negatives: of all such pairs the "
            f"positive has the {word('higher')} score in {auc:.0%}. The prior assumes that "
            f"positives score {word('higher')}, so the estimates are invalid. If "
            f"{word('smaller')} scores mean positive, {remedy}; else check pos_label and the "
            f"labels, and, if the {word('largest')} scores are labeled only, whether negatives "
            f"lie far {word('above')} all others.",
            float(auc),
            float(0.5 - INVERTED * error),
        )


def _rare(posterior, score_direction, n_positive):
    if not posterior.sample.n_labeled > 0.0 or n_positive >= FEW_POSITIVES:
        # The prevalence takes time for many items: compute it last.
        return
    prevalence = posterior.prevalence().value
    if prevalence < RARE:
        yield Reason(
            "rare_positives",
            "unidentified",
            f"Positives are rare (about {prevalence:.1%}) and {n_positive:g} of them are "
            "labeled: precision and recall are dominated by the prior. Label items with "
            f"{score_direction.word('high')} scores; this needs no correction.",
            float(n_positive),
            FEW_POSITIVES,
        )


def _contradicted(posterior, score_direction):
    """Yield a reason for each third of the scores whose labels the posterior contradicts."""
    labeled = posterior.sample.labeled()
    if not labeled.n_cells:
        return
    if labeled.n_cells > MAX_LABELED:
        firsts = np.linspace(0, labeled.n_cells - 1, MAX_LABELED).astype(int)
        labeled = labeled.merged(firsts)
    low, high = posterior.sample.quantile([1.0 / 3.0, 2.0 / 3.0])
    counts = labeled.counts
    parts = [posterior.labeled_probability(labeled.scores, b) for b in posterior.blocks()]
    p = np.concatenate(parts)
    rng = spawn(0, 4)
    # Round weights to the nearest number of items of equal weight.
    items = np.maximum(np.round(counts), 1.0)
    expected = rng.binomial(items.astype(np.int64), p) * (counts / items)
    for name, third in (
        ("lowest", labeled.scores <= low),
        ("middle", (labeled.scores > low) & (labeled.scores <= high)),
        ("highest", labeled.scores > high),
    ):
        found, drawn = labeled.positive[third].sum(), expected[:, third].sum(axis=1)
        # Sums of weights are equal up to rounding.
        excess = np.round(drawn - found, 9)
        half = 0.5 * posterior.weights @ (excess == 0.0)
        p_value = 2.0 * min(
            posterior.weights @ (excess < 0.0) + half, posterior.weights @ (excess > 0.0) + half
        )
        if p_value < MIN_P_VALUE:
            yield Reason(
                "labels_contradict",
                "misfit",
                f"In the {score_direction.word(name)} third of the scores {found:g} of "
                f"{counts[third].sum():g} labeled items are positive, and the fit expects "
                f"{posterior.weights @ drawn:.1f} (p = {p_value:.4f}). Check the labels; if they "
                "are right, label more items there before relying on the bands.",
                float(p_value),
                MIN_P_VALUE,
            )


def _missed(posterior, score_direction):
    """Yield a reason if only the tail is labeled and recall is unidentified."""
    sample = posterior.sample
    concentration, first = sample.labeled_tail
    if concentration <= TAIL:
        return
    lowest = sample.lower[first]
    below = sample.counts[:first].sum() / sample.counts.sum()
    cells = sample.grouped(RECALL_CELLS, [lowest])
    above = cells.lower >= lowest
    recalls = []
    for block in posterior.blocks():
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
            f"Labels are mostly among the {word('largest')} {1.0 - below:.2%} of the scores, "
            f"with little information on positives {word('below')}: between {low:.0%} and "
            f"{high:.0%} of all positives are among the former (90% interval). Recall, and the "
            f"cost of a {word('lower')} threshold, are dominated by the prior. Label some items "
            f"{word('below')}, nearest first, or state a prior of the prevalence "
            "(prevalence_prior=).",
            float(high - low),
            WIDEST_RECALL,
        )
