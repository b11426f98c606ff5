"""Independent fits of many models or segments, in one table."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from .. import exceptions
from ..histogram._labeled_rows import LabeledHistogram
from ..inputs._validation import as_tuple, check_count, check_jobs, is_number
from ..inputs._workers import stream_in_parallel
from ..models._ranking_value import MetricArguments
from ..models._ranking_view import RankingKey
from ._performance import PerformanceCurveEstimator
from ._side_by_side import split_arguments

if TYPE_CHECKING:
    import pandas as pd

# What may stand beside a metric: what `estimate` takes, and `of` to choose a ranking.
ARGUMENTS = (
    *("threshold", "recall", "precision", "selection", "predicted", "target", "zero_division"),
    *("readers", "pos_label", "average", "sample_columns", "system", "category"),
)
# Warnings of a fit are in its verdict.
WARNINGS = tuple(
    kind
    for kind in map(exceptions.__dict__.get, exceptions.__all__)
    if isinstance(kind, type) and issubclass(kind, Warning)
)


def estimate_each(
    parts: Mapping[Any, Any] | Iterable[tuple[Any, Any]],
    metrics: Sequence[Any] = ("average_precision", "roc_auc", "prevalence"),
    *,
    estimator: PerformanceCurveEstimator | None = None,
    error_score: str | float = "raise",
    n_jobs: int | None = None,
    verbose: int = 0,
) -> pd.DataFrame:
    """Fit many models or segments independently; return all estimates in one table.

    The fits share no information. To share information between subgroups, use ``fit(X, y,
    category=...)`` or a mapping of histograms.

    .. versionadded:: 0.1

    Parameters
    ----------
    parts : mapping or iterable of pairs
        Maps each name to ``(X, y)`` or to ``histogram.with_labels(scores, y)``. A generator of
        pairs is consumed lazily.
    metrics : sequence, default=("average_precision", "roc_auc", "prevalence")
        As in :meth:`PerformanceCurveEstimator.estimate`. To pass further arguments, use pairs such
        as ``("precision", {"threshold": 0.9})`` or ``("roc_auc", {"system": "new"})``.
    estimator : PerformanceCurveEstimator, default=None
        Each fit uses the parameters of this estimator, including `random_state`.
    error_score : "raise" or numeric, default="raise"
        Value of the estimates if a fit fails; the column "verdict" then holds the error. "raise"
        raises the error.
    n_jobs : int, default=None
        Number of parallel fits.
    verbose : int, default=0
        If positive, show the number of finished fits on one line.

    Returns
    -------
    frame : DataFrame
        One row for each part and metric, in order: "name", "metric" (with its arguments), "value",
        "lower" and "upper" at the estimator's `confidence_level`, and "verdict". Warnings of a fit
        appear in its verdict only.

    Raises
    ------
    ValueError
        If a fit fails (the message names the part), or a metric or part is invalid.

    Examples
    --------
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> from sklearn_spe.estimators import estimate_each
    >>> models = {}
    >>> for name in ("linear", "forest"):
    ...     scores, labels = make_scores(300, random_state=len(models))
    ...     y = [label if i < 30 else -1 for i, label in enumerate(labels)]
    ...     models[name] = scores, y
    >>> estimator = PerformanceCurveEstimator(n_draws=200, random_state=0)
    >>> frame = estimate_each(models, ["roc_auc"], estimator=estimator)
    >>> frame["name"].tolist(), frame.columns.tolist()
    (['linear', 'forest'], ['name', 'metric', 'value', 'lower', 'upper', 'verdict'])
    """
    import pandas as pd

    estimator = PerformanceCurveEstimator() if estimator is None else estimator
    if not isinstance(estimator, PerformanceCurveEstimator):
        raise TypeError(f"estimator must be a PerformanceCurveEstimator, got {estimator!r}.")
    if not isinstance(parts, Iterable):
        raise _no_parts(parts)
    raises = isinstance(error_score, str) and error_score == "raise"
    if not (raises or is_number(error_score)):
        raise ValueError(f"error_score must be 'raise' or a number, got {error_score!r}.")
    check_jobs(n_jobs)
    check_count(verbose, "verbose", 0)
    questions = [_question(metric) for metric in as_tuple(metrics, "metrics", "metrics")]
    # Stream the data and the results: neither all data nor all fits are in memory at once.
    tasks = (
        (name, data, questions, estimator, error_score, os.getpid()) for name, data in _pairs(parts)
    )
    total = len(parts) if isinstance(parts, Sized) else None
    with _quiet():
        done = stream_in_parallel(_rows, tasks, total, n_jobs)
        rows = [
            row for of_one in (_with_progress(done, total) if verbose else done) for row in of_one
        ]
    return pd.DataFrame(rows, columns=["name", "metric", "value", "lower", "upper", "verdict"])


def _question(metric: Any) -> tuple[RankingKey, MetricArguments, str]:
    """Return the ranking, the metric with its arguments, and a text with both."""
    metric, where = metric if isinstance(metric, tuple) else (metric, {})
    if not isinstance(where, Mapping):
        raise TypeError(
            "Arguments of a metric must be a mapping, such as ('precision', {'threshold': "
            f"0.9}}); got {where!r}."
        )
    if unknown := [key for key in where if key not in ARGUMENTS]:
        raise exceptions.ParameterError(
            f"metrics has {metric!r} with {unknown[0]!r}, which is not an argument of "
            "PerformanceCurveEstimator.estimate or of.",
            f"Pass one of {', '.join(ARGUMENTS)}.",
            "metrics",
        )
    name = metric if isinstance(metric, str) else getattr(metric, "name", str(metric))
    shown = {
        key: f"{value:g}" if is_number(value) else value
        for key, value in where.items()
        if key != "sample_columns"
    }
    places = ", ".join(f"{key}={value}" for key, value in shown.items())
    key, arguments = split_arguments(metric, where, "estimate")
    return key, arguments, f"{name} at {places}" if places else name


def _pairs(parts: Mapping[Any, Any] | Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    for part in parts.items() if isinstance(parts, Mapping) else parts:
        if not (isinstance(part, tuple) and len(part) == 2):
            raise _no_parts(part)
        yield part


def _no_parts(given: Any) -> TypeError:
    return TypeError(
        f"parts must be a mapping from names to (X, y) or to histograms with labels, or pairs of "
        f"these; got {given!r:.200}."
    )


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        for kind in WARNINGS:
            warnings.simplefilter("ignore", kind)
        yield


def _rows(
    name: Any,
    data: Any,
    questions: Sequence[tuple[RankingKey, MetricArguments, str]],
    estimator: PerformanceCurveEstimator,
    error_score: str | float,
    caller: int,
) -> list[tuple[Any, ...]]:
    """Return the table rows of one part."""
    try:
        X = data if isinstance(data, LabeledHistogram) else tuple(data)
        # Threads share the warning filters of the process, so do not restore them concurrently.
        with nullcontext() if os.getpid() == caller else _quiet():
            fitted = clone(estimator)
            fitted = fitted.fit(X) if isinstance(X, LabeledHistogram) else fitted.fit(*X)
            estimates = [
                fitted.of(system=key.system, category=key.category)._estimate_of(arguments)
                for key, arguments, _ in questions
            ]
        # Each question has its own, such as that on a category without labels.
        verdicts = [(estimate.verdict or fitted.verdict_).describe() for estimate in estimates]
        values = [(estimate.value, *estimate.interval()) for estimate in estimates]
    except (ValueError, TypeError) as error:
        if error_score == "raise":
            raise ValueError(f"The fit of {name!r} failed: {error}") from error
        values = [(float(error_score),) * 3] * len(questions)
        verdicts = [f"error: {error}"] * len(questions)
    return [
        (name, in_words, *map(float, numbers), verdict)
        for (_, _, in_words), numbers, verdict in zip(questions, values, verdicts, strict=True)
    ]


def _with_progress(done: Iterable[Any], total: int | None) -> Iterator[Any]:
    """Yield results as they arrive, and show their number on one line."""
    start, of_all = time.monotonic(), "" if total is None else f" of {total}"
    for n, rows in enumerate(done, 1):
        sys.stdout.write(f"\r{n}{of_all} fitted, {time.monotonic() - start:.0f} s")
        sys.stdout.flush()
        yield rows
    sys.stdout.write("\n")
