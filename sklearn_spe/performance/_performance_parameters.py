"""Validation of the parameters of a performance estimator."""

from __future__ import annotations

from ..curves._task import check_target
from ..inputs._numbers import check_count, check_jobs, check_number
from ..inputs._score_direction import check_direction

__all__ = ["check_decision", "check_parameters"]


def check_parameters(performance) -> None:
    """Raise if a parameter of a performance estimator is invalid."""
    check_target(performance.target)
    check_count(performance.n_points, "n_points", 2)
    check_count(performance.n_draws, "n_draws")
    check_jobs(performance.n_jobs)
    check_direction(performance.greater_is_positive)
    check_number(performance.confidence_level, "confidence_level", "(0, 1)")


def check_decision(threshold) -> float | None:
    """Return a decision threshold or None; raise if it is not a number."""
    return None if threshold is None else check_number(threshold, "threshold", "(-inf, inf)")
