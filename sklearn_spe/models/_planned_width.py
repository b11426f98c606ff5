"""Expected interval width after more labels, from the posterior draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..data._sample import ScoreSample
from ..inputs._validation import check_choice, check_counts, spawn
from ..posterior._operating_points import OperatingPoints, Task, over_draws
from ..posterior._posterior import Posterior

# Which items are labeled: the largest scores, or random ones.
PLANNED_STRATEGIES = ("tail", "random")
# Number of groups of items: log-spaced from the top, and evenly spaced.
N_TOP, N_EVEN = 8, 8
# Number of edges at the scores of items that are chosen.
N_CHOSEN = 9
# Number of simulated outcomes of the future labels, and the smallest effective number of draws that
# agree with one: beyond it their information is treated as that on jointly normal numbers.
N_OUTCOMES, MIN_AGREEING = 24, 60
# Steps of the bisection for the share of an outcome's information that draws can represent.
N_BISECTIONS, SMALLEST_POWER = 6, 1e-4
# Noise that counts as none, relative to the shares.
SMALLEST_NOISE = 1e-8
# Spawn key of the random stream of the outcomes.
OUTCOMES = 5


def check_plan(sample: ScoreSample, n_labels: ArrayLike, strategy: str) -> np.ndarray:
    """Return numbers of further items; raise unless they can be labeled by this strategy."""
    check_choice(strategy, "strategy", PLANNED_STRATEGIES)
    counts = check_counts(n_labels, "n_labels", 0)
    left = sample.unlabeled.sum()
    if (counts > left).any():
        raise ValueError(
            f"n_labels must be whole numbers from 0 to the {left:g} unlabeled items, got "
            f"{n_labels!r}."
        )
    return counts


def planned_width(
    posterior: Posterior,
    draws: np.ndarray,
    interval: tuple[float, float],
    counts: np.ndarray,
    task: Task,
    *,
    strategy: str,
    threshold: float | None = None,
) -> np.ndarray:
    r"""Return the expected width of an interval after more items are labeled.

    The present width, times the mean ratio of the standard deviations over simulated outcomes. An
    outcome is the share of positives among the future labels of each group of items: that of a
    posterior draw with the sampling variance N. It weights the draws by their likelihood [1]_. If
    fewer than `MIN_AGREEING` agree with it, they are weighted by a power :math:`\beta` of the
    likelihood, and the rest decreases the variance as if they were jointly normal: by :math:`A^T (C
    + N / (1 - \beta))^{-1} A`, with A the covariances of the metric with the shares, and C those of
    the shares.

    References
    ----------
    .. [1] A. Heath et al. "Calculating the expected value of sample information in practice."
       Medical Decision Making 40 (2020) 314-326.
    """
    sample = posterior.sample
    if np.isinf(draws).any():
        raise ValueError(
            "This metric is infinite in some draws, so that its variance is undefined; plan for "
            "another one, such as 'precision_after_gain'."
        )
    if np.isnan(draws).all():
        # No draw defines the metric, so that there is no interval after any number of labels.
        return np.full(counts.shape, np.nan)

    edges, sizes = _groups(sample, threshold)
    shares = _shares(posterior, edges, sizes, task)
    rng = spawn(task.entropy, OUTCOMES)
    outcomes = _Outcomes.drawn(draws, shares, posterior.weights, sizes, task.draws_labels, rng)

    increasing, inverse = np.unique(counts, return_inverse=True)
    low, high = interval
    ratio = outcomes.ratio if strategy == "random" else outcomes.normal_ratio
    ratios = [ratio(_spread(sizes, n, strategy)) for n in increasing]

    # Simulated outcomes have an error, but more labels never widen the interval.
    widths = (high - low) * np.minimum.accumulate(ratios) if len(ratios) else np.empty(0)
    return widths[inverse].reshape(counts.shape)


def width_of_chosen(
    posterior: Posterior,
    draws: np.ndarray,
    interval: tuple[float, float],
    scores: np.ndarray,
    counts: np.ndarray,
    task: Task,
    threshold: float | None = None,
) -> np.ndarray:
    """Return the expected width of an interval after the first items of a list are labeled.

    `scores` (n_items,) are those of unlabeled items in their order; `counts` (n_plans,) of them are
    labeled. All numbers are treated as jointly normal.
    """
    if not np.isfinite(draws).any() or np.isinf(draws).any():
        return np.full(counts.shape, np.nan)

    # Groups that end where the items do, as these may be few of a group.
    sample = posterior.sample
    edges, _ = _groups(sample, threshold)
    levels = np.linspace(0, len(scores) - 1, N_CHOSEN).astype(int)
    edges, sizes = _sized(sample, np.r_[edges, np.sort(scores)[np.unique(levels)]])
    shares = _shares(posterior, edges, sizes, task)
    rng = spawn(task.entropy, OUTCOMES)
    outcomes = _Outcomes.drawn(draws, shares, posterior.weights, sizes, task.draws_labels, rng)

    group = np.searchsorted(-edges, -scores)
    group = np.minimum(group, len(edges) - 1)
    low, high = interval
    ratios = []
    for n in counts:
        n_labels = np.bincount(group[:n], minlength=len(edges)).astype(float)
        ratios.append(outcomes.normal_ratio(np.minimum(n_labels, sizes)))
    return (high - low) * np.minimum.accumulate(ratios)


def _groups(sample: ScoreSample, threshold: float | None):
    """Return the lowest scores of groups of items, decreasing, and their unlabeled counts."""
    unlabeled = np.flatnonzero(sample.unlabeled)[::-1]
    n = len(unlabeled)
    if not n:
        return np.empty(0), np.empty(0)

    # The groups are finest at the top.
    last = np.r_[np.geomspace(1, n, N_TOP), np.linspace(1, n, N_EVEN)].astype(int) - 1
    edges = sample.lower[unlabeled[np.unique(last)]]
    if threshold is not None:
        edges = np.r_[edges, threshold]
    return _sized(sample, edges)


def _sized(sample: ScoreSample, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of groups, decreasing, and their unlabeled counts, without empty groups."""
    edges = np.unique(edges)[::-1]
    sizes = np.diff(sample.reaching(edges, sample.unlabeled), prepend=0.0)
    return edges[sizes > 0.0], sizes[sizes > 0.0]


