"""The curves of a report as charts, with the points of its decisions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...results._showing import Markup
from ._charts import CurveChart, CurvePoint
from ._ranking_report import RankingReport
from ._report_contents import ReportContents

CHARTS = {
    "precision_recall": CurveChart(
        "Precision and recall", "level", "Precision against recall; the dashed line is chance."
    ),
    "roc": CurveChart(
        "ROC", "diagonal", "True against false positive rate; the dashed line is chance."
    ),
    "reliability": CurveChart(
        "Reliability",
        "diagonal",
        "The share of positives against the predicted probability; the dashed line is perfect "
        "calibration.",
    ),
    "probability": CurveChart(
        "Probability by score", None, "The probability that an item with a given score is positive."
    ),
    "accuracy_coverage": CurveChart(
        "Accuracy and coverage", None, "The accuracy of the most confident items."
    ),
}
# The curve on which precision and recall of a decision are a point.
OF_DECISIONS = "precision_recall"


def curve_charts(
    rankings: Iterable[RankingReport], prevalence: float | None, *, plain: bool = False
) -> list[Markup]:
    """Return a chart of each kind of curve, with those of all rankings."""
    rankings = tuple(rankings)
    return [_chart(name, rankings, prevalence, plain=plain) for name in _names(rankings)]


def curve_figure(report: ReportContents) -> Markup:
    """Return the first kind of curve, with the points of the decisions."""
    name = _names(report.rankings)[0]
    return _chart(name, report.rankings, _prevalence(report), points=True)


def other_curves(report: ReportContents) -> list[Markup]:
    """Return the charts of the other kinds of curves."""
    prevalence = _prevalence(report)
    return [_chart(name, report.rankings, prevalence) for name in _names(report.rankings)[1:]]


def _names(rankings: tuple[RankingReport, ...]) -> list[str]:
    """Return the kinds of curves, each once."""
    return list(dict.fromkeys(name for ranking in rankings for name in ranking.curves))


def _chart(
    name: str,
    rankings: tuple[RankingReport, ...],
    prevalence: float | None,
    *,
    plain: bool = False,
    points: bool = False,
) -> Markup:
    bands = {r.name: r.curves[name] for r in rankings if name in r.curves}
    of_decisions = None
    if points and name == OF_DECISIONS:
        pairs = ((ranking.name, _point(ranking)) for ranking in rankings)
        of_decisions = {key: point for key, point in pairs if point is not None}
    return CHARTS[name].draw(name, bands, prevalence, plain=plain, points=of_decisions)


def _point(ranking: RankingReport) -> CurvePoint | None:
    """Return recall and precision of the decision; None if they are not known."""
    decision = ranking.decision
    if decision is None or not decision.n_flagged:
        return None
    if not (decision.precision.is_known and decision.recall.is_known):
        return None
    x, y = (
        (estimate.value, *estimate.interval()) for estimate in (decision.recall, decision.precision)
    )
    return CurvePoint(x, y) if np.isfinite([*x, *y]).all() else None


def _prevalence(report: ReportContents) -> float | None:
    """Return the level of chance; None if it is not known."""
    if "prevalence" not in report.numbers.names:
        return None
    prevalence = report.numbers["prevalence"]
    return prevalence.value if prevalence.is_known else None
