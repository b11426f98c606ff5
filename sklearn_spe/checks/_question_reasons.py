"""Reasons about one estimate: whether labels determine it, or the model does.

A reason against a fit is not one against each of its numbers. Where labels are concentrated on the
largest scores, as they are where positives are rare, the precision of these is settled by counting,
whatever the curve is; recall depends on the positives among all other items, on which these labels
hold no information.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from ..data._cells import strata_of
from ..data._sample import ScoreSample
from ..metrics._decision import ThresholdMetric
from ..metrics._ranking import AveragePrecision, RankingMetric
from ..posterior._operating_points import sample_operating_points
from ..posterior._posterior import CellPosterior, Posterior
from ..results._estimates import ScalarEstimate
from ..results._remedies import Remedy
from ..results._verdict import ALL_LABELED, ON_PARTS, Reason, Verdict

# The reason of `reasons_of_hidden`, which each question has for itself.
HIDDEN_POSITIVES = "hidden_positives"
# Curves are asked about beyond the labels if one class is rarer than this, or the labels are
# concentrated at one end of the scores.
RARER_CLASS = 0.08
# Items of the rarer class with scores like those of the other one: so many more than are expected,
# or as many as the labels do not exclude at this level.
HIDDEN = 0.5
EXCLUDED = 0.05
# Numbers that these move by less than this share of them, or of their complement, or by less than
# anybody would notice, are left alone.
NOTICED = 0.1
NOTICEABLE = 0.02
# Labels settle the share of positives on one side of a threshold if their own interval of this
# level reaches no farther than this from its center. Closer numbers agree in any case.
LEVEL = 0.9
SETTLED = 0.1
EXACT = 0.02


def asks_beyond_labels(posterior: Posterior) -> bool:
    """Return whether estimates depend on the curve where few items are labeled."""
    sample = posterior.sample
    if sample.labeled_tail[0] or sample.labeled_bottom[0]:
        return True
    prevalence = posterior.expected_prevalence
    return min(prevalence, 1.0 - prevalence) < RARER_CLASS


@dataclass(frozen=True)
class HiddenItems:
    """Items of the rarer class that labels do not exclude: their scores are like the others'."""

    rarer_is_positive: bool  # whether positives are the rarer class
    hidden_share: float  # of the unlabeled items that are expected to be of the other class
    n_expected: float  # items of the rarer class that are expected
    n_more: float  # and how many more these would be

    @classmethod
    def of(cls, sample: ScoreSample, expected: np.ndarray) -> HiddenItems:
        """Return them for the expected unlabeled positives of each cell, (n_cells,)."""
        positive = float(expected.sum())
        unlabeled = float(sample.unlabeled.sum())
        n_labeled = float(sample.positive.sum()), float(sample.negative.sum())
        totals = n_labeled[0] + positive, n_labeled[1] + unlabeled - positive
        rarer_is_positive = totals[0] <= totals[1]
        n_expected = min(totals)
        n_others = unlabeled - positive if rarer_is_positive else positive
        n_tested = n_labeled[1] if rarer_is_positive else n_labeled[0]
        if not (n_others > 0.0 and n_expected > 0.0):
            return cls(rarer_is_positive, 0.0, n_expected, 0.0)

        # The largest share of which so many labels find nothing this often.
        excluded = 1.0 - EXCLUDED ** (1.0 / n_tested) if n_tested else 1.0
        share = min(HIDDEN * n_expected / n_others, excluded)
        return cls(rarer_is_positive, share, n_expected, share * n_others)

    def added_to(self, probability: np.ndarray) -> np.ndarray:
        """Return probabilities of unlabeled items with the hidden ones."""
        if self.rarer_is_positive:
            return probability + self.hidden_share * (1.0 - probability)
        return probability * (1.0 - self.hidden_share)

    def reason(self, name: str, value: float, low: float, high: float) -> Reason:
        """Return the reason that with hidden items a number would lie far outside its interval."""
        words = ("positives", "negatives") if self.rarer_is_positive else ("negatives", "positives")

        # So many labels at random find none of them with probability EXCLUDED.
        n_needed = float(np.log(EXCLUDED) / np.log1p(-self.hidden_share))
        n_expected = _rounded(self.n_expected)
        n_more = _rounded(self.n_more)
        return Reason(
            HIDDEN_POSITIVES,
            "unidentified",
            f"There are about {n_expected} {words[0]}. The labels do not exclude {n_more} more "
            f"with scores like those of {words[1]}: {name} would then be about {value:.2g}, far "
            f"outside of its interval ({low:.2g} to {high:.2g}).",
            float(value),
            float(high if value > high else low),
            remedy=Remedy(
                f"Label more items at random (about {_rounded(n_needed)} would decide)"
                "{or_state_prevalence}."
            ),
            parameter="prevalence_prior",
            details={"n_more": self.n_more, "n_needed": n_needed},
        )


def _rounded(number: float) -> str:
    """Return a number of items with two digits."""
    return f"{float(f'{number:.2g}'):,.12g}"


