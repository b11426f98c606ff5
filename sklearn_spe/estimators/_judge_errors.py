"""Errors of each judge: false positives and false negatives in each category, or over all items."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from sklearn.utils.validation import check_is_fitted

from ..exceptions import ParameterTypeError
from ..inputs._validation import check_number
from ..metrics._decision import FalsePositiveRate
from ..metrics._matrix_rates import FalseNegativeRate
from ..models._ranking_value import MetricArguments
from ..models._ranking_view import RankingKey
from ..results._estimates import ScalarEstimate
from ..results._tables import EstimateTable, remarks_on_parts
from ._side_by_side import FittedPerformance, estimate_of, table_by

# Failed answers that a judge passes, and good ones that it fails.
ERRORS = (FalsePositiveRate(), FalseNegativeRate())


def errors_of_judges(
    performance: FittedPerformance,
    reference: Hashable,
    threshold: Mapping[Hashable, float] | None,
) -> EstimateTable:
    """Return the error rates of each judge in each category, or less those in a reference.

    Arguments are as in `PerformanceCurveEstimator.judge_errors`.
    """
    check_is_fitted(performance, "posterior_")
    if threshold is not None and not isinstance(threshold, Mapping):
        raise ParameterTypeError.of(
            "threshold",
            f"must map names of judges to thresholds, such as {{'rubric': 3}}; got {threshold!r}.",
        )
    thresholds = {
        name: check_number(value, "threshold", "(-inf, inf)")
        for name, value in dict(threshold or {}).items()
    }
    if not performance.judges_:
        raise ValueError("No judges were given: pass judges= to fit, one column for each.")
    unknown = [name for name in thresholds if name not in performance.judges_]
    if unknown:
        names = ", ".join(map(repr, performance.judges_))
        raise ValueError(f"threshold= names {unknown[0]!r}, not a judge; judges are {names}.")

    estimates: dict[str, ScalarEstimate] = {}
    remarks = []
    for judge in performance.judges_:
        limit = thresholds.get(judge)
        if (
            limit is None
            and performance.model_.shown(RankingKey(judge=judge)).default_threshold is None
        ):
            remarks.append(
                f"Judge {judge} gives grades, which have no usual threshold: pass the smallest "
                f"passing grade as threshold={{{judge!r}: ...}}."
            )
            continue
        for error in ERRORS:
            arguments = MetricArguments(error, limit)
            key = RankingKey(judge=judge)
            name_of_error = f"{error.name.replace('_', ' ')} of {judge}"
            if performance.categories_ is None and reference is None:
                estimates[name_of_error] = estimate_of(performance, key, arguments)
                continue
            table = table_by(performance, "category", key, arguments, reference)
            for name, estimate in zip(table.names, table.estimates, strict=True):
                estimates[f"{name_of_error} in {name}"] = estimate

    if not estimates:
        raise ValueError(f"No judge has a decision threshold. {remarks[0]}")
    title = "" if reference is None else f"Errors of judges, less those in {reference}"
    errors = EstimateTable(tuple(estimates), tuple(estimates.values()), title=title)
    remarks = [*remarks_on_parts(errors), *remarks]
    return EstimateTable(errors.names, errors.estimates, tuple(remarks), title=title)
