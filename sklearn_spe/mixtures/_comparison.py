"""Fits of several pairs of families, side by side, and their evidence."""

from __future__ import annotations

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
    mostly too high with 500. Differences between pairs that are smaller say nothing.
    Without the rounds it was about 1 with 200 labels and 2,000 scores. For the uniform family,
    whose likelihood is all jumps, the result is worthless.

    References
    ----------
    .. [1] M. A. Newton, A. E. Raftery, "Approximate Bayesian inference with the weighted
       likelihood bootstrap", J. R. Stat. Soc. B 56 (1994) 3-48.
    """
    if not sample.n_labeled:
        return 0.0
    scores = sample.without_labels().grouped(LABEL_CELLS)
    points = draws.points[draws.picked(LABEL_DRAWS)]
    given = _moments(points, np.full(len(points), 1.0 / len(points)))
    log_weights = -mixture.log_label_probability(points, sample)
    # Draws around a maximum may lie where the labels are impossible.
    log_weights, _ = smooth_log_weights(np.where(np.isposinf(log_weights), -np.inf, log_weights))
    alone = _moments(points, np.exp(log_weights))
    for _ in range(LABEL_ROUNDS):
        # Where the posterior is with labels matters as well: there they are probable.
        means, covariances = map(np.array, zip(given, alone, strict=True))
        proposal = StudentMixture(LABEL_SHARES, means, covariances).defended(0.3)
        try:
            without = importance_sample(
                lambda u: mixture.log_density(u, scores), proposal, LABEL_DRAWS, rng
            )
        except ValueError:
            return np.nan
        alone = _moments(without.points, without.weights)
    log_labels = mixture.log_label_probability(without.points, sample)
    return float(special.logsumexp(without.log_weights + log_labels))


def _moments(points, weights):
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
    single = sample.lower == sample.scores
    at = np.concatenate([sample.lower, sample.scores[single]])
    share = np.concatenate([below[:-1], below[1:][single]])
    outside = np.searchsorted(low, at) <= np.searchsorted(high, at, side="right")
    at = np.concatenate([at[outside], ends])
    share = np.concatenate([share[outside], below[np.searchsorted(sample.lower, ends)]])
    places = np.unique(at)
    some = np.linspace(0, len(places) - 1, min(KS_NODES, len(places))).astype(int)
    # Between the ends of a tie much may happen: all of them are nodes.
    nodes = np.union1d(places[some], ends)
    expected = np.interp(at, nodes, _expected_below(mixture, draws, nodes))
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
    thresholds, below = sample.lower[cells], below[cells]
    # A heavy tie stands for an interval, over which the model lays it as it likes.
    is_outside = np.searchsorted(low, thresholds) <= np.searchsorted(high, thresholds, "right")
    if not is_outside.any():
        return 0.0
    thresholds, below = thresholds[is_outside], below[is_outside]
    expected = _expected_below(mixture, draws, thresholds)
    variance = np.maximum(expected * (1.0 - expected), 0.5 / n_items)
    return float(np.max(np.abs(expected - below) * np.sqrt(n_items / variance)))


def _expected_below(mixture, draws, thresholds) -> np.ndarray:
    """Return the posterior mean of the share of scores below thresholds."""
    picked, times = np.unique(draws.picked(KS_DRAWS), return_counts=True)
    prevalence, tpr, fpr = mixture.rates(draws.points[picked], thresholds)
    return 1.0 - np.einsum("i,ij->j", times / KS_DRAWS, prevalence * tpr + (1.0 - prevalence) * fpr)


def _best(values) -> np.ndarray:
    weights = np.zeros(len(values))
    weights[np.argmax(values)] = 1.0
    return weights


def by_score_evidence(found, n_items) -> np.ndarray:
    """Weigh pairs by their whole evidence, assuming that one is right."""
    return special.softmax(found["log_evidence"])


def by_label_evidence(found, n_items) -> np.ndarray:
    """Weigh pairs by the evidence of the labels; all scores together count as a few points."""
    of_labels = found["log_label_evidence"]
    known = np.isfinite(of_labels)
    if not known.any():
        return by_score_evidence(found, n_items)
    # A pair for which the labels gave no number has no weight.
    weights, of_labels = np.zeros(len(known)), of_labels[known]
    of_scores = found["log_evidence"][known] - of_labels
    weights[known] = special.softmax(of_labels + of_scores * min(1.0, COUNTED / n_items))
    return weights


# How the pairs are combined: a rule from what was found, the columns of `Comparison` by name,
# and the number of items to weights.
COMBINE = {
    "average": by_label_evidence,
    "evidence": lambda found, n_items: _best(found["log_evidence"]),
    "likelihood": lambda found, n_items: _best(found["log_likelihood"]),
    "ks": lambda found, n_items: _best(-found["ks"]),
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
        all scores, the log evidence less that of the scores without labels. The scores are
        thousands and the labels few, so that the evidence goes to the pair that fits the
        histogram; this says which pair told the labels best. Zero if there are none. See
        `log_label_evidence` for its error, of a few tenths.
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
    fit,
    n_jobs=None,
) -> list[tuple[Draws, float]]:
    """Fit every mixture to the same sample."""
    tasks = (
        (mixture, model_sample, n_draws, spawn(entropy, 0, k)) for k, mixture in enumerate(mixtures)
    )
    return in_parallel(fit, tasks, n_jobs)


def compare(
    mixtures: list[TwoClassMixture],
    fits: list[tuple[Draws, float]],
    scale: ScoreScale,
    sample: ScoreSample,
    model_sample: ScoreSample,
    *,
    rule,
    entropy: int,
) -> tuple[Comparison, MixturePosterior]:
    """Put fitted mixtures side by side, and combine them."""
    found = _measured(mixtures, fits, scale, model_sample, entropy)
    weights = _weights(rule, found, sample)
    comparison = Comparison(
        tuple(m.negative.name for m in mixtures),
        tuple(m.positive.name for m in mixtures),
        **found,
        weights=weights,
    )
    kept = np.flatnonzero(weights)
    posterior = MixturePosterior(
        scale,
        sample,
        tuple(mixtures[k] for k in kept),
        tuple(fits[k][0] for k in kept),
        weights[kept],
    )
    return comparison, posterior


def with_labels(
    comparison: Comparison,
    mixtures: list[TwoClassMixture],
    fits: list[tuple[Draws, float]],
    scale: ScoreScale,
    sample: ScoreSample,
    *,
    rule,
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
    of_labels = np.array(
        [
            special.logsumexp(d.log_weights + m.log_label_probability(d.points, labeled))
            for m, (d, _) in zip(mixtures, fits, strict=True)
        ]
    )
    found = {
        "log_evidence": comparison.log_evidence + of_labels,
        "log_label_evidence": of_labels,
    }
    weights = _weights(rule, vars(comparison) | found, sample)
    return replace(comparison, **found, weights=weights)


def _weights(rule, found, sample) -> np.ndarray:
    kept = found["ordered"] if found["ordered"].any() else np.ones_like(found["ordered"])
    weights = np.zeros(len(kept))
    columns = {name: np.asarray(column)[kept] for name, column in found.items()}
    weights[kept] = rule(columns, sample.counts.sum())
    weights = np.where(weights < MIN_WEIGHT, 0.0, weights)
    return weights / weights.sum()


def _measured(mixtures, fits, scale, model_sample, entropy) -> dict:
    """Return the columns of a comparison except the weights."""
    pairs = [
        {
            "log_likelihood": log_likelihood,
            "log_evidence": draws.log_evidence,
            "log_label_evidence": log_label_evidence(
                mixture, draws, model_sample, spawn(entropy, 0, k, 0)
            ),
            # Of the estimate, where draws lie around one.
            "ks": kolmogorov_smirnov(mixture, draws.centered, scale, model_sample),
            "tail": tail_distance(mixture, draws.centered, scale, model_sample),
            "ordered": _ordered(mixture, draws),
            "ess": draws.ess,
            "pareto_k": draws.pareto_k,
        }
        for k, (mixture, (draws, log_likelihood)) in enumerate(zip(mixtures, fits, strict=True))
    ]
    return {name: np.array([pair[name] for pair in pairs]) for name in pairs[0]}


def _ordered(mixture, draws) -> bool:
    """Return whether the center of the positives lies above that of the negatives, in the mean."""
    # The prior of the order is one where the centers are equal.
    return bool(draws.weights @ (mixture.log_order(draws.points) >= 0.0) > 0.5)
