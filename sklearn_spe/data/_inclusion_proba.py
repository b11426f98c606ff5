"""Inclusion probabilities of labels as users pass them, checked by the labels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

from ..exceptions import ParameterError, ParameterTypeError
from ..inputs._labels import BinaryLabels
from ..inputs._validation import as_vector, check_number, listed
from ._column_inclusion import inclusion_of_columns
from ._inclusion import Inclusion, ItemInclusion, SharesOfClasses, class_size_range

# Significance level of the check of inclusion probabilities.
MIN_P_VALUE = 1e-4


def read_inclusion(
    inclusion_proba,
    labels: BinaryLabels,
    columns: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    category: np.ndarray | None = None,
) -> tuple[Inclusion, np.ndarray | None]:
    """Validate inclusion probabilities by the labels; return also those of the items, if known.

    `inclusion_proba` is as in `PerformanceCurveEstimator.fit`; `columns` (n_rows, n_columns) are
    scores and ratings, larger for positives, NaN if missing; other arguments as in `ItemTable`.
    """
    if isinstance(inclusion_proba, Mapping):
        return _of_classes(inclusion_proba, labels, codes, weights), None

    if np.isscalar(inclusion_proba) or getattr(inclusion_proba, "shape", None) == ():
        first, second = labels.classes.tolist()
        raise ParameterTypeError.of(
            "inclusion_proba",
            "must hold the probability of each item to be labeled, or map each "
            f"class to its labeled share, such as {{{first!r}: 0.02, {second!r}: 0.5}}; got "
            f"{inclusion_proba!r}.",
        )

    of_items = as_vector(inclusion_proba, "inclusion_proba", len(columns))
    check_inclusion_proba(of_items, codes, weights)
    counted = weights > 0.0
    counted_items = codes[counted], weights[counted], of_items[counted]
    if columns.shape[1] == 1 and category is None:
        inclusion = ItemInclusion.of(columns[counted, 0], *counted_items)
    else:
        of_category = None if category is None else category[counted]
        inclusion = inclusion_of_columns(columns[counted], of_category, *counted_items)

    if inclusion.of_rows is not None:
        of_rows = np.ones(len(columns))
        of_rows[counted] = inclusion.of_rows
        inclusion = replace(inclusion, of_rows=of_rows)
    return inclusion, of_items


def check_inclusion_proba(
    inclusion_proba: np.ndarray, codes: np.ndarray, weights: np.ndarray
) -> None:
    """Raise unless they are probabilities that the labels do not contradict.

    All arguments are (n_items,); codes are -1 if unlabeled.
    """
    invalid = np.flatnonzero(~((inclusion_proba >= 0.0) & (inclusion_proba <= 1.0)))
    if len(invalid):
        raise ParameterError.of(
            "inclusion_proba",
            "must be probabilities in [0, 1], one for each item, labeled or "
            f"not; got {inclusion_proba[invalid[0]]} at index {invalid[0]} and {len(invalid)} such "
            "values in all.",
        )

    never = np.flatnonzero((inclusion_proba == 0.0) & (codes >= 0))
    if len(never):
        raise ParameterError.of(
            "inclusion_proba",
            f"is 0 for {len(never)} labeled items, rows {listed(never)}, which "
            "could not have been drawn. Pass the probability with which each was drawn.",
        )

    counted = weights > 0.0
    _check_strata(inclusion_proba[counted], codes[counted], weights[counted])


def _check_strata(inclusion_proba: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> None:
    """Raise if the number of labels of a stratum is improbable."""
    strata, stratum = np.unique(inclusion_proba, return_inverse=True)
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

    raise ParameterError(
        f"The labels contradict inclusion_proba significantly: of {n_items[worst]:,.0f} items "
        f"with probability {strata[worst]:.4g}, {n_labeled[worst]:,.0f} are labeled, but "
        f"{n_items[worst] * strata[worst]:,.1f} are expected. Pass the probability that each "
        "item is labeled by now: 0 for items outside the design, and smaller values where "
        "labels were removed. Relative probabilities are not sufficient.",
        parameter="inclusion_proba",
    )


def _of_classes(
    inclusion_proba: Mapping[Any, float],
    labels: BinaryLabels,
    codes: np.ndarray,
    weights: np.ndarray,
) -> SharesOfClasses:
    names = labels.classes.tolist()
    names = [names[1 - labels.positive], names[labels.positive]]
    if set(inclusion_proba) != set(names):
        raise ParameterError.of(
            "inclusion_proba",
            f"must map exactly the classes {names!r} to their labeled shares; "
            f"got {dict(inclusion_proba)!r}. A class without labels has share 0.",
        )

    shares = [check_number(inclusion_proba[c], f"inclusion_proba[{c!r}]", "[0, 1]") for c in names]
    counts = [float(weights[codes == code].sum()) for code in (0, 1)]

    for name, share, count in zip(names, shares, counts, strict=True):
        if share == 0.0 < count:
            raise ParameterError.of(
                "inclusion_proba",
                f"is 0 for class {name!r}, but {count:g} items of it are "
                "labeled: pass its labeled share.",
            )

    _check_counts(names, shares, counts, float(weights.sum()))
    return SharesOfClasses.of(*shares)


def _check_counts(
    names: list[Hashable], shares: list[float], counts: list[float], n_items: float
) -> None:
    """Raise if the label counts of both classes are improbable for every prevalence."""
    ranges = [
        class_size_range(round(count), share, round(n_items), MIN_P_VALUE / 4.0)
        for count, share in zip(counts, shares, strict=True)
    ]
    smallest, largest = (sum(ends) for ends in zip(*ranges, strict=True))
    if smallest <= round(n_items) <= largest:
        return

    implied = " and ".join(
        f"share {q:.3g} of class {name!r} with {count:g} labels: {low:,} to {high:,} items"
        for name, q, count, (low, high) in zip(names, shares, counts, ranges, strict=True)
    )
    raise ParameterError(
        f"The labels contradict inclusion_proba significantly: it implies {implied}; these do not "
        f"add up to the {n_items:,.0f} items of X. Pass the labeled share of all items of each "
        "class, and all these items as X.",
        parameter="inclusion_proba",
    )
