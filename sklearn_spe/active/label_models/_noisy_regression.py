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
N(m, s^2)` and :math:`\tau^2 \sim \mathrm{IG}(2, t^2)`, so small groups are shrunk to the
others. For a single group, :math:`\theta \sim N(m, s^2 + t^2)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import special

from ...inputs._arrays import FrozenArrays
from ...results._verdict import Reason
from ..lists._ranked_lists import RankedLists, members_of
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
AUTOCORRELATIONS = (0.0, 0.6, 0.9)
# Number of common shifts of all groups in a sweep, their length relative to the dimension, and the
# scale of the logarithm of a stretch.
SHIFTS, STEP, STRETCH = 5, 2.4, 0.5
# The minimum of the curvature in any direction.
MIN_CURVATURE = 1e-6
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
# Items with the same noisy label in a category are represented by at most their share of so many
# rows, or by so many.
MAX_ROWS, MIN_ROWS = 8_000, 50
# Prior mean, scale and spread between categories, of the intercept, the slope of the score, its
# changes at knots, differences between systems, side features, the score within its category, and
# of the noise: true and false tags.
INTERCEPT, SLOPE, CHANGE = (0.0, 2.0, 1.0), (1.5, 2.0, 0.5), (0.0, 1.0, 0.15)
SYSTEM, FEATURE, WITHIN = (0.0, 1.5, 0.3), (0.0, 1.0, 0.2), (0.5, 1.5, 0.2)
TRUE_TAG, FALSE_TAG, NOISE_SLOPE = (0.5, 1.5, 0.5), (-2.0, 1.5, 0.5), (0.0, 0.7, 0.15)


@dataclass(frozen=True, eq=False)
class CoefficientPrior(FrozenArrays):
    """The prior of the common coefficients."""

    mean: np.ndarray  # (n_coefficients,)
    scale: np.ndarray  # (n_coefficients,)
    spread: np.ndarray  # (n_coefficients,); the scale t of differences between groups


