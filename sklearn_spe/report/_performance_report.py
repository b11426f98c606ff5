"""PerformanceReport: all that a fitted performance estimator says, as one value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..inputs._alignment import check_aligned_with
from ..multiclass._classes_model import ClassesModel
from ..performance._performance import PerformanceCurveEstimator
from ..performance._performance_parameters import check_decision
from ..performance._several import estimate_of, side_by_side
from ..results._estimate_table import EstimateTable
from ..results._verdict import Verdict
from ._label_worth import LabelWorth
from ._named_rows import NamedRow, RowNames, next_rows, surprising_rows
from ._provenance import computed_how
from ._ranking_report import CLASSES_CURVES, RankingReport, decision_of
from ._sides_compared import SidesCompared

__all__ = ["MOST_SYSTEMS", "PerformanceReport", "views_of"]

TITLE = "How good is it, and how sure is that?"
# So many curves are told apart in one picture, and so many rows are read.
MOST_SYSTEMS = 6
MOST_CATEGORIES = 30
OF_CATEGORIES = ("average_precision", "prevalence")
# Of systems, beside the ranking, where all decide at one threshold.
OF_DECISIONS = ("precision", "recall", "specificity")


@dataclass(frozen=True, eq=False)
class PerformanceReport:
    """All that a fitted `PerformanceCurveEstimator` says, computed once.

    It holds values and no page: `PerformanceCurveEstimator.to_html` makes one of it.

    Attributes
    ----------
    title : str
    counts : str
        What is labelled, in words.
    classes : (str, str) or None
        The names of the negative and of the positive class; None if there are more than two.
    verdict : Verdict
    numbers : EstimateTable
        The main numbers, and those at a threshold.
    threshold : float or None
        Where these are taken; None if neither the user nor the scores say it.
    rankings : tuple of RankingReport
        Of each system, of six at most.
    comparisons : tuple of SidesCompared
        Systems side by side, or categories.
    tables : dict of str to EstimateTable
        Further numbers by title: of each class.
    worth : tuple of LabelWorth
        What more labels would buy, of each system that is shown.
    next_rows : tuple of NamedRow
        Those to label next; of several systems those that serve each best, in turn.
    surprising_rows : tuple of NamedRow
        Those whose labels the others do not expect.
    n_surprising : int
        How many there are of these.
    unit : str
        What rows are called by.
    facts : tuple of (str, str)
        How all of it was computed.
    remarks : tuple of str
        What was left out, and why.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> from sklearn_spe.report import PerformanceReport
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
    comparisons: tuple[SidesCompared, ...]
    tables: dict[str, EstimateTable]
    worth: tuple[LabelWorth, ...]
    next_rows: tuple[NamedRow, ...]
    surprising_rows: tuple[NamedRow, ...]
    n_surprising: int
    unit: str
    facts: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]

    @classmethod
    def of(
        cls, performance, *, threshold=None, items=None, title=None, reference=None
    ) -> PerformanceReport:
        """Ask a fitted estimator for all of it.

        Parameters
        ----------
        performance : PerformanceCurveEstimator
        threshold, items, title
            As `PerformanceCurveEstimator.to_html` takes them; `items` may be `RowNames`.
        reference : object, default=None
            The category with which others are compared; None takes the first of categories that
            are in an order, else that with the most items.

        Returns
        -------
        report : PerformanceReport

        Raises
        ------
        ValueError
            If `items` has another length, or there is no such category.
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
        worth: tuple[LabelWorth, ...] = ()
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
            plans = (LabelWorth.of(view, name) for name, view in shown.items())
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
            surprising_rows(performance, names),
            len(performance.surprising_items_),
            names.unit,
            computed_how(performance, _version(), summary.model),
            (*remarks, *left_out),
        )


def _check(performance, title) -> None:
    if not isinstance(performance, PerformanceCurveEstimator):
        raise TypeError(
            f"A report is one of a fitted PerformanceCurveEstimator, got {performance!r}."
        )
    check_is_fitted(performance, "posterior_")
    if not (title is None or isinstance(title, str)):
        raise TypeError(f"title must be a string or None, got {title!r}.")


def _names_of_classes(performance) -> tuple[str, str]:
    labels = performance.model_.labels.with_positive(performance.pos_label_)
    negative, positive = labels.names()
    return str(negative), str(positive)


def _of_each_class(metric: str, system: str | None) -> str:
    return f"{metric} of each class{'' if system is None else f' by {system}'}"


def _version() -> str:
    from .. import __version__

    return __version__


def _number_of_rows(performance) -> int:
    """Return how many rows X has."""
    model = performance.model_
    if isinstance(model, ClassesModel):
        return len(model.codes)
    view = next(iter(views_of(performance).values()))
    return len(view.subject_.rows(view.shown_.asked).scores)


def views_of(performance) -> dict[Any, Any]:
    """Return what answers for each system, by its name; None is that of the only ranking."""
    if performance.posterior_ is not None and performance.orientation_ is not None:
        return {None: performance}
    systems = performance.systems_
    if len(systems) < 2:
        return {None: performance.of(system=systems[0] if systems else None)}
    return {str(name): performance.of(system=name) for name in systems}


def _one_decision(views, threshold) -> float | None:
    """Return where decisions are taken, if all systems take them there."""
    found = {decision_of(view, threshold) for view in views.values()}
    return found.pop() if len(found) == 1 else None


def _with_accuracy(summary: EstimateTable, views, threshold) -> EstimateTable:
    """Return the main numbers, and the accuracy of a decision."""
    if threshold is None:
        return summary
    names, found = list(summary.names), list(summary.estimates)
    for name, view in views.items():
        of_which = "" if name is None else f" of {name}"
        names.append(f"accuracy{of_which} at score {threshold:g}")
        found.append(view.estimate("accuracy", threshold=threshold))
    return replace(summary, names=tuple(names), estimates=tuple(found))


def _of_classes(view, name) -> RankingReport:
    return RankingReport(name, {curve: view.curve(curve) for curve in CLASSES_CURVES})


def _shown(views) -> tuple[dict, tuple[str, ...]]:
    """Return the systems of which there are pictures, and what is left out."""
    if len(views) <= MOST_SYSTEMS:
        return views, ()
    kept = dict(list(views.items())[:MOST_SYSTEMS])
    remark = f"Curves and thresholds are those of the first {MOST_SYSTEMS} of {len(views)} systems."
    return kept, (remark,)


def _comparisons(performance, of_classes: bool, reference, decided: float | None):
    """Return systems, else categories, side by side, and what is left out."""
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


def _systems_compared(performance, metric, where) -> SidesCompared:
    systems = performance.systems_
    estimates = [estimate_of(performance, metric, where | {"system": name}) for name in systems]
    table = EstimateTable(tuple(map(str, systems)), tuple(estimates))
    compared = SidesCompared.of_systems(metric, table, side_by_side(performance, metric, where))
    if "category" not in where:
        return compared
    title = f"{compared.title} where the category is {where['category']}"
    return SidesCompared(title, table, compared.sides, compared.place, compared.ahead)


def _categories_compared(performance, metric, categories, reference) -> SidesCompared:
    sides = side_by_side(performance, metric, {}, names=categories, greater_is_better=True)
    found = tuple(estimate_of(performance, metric, {"category": name}) for name in categories)
    table = EstimateTable(tuple(map(str, categories)), found)
    return SidesCompared.of_categories(metric, table, sides, "by category", reference)


def _largest_categories(performance):
    """Return the categories with the most items, the one to compare with, and what is left out.

    That is the first of categories that are in an order, else the largest.
    """
    if performance.categories_ is None or performance.shown_.asked.category is not None:
        return [], None, ()
    names, partition = performance.categories_.tolist(), performance.model_.table.category
    sizes = np.bincount(partition.codes, minlength=len(names))
    largest = np.argsort(-sizes, kind="stable")[:MOST_CATEGORIES]
    kept = np.sort(largest)
    first = kept[0] if partition.is_ordered else largest[0]
    remarks = ()
    if len(kept) < len(names):
        remarks = (f"Of {len(names)} categories those {len(kept)} with the most items are shown.",)
    return [names[k] for k in kept], names[first], remarks
