"""Validation of `inclusion_proba`, the inclusion probabilities of labels."""

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
from ._item_inclusion import ItemInclusion

__all__ = ["check_inclusion_proba", "read_inclusion"]

# Significance level of the check of inclusion probabilities.
MIN_P_VALUE = 1e-4


def read_inclusion(inclusion_proba, labels: BinaryLabels, scores, codes, weights) -> Inclusion:
    """Validate inclusion probabilities, and check them against the labels.

    `inclusion_proba` is as in `PerformanceCurveEstimator.fit`; other arguments as in
    `LabeledScores`.
    """
    if inclusion_proba is None:
        return AT_RANDOM
    if isinstance(inclusion_proba, Mapping):
        return _of_classes(inclusion_proba, labels, codes, weights)
    if np.isscalar(inclusion_proba) or getattr(inclusion_proba, "shape", None) == ():
        first, second = labels.classes.tolist()
        raise TypeError(
            "inclusion_proba must hold the probability of each item to be labeled, or map each "
            f"class to its labeled share, such as {{{first!r}: 0.02, {second!r}: 0.5}}; got "
            f"{inclusion_proba!r}."
        )
    chances = as_vector(inclusion_proba, "inclusion_proba", len(scores))
    check_inclusion_proba(chances, codes, weights)
    kept = weights > 0.0
    return ItemInclusion.of(scores[kept], codes[kept], weights[kept], chances[kept])


def check_inclusion_proba(chances, codes, weights) -> None:
    """Raise unless they are probabilities that the labels do not contradict.

    All arguments are (n_items,); codes are -1 if unlabeled.
    """
    wrong = np.flatnonzero(~((chances >= 0.0) & (chances <= 1.0)))
    if len(wrong):
        raise ValueError(
            "inclusion_proba must be probabilities in [0, 1], one for each item, labeled or "
            f"not; got {chances[wrong[0]]} at index {wrong[0]} and {len(wrong)} such values in "
            "all."
        )
    never = np.flatnonzero((chances == 0.0) & (codes >= 0))
    if len(never):
        raise ValueError(
            f"inclusion_proba is 0 for {len(never)} labeled items, rows {listed(never)}, which "
            "could not have been drawn. Pass the probability with which each was drawn."
        )
    kept = weights > 0.0
    _check_strata(chances[kept], codes[kept], weights[kept])


def _check_strata(chances, codes, weights) -> None:
    """Raise if the number of labels of a stratum is improbable."""
    strata, stratum = np.unique(chances, return_inverse=True)
    n_items = np.round(np.bincount(stratum, weights)).astype(int)
    n_labeled = np.round(np.bincount(stratum, weights * (codes >= 0))).astype(int)
    # Lower and upper binomial tail probabilities.
    p_values = np.minimum(
        special.bdtr(n_labeled, n_items, strata),
        np.where(n_labeled > 0, special.bdtrc(n_labeled - 1, n_items, strata), 1.0),
    )
    worst = int(np.argmin(p_values))
    if p_values[worst] * 2.0 * len(strata) >= MIN_P_VALUE:
        return
    raise ValueError(
        f"The labels contradict inclusion_proba significantly: of {n_items[worst]:,.0f} items "
        f"with probability {strata[worst]:.4g}, {n_labeled[worst]:,.0f} are labeled, but "
        f"{n_items[worst] * strata[worst]:,.1f} are expected. Pass the probability that each "
        "item is labeled by now: 0 for items outside the design, and smaller values where "
        "labels were removed. Relative probabilities are not sufficient."
    )


def _of_classes(given, labels, codes, weights) -> SharesOfClasses:
    names = labels.classes.tolist()
    names = [names[1 - labels.positive], names[labels.positive]]
    if set(given) != set(names):
        raise ValueError(
            f"inclusion_proba must map exactly the classes {names!r} to their labeled shares; "
            f"got {dict(given)!r}. A class without labels has share 0."
        )
    shares = [check_number(given[c], f"inclusion_proba[{c!r}]", "[0, 1]") for c in names]
    counts = [float(weights[codes == code].sum()) for code in (0, 1)]
    for name, share, count in zip(names, shares, counts, strict=True):
        if share == 0.0 < count:
            raise ValueError(
                f"inclusion_proba is 0 for class {name!r}, but {count:g} items of it are "
                "labeled: pass its labeled share."
            )
    _check_counts(names, shares, counts, float(weights.sum()))
    return SharesOfClasses.of(*shares)


def _check_counts(names, shares, counts, n_items) -> None:
    """Raise if the label counts of both classes are improbable for every prevalence."""
    ranges = [_sizes(round(c), q, round(n_items)) for c, q in zip(counts, shares, strict=True)]
    smallest, most = (sum(ends) for ends in zip(*ranges, strict=True))
    if smallest <= round(n_items) <= most:
        return
    said = " and ".join(
        f"share {q:.3g} of class {name!r} with {count:g} labels: {low:,} to {high:,} items"
        for name, q, count, (low, high) in zip(names, shares, counts, ranges, strict=True)
    )
    raise ValueError(
        f"The labels contradict inclusion_proba significantly: it implies {said}; these do not "
        f"add up to the {n_items:,.0f} items of X. Pass the labeled share of all items of each "
        "class, and all these items as X."
    )


def _sizes(n_labeled: int, share: float, n_items: int) -> tuple[int, int]:
    """Return the confidence interval of a class size, given its number of labels."""
    sizes, level = range(n_labeled, n_items + 1), MIN_P_VALUE / 4.0
    # Larger classes have more labels: the upper tail bounds the size from below ...
    fewest = bisect_left(
        sizes, True, key=lambda n: n_labeled == 0 or special.bdtrc(n_labeled - 1, n, share) >= level
    )
    # ... and the lower tail bounds it from above.
    beyond = bisect_left(sizes, True, key=lambda n: special.bdtr(n_labeled, n, share) < level)
    return n_labeled + fewest, n_labeled + beyond - 1
