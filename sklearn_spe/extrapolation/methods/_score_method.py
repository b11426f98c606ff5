"""The method of scores: a tail statistic of the scores, calibrated by wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...inputs._arrays import row_tiles
from ...inputs._validation import check_count
from .._accuracy_distributions import ConditionalAccuracyDistribution, Points
from .._pilot import Pilot
from ._curve_methods import Probit
from ._method import Method
from ._tail import Calibration, ScoreTransform, TailAxis, split_scores, split_ties

# With fewer classes the wrong scores of an item have little information on their spread.
MIN_CLASSES = 6


@dataclass(frozen=True)
class Scores(Method):
    r"""A tail statistic of the scores, calibrated by the observed wins.

    Ranks are unbiased but have limited resolution: with k classes they cannot distinguish whether a
    wrong class beats the true one with probability 1 / 10 k or never. Scores can, but they are
    biased. Here the position of the true class's score among those of wrong classes, on the probit
    scale, is a covariate :math:`x_i`, standardized over all items; it is calibrated by the wins
    against classes held out from its computation,

    .. math::
        w_i \mid x_i \sim \mathrm{Bin}(n_i, U_i), \qquad
        U_i = \Phi\Bigl((a + b x_i) \sqrt{1 + \sigma_i^2} + \sigma_i \varepsilon_i\Bigr), \qquad
        \varepsilon_i \sim N(0, 1),

    where :math:`\sigma_i^2 = s^2` plus the known noise of :math:`x_i`. With a = 0 and b = 1 a wrong
    class, whose covariate is standard normal, beats another with probability 1/2. The posterior
    mode of (a, b, log s) is found by composite likelihood over folds of classes. The accuracy is
    the mean of :math:`E[U_i^{k - 1} \mid w_i]`.

    Probabilities are transformed to logarithms. Scores of which none is above 0, such as negative
    distances, are transformed by the power that minimizes their skewness. Otherwise the covariate
    is invariant under a constant added to the scores of an item. An item with ties is split into
    several, with none, some or all of the ties won. With fewer than six classes the distribution is
    that of :class:`Probit`.

    Parameters
    ----------
    n_folds : int, default=4
        Folds of classes.

    See Also
    --------
    Blend : Its mean with two methods that use ranks only.

    Examples
    --------
    The result is invariant under a constant added to all scores of an item, such as the
    normalization of its log-probabilities.

    >>> import numpy as np
    >>> from sklearn_spe import AccuracyExtrapolator
    >>> from sklearn_spe.datasets import GaussianClasses, make_recognition_scores
    >>> from sklearn_spe.extrapolation import Scores
    >>> task = GaussianClasses(rule="linear_discriminant")
    >>> X, y = make_recognition_scores(50, task=task, random_state=0)
    >>> extrapolator = AccuracyExtrapolator(Scores(), n_bootstrap=0, random_state=0)
    >>> accuracy = extrapolator.fit(X, y).predict(500)
    >>> moved = X + np.random.default_rng(0).standard_normal((50, 1))
    >>> bool(np.isclose(extrapolator.fit(moved, y).predict(500), accuracy))
    True
    """

    name: ClassVar[str] = "scores"

    n_folds: int = 4

    def __post_init__(self) -> None:
        check_count(self.n_folds, "n_folds", 2)

    def fit(self, pilot: Any, rng: np.random.Generator) -> Any:
        """Return the distribution estimated from scores and wins."""
        if pilot.n_classes < MIN_CLASSES:
            return Probit().fit(pilot, rng)
        few = pilot.thinned()
        scale = ScoreTransform.learn(few.scores).floored(pilot.scores)
        scaled = Pilot(scale(few.scores), few.columns, few.weights)
        calibration = Calibration.learn(scaled, min(self.n_folds, pilot.n_classes // 2), rng)
        tail_axis = TailAxis.learn(split_scores(scaled.scores, scaled.columns)[1])
        wins, ties = pilot.wins_and_ties
        places, shares_of = [], []
        for rows in row_tiles(len(pilot.columns), pilot.n_classes * 4):
            own, wrong = split_scores(scale(pilot.scores[rows]), pilot.columns[rows])
            x, variance = tail_axis(own, wrong)
            parts, won, shares = split_ties(wins[rows], ties[rows])
            trials = np.full(len(parts), float(pilot.n_wrong))
            probits, posterior = calibration.posterior(x[parts], variance[parts], won, trials)
            shares *= pilot.weights[rows][parts]
            places.append(probits.ravel())
            shares_of.append((posterior * shares[:, np.newaxis]).ravel())
        points, weights = Points.gathered(np.concatenate(places), np.concatenate(shares_of))
        return ConditionalAccuracyDistribution(points, weights)
