"""Proxies of outcomes as features, and how the outcomes were drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from ..data._item_data import ItemData
from ..exceptions import ParameterError
from ..inputs._arrays import mid_ranks

# Number of basis functions of the rank: the resolution of the regression on it.
N_BASIS = 6
# With fewer labels, their spread cannot be estimated.
MIN_LABELS = 5


def features_of(values: np.ndarray, labeled: np.ndarray) -> dict[str, np.ndarray]:
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

    mean_rank = mid_ranks(ranks.mean(axis=1))
    k = np.arange(1, N_BASIS + 1)
    basis = np.sqrt(2.0) / k * np.cos(np.pi * k * mean_rank[:, np.newaxis])

    missingness = np.isnan(values).astype(float)
    return {
        "raw": _with_mean(raw),
        "ranks": _with_mean(ranks),
        "basis": basis,
        "missingness": missingness[:, missingness.any(axis=0)],
    }


def _within(column: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return a column, clipped at half the range of its labeled values beyond these."""
    if np.isnan(known).all():
        return column
    # Halves: differences of very large numbers overflow.
    low, high = np.nanmin(known) / 2.0, np.nanmax(known) / 2.0
    reach = (high - low) / 2.0
    return np.clip(column / 2.0, low - reach, high + reach)


def _with_mean(columns: np.ndarray) -> np.ndarray:
    if columns.shape[1] == 1:
        return columns
    return np.column_stack([columns, _standardized(columns.mean(axis=1))])


def _standardized(column: np.ndarray) -> np.ndarray:
    """Return a column in standard deviations from its mean, 0 where missing or constant."""
    # Squares of very large numbers overflow.
    column = column / np.nanmax(np.abs(column), initial=1e-300)
    off = column - np.nanmean(column)
    spread = np.nanstd(off)
    return np.nan_to_num(off / spread) if spread > 0.0 else np.zeros(len(column))


def _normal_scores(column: np.ndarray) -> np.ndarray:
    known = ~np.isnan(column)
    scores = np.full(len(column), np.nan)
    scores[known] = special.ndtri(mid_ranks(column[known]))
    return _standardized(scores)


def inclusion_proba_of(
    data: ItemData, units: np.ndarray, *, may_be_equal: bool, of_population: bool = False
) -> np.ndarray:
    """Return the inclusion probability of each item; raise unless labels are enough for a mean."""
    labels: Any = data.outcomes
    known = ~np.isnan(labels)
    n_known = int(known.sum())
    # Of all labels the mean is known; that of a population has a proper posterior if labels are
    # counted, which have a prior.
    if known.all() and (not of_population or (may_be_equal and data.inclusion_proba is None)):
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
            "no interval is reliable. Give the range of possible labels by label_range, such "
            "as (0, 1), or label more items until two labels differ."
        )

    n_units = len(np.unique(units[known]))
    if n_units < MIN_LABELS:
        raise ValueError(
            f"The labels are of {n_units} groups, which count as one observation each; label items "
            f"of at least {MIN_LABELS} groups."
        )
    if data.inclusion_proba is None:
        return np.full(len(labels), n_known / len(labels))
    n_drawn = int((data.inclusion_proba[known] < 1.0).sum())
    if n_drawn < MIN_LABELS:
        raise ValueError(
            f"Of the labeled items {n_drawn} had an inclusion probability below 1: the others, "
            "labeled with certainty, carry no information on unlabeled items. Draw at least "
            f"{MIN_LABELS}."
        )
    return data.inclusion_proba
