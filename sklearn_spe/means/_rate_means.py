"""Means of labels 0 and 1: the share of positives, by the model of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..estimators._performance import PerformanceCurveEstimator
from ..results._estimates import ScalarEstimate
from ..results._verdict import Verdict

PREVALENCE = "prevalence"


@dataclass(frozen=True, eq=False)
class RateMeans:
    """The share of positives of all items, and of each category."""

    performance: PerformanceCurveEstimator  # fitted to the proxies as scores

    @property
    def verdict(self) -> Verdict:
        """The verdict on the fit."""
        return self.performance.verdict_

    def estimate(self, category: Any = None) -> ScalarEstimate:
        """Return the share of positives of all items, or of a category by name."""
        estimate = self.performance.estimate(PREVALENCE, category=category)
        return replace(estimate, name="mean")

    @cached_property
    def draws(self) -> np.ndarray:
        """Draws of the mean of all items, and of each category, (n_draws, n_parts)."""
        categories = self.performance.categories_
        names = [] if categories is None else categories.tolist()
        return np.column_stack([self.estimate(name).draws for name in (None, *names)])
