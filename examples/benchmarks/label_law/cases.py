"""The cases of each bench: scores, which of their labels are seen, and the strata of these."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from label_plans import PLANS, LabelPlan
from rare_shapes import SHAPES, SIZES, draw
from score_files import find_sets

from sklearn_spe.datasets import ScoreShape
from sklearn_spe.datasets._simulated_scores import SCORE_SHAPES

N_ROWS = 2000
# Labels of each bench; of chosen ones the first are random.
PUBLIC_LABELS, SHAPE_LABELS, RARE_LABELS = (20, 50, 100), (20, 100), (20, 60, 200)
N_RANDOM, N_CHOSEN = 20, 30
# Labels "above a threshold" are of this share of the items; adaptive ones come in batches.
ABOVE, N_BATCH, N_STRATA = 0.2, 5, 8
# Cases of fewer expected positives are not worth a fit, and thirty labels on top agree if so many
# are positive.
MIN_EXPECTED, MIN_AGREEING = 0.3, 24
LARGEST = 20_000


@dataclass(frozen=True)
class Case:
    """Scores of which a few labels are seen."""

    bench: str
    number: int
    about: str
    how: str  # labels were chosen
    scores: np.ndarray
    labels: np.ndarray
    plan: LabelPlan

    @property
    def threshold(self) -> float:
        """The score at the rank of the number of positives: not chosen by the luck of labels."""
        return float(np.sort(self.scores)[-self.labels.sum()])

    @property
    def y(self) -> np.ndarray:
        """The labels that are seen, -1 elsewhere."""
        y = np.full(len(self.labels), -1)
        y[self.plan.items] = self.labels[self.plan.items]
        return y


def cases_of(bench: str, number: int, folder) -> list[Case]:
    """Return the fits of a case: none if it is of no use, two where labels are added."""
    grid = BENCHES[bench](str(folder))
    turn, place = divmod(number, len(grid))
    order = np.random.default_rng([zlib.crc32(bench.encode()), turn]).permutation(len(grid))
    rng = np.random.default_rng([zlib.crc32(bench.encode()), turn, place, 1])
    return [
        Case(bench, number, *parts) for parts in MAKERS[bench](str(folder), grid[order[place]], rng)
    ]


def _public_grid(folder) -> list:
    return list(itertools.product(_sets(folder), PUBLIC_LABELS))


def _shape_grid(folder) -> list:
    return list(itertools.product(SCORE_SHAPES, SHAPE_LABELS))


def _rare_grid(folder) -> list:
    grid = itertools.product(SHAPES, SIZES, PLANS, RARE_LABELS)
    return [
        (shape, size, plan, n)
        for shape, size, plan, n in grid
        if size[0] <= LARGEST and (plan != "random" or n * size[1] >= MIN_EXPECTED)
    ]


def _chosen_grid(folder) -> list:
    return list(itertools.product(_sets(folder), CHOICES))


BENCHES: dict[str, Callable] = {
    "public": _public_grid,
    "shapes": _shape_grid,
    "rare": _rare_grid,
    "chosen": _chosen_grid,
    "agreeing": lambda folder: list(_sets(folder)),
}


@cache
def _sets(folder) -> list:
    """Return the names of the sets of a folder that are of use."""
    return [found.name for found in find_sets(folder) if found.load(N_ROWS) is not None]


def _items(folder, name, rng):
    """Return some rows of a set."""
    (found,) = [found for found in find_sets(folder) if found.name == name]
    scores, labels = found.load(4 * N_ROWS)
    rows = rng.permutation(len(labels))[:N_ROWS]
    return scores[rows], labels[rows]


def _public(folder, cell, rng):
    name, n_labels = cell
    scores, labels = _items(folder, name, rng)
    if labels.min() < labels.max():
        plan = LabelPlan.of("random", scores, n_labels, rng)
        yield f"{name} {n_labels}", "random", scores, labels, plan


def _shape(folder, cell, rng):
    kind, n_labels = cell
    seed = int(rng.integers(2**31))
    scores, labels = ScoreShape.random(kind, seed).draw(N_ROWS, seed)
    if labels.min() < labels.max():
        plan = LabelPlan.of("random", scores, n_labels, rng)
        yield f"{kind} {n_labels}", "random", scores, labels, plan


def _rare(folder, cell, rng):
    shape, (n_items, rate), how, n_labels = cell
    scores, labels = draw(shape, n_items, rate, rng)
    plan = LabelPlan.of(how, scores, n_labels, rng)
    yield f"{shape} {n_items} {rate} {n_labels}", how, scores, labels, plan


def _chosen(folder, cell, rng):
    name, how = cell
    scores, labels = _items(folder, name, rng)
    if labels.min() < labels.max():
        yield name, how, scores, labels, CHOICES[how](scores, labels, rng)


def _agreeing(folder, name, rng):
    """Twenty random labels, and the same with thirty more on top, which are mostly positive."""
    scores, labels = _items(folder, name, rng)
    if labels.min() == labels.max():
        return
    order = rng.permutation(len(scores))
    top = _first_of(np.argsort(-scores, kind="stable"), order[:N_RANDOM])
    if labels[top].sum() >= MIN_AGREEING:
        yield name, "before", scores, labels, _with_chosen(scores, order[:N_RANDOM], top[:0])
        yield name, "after", scores, labels, _with_chosen(scores, order[:N_RANDOM], top)


MAKERS = {
    "public": _public,
    "shapes": _shape,
    "rare": _rare,
    "chosen": _chosen,
    "agreeing": _agreeing,
}


def _first_of(preferred, random) -> np.ndarray:
    """Return the first items of an order that are not labeled yet."""
    return preferred[~np.isin(preferred, random)][:N_CHOSEN]


def _with_chosen(scores, random, chosen) -> LabelPlan:
    """Return random labels and those of chosen items, which are a stratum of their own."""
    stratum = np.zeros(len(scores), dtype=int)
    stratum[chosen] = 1
    return LabelPlan(np.r_[random, chosen], stratum)


def _on_top(scores, labels, rng) -> LabelPlan:
    random = rng.permutation(len(scores))[:N_RANDOM]
    return _with_chosen(scores, random, _first_of(np.argsort(-scores, kind="stable"), random))


def _above(scores, labels, rng) -> LabelPlan:
    """Return random labels, and more of the items above a quantile."""
    is_above = scores >= np.quantile(scores, 1.0 - ABOVE)
    random = rng.permutation(len(scores))[:N_RANDOM]
    further = _first_of(rng.permutation(np.flatnonzero(is_above)), random)
    return LabelPlan(np.r_[random, further], is_above.astype(int))


def _uncertain(scores, labels, rng) -> LabelPlan:
    """Return random labels, and those nearest to the rank that the share of positives implies."""
    random = rng.permutation(len(scores))[:N_RANDOM]
    share = (labels[random].sum() + 0.5) / (N_RANDOM + 1.0)
    distance = np.abs(scores.argsort(kind="stable").argsort() - (1.0 - share) * len(scores))
    return _with_chosen(scores, random, _first_of(np.argsort(distance, kind="stable"), random))


def _adaptive(scores, labels, rng) -> LabelPlan:
    """Return labels by the spread of the labels so far in each stratum of ranks."""
    rank = (-scores).argsort(kind="stable").argsort()
    edges = np.geomspace(N_CHOSEN, len(scores), N_STRATA)
    stratum = np.searchsorted(edges[:-1], rank, side="right")
    items = rng.permutation(len(scores))[:N_RANDOM]
    for _ in range(0, N_CHOSEN, N_BATCH):
        labeled = np.bincount(stratum[items], minlength=N_STRATA)
        rate = (np.bincount(stratum[items], labels[items], N_STRATA) + 0.5) / (labeled + 1.0)
        wanted = np.bincount(stratum) * np.sqrt(rate * (1.0 - rate))
        left = np.setdiff1d(np.arange(len(scores)), items)
        chances = (wanted / np.maximum(labeled + 1.0, 1.0) / np.bincount(stratum))[stratum[left]]
        items = np.r_[items, rng.choice(left, N_BATCH, False, chances / chances.sum())]
    return LabelPlan(items, stratum)


CHOICES: dict[str, Callable] = {
    "on top": _on_top,
    "above a threshold": _above,
    "uncertain": _uncertain,
    "adaptive": _adaptive,
}
