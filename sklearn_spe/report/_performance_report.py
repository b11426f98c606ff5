"""The contents of a report, as a value without HTML."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..active._query import rows_to_label
from ..estimators._performance import PerformanceCurveEstimator
from ..estimators._performance_fit import check_decision
from ..estimators._side_by_side import estimate_of, side_by_side
from ..inputs._arrays import FrozenArrays
from ..inputs._validation import as_plain, check_aligned_with
from ..models._class_model import ClassesModel
from ..results._tables import EstimateTable
from ..results._verdict import Verdict
from ._ranking_report import CLASSES_CURVES, MetricComparison, RankingReport, decision_of

N_LABELS = (0, 10, 50, 200)
STRATEGIES = {"tail": "of the highest scores", "random": "at random"}


@dataclass(frozen=True, eq=False)
class LabelValue(FrozenArrays):
    """Expected width of the interval of a metric after more labels, without guarantee."""

    metric: str  # of the ranking of `system`, if there are several
    system: str | None
    n_labels: np.ndarray  # (n_plans,), of int; numbers of further labels, from 0
    widths: dict[str, np.ndarray]  # from the sampling strategy, in words, to (n_plans,)

    @classmethod
    def of(cls, performance: Any, system: str | None = None) -> LabelValue | None:
        """Return the widths for average precision; None if all items are labeled."""
        left = performance.posterior_.sample.unlabeled.sum()
        n_labels = np.array([n for n in N_LABELS if n <= left])
        if len(n_labels) < 2:
            return None
        widths = {
            words: performance.plan(n_labels, strategy=strategy)
            for strategy, words in STRATEGIES.items()
        }
        return cls("average_precision", system, n_labels, widths)


N_NEXT = 10
MAX_SUSPECT = 25
# The score axis used to rank items with several columns.
CONSENSUS = "consensus of all"


@dataclass(frozen=True)
class NamedRow:
    """One row."""

    name: str  # name of the row
    score: float  # on the user's scale
    probability: float  # P(y = 1); for a suspect label, given the other labels
    label: object = None  # None if unlabeled
    of: str | None = None  # whose score it is, if there are several systems or judges


@dataclass(frozen=True, eq=False)
class RowNames:
    """The names of the rows of X."""

    unit: str = "row"  # what a name is: "row", "line", or a column name
    names: Any = None  # one for each row; None for their numbers

    @classmethod
    def of(cls, items: Any, n_rows: int) -> RowNames:
        """Return names given by the user; raise unless there is one for each row."""
        if items is None or isinstance(items, RowNames):
            return items or cls()
        names = as_plain(items, "items")
        if names.ndim != 1 or len(names) != n_rows:
            raise ValueError(
                f"items must hold a name for each of the {n_rows} rows of X, got an array of shape "
                f"{names.shape}."
            )
        return cls("item", names)

    def __getitem__(self, row: int) -> str:
        return str(row if self.names is None else self.names[row])


def next_rows(views: Mapping[str | None, Any], names: RowNames) -> tuple[NamedRow, ...]:
    """Return the rows whose labels are most informative about average precision.

    With several systems, the best rows of each are taken in turn, as a label serves all systems.
    """
    found = {name: _next_of(view) for name, view in views.items()}
    kept: dict[int, NamedRow] = {}
    for place in range(N_NEXT):
        for name, rows in found.items():
            if place < len(rows) and len(kept) < N_NEXT:
                row, score, probability, is_one = rows[place]
                item = names[row] if is_one else "one of several"
                kept.setdefault(row, NamedRow(item, score, probability, of=name))
    return tuple(kept.values())


def _next_of(performance: Any) -> list[tuple[int, float, float, bool]]:
    """Return rows, their scores, probabilities, and whether each represents one item."""
    asked = performance.subject_.rows(performance.shown_.asked)
    rows = rows_to_label(performance, N_NEXT)
    # A row may represent several items, any of which may be labeled.
    is_one = performance.posterior_.sample.counts.sum() == np.count_nonzero(asked.asked)
    scores = asked.scores[rows]
    probabilities = performance.posterior_.expected_probability(scores)
    flipped = performance.score_direction_.flip(scores)
    columns = zip(rows.tolist(), flipped.tolist(), probabilities.tolist(), strict=True)
    return [(*cells, bool(is_one)) for cells in columns]


def suspect_rows(performance: Any, names: RowNames) -> tuple[NamedRow, ...]:
    """Return the first rows with suspect labels."""
    found = performance.suspect_labels_
    several = len(performance.systems_) + len(performance.judges_) > 1
    of = CONSENSUS if several else None
    columns = (part[:MAX_SUSPECT].tolist() for part in (found.item, found.score))
    cells = (part[:MAX_SUSPECT].tolist() for part in (found.probability, found.label))
    return tuple(
        NamedRow(names[item], score, probability, label, of)
        for item, score, probability, label in zip(*columns, *cells, strict=True)
    )


CITATION = (
    "P. Welinder, M. Welling and P. Perona. A Lazy Man's Approach to Benchmarking: Semisupervised "
    "Classifier Evaluation and Recalibration. IEEE Conference on Computer Vision and Pattern "
    "Recognition (CVPR), 2013."
)
TARGETS = {
    "sample": "the performance on these items: known labels are kept, unknown ones are drawn",
    "population": "the performance on further items from the same distribution",
}
PACKAGES = ("sklearn", "numpy", "scipy")


def computed_how(
    performance: Any, version: str, model: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Return facts by name; `model` describes the model in words."""
    versions = {"sklearn-spe": version}
    versions |= {name: sys.modules[name].__version__ for name in PACKAGES}
    versions["Python"] = platform.python_version()
    weight = performance.model_weight_
    facts = {
        "Target": TARGETS[performance.target],
        "Classes": ", ".join(map(str, performance.classes_)),
        "Positive class": None if performance.pos_label_ is None else str(performance.pos_label_),
        "Model": " ".join(model) or None,
        "Probability of the model": f"{weight:.2f} (prior probability 0.99)",
        "Random seed": str(performance.seed_),
        "Versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
    }
    return tuple((name, said) for name, said in facts.items() if said is not None)


