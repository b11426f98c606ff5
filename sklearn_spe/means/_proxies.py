"""Proxies: what is known of every item, and may tell of its label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["Proxies"]

# Waves of the rank: how finely the mean label may depend on it.
N_WAVES = 6


@dataclass(frozen=True, eq=False)
class Proxies(FrozenArrays):
    """Columns of numbers, on any scales.

    Attributes
    ----------
    names : tuple
        What each is called: the name of its column, or its number.
    values : ndarray of shape (n_items, n_proxies)
        NaN where nothing is said.
    """

    names: tuple
    values: np.ndarray

    def check(self, labeled) -> None:
        """Raise unless every column tells items apart, and speaks of a labelled one.

        Parameters
        ----------
        labeled : ndarray of shape (n_labeled,), of int
            The rows that are labelled.
        """
        for name, column in zip(self.names, self.values.T, strict=True):
            said = column[~np.isnan(column)]
            if not len(said):
                raise ValueError(f"The column {name!r} of X holds no number at all: leave it out.")
            if said.min() == said.max() and len(said) == len(column):
                raise ValueError(
                    f"The column {name!r} of X says one thing only, {said[0]:g}, which tells no "
                    f"item from another: leave it out."
                )
            if np.isnan(column[labeled]).all():
                raise ValueError(
                    f"The column {name!r} of X says nothing of any labelled item, so that nothing "
                    f"is known of what it is worth: label some of the {len(said):,} items that it "
                    f"speaks of, or leave it out."
                )

    def blocks(self, labeled) -> dict[str, np.ndarray]:
        """Return features of the items, each block of shape (n_items, n_features).

        `labeled` are the rows that are labelled. Far beyond their numbers a line goes on level: a
        few items of enormous numbers, of which none is labelled, would else decide the mean.

        "raw" and "ranks": each column in its standard deviations, as it is and as normal scores of
        its ranks, and their mean if there are several. "waves": cosines of the rank of that mean,
        the finer the smaller. "silence": where a column says nothing, in which it is taken at its
        mean.
        """
        if not self.names:
            return {}
        raw = np.column_stack(
            [_standardised(_within(column, column[labeled])) for column in self.values.T]
        )
        ranks = np.column_stack([_normal_scores(column) for column in self.values.T])
        together = _ranks(ranks.mean(axis=1))
        k = np.arange(1, N_WAVES + 1)
        waves = np.sqrt(2.0) / k * np.cos(np.pi * k * together[:, np.newaxis])
        silence = np.isnan(self.values).astype(float)
        return {
            "raw": _with_mean(raw),
            "ranks": _with_mean(ranks),
            "waves": waves,
            "silence": silence[:, silence.any(axis=0)],
        }


def _within(column, known) -> np.ndarray:
    """Return a column, cut at half the range of its labelled numbers beyond these."""
    if np.isnan(known).all():
        return column
    # Halves: differences of very large numbers are infinite.
    low, high = np.nanmin(known) / 2.0, np.nanmax(known) / 2.0
    reach = (high - low) / 2.0
    return np.clip(column / 2.0, low - reach, high + reach)


def _with_mean(columns) -> np.ndarray:
    if columns.shape[1] == 1:
        return columns
    return np.column_stack([columns, _standardised(columns.mean(axis=1))])


def _standardised(column) -> np.ndarray:
    """Return a column in standard deviations from its mean, 0 where it is silent or constant."""
    # Squares of very large numbers are infinite.
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
    """Return the share of values below each, and half of those equal to it."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return ((np.cumsum(counts) - counts / 2.0) / len(values))[place]
