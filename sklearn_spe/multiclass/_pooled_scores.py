r"""Combined class scores of several classifiers.

.. math:: \log p_c = \frac{1}{J} \sum_j \frac{d}{d_j} \log p_{jc}

with :math:`d_j` the spread of the log-odds that classifier j's predictions are wrong, and :math:`d`
the median of these: an overconfident classifier does not dominate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from ..items._score_axes import Standardised
from ._class_scores import ClassScores, log_others

__all__ = ["PooledScores", "error_log_odds_of"]


@dataclass(frozen=True, eq=False)
class PooledScores(ClassScores):
    """Combined scores of several classifiers."""

    # (n_systems, n_items, n_classes), log probabilities on a common scale, with mean `scores`
    parts: np.ndarray

    @classmethod
    def of(cls, systems: tuple[ClassScores, ...]) -> PooledScores:
        """Put the scores of all systems on a common scale."""
        spreads = np.array([Standardised.of(own.error_log_odds).spread or 1.0 for own in systems])
        common = np.median(spreads)
        parts = np.stack(
            [
                common / spread * _finite(own.log_proba)
                for own, spread in zip(systems, spreads, strict=True)
            ]
        )
        return cls(parts.mean(axis=0), "logits", parts)

    @cached_property
    def log_others(self) -> np.ndarray:
        """Those of each classifier, (n_systems, n_items, n_classes)."""
        return np.stack([log_others(part, self.predicted) for part in self.parts])


def error_log_odds_of(systems: tuple[ClassScores, ...], predicted) -> np.ndarray:
    """Return each classifier's log-odds that given classes are wrong, (n_items, n_systems)."""
    return np.column_stack([_error_log_odds(own, predicted) for own in systems])


def _error_log_odds(scores: ClassScores, predicted) -> np.ndarray:
    rows, others = np.arange(len(predicted)), scores.log_proba.copy()
    said = others[rows, predicted]
    others[rows, predicted] = -np.inf
    with np.errstate(invalid="ignore"):
        return _finite(special.logsumexp(others, axis=1) - said)


def _finite(values) -> np.ndarray:
    """Return the values, with infinite ones moved slightly beyond the others."""
    finite = values[np.isfinite(values)]
    return np.clip(values, finite.min() - np.log(2.0), finite.max() + np.log(2.0))
