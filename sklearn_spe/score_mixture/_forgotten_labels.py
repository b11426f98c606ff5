"""Labels that an update takes back."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from ..exceptions import ForgottenLabelsWarning

__all__ = ["warn_of_forgotten"]


def warn_of_forgotten(n_lost: float, n_before: float) -> None:
    """Warn of labels that are lost, at the line that called an estimator's `update`."""
    if n_lost > 0.0:
        warnings.warn(
            f"{n_lost:g} of {n_before:g} items that were labelled before are not any more. update "
            f"takes all labels that are known by now: pass the old ones as well.",
            ForgottenLabelsWarning,
            stacklevel=_level_of_the_user(),
        )


def _level_of_the_user() -> int:
    """Return how far up the first line outside this package is, as `warnings.warn` counts."""
    package = __name__.partition(".")[0]
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    return level
