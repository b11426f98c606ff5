"""Stopping rules, combined by ``|`` (any) and ``&`` (all)."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..design._evidence import recall_evidence
from ..design._recall_certificate import RecallCertificate, Review
from ..exceptions import RepeatedLooksWarning
from ..goals._best_threshold import USEFUL_SHARE
from ..inputs._validation import as_tuple, check_count, check_number
from ..results._estimates import percent
from ._goal_information import Guarantee


@dataclass(frozen=True)
class Progress:
    """The state of a labeling session, which stopping rules use.

    .. versionadded:: 0.1

    Attributes
    ----------
    n_labels : int
        Number of labels.
    n_items : int
        Number of items.
    half_width : float
        Half the width of the interval; its mean for a curve or several systems.
    order_probability : float, default=None
        The probability that the true order of several systems, or of the categories of one system,
        is that of the estimates. None for one system without categories.
    guarantee : Promise, default=None
        The best selection for the goal, with `is_kept`, `is_possible`, `estimate` and `describe`.
        None without a goal.
    review : Review, default=None
        The read and drawn items, with their `certificate`. None if labels are not binary.
    attainable : callable, default=None
        Computes the expected value, with all labels known, of the metric that a goal does not
        bound. None without a goal.
    """

    n_labels: int
    n_items: int
    half_width: float
    order_probability: float | None = None
    guarantee: Guarantee | None = None
    review: Review | None = None
    attainable: Callable[[], float] | None = None


class LaterProgress(Progress):
    """The progress of a session whose other attributes are computed when a rule reads them, once.

    Those that `later` names are computed alone, all others together by `rest`. A copy with other
    values, by `dataclasses.replace`, has values only.
    """

    def __init__(
        self,
        *values: Any,
        later: Mapping[str, Callable[[], Any]] | None = None,
        rest: Callable[[], Progress] | None = None,
        **named: Any,
    ) -> None:
        if rest is None:
            super().__init__(*values, **named)
        else:
            vars(self).update(named, _later=dict(later or {}), _rest=rest)

    def __getattribute__(self, name: str) -> Any:
        values = object.__getattribute__(self, "__dict__")
        if name.startswith("_") or name in values or "_rest" not in values:
            return object.__getattribute__(self, name)
        if name in values["_later"]:
            values[name] = values["_later"][name]()
        else:
            values.update(vars(values.pop("_rest")()) | values)
        return object.__getattribute__(self, name)


def half_width(estimate: Any) -> float:
    """Return half the width of the interval of an estimate, averaged over a curve."""
    low, high = estimate.interval()
    widths = np.atleast_1d(np.subtract(high, low)) / 2.0
    return float(np.nanmean(widths)) if np.isfinite(widths).any() else np.inf


class StoppingRule(ABC):
    """A condition under which labeling stops.

    A new rule is a frozen dataclass with methods `holds` and `describe`.

    .. versionadded:: 0.1

    Attributes
    ----------
    looks_at_interval : bool
        Whether the rule uses the interval after every batch of labels.
    """

    looks_at_interval = False

    @abstractmethod
    def holds(self, progress: Progress) -> bool:
        """Return whether labeling may stop now."""

    @abstractmethod
    def describe(self) -> str:
        """Return the condition in words."""

    def reason(self, progress: Progress) -> str:
        """Return the reason to stop in words, if the rule is met."""
        return self.describe()

    def is_proved(self, progress: Progress) -> bool:
        """Return whether the labels alone prove the goal, without the model."""
        return False

    def can_hold(self, progress: Progress) -> bool:
        """Return whether the rule can be met with more labels."""
        return True

    def check_possible(self, progress: Progress) -> None:
        """Raise if the rule can never be met."""
        if not self.can_hold(progress):
            raise ValueError(
                f"The rule that {self.describe()} can never be met: there are {progress.n_items} "
                "items in total."
            )

    def __or__(self, other: StoppingRule) -> StoppingRule:
        return AnyOf((self, other)) if isinstance(other, StoppingRule) else NotImplemented

    def __and__(self, other: StoppingRule) -> StoppingRule:
        return AllOf((self, other)) if isinstance(other, StoppingRule) else NotImplemented


@dataclass(frozen=True)
class MaxLabels(StoppingRule):
    """Stop at a number of labeled items, including items labeled before the start.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_labels : int

    Examples
    --------
    >>> from sklearn_spe.active import HalfWidth, MaxLabels
    >>> (HalfWidth(0.05) | MaxLabels(200)).describe()
    'the half width of the interval is at most 0.05, or there are 200 labels'
    """

    n_labels: int

    def __post_init__(self) -> None:
        check_count(self.n_labels, "n_labels")

    def holds(self, progress: Progress) -> bool:
        return progress.n_labels >= self.n_labels

    def describe(self) -> str:
        return f"there are {self.n_labels} labels"

    def can_hold(self, progress: Progress) -> bool:
        return self.n_labels <= progress.n_items


@dataclass(frozen=True)
class HalfWidth(StoppingRule):
    """Stop once the interval is narrow enough.

    .. versionadded:: 0.1

    Parameters
    ----------
    half_width : float in (0, 0.5)
        Half the width of the interval; its mean for a curve.

    Examples
    --------
    >>> from sklearn_spe.active import HalfWidth
    >>> HalfWidth(0.05).half_width
    0.05
    """

    half_width: float

    looks_at_interval = True

    def __post_init__(self) -> None:
        number = check_number(self.half_width, "half_width", "(0, 0.5)")
        object.__setattr__(self, "half_width", number)

    def holds(self, progress: Progress) -> bool:
        return progress.half_width <= self.half_width

    def describe(self) -> str:
        return f"the half width of the interval is at most {self.half_width:g}"


@dataclass(frozen=True)
class RankingSettled(StoppingRule):
    """Stop once the order of several systems, or of several categories, is settled.

    With ``ActiveTestSelector(compare=)`` only the order of the two compared counts.

    .. versionadded:: 0.1

    Parameters
    ----------
    probability : float in (0, 1), default=0.95
        The required probability that the true order is that of the estimates.

    Examples
    --------
    >>> from sklearn_spe.active import MaxLabels, RankingSettled
    >>> (RankingSettled(0.9) | MaxLabels(500)).describe()
    'the order is settled with probability 0.9, or there are 500 labels'
    """

    probability: float = 0.95

    looks_at_interval = True

    def __post_init__(self) -> None:
        number = check_number(self.probability, "probability", "(0, 1)")
        object.__setattr__(self, "probability", number)

    def holds(self, progress: Progress) -> bool:
        # `can_hold` raises where there is no order.
        assert progress.order_probability is not None
        return bool(progress.order_probability >= self.probability)

    def can_hold(self, progress: Progress) -> bool:
        if progress.order_probability is None:
            raise ValueError(
                "RankingSettled compares several systems or categories: fit X with a column for "
                "each system, or pass category=."
            )
        return True

    def describe(self) -> str:
        return f"the order is settled with probability {self.probability:g}"


@dataclass(frozen=True)
class GoalReached(StoppingRule):
    """Stop once a selection meets the goal, or no selection can meet it.

    More labels improve the metric that the goal does not bound, such as recall if precision is
    bounded; `least` is its required value. If the model is correct, repeated looks do not affect
    the posterior probability of a goal, unlike the coverage of an interval.

    .. versionadded:: 0.1

    Parameters
    ----------
    least : float in [0, 1), default=None
        The required value of the metric that the goal does not bound, such as recall if precision
        is bounded. 0 accepts any selection, even a single known positive. None means half of the
        value expected with all labels known.

    Examples
    --------
    >>> from sklearn_spe.active import GoalReached, MaxLabels
    >>> (GoalReached() | MaxLabels(9)).describe()
    'an answer keeps the goal and is half as useful as the best, or none can, or there are 9 labels'
    """

    least: float | None = None

    def __post_init__(self) -> None:
        if self.least is not None:
            check_number(self.least, "least", "[0, 1)")

    def holds(self, progress: Progress) -> bool:
        guarantee = _guarantee_of(progress)
        if not guarantee.is_kept:
            return not guarantee.is_possible
        return bool(guarantee.estimate.value >= self._required_value(progress))

    def _required_value(self, progress: Progress) -> float:
        """Return the required value of the metric that the goal leaves open."""
        if self.least is not None:
            return self.least
        return 0.0 if progress.attainable is None else USEFUL_SHARE * progress.attainable()

    def reason(self, progress: Progress) -> str:
        guarantee = _guarantee_of(progress)
        if not guarantee.is_kept:
            return guarantee.describe()
        estimate = guarantee.estimate
        return f"{guarantee.describe()}, and its {estimate.name} is {estimate.value:.3g}"

    def can_hold(self, progress: Progress) -> bool:
        _guarantee_of(progress)
        return True

    def describe(self) -> str:
        enough = " and is half as useful as the best" if self.least is None else ""
        if self.least:
            enough = f" and leaves open at least {self.least:g}"
        return f"an answer keeps the goal{enough}, or none can"


def _guarantee_of(progress: Progress) -> Guarantee:
    if progress.guarantee is None:
        raise ValueError(
            "GoalReached needs a selector with a goal: ActiveTestSelector(Goal.of(precision=0.9))."
        )
    return progress.guarantee


@dataclass(frozen=True)
class RecallReached(StoppingRule):
    """Stop a review once it is proved that a given share of all positives is labeled.

    Use it with the strategy ``"reading"``, which labels items from the top of the ranking, and
    draws items at random once few positives are expected below. The proof from uniform draws
    (:class:`~sklearn_spe.design.RecallCertificate`) is valid for any scores and under repeated
    looks. All labeled positives count as found.

    .. versionadded:: 0.1

    Parameters
    ----------
    recall : float in (0, 1), default=0.8
        The share of all positives to be labeled.
    confidence_level : float in (0, 1), default=0.95
        The level of the proof. It may differ from the level of the selector.
    n_unscored : int, default=0
        Number of possibly positive items without a score. Each counts as a missed positive. To have
        them drawn like other items, give them a score below all others instead.

    Examples
    --------
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active import RecallReached
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, truth = make_scores(600, random_state=0)
    >>> selector = ActiveTestSelector(strategy="reading", n_draws=40, random_state=0).fit(scores)
    >>> while not selector.should_stop(RecallReached(0.8)):
    ...     items = selector.query(min(80, selector.n_left_))
    ...     _ = selector.update(items, truth[items])
    >>> selector.stop_reason_
    '158 positives are labeled, at least 80% of all, proved at the level 0.95'
    >>> selector.n_labels_, int(truth.sum())
    (480, 160)
    """

    recall: float = 0.8
    confidence_level: float = 0.95
    n_unscored: int = 0

    def __post_init__(self) -> None:
        for name in ("recall", "confidence_level"):
            object.__setattr__(self, name, check_number(getattr(self, name), name, "(0, 1)"))
        check_count(self.n_unscored, "n_unscored", 0)

    def holds(self, progress: Progress) -> bool:
        return self._certificate(progress).is_reached

    def is_proved(self, progress: Progress) -> bool:
        return self.holds(progress)

    def reason(self, progress: Progress) -> str:
        n_found = self._certificate(progress).n_found
        share = f"at least {percent(self.recall)} of all"
        level = f"proved at the level {self.confidence_level:g}"
        return f"{n_found} positives are labeled, {share}, {level}"

    def can_hold(self, progress: Progress) -> bool:
        _review_of(progress)
        return True

    def describe(self) -> str:
        return (
            f"at least {percent(self.recall)} of all positives are labeled, proved at the level "
            f"{self.confidence_level:g}"
        )

    def evidence(self, progress: Progress, n_at_looks: list[int]) -> dict[str, Any]:
        """Return the evidence, with the level proved at each look; see `recall_evidence`."""
        return recall_evidence(
            _review_of(progress),
            recall=self.recall,
            confidence_level=self.confidence_level,
            n_out=self.n_unscored,
            n_at_looks=n_at_looks,
        )

    def _certificate(self, progress: Progress) -> RecallCertificate:
        return _review_of(progress).certificate(
            recall=self.recall, confidence_level=self.confidence_level, n_out=self.n_unscored
        )


def _review_of(progress: Progress) -> Review:
    """Return the read and drawn items; raise if labels are not binary."""
    if progress.review is None:
        raise ValueError("RecallReached needs binary labels; these are overlaps.")
    return progress.review


@dataclass(frozen=True)
class _Joined(StoppingRule):
    rules: tuple[StoppingRule, ...]

    joins: ClassVar[Any]  # `any` or `all`
    word: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", as_tuple(self.rules, "rules", "stopping rules"))
        wrong = [rule for rule in self.rules if not isinstance(rule, StoppingRule)]
        if wrong:
            raise ValueError(
                "Rules must be stopping rules such as HalfWidth(0.05) or MaxLabels(200), got "
                f"{wrong[0]!r}."
            )
        if not self.rules:
            raise ValueError(f"{type(self).__name__} needs at least one rule.")

    @property
    def looks_at_interval(self) -> bool:  # type: ignore[override]
        return any(rule.looks_at_interval for rule in self.rules)

    def holds(self, progress: Progress) -> bool:
        return self.joins(rule.holds(progress) for rule in self.rules)

    def is_proved(self, progress: Progress) -> bool:
        return any(rule.is_proved(progress) for rule in self.rules)

    def can_hold(self, progress: Progress) -> bool:
        return self.joins(rule.can_hold(progress) for rule in self.rules)

    def describe(self) -> str:
        return f", {self.word} ".join(
            f"({r.describe()})" if isinstance(r, _Joined) else r.describe() for r in self.rules
        )


@dataclass(frozen=True)
class AnyOf(_Joined):
    """Stop once one of several rules holds.

    Parameters
    ----------
    rules : tuple of StoppingRule

    Examples
    --------
    >>> from sklearn_spe.active import HalfWidth, MaxLabels
    >>> rule = HalfWidth(0.05) | MaxLabels(200)
    >>> len(rule.rules)
    2
    """

    joins: ClassVar[Any] = any
    word: ClassVar[str] = "or"

    def reason(self, progress: Progress) -> str:
        return ", and ".join(rule.reason(progress) for rule in self.rules if rule.holds(progress))


@dataclass(frozen=True)
class AllOf(_Joined):
    """Stop once all of several rules hold.

    Parameters
    ----------
    rules : tuple of StoppingRule

    Examples
    --------
    >>> from sklearn_spe.active import HalfWidth, MaxLabels
    >>> rule = HalfWidth(0.05) & MaxLabels(50)
    >>> len(rule.rules)
    2
    """

    joins: ClassVar[Any] = all
    word: ClassVar[str] = "and"


def warn_of_looks(interval: str, has_anytime: bool, confidence_level: float) -> None:
    """Warn that an interval is not valid for repeated looks."""
    remedy = (
        "interval='anytime' is valid at any stopping time"
        if has_anytime
        else "no interval of this metric allows that: fix the number of labels in advance"
    )
    warnings.warn(
        f"The interval {interval!r} is valid for a number of labels that is fixed in advance. "
        f"Stopping as soon as it is narrow reduces its coverage below {percent(confidence_level)}; "
        f"{remedy}.",
        RepeatedLooksWarning,
        stacklevel=3,
    )


def joined(rules: Any, half_width: Any, max_labels: Any) -> StoppingRule:
    """Return the rule that holds if any of these does."""
    rules = list(rules)
    if half_width is not None:
        rules.append(HalfWidth(half_width))
    if max_labels is not None:
        rules.append(MaxLabels(max_labels))

    if not rules:
        raise ValueError(
            "should_stop needs a rule: half_width=, max_labels=, or rules such as HalfWidth(0.05)."
        )
    any_of = AnyOf(tuple(rules))
    return any_of if len(rules) > 1 else rules[0]
