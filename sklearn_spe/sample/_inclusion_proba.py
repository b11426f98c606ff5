"""What a user says of how labels were drawn, read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

import numpy as np
from scipy import special

from ..inputs._array_like import as_vector
from ..inputs._labels import BinaryLabels
from ..inputs._listed import listed
from ..inputs._numbers import check_number
from ._inclusion import AT_RANDOM, Inclusion, SharesOfClasses
from ._item_chances import ChancesOfItems

__all__ = ["check_chances", "read_inclusion"]

# Shares that are right are refused less often than this.
LEAST_P_VALUE = 1e-4


def read_inclusion(inclusion_proba, labels: BinaryLabels, scores, codes, weights) -> Inclusion:
    """Read the chances with which items were labelled, and see whether labels contradict them.

    `inclusion_proba` is what `PerformanceCurveEstimator.fit` takes; the rest is as in
    `LabeledScores`.

    Raises
    ------
    ValueError
        If the labels contradict it.
    """
    if inclusion_proba is None:
        return AT_RANDOM
    if isinstance(inclusion_proba, Mapping):
        return _of_classes(inclusion_proba, labels, codes, weights)
    if np.isscalar(inclusion_proba) or getattr(inclusion_proba, "shape", None) == ():
        first, second = labels.classes.tolist()
        raise TypeError(
            f"inclusion_proba must hold the chance of each item to be labelled, or map each class "
            f"to the share of it that was, such as {{{first!r}: 0.02, {second!r}: 0.5}}; got "
            f"{inclusion_proba!r}."
        )
    chances = as_vector(inclusion_proba, "inclusion_proba", len(scores))
    check_chances(chances, codes, weights)
    kept = weights > 0.0
    return ChancesOfItems.of(scores[kept], codes[kept], weights[kept], chances[kept])


def check_chances(chances, codes, weights) -> None:
    """Raise unless they are probabilities that labels do not contradict.

    Parameters
    ----------
    chances, codes, weights : ndarray of shape (n_items,)
        Codes are -1 where there is no label.
    """
    wrong = np.flatnonzero(~((chances >= 0.0) & (chances <= 1.0)))
    if len(wrong):
        raise ValueError(
            f"inclusion_proba must be chances in [0, 1], one an item, labelled or not; got "
            f"{chances[wrong[0]]} at index {wrong[0]} and {len(wrong)} such values in all."
        )
    never = np.flatnonzero((chances == 0.0) & (codes >= 0))
    if len(never):
        raise ValueError(
            f"inclusion_proba is 0 for {len(never)} labelled items, rows {listed(never)}: what "
            f"cannot be drawn has no label. Pass the chance with which each was drawn."
        )
    kept = weights > 0.0
    _check_strata(chances[kept], codes[kept], weights[kept])


def _check_strata(chances, codes, weights) -> None:
    """Raise if of all items with one chance far more or fewer are labelled than expected."""
    strata, stratum = np.unique(chances, return_inverse=True)
    n_items = np.round(np.bincount(stratum, weights)).astype(int)
    n_labeled = np.round(np.bincount(stratum, weights * (codes >= 0))).astype(int)
    # Exactly so many or fewer, and exactly so many or more.
    p_values = np.minimum(
        special.bdtr(n_labeled, n_items, strata),
        np.where(n_labeled > 0, special.bdtrc(n_labeled - 1, n_items, strata), 1.0),
    )
    worst = int(np.argmin(p_values))
    if p_values[worst] * 2.0 * len(strata) >= LEAST_P_VALUE:
        return
    raise ValueError(
        f"The labels contradict inclusion_proba beyond chance: of {n_items[worst]:,.0f} items with "
        f"a chance of {strata[worst]:.4g} to be labelled {n_labeled[worst]:,.0f} are, and "
        f"{n_items[worst] * strata[worst]:,.1f} would be expected. Pass the chances with which "
        f"items got the labels that they have by now: 0 for those that were never drawn from, and "
        f"less where labels were lost. Chances relative to each other are not enough."
    )


def _of_classes(given, labels, codes, weights) -> SharesOfClasses:
    names = labels.classes.tolist()
    names = [names[1 - labels.positive], names[labels.positive]]
    if set(given) != set(names):
        raise ValueError(
            f"inclusion_proba must name the share labelled of each of the classes {names!r}, and "
            f"no other; got {dict(given)!r}. A class of which nobody was labelled has the share 0."
        )
    shares = [check_number(given[c], f"inclusion_proba[{c!r}]", "[0, 1]") for c in names]
    counts = [float(weights[codes == code].sum()) for code in (0, 1)]
    for name, share, count in zip(names, shares, counts, strict=True):
        if share == 0.0 < count:
            raise ValueError(
                f"inclusion_proba says that nothing of class {name!r} was labelled, and {count:g} "
                f"items of it are: pass the share that was."
            )
    _check_counts(names, shares, counts, float(weights.sum()))
    return SharesOfClasses.of(*shares)


def _check_counts(names, shares, counts, n_items) -> None:
    """Raise if no prevalence makes the numbers of labels of both classes probable."""
    ranges = [_sizes(round(c), q, round(n_items)) for c, q in zip(counts, shares, strict=True)]
    least, most = (sum(ends) for ends in zip(*ranges, strict=True))
    if least <= round(n_items) <= most:
        return
    said = " and ".join(
        f"{q:.3g} of class {name!r}, of which {count:g} are labelled: {low:,} to {high:,} items"
        for name, q, count, (low, high) in zip(names, shares, counts, ranges, strict=True)
    )
    raise ValueError(
        f"The labels contradict inclusion_proba beyond chance: it says {said}; together not the "
        f"{n_items:,.0f} items that there are. Pass the share that was labelled of all items of "
        f"a class, whose labels are known or not, and all these items as X."
    )


def _sizes(n_labeled: int, share: float, n_items: int) -> tuple[int, int]:
    """Return how few and how many items a class may have, from how many of it are labelled."""
    sizes, level = range(n_labeled, n_items + 1), LEAST_P_VALUE / 4.0
    # Of more items more are labelled: so many or more are probable from some size on ...
    fewest = bisect_left(
        sizes, True, key=lambda n: n_labeled == 0 or special.bdtrc(n_labeled - 1, n, share) >= level
    )
    # ... and so few or fewer up to some other.
    beyond = bisect_left(sizes, True, key=lambda n: special.bdtr(n_labeled, n, share) < level)
    return n_labeled + fewest, n_labeled + beyond - 1
