r"""The regression of labels on scores and noisy labels together.

Regression of labels of which some are known and all have a noisy copy.

For each row, with features x and w,

.. math:: \operatorname{logit} P(z = 1) = x^T \alpha_c , \quad
          \operatorname{logit} P(y = 1 \mid z) = w^T \rho_{z,c} ,

with c the group of the row. The likelihood of a row with a known label z has both factors; that of
another row is :math:`\sum_z P(z) P(y \mid z)`. As every row contributes, the selection of rows for
labeling is ignorable if it depends on scores, noisy labels and earlier labels only.

The coefficients of the groups, :math:`\theta_c = (\alpha_c, \rho_{1,c}, \rho_{0,c})`, are drawn
around common ones, :math:`\theta_c \sim N(\mu, \operatorname{diag}(\tau^2))`, with :math:`\mu \sim
N(m, s^2)` and :math:`\tau^2 \sim \mathrm{IG}(2, t^2)`, so that small groups are shrunk to the
others. For a single group, :math:`\theta \sim N(m, s^2 + t^2)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import special

from ...inputs._arrays import FrozenArrays
from ...results._verdict import Reason
from ..lists._ranked_lists import members_of
from ._label_model import LabelDraws, LabelModel, normal_scores, ranked_scores

# Shape of the inverse gamma prior of the variance between groups: its mean is t^2.
SHAPE = 2.0
# Newton steps to the mode: maximum number, maximum length per coefficient, maximum number of
# halvings, and the tolerance of the step length.
N_STEPS, LONGEST_STEP, N_HALVINGS, NEAR = 30, 2.0, 6, 0.05
# Proposals are this much wider than the curvature at the mode implies, to cover the tails.
WIDER = 1.3
# Burn-in sweeps of the chain.
BURN_IN = 100
# Autocorrelation of the proposal of a group.
KEPT = (0.0, 0.6, 0.9)
# Number of common shifts of all groups in a sweep, their length relative to the dimension, and the
# scale of the logarithm of a stretch.
SHIFTS, STEP, STRETCH = 5, 2.4, 0.5
# The minimum of the curvature in any direction.
MIN_CURVATURE = 1e-6


@dataclass(frozen=True, eq=False)
class CoefficientPrior(FrozenArrays):
    """The prior of the common coefficients."""

    mean: np.ndarray  # (n_coefficients,)
    scale: np.ndarray  # (n_coefficients,)
    spread: np.ndarray  # (n_coefficients,); the scale t of differences between groups


@dataclass(frozen=True, eq=False)
class Rows(FrozenArrays):
    """Observed rows, with equal ones merged, sorted by group."""

    x: np.ndarray  # (n_rows, n_features); features of the label
    w: np.ndarray  # (n_rows, n_noise_features); features of the noise
    group: np.ndarray  # (n_rows,); increasing
    label: np.ndarray  # (n_rows,); 1, 0, or -1 if unknown
    noisy: np.ndarray  # (n_rows,); 1, 0, or -1 if there is none
    count: np.ndarray  # (n_rows,); weight of the row; negative where its information is subtracted
    n_groups: int

    @cached_property
    def seen(self) -> np.ndarray:
        """Whether there is a noisy label, 1 or 0."""
        return (self.noisy >= 0).astype(float)

    @cached_property
    def sign(self) -> np.ndarray:
        """1 for noisy positives, -1 for noisy negatives."""
        return 2.0 * self.noisy - 1.0

    @cached_property
    def starts(self) -> np.ndarray:
        """The first row of each group that is not empty."""
        return np.flatnonzero(np.diff(self.group, prepend=-1))

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of rows in each group."""
        return np.bincount(self.group, minlength=self.n_groups)

    def predictors(self, theta: Any) -> tuple:
        """Return the linear predictors of z, of y given z = 1, and of y given z = 0."""
        dx, dw = self.x.shape[1], self.w.shape[1]
        own = np.repeat(theta, self.sizes, axis=0)
        return (
            np.einsum("ij,ij->i", self.x, own[:, :dx]),
            np.einsum("ij,ij->i", self.w, own[:, dx : dx + dw]),
            np.einsum("ij,ij->i", self.w, own[:, dx + dw :]),
        )

    def by_group(self, values: Any) -> Any:
        """Return sums over the rows of each group, along the first axis."""
        sums = np.zeros((self.n_groups, *values.shape[1:]))
        if len(self.starts):
            sums[self.group[self.starts]] = np.add.reduceat(values, self.starts, axis=0)
        return sums

    def log_likelihood(self, theta: Any) -> np.ndarray:
        """Return the log likelihood of each group, of shape (n_groups,)."""
        eta, right, wrong = self.predictors(theta)
        positive = special.log_expit(eta)
        negative = positive - eta
        positive += self.seen * special.log_expit(self.sign * right)
        negative += self.seen * special.log_expit(self.sign * wrong)
        larger = np.maximum(positive, negative)
        either = larger + np.log1p(np.exp(-np.abs(positive - negative)))
        value = np.where(self.label == 1, positive, np.where(self.label == 0, negative, either))
        return self.by_group(self.count * value)

    def slope_and_curvature(self, theta: Any) -> tuple:
        """Return the gradient (n_groups, d) of the log likelihood, and minus its Hessian.

        The Hessian is that of the complete data, minus the variance of the complete-data gradient
        given the unknown labels (Louis' formula).
        """
        eta, right, wrong = self.predictors(theta)
        pi, r, f = special.expit(eta), special.expit(right), special.expit(wrong)
        seen, sign = self.seen, self.sign
        y = seen * self.noisy
        ratio = special.log_expit(sign * right) - special.log_expit(sign * wrong)
        odds = eta + seen * ratio
        z = np.where(self.label >= 0, self.label, special.expit(odds))
        slopes = np.stack([z - pi, seen * z * (y - r), seen * (1.0 - z) * (y - f)])
        full = np.stack([pi * (1 - pi), seen * z * r * (1 - r), seen * (1 - z) * f * (1 - f)])
        blocks = np.zeros((3, 3, len(z)))
        blocks[[0, 1, 2], [0, 1, 2]] = full
        moves = np.stack([np.ones_like(z), seen * (y - r), -seen * (y - f)])
        unknown = np.where(self.label < 0, z * (1.0 - z), 0.0)
        blocks = blocks - unknown * moves[:, np.newaxis] * moves[np.newaxis]
        parts = (self.x, self.w, self.w)
        gradient = np.concatenate(
            [(self.count * s)[:, np.newaxis] * part for s, part in zip(slopes, parts, strict=True)],
            axis=1,
        )
        sizes = [part.shape[1] for part in parts]
        ends = np.cumsum([0, *sizes])
        curvature = np.zeros((self.n_groups, ends[-1], ends[-1]))
        for i in range(3):
            for j in range(i, 3):
                outer = (self.count * blocks[i, j])[:, np.newaxis] * parts[i]
                of_pair = self.by_group(outer[:, :, np.newaxis] * parts[j][:, np.newaxis])
                here, there = (slice(ends[k], ends[k + 1]) for k in (i, j))
                curvature[:, here, there] = of_pair
                curvature[:, there, here] = of_pair.transpose(0, 2, 1)
        return self.by_group(gradient), curvature


