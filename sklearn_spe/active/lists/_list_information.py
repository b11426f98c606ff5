"""Expected information of one more label on all ranked lists."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..._arrays import FrozenArrays
from .._expected_information import ExpectedInformation
from ._items import members_of
from ._ranked_lists import RankedLists

__all__ = ["ListInformation"]


@dataclass(frozen=True, eq=False)
class ListInformation(FrozenArrays):
    """One `ExpectedInformation` per category and model, with gains summed over lists.

    Labels are informative on their own category only.
    """

    # For each category one, or one per system if each has its own model.
    parts: tuple[tuple[ExpectedInformation, ...], ...]
    members: tuple[np.ndarray, ...]  # the rows of each category
    place: np.ndarray  # (n_rows,), of int; index of each row within its category
    group: np.ndarray  # (n_rows,), of int
    # (n_rows,), of int; the item that determines the row's label; -1 where known.
    item: np.ndarray
    gains: np.ndarray  # (n_items,)

    # Gains are the weights of the sampling.
    are_inclusion_proba: ClassVar[bool] = False

    @classmethod
    def of(cls, ranked_lists: RankedLists, probability, item) -> ListInformation:
        """Compute the information of labels; `probability` ([n_systems,] n_draws, n_rows)."""
        members = tuple(members_of(ranked_lists.group, ranked_lists.n_groups))
        place = np.empty(ranked_lists.n_rows, dtype=np.intp)
        for own in members:
            place[own] = np.arange(len(own))
        probability = probability.reshape(-1, *probability.shape[-2:])
        n_models = len(probability)
        covariances: list[list[list[np.ndarray]]] = [[[] for _ in range(n_models)] for _ in members]
        for ranked in ranked_lists.lists:
            model = ranked.system % n_models
            row = np.zeros(len(members[ranked.group]))
            row[place[ranked.rows]] = _covariance(ranked, probability[model])
            covariances[ranked.group][model].append(row)
        parts = tuple(
            tuple(_part(probability[k][:, own], np.array(rows[k])) for k in range(n_models))
            for own, rows in zip(members, covariances, strict=True)
        )
        n_items = int(item.max(initial=-1)) + 1
        gains = np.zeros(n_items)
        for own, part in zip(members, parts, strict=True):
            gains += _by_item(item, own, part, n_items)
        return cls(parts, members, place, ranked_lists.group, item, gains)

    def after(self, item: int) -> ListInformation:
        """Return the information after querying an item, ignoring dependence within the item."""
        rows = np.flatnonzero(self.item == item)
        if len(rows) != 1:
            return self
        group, place = self.group[rows[0]], int(self.place[rows[0]])
        part = tuple(information.after(place) for information in self.parts[group])
        gains = self.gains - _by_item(
            self.item, self.members[group], self.parts[group], len(self.gains)
        )
        gains += _by_item(self.item, self.members[group], part, len(gains))
        parts = (*self.parts[:group], part, *self.parts[group + 1 :])
        return replace(self, parts=parts, gains=gains)


def _part(probability, covariance) -> ExpectedInformation:
    """Return the information of a category under one model."""
    scaled = (probability - probability.mean(axis=0)) / np.sqrt(len(probability))
    variance = np.einsum("ij,ij->j", scaled, scaled)
    noise = np.mean(probability * (1.0 - probability), axis=0)
    return ExpectedInformation(scaled, covariance, variance, noise)


def _by_item(item, members, part, n_items) -> np.ndarray:
    """Return the gains of a category by items, (n_items,)."""
    asked = item[members] >= 0
    gains = sum(information.gains for information in part)
    return np.bincount(item[members][asked], gains[asked], n_items)


def _covariance(ranked, probability) -> np.ndarray:
    """Return A of a list: its covariance with each of its labels."""
    values, slopes = ranked.expected(probability)
    defined = np.isfinite(values) & np.isfinite(slopes).all(axis=1)
    if np.count_nonzero(defined) < 2:
        return np.zeros(len(ranked.rows))
    p, own = probability[np.ix_(defined, ranked.rows)], values[defined]
    of_model = np.einsum("i,ij->j", own - own.mean(), p - p.mean(axis=0)) / len(p)
    return of_model + np.mean(p * (1.0 - p) * slopes[defined], axis=0)
