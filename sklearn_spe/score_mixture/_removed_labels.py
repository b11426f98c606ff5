"""Warning for labels that an update removes."""

from __future__ import annotations

import warnings

from ..exceptions import RemovedLabelsWarning, level_of_the_user

__all__ = ["warn_of_removed"]


def warn_of_removed(n_lost: float, n_before: float) -> None:
    """Warn of removed labels, at the caller of an estimator's `update`."""
    if n_lost > 0.0:
        warnings.warn(
            f"{n_lost:g} of {n_before:g} items that were labeled before are unlabeled now. "
            "update requires all known labels: pass the old ones as well.",
            RemovedLabelsWarning,
            stacklevel=level_of_the_user(),
        )
