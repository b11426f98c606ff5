"""Values of labels, how the values of a proxy are confused with them, and how they agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ..inputs._arrays import FrozenArrays
from ..inputs._groups import Partition

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
    def of(
        cls, labels: np.ndarray, proxies: np.ndarray, low: float, high: float
    ) -> LabelValues | None:
        """Return the values and rows, or None if either has too many or there is only one value."""
        values = _possible(np.unique(labels[~np.isnan(labels)]), low, high)
        if len(values) > MAX_VALUES:
            return None
        if proxies.shape[1] == 1:
            values = _of_both(values, np.unique(proxies[~np.isnan(proxies)]))

        # Items with the same proxies share a row; without proxies all do.
        patterns = np.zeros((1, 0))
        rows = np.zeros(len(labels), dtype=int)
        if proxies.shape[1]:
            patterns, rows = np.unique(proxies, axis=0, return_inverse=True)

        if patterns.shape[1] == 1 and np.isin(patterns[~np.isnan(patterns)], values).all():
            proxy = patterns[:, 0]
            places = np.where(np.isnan(proxy), -1, np.searchsorted(values, proxy))
        elif len(values) == 2 and len(patterns) <= MAX_ROWS:
            places = np.full(len(patterns), -1)
        else:
            return None
        return cls(values, rows.ravel(), places) if len(values) > 1 else None


def _possible(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return the observed values, and those that the range of labels adds."""
    if not np.isfinite(high - low) or not len(values):
        return values
    if high - low < MAX_VALUES and (np.floor([*values, low, high]) == [*values, low, high]).all():
        return np.arange(low, high + 1.0)
    return np.union1d(values, [low, high]) if np.isin(values, [low, high]).all() else values


def _of_both(values: np.ndarray, proxies: np.ndarray) -> np.ndarray:
    """Return the label values, and the values of a proxy on the same scale."""
    if len(values) == 2 and len(proxies) and (values == [proxies[0], proxies[-1]]).all():
        # A binary proxy with values in between, such as means of two ratings.
        return values
    is_same_scale = np.isin(values, proxies).all() or np.isin(proxies, values).all()
    union = np.union1d(values, proxies)
    return union if is_same_scale and len(union) <= MAX_VALUES else values


