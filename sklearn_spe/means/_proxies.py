"""Proxies: variables known for every item that may predict its label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["Proxies"]

# Number of basis functions of the rank: the resolution of the regression on it.
N_BASIS = 6


@dataclass(frozen=True, eq=False)
class Proxies(FrozenArrays):
    """Proxy variables, on any scales."""

    names: tuple  # column names, or numbers
    values: np.ndarray  # (n_items, n_proxies); NaN where missing

    def check(self, labeled) -> None:
        """Raise unless every column varies and has values for labeled items."""
        for name, column in zip(self.names, self.values.T, strict=True):
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

    def blocks(self, labeled) -> dict[str, np.ndarray]:
        """Return features of the items, each block of shape (n_items, n_features).

        `labeled` are the labeled rows. Far outside the range of their values, features are
        constant: otherwise a few unlabeled items with extreme values would dominate the mean.

        "raw" and "ranks": each column, standardized, as it is and as normal scores of its ranks,
        and their mean if there are several. "waves": cosine basis functions of the rank of that
        mean, with amplitudes decreasing in frequency. "silence": indicators of missing values,
        which are replaced by the mean.
        """
        if not self.names:
            return {}
        raw = np.column_stack(
            [_standardised(_within(column, column[labeled])) for column in self.values.T]
        )
        ranks = np.column_stack([_normal_scores(column) for column in self.values.T])
        together = _ranks(ranks.mean(axis=1))
        k = np.arange(1, N_BASIS + 1)
        basis = np.sqrt(2.0) / k * np.cos(np.pi * k * together[:, np.newaxis])
        missingness = np.isnan(self.values).astype(float)
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
    return np.column_stack([columns, _standardised(columns.mean(axis=1))])


def _standardised(column) -> np.ndarray:
    """Return a column in standard deviations from its mean, 0 where missing or constant."""
    # Squares of very large numbers overflow.
    column = column / np.nanmax(np.abs(column), initial=1e-300)
    off = column - np.nanmean(column)
    spread = np.nanstd(off)
    return np.nan_to_num(off / spread) if spread > 0.0 else np.zeros(len(column))


def _normal_scores(column) -> np.ndarray:
    said = ~np.isnan(column)
    scores = np.full(len(column), np.nan)
    scores[said] = special.ndtri(_ranks(column[said]))
    return _standardised(scores)


def _ranks(values) -> np.ndarray:
    """Return the share of values below each, plus half the share of ties."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return ((np.cumsum(counts) - counts / 2.0) / len(values))[place]
