"""Results as lines of text: a chosen threshold, the progress of a review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...active.sessions._history import summary
from ...goals._goal import Goal
from ...goals._label_support import N_TO_TEST
from ...results._showing import percent, range_in_words
from ...results._tables import EstimateTable, line_of
from ...results._verdict import Verdict
from ._operating_point import OperatingPoint
from ._plain_answers import VERDICTS_IN_WORDS

if TYPE_CHECKING:
    from ...active._selector import ActiveTestSelector
    from ...estimators._performance import PerformanceCurveEstimator

# A selection of more than this share of the items that could be selected is most of them.
LARGE_SHARE = 0.8
# Categories that are printed one by one at most.
MAX_CATEGORIES = 20
# Estimates beside the combined one.
BY_MODEL, BY_DESIGN = "by the model", "by the drawn labels"
# A selection that selects nothing.
EVERYTHING = (
    "That is every item that may be positive: the goal leaves none out. Ask for more, if fewer are "
    "wanted."
)


class LabelsToProve(NamedTuple):
    """What to label, as labels support no threshold that meets a goal."""

    rows: list[int]  # of X, to be labeled
    n_candidates: int  # unlabeled rows that reach the candidate of the model; 0 without one
    candidate: float | None  # a threshold, of which the model alone says that it meets the goal
    is_usual: bool  # whether there is a usual threshold for such scores

    @classmethod
    def of(cls, ranking: Any, candidate: float | None) -> LabelsToProve:
        """Choose rows that test a candidate: by score evenly spaced, without one the highest.

        Rows with equal scores are spaced too, as a file may be sorted.
        """
        of_rows = ranking.rows()
        unlabeled = np.flatnonzero(of_rows.is_ranked & (of_rows.codes < 0))
        highest = unlabeled[np.argsort(-of_rows.scores[unlabeled], kind="stable")]
        scores = of_rows.scores[highest]
        n_candidates = 0
        if candidate is not None:
            flipped = ranking.score_direction_.flip(candidate)
            n_candidates = int(np.count_nonzero(scores >= flipped))

        lowest_score = scores[:N_TO_TEST].min(initial=np.inf)
        tested = highest[: n_candidates or np.count_nonzero(scores >= lowest_score)]
        places = np.linspace(0, len(tested) - 1, min(N_TO_TEST, len(tested))).round().astype(int)
        is_usual = ranking.default_threshold_ is not None
        return cls(tested[places].tolist(), n_candidates, candidate, is_usual)

    def operating_point(self, goal: str) -> OperatingPoint | None:
        """Return the candidate as an operating point; None if another one is usual."""
        if self.is_usual or self.candidate is None:
            return None
        reason = f"It is the model's candidate for {goal}, which too few labels support yet."
        return OperatingPoint(self.candidate, "goal", reason)

    def record(self, names: Sequence[Any]) -> dict[str, Any]:
        """Return all values for JSON, and the names of the rows."""
        return {**self._asdict(), "names": [names[row] for row in self.rows]}

    def sentence(self, goal: str, names: Sequence[Any], unit: str) -> str:
        """Return that no threshold is guaranteed, and which rows to label."""
        n = len(self.rows)
        rows = f"these {n} rows" if n > 1 else "this row"
        listed_rows = ", ".join(str(names[row]) for row in self.rows)
        return (
            f"No threshold is guaranteed to reach {goal} yet: label {rows} ({unit} {listed_rows})."
        )


@dataclass(frozen=True, eq=False)
class ChosenThreshold:
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
    to_prove : LabelsToProve or None
        What to label, if the selection meets the goal by its known positives alone.
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
    to_prove: LabelsToProve | None = None

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
        supported = ranking.supported_threshold(Goal.of(**goal), confidence_level=probability)
        threshold = supported.threshold
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
            # Known labels count, other than at the threshold as a rule.
            of_selection = [ranking.estimate(name, selection=threshold) for name in names]
            estimates = [replace(estimate, threshold=None) for estimate in of_selection]
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
            supported.verdict,
            bool(to_choose.any() and passing[to_choose > 0.0].all()),
            LabelsToProve.of(ranking, supported.candidate) if supported.rests_on_known else None,
        )

    @property
    def operating_point(self) -> OperatingPoint | None:
        """The threshold as an operating point; None if no unlabeled item tests it.

        A candidate of the model takes its place where no threshold is usual.
        """
        if self.to_prove is not None:
            return self.to_prove.operating_point(self.goal)
        who = "It meets"
        if self.n_known:
            who = f"With the {self.n_known:,.0f} known positives, the unlabeled ones of these meet"
        reason = f"{who} {self.goal} with probability {self.probability:.3g}."
        return OperatingPoint(self.threshold, "goal", reason)

    def first_line(self, names: Sequence[Any], unit: str) -> str:
        """Return the answer to the goal: which rows meet it, else what to label for that.

        `names` are those of all rows; `unit` is the noun for a row.
        """
        if self.to_prove is not None:
            return self.to_prove.sentence(self.goal, names, unit)
        side = "at least" if self.greater_is_positive else "at most"
        scores = f"a score of {side} {self.threshold:.6g}"
        probability = f"{self.probability:.3g}"
        if self.n_known is None:
            return f"{scores.capitalize()} meets {self.goal} with probability {probability}."
        return (
            f"{self.n_items:,.0f} items meet {self.goal} with probability {probability}: the "
            f"{self.n_known:,.0f} known to be positive, and those without a label that have "
            f"{scores}. In the selection: {self.estimates.sentences()[0]} What follows is "
            "on all items with such a score, labeled negatives among them."
        )

    def describe(self) -> str:
        """Return the result as lines of text."""
        lines = [self.sentence()]
        if self.to_prove is not None:
            return lines[0]
        for name, estimate in self.estimates.items():
            lines.append(line_of(f"{name.replace('_', ' ')} there", estimate))
        lines += [f"- {reason.text}" for reason in self.verdict.reasons]
        return "\n".join(lines)

    def record(self, names: Sequence[Any]) -> dict[str, Any]:
        """Return the threshold and the performance there as values for JSON, with names of rows."""
        estimates = self.estimates.to_dict()["estimates"]
        if self.n_known is not None:
            for each in estimates:
                each["sentence"] = f"In the selection: {each['sentence']}"
        return {
            "threshold": self.threshold,
            "probability": self.probability,
            "n_items": self.n_items,
            "n_known": self.n_known,
            "estimates": estimates,
            "reasons": self.verdict.to_dict()["reasons"],
            "to_prove": self.to_prove and self.to_prove.record(names),
        }

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
        elif self.to_prove is not None:
            n_more = self.n_items - self.n_known
            more = ""
            if n_more:
                ones = "one unlabeled item" if n_more == 1 else f"{n_more:,.0f} unlabeled items"
                more = f", with {ones} ({scores}),"
            sentence = (
                f"none for unlabeled items yet. The {self.n_known:,.0f} items that are known to be "
                f"positive{more} meet {self.goal} whatever the missing labels are."
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
    of_goal = hasattr(selector, "goal_probability_")
    name = f"{selector.estimate_.name} of the selection" if of_goal else str(selector.metric)
    name = name.replace("_", " ")
    others = estimates_so_far(selector)
    estimate = others.pop(selector.metric)
    if selector.compare is not None:
        first, second = selector.compare
        name = f"{name}: {first} minus {second}"
    elif has_categories(selector):
        name = f"{name}, mean"

    lines = [
        *(_lines_of_goal(selector) if of_goal else ()),
        f"{'':24}{'value':>8}   {percent(selector.estimate_.confidence_level)} interval",
        _line(name, *estimate),
    ]
    if has_categories(selector) and len(selector.categories_) <= MAX_CATEGORIES:
        lines += [
            _line(f"  {category}", each.value, *each.interval())
            for category, each in selector.by_category().items()
        ]

    # Only where these are not the same numbers.
    if not of_goal and others[BY_MODEL] != estimate:
        lines.append(_line(f"  {BY_MODEL}", *others[BY_MODEL]))
    if not of_goal and np.isfinite(others[BY_DESIGN][0]):
        lines.append(_line(f"  {BY_DESIGN}", *others[BY_DESIGN]))

    labeled = f"{len(selector.query_proba_):,} items, {selector.n_labels_} labeled."
    if verdict == "ok":
        return "\n".join([*lines, "", f"Verdict: {verdict.describe()}", labeled])
    # A verdict against the numbers is read before them.
    belief = f"{VERDICTS_IN_WORDS[str(verdict)]} (verdict: {verdict})."
    reasons = [f"- {reason.text}" for reason in verdict.reasons]
    return "\n".join([belief, *reasons, "", *lines, "", labeled])


def estimates_so_far(selector: ActiveTestSelector) -> dict[Any, tuple[float, float, float]]:
    """Return the value and the interval of the metric, and those by the model and the design."""
    return {
        selector.metric: summary(selector.estimate_),
        BY_MODEL: summary(selector.model_estimate_),
        BY_DESIGN: summary(selector.design_estimate_),
    }


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
    if n_items > n_positive:
        side = "at least" if selector.greater_is_positive else "at most"
        lines.append(
            f"It has the {n_positive:,.0f} known positives, and {n_items - n_positive:,.0f} items "
            f"without a label that have a score of {side} {selector.threshold_:.6g}."
        )
    return [*lines, ""]


def _line(name: str, value: float, low: float, high: float) -> str:
    return f"{name:24}{value:8.3f}   {range_in_words(low, high, '{:.3f}')}"
