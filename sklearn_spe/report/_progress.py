"""The progress of labeling, as text."""

from __future__ import annotations

import numpy as np

from ..results._bands import percent

__all__ = ["describe_progress"]


def describe_progress(selector) -> str:
    """Return the current results of a fitted `ActiveTestSelector`, as lines of text."""
    history, of_goal = selector.history_[-1], hasattr(selector, "goal_probability_")
    name = f"{selector.estimate_.name} of the answer" if of_goal else selector.metric
    lines = [
        *(_lines_of_goal(selector) if of_goal else ()),
        f"{'':24}{'value':>8}   {percent(selector.confidence_level)} interval",
        _line(name.replace("_", " "), history.estimate, history.low, history.high),
    ]
    if not of_goal:
        lines.append(_line("  by the model", history.model, history.model_low, history.model_high))
    if not of_goal and np.isfinite(history.design):
        ends = history.design_low, history.design_high
        lines.append(_line("  by the drawn labels", history.design, *ends))
    verdict = f"Verdict: {selector.verdict_.describe()}"
    labeled = f"{len(selector.query_proba_):,} items, {selector.n_labels_} labeled."
    return "\n".join([*lines, "", verdict, labeled])


def _lines_of_goal(selector) -> list[str]:
    """Return the lines on the best selection for a goal."""
    if not np.isfinite(selector.threshold_):
        # Part of the verdict.
        return []
    n_items = int(selector.selected_.sum())
    lines = [
        f"An answer of {n_items:,} items keeps {selector.metric} with probability "
        f"{selector.goal_probability_:.3g}."
    ]
    if n_items == selector.performance_.posterior_.sample.positive.sum():
        lines.append(
            "These are the items that are known to be positive, alone: no score vouches for one "
            "without a label yet."
        )
    return [*lines, ""]


def _line(name, value, low, high) -> str:
    return f"{name:24}{value:8.3f}   {low:.3f} to {high:.3f}"
