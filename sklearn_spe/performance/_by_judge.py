"""Quality of the raters of a fit, individually and jointly."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..items._judge_agreement import effective_number
from ..results._bands import ScalarEstimate
from ..results._distributions import WeightedDraws
from ..results._estimate_table import EstimateTable
from ._several import check_not_said, estimate_of

__all__ = ["number_of_judges", "table_by_judge"]


def table_by_judge(performance, metric, where) -> EstimateTable:
    """Return the estimates of all raters."""
    check_is_fitted(performance, "posterior_")
    if not performance.judges_:
        raise ValueError("No judges were given: pass judges= to fit, one column for each.")
    check_not_said("system", where)
    names, category = performance.judges_, where.pop("category", None)
    found = []
    for name in names:
        try:
            asked = {"judge": name, "category": category}
            found.append(estimate_of(performance, metric, where | asked))
        except ValueError as error:
            raise ValueError(f"Judge {name!r}: {error}") from error
    return EstimateTable(tuple(map(str, names)), tuple(found))


def number_of_judges(performance) -> ScalarEstimate:
    """Return the effective number of independent raters."""
    check_is_fitted(performance, "posterior_")
    if len(performance.judges_) < 2:
        raise ValueError(
            "The effective number requires two judges or more; fit was given "
            f"{len(performance.judges_)}."
        )
    model = performance.model_
    said = model.table.telling_judges
    if said.shape[1] < 2:
        raise ValueError(
            f"{said.shape[1]} of {len(performance.judges_)} judges is not constant, and the "
            "effective number requires two or more such judges."
        )
    draws = effective_number(model.posterior, said)
    missing = np.isnan(draws)
    return ScalarEstimate(
        "effective number of judges",
        WeightedDraws(draws[:, np.newaxis], np.full(len(draws), 1.0 / len(draws))),
        performance.confidence_level,
        undefined=float(missing.mean()),
    )
