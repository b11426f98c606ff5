"""One ranking of a fit: its key, its posterior, and its rows of X."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..inputs._labels import UNLABELED, BinaryLabels, EncodedLabels
from ..inputs._scores import ScoreDirection
from ..inputs._validation import check_number
from ..results._verdict import Reason


def check_decision(threshold: Any) -> float | None:
    """Return a decision threshold or None; raise if it is not a number."""
    return None if threshold is None else check_number(threshold, "threshold", "(-inf, inf)")


@dataclass(frozen=True, eq=False)
class RankingKey:
    """The system, category and class to evaluate, and the threshold; None for the default."""

    system: Any = None
    category: Any = None
    judge: Any = None
    beside: tuple[Hashable, ...] = ()  # systems that must have scored an item too, for comparisons
    pos_label: Any = None  # the class to evaluate; None for the positive class of the fit
    threshold: float | None = None  # decision threshold of a single system, in place of its own

    @property
    def whose(self) -> str:
        """Part of a sentence that names the system or rater; empty if none."""
        names = {"system": self.system, "judge": self.judge}
        return "".join(f" of {what} {name!r}" for what, name in names.items() if name is not None)

    def with_part(self, kind: str, name: Any) -> RankingKey:
        """Return the selection with a system, category or judge, by `kind`."""
        if kind == "system":
            return replace(self, system=name)
        return replace(self, category=name) if kind == "category" else replace(self, judge=name)

    def narrowed(self, system: Any, category: Any, judge: Any) -> RankingKey:
        """Return the selection narrowed further; raise for both a system and a rater."""
        if system is not None and judge is not None:
            raise ValueError(
                f"Pass either system= or judge=, not both: got system={system!r} and "
                f"judge={judge!r}."
            )
        if system is None and judge is None:
            system, judge = self.system, self.judge
        category = self.category if category is None else category
        return replace(self, system=system, category=category, judge=judge)


@dataclass(frozen=True, eq=False)
class RankingView:
    """One ranking to evaluate; or all, until one is chosen."""

    key: RankingKey
    posterior: Any  # of the ranking; of all rows until one is chosen
    labels: BinaryLabels | EncodedLabels  # with the class to evaluate, if there is one
    score_direction: ScoreDirection | None = None
    default_threshold: float | None = None
    systems: tuple[Hashable, ...] = ()  # the systems of which none is chosen yet
    whose: str = ""  # names its system or rater in messages, if there are several
    reasons: tuple[Reason, ...] = ()  # about its items, beside those about the fit


@dataclass(frozen=True, eq=False)
class RankingRows:
    """The rows of X for one ranking."""

    scores: np.ndarray  # (n_samples,), larger for positives
    codes: np.ndarray  # (n_samples,): 1, 0, or -1 if unlabeled
    is_ranked: np.ndarray  # (n_samples,), rows of the category, with a weight
    # (n_samples,); None if unknown, or if rows represent several items
    inclusion_proba: np.ndarray | None = None

    def selection(self, threshold: float) -> np.ndarray:
        """Return the known positives, and the unlabeled rows that reach a threshold."""
        is_above = np.where(self.codes == UNLABELED, self.scores >= threshold, self.codes == 1)
        return self.is_ranked & is_above
