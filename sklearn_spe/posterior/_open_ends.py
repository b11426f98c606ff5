"""Ends of intervals that no label excludes, and their limits by other information.

If all labeled items at or above a threshold are negative, the labels do not rule out that precision
and recall are 0: intervals reach this edge of the range. A stated prior of the prevalence, known
inclusion probabilities of the classes or a known number of positives may rule it out. An interval
then reaches the best or the worst value of the metric that is compatible with the known labels.

If only the largest scores are labeled, and all of these items are negative, labels do not tell
where the positives are: intervals then reach, on their other side, the value that the metric has if
all of them come right below the labeled scores.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..data._inclusion import Inclusion
from ..data._sample import ScoreSample
from ..metrics._decision import (
    CountMetric,
    NegativePredictiveValue,
    Precision,
    Recall,
    Specificity,
    terms_of,
)
from ..metrics._expectation import ratio
from ..results._distributions import TAILS, WeightedDraws
from ..results._estimates import ScalarEstimate
from ._operating_points import sample_operating_points

# Sums of weights are equal only up to rounding.
ROUNDING = 1e-9
# Share of the tail of an interval that lies beyond an end that only labels of others limit.
FARTHER = 0.1
# Number of totals of positives at which the extreme of a ranking metric is looked for.
N_TOTALS = 17


def with_open_ends(
    result: Any,
    metric: Any,
    posterior: Any,
    thresholds: ArrayLike = (-np.inf,),
    counts_known: bool = False,
    *,
    counts_items: bool = True,
) -> Any:
    """Return a result whose intervals include all values that no information excludes.

    Those of a posterior that does not reach open edges are unchanged. Where all labels of a
    category are of one class, those of the others may be of both: an open end then lies where these
    leave it, and the other end is that of any interval. Information on the number of positives
    limits metrics that count items only (`counts_items`), not those that add up their values.
    """
    if not posterior.reaches_open_edges:
        return result

    sample = posterior.sample
    edges, is_lowest = extremes_of_labels(metric, sample, thresholds, counts_known)
    if np.isnan(edges).all():
        return result

    # What is known of the number of positives may keep an end from its edge.
    limits = None
    known = posterior.known_positives
    if counts_items and known.is_of(sample):
        cells = posterior.completed_cells if metric.averages is not None else sample
        ranges = np.array([known.range_of(sample, tail) for tail in TAILS])
        flags = np.where(is_lowest, 0.0, 1.0) + 0.0 * edges
        limits = limits_of_ends(metric, cells, ranges, flags, thresholds, counts_known)
        limits = np.where(limits == flags, edges, limits)

    # So may the labels of other categories.
    of_one_class = not posterior.has_labels_of_both_classes
    if sample.is_of_one_class and not of_one_class:
        of_others = limits_of_draws(result.distribution, edges, is_lowest)
        limits = _stricter(limits, of_others, is_lowest)

    # Where the class without a label may be, if that with labels is all of a tail.
    far_limits = None
    if counts_items and of_one_class:
        far_limits = limits_beyond_tail(
            metric, posterior, thresholds, edges, is_lowest, counts_known
        )

    distribution = result.distribution.reaching(edges, of_one_class, limits, far_limits)
    if not isinstance(result, ScalarEstimate):
        return replace(result, distribution=distribution)
    cause = cause_of_edge(metric, bool(np.ravel(is_lowest)[0]))
    return replace(result, distribution=distribution, edge_cause=cause)


def cause_of_edge(metric: Any, is_lowest: bool) -> str:
    """Return why the labels leave an end of the range open, in words.

    The end is open as long as no labeled item is one of those that would move the metric off it.
    """
    if metric.is_extreme_by_errors:
        return f"no labeled item is predicted {'correctly' if is_lowest else 'wrongly'}"

    # Which items would, by class and by prediction.
    if isinstance(metric, CountMetric):
        of_negative, of_positive = terms_of(metric.coefficients)
        change = of_positive - of_negative if is_lowest else of_negative - of_positive
        movers = np.array([change < 0.0, change > 0.0])
    else:
        numerator, denominator = (metric.averages or metric).item_terms()
        movers = (numerator if is_lowest else denominator - numerator) != 0.0

    # A mean over thresholds, and a share of all items, have no prediction.
    sides = ("negative", "positive")
    causes = []
    for of_class, word in ((movers[1], "positive"), (movers[0], "negative")):
        if of_class.all() or (of_class.any() and metric.averages is not None):
            causes.append(f"no labeled item is {word}")
        else:
            causes += [
                f"no labeled item predicted {side} is {word}"
                for side, moves in zip(sides, of_class, strict=True)
                if moves
            ]
    return " and ".join(causes)


def limits_beyond_tail(
    metric: Any,
    posterior: Any,
    thresholds: ArrayLike,
    edges: np.ndarray,
    is_lowest: np.ndarray,
    counts_known: bool,
) -> np.ndarray | None:
    """Return a metric if the items of the class without labels are those next to the labels.

    The labels are of one class, and concentrated on the tail of the scores where the other one is
    expected: negatives on the top, or positives on the bottom. Of the items that are beyond this
    tail the labels do not tell which are of the other class. There are as many of these as the
    posterior of the prevalence allows. The shape is (n_tails, n_thresholds); None for other labels,
    and where no edge is open.
    """
    sample = posterior.sample
    cells = posterior.completed_cells if metric.averages is not None else sample
    cells = _with_tail_of_one_class(sample, cells, counts_known)
    if cells is None:
        return None

    # As many of the other class as are credible, and at least one.
    n_items = float(cells.counts.sum())
    of_positives = bool(sample.negative.any())
    shares = posterior.prevalence_draws[:, :1]
    shares = WeightedDraws(shares if of_positives else 1.0 - shares, posterior.weights)
    highest = n_items * shares.quantile(1.0 - np.asarray(TAILS) / 2.0)
    highest = np.maximum(highest, 1.0)
    ranges = np.hstack([np.ones_like(highest), highest])
    if not of_positives:
        ranges = n_items - ranges[:, ::-1]

    farthest = np.where(np.isnan(edges), np.nan, np.where(is_lowest, 1.0, 0.0))
    limits = limits_of_ends(metric, cells, ranges, farthest, thresholds, counts_known)
    return np.where(np.isnan(edges), np.nan, limits)


def _with_tail_of_one_class(
    sample: ScoreSample, cells: ScoreSample, counts_known: bool
) -> ScoreSample | None:
    """Return cells whose labeled tail is all of the class of its labels, if they are of one class.

    None if that class is expected there, random labels may be as concentrated, or known inclusion
    probabilities tell how many of the other class there are.
    """
    is_negative = bool(sample.negative.any())
    concentration, end = sample.labeled_tail if is_negative else sample.labeled_bottom
    if sample.inclusion.missingness[1] < 1.0 or not concentration:
        return None

    if is_negative:
        is_in_tail = cells.lower >= sample.lower[end]
    else:
        is_in_tail = cells.lower <= sample.lower[end]

    in_tail = np.where(is_in_tail, cells.unlabeled, 0.0)
    if counts_known and in_tail.any():
        # A selection leaves out items that are known to be negative, and these are not.
        return None
    unlabeled = cells.unlabeled - in_tail
    if is_negative:
        return replace(cells, unlabeled=unlabeled, negative=cells.negative + in_tail)
    return replace(cells, unlabeled=unlabeled, positive=cells.positive + in_tail)


def limits_of_draws(
    distribution: WeightedDraws, edges: np.ndarray, is_lowest: np.ndarray
) -> np.ndarray:
    """Return the limits of open edges by labels of other categories, (n_tails, n_thresholds).

    The draws know the labels of all categories: an end is a quantile of them, farther out than that
    of an interval without an open edge, as a category may have no positive at all.
    """
    tails = FARTHER * np.asarray(TAILS)
    low = distribution.quantile(tails)
    high = distribution.quantile(1.0 - tails)
    return np.where(np.isnan(edges), edges, np.where(is_lowest, low, high))


def _stricter(known: np.ndarray | None, other: np.ndarray, is_lowest: np.ndarray) -> np.ndarray:
    """Return the limits that are farther from the edges."""
    if known is None:
        return other
    return np.where(is_lowest, np.fmax(known, other), np.fmin(known, other))


def extremes_of_labels(
    metric: Any, sample: ScoreSample, thresholds: ArrayLike = (-np.inf,), counts_known: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return the extreme that no label excludes, NaN elsewhere, and whether it is the lowest.

    Each is of shape (n_thresholds,). Numbers of items are extreme where the shares of positives on
    the sides of a threshold are, functions of both rates where both are.
    """
    if isinstance(metric, CountMetric):
        return _extremes_of_counts(metric, sample, thresholds, counts_known)
    if metric.is_extreme_by_errors:
        return _extremes_of_both_rates(metric, sample, thresholds, counts_known)
    edges = edges_of_labels(metric, sample, thresholds)
    if counts_known and sample.positive.any():
        # A selection holds the known positives: its precision cannot be 0.
        edges = np.where(edges == float(metric.greater_is_better), edges, np.nan)
    return edges, edges == 0.0