TITLE = "Performance report"
# Maximum number of curves in one picture, and of listed rows.
MAX_SYSTEMS = 6
MAX_CATEGORIES = 30
OF_CATEGORIES = ("average_precision", "prevalence")
# Metrics of systems, besides the ranking, if all decide at one threshold.
OF_DECISIONS = ("precision", "recall", "specificity")


@dataclass(frozen=True, eq=False)
class PerformanceReport:
    """All results of a fitted `PerformanceCurveEstimator`, computed once.

    It contains values only: `PerformanceCurveEstimator.to_html` makes a page of it.

    Attributes
    ----------
    title : str
    counts : str
        The numbers of labels, in words.
    classes : (str, str) or None
        The names of the negative and of the positive class; None if there are more than two.
    verdict : Verdict
    numbers : EstimateTable
        The main numbers, and those at a threshold.
    threshold : float or None
        The decision threshold; None if it is neither given nor implied by the scores.
    rankings : tuple of RankingReport
        One for each system, at most six.
    comparisons : tuple of MetricComparison
        Systems side by side, or categories.
    tables : dict of str to EstimateTable
        Further numbers by title: of each class.
    worth : tuple of LabelValue
        The expected gain of more labels, for each system shown.
    next_rows : tuple of NamedRow
        Rows to label next; with several systems the best ones of each, in turn.
    suspect_rows : tuple of NamedRow
        Rows with suspect labels.
    n_suspect : int
        Number of suspect labels.
    unit : str
        The unit of row names.
    facts : tuple of (str, str)
        How the results were computed.
    remarks : tuple of str
        Omitted parts, with the reason.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator, PerformanceReport
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(500, random_state=0)
    >>> y = np.where(np.arange(500) < 20, labels, -1)
    >>> performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
    >>> report = PerformanceReport.of(performance, threshold=1.0)
    >>> report.numbers.names[0]
    'average precision'
    >>> len(report.next_rows)
    10
    """

    title: str
    counts: str
    classes: tuple[str, str] | None
    verdict: Verdict
    numbers: EstimateTable
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

    @classmethod
    def of(
        cls,
        performance: PerformanceCurveEstimator,
        *,
        threshold: Any = None,
        items: Any = None,
        title: Any = None,
        reference: Any = None,
    ) -> PerformanceReport:
        """Compute all results of a fitted estimator.

        Parameters
        ----------
        performance : PerformanceCurveEstimator
        threshold, items, title
            As `PerformanceCurveEstimator.to_html` takes them; `items` may be `RowNames`.
        reference : object, default=None
            The category with which others are compared; None means the first of ordered categories,
            else the one with the most items.

        Returns
        -------
        report : PerformanceReport

        Raises
        ------
        ValueError
            If `items` has another length, or the category does not exist.
        """
        _check(performance, title)
        threshold = check_decision(threshold)
        check_aligned_with(getattr(performance, "_index", None), "X", items=items)
        names = RowNames.of(items, _number_of_rows(performance))
        several = isinstance(performance.model_, ClassesModel)
        views = views_of(performance)
        decided = None if several else _one_decision(views, threshold)
        summary = performance.summary(threshold=threshold if several else decided)
        shown, remarks = _shown(views)
        rows: tuple[NamedRow, ...] = ()
        worth: tuple[LabelValue, ...] = ()
        tables = {}
        if several:
            rankings = tuple(_of_classes(view, name) for name, view in shown.items())
            tables = {
                _of_each_class(metric, name): view.by_class(metric)
                for name, view in shown.items()
                for metric in ("precision", "recall")
            }
        else:
            rankings = tuple(
                RankingReport.of(view, name, decision_of(view, threshold))
                for name, view in shown.items()
            )
            rows = next_rows(shown, names)
            plans = (LabelValue.of(view, name) for name, view in shown.items())
            worth = tuple(plan for plan in plans if plan is not None)
        comparisons, left_out = _comparisons(performance, several, reference, decided)
        return cls(
            TITLE if title is None else title,
            summary.remarks[1],
            None if several else _names_of_classes(performance),
            performance.verdict_,
            summary if several else _with_accuracy(summary, views, decided),
            decided,
            rankings,
            comparisons,
            tables,
            worth,
            rows,
            suspect_rows(performance, names),
            len(performance.suspect_labels_),
            names.unit,
            computed_how(performance, _version(), summary.model),
            (*remarks, *left_out),
        )


