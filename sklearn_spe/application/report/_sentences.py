"""Results as lines of text: a chosen threshold, the progress of a review."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...goals._goal import Goal
from ...results._showing import (
    Markup,
    ShownResult,
    interval_table,
    joined,
    percent,
    range_in_words,
    tag,
)
from ...results._tables import EstimateTable, line_of
from ...results._verdict import Verdict
from ._operating_point import OperatingPoint

if TYPE_CHECKING:
    from ...active._selector import ActiveTestSelector
    from ...estimators._performance import PerformanceCurveEstimator

# A selection of more than this share of the items that could be selected is most of them.
LARGE_SHARE = 0.8
# Categories that are printed one by one at most.
MAX_CATEGORIES = 20
# A selection that selects nothing.
EVERYTHING = (
    "That is every item that may be positive: the goal leaves none out. Ask for more, if fewer are "
    "wanted."
)


@dataclass(frozen=True, eq=False)
class ChosenThreshold(ShownResult):
    """A threshold whose selection meets a goal.

    For a sample, the selection consists of the known positives and the unlabeled items that reach
    the threshold. For a population it is the items that reach the threshold.

    Attributes
    ----------
    goal : str
        Such as "precision >= 0.9".
    threshold : float
    probability : float
        The probability that it meets the goal.
    n_items : float
        Number of selected items.
    n_known : float or None
        Number of known positives among them; None for a population.
    greater_is_positive : bool
    estimates : EstimateTable
        The performance at the threshold.
    verdict : Verdict
        Whether labels test the selection.
    is_everything : bool
        Whether every item is selected that may be positive.
    """

    goal: str
    threshold: float
    probability: float
    n_items: float
    n_known: float | None
    greater_is_positive: bool
    estimates: EstimateTable
    verdict: Verdict
    is_everything: bool = False

    @classmethod
    def of(
        cls, performance: PerformanceCurveEstimator, goal: dict[str, Any], probability: float
    ) -> ChosenThreshold:
        """Choose the most useful threshold that meets the goal.

        Parameters
        ----------
        performance : PerformanceCurveEstimator
            Fitted.
        goal : dict
            From metrics to bounds, as `PerformanceCurveEstimator.threshold_for` takes them.
        probability : float
            The probability with which the goal must be met.

        Raises
        ------
        UnreachableGoalError
            If no threshold meets it.
        """
        ranking: Any = performance.of()
        threshold, verdict = ranking.supported_threshold(
            Goal.of(**goal), confidence_level=probability
        )
        band = performance.goal_probability(thresholds=[threshold], **goal)

        score_direction = performance.score_direction_
        assert score_direction is not None
        sample = performance.posterior_.sample
        passing = sample.lower >= score_direction.flip(threshold)
        names = tuple(dict.fromkeys((*goal, "precision", "recall", "f1")))

        if performance.target == "sample":
            n_known = float(sample.positive.sum())
            to_choose = sample.unlabeled
            n_items = sample.unlabeled[passing].sum() + n_known
            estimates = [ranking.estimate(name, selection=threshold) for name in names]
        else:
            n_known = None
            n_items = sample.counts[passing].sum()
            to_choose = sample.counts
            estimates = [performance.estimate(name, threshold=threshold) for name in names]

        return cls(
            band.name,
            threshold,
            float(band.value[0]),
            float(n_items),
            n_known,
            score_direction.greater_is_positive,
            EstimateTable(names, tuple(estimates)),
            verdict,
            bool(to_choose.any() and passing[to_choose > 0.0].all()),
        )

    @property
    def operating_point(self) -> OperatingPoint | None:
        """The threshold as an operating point; None if only known positives are selected."""
        if self.n_items == self.n_known:
            return None
        reason = f"It meets {self.goal} with probability {self.probability:.3g}."
        return OperatingPoint(self.threshold, "goal", reason)

    def describe(self) -> str:
        """Return the result as lines of text."""
        lines = [self.sentence()]
        for name, estimate in self.estimates.items():
            lines.append(line_of(f"{name.replace('_', ' ')} there", estimate))
        lines += [f"- {reason.text}" for reason in self.verdict.reasons]
        return "\n".join(lines)

    def to_frame(self, confidence_level: float | None = None) -> Any:
        """Return the performance at the threshold, as `EstimateTable.to_frame` does."""
        return self.estimates.to_frame(confidence_level)

    def _record(self) -> dict[str, Any]:
        return {
            "goal": self.goal,
            "threshold": self.threshold,
            "probability": self.probability,
            "n_items": self.n_items,
            "n_known": self.n_known,
            "greater_is_positive": self.greater_is_positive,
            "is_everything": self.is_everything,
            "sentence": self.sentence(),
            "estimates": self.estimates.to_dict()["estimates"],
            "reasons": self.verdict.to_dict()["reasons"],
        }

    def _html(self) -> Markup:
        table = interval_table("At the threshold", self.estimates.items())
        reasons = [tag("li", reason.text) for reason in self.verdict.reasons]
        return joined(tag("p", self.sentence()), table, tag("ul", *reasons) if reasons else None)

    def sentence(self) -> str:
        """Return the threshold and its guarantee as a sentence."""
        side = "at least" if self.greater_is_positive else "at most"
        # With full precision: a rounded threshold may exclude the item that defines it.
        scores = f"scores of {side} {self.threshold!r}"
        probability = f"{self.probability:.3g}"

        if self.n_known is None:
            sentence = (
                f"{scores} meet {self.goal} with probability {probability}: {self.n_items:,.0f} "
                f"items."
            )
        elif self.n_items == self.n_known:
            sentence = (
                f"none for unlabeled items. Only the {self.n_known:,.0f} items that are known to "
                f"be positive meet {self.goal}, with probability {probability}: label more items."
            )
        else:
            sentence = (
                f"{scores}, of items without a label, together with the {self.n_known:,.0f} that "
                f"are known to be positive, meet {self.goal} with probability {probability}: "
                f"{self.n_items:,.0f} items."
            )

        everything = f" {EVERYTHING}" if self.is_everything else ""
        return f"Threshold: {sentence}{everything}"


def describe_progress(selector: ActiveTestSelector, verdict: Verdict) -> str:
    """Return the current results of a fitted `ActiveTestSelector`, as lines of text.

    `verdict` is its verdict, in the words of whoever reads it.
    """
    history = selector.history_[-1]
    of_goal = hasattr(selector, "goal_probability_")
    name = f"{selector.estimate_.name} of the selection" if of_goal else str(selector.metric)
    name = name.replace("_", " ")
    if selector.compare is not None:
        first, second = selector.compare
        name = f"{name}: {first} minus {second}"
    elif has_categories(selector):
        name = f"{name}, mean"

    lines = [
        *(_lines_of_goal(selector) if of_goal else ()),
        f"{'':24}{'value':>8}   {percent(selector.estimate_.confidence_level)} interval",
        _line(name, history.estimate, history.low, history.high),
    ]
    if has_categories(selector) and len(selector.categories_) <= MAX_CATEGORIES:
        lines += [
            _line(f"  {category}", estimate.value, *estimate.interval())
            for category, estimate in selector.by_category().items()
        ]

    # Only where these are not the same numbers.
    by_model = history.model, history.model_low, history.model_high
    if not of_goal and by_model != (history.estimate, history.low, history.high):
        lines.append(_line("  by the model", history.model, history.model_low, history.model_high))
    if not of_goal and np.isfinite(history.design):
        lines.append(
            _line("  by the drawn labels", history.design, history.design_low, history.design_high)
        )

    labeled = f"{len(selector.query_proba_):,} items, {selector.n_labels_} labeled."
    return "\n".join([*lines, "", f"Verdict: {verdict.describe()}", labeled])


def has_categories(selector: ActiveTestSelector) -> bool:
    """Return whether the categories of one system are asked about one by one."""
    categories = selector.categories_
    is_macro = selector.average == "macro" and len(selector.systems_) == 1
    return is_macro and categories is not None and len(categories) > 1


def _lines_of_goal(selector: ActiveTestSelector) -> list[str]:
    """Return the lines on the best selection for a goal."""
    if not np.isfinite(selector.threshold_):
        # Part of the verdict.
        return []

    n_items = int(selector.selected_.sum())
    sample = selector.performance_.posterior_.sample
    n_positive = sample.positive.sum()
    n_unlabeled = sample.unlabeled.sum()
    level = selector.goal_probability_

    subject = f"A selection of {n_items:,} items"
    lines = [f"{subject} meets {selector.metric} with probability {level:.3g}."]
    if selector.interval == "anytime":
        lines = [f"{subject} is proved to meet {selector.metric}, at the level {level:.3g}."]

    if n_unlabeled and n_items == n_positive + n_unlabeled:
        lines.append(EVERYTHING)
    elif n_items > LARGE_SHARE * (n_positive + n_unlabeled) and n_items > n_positive:
        lines.append(
            f"These are most of the {sample.counts.sum():,.0f} items: the labels do not yet "
            "support a smaller selection."
        )
    elif n_items == n_positive:
        lines.append(
            "It has only the items that are known to be positive: the labels do not yet support "
            "selecting unlabeled items by their scores."
        )
    return [*lines, ""]


def _line(name: str, value: float, low: float, high: float) -> str:
    return f"{name:24}{value:8.3f}   {range_in_words(low, high, '{:.3f}')}"