@dataclass(frozen=True, eq=False)
class Rows(FrozenArrays):
    """Observed rows with weights, since one row may represent several."""

    x: np.ndarray  # (n_rows, n_features); features of the label
    w: np.ndarray  # (n_rows, n_noise_features); features of the noise
    group: np.ndarray  # (n_rows,), of int
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

    @property
    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The features of z, of y given z = 1, and of y given z = 0."""
        return self.x, self.w, self.w

    def predictors(self, theta: np.ndarray) -> list[np.ndarray]:
        """Return the linear predictors of z, of y given z = 1, and of y given z = 0."""
        ends = np.cumsum([part.shape[1] for part in self.parts])
        coefficients = np.split(theta[self.group], ends[:-1], axis=1)
        return [
            np.einsum("ij,ij->i", features, part)
            for features, part in zip(self.parts, coefficients, strict=True)
        ]

    def log_likelihood(self, theta: np.ndarray) -> np.ndarray:
        """Return the log likelihood of each group, of shape (n_groups,)."""
        eta, eta_positive, eta_negative = self.predictors(theta)

        # log P(z = 1, y) and log P(z = 0, y).
        positive = special.log_expit(eta)
        negative = positive - eta
        positive += self.seen * special.log_expit(self.sign * eta_positive)
        negative += self.seen * special.log_expit(self.sign * eta_negative)

        # Their sum where the label is unknown.
        marginal = np.logaddexp(positive, negative)
        log_likelihood = np.where(self.label == 0, negative, marginal)
        log_likelihood = np.where(self.label == 1, positive, log_likelihood)
        return np.bincount(self.group, self.count * log_likelihood, self.n_groups)

    def slope_and_curvature(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient (n_groups, d) of the log likelihood, and minus its Hessian.

        The Hessian is that of the complete data, minus the variance of the complete-data gradient
        given the unknown labels (Louis' formula).
        """
        eta, eta_positive, eta_negative = self.predictors(theta)
        pi = special.expit(eta)  # P(z = 1)
        r = special.expit(eta_positive)  # P(y = 1 | z = 1)
        f = special.expit(eta_negative)  # P(y = 1 | z = 0)
        seen = self.seen
        sign = self.sign
        y = seen * self.noisy

        # The labels, or their expectation given the noisy label.
        ratio = special.log_expit(sign * eta_positive) - special.log_expit(sign * eta_negative)
        posterior = special.expit(eta + seen * ratio)
        z = np.where(self.label >= 0, self.label, posterior)

        # By the three linear predictors: gradient and curvature of the complete data.
        slopes = np.stack([z - pi, seen * z * (y - r), seen * (1.0 - z) * (y - f)])
        complete = np.stack(
            [
                pi * (1 - pi),
                seen * z * r * (1 - r),
                seen * (1 - z) * f * (1 - f),
            ]
        )

        # The variance of the gradient by the unknown labels.
        change = np.stack([np.ones_like(z), seen * (y - r), -seen * (y - f)])
        variance = np.where(self.label < 0, z * (1.0 - z), 0.0)
        lost = variance * change[:, np.newaxis] * change
        blocks = np.eye(3)[:, :, np.newaxis] * complete - lost
        slopes = self.count * slopes
        blocks = self.count * blocks

        # By the coefficients of each group.
        gradient = []
        curvature = []
        for rows in members_of(self.group, self.n_groups):
            parts = [part[rows] for part in self.parts]
            group_gradient = []
            group_curvature = []
            for i in range(3):
                slope = np.einsum("n,ni->i", slopes[i, rows], parts[i])
                group_gradient.append(slope)
                row_of_blocks = []
                for j in range(3):
                    weights = blocks[i, j, rows]
                    block = np.einsum("n,ni,nj->ij", weights, parts[i], parts[j])
                    row_of_blocks.append(block)
                group_curvature.append(row_of_blocks)
            gradient.append(np.concatenate(group_gradient))
            curvature.append(np.block(group_curvature))
        return np.array(gradient), np.array(curvature)


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
    root = _shift_root(curvature, prior)
    likelihood = rows.log_likelihood(theta)

    draws = []
    for sweep in range(BURN_IN + n_draws):
        # The coefficients of each group given the common ones.
        proposal = _Proposal.of(curvature, pull, mu, variance)
        new = proposal.near(theta, rng)
        new_likelihood = rows.log_likelihood(new)
        new_prior = _log_normal(new, mu, variance)
        old_prior = _log_normal(theta, mu, variance)
        ratio = new_likelihood + new_prior - proposal.log_density(new)
        ratio -= likelihood + old_prior - proposal.log_density(theta)
        is_accepted = np.log(rng.random(len(theta))) < ratio
        theta = np.where(is_accepted[:, np.newaxis], new, theta)
        likelihood = np.where(is_accepted, new_likelihood, likelihood)

        # The common ones given those of the groups, and joint moves of both.
        if rows.n_groups > 1:
            mu, variance = _common(theta, variance, prior, rng)
            state = _State(theta, likelihood, mu, variance)
            for _ in range(SHIFTS):
                state = _shifted(rows, state, prior, root, rng)
            state = _stretched(rows, state, prior, rng)
            theta, likelihood, mu, variance = state

        if sweep >= BURN_IN:
            draws.append(theta)
    return np.array(draws)


