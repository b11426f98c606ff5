"""What single labels say of every curve, kept for when others join them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._label_evidence import Evidence

__all__ = ["LabelMemory"]

# More rows than these are computed each time: so many take about the room of the curves.
MOST_ROWS = 128


class LabelMemory:
    """The log probabilities of labels under curves whose slack is the same for all labels.

    With one more label, only that one is new.
    """

    def __init__(self):
        self._rows: dict[tuple, np.ndarray] = {}

    def log_probability(
        self, evidence: Evidence, compute: Callable[[Evidence], np.ndarray]
    ) -> np.ndarray:
        """Return what `compute` does of all rows, (n_rows, n_curves); it is asked for new ones."""
        keys = evidence.keys
        new = [i for i, key in enumerate(keys) if key not in self._rows]
        if len(new) == len(keys):
            found = compute(evidence)
        else:
            old = {i: self._rows[key] for i, key in enumerate(keys) if key in self._rows}
            found = np.empty((len(keys), len(next(iter(old.values())))))
            for i, row in old.items():
                found[i] = row
            if new:
                found[new] = compute(evidence.rows(new))
        for i in new[: max(0, MOST_ROWS - len(self._rows))]:
            self._rows[keys[i]] = found[i].copy()
        return found
