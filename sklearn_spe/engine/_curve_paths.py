r"""Paths of prior curves over strata of tail rank, of which each draw has one.

What labels say of an item falls with its distance from them in tail rank. Strata h = 1 ... H halve
the ranks from both ends, 10, 20, 40 ... items each, and a draw has a curve :math:`J_h` in each:

.. math:: p(J) \propto v(J_1) \prod_{h > 1} \{(1 - \rho_h) 1[J_h = J_{h-1}] + \rho_h\, v(J_h)\}
    \; p_\pi\{\pi(J)\}, \qquad p(\text{labels} \mid J) = \prod_h L_h(J_h),

with the prior :math:`v` of curves, the chance :math:`\rho_h` of another curve from one stratum to
the next, and the prior :math:`p_\pi` of the prevalence that the path implies. The chain is
reversible: nothing differs from above and from below. The chance is :math:`\rho`: curves that fit
many labels of one place keep no more than :math:`1 - \rho` of their weight a stratum further on,
and beyond the outermost labels the prior returns. Strata without labels between others are a gap,
and there it is zero: a single label would have as many ways to differ from the next one as there
are strata in between, and lower the curve of its stratum alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..inference._draws import effective_size
from ..inference._sampling import systematic_resample
from ..inputs._arrays import FrozenArrays

# The chance of another curve from one stratum to the next. The evidence of labels does not choose
# it: .03 and .06 cover alike, the larger one widens intervals where one curve is right, and without
# any labels of one place decide on all others.
SWITCH = 0.03
# The least likelihood of a stratum, relative to that of its best curve: so many times the smallest
# normal number.
LEAST = 1e8


@dataclass(frozen=True, eq=False)
class PathFilters(FrozenArrays):
    """Weights of the curves of each stratum, given its labels and the labels below.

    One filter for each draw of random effects, which decide what labels say of curves.
    """

    prior: np.ndarray  # (n_curves,); sums to one
    switches: np.ndarray  # (n_strata - 1,), the chance of another curve in the next stratum
    likelihood: np.ndarray  # (n_draws, n_strata, n_curves), up to a factor
    filtered: np.ndarray  # (n_draws, n_strata, n_curves), which sum to one over curves
    of_one_curve: np.ndarray  # (n_draws, n_curves), the log likelihood if one curve had to do
    log_evidence: np.ndarray  # (n_draws,)

    @classmethod
    def of(cls, prior: np.ndarray, log_likelihood: np.ndarray, switches: np.ndarray) -> PathFilters:
        """Filter forwards, given the log likelihood of strata, (n_draws, n_strata, n_curves)."""
        highest = log_likelihood.max(axis=2)
        of_one_curve = log_likelihood.sum(axis=1)
        likelihood = log_likelihood - highest[:, :, np.newaxis]
        np.exp(likelihood, out=likelihood)
        # Where no other curve may follow, two strata that contradict each other leave some weight.
        np.maximum(likelihood, LEAST * np.finfo(likelihood.dtype).tiny, out=likelihood)
        prior = prior.astype(likelihood.dtype)
        filtered = np.empty_like(likelihood)
        log_evidence = highest.sum(axis=1, dtype=float)
        weights = np.zeros_like(of_one_curve)
        for stratum, switch in enumerate([1.0, *map(float, switches)]):
            # In place: arrays of many draws take longer to come by than to fill.
            weights *= 1.0 - switch
            weights += switch * prior
            weights *= likelihood[:, stratum]
            total = weights.sum(axis=1)
            weights /= total[:, np.newaxis]
            filtered[:, stratum] = weights
            log_evidence += np.log(total)
        return cls(prior, switches, likelihood, filtered, of_one_curve, log_evidence)

    def marginals(self, draws: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the weights of the curves of each stratum given all labels, shaped alike."""
        marginals = np.array(self.filtered[draws])
        likelihood = self.likelihood[draws]
        following = np.ones((len(marginals), len(self.prior)))
        for stratum, switch in reversed([*enumerate(self.switches)]):
            of_next = following * likelihood[:, stratum + 1]
            switched = switch * (of_next @ self.prior)
            following = (1.0 - switch) * of_next + switched[:, np.newaxis]
            following /= following.max(axis=1, keepdims=True)
            marginals[:, stratum] *= following
        return marginals / marginals.sum(axis=2, keepdims=True)

    def draw(self, draws: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw paths backwards, (n, n_strata), each by one of the filters: increasing numbers."""
        paths = np.empty((len(draws), len(self.switches) + 1), dtype=np.intp)

        # Evenly, of each filter.
        numbers, first, counts = np.unique(draws, return_index=True, return_counts=True)
        offset = np.repeat(rng.random(len(numbers)) - first, counts)
        levels = (np.arange(len(draws)) + offset) / np.repeat(counts, counts)
        curve = _quantiles(self.filtered[:, -1], draws, levels)
        paths[:, -1] = curve

        for stratum, switch in reversed([*enumerate(self.switches)]):
            kept = (1.0 - switch) * self.filtered[draws, stratum, curve]
            switched = switch * self.prior[curve]
            other = np.flatnonzero(rng.random(len(draws)) * (kept + switched) >= kept)
            if len(other):
                levels = rng.random(len(other))
                curve = curve.copy()
                curve[other] = _quantiles(self.filtered[:, stratum], draws[other], levels)
            paths[:, stratum] = curve
        return paths


def _quantiles(weights: np.ndarray, rows: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Return the column of some rows of weights, (n_rows, n), at levels in [0, 1)."""
    needed, row = np.unique(rows, return_inverse=True)
    total = np.cumsum(weights[needed], axis=1, dtype=float)
    total /= total[:, -1:]
    # All rows are one increasing sequence.
    total += np.arange(len(needed))[:, np.newaxis]
    found = np.searchsorted(total.ravel(), row + levels, side="right")
    return np.clip(found - row * weights.shape[1], 0, weights.shape[1] - 1)


def resampled(
    log_weights: np.ndarray, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Return the numbers of n draws by their weights, and the effective number of these."""
    weights = np.exp(log_weights - log_weights.max())
    weights /= weights.sum()
    share = effective_size(weights) / len(weights)
    # So many draws for each that is asked for.
    surplus = len(weights) / n
    return systematic_resample(weights, rng, n), n / (1.0 + (1.0 / share - 1.0) / surplus)
