"""Pairs of families side by side: what the data say for each, and what it weighs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special
from sklearn.utils.parallel import Parallel, delayed

from .._arrays import FrozenArrays
from ..inference._draws import Draws
from ..inputs._random_state import spawn
from ..mixtures._two_class import TwoClassMixture
from ..sample._sample import ScoreSample
from ..sample._scale import ScoreScale
from ._evidence import kolmogorov_smirnov, log_label_evidence
from ._fit import fit_mixture
from ._mixture_posterior import MixturePosterior

__all__ = [
    "COMBINE",
    "Comparison",
    "by_label_evidence",
    "by_score_evidence",
    "compare",
    "fit_all",
    "with_labels",
]

# Mixtures less probable than this are left out of the average.
MIN_WEIGHT = 1e-3
# As so many points count all scores where the labels may overturn them: no family is quite right,
# and thousands of scores say which is least wrong for the scores, not for the classes.
COUNTED = 32.0

# What is found for each pair, and rules look at.
FOUND = (
    *("log_likelihood", "log_evidence", "log_label_evidence"),
    *("ks", "ordered", "ess", "pareto_k"),
)


def _best(values) -> np.ndarray:
    weights = np.zeros(len(values))
    weights[np.argmax(values)] = 1.0
    return weights


def by_score_evidence(found, n_items) -> np.ndarray:
    """Weigh pairs by their whole evidence, as if one of them were right."""
    return special.softmax(found["log_evidence"])


def by_label_evidence(found, n_items) -> np.ndarray:
    """Weigh pairs by what the labels say; all scores together count as a few points only."""
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
    """What was found for each pair of families.

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
    fit=fit_mixture,
    n_jobs=None,
) -> list[tuple[Draws, float]]:
    """Fit every mixture to the same sample."""
    return Parallel(n_jobs=n_jobs)(
        delayed(fit)(mixture, model_sample, n_draws, spawn(entropy, 0, k))
        for k, mixture in enumerate(mixtures)
    )


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
    """Return the comparison of fits to scores alone, with what labels then say for each."""
    labeled = sample.labeled()
    negative, positive = sample.inclusion.weighed(labeled)
    labeled = replace(labeled, negative=negative, positive=positive)
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
    weights[kept] = rule({name: found[name][kept] for name in FOUND}, sample.counts.sum())
    weights = np.where(weights < MIN_WEIGHT, 0.0, weights)
    return weights / weights.sum()


def _measured(mixtures, fits, scale, model_sample, entropy) -> dict:
    """Return the columns of a comparison but for the weights."""
    draws = [fit[0] for fit in fits]
    pairs = list(zip(mixtures, draws, strict=True))
    return {
        "log_likelihood": np.array([fit[1] for fit in fits]),
        "log_evidence": np.array([d.log_evidence for d in draws]),
        "log_label_evidence": np.array(
            [
                log_label_evidence(*pair, model_sample, spawn(entropy, 0, k, 0))
                for k, pair in enumerate(pairs)
            ]
        ),
        # Of the estimate, where draws lie around one.
        "ks": np.array([kolmogorov_smirnov(m, d.centred, scale, model_sample) for m, d in pairs]),
        "ordered": np.array([_ordered(*pair) for pair in pairs]),
        "ess": np.array([d.ess for d in draws]),
        "pareto_k": np.array([d.pareto_k for d in draws]),
    }


def _ordered(mixture, draws) -> bool:
    """Return whether the centre of the positives lies above that of the negatives, in the mean."""
    # The prior of the order is one where the centres are equal.
    return bool(draws.weights @ (mixture.log_order(draws.points) >= 0.0) > 0.5)
