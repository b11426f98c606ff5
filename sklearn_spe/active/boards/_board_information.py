"""What one more label would tell of all lists of a board."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..._arrays import FrozenArrays
from .._expected_information import ExpectedInformation
from ._board import Board
from ._items import members_of

__all__ = ["BoardInformation"]


@dataclass(frozen=True, eq=False)
class BoardInformation(FrozenArrays):
    """One `ExpectedInformation` a category and model: a label tells of its own category only.

    Its gains are summed over lists, hence over systems.

    Attributes
    ----------
    parts : tuple of tuple of ExpectedInformation
        Of each category: one, or where each system has a model of its own, one a system.
    members : tuple of ndarray of int
        The entries of each category.
    place : ndarray of shape (n_entries,), of int
        The place of each entry among those of its category.
    group : ndarray of shape (n_entries,), of int
    item : ndarray of shape (n_entries,), of int
        Which item is to be labelled to know an entry; -1 where it is known.
    gains : ndarray of shape (n_items,)
    """

    parts: tuple[tuple[ExpectedInformation, ...], ...]
    members: tuple[np.ndarray, ...]
    place: np.ndarray
    group: np.ndarray
    item: np.ndarray
    gains: np.ndarray

    # Gains, of which chances are made.
    are_chances: ClassVar[bool] = False

    @classmethod
    def of(cls, board: Board, probability, item) -> BoardInformation:
        """Compute what labels would tell.

        Parameters
        ----------
        board : Board
        probability : ndarray of shape (n_draws, n_entries) or (n_systems, n_draws, n_entries)
            Draws of the model, or of that of each system; 0 or 1 where labels are known.
        item : ndarray of shape (n_entries,), of int
        """
        members = tuple(members_of(board.group, board.n_groups))
        place = np.empty(board.n_entries, dtype=np.intp)
        for own in members:
            place[own] = np.arange(len(own))
        probability = probability.reshape(-1, *probability.shape[-2:])
        n_models = len(probability)
        covariances: list[list[list[np.ndarray]]] = [[[] for _ in range(n_models)] for _ in members]
        for ranked in board.lists:
            model = ranked.system % n_models
            row = np.zeros(len(members[ranked.group]))
            row[place[ranked.entries]] = _covariance(ranked, probability[model])
            covariances[ranked.group][model].append(row)
        parts = tuple(
            tuple(_part(probability[k][:, own], np.array(rows[k])) for k in range(n_models))
            for own, rows in zip(members, covariances, strict=True)
        )
        n_items = int(item.max(initial=-1)) + 1
        gains = np.zeros(n_items)
        for own, part in zip(members, parts, strict=True):
            gains += _by_item(item, own, part, n_items)
        return cls(parts, members, place, board.group, item, gains)

    def after(self, item: int) -> BoardInformation:
        """Return the information once an item is asked for.

        Of items that settle many entries, what one tells of others is left out.
        """
        entries = np.flatnonzero(self.item == item)
        if len(entries) != 1:
            return self
        group, place = self.group[entries[0]], int(self.place[entries[0]])
        part = tuple(information.after(place) for information in self.parts[group])
        gains = self.gains - _by_item(
            self.item, self.members[group], self.parts[group], len(self.gains)
        )
        gains += _by_item(self.item, self.members[group], part, len(gains))
        parts = (*self.parts[:group], part, *self.parts[group + 1 :])
        return replace(self, parts=parts, gains=gains)


def _part(probability, covariance) -> ExpectedInformation:
    """Return the information of a category by one model."""
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
        return np.zeros(len(ranked.entries))
    p, own = probability[np.ix_(defined, ranked.entries)], values[defined]
    of_model = np.einsum("i,ij->j", own - own.mean(), p - p.mean(axis=0)) / len(p)
    return of_model + np.mean(p * (1.0 - p) * slopes[defined], axis=0)
