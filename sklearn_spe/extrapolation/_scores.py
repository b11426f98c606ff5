"""The method of scores: a tail coordinate made of scores, calibrated by wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import optimize, special

from .._numbers import check_count
from .._tiles import row_tiles
from ._components import Points
from ._law import ConditionalAccuracyLaw
from ._method import Method
from ._normal_scores import NormalScores, RowScale, SpreadPrior
from ._pilot import Pilot
from ._probit import Probit
from ._score_table import ScoreScale, split_scores, wrong_columns

__all__ = ["Scores"]

# With fewer classes the wrong scores of an item say too little of their spread.
LEAST_CLASSES = 6
# A wrong class that scores higher with a probability below 1e-30 never does.
FARTHEST = 12.0
# The prior of the calibration (intercept, slope, log spread) is normal. Found on simulated
# problems, see examples/benchmarks/extrapolation; slope 1 and intercept 0 would say that an item
# of a true class is like any other with the same coordinate.
PRIOR_MEANS = np.array([0.1, 1.0, np.log(0.15)])
PRIOR_STDS = np.array([0.25, 0.1, 0.4])
BOUNDS = ((-4.0, 4.0), (0.05, 4.0), (np.log(0.01), np.log(3.0)))
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(20)
LOG_NODE_WEIGHTS = np.log(NODE_WEIGHTS / NODE_WEIGHTS.sum())


@dataclass(frozen=True)
class Scores(Method):
    r"""Scores see the tail, and wins calibrate what they see.

    Ranks are unbiased but blind: k classes cannot tell whether a wrong class beats the true one
    with probability 1 / 10 k or never. Scores can, but what they say is biased. Here the place of
    the true class's score among those of wrong classes, on the probit scale, is a coordinate
    :math:`x_i`, made of all items together; and wins against classes that had no part in it say
    how it is to be read,

    .. math::
        w_i \mid x_i \sim \mathrm{Bin}(n_i, U_i), \qquad
        U_i = \Phi\Bigl((a + b x_i) \sqrt{1 + \sigma_i^2} + \sigma_i \varepsilon_i\Bigr), \qquad
        \varepsilon_i \sim N(0, 1),

    where :math:`\sigma_i^2 = s^2` plus the known noise of :math:`x_i`. With a = 0 and b = 1 a
    wrong class, whose coordinate is standard normal, beats another with probability 1/2. The
    posterior mode of (a, b, log s) is found by composite likelihood over folds of classes. The
    accuracy is the mean of :math:`E[U_i^{k - 1} \mid w_i]`.

    The coordinate does not change if a constant is added to the scores of an item. Probabilities
    are taken to logarithms, negative distances to powers of themselves. With fewer than six
    classes the law is that of :class:`Probit`.

    Parameters
    ----------
    n_folds : int, default=4
        Folds of classes.
    """

    name: ClassVar[str] = "scores"

    n_folds: int = 4

    def __post_init__(self):
        check_count(self.n_folds, "n_folds", 2)

    def fit(self, pilot, rng):
        """Return the law that scores and wins speak for."""
        if pilot.n_classes < LEAST_CLASSES:
            return Probit().fit(pilot, rng)
        few = pilot.thinned()
        scale = ScoreScale.learn(few.scores).floored(pilot.scores)
        scaled = Pilot(scale(few.scores), few.columns, few.weights)
        calibration = _calibrate(scaled, min(self.n_folds, pilot.n_classes // 2), rng)
        coordinate = _Coordinate.learn(split_scores(scaled.scores, scaled.columns)[1])
        places, weights = [], []
        for rows in row_tiles(len(pilot.columns), pilot.n_classes * 4):
            own, wrong = split_scores(scale(pilot.scores[rows]), pilot.columns[rows])
            x, variance = coordinate(own, wrong)
            probits, shares = calibration.posterior(x, variance, *_outcomes(pilot, rows))
            places.append(probits.ravel())
            weights.append((shares * pilot.weights[rows, np.newaxis]).ravel())
        points, weights = Points.gathered(np.concatenate(places), np.concatenate(weights))
        return ConditionalAccuracyLaw(points, weights)


@dataclass(frozen=True, eq=False)
class _Coordinate:
    """The place of an item's own score among wrong ones, on the probit scale, and its noise."""

    images: NormalScores
    spreads: SpreadPrior

    @classmethod
    def learn(cls, wrong) -> _Coordinate:
        rows = RowScale.learn(wrong)
        return cls(NormalScores.learn(rows.of_each_left_out(wrong)), rows.spreads)

    def __call__(self, own, wrong):
        """Return coordinates and their variances, each of shape (n_items,)."""
        rows = RowScale.learn(wrong, self.spreads)
        x = np.clip(self.images(rows.of(own)), -FARTHEST, FARTHEST)
        return x, 1.0 / rows.n_wrong + x**2 * self.spreads.log_variance


