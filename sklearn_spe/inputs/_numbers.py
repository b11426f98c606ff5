"""Validation of numbers: type, range, not NaN."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

# Largest count that float64 represents exactly.
MAXIMUM = 2**53
# Far above the number of processors of any machine.
MAX_JOBS = 2**15


def is_number(value, kind=Real) -> bool:
    """Return whether a value is a number, not a boolean; numpy treats times as integers."""
    return isinstance(value, kind) and not isinstance(value, (bool, np.bool_, np.timedelta64))


def check_count(value, name: str, least: int = 1) -> int:
    """Return an integer that is at least `least`."""
    if not is_number(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value!r}.")
    if value > MAXIMUM:
        raise ValueError(f"{name} must be at most 2**53, got {value!r}.")
    return int(value)


def check_jobs(n_jobs) -> None:
    """Raise unless a number of workers is valid for joblib."""
    if n_jobs is None:
        return
    if not is_number(n_jobs, Integral):
        raise TypeError(f"n_jobs must be None or a whole number, got {n_jobs!r}.")
    if n_jobs == 0 or abs(int(n_jobs)) > MAX_JOBS:
        raise ValueError(
            f"n_jobs must be a number of workers from 1 to {MAX_JOBS}, -1 for all processors, "
            f"-2 for all but one, ..., or None for the joblib context; got {n_jobs!r}."
        )


def check_counts(values, name: str, least: int = 1) -> np.ndarray:
    """Return an array of integers that are at least `least`; integral floats are accepted."""
    try:
        counts = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} has rows of different length: {error}") from error
    if counts.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be a whole number, or several; got {values!r}.")
    wrong = ~((counts >= least) & (counts == np.floor(counts)) & np.isfinite(counts))
    if wrong.any():
        raise ValueError(
            f"{name} must be whole numbers of at least {least}, got {counts[wrong].flat[0]}."
        )
    # Values that do not fit int64 are unchanged: large unsigned integers and floats.
    return counts.astype(np.int64 if (counts < 2**63).all() else np.float64)


def check_choice(value, name: str, choices) -> None:
    """Raise unless a value is one of some names."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}; got {value!r}.")


def check_flag(value, name: str) -> bool:
    """Return a boolean; 1 and 0 are not accepted."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_number(value, name: str, interval: str) -> float:
    """Return a number that lies in an interval."""
    if not is_number(value):
        raise TypeError(f"{name} must be a number in {interval}, got {value!r}.")
    low, high = (float(end) for end in interval[1:-1].split(","))
    # Low-precision floats overflow on wide intervals, and large integers or fractions are not
    # floats.
    number: Any = float(value) if isinstance(value, np.floating) else value
    above = number >= low if interval[0] == "[" else number > low
    below = number <= high if interval[-1] == "]" else number < high
    if not (above and below):
        raise ValueError(f"{name} must lie in {interval}, got {value!r}.")
    return float(value)
