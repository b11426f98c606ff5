"""Which items to label next: the first ones, draws by weights, rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from ..design._goal_certificate import GoalCertificate
from ..design._label_design import expected_squares, rest_and_reach
from ..design._sum_test import ThresholdCounts
from ..goals._question import Question
from ..inputs._arrays import FrozenArrays
from ..inputs._labels import UNLABELED
from ..inputs._validation import spawn
from ..metrics._metric import MetricLike
from ._information import ExpectedInformation, cells_of
from .strategies._rules import ExpectedChange
from .strategies._strategy import Pool, Strategy, best, ranks_from_top

DRAWS = ("sample", "argmax")
# Share of the exploration that is uniform in the logarithm of the rank, as decisions are made at
# the top; the rest is uniform in rank.
LOG_PART = 0.5


class SeedPlace(IntEnum):
    """First spawn keys of the random generators of a selector; smaller ones belong to fits."""

    QUERIES = 8
    DESIGN_RESAMPLES = 9
    SIMULATED_LABELINGS = 10
    LABEL_MODELS = 11
    DRAWN_LABELS = 12
    PREPARED_SCORES = 13
    ITEMS_OF_ROWS = 14


@dataclass(frozen=True, eq=False)
class Batch(FrozenArrays):
    """A batch of items, in the order of the draws."""

    items: np.ndarray  # (n,)
    # (n,); inclusion probabilities among the free items; NaN if not drawn at random.
    chances: np.ndarray
    predictions: np.ndarray  # (n,); P(y = 1) as predicted before the batch
    # (2,); as by `rest_and_reach`, of the items free before the first draw
    expected_positives: np.ndarray
    reach: np.ndarray  # (n, 2, 2)
    squares: np.ndarray  # (n, 2); as by `expected_squares` before each draw
    # Summary of each draw's inclusion probabilities for a certificate.
    threshold_counts: tuple[ThresholdCounts, ...] = ()


def draw_batch(
    strategy: Strategy,
    pool: Pool,
    n: int,
    *,
    draw: str,
    exploration: float,
    rng: np.random.Generator,
    items: np.ndarray | None = None,
    order: np.ndarray | None = None,
    certificate: GoalCertificate | None = None,
) -> Batch:
    r"""Choose the items to label next.

    With ``draw="sample"`` every item is drawn with a known inclusion probability

    .. math:: q = (1 - \epsilon) w / \sum w + \epsilon x ,

    with w the weights of the strategy and x those of exploration. With groups, w is divided by one
    plus the number of labels that the group of the item has or will have. With an `order` of the
    items, drawn before the first label, uniform draws are the next ones of it. The summary that a
    `certificate` needs of the probabilities is recorded. Where one row of a pool represents several
    items, q is the inclusion probability of each of them, and a row may be drawn again.
    """
    side = np.zeros(pool.n_items, dtype=bool) if pool.above is None else pool.above
    probability = np.asarray(pool.probability)
    if draw == "argmax":
        if items is None:
            items = best(strategy, pool, n, rng)
        return undrawn_batch(items, probability)

    exploration = exploration if strategy.explores else 0.0
    fixed_weights = None if strategy.weights_change else strategy.weights(pool)
    drawn: list[int] = []
    chances: list[float] = []
    reaches: list[np.ndarray] = []
    squares: list[np.ndarray] = []
    threshold_counts: list[ThresholdCounts] = []
    # Sums over the items before the first draw; these and the next two exist for ratios of sums.
    expected_positives = None
    reach = np.full((2, 2), np.nan)
    square = np.full(2, np.nan)

    n_free = int(pool.counts[pool.candidates].sum())
    for k in range(min(n, n_free)):
        free = np.flatnonzero(pool.candidates)
        counts = pool.counts[free]
        weights = strategy.weights(pool) if fixed_weights is None else fixed_weights
        if strategy.spreads and pool.groups is not None:
            weights = weights * pool.freshness
        q = draw_proba(weights[free], pool.ranks[free], exploration, counts)

        # The design is void where an item has zero inclusion probability.
        # The second item of a pair comes with the first.
        is_design = bool(q.all()) and pool.due is None
        if is_design and pool.terms is not None:
            p = probability[free]
            is_above = side[free]
            sums, reach = rest_and_reach(p, q, is_above, counts)
            expected_positives = sums if expected_positives is None else expected_positives
            square = expected_squares(p, q, is_above, counts)
        if is_design and certificate is not None:
            # Certificates need only sums over items.
            inclusion_proba = np.zeros(pool.n_items)
            inclusion_proba[free] = q
            threshold_counts.append(certificate.threshold_counts(inclusion_proba))

        # The item that was drawn before, the next one of an order, or a draw.
        item = None if items is None else items[k]
        if items is None and order is not None and is_design:
            item = order[pool.candidates[order]][0]
        index = _drawn(q * counts, rng) if item is None else int(np.searchsorted(free, item))
        item = int(free[index])
        drawn.append(item)
        chances.append(q[index] if is_design else np.nan)
        reaches.append(reach)
        squares.append(square)
        pool = pool.after(item)

    drawn_items = np.array(drawn, dtype=np.intp)
    return Batch(
        drawn_items,
        np.array(chances),
        probability[drawn_items],
        np.zeros(2) if expected_positives is None else expected_positives,
        np.reshape(reaches, (-1, 2, 2)),
        np.reshape(squares, (-1, 2)),
        # Draws that are not all random prove nothing.
        tuple(threshold_counts) if len(threshold_counts) == len(drawn) else (),
    )


def _drawn(chances: np.ndarray, rng: np.random.Generator) -> int:
    """Return the index of an item drawn by chances, (n_items,), which sum to about one."""
    index = int(np.searchsorted(np.cumsum(chances), rng.random(), side="right"))
    return min(index, len(chances) - 1)


def undrawn_batch(items: np.ndarray, probability: np.ndarray) -> Batch:
    """Return a batch of items that are not drawn with known inclusion probabilities."""
    n = len(items)
    return Batch(
        items,
        chances=np.full(n, np.nan),
        predictions=probability[items],
        expected_positives=np.full(2, np.nan),
        reach=np.full((n, 2, 2), np.nan),
        squares=np.full((n, 2), np.nan),
    )


def draw_proba(
    weights: np.ndarray, ranks: np.ndarray, exploration: float, counts: np.ndarray | None = None
) -> np.ndarray:
    """Return the inclusion probability of each free item; times `counts` they sum to one."""
    counts = np.ones(len(weights)) if counts is None else counts
    n_items = counts.sum()
    total_weight = (weights * counts).sum()
    if total_weight > 0.0:
        by_weight = weights / total_weight
    else:
        by_weight = np.full(len(weights), 1.0 / n_items)

    # Exploration: partly by the inverse rank, partly uniform.
    inverse_rank = 1.0 / ranks
    by_rank = LOG_PART * inverse_rank / (inverse_rank * counts).sum()
    by_exploration = by_rank + (1.0 - LOG_PART) / n_items
    return (1.0 - exploration) * by_weight + exploration * by_exploration


def rows_to_label(
    ranking: Any,
    n: int,
    metric: MetricLike = "average_precision",
    threshold: float | None = None,
) -> np.ndarray:
    """Return the rows to label next, the most informative first; `n` of them, or all that are left.

    Equal to a query of `ActiveTestSelector` with ``draw="argmax"``: largest expected gain, without
    the random draws that check a model. Ties are broken at random, from the seed of the fit.
    """
    cells = cells_of(ranking.posterior_)
    question = Question.of(metric, threshold=threshold)
    rows = ranking.rows()
    pool = Pool(
        rows.scores,
        rows.codes,
        rows.is_ranked & (rows.codes == UNLABELED),
        ranks_from_top(rows.scores),
        information=ExpectedInformation.of(question, ranking, cells),
        cells=np.maximum(np.searchsorted(cells.lower, rows.scores, side="right") - 1, 0),
    )
    return best(ExpectedChange(), pool, n, spawn(ranking.seed_, SeedPlace.QUERIES))
