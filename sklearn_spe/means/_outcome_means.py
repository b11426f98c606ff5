"""Posterior draws and estimates of the means of numeric labels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from ..data._item_data import ItemData
from ..data._outcomes import NEGATIVE, POSITIVE, is_rate
from ..inputs._arrays import FrozenArrays
from ..inputs._groups import Partition
from ..inputs._validation import spawn
from ..results._distributions import WeightedDraws
from ..results._estimates import ScalarEstimate
from ..results._part_reasons import unlabeled_part
from ..results._verdict import Reason, Verdict
from ._confusion import LabelValues, confusion_draws
from ._mean_input import features_of, inclusion_proba_of
from ._mean_model import mean_draws
from ._mean_sample import MeanSample


@dataclass(frozen=True, eq=False)
class OutcomeAnswers:
    """Means of numbers, of the sample and of the population, drawn when they are asked for."""

    data: ItemData
    label_range: tuple[float, float]
    n_draws: int
    seed: int
    confidence_level: float
    drawn: dict[str, OutcomeMeans] = field(default_factory=dict)  # by target

    def on(self, target: str) -> OutcomeMeans:
        """Return the means on a target."""
        if target not in self.drawn:
            self.drawn[target] = OutcomeMeans.of(
                self.data,
                self.label_range,
                self.n_draws,
                spawn(self.seed, 0),
                confidence_level=self.confidence_level,
                of_population=target == "population",
            )
        return self.drawn[target]

    def estimate(self, target: str, category: Any = None) -> ScalarEstimate:
        """Return the mean of all items, or of a category by name."""
        return self.on(target).estimate(category)

    def draws(self, target: str) -> np.ndarray:
        """Return draws of the mean of all items, and of each category, (n_draws, n_parts)."""
        return self.on(target).draws


@dataclass(frozen=True, eq=False)
class OutcomeMeans(FrozenArrays):
    """The mean of all items, and of each category."""

    draws: np.ndarray  # (n_draws, n_parts), of all items and of each category
    # (n_parts,), the end of the range that all labels of a part have, NaN if there is none
    edges: np.ndarray
    n_items: np.ndarray  # (n_parts,)
    category: Partition | None
    unlabeled: dict[int, tuple[Reason]]  # reasons about categories without labels, by index
    confidence_level: float
    of_population: bool

    @classmethod
    def of(
        cls,
        data: ItemData,
        label_range: tuple[float, float],
        n_draws: int,
        rng: np.random.Generator,
        *,
        confidence_level: float,
        of_population: bool,
    ) -> OutcomeMeans:
        """Draw the means of labels that are numbers, using the proxies as predictors."""
        labels: Any = data.outcomes
        proxies, category = data.scores, data.category
        if is_rate(labels, labels, label_range):
            # A rate that rows do not model: of known inclusion probabilities in groups, say.
            label_range = (NEGATIVE, POSITIVE)
        low, high = label_range
        known = ~np.isnan(labels)
        units = np.arange(len(labels)) if data.groups is None else data.groups.codes
        if of_population and known.all():
            # Proxies are of no use where no label is missing.
            proxies = proxies[:, :0]
        cells = LabelValues.of(labels, proxies, low, high)
        if cells is None and known.any() and np.ptp(labels[known]) == 0.0:
            # Proxies cannot be related to equal labels, which may be counted alone.
            cells = LabelValues.of(labels, proxies[:, :0], low, high)
        chances = inclusion_proba_of(
            data, units, may_be_equal=cells is not None, of_population=of_population
        )

        # Squares of very large labels overflow; scaling by a power of two is exact.
        unit = 2.0 ** np.frexp(np.nanmax(np.abs(labels), initial=0.0))[1]
        drawn = labels / unit, chances, category, units
        if cells is not None:
            scaled = replace(cells, values=cells.values / unit)
            draws = confusion_draws(scaled, *drawn, n_draws, rng, of_population=of_population)
        else:
            features = features_of(proxies, np.flatnonzero(known))
            sample = MeanSample.of(features, *drawn, of_population=of_population)
            agrees = (proxies[known] == labels[known, np.newaxis]).any(axis=1)
            draws = mean_draws(sample, agrees, n_draws, rng)
            draws = np.clip(draws, *sample.possible(low / unit, high / unit))
        return cls(
            unit * draws,
            _edges(cells, labels, category),
            sizes_of_parts(category, len(labels)),
            category,
            _categories_without_labels(category, labels),
            confidence_level,
            of_population,
        )

    def estimate(self, category: Any = None) -> ScalarEstimate:
        """Return the mean of all items, or of a category by name."""
        part = 0
        if category is not None and self.category is not None:
            part = 1 + self.category.number_of(category)
        draws = self.draws[:, [part]]
        distribution = WeightedDraws(draws, np.full(len(draws), 1.0 / len(draws)))
        cause = ""
        if not distribution.is_constant and not np.isnan(self.edges[part]):
            distribution = distribution.reaching(self.edges[[part]], of_one_class=True)
            cause = f"all labels are {self.edges[part]:g}"
        return ScalarEstimate(
            "mean",
            distribution,
            self.confidence_level,
            kind="design",
            origin=f"mean-{self._digest}",
            verdict=Verdict(self.unlabeled.get(part - 1, ())),
            n_items=None if self.of_population else float(self.n_items[part]),
            edge_cause=cause,
        )

    @cached_property
    def _digest(self) -> str:
        """Hash that identifies the draws."""
        return blake2b(self.draws.tobytes(), digest_size=8).hexdigest()


def _categories_without_labels(
    category: Partition | None, labels: np.ndarray
) -> dict[int, tuple[Reason]]:
    """Return the reason about each category without labels, by its index."""
    if category is None:
        return {}
    n_items = np.bincount(category.codes, minlength=category.n_parts)
    n_labeled = np.bincount(category.codes[~np.isnan(labels)], minlength=category.n_parts)
    names = category.names.tolist()
    return {
        int(part): (unlabeled_part(float(n_items[part]), category=names[part]),)
        for part in np.flatnonzero(n_labeled == 0)
    }


def sizes_of_parts(category: Partition | None, n_items: int) -> np.ndarray:
    """Return the number of items, of all and of each category."""
    if category is None:
        return np.array([n_items])
    return np.array([n_items, *np.bincount(category.codes, minlength=category.n_parts)])


def _edges(cells: LabelValues | None, labels: np.ndarray, category: Partition | None) -> np.ndarray:
    """Return the end of the range that all labels of a part are equal to, else NaN.

    Of all items and of each category, (n_parts,): these labels do not exclude that all others are
    equal to them. Labels that are not counted have no range.
    """
    parts = [labels]
    if category is not None:
        parts += [labels[category.codes == k] for k in range(category.n_parts)]
    edges = np.full(len(parts), np.nan)
    if cells is None:
        return edges
    for k, part in enumerate(parts):
        known = part[~np.isnan(part)]
        if len(known) and known.min() == known.max() and known[0] in cells.values[[0, -1]]:
            edges[k] = known[0]
    return edges
