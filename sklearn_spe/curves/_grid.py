"""Curve definition, and grids of rates and thresholds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..exceptions import ThresholdOutsideScoresWarning, level_of_the_user
from ..inputs._array_like import as_numbers
from ..inputs._score_direction import ScoreDirection
from ..results._bands import CurveBand
from ..sample._sample import ScoreSample

# Margin relative to the largest score.
CLOSE = 1e-9


@dataclass(frozen=True)
class Curve:
    """A kind of curve, of a value as a function of x.

    Its callables must be picklable module-level functions, not lambdas.

    Attributes
    ----------
    name, x_name, y_name : str
    grid : callable
        From the number of points to the values of x.
    value : callable
        From `OperatingPoints` and the values of x to an array (n_draws, n_points), NaN
        where the curve is not defined.
    zero_division : float, default=NaN
        Value where the curve is undefined, as in scikit-learn.

    Examples
    --------
    The share of items that are predicted positive, against the recall:

    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.curves import Curve
    >>> from sklearn_spe.datasets import make_scores
    >>> def recalls(n_points):
    ...     return np.arange(1, n_points + 1) / n_points
    >>> def share_called(points, recalls):
    ...     share = (points.tp + points.fp) / (points.n_positive + points.n_negative)
    ...     return np.stack([
    ...         np.interp(recalls, tp / n, row)
    ...         for tp, n, row in zip(points.tp, points.n_positive, share)
    ...     ])
    >>> lift = Curve("lift", "recall", "share called positive", recalls, share_called)
    >>> scores, labels = make_scores(500, random_state=0)
    >>> performance = PerformanceCurveEstimator(random_state=0).fit(scores, labels)
    >>> bool(performance.curve(lift).at(0.5).value < 0.5)
    True
    """

    name: str
    x_name: str
    y_name: str
    grid: Callable
    value: Callable
    zero_division: float = np.nan


def from_zero_to_one(n_points: int) -> np.ndarray:
    """Return evenly spaced rates from 0 to 1, ends included."""
    return np.linspace(0.0, 1.0, n_points)


def above_zero(n_points: int) -> np.ndarray:
    """Return evenly spaced rates in (0, 1], 1 included."""
    return np.arange(1, n_points + 1) / n_points


def first_reaching(x, wanted) -> np.ndarray:
    """Return, for each row, the index of the first increasing x that is at least wanted."""
    at = np.stack([np.searchsorted(row, wanted) for row in x])
    return np.minimum(at, x.shape[1] - 1)


def interpolate_rows(x, y, wanted) -> np.ndarray:
    """Return, for each row, y linearly interpolated at the wanted x; x is nondecreasing.

    Where x is constant, the last y is used.
    """
    result = np.full((len(x), len(wanted)), np.nan)
    for row in range(len(x)):
        if np.isnan(x[row, -1]) or np.isnan(y[row, -1]):
            continue
        last = np.searchsorted(x[row], wanted, side="right") - 1
        left = np.clip(last, 0, x.shape[1] - 2)
        width = x[row, left + 1] - x[row, left]
        share = (wanted - x[row, left]) / np.where(width > 0.0, width, 1.0)
        share = np.clip(np.where(last >= x.shape[1] - 1, 1.0, share), 0.0, 1.0)
        result[row] = y[row, left] + share * (y[row, left + 1] - y[row, left])
    return result


def threshold_grid(sample: ScoreSample, n_points: int) -> np.ndarray:
    """Return increasing thresholds, evenly spaced by rank."""
    return np.unique(sample.quantile(np.linspace(0.0, 1.0, n_points)))


def increasing_thresholds(thresholds, score_direction: ScoreDirection) -> np.ndarray:
    """Return given thresholds increasing, on the scale where larger means positive.

    They may lie outside the scores: above all scores no item is predicted positive, below all every
    item.

    Raises
    ------
    ValueError
        If there is no threshold, or one is not finite.
    """
    grid = as_numbers(thresholds, "thresholds")
    if grid.ndim != 1 or not len(grid):
        raise ValueError(
            f"thresholds must hold at least one score, of shape (n_points,); got {thresholds!r}."
        )
    if not np.isfinite(grid).all():
        raise ValueError(
            f"thresholds must be finite numbers, got {grid[~np.isfinite(grid)][0]}. Use a finite "
            "one above all scores to predict no item positive."
        )
    return np.unique(score_direction.flip(grid))


def warn_of_thresholds(ends, thresholds, score_direction: ScoreDirection, whose: str = "") -> None:
    """Warn if all thresholds lie on one side of the scores.

    `ends` (2,) are the lowest and highest score and `thresholds` (n_thresholds,) are increasing,
    both on the scale where larger means positive; `whose` names the system, such as " of system
    'a'".
    """
    low, high = map(float, ends)
    first, last = float(thresholds[0]), float(thresholds[-1])
    # Tolerance: thresholds may lie slightly below the lowest accepted score, or slightly above all
    # scores for a selection of known positives only.
    slack = CLOSE * max(abs(low), abs(high))
    if first > high + slack:
        threshold, side, score, end, what = first, "above", high, "highest", "no item is"
    elif last < low - slack:
        threshold, side, score, end, what = last, "below", low, "lowest", "every item is"
    else:
        return
    warnings.warn(
        f"The threshold {score_direction.flip(threshold):.6g} lies {score_direction.word(side)} "
        f"all "
        f"scores{whose}, of which the {score_direction.word(end)} is "
        f"{score_direction.flip(score):.6g}: "
        f"{what} predicted positive by its score.",
        ThresholdOutsideScoresWarning,
        stacklevel=level_of_the_user(),
    )


def flipped_band(band: CurveBand, score_direction: ScoreDirection) -> CurveBand:
    """Return a band over thresholds on the user's scale."""
    if score_direction.greater_is_positive:
        return band
    return replace(
        band,
        x=score_direction.flip(band.x)[::-1],
        distribution=band.distribution.reversed(),
        undefined=np.asarray(band.undefined)[::-1],
    )
