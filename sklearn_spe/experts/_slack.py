r"""Slack: how far the truth may lie from a curve.

.. math:: p = \epsilon_0 + (1 - \epsilon_0 - \epsilon_1) \operatorname{expit}(c_0 + e^{c_1} f + g)

with an affine part, a smooth Gaussian process :math:`g` over normal ranks together with an own
effect of each heavy tie, and lapses :math:`\epsilon_0, \epsilon_1`: positives among the lowest
scores, negatives among the highest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from .._arrays import FrozenArrays
from ..sample._cells import ScoreCells

# The Gaussian process: squared exponential over normal ranks, by its leading eigenfunctions.
LENGTH, N_WAVES, REACH = 0.4, 12, 3.5
# The standard deviation of the process is one of three.
ROUGHNESS = np.array([0.3, 0.8, 1.6])
ROUGHNESS_WEIGHTS = np.array([0.4, 0.35, 0.25])
# Scores that hold more than this share of the items have an effect of their own.
HEAVY_TIE, MOST_TIES, TIE_SIZE = 0.04, 5, 0.67
# The rate of positives below everything is log-uniform, that of negatives on top beta.
LOWEST_RATES = (-3.5, -1.3)
TOP_RATES = (1.0, 2.0)
# How often saturated scores have a plateau: probabilities of which many are exactly 1 come from
# classifiers that are too sure.
SATURATED = 0.8


@dataclass(frozen=True)
class SlackScale:
    """How much slack an expert's curves have.

    Parameters
    ----------
    shift, stretch : float
        Standard deviations of the intercept and of the log slope.
    roughness : float
        A factor of the standard deviations of the smooth part and of the effects of ties.
    lapse : float
        The probability that there are positives among the lowest scores, whatever the curve.
    plateau : float
        The probability that negatives remain among the highest scores.
    wide_share : float
        The share of curves with `wide_shift` and `wide_stretch` instead.
    """

    shift: float = 0.3
    stretch: float = 0.15
    roughness: float = 1.0
    lapse: float = 0.12
    plateau: float = 0.12
    wide_share: float = 0.0
    wide_shift: float = 1.2
    wide_stretch: float = 0.6


@dataclass(frozen=True, eq=False)
class SlackDraws(FrozenArrays):
    """Slack of several curves; the same fields hold a proposal.

    Attributes
    ----------
    shift, log_stretch : ndarray of shape (n_draws,)
    waves : ndarray of shape (n_draws, n_basis)
        The coefficients of the smooth part and of the ties.
    bottom, top : ndarray of shape (n_draws,)
        The rates of lapses.
    shift_scale, stretch_scale, roughness, lapse, plateau : ndarray of shape (n_draws,)
        The scales, and the probabilities, from which they were drawn.
    """

    shift: np.ndarray
    log_stretch: np.ndarray
    waves: np.ndarray
    bottom: np.ndarray
    top: np.ndarray
    shift_scale: np.ndarray
    stretch_scale: np.ndarray
    roughness: np.ndarray
    lapse: np.ndarray
    plateau: np.ndarray

    def with_waves(self, waves) -> SlackDraws:
        """Return these draws with other coefficients."""
        return replace(self, waves=waves)

    def take(self, indices) -> SlackDraws:
        return SlackDraws(*(part[indices] for part in self._parts()))

    def where(self, accepted, other: SlackDraws) -> SlackDraws:
        """Return another's draws where accepted, else these."""
        return SlackDraws(
            *(
                np.where(accepted if a.ndim == 1 else accepted[:, np.newaxis], b, a)
                for a, b in zip(self._parts(), other._parts(), strict=True)
            )
        )

    @staticmethod
    def joined(parts: list[SlackDraws]) -> SlackDraws:
        return SlackDraws(
            *(np.concatenate(part) for part in zip(*(p._parts() for p in parts), strict=True))
        )

    def _parts(self):
        return tuple(vars(self)[name] for name in self.__dataclass_fields__)


