"""The input of a mean: labels, and proxies of them."""

from __future__ import annotations

import numpy as np
from scipy import special

from ..data._inclusion_proba import check_inclusion_proba
from ..exceptions import ParameterError
from ..inputs._arrays import mid_ranks
from ..inputs._scores import read_columns
from ..inputs._validation import as_numbers, as_vector, check_number, shape_of, unmasked

# Number of basis functions of the rank: the resolution of the regression on it.
N_BASIS = 6
# With fewer labels, their spread cannot be estimated.
MIN_LABELS = 5


def _check_proxies(names, values, labeled) -> None:
    """Raise unless every column varies and has values for labeled items."""
    for name, column in zip(names, values.T, strict=True):
        said = column[~np.isnan(column)]
        if not len(said):
            raise ValueError(f"The column {name!r} of X has no values: leave it out.")
        if said.min() == said.max() and len(said) == len(column):
            raise ValueError(
                f"The column {name!r} of X is constant, {said[0]:g}, and carries no "
                "information: leave it out."
            )
        if np.isnan(column[labeled]).all():
            raise ValueError(
                f"The column {name!r} of X is missing for all labeled items, so that its "
                f"relation to the label cannot be estimated: label some of the {len(said):,} "
                "items that have a value, or leave it out."
            )


def features_of(values, labeled) -> dict[str, np.ndarray]:
    """Return features of the items by their proxies, each block of shape (n_items, n_features).

    `labeled` are the labeled rows. Far outside the range of their values, features are
    constant: otherwise a few unlabeled items with extreme values would dominate the mean.

    "raw" and "ranks": each column, standardized, as it is and as normal scores of its ranks,
    and their mean if there are several. "basis": cosine basis functions of the rank of that
    mean, with amplitudes decreasing in frequency. "missingness": indicators of missing values,
    which are replaced by the mean.
    """
    if not values.shape[1]:
        return {}
    raw = np.column_stack([_standardized(_within(column, column[labeled])) for column in values.T])
    ranks = np.column_stack([_normal_scores(column) for column in values.T])
    together = mid_ranks(ranks.mean(axis=1))
    k = np.arange(1, N_BASIS + 1)
    basis = np.sqrt(2.0) / k * np.cos(np.pi * k * together[:, np.newaxis])
    missingness = np.isnan(values).astype(float)
    return {
        "raw": _with_mean(raw),
        "ranks": _with_mean(ranks),
        "basis": basis,
        "missingness": missingness[:, missingness.any(axis=0)],
    }


def _within(column, known) -> np.ndarray:
    """Return a column, clipped at half the range of its labeled values beyond these."""
    if np.isnan(known).all():
        return column
    # Halves: differences of very large numbers overflow.
    low, high = np.nanmin(known) / 2.0, np.nanmax(known) / 2.0
    reach = (high - low) / 2.0
    return np.clip(column / 2.0, low - reach, high + reach)


def _with_mean(columns) -> np.ndarray:
    if columns.shape[1] == 1:
        return columns
    return np.column_stack([columns, _standardized(columns.mean(axis=1))])


def _standardized(column) -> np.ndarray:
    """Return a column in standard deviations from its mean, 0 where missing or constant."""
    # Squares of very large numbers overflow.
    column = column / np.nanmax(np.abs(column), initial=1e-300)
    off = column - np.nanmean(column)
    spread = np.nanstd(off)
    return np.nan_to_num(off / spread) if spread > 0.0 else np.zeros(len(column))


def _normal_scores(column) -> np.ndarray:
    said = ~np.isnan(column)
    scores = np.full(len(column), np.nan)
    scores[said] = special.ndtri(mid_ranks(column[said]))
    return _standardized(scores)


def read_labels(y) -> np.ndarray:
    """Return validated labels, NaN where missing."""
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: pass the known labels, and NaN for "
            "missing ones."
        )
    labels = as_numbers(unmasked(y), "y")
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y must have shape (n_samples,), one number an item; got {labels.shape}.")
    if not len(labels):
        raise ValueError("y is empty: the mean of no items is undefined.")
    infinite = np.isinf(labels)
    if infinite.any():
        raise ValueError(
            f"y must hold finite numbers, and NaN for missing labels; got "
            f"{labels[infinite][0]} at index {int(np.argmax(infinite))}."
        )
    marked = labels == -1.0
    rest = labels[~marked & ~np.isnan(labels)]
    if 2 * marked.sum() > len(labels) and len(rest) and rest.min() >= 0.0:
        raise ParameterError.of(
            "y",
            f"holds -1 for {int(marked.sum()):,} of {len(labels):,} items, and no other negative "
            "number. Labels are numbers here, and -1 is one:",
            "mark missing labels by NaN, numpy.where(y == -1, numpy.nan, y).",
        )
    return labels