def _check(performance: Any, title: Any) -> None:
    if not isinstance(performance, PerformanceCurveEstimator):
        raise TypeError(
            f"performance must be a fitted PerformanceCurveEstimator, got {performance!r}."
        )
    check_is_fitted(performance, "posterior_")
    if not (title is None or isinstance(title, str)):
        raise TypeError(f"title must be a string or None, got {title!r}.")


def _names_of_classes(performance: Any) -> tuple[str, str]:
    labels = performance.model_.labels.with_positive(performance.pos_label_)
    negative, positive = labels.names()
    return str(negative), str(positive)


def _of_each_class(metric: str, system: str | None) -> str:
    return f"{metric} of each class{'' if system is None else f' by {system}'}"


def _version() -> str:
    from .._version import __version__

    return __version__


def _number_of_rows(performance: Any) -> int:
    """Return the number of rows of X."""
    model = performance.model_
    if isinstance(model, ClassesModel):
        return len(model.codes)
    view = next(iter(views_of(performance).values()))
    return len(view.subject_.rows(view.shown_.asked).scores)


def views_of(performance: Any) -> dict[Any, Any]:
    """Return the view of each system, by its name; None for a single ranking."""
    if performance.posterior_ is not None and performance.score_direction_ is not None:
        return {None: performance}
    systems = performance.systems_
    if len(systems) < 2:
        return {None: performance.of(system=systems[0] if systems else None)}
    return {str(name): performance.of(system=name) for name in systems}


