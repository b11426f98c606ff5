"""The contents of a report, as a value without a page."""

from __future__ import annotations

import inspect
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..._version import DEPENDENCIES, __version__, versions_of_dependencies
from ...estimators._performance import PerformanceCurveEstimator
from ...estimators._side_by_side import verdict_with
from ...exceptions import ParameterError, ParameterTypeError
from ...goals._question import Question
from ...inputs._validation import check_aligned_with
from ...models._class_ranking import table_by_class
from ...models._ranking_value import MetricArguments, Ranking
from ...models._ranking_view import check_decision
from ...models._score_ranking import without_scores
from ...results._showing import Markup, ShownResult, interval_table, joined
from ...results._tables import EstimateTable
from ...results._verdict import Verdict, verdict_card
from ._cost import LeastCost
from ._earlier_report import EarlierReport
from ._label_advice import (
    LabelValue,
    NamedRow,
    names_of_rows,
    next_rows,
    question_of_plan,
    suspect_rows,
)
from ._main_estimates import main_numbers, read_as, with_verdict
from ._metric_comparison import MetricComparison, name_of_metric
from ._operating_point import OperatingPoint, operating_points, question_of_threshold
from ._plain_answers import LabelCounts, PlainAnswers, computed_in_words
from ._ranking_report import RankingReport
from ._thresholds import DecisionNumbers, ThresholdGuarantees

CITATION = (
    "P. Welinder, M. Welling and P. Perona. A Lazy Man's Approach to Benchmarking: Semisupervised "
    "Classifier Evaluation and Recalibration. IEEE Conference on Computer Vision and Pattern "
    "Recognition (CVPR), 2013."
)
TARGETS = {
    "sample": "the performance on these items: known labels are kept, unknown ones are drawn",
    "population": "the performance on further items from the same distribution",
}

TITLE = "Performance report"
METRIC = "average_precision"
# Maximum number of curves in one picture, and of listed rows.
MAX_SYSTEMS = 6
MAX_CATEGORIES = 30
# Metrics that are compared besides the ranking, if all decide at one threshold.
OF_DECISIONS = ("precision", "recall", "specificity")