@dataclass(frozen=True)
class _Calibration:
    """How a coordinate is to be read."""

    intercept: float
    slope: float
    log_std: float

    def probits(self, x, variance):
        """Return the probits of U at the nodes, of shape (n_items, n_nodes)."""
        spread = np.exp(2.0 * self.log_std) + variance
        centre = (self.intercept + self.slope * x) * np.sqrt(1.0 + spread)
        return centre[:, np.newaxis] + np.sqrt(spread)[:, np.newaxis] * NODES

    def posterior(self, x, variance, wins, trials):
        """Return probits of U, and the posterior probabilities of each given the wins."""
        probits = self.probits(x, variance)
        log_joint = _log_binomial(probits, wins, trials) + LOG_NODE_WEIGHTS
        return probits, special.softmax(log_joint, axis=1)

    def log_likelihood(self, x, variance, wins, trials, weights):
        """Return the log likelihood and its gradient."""
        probits = self.probits(x, variance)
        log_win, log_loss = special.log_ndtr(probits), special.log_ndtr(-probits)
        wins, losses = wins[:, np.newaxis], (trials - wins)[:, np.newaxis]
        log_joint = wins * log_win + losses * log_loss + LOG_NODE_WEIGHTS
        total = special.logsumexp(log_joint, axis=1, keepdims=True)
        log_density = -0.5 * (probits**2 + np.log(2.0 * np.pi))
        slopes = wins * np.exp(log_density - log_win) - losses * np.exp(log_density - log_loss)
        slopes *= np.exp(log_joint - total) * weights[:, np.newaxis]
        spread = np.exp(2.0 * self.log_std) + variance
        widening = np.sqrt(1.0 + spread)
        of_centre = slopes.sum(axis=1)
        centre = self.intercept + self.slope * x
        of_spread = of_centre * centre / widening + slopes @ NODES / np.sqrt(spread)
        gradient = (
            of_centre @ widening,
            of_centre @ (widening * x),
            of_spread.sum() * np.exp(2.0 * self.log_std),
        )
        return float(weights @ total[:, 0]), np.array(gradient)


def _log_binomial(probits, wins, trials):
    wins, losses = wins[:, np.newaxis], (trials - wins)[:, np.newaxis]
    return wins * special.log_ndtr(probits) + losses * special.log_ndtr(-probits)


def _outcomes(pilot, rows):
    """Return wins, a tie for half of one, and trials."""
    wins, ties = pilot.wins_and_ties
    return wins[rows] + 0.5 * ties[rows], np.full(len(wins[rows]), float(pilot.n_wrong))


def _calibrate(pilot, n_folds, rng) -> _Calibration:
    """Return the posterior mode of the calibration: in each fold wins meet others' coordinate."""
    own, wrong = split_scores(pilot.scores, pilot.columns)
    wrong_classes = wrong_columns(pilot.columns[:, np.newaxis], pilot.n_classes)
    fold_of = rng.permutation(np.arange(pilot.n_classes) % n_folds)[wrong_classes]
    data = [_held_out(own, wrong, fold_of == fold) for fold in range(n_folds)]
    x, variance, wins, trials = (np.concatenate(part) for part in zip(*data, strict=True))
    weights = np.tile(pilot.weights * pilot.effective_items, n_folds)

    def loss(parameters):
        value, gradient = _Calibration(*parameters).log_likelihood(
            x, variance, wins, trials, weights
        )
        off = (parameters - PRIOR_MEANS) / PRIOR_STDS
        return 0.5 * off @ off - value, off / PRIOR_STDS - gradient

    found = optimize.minimize(loss, PRIOR_MEANS, jac=True, method="L-BFGS-B", bounds=BOUNDS)
    return _Calibration(*found.x)


def _held_out(own, wrong, inside):
    """Return coordinates made of the classes outside a fold, and the wins against those inside."""
    # Items of a class outside the fold have one wrong class less there: all take as many.
    n_outside = int((~inside).sum(axis=1).min())
    first = np.argsort(inside, axis=1, kind="stable")[:, :n_outside]
    outside = np.take_along_axis(wrong, first, axis=1)
    x, variance = _Coordinate.learn(outside)(own, outside)
    own = own[:, np.newaxis]
    wins = (inside & (wrong < own)).sum(axis=1) + 0.5 * (inside & (wrong == own)).sum(axis=1)
    return x, variance, wins, inside.sum(axis=1).astype(float)
