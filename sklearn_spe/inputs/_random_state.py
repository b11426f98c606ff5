"""Conversion of any `random_state` to a seed sequence."""

from __future__ import annotations

import secrets
from numbers import Integral

import numpy as np

from ._numbers import is_number


def seed_entropy(random_state) -> int:
    """Return an integer from which all random generators of a fit are derived.

    Seed sequences are rebuilt from it at each use, so that repeated calls agree.
    """
    if random_state is None:
        return secrets.randbits(128)
    if is_number(random_state, Integral):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative, got {random_state}.")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        words = random_state.integers(0, 2**32, size=4, dtype=np.uint32)
    elif isinstance(random_state, np.random.RandomState):
        words = random_state.randint(0, 2**32, size=4, dtype=np.uint32)
    else:
        raise ValueError(
            f"random_state must be None, an int, a numpy RandomState or a numpy Generator, got "
            f"{random_state!r}."
        )
    return int(sum(int(word) << (32 * i) for i, word in enumerate(words)))


def spawn(entropy: int, *path: int) -> np.random.Generator:
    """Return the generator with a spawn key below `entropy`."""
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=path))
