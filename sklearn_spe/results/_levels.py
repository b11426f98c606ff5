"""The levels of intervals, and the largest that a number of draws supports."""

from __future__ import annotations

import math
import warnings

import numpy as np

from ..exceptions import FewDrawsWarning
from ..inputs._numbers import check_number
from ._distributions import WeightedDraws

__all__ = ["check_level", "check_level_of", "warn_of_few_draws"]

# 1 - 2 / n is rounded.
ROUNDING = 1e-9


def check_level(level) -> float:
    """Return a level; raise unless it lies in (0, 1)."""
    return check_number(level, "confidence_level", "(0, 1)")


def check_level_of(distribution, level, kind: str, stacklevel: int = 3) -> float:
    """Return the level of an interval; warn if there are too few draws for it."""
    level = check_level(level)
    # Two are not draws but the bounds of all possible values.
    if (
        isinstance(distribution, WeightedDraws)
        and not distribution.is_constant
        and len(distribution.weights) > 2
    ):
        more = "n_bootstrap" if kind == "bootstrap" else "n_draws"
        warn_of_few_draws(level, len(distribution.weights), 2, more, stacklevel + 1)
    return level


def warn_of_few_draws(
    level: float, n_draws: int, n_sides: int = 2, more: str = "n_draws", stacklevel: int = 3
) -> None:
    """Warn if a level leaves out less than one draw on each of `n_sides` sides."""
    highest = 1.0 - n_sides / n_draws
    if level <= highest + ROUNDING:
        return
    needed = math.ceil(n_sides / max(1.0 - level, np.finfo(float).eps) * (1.0 - ROUNDING))
    warnings.warn(
        f"A level of {level:.6g} needs more than {n_draws} draws: intervals of levels from "
        f"{max(highest, 0.0):.6g} on end at the most extreme draws. Use a lower level, or fit "
        f"with {more}={needed} or more.",
        FewDrawsWarning,
        stacklevel=stacklevel,
    )