@dataclass(frozen=True, eq=False)
class Slack(FrozenArrays):
    """The prior of slack on the cells of a sample.

    Attributes
    ----------
    basis : ndarray of shape (n_cells, n_basis)
        Eigenfunctions of the smooth part, times the root of their eigenvalues, then one
        column for each heavy tie.
    least_plateau : float
        Scores other than votes that end in a heavy tie are saturated, and have a plateau at least
        as often.
    """

    basis: np.ndarray
    least_plateau: float = 0.0

    @classmethod
    def on(cls, cells: ScoreCells) -> Slack:
        """Return the slack for given cells."""
        ties = np.flatnonzero(cells.single & (cells.shares > HEAVY_TIE))
        ties = ties[np.argsort(-cells.shares[ties], kind="stable")][:MOST_TIES]
        own = np.zeros((cells.n_cells, len(ties)))
        own[ties, np.arange(len(ties))] = TIE_SIZE
        # One tie of all items is no end of anything.
        is_end = cells.n_cells > 1 and cells.n_cells - 1 in ties
        saturated = is_end and cells.kind.name != "votes"
        return cls(np.hstack([_waves(cells.normal_ranks), own]), SATURATED if saturated else 0.0)

    @cached_property
    def n_basis(self) -> int:
        return self.basis.shape[1]

    def draw(
        self, rng: np.random.Generator, n: int, scale: SlackScale, *, waves: bool = True
    ) -> SlackDraws:
        """Draw the slack of `n` curves from its prior, without the coefficients if not `waves`."""
        wide = rng.random(n) < scale.wide_share
        shift_scale = np.where(wide, scale.wide_shift, scale.shift)
        stretch_scale = np.where(wide, scale.wide_stretch, scale.stretch)
        roughness = scale.roughness * rng.choice(ROUGHNESS, size=n, p=ROUGHNESS_WEIGHTS)
        lapse, plateau = np.full(n, scale.lapse), np.full(n, max(scale.plateau, self.least_plateau))
        bottom, top = _lapses(rng, lapse, plateau)
        return SlackDraws(
            shift_scale * rng.standard_normal(n),
            stretch_scale * rng.standard_normal(n),
            roughness[:, np.newaxis] * rng.standard_normal((n, self.n_basis if waves else 0)),
            bottom,
            top,
            shift_scale,
            stretch_scale,
            roughness,
            lapse,
            plateau,
        )


def propose(rng: np.random.Generator, slack: SlackDraws, steps, redraw: float) -> SlackDraws:
    r"""Propose new slack that leaves its prior as it is (preconditioned Crank-Nicolson).

    :math:`u' = \sqrt{1 - b^2} u + b \sigma \xi` for everything normal; lapses are drawn anew
    with probability `redraw`. A proposal is then accepted by the likelihood ratio alone.

    Parameters
    ----------
    rng : numpy.random.Generator
    slack : SlackDraws
    steps : ndarray of shape (n_draws,)
        The b of each draw.
    redraw : float
    """
    n = len(steps)
    keep = np.sqrt(1.0 - steps**2)
    bottom, top = _lapses(rng, slack.lapse, slack.plateau)
    anew = rng.random(n) < redraw
    return SlackDraws(
        keep * slack.shift + steps * slack.shift_scale * rng.standard_normal(n),
        keep * slack.log_stretch + steps * slack.stretch_scale * rng.standard_normal(n),
        keep[:, np.newaxis] * slack.waves
        + (steps * slack.roughness)[:, np.newaxis] * rng.standard_normal(slack.waves.shape),
        np.where(anew, bottom, slack.bottom),
        np.where(anew, top, slack.top),
        slack.shift_scale,
        slack.stretch_scale,
        slack.roughness,
        slack.lapse,
        slack.plateau,
    )


def _lapses(rng, lapse, plateau):
    bottom, top = np.zeros((2, len(lapse)))
    low, high = rng.random(len(lapse)) < lapse, rng.random(len(lapse)) < plateau
    bottom[low] = 10.0 ** rng.uniform(*LOWEST_RATES, low.sum())
    top[high] = rng.beta(*TOP_RATES, high.sum())
    # Both together leave room for a curve.
    return np.minimum(bottom, (1.0 - top) / 2.0), top


def rank_waves(cells: ScoreCells, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw standard Gaussian processes over the normal ranks of cells, (n, n_cells)."""
    # Not a matrix product: BLAS sums in an order that depends on its threads.
    return np.einsum("ij,kj->ki", _waves(cells.normal_ranks), rng.standard_normal((n, N_WAVES)))


def _waves(normal_ranks) -> np.ndarray:
    grid, leading = _eigenfunctions()
    within = np.clip(normal_ranks, -REACH, REACH)
    return np.stack([np.interp(within, grid, column) for column in leading.T], axis=1)


@cache
def _eigenfunctions() -> tuple[np.ndarray, np.ndarray]:
    grid = np.linspace(-REACH, REACH, 141)
    covariance = np.exp(-0.5 * ((grid[:, np.newaxis] - grid) / LENGTH) ** 2)
    values, vectors = np.linalg.eigh(covariance)
    leading = vectors[:, ::-1][:, :N_WAVES] * np.sqrt(values[::-1][:N_WAVES])
    # The sign of an eigenvector is arbitrary, and differs between libraries.
    leading *= np.sign(leading[-1])
    leading.flags.writeable = False
    return grid, leading