@dataclass(frozen=True, eq=False)
class _Proposal(FrozenArrays):
    mean: np.ndarray
    precision: np.ndarray
    root: np.ndarray

    @classmethod
    def of(
        cls, curvature: np.ndarray, pull: np.ndarray, mu: np.ndarray, variance: np.ndarray
    ) -> _Proposal:
        precision = curvature + np.diag(1.0 / variance)
        weighted_mean = pull + mu / variance
        mean = np.linalg.solve(precision, weighted_mean[..., np.newaxis])[..., 0]
        covariance = np.linalg.inv(precision) * WIDER
        return cls(mean, precision / WIDER, np.linalg.cholesky(covariance))

    def near(self, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw from the proposal by an autoregressive step that leaves it invariant."""
        correlation = rng.choice(AUTOCORRELATIONS, size=(len(theta), 1))
        normal = rng.standard_normal(self.mean.shape)
        noise = np.einsum("cij,cj->ci", self.root, normal)
        deviation = correlation * (theta - self.mean)
        return self.mean + deviation + np.sqrt(1.0 - correlation**2) * noise

    def log_density(self, theta: np.ndarray) -> np.ndarray:
        """Return the log density up to a constant."""
        deviation = theta - self.mean
        return -0.5 * np.einsum("ci,cij,cj->c", deviation, self.precision, deviation)


def _mode(rows: Rows, prior: CoefficientPrior) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a mode of the groups' coefficients, and the common ones that go with it."""
    mu = prior.mean.copy()
    variance = prior.spread**2
    if rows.n_groups == 1:
        # A single group is not pooled: the prior of its coefficients is known.
        variance = prior.scale**2 + prior.spread**2
    theta = np.tile(mu, (rows.n_groups, 1))
    diagonal = np.arange(len(mu))
    for _ in range(N_STEPS):
        theta, step_length, precision = _uphill(rows, theta, mu, variance)
        if rows.n_groups > 1:
            covariance = np.linalg.inv(precision)
            mu = _pulled(theta, variance, prior)[0]
            squares = ((theta - mu) ** 2 + covariance[:, diagonal, diagonal]).sum(axis=0)

            # The mode of the inverse gamma posterior of the variance.
            rate = prior.spread**2 + squares / 2.0
            shape = SHAPE + rows.n_groups / 2.0
            variance = rate / (shape + 1.0)
        if step_length < NEAR:
            break
    return theta, mu, variance


def _uphill(
    rows: Rows, theta: np.ndarray, mu: np.ndarray, variance: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray]:
    """Return coefficients of a higher density, the step length, and the precision there."""
    slope, curvature = rows.slope_and_curvature(theta)
    slope = slope + (mu - theta) / variance
    precision = _not_negative(curvature) + np.diag(1.0 / variance)
    step = np.linalg.solve(precision, slope[..., np.newaxis])[..., 0]
    longest = np.abs(step).max(axis=1, keepdims=True)
    step *= np.minimum(1.0, LONGEST_STEP / np.maximum(longest, LONGEST_STEP))

    # Newton steps are halved until the density does not decrease.
    density = rows.log_likelihood(theta) + _log_normal(theta, mu, variance)
    for _ in range(N_HALVINGS):
        new_theta = theta + step
        new_density = rows.log_likelihood(new_theta) + _log_normal(new_theta, mu, variance)
        is_lower = ~(new_density >= density)
        if not is_lower.any():
            break
        step[is_lower] /= 2.0
    step[is_lower] = 0.0
    return theta + step, float(np.abs(step).max()), precision


def _pulled(
    theta: np.ndarray, variance: np.ndarray, prior: CoefficientPrior
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the variance of the common coefficients given those of the groups."""
    prior_variance = prior.scale**2
    precision = len(theta) / variance + 1.0 / prior_variance
    weighted_mean = theta.sum(axis=0) / variance + prior.mean / prior_variance
    return weighted_mean / precision, 1.0 / precision


def _common(
    theta: np.ndarray, variance: np.ndarray, prior: CoefficientPrior, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the common coefficients, and the variance between groups."""
    mean, mean_variance = _pulled(theta, variance, prior)
    mu = mean + np.sqrt(mean_variance) * rng.standard_normal(len(mean))

    # An inverse gamma distribution.
    squares = ((theta - mu) ** 2).sum(axis=0)
    rate = prior.spread**2 + squares / 2.0
    shape = SHAPE + len(theta) / 2.0
    return mu, rate / rng.gamma(shape, size=len(mean))


class _State(NamedTuple):
    theta: np.ndarray
    likelihood: np.ndarray
    mu: np.ndarray
    variance: np.ndarray


def _shift_root(curvature: np.ndarray, prior: CoefficientPrior) -> np.ndarray:
    """Return a root of the covariance of the common shifts of all groups."""
    precision = curvature.sum(axis=0) + np.diag(1.0 / prior.scale**2)
    root = np.linalg.cholesky(np.linalg.inv(precision))
    return root * STEP / np.sqrt(len(precision))


def _shifted(
    rows: Rows,
    state: _State,
    prior: CoefficientPrior,
    root: np.ndarray,
    rng: np.random.Generator,
) -> _State:
    """Move the common coefficients and those of all groups by the same shift.

    Otherwise the common ones would mix slowly where the groups have little information.
    """
    normal = rng.standard_normal(len(state.mu))
    shift = np.einsum("ij,j->i", root, normal)
    mu = state.mu + shift
    theta = state.theta + shift
    old_prior, new_prior = _log_normal(np.stack([state.mu, mu]), prior.mean, prior.scale**2)
    return _moved(rows, state, theta, mu, state.variance, new_prior - old_prior, rng)


def _stretched(
    rows: Rows, state: _State, prior: CoefficientPrior, rng: np.random.Generator
) -> _State:
    """Scale the deviations of groups from the common value of one coefficient, and its variance."""
    k = rng.integers(len(state.mu))
    stretch = np.exp(STRETCH * rng.standard_normal())
    deviation = state.theta[:, k] - state.mu[k]
    theta = state.theta.copy()
    theta[:, k] = state.mu[k] + deviation * stretch
    variance = state.variance.copy()
    variance[k] *= stretch**2

    # The inverse gamma prior of the variance, on the log scale.
    change_of_precision = 1.0 / variance[k] - 1.0 / state.variance[k]
    ratio = -SHAPE * 2.0 * np.log(stretch)
    ratio -= prior.spread[k] ** 2 * change_of_precision
    return _moved(rows, state, theta, state.mu, variance, ratio, rng)


def _moved(
    rows: Rows,
    state: _State,
    theta: np.ndarray,
    mu: np.ndarray,
    variance: np.ndarray,
    ratio: float,
    rng: np.random.Generator,
) -> _State:
    """Return the proposed state or, by chance, the last one; `ratio` is that of log priors."""
    likelihood = rows.log_likelihood(theta)
    if np.log(rng.random()) < (likelihood - state.likelihood).sum() + ratio:
        return _State(theta, likelihood, mu, variance)
    return state


def _log_normal(theta: np.ndarray, mu: np.ndarray, variance: np.ndarray) -> np.ndarray:
    return -0.5 * ((theta - mu) ** 2 / variance).sum(axis=1)


def _not_negative(curvature: np.ndarray) -> np.ndarray:
    """Return the curvature with absolute eigenvalues, so that a step leads uphill."""
    values, vectors = np.linalg.eigh(curvature)
    values = np.maximum(np.abs(values), MIN_CURVATURE)
    return np.einsum("cik,ck,cjk->cij", vectors, values, vectors)


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

    It is the default with `features`, and with noisy labels of several categories; of one list half
    of the draws are of it (`PooledModel`). Without noisy labels it is a logistic regression with
    strong pooling of categories and systems: the verdict is then "misfit" if there are several. If
    requested by name it needs noisy labels.

    .. versionadded:: 0.1

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

    Examples
    --------
    Users name few of the tags of a photo, and the model corrects for it.

    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active.label_models._noisy_regression import JointModel
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
        self, ranked_lists: RankedLists, codes: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        x, w, prior = _features(ranked_lists)
        noisy = ranked_lists.noisy
        if noisy is None:
            noisy = np.full(ranked_lists.n_rows, -1)
        rows = _rows(ranked_lists, x, w, codes, noisy)

        n_affordable = MAX_WORK // max(len(rows.count), 1)
        n_sweeps = int(np.clip(n_affordable, *SWEEPS))
        theta = draw_coefficients(rows, prior, n_sweeps, rng)
        theta = theta[np.arange(n_draws) * n_sweeps // n_draws]
        probability = _probability(ranked_lists.group, x, w, noisy, theta)
        return LabelDraws(probability, codes, reasons=tuple(_reasons(ranked_lists)))


def _reasons(ranked_lists: RankedLists) -> Iterator[Reason]:
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


def _features(ranked_lists: RankedLists) -> tuple[np.ndarray, np.ndarray, CoefficientPrior]:
    """Return features of labels and of the noise, and the prior of their coefficients."""
    within = ranked_scores(ranked_lists)
    n = ranked_lists.n_rows
    system_scores = [normal_scores(column) for column in ranked_lists.scores.T]
    systems = np.stack(system_scores, axis=1)
    score = normal_scores(systems.mean(axis=1))[:, np.newaxis]
    one = np.ones((n, 1))

    has_many_rows = n >= MANY * ranked_lists.n_groups
    knots = MORE_KNOTS if has_many_rows else KNOTS
    noise_knots = MORE_NOISE_KNOTS if has_many_rows else NOISE_KNOTS
    hinges = np.maximum(score - knots, 0.0)
    noise_hinges = np.maximum(score - noise_knots, 0.0)

    # Noisy labels may be biased to one of the systems, or be less reliable for some items.
    shared = []
    if systems.shape[1] > 1:
        differences = systems - systems.mean(axis=1, keepdims=True)
        shared.append((differences, SYSTEM))
    if ranked_lists.features is not None:
        centered = ranked_lists.features - ranked_lists.features.mean(axis=0)
        scaled = centered / np.maximum(centered.std(axis=0), 1e-12)
        shared.append((scaled, FEATURE))

    parts = [(one, INTERCEPT), (score, SLOPE), (hinges, CHANGE), *shared]
    if ranked_lists.n_groups > 1:
        # Categories may have different scores scales: then ranks within each matter.
        mean_within = within.mean(axis=1)[:, np.newaxis]
        parts.append((mean_within, WITHIN))
    x = np.concatenate([values for values, _ in parts], axis=1)
    noise_parts = [one, score, noise_hinges, *(values for values, _ in shared)]
    w = np.concatenate(noise_parts, axis=1)

    # A prior for each column of x, and of w for positives and for negatives.
    slopes = [NOISE_SLOPE] * (w.shape[1] - 1)
    distributions = [distribution for values, distribution in parts for _ in values.T]
    distributions += [TRUE_TAG, *slopes, FALSE_TAG, *slopes]
    return x, w, CoefficientPrior(*np.array(distributions).T)


def _rows(
    ranked_lists: RankedLists, x: np.ndarray, w: np.ndarray, codes: np.ndarray, noisy: np.ndarray
) -> Rows:
    """Return the observed rows, of which few represent many unknown ones with similar scores."""
    known = np.flatnonzero(codes >= 0)
    group = ranked_lists.group
    n_groups = ranked_lists.n_groups
    trust = min(1.0, MAX_TRUSTED * n_groups / ranked_lists.n_rows)
    # The information of noisy labels alone, and of labels given noisy ones: verified items, which
    # may be selected by their noisy labels, are treated as the others are.
    entries = [known]
    counts = [np.ones(len(known))]
    if trust < 1.0:
        entries.append(known)
        counts.append(np.full(len(known), trust - 1.0))

    # Unknown rows of a category with the same noisy label: every so many in the order of scores.
    # The score is the second feature.
    order = np.argsort(x[:, 1], kind="stable")
    order = order[codes[order] < 0]
    limit = max(MAX_ROWS // (2 * n_groups), MIN_ROWS)
    stratum = 3 * group[order] + noisy[order] + 1
    for members in members_of(stratum, 3 * n_groups):
        n_members = len(members)
        n = min(n_members, limit)
        middles = (2 * np.arange(n) + 1) * n_members // max(2 * n, 1)
        entries.append(order[members[middles]])
        counts.append(np.full(n, trust * n_members / max(n, 1)))

    entry = np.concatenate(entries)
    count = np.concatenate(counts)
    label = np.full(len(entry), -1)
    label[: len(known)] = codes[known]
    return Rows(x[entry], w[entry], group[entry], label, noisy[entry], count, n_groups)


def _probability(
    group: np.ndarray, x: np.ndarray, w: np.ndarray, noisy: np.ndarray, theta: np.ndarray
) -> np.ndarray:
    """Return P(z = 1 | score, noisy label) of each row in each draw, by eq. 13."""
    # Half the precision and size: labels are drawn from it, no more.
    probability = np.empty((len(theta), len(group)), dtype=np.float32)
    ends = np.cumsum([x.shape[1], w.shape[1]])
    sign = np.where(noisy >= 0, 2.0 * noisy - 1.0, 0.0)
    for index, rows in enumerate(members_of(group, theta.shape[1])):
        alpha, rho_positive, rho_negative = np.split(theta[:, index], ends, axis=1)
        log_odds = np.einsum("ij,kj->ki", x[rows], alpha)
        eta_positive = np.einsum("ij,kj->ki", w[rows], rho_positive)
        eta_negative = np.einsum("ij,kj->ki", w[rows], rho_negative)

        # The likelihood ratio of the noisy label.
        log_positive = special.log_expit(sign[rows] * eta_positive)
        log_negative = special.log_expit(sign[rows] * eta_negative)
        log_odds += log_positive - log_negative
        probability[:, rows] = special.expit(log_odds)
    return probability
