"""Curves of P(z = 1 | score), one for each noisy label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.base import clone

from ..._laws import picked
from ...score_mixture import SemisupervisedScoreMixture
from ._features import ranked_scores
from ._joint import JointModel
from ._label_draws import LabelDraws
from ._label_model import LabelModel

__all__ = ["CurvesModel"]

# Fewer items with the same noisy label have no curve of their own.
LEAST_ITEMS = 20


@dataclass(frozen=True)
class CurvesModel(LabelModel):
    """The curves of :class:`SemisupervisedScoreMixture`, of the items of each noisy label.

    Noisy labels divide each category in two pools, and in each the labels judge curves of
    :math:`P(z = 1 | s)`: nothing is assumed of how noisy labels come about. Items of a pool of
    fewer than 20 follow `JointModel`. Several systems are one score, the mean of their ranks.

    It takes a fit a category and noisy label: for many categories "joint" is far faster.

    Parameters
    ----------
    mixture : SemisupervisedScoreMixture, default=None
        With parameters of its own.

    Examples
    --------
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active import CurvesModel
    >>> from sklearn_spe.datasets import make_noisy_tags
    >>> data = make_noisy_tags(200, 1, prevalence=0.3, random_state=0)
    >>> selector = ActiveTestSelector(label_model=CurvesModel(), n_draws=40, random_state=0)
    >>> selector = selector.fit(data.scores, noisy_labels=data.noisy_labels)
    >>> selector.label_proba_.shape
    (200,)
    """

    mixture: SemisupervisedScoreMixture | None = None

    name: ClassVar[str] = "curves"
    needs_noisy: ClassVar[bool] = False

    def learn(self, board, codes, n_draws, rng):
        noisy = np.zeros(board.n_entries, int) if board.noisy is None else board.noisy
        pool = 2 * board.group + noisy
        scores = board.scores[:, 0]
        if board.scores.shape[1] > 1:
            scores = ranked_scores(board).mean(axis=1)
        probability = np.empty((n_draws, board.n_entries))
        sizes = np.bincount(pool)
        if (sizes[sizes > 0] < LEAST_ITEMS).any():
            probability[:] = JointModel().learn(board, codes, n_draws, rng).probability
        for number in np.flatnonzero(sizes >= LEAST_ITEMS):
            own = np.flatnonzero(pool == number)
            mixture = self._mixture(n_draws, int(rng.integers(2**31)))
            y = np.where(codes[own] < 0, np.nan, codes[own])
            mixture._fit_silently(scores[own], y, None)
            posterior = mixture.posterior_
            draws = [posterior.positive_probability(scores[own], b) for b in posterior.blocks()]
            chosen = picked(posterior.weights, n_draws)
            probability[:, own] = np.concatenate(draws)[rng.permutation(chosen)]
        return LabelDraws(probability, codes)

    def _mixture(self, n_draws, seed):
        if self.mixture is not None:
            # Labels are codes here, and scores are turned.
            own = {"classes": [0, 1], "pos_label": None, "unlabeled_label": -1}
            own |= {"greater_is_positive": True, "random_state": seed}
            return clone(self.mixture).set_params(**own)
        return SemisupervisedScoreMixture(classes=[0, 1], n_draws=n_draws, random_state=seed)
