"""Experts by the scores: the mixture, log-odds, ranks, shares of two values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy import special

from ..data._cells import ScoreCells
from ..mixtures._mixture_posterior import MixturePosterior
from ._expert import DiscrepancyScale, Expert, heavy_ties, rank_process

# The gate: the numbers of scores in tails differ by so many standard deviations at most. Up to the
# first is what true families reach; from the second on the families are wrong.
FITS, FAILS = 2.0, 3.5
# With a larger share of scores in heavy ties, fits of densities hold no information.
MAX_TIED = 0.5
# Normal distributions of the intercept and of the log slope of y on the log-odds that the score
# would be: (share, mean, standard deviation, mean, standard deviation).
CALIBRATED = (0.0, 0.25, 0.0, 0.12)
LOG_ODDS = (0.0, 0.4, 0.15, 0.25)
MARGIN = (0.0, 0.7, 1.1, 0.4)
ANY = (0.0, 1.6, -0.1, 0.7)
# How often each was right on some fifty score sets, by what the score is.
LOG_ODDS_SHARES = {
    "default": (0.28, 0.35, 0.24, 0.13),
    "probability": (0.34, 0.34, 0.12, 0.20),
    "log_odds": (0.34, 0.38, 0.14, 0.14),
    "margin": (0.05, 0.20, 0.60, 0.15),
    "votes": (0.15, 0.35, 0.35, 0.15),
    "distance": (0.0, 0.2, 0.3, 0.5),
}
# Normal ranks are this far from 0 at most.
REACH = 8.0
# What curves that do anything and that decrease weigh together.
RANK_SHARES = 0.15, 0.09
# Steps of an additive recurrence that fills the square evenly (the generalized golden ratio).
RECURRENCE = 1.324717957244746 ** -np.arange(1.0, 3.0)


@dataclass(frozen=True, eq=False)
class SharpMixture(Expert):
    """The parametric mixture fitted to all scores without their labels.

    If its families are right, this expert is the most precise one. If they are wrong, its curves
    are confident and wrong. Its prior weight therefore depends on how well it fits the distribution
    of all scores; the labels then weight it like any expert. It is left out for scores with few
    distinct values, for which densities are meaningless. Its curves have only a small discrepancy
    from the families.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_curves : int, default=250
    posterior : MixturePosterior
        The posterior from the scores alone. If None, `SemisupervisedScoreMixture` supplies it.
    distances : ndarray of shape (n_mixtures,), default=None
        The largest difference between the observed and the expected number of scores in either
        tail, in standard deviations. A mixture has full weight up to 2, and none from 3.5 on.
    weight : float, default=None
        See `Expert`.
    """

    name: ClassVar[str] = "sharp_mixture"
    weights: ClassVar[dict[str, float]] = {"default": 0.075, "votes": 0.02}
    discrepancy: ClassVar[DiscrepancyScale] = DiscrepancyScale(
        shift=0.15, stretch=0.08, roughness=0.25, small_lapse=0.4, large_lapse=0.04
    )
    needs_fit: ClassVar[bool] = True

    n_curves: int = 250
    posterior: MixturePosterior | None = None
    distances: np.ndarray | None = None

    def informed(self, posterior: Any, distances: np.ndarray) -> SharpMixture:
        """Return the expert with the pairs of families, unless it already has them."""
        if self.posterior is not None:
            return self
        return replace(self, posterior=posterior, distances=distances)

    def prior_weight(self, cells: ScoreCells) -> float:
        """Return the prior weight of this expert, which depends on the mixture that fits best."""
        tied = cells.shares[heavy_ties(cells)].sum()
        continuous = max(0.0, 1.0 - tied / MAX_TIED)
        fit = self._gates().max(initial=0.0)
        return float(continuous * fit) * super().prior_weight(cells)

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        """Draw curves of the mixtures that fit, of shape (n_curves, n_cells)."""
        if self.posterior is None:
            raise ValueError(
                "SharpMixture needs the posterior of a mixture; in "
                "SemisupervisedScoreMixture(experts=...) it gets that of the families there."
            )

        # Draws weigh as much as the mixture that they come from fits.
        sizes = [len(draws) for draws in self.posterior.draws]
        weights = self.posterior.weights * np.repeat(self._gates(), sizes)
        chosen = np.sort(rng.choice(len(weights), size=self.n_curves, p=weights / weights.sum()))
        curves = special.logit(self.posterior.weighted_draws(cells.scores))
        return curves[chosen]

    def _gates(self) -> np.ndarray:
        if self.distances is None:
            return np.ones(1 if self.posterior is None else len(self.posterior.mixtures))
        return np.clip((FAILS - np.asarray(self.distances)) / (FAILS - FITS), 0.0, 1.0)


@dataclass(frozen=True)
class ScoreLogOdds(Expert):
    r"""Linear curves of the score as log-odds, with any shift and slope: :math:`f = a + b\, l(s)`.

    This is Platt's curve, with a prior near the identity. :math:`l` is the logit for probabilities
    and votes, and the identity for other scores. The prior of :math:`a` and :math:`\log b` mixes
    four pairs of normal distributions, for calibrated scores, log-odds, margins and all other
    scores. Their weights depend on the kind of the scores.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_curves : int, default=250
    weight : float, default=None
        See `Expert`.

    References
    ----------
    J. Platt, "Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods", Advances in Large Margin Classifiers (1999).
    """

    name: ClassVar[str] = "score_log_odds"
    weights: ClassVar[dict[str, float]] = {
        "default": 0.26,
        "probability": 0.23,
        "margin": 0.32,
        "votes": 0.33,
        "unit": 0.19,
        "distance": 0.03,
    }

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        shares = LOG_ODDS_SHARES.get(cells.kind.name, LOG_ODDS_SHARES["default"])
        priors = np.array([CALIBRATED, LOG_ODDS, MARGIN, ANY])
        component = rng.choice(len(priors), size=self.n_curves, p=shares)
        mean_a, std_a, mean_b, std_b = priors[component].T
        intercept = mean_a + std_a * rng.standard_normal(self.n_curves)
        slope = np.exp(mean_b + std_b * rng.standard_normal(self.n_curves))
        return intercept[:, np.newaxis] + slope[:, np.newaxis] * cells.log_odds


@dataclass(frozen=True)
class RankProcess(Expert):
    r"""Curves of any shape over the rank of the score: the classifier may be useless.

    :math:`f = a + b x + c (x^2 - 1) + g(x)` with :math:`x` the normal quantile of a score's rank,
    :math:`a` normal(0, 2) and :math:`g` a Gaussian process. Half of the curves have :math:`b`
    normal(0, 1), :math:`c` normal(0, 0.5) and a process whose log standard deviation is normal(0,
    0.5). The other half are decreasing lines with :math:`\log(-b)` normal(0.5, 0.6). The two halves
    weigh 15 to 9. If the classifier works, this expert costs little precision. If it does not, ten
    labels are enough to show this.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_curves : int, default=500
    weight : float, default=None
        See `Expert`.
    """

    name: ClassVar[str] = "rank_process"
    weights: ClassVar[dict[str, float]] = {"default": sum(RANK_SHARES)}
    misspecification: ClassVar[str] = "the scores rank items wrongly, or not at all"

    n_curves: int = 500

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        n = self.n_curves
        kind = self._kind
        any_slope = rng.normal(0.0, 1.0, n)
        decreasing_slope = -rng.lognormal(0.5, 0.6, n)
        slope = np.choose(kind, (any_slope, decreasing_slope))
        curvature = np.where(kind == 0, rng.normal(0.0, 0.5, n), 0.0)
        size = np.where(kind == 0, rng.lognormal(0.0, 0.5, n), 0.0)
        level = rng.normal(0.0, 2.0, n)

        # Beyond, among many millions of items, there is no rank but infinity.
        x = np.clip(cells.normal_ranks, -REACH, REACH)
        parabola = level[:, np.newaxis] + slope[:, np.newaxis] * x
        parabola = parabola + curvature[:, np.newaxis] * (x**2 - 1.0)
        return parabola + size[:, np.newaxis] * rank_process(cells, n, rng)

    def shares(self) -> np.ndarray:
        kind = self._kind
        return (np.array(RANK_SHARES) / np.bincount(kind, minlength=2))[kind]

    @property
    def _kind(self) -> np.ndarray:
        return np.arange(self.n_curves) * len(RANK_SHARES) // self.n_curves


@dataclass(frozen=True)
class ValueShares(Expert):
    r"""Separate shares of positives for scores of two values, such as decisions.

    The two shares of positives are independent, with the prior :math:`\mathrm{Beta}(1/2, 1/2)` of
    Jeffreys. For two values, ranks and log-odds hold no further information, and curves over them
    would favor particular shares. For scores with more values this expert is left out unless a
    weight is given. Then the lower and the upper half of the items have one share each.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_curves : int, default=1000
        Thousands of labels agree with few of the curves: the ends of intervals are more accurate
        with more of them, say 4000.
    weight : float, default=None
        See `Expert`.

    References
    ----------
    H. Jeffreys, "An invariant form for the prior probability in estimation problems", Proceedings
    of the Royal Society A 186 (1946).
    """

    name: ClassVar[str] = "value_shares"
    # The others together weigh about one.
    weights: ClassVar[dict[str, float]] = {"default": 20.0}
    # As much as fills the gaps between the curves where a thousand labels leave few of them.
    discrepancy: ClassVar[DiscrepancyScale] = DiscrepancyScale(
        shift=0.0, stretch=0.0, roughness=0.8, small_lapse=0.0, large_lapse=0.0
    )

    n_curves: int = 1000

    def prior_weight(self, cells: ScoreCells) -> float:
        """Return the prior weight of this expert, which is 0 unless scores have two values."""
        if self.weight is None and cells.n_cells != 2:
            return 0.0
        return super().prior_weight(cells)

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        levels = (0.5 + np.arange(1, self.n_curves + 1)[:, np.newaxis] * RECURRENCE) % 1.0
        shares = special.betaincinv(0.5, 0.5, levels)
        others = special.betaincinv(0.5, 0.5, 1.0 - levels)
        log_odds = np.log(shares) - np.log(others)
        # The lower of two values has its middle rank below one half, the upper one above.
        value = (cells.normal_ranks > 0.0).astype(int)
        return log_odds[:, value]
