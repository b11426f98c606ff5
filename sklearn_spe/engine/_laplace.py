r"""Rows of labels, and Laplace's approximation for all components at once.

Laplace's approximation to Bernoulli regressions, many at once.

The log-odds of row i are :math:`f_i = m_i + z_i^\top c` with :math:`c \sim N(0, I)`, and lapses
make of them :math:`p_i = \epsilon_0 + (1 - \epsilon_0 - \epsilon_1) \operatorname{expit} f_i`.
Fisher scoring climbs to the mode: with :math:`W = (dp/df)^2 / \{p (1 - p)\}` a row, the curvature
is :math:`H = I + Z^\top W Z`, and the log evidence
:math:`\log L(c^*) - |c^*|^2 / 2 - \log |H| / 2`.
Where rows are fewer than coefficients, both come from matrices of rows (`_curvature`).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from scipy import special

from ..data._cells import ScoreCells
from ..data._sample import ScoreSample
from ..inputs._arrays import FrozenArrays
from ._components import Columns, Members, Positions, RandomEffect, RandomEffects, ScoreAxis
from ._curvature import Curvature, DesignColumns, RowCurvature

# The largest number below one: failures that cannot occur have a finite log probability.
MAX_SUCCESS = 1.0 - 2.0**-53
# More labeled scores than these are gathered in the cells of the curves.
MAX_POINTS = 200
# More labeled items than this are gathered in as many rows, and one for each of their groups, at
# means of several numbers.
MAX_ROWS = 1000
# Numbers that random effects multiply are differences of normal scores, of about this range.
NORMAL_RANGE = 3.0


@dataclass(frozen=True, eq=False)
class LabelRows(FrozenArrays):
    """The likelihood of labels: of `total` trials a share `base` + `gain` p is expected to succeed.

    Base 0 and gain 1 for labels, of which `positive` succeed. Where the design implies the class of
    items without a label, these are rows too, whose trials all succeed.
    """

    places: tuple[Positions, ...]  # of the rows, on each score axis
    positive: np.ndarray  # (n_rows,)
    total: np.ndarray  # (n_rows,)
    base: np.ndarray  # (n_rows,)
    gain: np.ndarray  # (n_rows,)
    items: np.ndarray  # (n_rows,) of int, where there are random effects of items; else empty
    runs: LabelRuns | None = None  # the items that rows gather, if they do

    @classmethod
    def of_scores(cls, cells: ScoreCells, sample: ScoreSample) -> LabelRows:
        """Return the rows of the labels of a sample, for curves on cells of its scores."""
        labeled = sample.labeled()
        negative, positive = sample.inclusion.weighed(labeled)
        places = Positions.of(cells, labeled.scores)
        left, share, counts = _points(
            cells, places, (negative, positive), labeled.n_cells > MAX_POINTS
        )
        base, gain = np.zeros(len(left)), np.ones(len(left))
        sign, floor = sample.inclusion.missingness
        if floor < 1.0:
            own = Positions.of(cells, sample.scores)
            at, within, (silent,) = _points(cells, own, (sample.unlabeled,), gathered=True)
            left, share = np.r_[left, at], np.r_[share, within]
            counts = [np.r_[counts[0], np.zeros(len(at))], np.r_[counts[1], silent]]
            # P(no label), up to a factor: floor + (1 - floor) P(the class of the sign).
            base = np.r_[base, np.full(len(at), floor if sign > 0.0 else 1.0)]
            gain = np.r_[gain, np.full(len(at), sign * (1.0 - floor))]
        total = counts[0] + counts[1]
        no_items = np.empty(0, dtype=int)
        return cls((Positions(left, share),), counts[1], total, base, gain, no_items)

    @classmethod
    def of_items(
        cls, axes: tuple[ScoreAxis, ...], effects: RandomEffects, codes, counts
    ) -> LabelRows:
        """Return the rows of the labels of items, given codes and counts of shape (n_items,).

        Many labels are gathered in rows of similar items, at the means of their positions and of
        the columns of random effects.
        """
        items = np.flatnonzero(codes >= 0)
        places, total = tuple(axis.items.take(items) for axis in axes), counts[items]
        positive, runs = np.where(codes[items] > 0, total, 0.0), None
        if len(items) > MAX_ROWS:
            runs = LabelRuns.of(places, effects, items, total)
            places = tuple(runs.mean_place(own) for own in places)
            positive, total = runs.sums(positive), runs.sums(total)
            items = runs.items[runs.firsts]
        one = np.ones(len(items))
        return cls(places, positive, total, 0.0 * one, one, items, runs)

    def columns(self, effect: RandomEffect) -> np.ndarray:
        """Return the columns of a random effect at the rows, (n_rows, n_columns)."""
        if self.runs is None or not isinstance(effect, Columns):
            # All items of a row are in one group.
            return effect.columns(self.items)
        return self.runs.means(effect.columns(self.runs.items))

    @property
    def n_rows(self) -> int:
        return len(self.total)

    def log_likelihood(self, probability) -> np.ndarray:
        """Return the log likelihood of P(y = 1) at the rows, (..., n_rows): (...)."""
        return self.log_likelihoods(probability).sum(axis=-1)

    def log_likelihoods(self, probability) -> np.ndarray:
        """Return the log likelihood of each row, (..., n_rows)."""
        q = self.success(probability)
        return self.positive * np.log(q) + (self.total - self.positive) * np.log1p(-q)

    def success(self, probability) -> np.ndarray:
        """Return the probability that a trial of each row succeeds, below one."""
        return np.minimum(self.base + self.gain * probability, MAX_SUCCESS)


@dataclass(frozen=True, eq=False)
class LabelRuns(FrozenArrays):
    """Labeled items in an order in which similar ones are neighbors, cut in runs."""

    items: np.ndarray  # (n_labeled,), in this order
    order: np.ndarray  # (n_labeled,), of the items as they were
    firsts: np.ndarray  # (n_runs,), where runs begin
    weights: np.ndarray  # (n_labeled,), for how many each item counts, in this order

    @classmethod
    def of(cls, places: tuple[Positions, ...], effects, items, counts) -> LabelRuns:
        """Halve the items of each group, those that differ most first, until there are enough runs.

        They differ by their positions among the cells of each axis, which are finest at both ends,
        and by the numbers that random effects multiply.
        """
        columns = [(own.left + own.share) / max(1.0, own.left.max()) for own in places]
        codes = []
        for effect in effects.effects:
            if isinstance(effect, Columns):
                columns += list(effect.values[items].T / (2.0 * NORMAL_RANGE))
            elif isinstance(effect, Members):
                codes.append(effect.codes[items])
        numbers = np.stack(columns)
        groups = np.zeros(len(items), dtype=np.intp)
        for own in codes:
            groups = np.unique(groups * (int(own.max()) + 1) + own, return_inverse=True)[1]
        order = np.argsort(groups, kind="stable")
        starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
        heap = [_spread(numbers, part) for part in np.split(order, starts[1:])]
        heapq.heapify(heap)
        while len(heap) < len(starts) + MAX_ROWS and heap[0][0] < 0.0:
            _, _, part, column, middle = heapq.heappop(heap)
            above = numbers[column, part] > middle
            for half in (part[~above], part[above]):
                heapq.heappush(heap, _spread(numbers, half))
        parts = [own[2] for own in heap]
        order = np.concatenate(parts)
        firsts = np.cumsum([0, *map(len, parts[:-1])])
        return cls(items[order], order, firsts, counts[order])

    def sums(self, values) -> np.ndarray:
        """Return the sums of values of the items, as they were, over runs."""
        return np.add.reduceat(values[self.order], self.firsts)

    def means(self, values) -> np.ndarray:
        """Return the means of values of the ordered items over runs, (n_runs, n_columns)."""
        total = np.add.reduceat(self.weights[:, np.newaxis] * values, self.firsts)
        return total / np.add.reduceat(self.weights, self.firsts)[:, np.newaxis]

    def mean_place(self, places: Positions) -> Positions:
        """Return the mean position of each run."""
        at = (places.left + places.share)[self.order, np.newaxis]
        mean, last = self.means(at)[:, 0], int(places.left.max())
        left = np.minimum(mean.astype(int), last)
        return Positions(left, mean - left)


def _spread(numbers, part) -> tuple:
    """Return minus the sum of squares of a part, its first item, the part, and where to cut it."""
    own = numbers[:, part]
    squares = ((own - own.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    column = int(np.argmax(squares))
    middle = own[column].mean()
    above = own[column] > middle
    # Numbers that are equal up to rounding are not cut.
    size = float(squares[column]) if above.any() and not above.all() else 0.0
    return -size, int(part[0]), part, column, middle


def _points(cells: ScoreCells, places: Positions, counts, gathered: bool):
    """Return where scores lie that some counts are positive of, and these counts."""
    left, share = places.left, places.share
    if gathered:
        n = cells.n_cells
        counts = [np.bincount(left + (share > 0.5), own, n) for own in counts]
        left = np.minimum(np.arange(n), max(n - 2, 0))
        share = np.arange(n) - left.astype(float)
    at = np.flatnonzero(sum(counts))
    return left[at], share[at], [own[at] for own in counts]


# Probabilities stay so far from 0 and 1: the log likelihood of any label is finite.
MIN_PROBABILITY = 1e-9
# A step that lowers the density is cut so often, each time to this share.
N_CUTS, CUT = 6, 0.3
# Columns are multiplied with each other at once as long as there are no more pairs of them.
MAX_PAIRS = 1000
# Nodes of the quadrature of a group's effect, and steps that draw it.
N_NODES, N_GROUP_MOVES = 7, 12


@dataclass(frozen=True, eq=False)
class PointsOfRegressions:
    """Coefficients of several regressions, and what their steps need there."""

    c: np.ndarray  # (m, d)
    p: np.ndarray  # (m, n_rows), P(y = 1) at the rows
    slope: np.ndarray  # (m, n_rows), its derivative by the log-odds
    height: np.ndarray  # (m,), the log density

    def take(self, k) -> PointsOfRegressions:
        """Return those of some regressions."""
        return PointsOfRegressions(self.c[k], self.p[k], self.slope[k], self.height[k])

    def put(self, k, points: PointsOfRegressions) -> None:
        """Replace those of some regressions."""
        self.c[k], self.p[k] = points.c, points.p
        self.slope[k], self.height[k] = points.slope, points.height


@dataclass(frozen=True, eq=False)
class Regressions:
    """Regressions on the same rows and columns, one for each of several components of one axis."""

    prior: np.ndarray  # (m, n_rows), the log-odds of the prior curves
    columns: DesignColumns
    scale: np.ndarray  # (m, d), the standard deviations of the coefficients
    bottom: np.ndarray  # (m, 1), lapse rates
    room: np.ndarray  # (m, 1), what these leave for the curve
    rows: LabelRows

    def take(self, k) -> Regressions:
        """Return the regressions of some of the components."""
        return Regressions(
            self.prior[k],
            self.columns,
            self.scale[k],
            self.bottom[k],
            self.room[k],
            self.rows,
        )

    def log_density(self, c) -> np.ndarray:
        """Return the log likelihood plus the log prior of coefficients, (m, d): (m,)."""
        return self._log_density(c, self._probability(c)[0])

    def kernels(self) -> np.ndarray | None:
        """Return the kernels of the rows, (m, n_rows, n_rows), where rows are few; else None."""
        return self.columns.kernels(self.prior, self.scale) if self.columns.has_few_rows else None

    def climb(self, c, max_steps: int, tolerance: float):
        """Take steps of Fisher scoring, cut where the density falls.

        Returns coefficients (m, d), Laplace's log evidence before the last step of each, and what
        that step should have added to it, (m,) each.
        """
        c, left = np.array(c), np.arange(len(c))
        log_evidence, rise = np.empty(len(c)), np.empty(len(c))
        regressions, kernels, at = self, self.kernels(), self._at(c)
        for n_left in range(max_steps, 0, -1):
            gradient, weights = regressions._expansion(at)
            curvature = regressions.curvature(weights, None if kernels is None else kernels[left])
            step = curvature.solve(gradient)
            rise[left] = 0.5 * np.einsum("ij,ij->i", gradient, step)
            following = regressions._cut(at, step)
            c[left] = following.c

            done = (rise[left] <= tolerance) | (n_left == 1)
            log_evidence[left[done]] = at.height[done] - 0.5 * curvature.log_det(done)
            left = left[~done]
            if not len(left):
                break
            regressions, at = self.take(left), following.take(~done)
        return c, log_evidence, rise

    def marginal_climb(self, c, n_steps: int):
        r"""Take steps to the mode of the density with groups integrated out.

        Given the other coefficients groups are nearly normal, so that a step of the others and what
        it implies for groups solve :math:`H \delta = (g, 0)`, for the gradient g by the others; the
        curvature of these is that of all without that of the groups among themselves.

        Returns coefficients (m, d) and the log evidence (m,).
        """
        n_dense, kernels = self.columns.n_dense, self.kernels()
        for n_left in range(n_steps, -1, -1):
            weights = self._expansion(self._at(c))[1]
            curvature = self.curvature(weights, None if kernels is None else kernels.copy())
            deviation = 1.0 / np.sqrt(curvature.diagonal)
            if n_left:
                step = np.zeros_like(c)
                step[:, :n_dense] = self.marginal_gradient(
                    c[:, :n_dense], c[:, n_dense:], deviation
                )
                c = c + curvature.solve(step)

        log_det = curvature.log_det() - np.log(curvature.diagonal).sum(axis=1)
        log = self.log_marginal(c[:, :n_dense], c[:, n_dense:], deviation)
        return c, log - 0.5 * log_det

    def log_marginal(self, dense, center, deviation) -> np.ndarray:
        """Return the log density of other coefficients, groups integrated out, (m,).

        Given these, (m, n_dense), groups are independent, and each integral has one dimension:
        Gauss-Hermite quadrature at its normal approximation, (m, n_groups) each.
        """
        log_masses = [mass for mass, _ in self._at_nodes(dense, center, deviation)]
        log = special.logsumexp(log_masses, axis=0) + np.log(deviation / np.sqrt(2.0 * np.pi))
        return log.sum(axis=1) - 0.5 * np.einsum("ij,ij->i", dense, dense)

    def marginal_gradient(self, dense, center, deviation) -> np.ndarray:
        """Return the gradient of the log density with groups integrated out, (m, n_dense)."""
        columns = self.columns
        nodes = list(self._at_nodes(dense, center, deviation))
        largest = np.max([log_mass for log_mass, _ in nodes], axis=0)

        # The heaviest node of each group has the mass one: no sum is zero, and none overflows.
        total, score = 0.0, 0.0
        for log_mass, c in nodes:
            of_rows = np.exp(log_mass - largest) @ columns.groups.T
            total, score = total + of_rows, score + of_rows * self._score(*self._probability(c))
        score = score / total

        gradient = np.hstack([score @ columns.plain, (score * self.prior) @ columns.stretching])
        return gradient * self.scale[:, : columns.n_dense] - dense

    def _at_nodes(self, dense, center, deviation):
        """Yield the log mass of each group at each node, and coefficients there."""
        for node, weight in zip(*np.polynomial.hermite_e.hermegauss(N_NODES), strict=True):
            c = np.hstack([dense, center + node * deviation])
            yield np.log(weight) + 0.5 * node**2 + self._log_of_groups(c), c

    def draw_groups(self, dense, center, deviation, rng) -> np.ndarray:
        """Draw coefficients of groups given the others, (m, n_groups).

        Steps of Metropolis and Hastings for each group by itself. Independent proposals come from
        its normal approximation and, where labels that agree leave a long tail, from its prior.
        """
        groups, log = center, self._log_of_groups(np.hstack([dense, center]))
        for move in range(N_GROUP_MOVES):
            x = rng.standard_normal(center.shape)
            other = x if move % 2 else center + x * deviation
            log_of_other = self._log_of_groups(np.hstack([dense, other]))
            before = groups if move % 2 else (groups - center) / deviation
            # What each has above the density of the proposals.
            gain = log_of_other - log + 0.5 * (x**2 - before**2)
            accepted = np.log(rng.random(center.shape)) < gain
            groups = np.where(accepted, other, groups)
            log = np.where(accepted, log_of_other, log)
        return groups

    def _log_of_groups(self, c) -> np.ndarray:
        """Return the log likelihood of each group plus the log prior of its coefficient."""
        log = self.rows.log_likelihoods(self._probability(c)[0]) @ self.columns.groups
        return log - 0.5 * c[:, self.columns.n_dense :] ** 2

    def derivatives(self, c) -> tuple[np.ndarray, Curvature, np.ndarray]:
        """Return the gradient, the curvature and the log density at coefficients."""
        at = self._at(c)
        gradient, weights = self._expansion(at)
        return gradient, self._curvature(weights), at.height

    def curvature(self, weights, kernels) -> Curvature | RowCurvature:
        """Return I + Z' W Z for weights of the rows; kernels, if there are, are overwritten."""
        if kernels is None:
            return self._curvature(weights)
        return RowCurvature.of(self.columns, self.prior, self.scale, weights, kernels)

    def _at(self, c) -> PointsOfRegressions:
        """Return what is known at coefficients, (m, d)."""
        p, slope = self._probability(c)
        return PointsOfRegressions(c, p, slope, self._log_density(c, p))

    def _expansion(self, at: PointsOfRegressions) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient, and the weights of the rows."""
        rows = self.rows
        gradient = self.columns.by_coefficients(self.prior, self._score(at.p, at.slope))
        gradient *= self.scale
        gradient -= at.c
        q = rows.success(at.p)
        weights = rows.total * (rows.gain * at.slope) ** 2 / (q * (1.0 - q))
        return gradient, weights

    def _score(self, p, slope) -> np.ndarray:
        """Return the derivative of the log likelihood of each row by its log-odds, (m, n_rows)."""
        rows, q = self.rows, self.rows.success(p)
        return (rows.positive - rows.total * q) / (q * (1.0 - q)) * rows.gain * slope

    def _cut(self, at: PointsOfRegressions, step) -> PointsOfRegressions:
        """Take steps as far as the density does not fall; none where it always does."""
        following = self._at(at.c + step)
        worse = np.flatnonzero(following.height < at.height - 1e-9)
        for _ in range(N_CUTS):
            if not len(worse):
                break
            step[worse] *= CUT
            shorter = self.take(worse)._at(at.c[worse] + step[worse])
            following.put(worse, shorter)
            worse = worse[shorter.height < at.height[worse] - 1e-9]
        following.put(worse, at.take(worse))
        return following

    def _curvature(self, weights) -> Curvature:
        """Return I + Z' W Z for weights of the rows, (m, n_rows)."""
        plain, stretching, groups = (
            self.columns.plain,
            self.columns.stretching,
            self.columns.groups,
        )
        n_plain, n = plain.shape[1], self.columns.n_dense
        dense = np.empty((len(weights), n, n))
        stretched = weights * self.prior
        dense[:, :n_plain, :n_plain] = _products(weights, plain, plain)
        dense[:, n_plain:, n_plain:] = _products(stretched * self.prior, stretching, stretching)
        mixed = _products(stretched, plain, stretching)
        dense[:, :n_plain, n_plain:], dense[:, n_plain:, :n_plain] = mixed, mixed.swapaxes(1, 2)
        cross = np.empty((len(weights), n, groups.shape[1]))
        cross[:, :n_plain] = _products(weights, plain, groups)
        cross[:, n_plain:] = _products(stretched, stretching, groups)
        first, last = self.scale[:, :n], self.scale[:, np.newaxis, n:]
        dense *= first[:, :, np.newaxis]
        dense *= first[:, np.newaxis]
        diagonal = np.arange(n)
        dense[:, diagonal, diagonal] += 1.0
        cross *= first[:, :, np.newaxis]
        cross *= last
        return Curvature(dense, cross, 1.0 + self.scale[:, n:] ** 2 * (weights @ groups))

    def _probability(self, c):
        """Return P(y = 1) at the rows and its derivative by the log-odds, (m, n_rows) each."""
        f = self.prior + self.columns.log_odds(self.prior, self.scale * c)
        s = special.expit(f)
        p = np.clip(self.bottom + self.room * s, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY)
        return p, self.room * s * (1.0 - s)

    def _log_density(self, c, p) -> np.ndarray:
        return self.rows.log_likelihood(p) - 0.5 * np.einsum("ij,ij->i", c, c)


def _products(weights, left, right) -> np.ndarray:
    """Return sums over rows of weights (m, n_rows) times columns, (m, n_left, n_right)."""
    shape = left.shape[1], right.shape[1]
    if np.prod(shape) <= MAX_PAIRS:
        # One product for all weights and pairs of columns.
        pairs = (left[:, :, np.newaxis] * right[:, np.newaxis]).reshape(len(left), np.prod(shape))
        return (weights @ pairs).reshape(len(weights), *shape)
    out = np.empty((len(weights), *shape))
    for i, column in enumerate(left.T):
        out[:, i] = (weights * column) @ right
    return out
