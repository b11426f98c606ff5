"""Fits of several pairs of families, side by side, and their evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from ..data._sample import ScoreSample
from ..data._scale import ScoreScale
from ..inference._draws import Draws, smooth_log_weights
from ..inference._proposals import StudentMixture
from ..inference._sampling import importance_sample
from ..inputs._arrays import FrozenArrays
from ..inputs._validation import spawn
from ..inputs._workers import in_parallel
from ._mixture_posterior import MixturePosterior
from ._two_class import TwoClassMixture

# The posterior without labels is sampled in so many rounds of so many draws, from the scores in
# about so many cells; the proposal's shares of the posteriors with and without labels.
LABEL_ROUNDS, LABEL_DRAWS, LABEL_CELLS = 3, 400, 100
LABEL_SHARES = np.array([0.3, 0.7])
# The fitted distribution of the scores is a mean over so many draws, computed at about so many
# scores and straight between them.
KS_DRAWS, KS_NODES = 64, 100
# The shares of all scores in tails are compared at each half decade of rank, as long as so many
# scores are beyond, and at the quartiles.
MIN_BEYOND, QUARTILES = 10.0, (0.25, 0.5, 0.75)
# Mixtures less probable than this are left out of the average.
MIN_WEIGHT = 1e-3
# Draws with a larger k-hat, or a smaller effective share, are rough, and the evidence that they
# give is known to some nats.
LARGEST_K, MIN_SHARE, MAYBE = 0.7, 0.15, 1e-6
# As so many points count all scores where the labels may overturn them: no family is quite right,
# and thousands of scores say which is least wrong for the scores, not for the classes.
COUNTED = 32.0
# Labeled scores beyond this number are merged with their neighbors before families are compared.
MAX_LABELED_CELLS = 1000


def log_label_evidence(
    mixture: TwoClassMixture, draws: Draws, sample: ScoreSample, rng: np.random.Generator
) -> float:
    r"""Return the log probability of the known labels given all scores, under one mixture.

    With :math:`S` all scores and :math:`Y_L` the known labels, it is the mean over the
    posterior without labels,

    .. math::

        p(Y_L \mid S) = \frac{p(S, Y_L)}{p(S)} =
        \int p(\theta \mid S) \prod_{i \in L} p(y_i \mid s_i, \theta) \, d\theta ,

    by importance sampling. The draws with labels, divided by the probability of the labels,
    are weighted draws without [1]_: too few where the labels said much, but good to place a
    proposal, which then learns from its own draws. Those see the scores in 100 cells.

    Against separate fits without labels (10 to 200 labels, five or six parameters, 1,000
    draws) the root mean square error was 0.1 to 0.2 with 2,000 scores, and 0.3 to 0.7 and
    mostly too high with 500. Smaller differences between pairs are not significant. Without the
    rounds it was about 1 with 200 labels and 2,000 scores. For the uniform family, whose likelihood
    is all jumps, the result is worthless.

    References
    ----------
    .. [1] M. A. Newton, A. E. Raftery, "Approximate Bayesian inference with the weighted
       likelihood bootstrap", J. R. Stat. Soc. B 56 (1994) 3-48.
    """
    if not sample.n_labeled:
        return 0.0

    # The moments of the posterior with labels, and of that without, by weights of its draws.
    scores = sample.without_labels().grouped(LABEL_CELLS)
    points = draws.points[draws.picked(LABEL_DRAWS)]
    with_labels = _moments(points, np.full(len(points), 1.0 / len(points)))
    log_weights = -mixture.log_label_probability(points, sample)
    # Draws around a maximum may lie where the labels are impossible.
    log_weights, _ = smooth_log_weights(np.where(np.isposinf(log_weights), -np.inf, log_weights))
    without_labels = _moments(points, np.exp(log_weights))

    # Sample the posterior without labels, from a proposal that learns from the last round.
    for _ in range(LABEL_ROUNDS):
        # Where the posterior is with labels matters as well: there they are probable.
        means, covariances = map(np.array, zip(with_labels, without_labels, strict=True))
        proposal = StudentMixture(LABEL_SHARES, means, covariances).defended(0.3)
        try:
            sampled = importance_sample(
                lambda u: mixture.log_density(u, scores), proposal, LABEL_DRAWS, rng
            )
        except ValueError:
            return np.nan
        without_labels = _moments(sampled.points, sampled.weights)

    # The mean probability of the labels over it.
    log_labels = mixture.log_label_probability(sampled.points, sample)
    return float(special.logsumexp(sampled.log_weights + log_labels))


def _moments(points: np.ndarray, weights: np.ndarray):
    """Return the mean and the covariance of weighted draws, with a ridge."""
    mean = np.einsum("n,ni->i", weights, points)
    steps = points - mean
    covariance = np.einsum("ni,nj->ij", weights[:, np.newaxis] * steps, steps)
    return mean, covariance + np.diag(1e-9 * np.diagonal(covariance) + 1e-12)


def kolmogorov_smirnov(
    mixture: TwoClassMixture, draws: Draws, scale: ScoreScale, sample: ScoreSample
) -> float:
    """Return the largest difference of the shares of scores below a threshold.

    The share that the mixture expects, in the posterior mean, is compared with the share of
    all items, on both sides of each score. A heavy tie stands for an interval, over which the
    model lays it as it likes: it is compared at the ends of the interval, not within.
    """
    low, high = scale.tie_ends
    ends = np.concatenate([low, high])
    below = np.r_[0.0, np.cumsum(sample.counts) / sample.counts.sum()]
    # Of a cell of several scores only the low side is known.
    is_single = sample.lower == sample.scores
    thresholds = np.concatenate([sample.lower, sample.scores[is_single]])
    share = np.concatenate([below[:-1], below[1:][is_single]])

    # The inside of heavy ties is left out, their ends are added.
    is_outside = np.searchsorted(low, thresholds) <= np.searchsorted(high, thresholds, side="right")
    thresholds = np.concatenate([thresholds[is_outside], ends])
    share = np.concatenate([share[is_outside], below[np.searchsorted(sample.lower, ends)]])

    # The expected shares at some of them, and between these by interpolation.
    distinct = np.unique(thresholds)
    indices = np.linspace(0, len(distinct) - 1, min(KS_NODES, len(distinct))).astype(int)
    # Between the ends of a tie much may happen: all of them are nodes.
    nodes = np.union1d(distinct[indices], ends)
    expected = np.interp(thresholds, nodes, _expected_below(mixture, draws, nodes))
    return float(np.max(np.abs(expected - share)))


def tail_distance(
    mixture: TwoClassMixture, draws: Draws, scale: ScoreScale, sample: ScoreSample
) -> float:
    """Return the largest difference of the numbers of scores in tails, in standard deviations.

    The numbers beyond ranks of each half decade of both tails, and beyond the quartiles: where
    positives are rare they are all in one tail, and the largest difference of shares below a score
    cannot see them. Differences of right families are smaller than those of scores drawn anew, as
    their parameters follow the scores.
    """
    n_items = float(sample.counts.sum())
    tails = 10.0 ** -np.arange(1.0, np.log10(max(n_items / MIN_BEYOND, 1.0)) + 1e-9, 0.5)

    # Of a cell of several scores only the low side is known.
    below = (np.cumsum(sample.counts) - sample.counts) / n_items
    levels = np.concatenate([tails, QUARTILES, 1.0 - tails])
    cells = np.unique(np.searchsorted(below, levels))
    cells = cells[(cells > 0) & (cells < len(below))]

    low, high = scale.tie_ends
    thresholds = sample.lower[cells]
    below = below[cells]
    # A heavy tie stands for an interval, over which the model lays it as it likes.
    is_outside = np.searchsorted(low, thresholds) <= np.searchsorted(high, thresholds, "right")
    if not is_outside.any():
        return 0.0

    thresholds = thresholds[is_outside]
    below = below[is_outside]
    expected = _expected_below(mixture, draws, thresholds)
    variance = np.maximum(expected * (1.0 - expected), 0.5 / n_items)
    return float(np.max(np.abs(expected - below) * np.sqrt(n_items / variance)))


def _expected_below(mixture: TwoClassMixture, draws: Draws, thresholds: np.ndarray) -> np.ndarray:
    """Return the posterior mean of the share of scores below thresholds."""
    draw, n_times = np.unique(draws.picked(KS_DRAWS), return_counts=True)
    prevalence, tpr, fpr = mixture.rates(draws.points[draw], thresholds)
    above = prevalence * tpr + (1.0 - prevalence) * fpr
    return 1.0 - np.einsum("i,ij->j", n_times / KS_DRAWS, above)


def _best(values: np.ndarray) -> np.ndarray:
    weights = np.zeros(len(values))
    weights[np.argmax(values)] = 1.0
    return weights


def pairs_that_need_patience(
    comparison: Comparison,
    rule: Callable,
    n_items: float,
    n_draws: int,
) -> list[int]:
    """Return the pairs of which rough draws are not enough, if a rule may give them a weight."""
    weights = rule(vars(comparison), n_items)
    is_rough = (comparison.pareto_k >= LARGEST_K) | (comparison.ess < MIN_SHARE * n_draws)
    return np.flatnonzero(is_rough & (weights > MAYBE)).tolist()


def by_score_evidence(columns: dict[str, np.ndarray], n_items: float) -> np.ndarray:
    """Weigh pairs by their whole evidence, assuming that one is right."""
    return special.softmax(columns["log_evidence"])


def by_label_evidence(columns: dict[str, np.ndarray], n_items: float) -> np.ndarray:
    """Weigh pairs by the evidence of the labels; all scores together count as a few points."""
    of_labels = columns["log_label_evidence"]
    is_known = np.isfinite(of_labels)
    if not is_known.any():
        return by_score_evidence(columns, n_items)

    # A pair for which the labels gave no number has no weight.
    weights = np.zeros(len(is_known))
    of_labels = of_labels[is_known]
    of_scores = columns["log_evidence"][is_known] - of_labels
    weights[is_known] = special.softmax(of_labels + of_scores * min(1.0, COUNTED / n_items))
    return weights


# How the pairs are combined: a rule from what was found, the columns of `Comparison` by name,
# and the number of items to weights.
COMBINE = {
    "average": by_label_evidence,
    "evidence": lambda columns, n_items: _best(columns["log_evidence"]),
    "likelihood": lambda columns, n_items: _best(columns["log_likelihood"]),
    "ks": lambda columns, n_items: _best(-columns["ks"]),
}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(FrozenArrays):
    """Results of each pair of families.

    Attributes
    ----------
    negative, positive : tuple of str
        The names of the families.
    log_likelihood : ndarray of shape (n_pairs,)
        The maximum of the log likelihood next to the best mode.
    log_evidence : ndarray of shape (n_pairs,)
        The log of the integral of likelihood times prior.
    log_label_evidence : ndarray of shape (n_pairs,)
        The part of it that the labels have: the log probability of the known labels given
        all scores, the log evidence less that of the scores without labels. With thousands of
        scores and few labels, the evidence favors the pair that fits the histogram; this attribute
        shows which pair predicts the labels best. Zero if there are none. See `log_label_evidence`
        for its error, of a few tenths.
    ks : ndarray of shape (n_pairs,)
        The Kolmogorov-Smirnov distance of the fitted distribution of all scores, in
        the posterior mean, from that of the sample: the largest difference of the shares
        below a score. It sees no labels: a pair can fit the histogram and split it wrongly.
        Of `n` scores from two normals it was about ``0.5 / sqrt(n)`` and rarely above
        ``0.75 / sqrt(n)`` after a fit of two normals; much more means that the families
        are wrong.
    tail : ndarray of shape (n_pairs,)
        The largest difference of the numbers of scores beyond some ranks, down to the last ten at
        either end, in standard deviations: up to about 2 after a fit of the right families.
    ordered : ndarray of bool of shape (n_pairs,)
        Whether positives score higher under the fit; a pair of which they do not has no weight
        beside one of which they do.
    ess, pareto_k : ndarray of shape (n_pairs,)
        The quality of the draws of each pair.
    weights : ndarray of shape (n_pairs,)
        What each pair weighs in the posterior, summing to one.
    """

    negative: tuple[str, ...]
    positive: tuple[str, ...]
    log_likelihood: np.ndarray
    log_evidence: np.ndarray
    log_label_evidence: np.ndarray
    ks: np.ndarray
    tail: np.ndarray
    ordered: np.ndarray
    ess: np.ndarray
    pareto_k: np.ndarray
    weights: np.ndarray

    def to_frame(self):
        """Return a pandas DataFrame, one row a pair, the heaviest first."""
        import pandas as pd

        frame = pd.DataFrame(vars(self))
        return frame.sort_values("weights", ascending=False, ignore_index=True)

    def describe(self) -> str:
        """Return one line of text a pair, the heaviest first."""
        return "\n".join(
            f"{self.negative[k]}-{self.positive[k]}: weight {self.weights[k]:.3f}, log evidence "
            f"{self.log_evidence[k]:.1f}, of the labels {self.log_label_evidence[k]:.1f}, "
            f"KS {self.ks[k]:.3f}, ess {self.ess[k]:.0f}, k-hat {self.pareto_k[k]:.2f}"
            for k in np.argsort(-self.weights, kind="stable")
        )

    def __len__(self) -> int:
        return len(self.weights)

    def __repr__(self) -> str:
        best = int(np.argmax(self.weights))
        return (
            f"Comparison({len(self)} pairs; best {self.negative[best]}-{self.positive[best]} with "
            f"weight {self.weights[best]:.2f})"
        )


def fit_all(
    mixtures: list[TwoClassMixture],
    model_sample: ScoreSample,
    *,
    n_draws: int,
    entropy: int,
    fit: Callable,
    n_jobs: int | None = None,
    places: Sequence[int] | None = None,
) -> list[tuple[Draws, float]]:
    """Fit every mixture, or the mixtures of given indices, to the same sample."""
    places = range(len(mixtures)) if places is None else places
    tasks = ((mixtures[k], model_sample, n_draws, spawn(entropy, 0, k)) for k in places)
    return in_parallel(fit, tasks, n_jobs)


def compare(
    mixtures: list[TwoClassMixture],
    fits: list[tuple[Draws, float]],
    scale: ScoreScale,
    sample: ScoreSample,
    model_sample: ScoreSample,
    *,
    rule: Callable,
    entropy: int,
) -> tuple[Comparison, MixturePosterior]:
    """Put fitted mixtures side by side, and combine them."""
    columns = _measured(mixtures, fits, scale, model_sample, entropy)
    weights = _weights(rule, columns, sample)
    comparison = Comparison(
        tuple(mixture.negative.name for mixture in mixtures),
        tuple(mixture.positive.name for mixture in mixtures),
        columns["log_likelihood"],
        columns["log_evidence"],
        columns["log_label_evidence"],
        columns["ks"],
        columns["tail"],
        columns["ordered"],
        columns["ess"],
        columns["pareto_k"],
        weights,
    )

    heavy = np.flatnonzero(weights)
    posterior = MixturePosterior(
        scale,
        sample,
        tuple(mixtures[k] for k in heavy),
        tuple(fits[k][0] for k in heavy),
        weights[heavy],
    )
    return comparison, posterior


def with_labels(
    comparison: Comparison,
    mixtures: list[TwoClassMixture],
    fits: list[tuple[Draws, float]],
    scale: ScoreScale,
    sample: ScoreSample,
    *,
    rule: Callable,
) -> Comparison:
    """Return the comparison of fits to scores alone, with the evidence of labels for each."""
    labeled = sample.labeled()
    negative, positive = sample.inclusion.weighed(labeled)
    labeled = replace(labeled, negative=negative, positive=positive)
    if labeled.n_cells > MAX_LABELED_CELLS:
        firsts = np.linspace(0, labeled.n_cells, MAX_LABELED_CELLS, endpoint=False)
        labeled = labeled.merged(firsts.astype(int))
    if labeled.n_cells:
        labeled = scale.apply(labeled)

    # The mean probability of the labels over the draws of each pair.
    evidence = []
    for mixture, (draws, _) in zip(mixtures, fits, strict=True):
        log_labels = mixture.log_label_probability(draws.points, labeled)
        evidence.append(special.logsumexp(draws.log_weights + log_labels))
    of_labels = np.array(evidence)

    updated = replace(
        comparison,
        log_evidence=comparison.log_evidence + of_labels,
        log_label_evidence=of_labels,
    )
    return replace(updated, weights=_weights(rule, vars(updated), sample))


def _weights(rule: Callable, columns: dict[str, np.ndarray], sample: ScoreSample) -> np.ndarray:
    # Pairs of which positives do not score higher have no weight beside those of which they do.
    is_ordered = columns["ordered"]
    is_candidate = is_ordered if is_ordered.any() else np.ones_like(is_ordered)

    weights = np.zeros(len(is_candidate))
    of_candidates = {name: np.asarray(column)[is_candidate] for name, column in columns.items()}
    weights[is_candidate] = rule(of_candidates, sample.counts.sum())
    weights = np.where(weights < MIN_WEIGHT, 0.0, weights)
    return weights / weights.sum()


def _measured(
    mixtures: list[TwoClassMixture],
    fits: list[tuple[Draws, float]],
    scale: ScoreScale,
    model_sample: ScoreSample,
    entropy: int,
) -> dict:
    """Return the columns of a comparison except the weights."""
    pairs = []
    for k, (mixture, (draws, log_likelihood)) in enumerate(zip(mixtures, fits, strict=True)):
        of_labels = log_label_evidence(mixture, draws, model_sample, spawn(entropy, 0, k, 0))
        # Distances are those of the estimate, where draws lie around one.
        centered = draws.centered
        pairs.append(
            {
                "log_likelihood": log_likelihood,
                "log_evidence": draws.log_evidence,
                "log_label_evidence": of_labels,
                "ks": kolmogorov_smirnov(mixture, centered, scale, model_sample),
                "tail": tail_distance(mixture, centered, scale, model_sample),
                "ordered": _ordered(mixture, draws),
                "ess": draws.ess,
                "pareto_k": draws.pareto_k,
            }
        )

    return {name: np.array([pair[name] for pair in pairs]) for name in pairs[0]}


def _ordered(mixture: TwoClassMixture, draws: Draws) -> bool:
    """Return whether the center of the positives lies above that of the negatives, in the mean."""
    # The prior of the order is one where the centers are equal.
    return bool(draws.weights @ (mixture.log_order(draws.points) >= 0.0) > 0.5)
