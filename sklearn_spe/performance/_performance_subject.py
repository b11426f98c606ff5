"""What a performance estimator is fitted to, and what it shows of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..curves._question import Question
from ..inputs._labels import UNLABELED
from ..inputs._orientation import Orientation

__all__ = ["Asked", "AskedRows", "Shown", "Structure", "Subject", "check_subject"]

# Where on a curve a metric may be asked for.
PLACES = ("threshold", "recall", "precision")


@dataclass(frozen=True, eq=False)
class Structure:
    """What is said of items besides scores and labels, as `PerformanceCurveEstimator.fit` has it.

    Attributes
    ----------
    category, groups, inclusion_proba, judges : object
        None where nothing is said.
    source : object
        Of items that were counted, what tells whether others are the same; else None.
    """

    category: Any = None
    groups: Any = None
    inclusion_proba: Any = None
    judges: Any = None
    source: Any = None

    def said(self, *names) -> list[str]:
        """Return which of some arguments are given."""
        return [name for name in names if getattr(self, name) is not None]


@dataclass(frozen=True, eq=False)
class Asked:
    """Whose ranking is asked about, and of which items; None for all there are.

    Attributes
    ----------
    system, category, judge : object
        The ranking is that of a judge if one is named, else that of a system.
    beside : tuple
        Systems that must have scored an item too: a comparison is one of the same items.
    """

    system: Any = None
    category: Any = None
    judge: Any = None
    beside: tuple = ()

    @property
    def whose(self) -> str:
        """Whose scores they are, as part of a sentence; empty if nobody is named."""
        named = {"system": self.system, "judge": self.judge}
        return "".join(f" of {what} {name!r}" for what, name in named.items() if name is not None)

    def narrowed(self, system, category, judge) -> Asked:
        """Return what is asked about if this is said besides; None leaves it as it is.

        Raises
        ------
        ValueError
            If both a system and a judge are named.
        """
        if system is not None and judge is not None:
            raise ValueError(
                f"One ranking is asked about: got system={system!r} and judge={judge!r}."
            )
        if system is None and judge is None:
            system, judge = self.system, self.judge
        category = self.category if category is None else category
        return Asked(system, category, judge, self.beside)


@dataclass(frozen=True, eq=False)
class Shown:
    """One ranking, of which an estimator answers; or all, until one is named.

    Attributes
    ----------
    posterior : Posterior or ItemPosterior
    orientation : Orientation or None
    default_threshold : float or None
    asked : Asked
    """

    posterior: Any
    orientation: Orientation | None
    default_threshold: float | None = None
    asked: Asked = Asked()


@dataclass(frozen=True, eq=False)
class AskedRows:
    """The rows of X, as one ranking has them.

    Attributes
    ----------
    scores : ndarray of shape (n_samples,)
        Larger for positives.
    codes : ndarray of shape (n_samples,)
        1, 0, or -1 where there is no label.
    asked : ndarray of bool of shape (n_samples,)
        Which rows are ranked: those of a category, and those that stand for an item.
    chances : ndarray of shape (n_samples,) or None
        Of each row to be labelled; None where they are not known, or rows stand for several items.
    """

    scores: np.ndarray
    codes: np.ndarray
    asked: np.ndarray
    chances: np.ndarray | None = None

    def answer(self, threshold: float) -> np.ndarray:
        """Return the positives that are known, and what has no label and reaches a threshold."""
        above = np.where(self.codes == UNLABELED, self.scores >= threshold, self.codes == 1)
        return self.asked & above


class Subject(ABC):
    """What X holds, and its fit: a value.

    A new kind of X costs one file and one entry in `SUBJECTS`.

    Attributes
    ----------
    mixture : SemisupervisedScoreMixture
        Of its parameters the fit was made.
    model : object
        The fit, with `seed`, `verdict`, `verdict_on_sample`, `surprising_items` and `bets`.
    """

    mixture: Any
    model: Any

    @classmethod
    @abstractmethod
    def takes(cls, mixture, X, y, structure: Structure) -> bool:
        """Return whether X, y and what else is said are of this kind."""

    @classmethod
    @abstractmethod
    def fit(cls, mixture, X, y, sample_weight, structure: Structure, seed: int) -> Self:
        """Fit, with the parameters of a mixture; labels that are drawn later have a seed."""

    @abstractmethod
    def updated(self, X, y, sample_weight, structure: Structure) -> Self:
        """Return the fit of other labels of the same items."""

    @property
    @abstractmethod
    def classes(self) -> np.ndarray:
        """The classes, sorted."""

    @property
    @abstractmethod
    def pos_label(self):
        """The positive class; None where none is."""

    @property
    def seed(self) -> int:
        """From which labels are drawn."""
        return self.model.seed

    @property
    def systems(self) -> tuple:
        """What each system is called."""
        return (0,)

    @property
    def categories(self) -> np.ndarray | None:
        """The names of the subgroups; None where there are none."""
        return None

    @property
    def misses_scores(self) -> bool:
        """Whether a system gave no score to some items."""
        return False

    def have_items(self, asked: Asked) -> bool:
        """Return whether there is an item of which all speak that are asked about."""
        return True

    @property
    def judges(self) -> tuple:
        """What each judge is called."""
        return ()

    def deciding(self, threshold: float | None) -> Subject:
        """Return the same fit, whose decisions are taken at a threshold."""
        raise ValueError("Decisions at one threshold are taken by one column of scores.")

    def metric_of(self, metric, **where):
        """Return the metric that a question is about, as `estimate` takes it."""
        asked = {name: value for name, value in where.items() if name in PLACES}
        return Question.of(metric, **asked).metric

    @abstractmethod
    def shown(self, asked: Asked) -> Shown:
        """Return what is known of one ranking, of all items or of a category."""

    @abstractmethod
    def rows(self, asked: Asked) -> AskedRows:
        """Return the rows of X as the ranking that `shown` describes has them."""

    @abstractmethod
    def answers(self, performance):
        """Return what answers the questions of an estimator that shows one ranking."""


def check_subject(subject, asked: Asked | None = None) -> None:
    """Raise unless it is what X holds, and what may be asked about."""
    if not (asked is None or isinstance(asked, Asked)):
        raise TypeError(
            f"asked must be what a view has as shown_.asked, or None; got {asked!r}. One system or "
            f"category is named by of(system=..., category=...)."
        )
    if not isinstance(subject, Subject):
        raise TypeError(
            f"subject must be what a fitted estimator has as subject_, got {subject!r}. Scores and "
            f"labels go into fit(X, y)."
        )
