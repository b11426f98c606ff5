r"""Evidence by place: a draw is a path of prior curves over strata of tail rank.

What labels say of an item falls with its distance from them in tail rank. Strata h = 1 ... H halve
the ranks from both ends, 10, 20, 40 ... items each, and a draw has a curve :math:`J_h` in each:

.. math:: p(J) \propto v(J_1) \prod_{h > 1} \{(1 - \rho) 1[J_h = J_{h-1}] + \rho\, v(J_h)\}
    \; p_\pi\{\pi(J)\}, \qquad p(\text{labels} \mid J) = \prod_h L_h(J_h),

with the prior :math:`v` of curves, the chance :math:`\rho` of another curve from one stratum to the
next, and the prior :math:`p_\pi` of the prevalence that the path implies. The chain is reversible:
nothing differs from above and from below. Curves that fit many labels of one place keep no more
than :math:`1 - \rho` of their weight a stratum further on, and where nothing is labeled the prior
returns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data._cells import ScoreCells
from ..inference._draws import effective_size
from ..inference._sampling import systematic_resample
from ..inputs._arrays import FrozenArrays

# The chance of another curve from one stratum to the next. The evidence of labels does not choose
# it: .03 and .06 cover alike, and without it labels of one place decide on all others.
SWITCH = 0.05
# The ranks of the first stratum from either end; each further one has twice as many.
FIRST_RANK = 10.0


def strata_of(cells: ScoreCells) -> np.ndarray:
    """Return the stratum of each cell, by the rank from the nearer end: 0 is the lowest."""
    n_items = float(cells.counts.sum())
    low, high = cells.rank_ends
    middle = (low + high) / 2.0
    is_upper = middle >= 0.5

    rank = np.maximum(np.where(is_upper, 1.0 - middle, middle) * n_items, 0.5)
    # Rounding must not put a rank and its mirror image in different strata.
    number = np.maximum(np.floor(np.log2(rank / FIRST_RANK) + 1e-9), -1.0)
    is_first = (np.diff(number) != 0.0) | np.diff(is_upper)
    return np.concatenate([[0], np.cumsum(is_first)])


@dataclass(frozen=True, eq=False)
class PathFilter(FrozenArrays):
    """Weights of the curves of each stratum, given the labels of this one and of those below."""

    prior: np.ndarray  # (n_curves,); sums to one
    switch: float
    likelihood: np.ndarray  # (n_strata, n_curves), of the labels of each, up to a factor
    filtered: np.ndarray  # (n_strata, n_curves); each row sums to one
    of_one_curve: np.ndarray  # (n_curves,), the log likelihood if one curve had to do
    log_evidence: float

    @classmethod
    def of(
        cls, prior: np.ndarray, log_likelihood: np.ndarray, switch: float = SWITCH
    ) -> PathFilter:
        """Filter forwards, given the log likelihood of strata, (n_strata, n_curves)."""
        filtered = np.empty_like(log_likelihood)
        highest = log_likelihood.max(axis=1)
        likelihood = np.exp(log_likelihood - highest[:, np.newaxis])
        log_evidence = float(highest.sum())
        expected = prior
        for stratum, of_stratum in enumerate(likelihood):
            if stratum:
                expected = (1.0 - switch) * filtered[stratum - 1] + switch * prior
            weights = expected * of_stratum
            total = weights.sum()
            filtered[stratum] = weights / total
            log_evidence += float(np.log(total))
        of_one_curve = log_likelihood.sum(axis=0)
        return cls(prior, switch, likelihood, filtered, of_one_curve, log_evidence)

    def marginals(self) -> np.ndarray:
        """Return the weights of the curves of each stratum given all labels, alike."""
        marginals = np.array(self.filtered)
        following = np.ones_like(self.prior)
        for stratum in reversed(range(len(marginals) - 1)):
            of_next = following * self.likelihood[stratum + 1]
            following = (1.0 - self.switch) * of_next + self.switch * (self.prior @ of_next)
            following /= following.max()
            marginals[stratum] *= following
        return marginals / marginals.sum(axis=1, keepdims=True)

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw paths backwards, (n, n_strata)."""
        n_strata = len(self.filtered)
        paths = np.empty((n, n_strata), dtype=np.intp)
        curve = rng.permutation(systematic_resample(self.filtered[-1], rng, n))
        paths[:, -1] = curve
        for stratum in reversed(range(n_strata - 1)):
            kept = (1.0 - self.switch) * self.filtered[stratum, curve]
            switched = self.switch * self.prior[curve]
            other = np.flatnonzero(rng.random(n) * (kept + switched) >= kept)
            curve = curve.copy()
            drawn = systematic_resample(self.filtered[stratum], rng, len(other))
            curve[other] = rng.permutation(drawn)
            paths[:, stratum] = curve
        return paths


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
