"""What the labels, and a posterior at them, give cause to say of a fit."""

from __future__ import annotations

import numpy as np

from .._posterior import Posterior
from ..inputs._orientation import Orientation
from ..inputs._random_state import spawn
from ..results._laws import WeightedDraws
from ..results._verdict import Reason
from ..sample._sample import ScoreSample

__all__ = ["reason_of_inversion", "reasons_of_labels", "reasons_of_one_score"]

# Labelled positives score lower than negatives, at the one-sided 1% level.
INVERTED = 2.326
# A third of the scores whose labels are as far out as this under the posterior.
LEAST_P_VALUE = 0.005
# More labelled scores than these are compared in groups.
MOST_LABELED = 300
# Fewer positives than these among the labels, where positives are rarer than one in fifty.
FEW_POSITIVES, RARE = 3.0, 0.02
# Where the labels gather in the tail more than this, positives may lie below ...
TAIL = 0.5
# ... and how many is not known if the 90% interval of the recall down to there is wider than this,
# or its ends differ by more than this factor.
WIDEST_RECALL, LARGEST_RATIO = 0.4, 4.0
RECALL_CELLS = 200


def reasons_of_labels(posterior: Posterior, orientation: Orientation):
    """Yield what the labels alone, and the posterior at them, give cause to say."""
    sample = posterior.sample
    n_negative, n_positive = sample.negative.sum(), sample.positive.sum()
    # Of a class that is never labelled none is missing: the share of the other one speaks.
    by_design = sample.n_labeled and any(map(sample.inclusion.never_labels, (0, 1)))
    if not ((n_negative and n_positive) or by_design):
        got = "No item is labelled" if not sample.n_labeled else "Only one class is labelled"
        yield Reason(
            "one_class",
            "unidentified",
            f"{got} ({n_negative:g} negative, {n_positive:g} positive): what was believed of "
            f"classifiers before decides, with the prior that positives score "
            f"{orientation.word('higher')}. Label some "
            f"items of both classes.",
            float(min(n_negative, n_positive)),
            1.0,
        )
    yield from reason_of_inversion(sample, orientation)
    yield from _rare(posterior, orientation, n_positive)
    yield from _contradicted(posterior, orientation)
    yield from _missed(posterior, orientation)


def reasons_of_one_score(sample: ScoreSample):
    """Yield a remark if all items have one score: there is nothing to rank them by."""
    if sample.n_cells == 1:
        yield Reason(
            "one_score",
            "ok",
            "All items have one score, which ranks none above another: ROC AUC is 0.5, and average "
            "precision the prevalence, whatever the labels are.",
            1.0,
            2.0,
        )


def reason_of_inversion(sample: ScoreSample, orientation: Orientation):
    """Yield a reason if the rank sum test says that labelled positives score lower."""
    n_negative, n_positive = sample.negative.sum(), sample.positive.sum()
    if not (n_negative and n_positive):
        return
    below = np.cumsum(sample.negative) - sample.negative / 2.0
    auc = (sample.positive @ below) / (n_negative * n_positive)
    error = np.sqrt((n_negative + n_positive + 1.0) / (12.0 * n_negative * n_positive))
    if auc < 0.5 - INVERTED * error:
        word, direction = orientation.word, "greater_is_positive=False"
        remedy = f"say {direction}" if orientation.greater_is_positive else f"leave {direction} out"
        yield Reason(
            "inverted_scores",
            "misfit",
            f"Labelled positives score {word('lower')} than negatives: of all such pairs the "
            f"positive has the {word('higher')} score in {auc:.0%}. The prior says that positives "
            f"score {word('higher')}, and the estimates are of no use. If {word('smaller')} scores "
            f"mean positive, {remedy}; else check pos_label and the labels, and, if the "
            f"{word('largest')} scores are labelled only, whether negatives lie far "
            f"{word('above')} all others.",
            float(auc),
            float(0.5 - INVERTED * error),
        )


def _rare(posterior, orientation, n_positive):
    if not posterior.sample.n_labeled > 0.0 or n_positive >= FEW_POSITIVES:
        # Of many items the prevalence takes its time.
        return
    prevalence = posterior.prevalence().value
    if prevalence < RARE:
        yield Reason(
            "rare_positives",
            "unidentified",
            f"Positives are rare (about {prevalence:.1%}) and {n_positive:g} of them labelled: "
            f"precision and recall rest on what was believed before. Label items with "
            f"{orientation.word('high')} scores; that needs no correction.",
            float(n_positive),
            FEW_POSITIVES,
        )


def _contradicted(posterior, orientation):
    """Yield a reason for each third of the scores whose labels the posterior does not expect."""
    labeled = posterior.sample.labeled()
    if not labeled.n_cells:
        return
    if labeled.n_cells > MOST_LABELED:
        firsts = np.linspace(0, labeled.n_cells - 1, MOST_LABELED).astype(int)
        labeled = labeled.merged(firsts)
    low, high = posterior.sample.quantile([1.0 / 3.0, 2.0 / 3.0])
    counts = labeled.counts
    parts = [posterior.labeled_probability(labeled.scores, b) for b in posterior.blocks()]
    p = np.concatenate(parts)
    rng = spawn(0, 4)
    # A weight that is no whole number stands for the nearest number of items, all of one weight.
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
        if p_value < LEAST_P_VALUE:
            yield Reason(
                "labels_contradict",
                "misfit",
                f"In the {orientation.word(name)} third of the scores {found:g} of "
                f"{counts[third].sum():g} labelled items are positive, and the fit expects "
                f"{posterior.weights @ drawn:.1f} (p = {p_value:.4f}). Check the labels; if they "
                f"are right, label more of them there, and do not trust the bands before.",
                float(p_value),
                LEAST_P_VALUE,
            )


def _missed(posterior, orientation):
    """Yield a reason if only the tail is labelled, and does not tell the recall."""
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
    law = WeightedDraws(np.concatenate(recalls)[:, np.newaxis], posterior.weights)
    low, high = law.quantile([0.05, 0.95])[:, 0]
    if not (high - low <= WIDEST_RECALL and high <= LARGEST_RATIO * low):
        word = orientation.word
        yield Reason(
            "missed_positives",
            "unidentified",
            f"Labels are mostly among the {word('largest')} {1.0 - below:.2%} of the scores and do "
            f"not tell how many positives lie {word('below')}: of all positives they hold between "
            f"{low:.0%} and {high:.0%} (90% interval). Recall, and what a {word('lower')} "
            f"threshold would cost, rest on what was believed before. Label some items "
            f"{word('below')}, nearest first, or say what is known of the prevalence "
            f"(prevalence_prior=).",
            float(high - low),
            WIDEST_RECALL,
        )
