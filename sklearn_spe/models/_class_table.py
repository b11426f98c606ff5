r"""Items with the class scores of one or several classifiers, and these scores pooled.

Combined class scores of several classifiers.

.. math:: \log p_c = \frac{1}{J} \sum_j \frac{d}{d_j} \log p_{jc}

with :math:`d_j` the spread of the log-odds that classifier j's predictions are wrong, and :math:`d`
the median of these: an overconfident classifier does not dominate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from ..data._class_scores import ClassScores, log_others
from ..data._item_data import ItemData
from ..data._items import Items
from ..exceptions import ParameterError
from ._fit_settings import FitSettings
from ._item_table import check_whole
from ._score_axes import Standardized

# Integer weights are repeated rows if these are at most so many more; else they stay counts.
MAX_MADE = 50_000


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassTable(Items):
    """Items with the scores of one or several classifiers, partially labeled."""

    classes: np.ndarray  # (n_classes,), sorted, the columns of all scores

    @classmethod
    def of(cls, data: ItemData) -> ClassTable:
        """Return the items of data of several classes; few integer weights are repeated rows."""
        check_whole(data.weights)
        rows = np.flatnonzero(data.weights > 0.0)
        counts = data.weights
        if counts.sum() <= len(counts) + MAX_MADE:
            rows = np.repeat(rows, counts[rows].astype(np.int64))
            counts = np.ones(len(counts))

        # Codes of few classes are small integers, but indices of pairs may overflow.
        codes = data.codes.astype(np.intp)
        table = cls.sharing(data, codes=codes, counts=counts, classes=data.classes)
        return table if (data.weights == 1.0).all() else table.take(rows)

    @property
    def is_one_by_one(self) -> bool:
        """Whether each row represents one item."""
        return bool((self.weights == 1.0).all())

    @property
    def is_structured(self) -> bool:
        """Whether there are several classifiers, categories or groups."""
        return self.n_systems > 1 or not (self.category is None and self.groups is None)

    def same_items(self, other: ClassTable) -> ClassTable:
        """Return another table of the same scores, with this category and these groups.

        Raise ValueError if scores, categories or groups differ; the latter two may be omitted.
        """
        pairs = zip(self.scores, other.scores, strict=False)
        if self.systems != other.systems or not all(
            np.array_equal(one.scores, two.scores) for one, two in pairs
        ):
            raise ValueError("update takes the scores of fit with other labels; call fit.")
        self.check_same_structure(other)
        return replace(other, scores=self.scores, category=self.category, groups=self.groups)


def error_model_settings(parameters: Any) -> FitSettings:
    """Return the settings of the error model, whose scores are log-odds."""
    settings = FitSettings.of(parameters)
    if settings.score_kind != "auto":
        raise ParameterError.of(
            "score_kind",
            "is for two classes. With more, columns that sum to one are probabilities, and others "
            "are logits: leave it out.",
        )
    return replace(settings, score_kind="log_odds")


@dataclass(frozen=True, eq=False)
class PooledScores(ClassScores):
    """Combined scores of several classifiers."""

    # (n_systems, n_items, n_classes), log probabilities on a common scale, with mean `scores`
    parts: np.ndarray

    @classmethod
    def of(cls, systems: tuple[ClassScores, ...]) -> PooledScores:
        """Put the scores of all systems on a common scale."""
        units = [Standardized.of(scores.error_log_odds) for scores in systems]
        spreads = np.array([unit.spread or 1.0 for unit in units])
        common = np.median(spreads)
        scaled = [
            common / spread * _finite(scores.log_proba)
            for scores, spread in zip(systems, spreads, strict=True)
        ]
        parts = np.stack(scaled)
        return cls(parts.mean(axis=0), "logits", parts)

    @cached_property
    def log_others(self) -> np.ndarray:
        """Those of each classifier, (n_systems, n_items, n_classes)."""
        return np.stack([log_others(part, self.predicted) for part in self.parts])


def error_log_odds_of(systems: tuple[ClassScores, ...], predicted: np.ndarray) -> np.ndarray:
    """Return each classifier's log-odds that given classes are wrong, (n_items, n_systems)."""
    return np.column_stack([_error_log_odds(scores, predicted) for scores in systems])


def _error_log_odds(scores: ClassScores, predicted: np.ndarray) -> np.ndarray:
    rows = np.arange(len(predicted))
    others = scores.log_proba.copy()
    log_proba = others[rows, predicted]
    others[rows, predicted] = -np.inf
    with np.errstate(invalid="ignore"):
        return _finite(special.logsumexp(others, axis=1) - log_proba)


def _finite(values: np.ndarray) -> np.ndarray:
    """Return the values, with infinite ones moved slightly beyond the others."""
    finite = values[np.isfinite(values)]
    # Predictions without probabilities have infinite log-odds only.
    finite = finite if len(finite) else np.zeros(1)
    return np.clip(values, finite.min() - np.log(2.0), finite.max() + np.log(2.0))
