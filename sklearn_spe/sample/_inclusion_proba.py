"""What a user says of how labels were drawn, read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

from scipy import special

from ..inputs._labels import BinaryLabels
from ..inputs._numbers import check_number
from ._inclusion import AT_RANDOM, Inclusion, SharesOfClasses

__all__ = ["read_inclusion"]

# Shares that are right are refused less often than this.
LEAST_P_VALUE = 1e-4


def read_inclusion(inclusion_proba, labels: BinaryLabels, codes, weights) -> Inclusion:
    """Read the chances with which items were labelled, and see whether labels contradict them.

    Parameters
    ----------
    inclusion_proba : None or dict
        As `PerformanceCurveEstimator.fit` takes it.
    labels : BinaryLabels
    codes : ndarray of shape (n_items,)
        1, 0, or -1 where there is no label.
    weights : ndarray of shape (n_items,)
        How many items each stands for.

    Raises
    ------
    TypeError
        If it is of another kind.
    ValueError
        If the labels contradict it.
    """
    if inclusion_proba is None:
        return AT_RANDOM
    if isinstance(inclusion_proba, Mapping):
        return _of_classes(inclusion_proba, labels, codes, weights)
    first, second = labels.classes.tolist()
    raise TypeError(
        f"inclusion_proba must map each class to the share of it that was labelled, such as "
        f"{{{first!r}: 0.02, {second!r}: 0.5}}; got {inclusion_proba!r}."
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