def _shares(posterior: Posterior, edges: np.ndarray, sizes: np.ndarray, task: Task) -> np.ndarray:
    """Return the share of positives among the unlabeled items, (n_draws, n_groups)."""
    sample = posterior.sample
    if task.draws_labels:
        # The same completed labels from which the metric was computed.
        above = over_draws(posterior, _positives, task, thresholds=edges)
        above = above - sample.reaching(edges, sample.positive)
        return np.diff(above, axis=1, prepend=0.0) / sizes

    cells = sample.grouped(4 * (N_TOP + N_EVEN), edges)
    group = np.searchsorted(-edges, -cells.lower)
    parts = []
    for block in posterior.blocks():
        expected = cells.unlabeled * posterior.unlabeled_probability(cells.scores, block)
        in_groups = np.zeros((len(expected), len(edges) + 1))
        np.add.at(in_groups.T, group, expected.T)
        parts.append(in_groups[:, :-1] / sizes)
    return np.concatenate(parts)


def _positives(points: OperatingPoints):
    return points.tp


def _spread(sizes: np.ndarray, n_labels: float, strategy: str) -> np.ndarray:
    """Return the number of future labels in each group."""
    if strategy == "random":
        return n_labels * sizes / max(sizes.sum(), 1.0)
    return np.clip(n_labels - (np.cumsum(sizes) - sizes), 0.0, sizes)