def _facts(
    performance: PerformanceCurveEstimator, model: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Return facts by name; `model` describes the model in words."""
    installed = versions_of_dependencies()
    versions = {"sklearn-spe": __version__, "Python": platform.python_version()}
    versions |= {name: installed[name] for name in DEPENDENCIES}

    weight = performance.model_weight_
    facts = {
        "Target": TARGETS[performance.target],
        "Classes": ", ".join(map(str, performance.classes_)),
        "Positive class": None if performance.pos_label_ is None else str(performance.pos_label_),
        "Model": " ".join(model) or None,
        "Probability of the model": f"{weight:.2f} (prior probability 0.99)",
        "Random seed": str(performance.seed_),
        "Versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
        "Platform": f"{platform.system()} {platform.machine()}",
    }
    return tuple((name, text) for name, text in facts.items() if text is not None)


@dataclass(frozen=True, eq=False, repr=False)
class ReportContents(ShownResult):
    """All results of a fitted estimator, computed once; `PerformanceReport` makes a page of it."""

    title: str
    date: str
    counts: str
    classes: tuple[str, str] | None
    verdict: Verdict
    answers: PlainAnswers
    numbers: EstimateTable
    metric: str
    threshold: float | None
    rankings: tuple[RankingReport, ...]
    comparisons: tuple[MetricComparison, ...]
    tables: dict[str, EstimateTable]
    worth: tuple[LabelValue, ...]
    next_rows: tuple[NamedRow, ...]
    suspect_rows: tuple[NamedRow, ...]
    n_suspect: int
    unit: str
    facts: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    labels: LabelCounts
    systems: tuple[str, ...] = ()
    earlier: EarlierReport | None = None
    file: str | None = None
    checksum: str | None = None

    def __new__(cls, *fields: Any, **by_name: Any) -> ReportContents:
        """Create a report from its fields; raise for an estimator, which `of` takes."""
        first = next(iter(fields), by_name.get("performance"))
        if isinstance(first, PerformanceCurveEstimator):
            raise TypeError(
                "PerformanceReport holds results. Compute them by "
                "PerformanceReport.from_estimator(performance)."
            )
        return super().__new__(cls)

    @classmethod
    def from_estimator(
        cls,
        performance: PerformanceCurveEstimator,
        *,
        threshold: Any = None,
        metric: Any = None,
        items: Any = None,
        title: Any = None,
        compared_with: Any = None,
        reference: Any = None,
        unit: str | None = None,
        cost: Any = None,
    ) -> Self:
        """Compute all results of a fitted estimator.

        Parameters
        ----------
        performance : PerformanceCurveEstimator
        threshold : float, default=None
            Threshold of precision, recall, F1 and accuracy. None uses `default_threshold_`. If that
            is None too, the page shows several thresholds and asks for one.
        metric : str or Metric, default=None
            The metric by which systems or categories are compared and further labels are planned.
            None means "average_precision", or "accuracy" for more than two classes.
        items : array-like of shape (n_samples,), default=None
            Name or text that represents each row of X on the page. None uses row numbers.
        title : str, default=None
            Title of the page.
        compared_with : mapping, default=None
            An earlier report: the output of ``--json``, or the `to_dict` of a report or of main
            estimates.
        reference : object, default=None
            The category with which others are compared; None means the first of ordered categories,
            else the one with the most items.
        unit : str, default=None
            The word for one of `items`, such as "message". None means "item", or "row" without
            `items`.
        cost : (float, float), default=None
            The cost of a false alarm and that of a miss, instead of `threshold`; for one system.
            The page then uses the threshold of least expected cost, and states cost and net benefit
            with their intervals.

        Returns
        -------
        report : PerformanceReport

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If `items` has another length, the metric is unknown, the category does not exist, or
            the earlier report has no number in common.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator, PerformanceReport
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(500, random_state=0)
        >>> y = np.where(np.arange(500) < 20, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> PerformanceReport.from_estimator(performance, title="Alarms of May").title
        'Alarms of May'
        """
        _check(performance, title, unit)
        check_aligned_with(getattr(performance, "_index", None), "X", items=items)
        names = names_of_rows(items, performance.model_.n_rows)
        unit = unit or ("row" if items is None else "item")

        # Each ranking and its decision, and how systems or categories compare.
        all_rankings = rankings_of(performance)
        drawn, remarks = _rankings_to_draw(all_rankings)
        points = _operating_points(performance, all_rankings, threshold, cost)
        rankings = tuple(
            RankingReport.of(ranking, name, points.get(name)) for name, ranking in drawn.items()
        )
        common = _common_threshold(rankings)
        question = _question_of(performance, metric, common)
        comparisons, left_out = comparisons_of(performance, question, reference, common)

        # The main numbers, with the verdict on all that is computed.
        of_classes = performance.model_.predicts_classes
        tables = _of_each_class(drawn) if of_classes else {}
        verdict = verdict_with(performance, _largest_categories(performance)[0], tables.values())
        summary = with_verdict(main_numbers(performance, threshold=common), verdict)
        numbers = _with_question(summary, all_rankings, question, common)
        earlier = None if compared_with is None else EarlierReport.of(numbers, compared_with)

        # What to label next; of more than two classes there are tables instead.
        planned = question.metric, question.threshold
        if metric is None and len(rankings) == 1:
            planned = question_of_plan(rankings[0].decision)
        worth, rows = ((), ()) if of_classes else _advice(drawn, names, *planned)
        first_row = f"{unit.capitalize()} {rows[0].name}" if rows else None

        # All of it in words.
        counts = LabelCounts.of(next(iter(all_rankings.values())))
        today = date.today().isoformat()
        answers = PlainAnswers.of(
            numbers,
            counts,
            verdict,
            rankings=rankings,
            decisions={each.name: each.decision for each in rankings if each.decision is not None},
            comparisons=comparisons,
            question=None if of_classes or points else question_of_threshold(all_rankings),
            plan=worth[0] if worth else None,
            first_row=first_row,
            tables=tables,
            earlier=earlier,
            computed=computed_in_words(counts, performance.confidence_level, today),
        )
        positive, negative = (str(name) for name, _ in counts.of_classes[:2])

        return cls(
            _title_of(performance) if title is None else title,
            today,
            summary.remarks[1],
            None if of_classes else (negative, positive),
            verdict,
            answers,
            numbers,
            name_of_metric(question.metric),
            common,
            rankings,
            comparisons,
            tables,
            worth,
            rows,
            suspect_rows(performance, names),
            len(performance.suspect_labels_) if performance.suspect_labels_.are_many else 0,
            unit,
            _facts(performance, summary.model),
            (*remarks, *left_out, *read_as(performance)),
            counts,
            _names_of_systems(performance),
            earlier,
        )

    @property
    def decision(self) -> DecisionNumbers | None:
        """The numbers at the decision threshold, if there is one ranking; else None."""
        return self.rankings[0].decision if len(self.rankings) == 1 else None

    @property
    def curves(self) -> list[str]:
        """The kinds of curves, each once."""
        return list(dict.fromkeys(kind for ranking in self.rankings for kind in ranking.curves))

    @property
    def prevalence(self) -> float | None:
        """The share of positives; None if it is unknown."""
        if "prevalence" not in self.numbers.names:
            return None
        prevalence = self.numbers["prevalence"]
        return prevalence.value if prevalence.is_known else None

    @property
    def choices(self) -> dict[str | None, ThresholdGuarantees]:
        """The thresholds to choose from, by system; empty if no choice is needed."""
        thresholds = {each.name: each.thresholds for each in self.rankings}
        return {name: each for name, each in thresholds.items() if each is not None and each.asks}

    def to_frame(self, confidence_level: float | None = None) -> Any:
        """Return the main numbers as a pandas DataFrame, as `EstimateTable.to_frame` does."""
        return self.numbers.to_frame(confidence_level)

    def _record(self) -> dict[str, Any]:
        numbers = self.numbers._record()
        return {
            **self._values_of("title", "date"),
            "confidence_level": numbers["confidence_level"],
            **self.verdict._record(),
            **self.answers._record(),
            **self._values_of("metric", "threshold"),
            "estimates": numbers["estimates"],
            "comparisons": self.comparisons,
            "compared_with": self.earlier,
            "facts": dict(self.facts),
        }

    def _html(self) -> Markup:
        return joined(
            self.answers._html(),
            verdict_card(self.verdict),
            interval_table(self.title, self.numbers.items()),
            *(each._html() for each in self.comparisons),
        )

    def __repr__(self) -> str:
        return "\n".join([f"PerformanceReport: {self.title}, {self.date}", *self.answers.lines()])


# The parameters are the fields; `__new__` takes any, to raise a clear error for an estimator.
_FIELDS = list(inspect.signature(ReportContents.__init__).parameters.values())[1:]
ReportContents.__signature__ = inspect.Signature(_FIELDS)  # type: ignore[attr-defined]


def _check(performance: Any, title: Any, unit: Any) -> None:
    if not isinstance(performance, PerformanceCurveEstimator):
        raise TypeError(
            f"performance must be a fitted PerformanceCurveEstimator, got {performance!r}."
        )
    check_is_fitted(performance, "posterior_")
    if not performance.model_.has_scores:
        raise ValueError(without_scores("A page"))
    if not (title is None or isinstance(title, str)):
        raise TypeError(f"title must be a string or None, got {title!r}.")
    if unit is not None and not isinstance(unit, str):
        raise ParameterTypeError.of(
            "unit", f"must be the word for a row, such as 'mail'; got {unit!r}."
        )


def _operating_points(
    performance: PerformanceCurveEstimator,
    rankings: Mapping[str | None, Ranking],
    threshold: Any,
    cost: Any,
) -> dict[str | None, OperatingPoint]:
    """Return where each system decides, by its name; empty if that must be asked for."""
    if not isinstance(threshold, OperatingPoint):
        threshold = check_decision(threshold)
    of_classes = performance.model_.predicts_classes

    if cost is not None:
        if threshold is not None:
            raise ParameterError.of(
                "cost", "and threshold= both determine the threshold: pass one of them."
            )
        if of_classes or len(rankings) > 1:
            raise ParameterError.of(
                "cost", "finds the threshold of one system and two classes; pass threshold=."
            )
        threshold = LeastCost.of(performance.of(), cost).operating_point

    if not of_classes:
        return operating_points(rankings, threshold)
    if threshold is not None:
        # Raises: more than two classes have no threshold.
        main_numbers(performance, threshold=float(getattr(threshold, "threshold", threshold)))
    return {}


def _common_threshold(rankings: Iterable[RankingReport]) -> float | None:
    """Return the threshold at which all systems decide; None if they have several or none."""
    decisions = [each.decision for each in rankings if each.decision is not None]
    thresholds = {decision.threshold for decision in decisions}
    return thresholds.pop() if len(thresholds) == 1 else None


def _question_of(
    performance: PerformanceCurveEstimator, metric: Any, threshold: float | None
) -> MetricArguments:
    """Return the metric by which systems are compared, at the common threshold if it needs one."""
    of_classes = performance.model_.predicts_classes
    if metric is None:
        metric = "accuracy" if of_classes else METRIC
    if of_classes or not Question.of(metric).is_open:
        return MetricArguments(metric)
    if threshold is None:
        raise ParameterError(
            f"{name_of_metric(metric)!r} is taken at a threshold, and the systems have no common "
            "one.",
            "Pass threshold= to compare them.",
            "threshold",
        )
    return MetricArguments(metric, threshold)


def _of_each_class(
    rankings: Mapping[str | None, Ranking],
) -> dict[str, EstimateTable]:
    """Return precision and recall of each class, by title."""
    tables = {}
    for name, ranking in rankings.items():
        of_which = "" if name is None else f" by {name}"
        for metric in ("precision", "recall"):
            tables[f"{metric} of each class{of_which}"] = table_by_class(ranking, metric)
    return tables


def _names_of_systems(performance: PerformanceCurveEstimator) -> tuple[str, ...]:
    """Return the names of the systems; the number of the only one is no name."""
    names = performance.systems_
    has_names = len(names) > 1 or isinstance(names[0], str)
    return tuple(map(str, names)) if has_names else ()


def _title_of(performance: PerformanceCurveEstimator) -> str:
    """Return a title that names the only system, if it has a name."""
    systems = performance.systems_
    has_name = len(systems) == 1 and isinstance(systems[0], str)
    return f"Performance of {systems[0]}" if has_name else TITLE


def rankings_of(performance: PerformanceCurveEstimator) -> dict[str | None, Ranking]:
    """Return the ranking of each system, by its name; None for a single one."""
    systems = performance.systems_
    if len(systems) < 2:
        return {None: performance.of()}
    return {str(name): performance.of(system=name) for name in systems}


def _with_question(
    summary: EstimateTable,
    rankings: Mapping[str | None, Ranking],
    question: MetricArguments,
    threshold: float | None,
) -> EstimateTable:
    """Return the main numbers with accuracy at a common threshold, and the metric asked for."""
    asked: list[tuple[Any, float | None]] = [(question.metric, question.threshold)]
    if threshold is not None:
        asked.insert(0, ("accuracy", threshold))

    numbers = dict(summary.items())
    for metric, at_threshold in asked:
        at = "" if at_threshold is None else f" at score {at_threshold:g}"
        for name, ranking in rankings.items():
            estimate = ranking.estimate(metric, threshold=at_threshold)
            of_which = "" if name is None else f" of {name}"
            numbers.setdefault(f"{estimate.name.replace('_', ' ')}{of_which}{at}", estimate)
    return replace(summary, names=tuple(numbers), estimates=tuple(numbers.values()))


def _advice(
    rankings: Mapping[str | None, Ranking], names: Any, metric: Any, threshold: float | None
) -> tuple[tuple[LabelValue, ...], tuple[NamedRow, ...]]:
    """Return what further labels are worth for a metric of each system, and which come first."""
    plans = (LabelValue.of(each, name, metric, threshold) for name, each in rankings.items())
    worth = tuple(plan for plan in plans if plan is not None)
    return worth, next_rows(rankings, names, metric, threshold)


def _rankings_to_draw(
    rankings: dict[str | None, Ranking],
) -> tuple[dict[str | None, Ranking], tuple[str, ...]]:
    """Return the systems to draw, and remarks on those omitted."""
    if len(rankings) <= MAX_SYSTEMS:
        return rankings, ()
    first_rankings = dict(list(rankings.items())[:MAX_SYSTEMS])
    remark = (
        f"Curves and thresholds are those of the first {MAX_SYSTEMS} of {len(rankings)} systems."
    )
    return first_rankings, (remark,)


def comparisons_of(
    performance: PerformanceCurveEstimator,
    question: MetricArguments,
    reference: Any = None,
    decided: float | None = None,
) -> tuple[tuple[MetricComparison, ...], tuple[str, ...]]:
    """Return comparisons of systems, else of categories, and remarks on omissions.

    Categories of several systems are compared with a `reference` that is given; at `decided`, the
    common threshold of all systems, metrics of decisions are compared too.
    """
    questions = [question]
    if decided is not None:
        others = [name for name in OF_DECISIONS if name != name_of_metric(question.metric)]
        questions += [MetricArguments(name, decided) for name in others]
    categories, largest, left_out = _largest_categories(performance)

    # Systems, over all items and in each category.
    if len(performance.systems_) > 1:
        of_all = [MetricComparison.of_systems(performance, each) for each in questions]
        of_categories = [
            MetricComparison.of_systems(performance, question, name) for name in categories
        ]
        changes = [
            MetricComparison.of_categories(
                performance, question, categories, reference, f"of {system} by category", system
            )
            for system in performance.systems_[: MAX_SYSTEMS * (reference is not None)]
        ]
        return (*of_all, *of_categories, *changes), left_out

    # Categories of one system.
    if not categories:
        return (), left_out
    if not performance.model_.predicts_classes:
        questions.append(MetricArguments("prevalence"))
    baseline = largest if reference is None else reference
    comparisons = [
        MetricComparison.of_categories(performance, each, categories, baseline)
        for each in questions
    ]
    return tuple(comparisons), left_out


def _largest_categories(
    performance: PerformanceCurveEstimator,
) -> tuple[list, Any, tuple[str, ...]]:
    """Return the largest categories, the reference category, and remarks on omissions.

    The reference is the first of ordered categories, else the largest.
    """
    if performance.categories_ is None:
        return [], None, ()

    names = performance.categories_.tolist()
    partition = performance.model_.table.category
    sizes = np.bincount(partition.codes, minlength=len(names))
    largest = np.argsort(-sizes, kind="stable")[:MAX_CATEGORIES]
    listed = np.sort(largest)
    first = listed[0] if partition.is_ordered else largest[0]

    remarks: tuple[str, ...] = ()
    if len(listed) < len(names):
        remarks = (
            f"Of {len(names)} categories those {len(listed)} with the most items are shown.",
        )
    return [names[k] for k in listed], names[first], remarks
