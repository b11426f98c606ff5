"""Operating points: numbers of positives and negatives at or above each threshold.

Every curve and metric of a posterior draw is a function of its operating points.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..data._sample import ScoreSample
from ..exceptions import ParameterError, ThresholdOutsideScoresWarning, level_of_the_user
from ..inputs._scores import ScoreDirection
from ..inputs._validation import as_numbers, check_number, check_target, spawn
from ..inputs._workers import in_parallel
from ..metrics._expectation import ratio
from ..metrics._metric import Metric, with_origin
from ..results._estimates import CurveBand
from ._posterior import Block, Posterior

# Thresholds lie outside of the scores by more than this, relative to the largest score.
CLOSE = 1e-9
# Thresholds that may be percent, where scores lie between 0 and 1; kinds of scores that lie there
# by chance.
MIN_PERCENT, MAX_PERCENT = 2.0, 100.0
BEYOND_ONE = ("log_odds", "margin", "distance", "percent")


@dataclass(frozen=True)
class Task:
    """Settings shared by all estimates of a posterior.

    Attributes
    ----------
    target : {"sample", "population"}
        "sample" completes the labels of this sample once for each draw (step 4 of section 3.1 of
        the 2013 paper); "population" uses the rates of the draw (eq. 4 and 5).
    entropy : int
        Seed of the completions; the same seed gives the same labels.
    n_jobs : int, default=None
        Number of workers over blocks of draws. Results do not depend on it.
    confidence_level : float in (0, 1), default=0.9
        Default level of bands and intervals.
    zero_division : float, default=None
        Value of undefined draws: NaN excludes them, None uses the metric's default.
    counts_known : bool, default=False
        Whether decisions are selections, in which labeled items count by their label and only
        unlabeled items by the threshold. Else they are rules on the scores alone.
    """

    target: str
    entropy: int
    n_jobs: int | None = None
    confidence_level: float = 0.9
    zero_division: float | None = None
    counts_known: bool = False

    def __post_init__(self) -> None:
        check_target(self.target)
        value = self.zero_division
        is_nan = isinstance(value, Real) and value != value
        if value is not None and not is_nan:
            check_number(value, "zero_division", "[0, 1]")

    @property
    def draws_labels(self) -> bool:
        """Whether labels are drawn, once for each posterior draw."""
        return self.target == "sample"

    def check_metric(self, metric: Metric) -> None:
        """Raise if a metric counts the items of a sample, and this is a population."""
        if not self.draws_labels and metric.counts_items:
            raise ParameterError(
                f"{metric.name!r} counts items of a sample, which is undefined for a population; "
                f"use target='sample', got target={self.target!r}.",
                parameter="target",
            )

    def of_selection(self) -> Task:
        """Return the task in which known labels count, if it evaluates a sample."""
        return replace(self, counts_known=self.draws_labels)

    def of_rule(self) -> Task:
        """Return the task in which the threshold decides for all items."""
        return replace(self, counts_known=False)

    def undefined_as(self, default: float) -> float:
        """Return the value of undefined draws, given the metric's default."""
        return default if self.zero_division is None else self.zero_division


@dataclass(frozen=True)
class Curve:
    """A kind of performance curve, which gives a value as a function of x.

    Its callables must be picklable module-level functions, not lambdas.

    .. versionadded:: 0.1

    Attributes
    ----------
    name, x_name, y_name : str
    grid : callable
        Maps the number of points to the values of x.
    value : callable
        Maps `OperatingPoints` and the values of x to an array of shape (n_draws, n_points), with
        NaN where the curve is undefined.
    zero_division : float, default=NaN
        Value where the curve is undefined, as in scikit-learn.

    Examples
    --------
    The share of items that are predicted positive, against the recall:

    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.posterior import Curve
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
    grid: Callable[[int], np.ndarray]
    value: Callable[[OperatingPoints, np.ndarray], np.ndarray]
    zero_division: float = np.nan


def from_zero_to_one(n_points: int) -> np.ndarray:
    """Return evenly spaced rates from 0 to 1, ends included."""
    return np.linspace(0.0, 1.0, n_points)


def above_zero(n_points: int) -> np.ndarray:
    """Return evenly spaced rates in (0, 1], 1 included."""
    return np.arange(1, n_points + 1) / n_points


def first_reaching(x: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Return, for each row, the index of the first increasing x that is at least each level."""
    columns = np.stack([np.searchsorted(row, levels) for row in x])
    return np.minimum(columns, x.shape[1] - 1)