def _one_decision(views: Any, threshold: Any) -> float | None:
    """Return the decision threshold, if it is common to all systems."""
    found = {decision_of(view, threshold) for view in views.values()}
    return found.pop() if len(found) == 1 else None


def _with_accuracy(summary: EstimateTable, views: Any, threshold: Any) -> EstimateTable:
    """Return the main numbers, and the accuracy of a decision."""
    if threshold is None:
        return summary
    names, found = list(summary.names), list(summary.estimates)
    for name, view in views.items():
        of_which = "" if name is None else f" of {name}"
        names.append(f"accuracy{of_which} at score {threshold:g}")
        found.append(view.estimate("accuracy", threshold=threshold))
    return replace(summary, names=tuple(names), estimates=tuple(found))


def _of_classes(view: Any, name: Any) -> RankingReport:
    return RankingReport(name, {curve: view.curve(curve) for curve in CLASSES_CURVES})


def _shown(views: Any) -> tuple[dict, tuple[str, ...]]:
    """Return the systems to draw, and remarks on those omitted."""
    if len(views) <= MAX_SYSTEMS:
        return views, ()
    kept = dict(list(views.items())[:MAX_SYSTEMS])
    remark = f"Curves and thresholds are those of the first {MAX_SYSTEMS} of {len(views)} systems."
    return kept, (remark,)


def _comparisons(
    performance: Any, of_classes: bool, reference: Any, decided: float | None
) -> tuple:
    """Return comparisons of systems, else of categories, and remarks on omissions."""
    metric = "accuracy" if of_classes else "average_precision"
    found, systems = [], performance.systems_
    categories, largest, left_out = _largest_categories(performance)
    if len(systems) > 1 and performance.shown_.asked.system is None:
        found.append(_systems_compared(performance, metric, {}))
        if decided is not None:
            at = {"threshold": decided}
            found += [_systems_compared(performance, name, at) for name in OF_DECISIONS]
        found += [_systems_compared(performance, metric, {"category": c}) for c in categories]
    elif categories:
        reference = largest if reference is None else reference
        for name in (metric,) if of_classes else OF_CATEGORIES:
            found.append(_categories_compared(performance, name, categories, reference))
    return tuple(found), left_out


def _systems_compared(performance: Any, metric: Any, where: Any) -> MetricComparison:
    systems = performance.systems_
    estimates = [estimate_of(performance, metric, where | {"system": name}) for name in systems]
    table = EstimateTable(tuple(map(str, systems)), tuple(estimates))
    compared = MetricComparison.of_systems(metric, table, side_by_side(performance, metric, where))
    if "category" not in where:
        return compared
    title = f"{compared.title} where the category is {where['category']}"
    return MetricComparison(title, table, compared.comparison, compared.baseline, compared.ahead)


def _categories_compared(
    performance: Any, metric: Any, categories: Any, reference: Any
) -> MetricComparison:
    comparison = side_by_side(performance, metric, {}, names=categories, greater_is_better=True)
    found = tuple(estimate_of(performance, metric, {"category": name}) for name in categories)
    table = EstimateTable(tuple(map(str, categories)), found)
    return MetricComparison.of_categories(metric, table, comparison, "by category", reference)


def _largest_categories(performance: Any) -> tuple:
    """Return the largest categories, the reference category, and remarks on omissions.

    The reference is the first of ordered categories, else the largest.
    """
    if performance.categories_ is None or performance.shown_.asked.category is not None:
        return [], None, ()
    names, partition = performance.categories_.tolist(), performance.model_.table.category
    sizes = np.bincount(partition.codes, minlength=len(names))
    largest = np.argsort(-sizes, kind="stable")[:MAX_CATEGORIES]
    kept = np.sort(largest)
    first = kept[0] if partition.is_ordered else largest[0]
    remarks: tuple[str, ...] = ()
    if len(kept) < len(names):
        remarks = (f"Of {len(names)} categories those {len(kept)} with the most items are shown.",)
    return [names[k] for k in kept], names[first], remarks
