"""The random order of a proof, drawn from a hash of all that is fixed before the first label."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..inputs._labels import UNLABELED


def hash_of(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 hash of JSON with sorted keys and without spaces."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def fixed_before(
    scores: np.ndarray | None, known: np.ndarray, salt: str | None, guarantee: Mapping[str, Any]
) -> dict[str, Any]:
    """Return all that is fixed before the first label, as JSON.

    Parameters
    ----------
    scores : ndarray of shape (n_items,) or None
        Larger for positives; None if there is no single ranking.
    known : ndarray of shape (n_items,)
        The labels known before: 1, 0, or -1 without one.
    salt : str or None
        None if there is no order, and items are drawn with recorded inclusion probabilities.
    guarantee : dict
        What is to be proved, and its level.
    """
    items = np.flatnonzero(known != UNLABELED)
    return {
        **guarantee,
        "n_items": len(known),
        "scores": None if scores is None else [float(score) for score in scores],
        "known": {"items": items.tolist(), "labels": known[items].tolist()},
        "salt": salt,
    }


@dataclass(frozen=True, eq=False)
class CommittedOrder:
    """A random order of items that others can draw again.

    Item i comes at the place of the hash of ``"commitment:i"`` among those of all items. The
    commitment is a hash of scores, labels known before, guarantee, level and a salt: an order
    cannot be chosen but by other salts. Whoever is to be convinced gives the salt, or gets the
    commitment before the first label.
    """

    fixed: Mapping[str, Any]  # as by `fixed_before`

    @cached_property
    def commitment(self) -> str:
        """The hash of all that is fixed."""
        return hash_of(self.fixed)

    @cached_property
    def items(self) -> np.ndarray:
        """The items in the random order, (n_items,)."""
        hashes = [
            hashlib.sha256(f"{self.commitment}:{item}".encode()).digest()
            for item in range(self.fixed["n_items"])
        ]
        return np.array(sorted(range(len(hashes)), key=hashes.__getitem__), dtype=np.intp)

    @property
    def places(self) -> np.ndarray:
        """The place of each item among those without a label at the start; -1 for the others."""
        is_known = np.zeros(len(self.items), dtype=bool)
        is_known[self.fixed["known"]["items"]] = True
        walk = self.items[~is_known[self.items]]
        places = np.full(len(self.items), -1)
        places[walk] = np.arange(len(walk))
        return places