def read_proxies(estimator, X, labels: np.ndarray) -> tuple[tuple, np.ndarray]:
    """Return the names of the proxies, and their validated values, (n_items, n_proxies)."""
    if X is None:
        return (), np.zeros((len(labels), 0))
    values, names = read_columns(estimator, X, reset=True)
    if values.ndim == 1:
        values = values[:, np.newaxis]
    if values.ndim != 2:
        raise ValueError(
            f"X must have shape (n_samples,) or (n_samples, n_proxies), got {shape_of(X)}."
        )
    infinite = np.argwhere(np.isinf(values))
    if len(infinite):
        row, column = infinite[0]
        raise ValueError(
            f"X must hold finite numbers, and NaN where missing; got {values[row, column]} in row "
            f"{row} of the column {names[column]!r}, and {len(infinite)} infinite values in all."
        )
    if len(values) != len(labels):
        raise ValueError(
            f"X and y must have the same number of items; X has {len(values):,} and y "
            f"{len(labels):,}."
        )
    if np.isnan(labels).any():
        _check_proxies(names, values, np.flatnonzero(~np.isnan(labels)))
    return names, values


def read_inclusion_proba(
    inclusion_proba,
    labels: np.ndarray,
    units: np.ndarray,
    may_be_equal: bool,
    *,
    of_population: bool = False,
) -> np.ndarray:
    """Return the validated inclusion probability of each item."""
    known = ~np.isnan(labels)
    n_known = int(known.sum())
    # Of all labels the mean is known; that of a population has a proper posterior if labels are
    # counted, which have a prior.
    if known.all() and (not of_population or (may_be_equal and inclusion_proba is None)):
        return np.ones(len(labels))
    if n_known < MIN_LABELS:
        raise ParameterError.of(
            "y",
            f"holds {n_known} labels, and a mean needs at least {MIN_LABELS}, drawn at random; "
            "useful intervals take about 20.",
            "NaN marks items without a label.",
        )
    if not may_be_equal and labels[known].min() == labels[known].max():
        raise ValueError(
            f"All {n_known} labels are {labels[known][0]:g}: their spread cannot be estimated, so "
            "that no interval has coverage. Give the range of possible labels by label_range, such "
            "as (0, 1), or label more items until two labels differ."
        )
    n_units = len(np.unique(units[known]))
    if n_units < MIN_LABELS:
        raise ValueError(
            f"The labels are of {n_units} groups, which count as one observation each; label items "
            f"of at least {MIN_LABELS} groups."
        )
    if inclusion_proba is None:
        return np.full(len(labels), n_known / len(labels))
    chances = as_vector(inclusion_proba, "inclusion_proba", len(labels))
    check_inclusion_proba(chances, np.where(known, 0, -1), np.ones(len(labels)))
    n_drawn = int((chances[known] < 1.0).sum())
    if n_drawn < MIN_LABELS:
        raise ValueError(
            f"Of the labeled items {n_drawn} had an inclusion probability below 1: the others, "
            "labeled with certainty, carry no information on unlabeled items. Draw at least "
            f"{MIN_LABELS}."
        )
    return chances


def read_range(label_range, labels: np.ndarray) -> tuple[float, float]:
    """Return the validated smallest and largest possible label."""
    if label_range is None:
        return -np.inf, np.inf
    if isinstance(label_range, (str, bytes)) or shape_of(label_range) != (2,):
        raise TypeError(
            f"label_range must be the smallest and the largest label, such as (1, 5); got "
            f"{label_range!r}."
        )
    low, high = (check_number(end, "label_range", "[-inf, inf]") for end in label_range)
    if not low < high:
        raise ValueError(f"label_range must be increasing, got {label_range!r}.")
    outside = (labels < low) | (labels > high)
    if outside.any():
        raise ParameterError(
            f"y holds {labels[outside][0]:g} at index {int(np.argmax(outside))}, outside of "
            f"label_range={label_range!r}.",
            parameter="label_range",
        )
    return low, high
