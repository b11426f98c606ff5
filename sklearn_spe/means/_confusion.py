"""Values of labels, and how the values of a proxy are confused with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ..inputs._arrays import FrozenArrays

# Labels with more values are treated as measurements.
MAX_VALUES = 10
# Rows that are not label values are not pooled: more of them need more labels.
MAX_ROWS = 4
# Prior concentrations, in observations, where rows are pooled.
CONCENTRATIONS = (1.0, 4.0, 16.0, 64.0, 256.0)
# Number of draws of the pooled distribution for each concentration.
N_PROPOSALS = 2000
# Maximum number of array elements held at once.
TILE = 2**20


@dataclass(frozen=True, eq=False)
class LabelValues(FrozenArrays):
    """The possible values of labels, and the row of each item, by its proxies."""

    values: np.ndarray  # (n_values,); increasing; at least two
    rows: np.ndarray  # (n_items,), of int
    # (n_rows,), of int; index of the proxy among the values, -1 if it is not one.
    places: np.ndarray

    @classmethod
    def of(cls, labels, proxies, low: float, high: float) -> LabelValues | None:
        """Return the values and rows, or None if either has too many or there is only one value."""
        values = _possible(np.unique(labels[~np.isnan(labels)]), low, high)
        if len(values) > MAX_VALUES:
            return None
        if proxies.shape[1] == 1:
            values = _of_both(values, np.unique(proxies[~np.isnan(proxies)]))
        found, rows = np.zeros((1, 0)), np.zeros(len(labels), dtype=int)
        if proxies.shape[1]:
            found, rows = np.unique(proxies, axis=0, return_inverse=True)
        if found.shape[1] == 1 and np.isin(found[~np.isnan(found)], values).all():
            places = np.where(np.isnan(found[:, 0]), -1, np.searchsorted(values, found[:, 0]))
        elif len(values) == 2 and len(found) <= MAX_ROWS:
            places = np.full(len(found), -1)
        else:
            return None
        return cls(values, rows.ravel(), places) if len(values) > 1 else None


def _possible(values, low, high):
    """Return the observed values, and those that the range of labels adds."""
    if not np.isfinite(high - low) or not len(values):
        return values
    if high - low < MAX_VALUES and (np.floor([*values, low, high]) == [*values, low, high]).all():
        return np.arange(low, high + 1.0)
    return np.union1d(values, [low, high]) if np.isin(values, [low, high]).all() else values


def _of_both(values, said):
    """Return the label values, and those of a proxy on the same scale."""
    if len(values) == 2 and len(said) and (values == [said[0], said[-1]]).all():
        # A binary proxy with values in between, such as means of two ratings.
        return values
    same = np.isin(values, said).all() or np.isin(said, values).all()
    both = np.union1d(values, said)
    return both if same and len(both) <= MAX_VALUES else values


def confusion_draws(
    cells: LabelValues, labels, chances, category, units, n_draws: int, rng
) -> np.ndarray:
    r"""Draw the means of all parts, (n_draws, n_parts).

    Items of one row share a distribution of labels. Its posterior is Dirichlet with the counts of
    the row's labels and prior counts: 1/2 each (Jeffreys) for two values. Rows with more values
    share a distribution of errors, as far as the labels support it (`_pooled`). A Dirichlet
    variable is a normalized vector of gamma variables, and those of counts are sums of exponential
    variables, one for each labeled item. Here there is one for each group of items, common to all
    parts and multiplied by the number of items it represents, so that groups and inclusion
    probabilities enter as in the Bayesian bootstrap [1]_. The labels of the other items are
    multinomial.

    References
    ----------
    .. [1] D. B. Rubin. "The Bayesian bootstrap." Annals of Statistics 9, 130-134 (1981).
    """
    parts = [np.ones(len(labels), dtype=bool)]
    if category is not None:
        parts += [category.codes == k for k in range(category.n_parts)]
    # Items labeled with certainty carry no information on the others.
    drawn = ~np.isnan(labels) & (chances < 1.0)
    seen_units, place = np.unique(units[drawn], return_inverse=True)
    places = np.full(len(labels), -1)
    places[drawn] = place
    means = [_mean_of_part(cells, labels, chances, units, places, part, rng) for part in parts]
    n_rows = max(1, TILE // max(len(seen_units), len(cells.places) * len(cells.values)))
    draws = np.empty((n_draws, len(parts)))
    for start in range(0, n_draws, n_rows):
        tile = draws[start : start + n_rows]
        weights = rng.exponential(size=(len(tile), len(seen_units)))
        for k, mean in enumerate(means):
            tile[:, k] = mean(weights)
    return draws


def _mean_of_part(cells, labels, chances, units, places, part, rng):
    """Return the function that draws a part's mean, given weights of units, (n_draws, n_units)."""
    known = ~np.isnan(labels)
    there, left = part & (places >= 0), part & ~known
    own, place = np.unique(places[there], return_inverse=True)
    # Labels of each row, in effective numbers of units: (n_units, n_rows, n_values).
    seen = np.zeros((len(own), len(cells.places), len(cells.values)))
    value = np.searchsorted(cells.values, labels[there])
    np.add.at(seen, (place, cells.rows[there], value), 1.0 / chances[there] - 1.0)
    of_units = seen.sum(axis=2)
    squares = (of_units**2).sum(axis=0)
    # A row counts as the number of equally weighted units with the same variance.
    seen *= (of_units.sum(axis=0) / np.where(squares > 0.0, squares, 1.0))[:, np.newaxis]
    # Unlabeled items of each row, and their units.
    unknown = np.bincount(cells.rows[left], minlength=seen.shape[1])
    pairs = np.unique(np.column_stack([cells.rows[left], units[left]]), axis=0)
    trials = np.bincount(pairs[:, 0], minlength=seen.shape[1])
    # Prior counts, (n, n_rows, n_values), and their probabilities.
    counts, chance = np.full((1, *seen.shape[1:]), 0.5), np.ones(1)
    if len(cells.values) > 2:
        counts, chance = _pooled(seen.sum(axis=0), cells.places, rng)

    def mean(weights) -> np.ndarray:
        n = len(weights)
        proba = np.tensordot(weights[:, own], seen, axes=(1, 0))
        proba += rng.standard_gamma(counts[rng.choice(len(chance), n, p=chance)])
        proba /= proba.sum(axis=2, keepdims=True)
        sums = np.full(n, labels[part & known].sum())
        for row in np.flatnonzero(unknown):
            found = rng.multinomial(trials[row], proba[:, row])
            sums += found @ cells.values * (unknown[row] / trials[row])
        return sums / part.sum()

    return mean