def draw_coefficients(
    rows: Rows, prior: CoefficientPrior, n_draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw the coefficients of all groups from their posterior.

    A Gibbs sampler: the common coefficients given those of the groups, and those of each group
    by a Metropolis-Hastings step, proposed from the curvature of its likelihood at the mode.
    """
    theta, mu, variance = _mode(rows, prior)
    slope, curvature = rows.slope_and_curvature(theta)
    curvature = _not_negative(curvature)
    pull = np.einsum("cij,cj->ci", curvature, theta) + slope
    likelihood, kept = rows.log_likelihood(theta), []
    root = _shift_root(curvature, prior)
    for sweep in range(BURN_IN + n_draws):
        proposal = _Proposal.of(curvature, pull, mu, variance)
        new = proposal.near(theta, rng)
        new_likelihood = rows.log_likelihood(new)
        ratio = new_likelihood + _log_normal(new, mu, variance) - proposal.log_density(new)
        ratio -= likelihood + _log_normal(theta, mu, variance) - proposal.log_density(theta)
        taken = np.log(rng.random(len(theta))) < ratio
        theta = np.where(taken[:, np.newaxis], new, theta)
        likelihood = np.where(taken, new_likelihood, likelihood)
        if rows.n_groups > 1:
            mu, variance = _common(theta, variance, prior, rng)
            state = _State(theta, likelihood, mu, variance)
            for _ in range(SHIFTS):
                state = _shifted(rows, state, prior, root, rng)
            state = _stretched(rows, state, prior, rng)
            theta, likelihood, mu, variance = state
        if sweep >= BURN_IN:
            kept.append(theta)
    return np.array(kept)


@dataclass(frozen=True, eq=False)
class _Proposal(FrozenArrays):
    mean: np.ndarray
    precision: np.ndarray
    root: np.ndarray

    @classmethod
    def of(cls, curvature: Any, pull: Any, mu: Any, variance: Any) -> Any:
        precision = curvature + np.diag(1.0 / variance)
        mean = np.linalg.solve(precision, (pull + mu / variance)[..., np.newaxis])[..., 0]
        root = np.linalg.cholesky(np.linalg.inv(precision) * WIDER)
        return cls(mean, precision / WIDER, root)

    def near(self, theta: Any, rng: np.random.Generator) -> Any:
        """Draw from the proposal by an autoregressive step that leaves it invariant."""
        keep = rng.choice(KEPT, size=(len(theta), 1))
        noise = np.einsum("cij,cj->ci", self.root, rng.standard_normal(self.mean.shape))
        return self.mean + keep * (theta - self.mean) + np.sqrt(1.0 - keep**2) * noise

    def log_density(self, theta: Any) -> Any:
        """Return the log density up to a constant."""
        off = theta - self.mean
        return -0.5 * np.einsum("ci,cij,cj->c", off, self.precision, off)


def _mode(rows: Any, prior: Any) -> tuple:
    """Return a mode of the groups' coefficients, and the common ones that go with it."""
    mu, variance = prior.mean.copy(), prior.spread**2
    if rows.n_groups == 1:
        # A single group is not pooled: the prior of its coefficients is known.
        variance = prior.scale**2 + prior.spread**2
    theta = np.tile(mu, (rows.n_groups, 1))
    for _ in range(N_STEPS):
        theta, moved, precision = _uphill(rows, theta, mu, variance)
        if rows.n_groups > 1:
            spread = np.linalg.inv(precision)[:, np.arange(len(mu)), np.arange(len(mu))]
            mu = _pulled(theta, variance, prior)[0]
            squares = ((theta - mu) ** 2 + spread).sum(axis=0)
            variance = (prior.spread**2 + squares / 2.0) / (SHAPE + rows.n_groups / 2.0 + 1.0)
        if moved < NEAR:
            break
    return theta, mu, variance


def _uphill(rows: Any, theta: Any, mu: Any, variance: Any) -> tuple:
    """Return coefficients of a higher density, the step length, and the precision there."""
    slope, curvature = rows.slope_and_curvature(theta)
    precision = _not_negative(curvature) + np.diag(1.0 / variance)
    move = np.linalg.solve(precision, (slope + (mu - theta) / variance)[..., np.newaxis])[..., 0]
    longest = np.abs(move).max(axis=1, keepdims=True)
    move *= np.minimum(1.0, LONGEST_STEP / np.maximum(longest, LONGEST_STEP))
    before = rows.log_likelihood(theta) + _log_normal(theta, mu, variance)
    for _ in range(N_HALVINGS):
        after = rows.log_likelihood(theta + move) + _log_normal(theta + move, mu, variance)
        lower = ~(after >= before)
        if not lower.any():
            break
        move[lower] /= 2.0
    move[lower] = 0.0
    return theta + move, float(np.abs(move).max()), precision


def _pulled(theta: Any, variance: Any, prior: Any) -> tuple:
    """Return the mean and the variance of the common coefficients given those of the groups."""
    precision = len(theta) / variance + 1.0 / prior.scale**2
    mean = (theta.sum(axis=0) / variance + prior.mean / prior.scale**2) / precision
    return mean, 1.0 / precision


def _common(theta: Any, variance: Any, prior: Any, rng: np.random.Generator) -> tuple:
    """Draw the common coefficients, and the variance between groups."""
    mean, spread = _pulled(theta, variance, prior)
    mu = mean + np.sqrt(spread) * rng.standard_normal(len(mean))
    rate = prior.spread**2 + ((theta - mu) ** 2).sum(axis=0) / 2.0
    return mu, rate / rng.gamma(SHAPE + len(theta) / 2.0, size=len(mean))


class _State(NamedTuple):
    theta: np.ndarray
    likelihood: np.ndarray
    mu: np.ndarray
    variance: np.ndarray


def _shift_root(curvature: Any, prior: Any) -> Any:
    """Return a root of the covariance of the common shifts of all groups."""
    precision = curvature.sum(axis=0) + np.diag(1.0 / prior.scale**2)
    return np.linalg.cholesky(np.linalg.inv(precision)) * STEP / np.sqrt(len(precision))


def _shifted(rows: Any, state: Any, prior: Any, root: Any, rng: np.random.Generator) -> Any:
    """Move the common coefficients and those of all groups by the same shift.

    Otherwise the common ones would mix slowly where the groups have little information.
    """
    move = np.einsum("ij,j->i", root, rng.standard_normal(len(state.mu)))
    theta, mu = state.theta + move, state.mu + move
    likelihood = rows.log_likelihood(theta)
    ratio = (likelihood - state.likelihood).sum()
    ratio += _log_normal(mu[np.newaxis], prior.mean, prior.scale**2)[0]
    ratio -= _log_normal(state.mu[np.newaxis], prior.mean, prior.scale**2)[0]
    if np.log(rng.random()) < ratio:
        return _State(theta, likelihood, mu, state.variance)
    return state


def _stretched(rows: Any, state: Any, prior: Any, rng: np.random.Generator) -> Any:
    """Scale the deviations of groups from the common value of one coefficient, and its variance."""
    k, stretch = rng.integers(len(state.mu)), np.exp(STRETCH * rng.standard_normal())
    theta, variance = state.theta.copy(), state.variance.copy()
    theta[:, k] = state.mu[k] + (theta[:, k] - state.mu[k]) * stretch
    variance[k] *= stretch**2
    likelihood = rows.log_likelihood(theta)
    ratio = (likelihood - state.likelihood).sum()
    # The inverse gamma prior of the variance, on the log scale.
    ratio -= SHAPE * 2.0 * np.log(stretch)
    ratio -= prior.spread[k] ** 2 * (1.0 / variance[k] - 1.0 / state.variance[k])
    if np.log(rng.random()) < ratio:
        return _State(theta, likelihood, state.mu, variance)
    return state


def _log_normal(theta: Any, mu: Any, variance: Any) -> Any:
    return -0.5 * ((theta - mu) ** 2 / variance).sum(axis=1)


def _not_negative(curvature: Any) -> Any:
    """Return the curvature with absolute eigenvalues, so that a step leads uphill."""
    values, vectors = np.linalg.eigh(curvature)
    values = np.maximum(np.abs(values), MIN_CURVATURE)
    return np.einsum("cik,ck,cjk->cij", vectors, values, vectors)


# Knots at which the slope of the score may change, as normal quantiles.
KNOTS, NOISE_KNOTS = np.array([-1.5, -0.75, 0.0, 0.75, 1.5, 2.25]), np.array([0.0, 0.75, 1.5])
# The same for categories with many rows, and the number of rows that are many.
MORE_KNOTS, MORE_NOISE_KNOTS = np.arange(-1.5, 3.1, 0.375), np.arange(-0.75, 2.3, 0.75)
MANY = 500
# Number of draws of the coefficients: fewer are subsampled from them, and more reuse each several
# times. Few rows are fast, and have more.
SWEEPS, MAX_WORK = (200, 400), 800_000
# The information of noisy labels without verified ones depends on the form of the model: they count
# for at most so many rows of each category.
MAX_TRUSTED = 1000.0
# Above this number of rows, neighboring scores are merged into so many cells of all categories
# together.
MAX_ROWS, N_CELLS = 8_000, 2_000
# Prior mean, scale and spread between categories, of the intercept, the slope of the score, its
# changes at knots, differences between systems, side features, the score within its category, and
# of the noise: true and false tags.
INTERCEPT, SLOPE, CHANGE = (0.0, 2.0, 1.0), (1.5, 2.0, 0.5), (0.0, 1.0, 0.15)
SYSTEM, FEATURE, WITHIN = (0.0, 1.5, 0.3), (0.0, 1.0, 0.2), (0.5, 1.5, 0.2)
TRUE_TAG, FALSE_TAG, NOISE_SLOPE = (0.5, 1.5, 0.5), (-2.0, 1.5, 0.5), (0.0, 0.7, 0.15)


@dataclass(frozen=True)
class JointModel(LabelModel):
    r"""Joint regression of labels and noisy labels on the score, with all items.

    For an item of category c with the score s, a normal score of its rank,

    .. math:: \operatorname{logit} P(z = 1 \mid s) = \alpha_c + \beta_c s + \text{changes of
        slope} , \quad \operatorname{logit} P(y = 1 \mid z, s) = \rho_{z,c} + \gamma_{z,c} s ,

    so that eq. 13 of [1]_ gives :math:`P(z \mid s, y)`. With V the verified items, the log
    likelihood of the coefficients is

    .. math:: \sum_{i \in V} \log P(z_i \mid s_i, y_i) + \lambda \sum_i \log P(y_i \mid s_i) ,

    which is the full likelihood at :math:`\lambda = 1`. Unlike flip rates counted on verified
    items, it is not biased by the selection of items by their noisy label, for any :math:`\lambda`.
    The information on labels in the second sum depends on the form of the model: it is limited to
    that of 1,000 items per category. Categories are partially pooled.

    It is the default with `features` too. Without noisy labels it is a logistic regression with
    strong pooling of categories and systems: the verdict is then "misfit" if there are several. If
    requested by name it needs noisy labels.

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

    Examples
    --------
    Users name few of the tags of a photo, and the model corrects for it.

    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active import JointModel
    >>> from sklearn_spe.datasets import make_noisy_tags
    >>> data = make_noisy_tags(100, 3, prevalence=0.2, random_state=0)
    >>> selector = ActiveTestSelector(label_model=JointModel(), n_draws=40, random_state=0)
    >>> selector = selector.fit(
    ...     data.scores, noisy_labels=data.noisy_labels, category=data.category)
    >>> items = selector.query(30)
    >>> selector = selector.update(items, data.labels[items])
    >>> bool(selector.estimate_.value > selector.naive_estimate_)
    True
    """

    name: ClassVar[str] = "joint"

    def learn(
        self, ranked_lists: Any, codes: Any, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        x, w, prior = _features(ranked_lists)
        noisy = (
            np.full(ranked_lists.n_rows, -1) if ranked_lists.noisy is None else ranked_lists.noisy
        )
        rows = _rows(ranked_lists, x, w, codes, noisy)
        n_sweeps = int(np.clip(MAX_WORK // max(len(rows.count), 1), *SWEEPS))
        theta = draw_coefficients(rows, prior, n_sweeps, rng)
        theta = theta[np.arange(n_draws) * n_sweeps // n_draws]
        probability = _probability(ranked_lists.group, x, w, noisy, theta)
        return LabelDraws(probability, codes, reasons=tuple(_reasons(ranked_lists)))


def _reasons(ranked_lists: Any) -> Iterator[Any]:
    """Yield reasons against a single regression of all rows."""
    n_parts = ranked_lists.n_groups * ranked_lists.scores.shape[1]
    if ranked_lists.noisy is None and n_parts > 1:
        yield Reason(
            "pooled_parts",
            "misfit",
            "Without noisy labels one regression of all categories and systems shrinks their "
            "differences: intervals of each undercover where they differ.",
            float(n_parts),
            1.0,
            remedy="Use "
            "label_model='shared_curves', which does not use features, or fit them separately.",
            parameter="label_model",
        )


def _features(ranked_lists: Any) -> tuple:
    """Return features of labels and of the noise, and the prior of their coefficients."""
    within, n = ranked_scores(ranked_lists), ranked_lists.n_rows
    each = np.stack([normal_scores(column) for column in ranked_lists.scores.T], axis=1)
    score = normal_scores(each.mean(axis=1))
    many = n >= MANY * ranked_lists.n_groups
    knots, noise_knots = (MORE_KNOTS, MORE_NOISE_KNOTS) if many else (KNOTS, NOISE_KNOTS)
    hinges = np.maximum(score[:, np.newaxis] - knots, 0.0)
    columns, distributions = [np.ones((n, 1)), score[:, np.newaxis], hinges], [INTERCEPT, SLOPE]
    distributions += [CHANGE] * len(knots)
    # Noisy labels may be biased to one of the systems, or be less reliable for some items.
    others = []
    if each.shape[1] > 1:
        others.append(each - each.mean(axis=1, keepdims=True))
        distributions += [SYSTEM] * each.shape[1]
    if ranked_lists.features is not None:
        centered = ranked_lists.features - ranked_lists.features.mean(axis=0)
        others.append(centered / np.maximum(centered.std(axis=0), 1e-12))
        distributions += [FEATURE] * ranked_lists.features.shape[1]
    columns += others
    if ranked_lists.n_groups > 1:
        # Categories may have different scores scales: then ranks within each matter.
        columns.append(within.mean(axis=1)[:, np.newaxis])
        distributions.append(WITHIN)
    slopes = [NOISE_SLOPE] * (1 + len(noise_knots) + sum(part.shape[1] for part in others))
    distributions += [TRUE_TAG, *slopes, FALSE_TAG, *slopes]
    w = [np.ones((n, 1)), score[:, np.newaxis]]
    w += [np.maximum(score[:, np.newaxis] - noise_knots, 0.0), *others]
    return (
        np.concatenate(columns, axis=1),
        np.concatenate(w, axis=1),
        CoefficientPrior(*np.array(distributions).T),
    )


def _rows(ranked_lists: Any, x: Any, w: Any, codes: Any, noisy: Any) -> Rows:
    """Return the observed rows, with neighboring scores merged."""
    known = np.flatnonzero(codes >= 0)
    trust = min(1.0, MAX_TRUSTED * ranked_lists.n_groups / ranked_lists.n_rows)
    # The information of noisy labels alone, and of labels given noisy ones: verified items, which
    # may be selected by their noisy labels, are treated as the others are.
    entry = np.r_[np.arange(ranked_lists.n_rows), known]
    label = np.r_[codes, np.full(len(known), -1)]
    count = np.r_[np.where(codes < 0, trust, 1.0), np.full(len(known), trust - 1.0)]
    group = ranked_lists.group[entry]
    if (
        ranked_lists.n_rows <= MAX_ROWS
        or ranked_lists.features is not None
        or ranked_lists.scores.shape[1] > 1
    ):
        kept = np.lexsort((x[entry, 1], noisy[entry], group))
        kept = kept[count[kept] != 0.0]
        is_known = (label[kept] >= 0) | (count[kept] < 0.0)
        # Every n-th of so many neighbors represents all of them.
        step = max(1, len(kept) // MAX_ROWS)
        among = is_known | (np.cumsum(~is_known) % step == 0)
        count = np.where((label < 0) & (count > 0.0), count * step, count)
        kept = kept[among]
        entry = entry[kept]
        return Rows(
            x[entry],
            w[entry],
            group[kept],
            label[kept],
            noisy[entry],
            count[kept],
            ranked_lists.n_groups,
        )
    # The score is the second feature.
    n_cells = max(N_CELLS // ranked_lists.n_groups, 50)
    cell = np.searchsorted(np.quantile(x[:, 1], np.arange(1, n_cells) / n_cells), x[:, 1])
    key = ((group * 3 + noisy[entry] + 1) * 3 + label + 1) * n_cells + cell[entry]
    _, first, row, size = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    x, w = (
        np.stack([np.bincount(row, column[entry]) for column in part.T], axis=1)
        / size[:, np.newaxis]
        for part in (x, w)
    )
    count = np.bincount(row, count)
    return Rows(x, w, group[first], label[first], noisy[entry][first], count, ranked_lists.n_groups)


def _probability(group: Any, x: Any, w: Any, noisy: Any, theta: Any) -> np.ndarray:
    """Return P(z = 1 | score, noisy label) of each row in each draw, by eq. 13."""
    # Half the precision and size: labels are drawn from it, no more.
    probability = np.empty((len(theta), len(group)), dtype=np.float32)
    dx, dw = x.shape[1], w.shape[1]
    sign = np.where(noisy >= 0, 2.0 * noisy - 1.0, 0.0)
    for number, own in enumerate(members_of(group, theta.shape[1])):
        coefficients = theta[:, number]
        odds = np.einsum("ij,kj->ki", x[own], coefficients[:, :dx])
        right = np.einsum("ij,kj->ki", w[own], coefficients[:, dx : dx + dw])
        wrong = np.einsum("ij,kj->ki", w[own], coefficients[:, dx + dw :])
        s = sign[own]
        odds += special.log_expit(s * right) - special.log_expit(s * wrong)
        probability[:, own] = special.expit(odds)
    return probability