def reasons_of_hidden(posterior: CellPosterior) -> Iterator[Reason]:
    """Yield a reason if average precision depends on items that the labels do not exclude."""
    low, high = np.quantile(posterior.expected_average_precision, [0.05, 0.95])
    yield from _of_metric(posterior, AveragePrecision(), None, (low, high))


def verdict_on_question(
    verdict: Verdict,
    metric: Any,
    posterior: Posterior,
    estimate: ScalarEstimate,
    threshold: float | None,
) -> Verdict:
    """Return the verdict on a number of this sample, given that on the fit.

    The threshold is on the scale where larger scores mean positive, None for a ranking.
    """
    if isinstance(metric, ThresholdMetric) == (threshold is None):
        return verdict
    if not isinstance(metric, ThresholdMetric | RankingMetric):
        return verdict
    if ALL_LABELED in {reason.name for reason in verdict.reasons}:
        return verdict
    if threshold is not None and is_settled(metric, posterior.sample, threshold, estimate.value):
        return Verdict(r for r in verdict.reasons if r.verdict == "ok" or r.name in ON_PARTS)
    if not posterior.has_cells:
        return verdict

    # Reasons on hidden positives are about this metric.
    of_fit = [reason for reason in verdict.reasons if reason.name != HIDDEN_POSITIVES]
    interval = estimate.distribution.interval(LEVEL)[:, 0]
    of_metric = _of_metric(posterior, metric, threshold, interval)
    return Verdict([*of_fit, *of_metric])


def _of_metric(
    posterior: Posterior,
    metric: Any,
    threshold: float | None,
    interval: tuple[float, float] | np.ndarray,
) -> Iterator[Reason]:
    """Yield a reason if hidden items would move a number far outside of its interval."""
    sample = posterior.sample
    if not sample.n_labeled or sample.n_cells < 2 or posterior.known_positives.is_of(sample):
        return
    if metric.decides or not asks_beyond_labels(posterior):
        return

    cells = posterior.completed_cells
    probability = posterior.expected_between_cells(cells.scores)
    hidden = HiddenItems.of(cells, cells.unlabeled * probability)
    if not hidden.hidden_share > 0.0:
        return

    both = np.stack([probability, hidden.added_to(probability)])
    points = sample_operating_points(cells, cells.positive + cells.unlabeled * both)
    if threshold is None:
        before, after = metric.value(points.tp, points.fp, steps=points.steps)
    else:
        # Decreasing scores: the last cell that reaches the threshold.
        cell = cells.n_cells - 1 - np.searchsorted(cells.lower, threshold)
        at_threshold = [
            np.hstack([np.zeros((2, 1)), n])[:, cell + 1] for n in (points.tp, points.fp)
        ]
        totals = points.n_positive[:, 0], points.n_negative[:, 0]
        before, after = metric.value(*at_threshold, *totals)

    low, high = interval
    # The shift of the expected number, from where that lies in the interval.
    value = float(np.clip(before, low, high) + after - before)
    is_noticed = abs(after - before) > max(NOTICED * min(before, 1.0 - before), NOTICEABLE)
    is_outside = value < low - (high - low) or value > high + (high - low)
    if is_noticed and is_outside:
        yield hidden.reason(metric.name.replace("_", " "), value, low, high)


def is_settled(
    metric: ThresholdMetric | RankingMetric, sample: ScoreSample, threshold: float, value: float
) -> bool:
    """Return whether labels on one side of a threshold determine a metric, and agree with it.

    The number is a ratio that counts the items of this side only, as precision does. The labels'
    own estimate has a rate for each stratum of tail rank, with Jeffreys' prior.
    """
    terms = metric.item_terms()
    if terms is None or metric.limits != (0.0, 1.0):
        return False
    counts_side = np.any(terms, axis=(0, 1))
    if counts_side.all() or not counts_side.any():
        return False

    is_above = (sample.lower >= threshold) == counts_side[1]
    if not sample.counts[is_above].any():
        return False
    numerator, denominator = (term[:, int(counts_side[1])] for term in terms)
    if denominator[0] != denominator[1]:
        return False

    share, reach = _share_by_labels(sample, is_above)
    # The share of positives, or its complement.
    by_labels = (numerator[0] + (numerator[1] - numerator[0]) * share) / denominator[0]
    return bool(reach <= SETTLED and abs(by_labels - value) <= max(reach, EXACT))


def _share_by_labels(sample: ScoreSample, is_counted: np.ndarray) -> tuple[float, float]:
    """Return the share of positives among some cells by labels alone, and its error at LEVEL."""
    stratum = strata_of(sample.counts)[is_counted]
    positive, negative, unlabeled = (
        np.bincount(stratum, n[is_counted])
        for n in (sample.positive, sample.negative, sample.unlabeled)
    )

    # The number of positives among the unlabeled ones is beta-binomial.
    a = positive + 0.5
    b = negative + 0.5
    mean = unlabeled * a / (a + b)
    variance = mean * b / (a + b) * (a + b + unlabeled) / (a + b + 1.0)
    n_items = sample.counts[is_counted].sum()
    reach = special.ndtri(0.5 + LEVEL / 2.0) * np.sqrt(variance.sum())
    return float((positive + mean).sum() / n_items), float(reach / n_items)