@dataclass(frozen=True, eq=False)
class _Outcomes:
    """Draws of a metric and of shares of positives, and outcomes of labels to weight them by."""

    values: np.ndarray  # (n_draws,), the metric
    shares: np.ndarray  # (n_draws, n_groups)
    weights: np.ndarray  # (n_draws,), summing to one
    sizes: np.ndarray  # (n_groups,)
    is_finite: bool  # whether the metric is that of the sample
    truths: np.ndarray  # (n_outcomes,), of int; the draws that outcomes are simulated from
    errors: np.ndarray  # (n_outcomes, n_groups), standard normal

    @classmethod
    def drawn(
        cls,
        draws: np.ndarray,
        shares: np.ndarray,
        weights: np.ndarray,
        sizes: np.ndarray,
        is_finite: bool,
        rng: np.random.Generator,
    ) -> _Outcomes:
        """Draw outcomes from the draws that define the metric, evenly over its values."""
        defined = ~np.isnan(draws) & (weights > 0.0)
        values = draws[defined]
        shares = shares[defined]
        weights = weights[defined]
        weights = weights / weights.sum()

        # The draws at evenly spaced levels of the metric.
        order = np.argsort(values, kind="stable")
        levels = (np.arange(N_OUTCOMES) + 0.5) / N_OUTCOMES
        index = np.minimum(np.searchsorted(np.cumsum(weights[order]), levels), len(order) - 1)
        errors = rng.standard_normal((N_OUTCOMES, len(sizes)))
        return cls(values, shares, weights, sizes, is_finite, order[index], errors)

    def ratio(self, counts: np.ndarray) -> float:
        """Return the expected ratio of the standard deviations after and before the labels.

        `counts` (n_groups,) are the numbers of labels of each group.
        """
        normal = self.normal_ratio(counts)
        if not 0.0 < normal < 1.0:
            return normal
        shares, noise, errors = self._labeled(counts)
        log_likelihood = self._log_likelihood(shares, noise, errors)
        power, weights = _tempered(self.weights, log_likelihood, self.truths)
        unexplained, explained, share_left = self._parts(shares, noise, weights, power)

        # A square of the shares, which no linear function explains, is learned with them.
        unexplained = unexplained * share_left * (2.0 - share_left) * self._unlabeled(counts)
        after = unexplained + explained * share_left
        # The mean of the variances is at most that of jointly normal numbers.
        return float(min(np.sqrt(after / self._variance).mean(), normal))

    def normal_ratio(self, counts: np.ndarray) -> float:
        """Return the same if all numbers are jointly normal, and for labels of whole groups."""
        if not self._variance or not (counts > 0.0).any():
            return 1.0
        if self.is_finite and np.allclose(counts, self.sizes):
            return 0.0
        shares, noise, _ = self._labeled(counts)
        parts = self._parts(shares, noise, self.weights[np.newaxis], np.zeros(1))
        unexplained, explained, share_left = (float(part[0]) for part in parts)
        after = unexplained * self._unlabeled(counts) + explained * share_left
        return float(np.sqrt(min(after / self._variance, 1.0)))

    @cached_property
    def _variance(self) -> float:
        """The variance of the metric."""
        mean = self.weights @ self.values
        return float(self.weights @ (self.values - mean) ** 2)

    def _labeled(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the shares, their noise and its simulated errors, of groups with labels."""
        is_labeled = counts > 0.0
        shares = self.shares[:, is_labeled]
        noise = self._noise(counts)[is_labeled]

        # Labels of all items of a group leave no noise.
        spread = np.einsum("d,dg->g", self.weights, shares**2)
        noise = np.maximum(noise, SMALLEST_NOISE * np.maximum(spread, SMALLEST_NOISE))
        return shares, noise, self.errors[:, is_labeled]

    def _parts(
        self, shares: np.ndarray, noise: np.ndarray, weights: np.ndarray, power: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return parts of the variance of the metric given each outcome, (n_outcomes,) each.

        The variance that the shares do not explain linearly, the one that they explain, and the
        share of it that is left. `weights` (n_outcomes, n_draws) have used a power of the
        likelihood.
        """
        means = np.einsum("kd,d->k", weights, self.values)
        deviation = self.values - means[:, np.newaxis]
        centers = np.einsum("kd,dg->kg", weights, shares)
        variances = np.einsum("kd,kd,kd->k", weights, deviation, deviation)

        # The covariances of the metric with the shares, and those of the shares.
        covariances = np.einsum("kd,dg->kg", weights * deviation, shares)
        products = shares[:, :, np.newaxis] * shares[:, np.newaxis]
        matrix = np.einsum("kd,dgh->kgh", weights, products)
        matrix -= centers[:, :, np.newaxis] * centers[:, np.newaxis]

        # What draws cannot represent, as if all numbers were jointly normal.
        precision = (1.0 - power)[:, np.newaxis] / noise
        explained = _quadratic(matrix, covariances)
        learned = np.minimum(_quadratic(matrix, covariances, precision), explained)
        share_left = 1.0 - learned / np.where(explained > 0.0, explained, 1.0)
        return np.maximum(variances - explained, 0.0), explained, share_left

    def _noise(self, counts: np.ndarray) -> np.ndarray:
        """Return the sampling variance of the share of positives among labels of each group."""
        mean = self.weights @ self.shares
        within = self.weights @ (self.shares * (1.0 - self.shares))
        between = self.weights @ (self.shares - mean) ** 2

        with np.errstate(divide="ignore", invalid="ignore"):
            several = within / counts
            if self.is_finite:
                several = several * (self.sizes - counts) / np.maximum(self.sizes - 1.0, 1.0)
            # One label with probability c: c times the information of one label.
            one = within / counts + between * (1.0 - counts) / counts
        return np.where(counts < 1.0, one, several)

    def _log_likelihood(
        self, shares: np.ndarray, noise: np.ndarray, errors: np.ndarray
    ) -> np.ndarray:
        """Return the log likelihood of all draws given each outcome, (n_outcomes, n_draws)."""
        scaled = shares / np.sqrt(noise)
        observed = scaled[self.truths] + errors
        cross = np.einsum("kg,dg->kd", observed, scaled)
        return cross - 0.5 * np.einsum("dg,dg->d", scaled, scaled)

    def _unlabeled(self, counts: np.ndarray) -> float:
        """Return the share of the items' variance that no label removes."""
        if not self.is_finite:
            return 1.0
        mean = self.weights @ self.shares
        variance = mean * (1.0 - mean)
        total = variance @ self.sizes
        return float(variance @ (self.sizes - counts) / total) if total else 1.0


def _tempered(
    weights: np.ndarray, log_likelihood: np.ndarray, truths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return powers of likelihoods with enough agreeing draws, and the weights of these.

    The powers, (n_outcomes,), are at most one; the weights (n_outcomes, n_draws).
    """
    at_truths = np.arange(len(truths)), truths
    log_likelihood[at_truths] = log_likelihood.min(axis=1)
    log_likelihood -= log_likelihood.max(axis=1, keepdims=True)

    def weighted(power: np.ndarray):
        tempered = weights * np.exp(power[:, np.newaxis] * log_likelihood)
        # The truth of an outcome is no draw of the posterior.
        tempered[at_truths] = 0.0
        return tempered / tempered.sum(axis=1, keepdims=True)

    def are_enough(power: np.ndarray):
        agreeing = weighted(power)
        return 1.0 / np.einsum("kd,kd->k", agreeing, agreeing) >= n_needed

    n_needed = min(MIN_AGREEING, 0.5 / np.sum(weights**2))

    # Bisect the log of the power.
    low = np.full(len(truths), SMALLEST_POWER)
    high = np.ones(len(truths))
    is_any = are_enough(low)
    is_whole = are_enough(high)
    for _ in range(0 if is_whole.all() else N_BISECTIONS):
        power_between = np.sqrt(low * high)
        is_enough = are_enough(power_between)
        low = np.where(is_enough, power_between, low)
        high = np.where(is_enough, high, power_between)

    power = np.where(is_whole, 1.0, np.where(is_any, low, 0.0))
    return power, weighted(power)


def _quadratic(
    matrix: np.ndarray, along: np.ndarray, precision: np.ndarray | None = None
) -> np.ndarray:
    """Return a^T (C + 1 / precision)^{-1} a for each outcome; without noise if None."""
    if precision is None:
        inverse = np.linalg.pinv(matrix, rcond=1e-10, hermitian=True)
        return np.einsum("kg,kgh,kh->k", along, inverse, along)
    # Scaled by the precision, which may be zero.
    root = np.sqrt(precision)
    scaled = matrix * root[:, :, np.newaxis] * root[:, np.newaxis] + np.eye(matrix.shape[1])
    direction = along * root
    solved = np.linalg.solve(scaled, direction[:, :, np.newaxis])[:, :, 0]
    return np.einsum("kg,kg->k", direction, solved)