def confusion_draws(
    cells: LabelValues,
    labels: np.ndarray,
    chances: np.ndarray,
    category: Partition | None,
    units: np.ndarray,
    n_draws: int,
    rng: np.random.Generator,
    *,
    of_population: bool = False,
) -> np.ndarray:
    r"""Draw the means of all parts, (n_draws, n_parts).

    Items of one row share a distribution of labels. Its posterior is Dirichlet with the counts of
    the row's labels and prior counts: 1/2 each (Jeffreys) for two values. Rows with more values
    share a distribution of errors, as far as the labels support it (`_pooled`). A Dirichlet
    variable is a normalized vector of gamma variables, and those of counts are sums of exponential
    variables, one for each labeled item. Here there is one for each group of items, common to all
    parts and multiplied by the number of items it represents, so groups and inclusion
    probabilities enter as in the Bayesian bootstrap [1]_. The labels of the other items are
    multinomial. Of a population the labeled items represent themselves too, no label is drawn, and
    the shares of the rows are those of the Bayesian bootstrap of all items (`RowShares`).

    References
    ----------
    .. [1] D. B. Rubin. "The Bayesian bootstrap." Annals of Statistics 9, 130-134 (1981).
    """
    parts = [np.ones(len(labels), dtype=bool)]
    if category is not None:
        parts += [category.codes == k for k in range(category.n_parts)]

    # In a sample, items labeled with certainty carry no information on the others.
    represented = 1.0 / chances - (0.0 if of_population else 1.0)
    drawn = ~np.isnan(labels) & (represented > 0.0)
    labeled_units, place = np.unique(units[drawn], return_inverse=True)
    places = np.full(len(labels), -1)
    places[drawn] = place

    posteriors = [
        CellShares.of(cells, labels, represented, places, part, rng)
        if of_population
        else SampleMean.of(cells, labels, represented, units, places, part, rng)
        for part in parts
    ]
    row_shares = RowShares.of(cells, category, units, labeled_units) if of_population else None

    n_rows = max(1, TILE // max(len(labeled_units), len(cells.places) * len(cells.values)))
    draws = np.empty((n_draws, len(parts)))
    for start in range(0, n_draws, n_rows):
        tile = draws[start : start + n_rows]
        weights = rng.exponential(size=(len(tile), len(labeled_units)))
        if row_shares is None:
            for k, posterior in enumerate(posteriors):
                tile[:, k] = posterior.draw(weights, rng)
            continue
        for k, (posterior, shares) in enumerate(
            zip(posteriors, row_shares.draw(weights, rng), strict=True)
        ):
            tile[:, k] = (shares * (posterior.draw(weights, rng) @ cells.values)).sum(axis=1)
    return draws


@dataclass(frozen=True, eq=False)
class CellShares(FrozenArrays):
    """The posterior of the label distribution of each row, in one part of the items."""

    units: np.ndarray  # (n_units,), of int; those with a label in the part
    counts: np.ndarray  # (n_units, n_rows, n_values); labels, in effective numbers of units
    prior_counts: np.ndarray  # (n, n_rows, n_values)
    prior_proba: np.ndarray  # (n,)

    @classmethod
    def of(
        cls,
        cells: LabelValues,
        labels: np.ndarray,
        represented: np.ndarray,
        places: np.ndarray,
        part: np.ndarray,
        rng: np.random.Generator,
    ) -> CellShares:
        """Count the labels of a part."""
        is_labeled = part & (places >= 0)
        units, unit_index = np.unique(places[is_labeled], return_inverse=True)
        row = cells.rows[is_labeled]
        value = np.searchsorted(cells.values, labels[is_labeled])
        counts = np.zeros((len(units), len(cells.places), len(cells.values)))
        np.add.at(counts, (unit_index, row, value), represented[is_labeled])

        # A row counts as the number of equally weighted units with the same variance.
        unit_weights = counts.sum(axis=2)
        sums = unit_weights.sum(axis=0)
        squares = (unit_weights**2).sum(axis=0)
        effective = sums / np.where(squares > 0.0, squares, 1.0)
        counts *= effective[:, np.newaxis]

        # Jeffreys' prior for two values; rows with more values are pooled.
        if len(cells.values) > 2:
            prior_counts, proba = _pooled(counts.sum(axis=0), cells.places, rng)
        else:
            prior_counts = np.full((1, *counts.shape[1:]), 0.5)
            proba = np.ones(1)
        return cls(units, counts, prior_counts, proba)

    def draw(self, weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw label distributions, (n, n_rows, n_values), given weights of units."""
        proba = np.tensordot(weights[:, self.units], self.counts, axes=(1, 0))
        prior = rng.choice(len(self.prior_proba), len(weights), p=self.prior_proba)
        proba += rng.standard_gamma(self.prior_counts[prior])
        proba /= proba.sum(axis=2, keepdims=True)
        return proba


@dataclass(frozen=True, eq=False)
class SampleMean(FrozenArrays):
    """The posterior of the mean of a part of the sample: known labels, and drawn ones."""

    posterior: CellShares
    values: np.ndarray  # (n_values,)
    n_unlabeled: np.ndarray  # (n_rows,)
    n_units: np.ndarray  # (n_rows,); units with unlabeled items
    known_sum: float  # of the known labels
    n_items: int

    @classmethod
    def of(
        cls,
        cells: LabelValues,
        labels: np.ndarray,
        represented: np.ndarray,
        units: np.ndarray,
        places: np.ndarray,
        part: np.ndarray,
        rng: np.random.Generator,
    ) -> SampleMean:
        """Count the items of a part."""
        known = ~np.isnan(labels)
        unlabeled, n_rows = part & ~known, len(cells.places)
        pairs = np.column_stack([cells.rows[unlabeled], units[unlabeled]])
        return cls(
            CellShares.of(cells, labels, represented, places, part, rng),
            cells.values,
            np.bincount(cells.rows[unlabeled], minlength=n_rows),
            np.bincount(np.unique(pairs, axis=0)[:, 0], minlength=n_rows),
            labels[part & known].sum(),
            part.sum(),
        )

    def draw(self, weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw the mean, (n,), given weights of units."""
        proba = self.posterior.draw(weights, rng)
        sums = np.full(len(weights), self.known_sum)
        for row in np.flatnonzero(self.n_unlabeled):
            n_of_values = rng.multinomial(self.n_units[row], proba[:, row])
            sums += n_of_values @ self.values * (self.n_unlabeled[row] / self.n_units[row])
        return sums / self.n_items


@dataclass(frozen=True, eq=False)
class RowShares(FrozenArrays):
    """The Bayesian bootstrap of the share of each row in the population of each part.

    Units without a label matter by their composition alone: equal ones share a gamma variable.
    """

    labeled: np.ndarray  # (n_labeled_units, n_categories * n_rows); items of each unit
    others: np.ndarray  # (n_kinds, n_categories * n_rows); of each kind of other units
    n_others: np.ndarray  # (n_kinds,); number of units of each kind
    n_rows: int
    n_parts: int  # all items, and each category

    @classmethod
    def of(
        cls,
        cells: LabelValues,
        category: Partition | None,
        units: np.ndarray,
        labeled_units: np.ndarray,
    ) -> RowShares:
        """Count the items of each unit by category and row."""
        n_rows = len(cells.places)
        n_parts = 1 if category is None else 1 + category.n_parts
        n_cells = n_rows * max(n_parts - 1, 1)
        if n_rows == 1:
            # All shares are one.
            return cls(np.zeros((0, n_cells)), np.zeros((0, n_cells)), np.zeros(0), n_rows, n_parts)

        cell = cells.rows if category is None else category.codes * n_rows + cells.rows

        # Items of each labeled unit by cell.
        unit_index = np.searchsorted(labeled_units, units)
        last_unit = len(labeled_units) - 1
        is_labeled = labeled_units[np.minimum(unit_index, last_unit)] == units
        labeled = np.zeros((len(labeled_units), n_cells))
        np.add.at(labeled, (unit_index[is_labeled], cell[is_labeled]), 1.0)

        # Of the other units, equal ones are of one kind.
        other_cells = cell[~is_labeled]
        other_units, unit_index = np.unique(units[~is_labeled], return_inverse=True)
        if len(other_units) == len(other_cells):
            n_others = np.bincount(other_cells, minlength=n_cells).astype(float)
            return cls(labeled, np.eye(n_cells), n_others, n_rows, n_parts)
        others = np.zeros((len(other_units), n_cells))
        np.add.at(others, (unit_index, other_cells), 1.0)
        kinds, n_others = np.unique(others, axis=0, return_counts=True)
        return cls(labeled, kinds, n_others.astype(float), n_rows, n_parts)

    def draw(self, weights: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
        """Draw the shares of the rows in each part, (n, n_rows), given weights of units.

        The first part is all items; without categories it is the only one.
        """
        if self.n_rows == 1:
            return [np.ones((len(weights), 1))] * self.n_parts
        n = len(weights)
        other_weights = rng.standard_gamma(self.n_others, (n, len(self.n_others)))
        sizes = weights @ self.labeled
        sizes += other_weights @ self.others

        # All items, and each category.
        by_category = sizes.reshape(n, -1, self.n_rows)
        parts = [by_category.sum(axis=1), *np.moveaxis(by_category, 1, 0)]
        return [part / part.sum(axis=1, keepdims=True) for part in parts[: self.n_parts]]


def _pooled(
    label_counts: np.ndarray, places: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return prior counts of pooled rows, and their probabilities.

    Rows may share the distribution of errors (label minus proxy, in ranks of values, truncated to
    the possible values) or that of labels, independent of the proxy. The prior concentration is
    estimated too: each pooled distribution is proposed near its posterior and weighted by the
    marginal likelihood of the labels.
    """
    n_values = label_counts.shape[1]
    values = np.arange(n_values)

    # Prior of errors: one half at zero, and half as much at each further step.
    distance = np.abs(np.arange(1 - n_values, n_values))
    error_prior = np.where(distance > 0, 0.25 * 0.5 ** (distance - 1.0), 0.5)
    error_index = values - places[:, np.newaxis] + n_values - 1

    # The distribution of labels is the same in all rows, and uniform in the prior.
    label_prior = np.full(n_values, 1.0 / n_values)
    label_index = np.broadcast_to(values, error_index.shape)

    proposals = [
        _proposed(label_counts, places >= 0, index, prior, concentration, rng)
        for index, prior in ((error_index, error_prior), (label_index, label_prior))
        for concentration in CONCENTRATIONS
    ]
    counts, evidence = map(np.concatenate, zip(*proposals, strict=True))
    weights = np.exp(evidence - evidence.max())
    return counts, weights / weights.sum()


def _proposed(
    label_counts: np.ndarray,
    has_proxy: np.ndarray,
    index: np.ndarray,
    prior: np.ndarray,
    concentration: float,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return prior counts of rows, (N_PROPOSALS, n_rows, n_values), and their log weights."""
    index = index[has_proxy]
    pooled_rows = label_counts[has_proxy]
    n_labels = np.bincount(index.ravel(), pooled_rows.ravel(), minlength=len(prior))
    n_labeled_rows = max(1, np.count_nonzero(pooled_rows.sum(axis=1)))
    # With a weaker prior of a row, its labels are less informative about the other rows.
    n_labels *= concentration / (concentration + pooled_rows.sum() / n_labeled_rows)

    # Propose the pooled distribution, truncated to the possible values in each row.
    pooled = rng.dirichlet(prior + n_labels, N_PROPOSALS) + np.finfo(float).tiny
    counts = np.empty((N_PROPOSALS, *label_counts.shape))
    base = pooled[:, index]
    counts[:, has_proxy] = concentration * base / base.sum(axis=2, keepdims=True)
    # Errors are undefined where the proxy is missing.
    counts[:, ~has_proxy] = 1.0 / label_counts.shape[1]

    # Marginal likelihood of the labels, times the density of prior to proposal.
    log_likelihood = _log_beta(counts + label_counts) - _log_beta(counts)
    log_constant = _log_beta(prior + n_labels) - _log_beta(prior)
    is_counted = n_labels > 0.0
    log_density = np.log(pooled[:, is_counted]) @ n_labels[is_counted]
    return counts, log_likelihood.sum(axis=1) + log_constant - log_density


def _log_beta(counts: np.ndarray) -> np.ndarray:
    """Return the logarithm of the normalizing constant of a Dirichlet distribution."""
    counts = np.maximum(counts, 1e-300)
    return special.gammaln(counts).sum(axis=-1) - special.gammaln(counts.sum(axis=-1))


def weighted_kappa(
    labels: np.ndarray,
    ratings: np.ndarray,
    unit: np.ndarray,
    n_draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw Cohen's kappa with linear weights by the Bayesian bootstrap of units, (n_draws,).

    `labels` and `ratings` (n_items,) are on one scale, and items of one `unit` (n_items,) belong
    together. NaN where labels and ratings are all equal.
    """
    label_levels, label = np.unique(labels, return_inverse=True)
    rating_levels, rating = np.unique(ratings, return_inverse=True)
    distance = np.abs(label_levels[:, np.newaxis] - rating_levels)
    number = np.unique(unit, return_inverse=True)[1]
    weights = rng.exponential(size=(n_draws, number.max() + 1))[:, number]
    weights /= weights.sum(axis=1, keepdims=True)

    # The shares of levels, and of pairs of them.
    of_labels = weights @ np.eye(len(label_levels))[label]
    of_ratings = weights @ np.eye(len(rating_levels))[rating]
    observed = weights @ distance[label, rating]
    by_chance = np.einsum("ij,jk,ik->i", of_labels, distance, of_ratings)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(by_chance > 0.0, 1.0 - observed / by_chance, np.nan)