def _extremes_of_counts(
    metric: CountMetric, sample: ScoreSample, thresholds: ArrayLike, counts_known: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the extreme of a number of items, and whether it is the lowest."""
    share_above = edges_of_labels(Precision(), sample, thresholds)
    share_below = 1.0 - edges_of_labels(NegativePredictiveValue(), sample, thresholds)
    sizes = sample.around(thresholds, sample.counts)

    if counts_known:
        # Known positives are in the selection, known negatives are not.
        labeled = np.array([[sample.negative.sum()], [sample.positive.sum()]])
        sizes = sample.around(thresholds, sample.unlabeled) + labeled
        share_below = np.where((share_below == 0.0) | (labeled[0] == 0.0), share_below, np.nan)
        share_above = np.where((share_above == 1.0) | (labeled[1] == 0.0), share_above, np.nan)

    of_negative, of_positive = terms_of(metric.coefficients)

    # The number at the extreme shares, where those of both sides agree on which end that is.
    edges = np.zeros(sizes.shape[1])
    directions = list[np.ndarray]()
    for side, share in enumerate((share_below, share_above)):
        change = of_positive[side] - of_negative[side]
        edges += sizes[side] * of_negative[side]
        if change != 0.0:
            edges += sizes[side] * change * share
            directions.append(np.sign(change) * (2.0 * share - 1.0))

    if not directions:
        return np.full(sizes.shape[1], np.nan), np.zeros(sizes.shape[1], dtype=bool)
    agree = np.all([direction == directions[0] for direction in directions], axis=0)
    return np.where(agree, edges, np.nan), directions[0] < 0.0


def _extremes_of_both_rates(
    metric: Any, sample: ScoreSample, thresholds: ArrayLike, counts_known: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return a metric without errors, or of errors alone, and whether it is the lowest."""
    recall = edges_of_labels(Recall(), sample, thresholds)
    specificity = edges_of_labels(Specificity(), sample, thresholds)

    below, above = sample.around(thresholds, sample.counts)

    # The values without an error, and of errors alone; roots are rounded.
    zeros = np.zeros_like(above)
    highest = np.clip(metric.value(above, zeros, above, below), *metric.limits)
    lowest = np.clip(metric.value(zeros, above, below, above), *metric.limits)

    is_lowest = (recall == 0.0) & (specificity == 0.0) & (not counts_known)
    is_highest = (recall == 1.0) & (specificity == 1.0)
    return np.where(is_lowest, lowest, np.where(is_highest, highest, np.nan)), is_lowest


def edges_of_labels(
    metric: Any, sample: ScoreSample, thresholds: ArrayLike = (-np.inf,)
) -> np.ndarray:
    """Return 0 or 1 where the labeled items have this ratio, NaN elsewhere, (n_thresholds,).

    If all labeled items at or above the threshold are negative, the labels do not rule out that
    precision and recall are 0; without a labeled error, that accuracy is 1. Intervals of
    proportions include these edges by convention. Without any label above the threshold only the
    model is informative; but without any labeled positive, proportions of positives may be 0, and
    so may their means over thresholds, such as average precision. With known class inclusion
    probabilities, a lack of labels can rule out an edge. The result is NaN throughout unless the
    metric is a ratio of sums over items in [0, 1], or a mean of such ratios over thresholds, and
    there are labels. Of such a mean it is (1,).
    """
    thresholds = np.asarray(thresholds, dtype=float)
    is_mean = metric.averages is not None
    metric = metric.averages or metric
    # Metrics that call a fixed number of items positive have no terms of their own.
    terms = None if metric.decides or metric.limits != (0.0, 1.0) else metric.item_terms()
    if terms is None or not sample.n_labeled:
        return np.full(len(thresholds), np.nan)

    if is_mean:
        # If all labeled items have the same ratio, so has every threshold, and hence the mean.
        thresholds = sample.lower[sample.negative + sample.positive > 0.0][:1]

    # The terms of the ratio over the labeled items.
    classes = (sample.negative, sample.positive)
    counts = np.array([sample.around(thresholds, weights) for weights in classes])
    numerator = np.einsum("ij,ijk->k", terms[0], counts)
    denominator = np.einsum("ij,ijk->k", terms[1], counts)

    rounding = ROUNDING * sample.n_labeled
    is_counted = denominator > rounding
    at_most = np.where(is_counted & (numerator >= denominator - rounding), 1.0, np.nan)
    # A numerator that counts positives is 0 without positives.
    is_known = is_counted | (not sample.positive.any() and not terms[0][0].any())
    edges = np.where(is_known & (np.abs(numerator) <= rounding), 0.0, at_most)

    # Known inclusion probabilities may show that there are items off an edge.
    sizes = sample.around(thresholds, sample.counts)
    missed = (terms[0], terms[1] - terms[0])
    for edge, is_off in enumerate(missed):
        possible = _is_possible(is_off != 0.0, sizes, counts, sample.inclusion)
        edges[(edges == edge) & ~possible] = np.nan
    return edges


def _is_possible(
    is_off: np.ndarray, sizes: np.ndarray, counts: np.ndarray, inclusion: Inclusion
) -> np.ndarray:
    """Return whether possibly no item has a class that moves a ratio off its edge.

    `is_off` (2, 2) tells whether an item would, ``[z, above]``; `sizes` (2, n_thresholds) and
    `counts` (2, 2, n_thresholds) are all items and the labeled ones of each class below and above.
    Known inclusion probabilities of classes may show that there are others.
    """
    possible = np.ones(sizes.shape[1], dtype=bool)
    for code in (0, 1):
        sides = is_off[1 - code] & ~is_off[code]
        n_items = np.einsum("i,ij->j", sides, sizes)
        n_labeled = np.einsum("i,ij->j", sides, counts[code])
        possible &= inclusion.is_of_labeled_class(n_items, n_labeled, code)
    return possible


def limits_of_ends(
    metric: Any,
    sample: ScoreSample,
    ranges: np.ndarray,
    edges: np.ndarray,
    thresholds: ArrayLike = (-np.inf,),
    counts_known: bool = False,
) -> np.ndarray:
    """Return the values nearest to open edges, given the possible numbers of positives.

    The labels that are missing are the best or the worst ones with such a number of positives.

    Parameters
    ----------
    metric : Metric
    sample : ScoreSample
        The scores, on cells that may be coarse if the metric is one of the ranking.
    ranges : ndarray of shape (n_ranges, 2)
        The smallest and the largest number of positives.
    edges : ndarray of shape (n_thresholds,)
        0 or 1, NaN where both are ruled out.
    thresholds : array-like of shape (n_thresholds,)
    counts_known : bool, default=False
        Whether decisions are selections, in which labeled items count by their label.

    Returns
    -------
    limits : ndarray of shape (n_ranges, n_thresholds)
        The edges where values may be undefined; NaN where these are.
    """
    if metric.averages is not None:
        limits = _extreme_rankings(metric, sample, ranges, edges[0])[:, np.newaxis]
    elif metric.is_extreme_by_errors:
        limits = _extreme_decisions(metric, sample, ranges, edges, thresholds)
    else:
        limits = _extreme_ratios(metric, sample, ranges, edges, thresholds, counts_known)
    return np.where(np.isnan(limits) | np.isnan(edges), edges, limits)


def _extreme_ratios(
    metric: Any,
    sample: ScoreSample,
    ranges: np.ndarray,
    edges: np.ndarray,
    thresholds: ArrayLike,
    counts_known: bool,
) -> np.ndarray:
    """Return the extreme of a ratio of sums over items, (n_tails, n_thresholds).

    The positives among the unlabeled items above and below a threshold lie in a polygon, and a
    ratio of linear functions has its extremes at the corners.
    """
    classes = sample.negative, sample.positive
    labeled = np.array([sample.around(thresholds, weights) for weights in classes])
    if counts_known:
        # Known positives are in the selection, known negatives are not.
        negative, positive = labeled.sum(axis=1)
        zeros = np.zeros_like(negative)
        labeled = np.array([[negative, zeros], [zeros, positive]])

    below, above = sample.around(thresholds, sample.unlabeled)

    # Corners: positives above and below, (n_corners, n_tails, n_thresholds).
    totals = np.clip(ranges - sample.positive.sum(), 0.0, sample.unlabeled.sum())
    low = totals[:, [0]]
    high = totals[:, [1]]
    corners = []
    for total in (low, high):
        for of_above in (np.minimum(above, total), np.maximum(total - below, 0.0)):
            corners.append((of_above + 0.0 * low, total - of_above))
    for of_above in (0.0 * above, above):
        for of_below in (0.0 * below, below):
            total = of_above + of_below
            is_inside = (total >= low) & (total <= high)
            outside = np.where(is_inside, 0.0, np.nan)
            corners.append((of_above + outside, of_below + outside))
    of_above = np.stack([corner for corner, _ in corners])
    of_below = np.stack([corner for _, corner in corners])

    # The terms of the ratio at each corner.
    sums = []
    for term in metric.item_terms(None, sample.counts.sum()):
        of_labeled = np.einsum("ij,ijk->k", term, labeled)
        of_unlabeled = term[1, 1] * of_above + term[0, 1] * (above - of_above)
        of_unlabeled = of_unlabeled + term[1, 0] * of_below + term[0, 0] * (below - of_below)
        sums.append(of_labeled + of_unlabeled)

    numerator, denominator = sums
    # Undefined values rule out nothing; corners outside of the range are NaN.
    values = np.where(denominator == 0.0, edges, ratio(numerator, denominator))
    return _extreme(values, edges)


def _extreme_decisions(
    metric: Any, sample: ScoreSample, ranges: np.ndarray, edges: np.ndarray, thresholds: ArrayLike
) -> np.ndarray:
    """Return the extreme of a function of both rates, (n_tails, n_thresholds).

    Missing positives lie above the threshold at best, and below it at worst.
    """
    below, above = sample.around(thresholds, sample.unlabeled)
    _, negative = sample.around(thresholds, sample.negative)
    _, positive = sample.around(thresholds, sample.positive)

    totals = np.clip(ranges - sample.positive.sum(), 0.0, sample.unlabeled.sum())
    totals = np.round(np.linspace(totals[:, 0], totals[:, 1], N_TOTALS))[..., np.newaxis]

    at_best = np.minimum(above, totals)
    at_worst = np.maximum(totals - below, 0.0)
    missing = np.where(edges == 1.0, at_best, at_worst)

    tp = positive + missing
    fp = negative + above - missing
    n_positive = sample.positive.sum() + totals + 0.0 * tp
    values = metric.value(tp, fp, n_positive, sample.counts.sum() - n_positive)
    return _extreme(values, edges)


def _extreme_rankings(
    metric: Any, cells: ScoreSample, ranges: np.ndarray, edge: float
) -> np.ndarray:
    """Return the extreme of a mean of ratios over thresholds, (n_tails,).

    Missing positives have the highest scores at best, and the lowest at worst.
    """
    totals = np.clip(ranges - cells.positive.sum(), 0.0, cells.unlabeled.sum())
    totals = np.round(np.linspace(totals[:, 0], totals[:, 1], N_TOTALS))
    unlabeled = cells.unlabeled[::-1] if edge == 1.0 else cells.unlabeled
    before = np.cumsum(unlabeled) - unlabeled
    missing = np.clip(totals.reshape(-1, 1) - before, 0.0, unlabeled)
    missing = missing[:, ::-1] if edge == 1.0 else missing

    points = sample_operating_points(cells, cells.positive + missing)
    values = metric.value(points.tp, points.fp, steps=points.steps)
    # Undefined values rule out nothing.
    return _extreme(np.where(np.isnan(values), edge, values).reshape(totals.shape), edge)


def _extreme(values: np.ndarray, edges: float | np.ndarray) -> np.ndarray:
    """Return the values nearest to the edges over the first axis; NaN where all are undefined."""
    smallest = np.nan_to_num(values, nan=np.inf).min(axis=0)
    largest = np.nan_to_num(values, nan=-np.inf).max(axis=0)
    extreme = np.where(edges == 0.0, smallest, largest)
    return np.where(np.isfinite(extreme), extreme, np.nan)
