r"""Categories with few labels or none: the prevalence that their scores tell.

Labels of other categories may carry over in two ways:

* P(y = 1 | score) is the same, up to the random effects of categories.
* p(score | y) is the same, and the prevalence differs (label shift). With a curve :math:`p(s)` of
  all labels, of prevalence :math:`\pi_0`, a score has the likelihood ratio

  .. math:: r(s) = \frac{p(s)}{1 - p(s)} \frac{1 - \pi_0}{\pi_0},

  and the scores of a category alone have the likelihood :math:`\prod_i \{1 - \pi + \pi r(s_i)\}` of
  its prevalence :math:`\pi`.

The log-odds of the prevalence that EM finds, less those of :math:`\pi_0`, are one more column of
the items. Its coefficient is near 0 or near 1: half and half before any label, and by evidence
afterwards. Without it the draws of a quiet period would take the positives of a busy one along with
its false alarms.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from ..data._cells import ScoreKind
from ..engine._random_effects import Columns
from ..inference._sized_regression import BinaryRows, SizedEffect, draw_regression
from ._item_table import ItemTable
from ._part_regression import MAX_SLOPE, OF_INTERCEPT, OF_LOG_ODDS, standardized
from ._score_axes import Standardized, variance_of

# Where each category has so many labels, these say more than scores do.
MANY_LABELS = 20
# The coefficient is a size times a normal number of this mean: .04 (.02), or 1 (.5).
SIZES, PROBABILITIES, MEAN = (0.02, 0.5), (0.5, 0.5), 2.0
# Sizes of the square of the score, and number of draws of the curve, of which the median is taken.
OF_SQUARE, N_CURVES = ((0.1, 0.4), (0.6, 0.4)), 200
# Steps of EM, the change of a prevalence below which they end, and its bounds by labels and scores.
N_STEPS, TOLERANCE = 100, 1e-5
OF_LABELS, OF_SCORES = (0.02, 0.98), (0.001, 0.999)


def prevalences_by_scores(
    table: ItemTable, numbers: np.ndarray, kind: ScoreKind, rng: np.random.Generator
) -> Columns | None:
    """Return the log-odds of each category's prevalence by its scores, as an effect of items.

    None if all categories have many labels, or nothing tells. `numbers` are scores, (n_items,).
    """
    category = table.category
    labeled = np.flatnonzero(table.codes >= 0)
    if category is None or category.n_parts < 2 or not len(labeled):
        return None
    codes = category.codes
    counts = table.weights
    n_items = np.bincount(codes, counts, category.n_parts)
    n_labels = np.bincount(codes[labeled], counts[labeled], category.n_parts)
    log_odds = kind.log_odds(numbers)
    scores = standardized(Standardized.of(log_odds, counts).values, counts)
    if n_labels[n_items > 0.0].min() >= MANY_LABELS or not scores.any():
        return None

    # The likelihood ratio of the scores, by the prevalence of the labels.
    spread = float(np.sqrt(variance_of(log_odds, counts)))
    curve = _curve(table, labeled, scores, spread, rng)
    of_labels = np.average(special.expit(curve[labeled]), weights=table.label_counts[labeled])
    start = np.clip(of_labels, *OF_LABELS)
    ratio = np.exp(curve - special.logit(start))

    # The prevalence of each category, with one more item of the others.
    prevalence = np.full(category.n_parts, start)
    for _ in range(N_STEPS):
        positive = prevalence[codes] * ratio
        positive /= positive + 1.0 - prevalence[codes]
        n_positive = np.bincount(codes, counts * positive, category.n_parts)
        before = prevalence
        prevalence = (n_positive + start) / (n_items + 1.0)
        if np.abs(prevalence - before).max() < TOLERANCE:
            break

    shift = special.logit(np.clip(prevalence, *OF_SCORES)) - special.logit(start)
    return Columns("label shift", SIZES, PROBABILITIES, shift[codes, np.newaxis], mean=MEAN)


def _curve(
    table: ItemTable,
    labeled: np.ndarray,
    scores: np.ndarray,
    spread: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the log-odds of a positive by a score alone, a line with a square, (n_items,)."""
    weights = table.weights
    square = scores**2 - 1.0
    square = square - scores * np.average(square * scores, weights=weights)
    columns = np.column_stack([np.ones(len(scores)), scores, standardized(square, weights)])
    effects = (
        SizedEffect(slice(0, 1), *OF_INTERCEPT),
        SizedEffect(slice(1, 2), *OF_LOG_ODDS, min(spread, MAX_SLOPE)),
        SizedEffect(slice(2, 3), *OF_SQUARE),
    )
    counts = table.label_counts[labeled]
    member = np.zeros(len(labeled), dtype=int)
    positive = counts * (table.codes[labeled] == 1)
    rows = BinaryRows(columns[labeled], member, 0, counts, positive)
    drawn = draw_regression(rows, effects, N_CURVES, rng)
    return np.einsum("ij,j->i", columns, np.median(drawn.coefficients, axis=0))