def interpolate_rows(x: np.ndarray, y: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Return, for each row, y linearly interpolated at the levels of x; x is nondecreasing.

    Where x is constant, the last y is used.
    """
    interpolated = np.full((len(x), len(levels)), np.nan)
    for row in range(len(x)):
        of_x = x[row]
        of_y = y[row]
        if np.isnan(of_x[-1]) or np.isnan(of_y[-1]):
            continue

        last = np.searchsorted(of_x, levels, side="right") - 1
        left = np.clip(last, 0, len(of_x) - 2)
        width = of_x[left + 1] - of_x[left]
        share = (levels - of_x[left]) / np.where(width > 0.0, width, 1.0)
        # Beyond the last x the last y is used.
        share = np.where(last >= len(of_x) - 1, 1.0, share)
        share = np.clip(share, 0.0, 1.0)
        interpolated[row] = of_y[left] + share * (of_y[left + 1] - of_y[left])
    return interpolated


def threshold_grid(sample: ScoreSample, n_points: int) -> np.ndarray:
    """Return increasing thresholds, evenly spaced by rank."""
    return np.unique(sample.quantile(np.linspace(0.0, 1.0, n_points)))


def increasing_thresholds(thresholds: ArrayLike, score_direction: ScoreDirection) -> np.ndarray:
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


def warn_of_thresholds(
    ends: np.ndarray,
    thresholds: np.ndarray,
    score_direction: ScoreDirection,
    whose: str = "",
    score_kind: str = "auto",
) -> None:
    """Warn if all thresholds lie on one side of the scores; raise if they may be percent.

    `ends` (2,) are the lowest and highest score and `thresholds` (n_thresholds,) are increasing,
    both on the scale where larger means positive; `whose` names the system, such as " of system
    'a'".
    """
    low, high = map(float, ends)
    first = float(thresholds[0])
    last = float(thresholds[-1])

    # Thresholds may lie slightly below the lowest accepted score, or slightly above all
    # scores for a selection of known positives only.
    tolerance = CLOSE * max(abs(low), abs(high))
    if first > high + tolerance:
        threshold = first
        side = "above"
        score = high
        end = "highest"
        decision = "no item is"
    elif last < low - tolerance:
        threshold = last
        side = "below"
        score = low
        end = "lowest"
        decision = "every item is"
    else:
        return

    of_user = float(score_direction.flip(threshold))
    lowest, highest = sorted(map(float, score_direction.flip(ends)))
    is_share = lowest >= 0.0 and highest <= 1.0 and score_kind not in BEYOND_ONE
    if is_share and MIN_PERCENT <= of_user <= MAX_PERCENT:
        raise ParameterError(
            f"threshold={of_user:g}: the scores{whose} lie between {lowest:.6g} and {highest:.6g}.",
            f"Did you mean {of_user:g}%, threshold={of_user / 100.0:g}? Give a threshold between "
            "0 and 1, or state the kind of the scores by score_kind=.",
            "threshold",
        )

    warnings.warn(
        f"The threshold {score_direction.flip(threshold):.6g} lies {score_direction.word(side)} "
        f"all scores{whose}, of which the {score_direction.word(end)} is "
        f"{score_direction.flip(score):.6g}: "
        f"{decision} predicted positive by its score.",
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


def precision_at_recall(points: OperatingPoints, recalls: np.ndarray) -> np.ndarray:
    """Return the precision at given recalls, of shape (n_draws, n_recalls).

    On a sample it is the precision at the highest threshold whose recall is at least r; on a
    population at the threshold with exactly that recall, P(R^-1(r)). NaN if there is no positive.
    """
    recall = ratio(points.tp, points.n_positive)
    if points.is_sample:
        return _at_recall(points, recall, recalls)

    # Interpolate the odds of a negative linearly in the log of recall.
    tiny = np.finfo(float).tiny
    log_recall = np.log(np.maximum(recall, tiny))
    odds = np.log(np.maximum(points.fp, tiny)) - np.log(np.maximum(points.tp, tiny))

    log_recall, odds = _with_jumps(log_recall, odds, points.steps)
    return 1.0 / (1.0 + np.exp(interpolate_rows(log_recall, odds, np.log(recalls))))


def false_positive_rate_at_recall(points: OperatingPoints, recalls: np.ndarray) -> np.ndarray:
    """Return the false positive rate at given recalls, of shape (n_draws, n_recalls).

    Taken at the threshold of `precision_at_recall`; between thresholds of a population it is
    linear in recall. NaN if there is no positive or no negative.
    """
    recall = ratio(points.tp, points.n_positive)
    if points.is_sample:
        fp = _counts_at_recall(points, recall, recalls)[1]
        return np.where(points.n_positive > 0.0, ratio(fp, points.n_negative), np.nan)
    rate = ratio(points.fp, points.n_negative)
    recall, rate = _with_jumps(with_origin(recall), with_origin(rate), np.r_[False, points.steps])
    return interpolate_rows(recall, rate, recalls)


def specificity_at_recall(points: OperatingPoints, recalls: np.ndarray) -> np.ndarray:
    """Return the specificity at given recalls, of shape (n_draws, n_recalls)."""
    return 1.0 - false_positive_rate_at_recall(points, recalls)


def _at_recall(points: OperatingPoints, recall: np.ndarray, recalls: np.ndarray) -> np.ndarray:
    """Return the precision of a sample at given recalls."""
    tp, fp = _counts_at_recall(points, recall, recalls)
    return np.where(points.n_positive > 0.0, ratio(tp, tp + fp), np.nan)


def _counts_at_recall(
    points: OperatingPoints, recall: np.ndarray, recalls: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return counts of a sample, whose items are spread evenly over cells of many scores."""
    columns = first_reaching(recall, recalls)
    tp = np.take_along_axis(points.tp, columns, axis=1)
    fp = np.take_along_axis(points.fp, columns, axis=1)
    if np.all(points.steps):
        return tp, fp

    # The counts before the cell that reaches the recall.
    previous = np.maximum(columns - 1, 0)
    tp_before = np.take_along_axis(points.tp, previous, axis=1)
    fp_before = np.take_along_axis(points.fp, previous, axis=1)
    tp_before = np.where(columns > 0, tp_before, 0.0)
    fp_before = np.where(columns > 0, fp_before, 0.0)

    # The share of the cell that it takes.
    share = ratio(recalls * points.n_positive - tp_before, tp - tp_before)
    share = np.clip(np.nan_to_num(share), 0.0, 1.0)
    is_step = np.broadcast_to(points.steps, points.tp.shape[1])
    share = np.where(is_step[columns], 1.0, share)
    tp = tp_before + share * (tp - tp_before)
    fp = fp_before + share * (fp - fp_before)
    return tp, fp


def _with_jumps(
    x: np.ndarray, y: np.ndarray, steps: bool | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Repeat the points after jumps, first at the x of the previous point."""
    columns = np.repeat(np.arange(x.shape[1]), 1 + np.asarray(steps))
    is_jump = np.r_[columns[1:] == columns[:-1], False]
    return x[:, np.maximum(columns - is_jump, 0)], y[:, columns]


def recall_at_precision(points: OperatingPoints, precisions: np.ndarray) -> np.ndarray:
    """Return the largest recall with at least the given precision.

    On a population precision is interpolated linearly between thresholds, except at a tie. NaN if
    no threshold reaches that precision.
    """
    precision = ratio(points.tp, points.tp + points.fp)
    recall = ratio(points.tp, points.n_positive)
    best = np.full((len(recall), len(precisions)), np.nan)
    last_column = recall.shape[1] - 1
    for j, level in enumerate(precisions):
        # The lowest threshold of each draw with the precision.
        is_precise = precision >= level
        rows = np.flatnonzero(is_precise.any(axis=1))
        last = last_column - np.argmax(is_precise[rows, ::-1], axis=1)
        best[rows, j] = recall[rows, last]

        # Between thresholds of a population precision is linear.
        if not np.all(points.steps):
            following = np.minimum(last + 1, last_column)
            fall = precision[rows, last] - precision[rows, following]
            rise = recall[rows, following] - recall[rows, last]
            share = ratio(precision[rows, last] - level, fall)
            is_smooth = (following > last) & ~np.asarray(points.steps)[following]
            share = np.where(is_smooth, np.nan_to_num(share), 0.0)
            best[rows, j] += share * rise
    return best


def tpr_at_fpr(points: OperatingPoints, rates: np.ndarray) -> np.ndarray:
    """Return the true positive rate at given false positive rates.

    Points are joined linearly, the average over ties; on a vertical segment it is the upper end.
    NaN if there is no positive or no negative.
    """
    tpr = with_origin(ratio(points.tp, points.n_positive))
    fpr = with_origin(ratio(points.fp, points.n_negative))
    return interpolate_rows(fpr, tpr, rates)


def fnr_at_fpr(points: OperatingPoints, rates: np.ndarray) -> np.ndarray:
    """Return the false negative rate at given false positive rates."""
    return 1.0 - tpr_at_fpr(points, rates)


@dataclass(frozen=True)
class OperatingPoints:
    """Positives and negatives at or above thresholds, for several draws.

    Attributes
    ----------
    tp, fp : ndarray of shape (n_draws, n_thresholds)
        Counts of a sample, or probabilities of a population. For a whole curve the
        thresholds decrease and the last column holds all items.
    n_positive, n_negative : ndarray of shape (n_draws, 1)
        Totals.
    steps : bool or ndarray of shape (n_thresholds,)
        Whether the curve jumps between two thresholds, as at every score of a sample and at ties of
        a population. Elsewhere the curve is continuous.
    is_sample : bool
        Whether these are counts of items.
    """

    tp: np.ndarray
    fp: np.ndarray
    n_positive: np.ndarray
    n_negative: np.ndarray
    steps: bool | np.ndarray
    is_sample: bool = True


def over_draws(
    posterior: Posterior,
    function: Callable[[OperatingPoints], np.ndarray],
    task: Task,
    *,
    thresholds: np.ndarray | None = None,
) -> np.ndarray:
    """Apply a function of operating points to every draw of a posterior.

    Parameters
    ----------
    posterior : Posterior
    function : callable
        From `OperatingPoints` of some draws to an array of shape (n_rows, n_points).
    task : Task
    thresholds : array-like of shape (n_thresholds,), default=None
        Thresholds of the operating points, in this order; None means all scores.

    Returns
    -------
    values : ndarray of shape (n_draws, n_points)
    """
    evaluation = _evaluation(posterior, function, task, thresholds)
    return values_of_draws(posterior, evaluation, task, threads=True)


def mean_over_draws(
    posterior: Posterior,
    function: Callable[[OperatingPoints], np.ndarray],
    task: Task,
    *,
    thresholds: np.ndarray | None = None,
) -> np.ndarray:
    """Return the posterior expectation of a function of operating points.

    As the weighted mean of `over_draws`, but without storing all draws; suited to thousands of
    thresholds.
    """
    evaluation = _evaluation(posterior, function, task, thresholds)
    blocks, are_alike = _blocks(posterior, task)
    weights = np.ones(1) if are_alike else posterior.weights
    of_block = partial(_weighted_sum, evaluation, weights)
    return np.sum(in_parallel(of_block, blocks, task.n_jobs), axis=0)


def values_of_draws(
    posterior: Any,
    function: Callable[[Block], np.ndarray],
    task: Task,
    *,
    threads: bool = False,
) -> np.ndarray:
    """Return a function of blocks for all draws, (n_draws, n_points).

    A metric of the user is Python, of which threads run one at a time, and may not be made for
    them: leave `threads` out.
    """
    blocks, are_alike = _blocks(posterior, task)
    values = np.concatenate(in_parallel(function, blocks, task.n_jobs, threads=threads))
    return np.repeat(values, posterior.n_draws, axis=0) if are_alike else values


def _blocks(posterior: Posterior, task: Task) -> tuple[Iterator[tuple[Block]], bool]:
    """Return the blocks of draws to evaluate, and whether all draws are alike: the first one.

    All draws have the same labels if these are the known ones.
    """
    blocks = posterior.blocks()
    are_alike = task.draws_labels and posterior.is_complete
    if are_alike:
        blocks = [next(blocks[0].each())]
    return zip(blocks, strict=True), are_alike


def _weighted_sum(
    evaluation: Callable[..., np.ndarray], weights: np.ndarray, block: Block
) -> np.ndarray:
    return np.einsum("i,ij->j", weights[block.rows], evaluation(block).astype(float))


def _evaluation(
    posterior: Posterior,
    function: Callable[[OperatingPoints], np.ndarray],
    task: Task,
    thresholds: np.ndarray | None,
) -> Callable[[Block], np.ndarray]:
    """Return a function of the operating points as one of a block of draws."""
    if not task.draws_labels:
        return partial(_of_rates, posterior, thresholds, function)

    sample = posterior.sample
    in_cells = np.cumsum(posterior.completed_cells.unlabeled[::-1])
    at_thresholds = None
    if thresholds is not None:
        counts = sample.unlabeled, sample.positive, sample.negative
        at_thresholds = tuple(sample.reaching(thresholds, of_sample) for of_sample in counts)
    return partial(_of_labels, posterior, function, task, in_cells, at_thresholds)


def _of_labels(
    posterior: Posterior,
    function: Callable[..., np.ndarray],
    task: Task,
    in_cells: np.ndarray,
    at_thresholds: tuple[np.ndarray, ...] | None,
    block: Block,
) -> np.ndarray:
    """Complete the labels of a sample for a block of draws, and apply a function.

    `in_cells` are the unlabeled items at or above each cell, the highest first; `at_thresholds` the
    unlabeled, positive and negative items at or above each threshold, if cells are none.
    """
    drawn = posterior.completed_above(block, task.entropy)
    cells = posterior.completed_cells
    n_known_positive = cells.positive.sum()
    n_drawn = drawn[:, -1:]
    n_negative = cells.unlabeled.sum() - n_drawn + cells.negative.sum()
    n_positive = n_drawn + n_known_positive

    steps: bool | np.ndarray = True
    if at_thresholds is None:
        unlabeled = in_cells
        positive = np.cumsum(cells.positive[::-1])
        negative = np.cumsum(cells.negative[::-1])
        steps = True if cells is posterior.drawn_sample else cells.single[::-1]
    else:
        unlabeled, positive, negative = at_thresholds
        drawn = _interpolated(drawn, in_cells, unlabeled)

    # A selection holds all known positives, and no known negative.
    is_selection = task.counts_known
    fp = unlabeled - drawn
    fp += 0.0 if is_selection else negative
    tp = np.add(drawn, n_known_positive if is_selection else positive, out=drawn)
    return function(OperatingPoints(tp, fp, n_positive, n_negative, steps))


def _interpolated(positives: np.ndarray, n_items: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Return positives among the highest `levels` items; cells hold `n_items`, (n_cells,)."""
    n_items = np.r_[0.0, n_items]
    first = np.minimum(np.searchsorted(n_items, levels), len(n_items) - 1)

    # The share of the cell up to each level.
    positives = with_origin(positives)
    cell = np.clip(first - 1, 0, len(n_items) - 2)
    size = n_items[cell + 1] - n_items[cell]
    share = (levels - n_items[cell]) / np.where(size > 0.0, size, 1.0)
    share = np.clip(share, 0.0, 1.0)
    before = positives[:, cell]
    after = positives[:, cell + 1]
    return before + share * (after - before)


def sample_operating_points(cells: ScoreSample, positives: np.ndarray) -> OperatingPoints:
    """Return the operating points of a fully labeled sample, for several draws.

    Parameters
    ----------
    cells : ScoreSample
    positives : ndarray of shape (n_draws, n_cells)
        The weight of the positives of each cell; the rest are negatives.
    """
    tp = np.cumsum(positives[:, ::-1], axis=1)
    fp = np.cumsum(cells.counts[::-1]) - tp
    return OperatingPoints(tp, fp, tp[:, -1:], fp[:, -1:], steps=True)


def _of_rates(
    posterior: Posterior,
    thresholds: np.ndarray | None,
    function: Callable[..., np.ndarray],
    block: Block,
) -> np.ndarray:
    """Evaluate the rates of a block of draws, and apply a function."""
    prevalence, tpr, fpr, steps = posterior.population_rates(block, thresholds)
    others = 1.0 - prevalence
    return function(
        OperatingPoints(prevalence * tpr, others * fpr, prevalence, others, steps, False)
    )


def values_of_completions(
    posterior: Posterior, function: Callable[[np.ndarray], np.ndarray], task: Task
) -> np.ndarray:
    """Return a function of the drawn positives of each score for all draws, (n_draws, n_points)."""
    of_block = partial(_of_drawn, posterior, task.entropy, function)
    return values_of_draws(posterior, of_block, task)


def _of_drawn(
    posterior: Posterior, entropy: int, function: Callable[..., np.ndarray], block: Block
) -> np.ndarray:
    parts = drawn_by_score(posterior, block, entropy)
    return np.concatenate([function(drawn) for drawn in parts])


def drawn_by_score(posterior: Posterior, block: Block, entropy: int) -> Iterator[Any]:
    """Yield completed labels of a block of draws, on all distinct scores."""
    cells = posterior.drawn_sample
    # Draw the whole block at once, as for the named metrics, unless that takes too much memory.
    if posterior.completed_cells is cells:
        yield np.diff(with_origin(posterior.completed_above(block, entropy)), axis=1)[:, ::-1]
        return
    rng = spawn(entropy, 1, block.index)
    for part in block.each():
        yield posterior.drawn_positives(cells, part, rng)
