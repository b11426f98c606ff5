"""Interface of fits for an estimator of performance, for any kind of data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..data._item_data import ItemData
from ..goals._question import Question
from ..inputs._labels import UNLABELED, BinaryLabels, EncodedLabels
from ..inputs._scores import ScoreDirection, check_direction
from ..inputs._validation import check_count, check_jobs, check_number
from ..posterior._operating_points import check_target


def check_parameters(performance: Any) -> None:
    """Raise if a parameter of a performance estimator is invalid."""
    check_target(performance.target)
    check_count(performance.n_points, "n_points", 2)
    check_count(performance.n_draws, "n_draws")
    check_jobs(performance.n_jobs)
    check_direction(performance.greater_is_positive)
    check_number(performance.confidence_level, "confidence_level", "(0, 1)")


def check_decision(threshold: Any) -> float | None:
    """Return a decision threshold or None; raise if it is not a number."""
    return None if threshold is None else check_number(threshold, "threshold", "(-inf, inf)")


# Arguments of a metric that set a point of a curve.
PLACES = ("threshold", "recall", "precision")


@dataclass(frozen=True, eq=False)
class RankingKey:
    """The ranking and the items to evaluate; None for all."""

    system: Any = None
    category: Any = None
    judge: Any = None
    beside: tuple = ()  # systems that must have scored an item too, for comparisons

    @property
    def whose(self) -> str:
        """Part of a sentence that names the system or rater; empty if none."""
        named = {"system": self.system, "judge": self.judge}
        return "".join(f" of {what} {name!r}" for what, name in named.items() if name is not None)

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
        return RankingKey(system, category, judge, self.beside)


@dataclass(frozen=True, eq=False)
class RankingView:
    """One ranking to evaluate; or all, until one is chosen."""

    posterior: Any
    score_direction: ScoreDirection | None
    default_threshold: float | None = None
    asked: RankingKey = RankingKey()


@dataclass(frozen=True, eq=False)
class RankingRows:
    """The rows of X for one ranking."""

    scores: np.ndarray  # (n_samples,), larger for positives
    codes: np.ndarray  # (n_samples,): 1, 0, or -1 if unlabeled
    asked: np.ndarray  # (n_samples,), rows that are ranked: of the category, with a weight
    # (n_samples,), inclusion probabilities; None if unknown, or if rows represent several items
    chances: np.ndarray | None = None

    def selection(self, threshold: float) -> np.ndarray:
        """Return the known positives, and the unlabeled rows that reach a threshold."""
        above = np.where(self.codes == UNLABELED, self.scores >= threshold, self.codes == 1)
        return self.asked & above


class Subject(ABC):
    """A kind of X with its fit, an immutable value.

    A new kind of X costs a class, an entry in `SUBJECTS`, and a word in `data._item_data.kind_of`.
    """

    kind: ClassVar[str]  # of data, as in `ItemData`
    without: ClassVar[tuple[str, ...]] = ()  # arguments that an update does not support
    mixture: Any  # parameters of the fit
    model: Any  # with `seed`, `verdict`, `verdict_on_sample`, `suspect_labels` and `bets`

    @classmethod
    @abstractmethod
    def fit(cls, mixture: Any, data: ItemData, seed: int) -> Self:
        """Fit with the parameters of a mixture; `seed` is that of the label draws."""

    @abstractmethod
    def updated(self, mixture: Any, data: ItemData) -> Self:
        """Return the fit to other labels of the same items; `mixture` has the parameters."""

    @property
    @abstractmethod
    def labels(self) -> BinaryLabels | EncodedLabels:
        """How labels are encoded."""

    @property
    @abstractmethod
    def classes(self) -> np.ndarray:
        """The classes, sorted."""

    @property
    @abstractmethod
    def pos_label(self) -> Any:
        """The positive class, or None."""

    @property
    def seed(self) -> int:
        """Seed of the label draws."""
        return self.model.seed

    @property
    def systems(self) -> tuple:
        """Names of the systems."""
        return (0,)

    @property
    def categories(self) -> np.ndarray | None:
        """Names of the subgroups, None without categories."""
        return None

    @property
    def misses_scores(self) -> bool:
        """Whether a system has missing scores."""
        return False

    def have_items(self, asked: RankingKey) -> bool:
        """Return whether any item has scores by all selected systems."""
        return True

    @property
    def judges(self) -> tuple:
        """Names of the raters."""
        return ()

    def deciding(self, threshold: float | None) -> Subject:
        """Return the same fit with another decision threshold."""
        raise ValueError("A decision threshold requires a single column of scores.")

    def metric_of(self, metric: Any, **where: Any) -> Any:
        """Return the metric of an estimate."""
        asked = {name: value for name, value in where.items() if name in PLACES}
        return Question.of(metric, **asked).metric

    @abstractmethod
    def shown(self, asked: RankingKey) -> RankingView:
        """Return one ranking, of all items or of a category."""

    @abstractmethod
    def rows(self, asked: RankingKey) -> RankingRows:
        """Return the rows of X for the ranking that `shown` describes."""

    @abstractmethod
    def answers(self, performance: Any) -> Any:
        """Return the estimates for an estimator that shows one ranking."""


def check_subject(subject: Any, asked: RankingKey | None = None) -> None:
    """Raise unless a fit and a selection of its ranking are valid."""
    if not (asked is None or isinstance(asked, RankingKey)):
        raise TypeError(
            f"asked must be the shown_.asked of an estimator, or None; got {asked!r}. Choose a "
            "system or category by of(system=..., category=...)."
        )
    if not isinstance(subject, Subject):
        raise TypeError(
            f"subject must be the subject_ of a fitted estimator, got {subject!r}. Pass scores "
            "and labels to fit(X, y)."
        )
