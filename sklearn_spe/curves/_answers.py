"""From functions of the draws to the values that users see."""

from __future__ import annotations

from functools import partial

from ..results._bands import CurveBand, ScalarEstimate


def number(
    name, posterior, values, asked, *, confidence_level, zero_division=None, **task
) -> ScalarEstimate:
    """Return a number with its uncertainty.

    Parameters
    ----------
    name : str
    posterior : Posterior
    values : callable
        From a posterior, and the task, to an array of shape (n_draws, 1).
    asked : Metric or Curve
        What takes the place of undefined values is its `zero_division`.
    confidence_level : float
    zero_division : float, default=None
        Instead of its own, if not None.
    **task
        As `over_draws` takes it.
    """
    how = _how(asked, zero_division, task)
    fields = {"confidence_level": confidence_level, "origin": origin(posterior, task["entropy"])}
    return posterior.number(name, partial(values, **task), **how, **fields)


def band(
    name,
    x,
    posterior,
    values,
    asked,
    *,
    confidence_level,
    x_name,
    y_name,
    zero_division=None,
    **task,
) -> CurveBand:
    """Return a curve with its band; parameters as those of `number`."""
    law, undefined = posterior.law(partial(values, **task), **_how(asked, zero_division, task))
    return CurveBand(
        name,
        x,
        law,
        x_name,
        y_name,
        confidence_level,
        posterior.kind,
        undefined,
        origin=origin(posterior, task["entropy"]),
    )


def origin(posterior, entropy: int) -> str:
    """Return what answers have in common whose draws, and whose drawn labels, are the same."""
    return f"{posterior.digest}-{entropy}"


def _how(asked, zero_division, task):
    undefined_as = asked.zero_division if zero_division is None else zero_division
    # Labels are drawn once for each draw of a posterior: one completion is no estimate.
    return {"undefined_as": undefined_as, "centred": task["target"] == "population"}
