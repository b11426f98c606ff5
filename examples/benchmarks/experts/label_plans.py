"""Which items are labeled, and what their labels alone say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

PLANS = "random", "top", "half on top", "strata"
# Stratified labels: as many of each range between these ranks from the top, as shares of all items,
# if it has so many items.
CUTS, MIN_ITEMS = (0.5, 0.1, 0.03, 0.01, 0.003, 0.001, 3e-4, 1e-4), 15
N_DRAWS = 2000


@dataclass(frozen=True)
class LabelPlan:
    """Labeled items, and the strata from which they were drawn at random."""

    items: np.ndarray  # (n_labeled,) of int
    stratum: np.ndarray  # (n_items,) of int, of every item

    @classmethod
    def of(cls, name: str, scores, n_labels: int, rng) -> LabelPlan:
        """Draw the labeled items of a plan."""
        n_items = len(scores)
        sizes = {
            "random": [n_items],
            "top": [n_labels, n_items - n_labels],
            "half on top": [n_labels // 2, n_items - n_labels // 2],
            "strata": _sizes_of_strata(n_items),
        }[name]
        each = n_labels // len(sizes)
        numbers = {
            "top": [n_labels, 0],
            "half on top": [n_labels // 2, n_labels - n_labels // 2],
        }.get(name, [each] * len(sizes))

        stratum = np.empty(n_items, dtype=int)
        stratum[np.argsort(-scores, kind="stable")] = np.repeat(np.arange(len(sizes)), sizes)
        items = [
            rng.choice(np.flatnonzero(stratum == k), min(n, sizes[k]), replace=False)
            for k, n in enumerate(numbers)
        ]
        return cls(np.concatenate(items), stratum)

    def inclusion_proba(self) -> np.ndarray:
        """Return the probability with which each item is labeled, (n_items,)."""
        n_labeled = np.bincount(self.stratum[self.items], minlength=self.stratum.max() + 1)
        return (n_labeled / np.bincount(self.stratum))[self.stratum]


def _sizes_of_strata(n_items: int) -> list[int]:
    ranks = [int(cut * n_items) for cut in CUTS if cut * n_items >= MIN_ITEMS]
    return np.diff([0, *ranks[::-1], n_items]).tolist()


def by_strata(plan: LabelPlan, scores, labels, threshold: float, rng) -> dict[str, np.ndarray]:
    """Return draws of four quantities: a beta rate in each stratum on each side of the threshold.

    Twenty lines without a model, to be beaten. With H such cells a rate is Beta(1 / (2 H), 1 / 2)
    before any label, so that half a positive is expected among the first labels of all together.
    """
    is_above, n_items = scores >= threshold, len(scores)
    cell = 2 * plan.stratum + is_above
    _, cell = np.unique(cell, return_inverse=True)
    n_cells = cell.max() + 1
    known = cell[plan.items]
    positive = np.bincount(known, labels[plan.items], n_cells)
    n_known = np.bincount(known, minlength=n_cells)
    rate = rng.beta(0.5 / n_cells + positive, 0.5 + n_known - positive, (N_DRAWS, n_cells))

    total = positive + rng.binomial(np.bincount(cell) - n_known, np.clip(rate, 0.0, 1.0))
    cell_is_above = np.bincount(cell, is_above, n_cells) > 0
    found, all_positive = total[:, cell_is_above].sum(axis=1), total.sum(axis=1)
    return {
        "prevalence": all_positive / n_items,
        "precision": found / is_above.sum(),
        "recall": found / np.maximum(all_positive, 1.0),
        "f1": 2.0 * found / np.maximum(is_above.sum() + all_positive, 1.0),
    }


def by_bootstrap(plan: LabelPlan, scores, labels, rng) -> np.ndarray:
    """Return draws of average precision: a weighted Bayesian bootstrap of the labeled items."""
    chances = plan.inclusion_proba()
    items = plan.items[np.argsort(-scores[plan.items], kind="stable")]
    if not labels[items].any() or not chances.all():
        # Items that no plan would have labeled may be anything.
        return np.linspace(0.0, 1.0, N_DRAWS)
    weights = rng.standard_exponential((N_DRAWS // 10, len(items))) / chances[items]
    of_positives = weights * labels[items]
    found, above = np.cumsum(of_positives, axis=1), np.cumsum(weights, axis=1)
    return (of_positives * found / above).sum(axis=1) / found[:, -1]