def _pooled(seen, places, rng):
    """Return prior counts of pooled rows, and their probabilities.

    Rows may share the distribution of errors (label minus proxy, in ranks of values, truncated to
    the possible values) or that of labels, independent of the proxy. The prior concentration is
    estimated too: each pooled distribution is proposed near its posterior and weighted by the
    marginal likelihood of the labels.
    """
    n_values = seen.shape[1]
    far = np.abs(np.arange(1 - n_values, n_values))
    errors = np.where(far > 0, 0.25 * 0.5 ** (far - 1.0), 0.5)
    values = np.arange(n_values)
    off = values - places[:, np.newaxis] + n_values - 1
    same = np.broadcast_to(values, off.shape)
    common = ((off, errors), (same, np.full(n_values, 1.0 / n_values)))
    found = [
        _proposed(seen, places >= 0, index, prior, concentration, rng)
        for index, prior in common
        for concentration in CONCENTRATIONS
    ]
    counts, evidence = map(np.concatenate, zip(*found, strict=True))
    chance = np.exp(evidence - evidence.max())
    return counts, chance / chance.sum()


def _proposed(seen, spoken, index, prior, concentration, rng):
    """Return prior counts of rows, (N_PROPOSALS, n_rows, n_values), and their log weights."""
    index, own = index[spoken], seen[spoken]
    met = np.bincount(index.ravel(), own.ravel(), minlength=len(prior))
    # With a weaker prior of a row, its labels are less informative about the other rows.
    met *= concentration / (concentration + own.sum() / max(1, np.count_nonzero(own.sum(axis=1))))
    pooled = rng.dirichlet(prior + met, N_PROPOSALS) + np.finfo(float).tiny
    counts = np.empty((N_PROPOSALS, *seen.shape))
    base = pooled[:, index]
    counts[:, spoken] = concentration * base / base.sum(axis=2, keepdims=True)
    # Errors are undefined where the proxy is missing.
    counts[:, ~spoken] = 1.0 / seen.shape[1]
    evidence = (_log_beta(counts + seen) - _log_beta(counts)).sum(axis=1)
    evidence += _log_beta(prior + met) - _log_beta(prior)
    return counts, evidence - np.log(pooled[:, met > 0.0]) @ met[met > 0.0]


def _log_beta(counts):
    """Return the logarithm of the normalizing constant of a Dirichlet distribution."""
    counts = np.maximum(counts, 1e-300)
    return special.gammaln(counts).sum(axis=-1) - special.gammaln(counts.sum(axis=-1))
