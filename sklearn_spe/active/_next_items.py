"""Drawing a batch: a strategy's choice by chance, with exploration, and the chances recorded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..betting._drawn_sides import DrawnSides
from ..betting._goal_certificate import GoalCertificate
from ..betting._label_design import expected_squares, rest_and_reach
from .strategies._pool import Pool
from .strategies._strategy import Strategy, best

__all__ = ["DRAWS", "Batch", "draw_batch"]

DRAWS = ("sample", "argmax")
# Which part of the exploration is even in the logarithm of the rank, as classifiers are
# decided at the top; the rest is even in rank.
LOG_PART = 0.5


@dataclass(frozen=True, eq=False)
class Batch(FrozenArrays):
    """Items that were drawn together, in the order of the draws.

    Attributes
    ----------
    items : ndarray of shape (n,)
    chances : ndarray of shape (n,)
        With which each was drawn among the items that were free then; NaN if chance had no part.
    least : ndarray of shape (n,)
        The least chance that any of these had; likewise.
    predictions : ndarray of shape (n,)
        The probability to be positive that was predicted before.
    rest : ndarray of shape (2,)
        As `rest_and_reach` returns it, of the items that were free before the first draw.
    reach : ndarray of shape (n, 2, 2)
    squares : ndarray of shape (n, 2)
        As `expected_squares` returns them before each draw.
    sides : tuple of DrawnSides, default=()
        What a certificate remembers of the chances of each draw; nothing if there is none.
    """

    items: np.ndarray
    chances: np.ndarray
    least: np.ndarray
    predictions: np.ndarray
    rest: np.ndarray
    reach: np.ndarray
    squares: np.ndarray
    sides: tuple[DrawnSides, ...] = ()


def draw_batch(
    strategy: Strategy,
    pool: Pool,
    n: int,
    *,
    draw: str,
    exploration: float,
    rng,
    items=None,
    certificate: GoalCertificate | None = None,
) -> Batch:
    r"""Choose the items to label next.

    With ``draw="sample"`` every item is drawn with a known chance

    .. math:: q = (1 - \epsilon) w / \sum w + \epsilon x ,

    w being the weights of the strategy and x those of exploration. Where items belong together w
    is divided by one more than the labels that the group of the item has, or will have. What a
    `certificate` has to know of the chances is remembered. Where one place of a pool stands for
    several items q is the chance of each of them, and a place may be drawn again.
    """
    side = np.zeros(pool.n_items, dtype=bool) if pool.above is None else pool.above
    probability = np.asarray(pool.probability)
    if draw == "argmax":
        items = best(strategy, pool, n, rng) if items is None else items
        unknown = np.full(len(items), np.nan)
        reach = np.full((len(items), 2, 2), np.nan)
        squares = np.full((len(items), 2), np.nan)
        own = unknown, unknown, probability[items]
        return Batch(items, *own, np.full(2, np.nan), reach, squares)
    chosen: list[int] = []
    chances: list[float] = []
    least: list[float] = []
    moves: list[np.ndarray] = []
    spreads: list[np.ndarray] = []
    sides: list[DrawnSides] = []
    # Only sums over items are followed.
    rest, move, spread = None, np.full((2, 2), np.nan), np.full(2, np.nan)
    exploration = exploration if strategy.explores else 0.0
    fixed = None if strategy.weights_change else strategy.weights(pool)
    for k in range(min(n, int(pool.counts[pool.free].sum()))):
        free = np.flatnonzero(pool.free)
        counts = pool.counts[free]
        weights = strategy.weights(pool) if fixed is None else fixed
        if strategy.spreads and pool.groups is not None:
            weights = weights * pool.freshness
        q = chances_of(weights[free], pool.ranks[free], exploration, counts)
        # Where an item has no chance the design is void.
        is_design = bool(q.all())
        if is_design and pool.terms is not None:
            total, move = rest_and_reach(probability[free], q, side[free], counts)
            rest = total if rest is None else rest
            spread = expected_squares(probability[free], q, side[free], counts)
        if is_design and certificate is not None:
            everyone = np.zeros(pool.n_items)
            everyone[free] = q
            sides.append(certificate.sides(everyone))
        if items is None:
            at = int(np.searchsorted(np.cumsum(q * counts), rng.random(), side="right"))
            at = min(at, len(free) - 1)
        else:
            at = int(np.searchsorted(free, items[k]))
        chosen.append(int(free[at]))
        chances.append(q[at] if is_design else np.nan)
        least.append(q.min() if is_design else np.nan)
        moves.append(move)
        spreads.append(spread)
        pool = pool.after(chosen[-1])
    drawn = np.array(chosen, dtype=np.intp)
    return Batch(
        drawn,
        np.array(chances),
        np.array(least),
        probability[drawn],
        np.zeros(2) if rest is None else rest,
        np.reshape(moves, (-1, 2, 2)),
        np.reshape(spreads, (-1, 2)),
        # Whose draws were not all by chance proves nothing.
        tuple(sides) if len(sides) == len(chosen) else (),
    )


def chances_of(weights, ranks, exploration: float, counts=None) -> np.ndarray:
    """Return the chance of each free item to be drawn next; times `counts` they sum to one."""
    counts = np.ones(len(weights)) if counts is None else counts
    total, n = (weights * counts).sum(), counts.sum()
    wanted = weights / total if total > 0.0 else np.full(len(weights), 1.0 / n)
    by_rank = 1.0 / ranks
    explore = LOG_PART * by_rank / (by_rank * counts).sum() + (1.0 - LOG_PART) / n
    return (1.0 - exploration) * wanted + exploration * explore
