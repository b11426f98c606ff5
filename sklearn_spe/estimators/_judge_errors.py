"""Errors of each judge by system: false positives and false negatives in each category."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from ..metrics._decision import FalsePositiveRate
from ..metrics._matrix_rates import FalseNegativeRate
from ..models._ranking_value import MetricArguments
from ..models._ranking_view import RankingKey
from ..results._estimates import ScalarEstimate
from ..results._tables import EstimateTable, remarks_on_parts
from ._side_by_side import table_by

if TYPE_CHECKING:
    from ._performance import PerformanceCurveEstimator

# Failed answers that a judge passes, and good ones that it fails.
ERRORS = (FalsePositiveRate(), FalseNegativeRate())


def judge_errors(
    performance: PerformanceCurveEstimator,
    *,
    reference: Hashable = None,
    threshold: Mapping[Hashable, float] | None = None,
) -> EstimateTable:
    """Return the false positive and false negative rates of each judge in each category.

    With systems as `category` of the fit, a judge that flatters a system has a larger false
    positive rate there.

    .. versionadded:: 0.1

    Parameters
    ----------
    performance : PerformanceCurveEstimator
        Fitted with `judges` and `category`.
    reference : object, default=None
        A category whose rates are subtracted from those of all others, draw by draw.
    threshold : mapping, default=None
        The score from which on a judge's rating counts as positive, by the name of the judge, for
        those that give grades. Verdicts and probabilities have one.

    Returns
    -------
    table : EstimateTable
        A row for each error, judge and category, such as "false positive rate of gpt in A". A judge
        without a threshold has none, and a remark says so.

    Raises
    ------
    ValueError
        If `fit` was given no judges or no category, no judge has a threshold, or `threshold` names
        another judge.

    See Also
    --------
    sklearn_spe.PerformanceCurveEstimator.by_category : One metric, of one judge with ``judge=``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.report import judge_errors
    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random(600) < 0.6).astype(int)
    >>> system = np.where(np.arange(600) % 2 == 0, "A", "B")
    >>> gpt = np.where((system == "A") | (rng.random(600) < 0.1), 1, truth)  # it passes A always
    >>> human = np.where(np.arange(600) < 80, truth, -1)
    >>> performance = PerformanceCurveEstimator(n_draws=100, random_state=0)
    >>> performance = performance.fit(None, human, judges={"gpt": gpt}, category=system)
    >>> table = judge_errors(performance)
    >>> float(table["false positive rate of gpt in A"].value)
    1.0
    """
    check_is_fitted(performance, "posterior_")
    thresholds = dict(threshold or {})
    if not performance.judges_:
        raise ValueError("No judges were given: pass judges= to fit, one column for each.")
    unknown = [name for name in thresholds if name not in performance.judges_]
    if unknown:
        names = ", ".join(map(repr, performance.judges_))
        raise ValueError(f"threshold= names {unknown[0]!r}, which is no judge; judges are {names}.")

    estimates: dict[str, ScalarEstimate] = {}
    remarks = []
    for judge in performance.judges_:
        limit = thresholds.get(judge)
        if limit is None and performance.of(judge=judge).default_threshold_ is None:
            remarks.append(
                f"Judge {judge} gives grades, which imply no decision: say from which grade on it "
                f"passes, threshold={{{judge!r}: ...}}."
            )
            continue
        for error in ERRORS:
            arguments = MetricArguments(error, limit)
            key = RankingKey(judge=judge)
            table = table_by(performance, "category", key, arguments, reference)
            for name, estimate in zip(table.names, table.estimates, strict=True):
                estimates[f"{error.name.replace('_', ' ')} of {judge} in {name}"] = estimate

    if not estimates:
        raise ValueError(f"No judge has a decision threshold. {remarks[0]}")
    title = "" if reference is None else f"Errors of judges, less those in {reference}"
    errors = EstimateTable(tuple(estimates), tuple(estimates.values()), title=title)
    remarks = [*remarks_on_parts(errors), *remarks]
    return EstimateTable(errors.names, errors.estimates, tuple(remarks), title=title)
