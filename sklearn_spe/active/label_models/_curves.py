"""Curves of P(z = 1 | score), one for each system, category and noisy label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...score_mixture._fit_settings import FitSettings
from ...score_mixture._mixture_parameter import new_mixture
from ...score_mixture._score_mixture import SemisupervisedScoreMixture
from ..lists._items import members_of
from ._curve_pool import CurvePool, reasons_of
from ._joint import JointModel
from ._label_draws import LabelDraws
from ._label_model import LabelModel

__all__ = ["CurvesModel"]

# Fewer items with the same noisy label get no curve.
MIN_ITEMS = 20


@dataclass(frozen=True)
class CurvesModel(LabelModel):
    """Separate curves of :class:`SemisupervisedScoreMixture` for each system and category.

    For each system and category, the labels update curves of :math:`P(z = 1 | s)`; no information
    is shared between categories or systems. Noisy labels divide each category in two pools, without
    assumptions on how they arise; pools of fewer than 20 items with the same noisy label follow
    `JointModel`.

    Known labels are common to all systems. Unknown labels are drawn from the separate model of each
    system, and agree as far as the probabilities allow. The interval of a difference is therefore
    conservative, and so is the probability that one system is better.

    It needs one fit per system, category and noisy label, which is slow for many of them.

    Parameters
    ----------
    mixture : SemisupervisedScoreMixture, default=None
        A mixture with custom parameters.

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
    judges_alone: ClassVar[bool] = True

    def prepared(self, ranked_lists, n_draws, rng):
        pools, settings = [], self._settings(n_draws)
        noisy = (
            np.zeros(ranked_lists.n_rows, int) if ranked_lists.noisy is None else ranked_lists.noisy
        )
        least = 1 if ranked_lists.noisy is None else MIN_ITEMS
        for number, items in enumerate(
            members_of(2 * ranked_lists.group + noisy, 2 * ranked_lists.n_groups)
        ):
            if len(items) < least:
                continue
            for system in range(ranked_lists.scores.shape[1]):
                seed, subject = int(rng.integers(2**31)), _subject(ranked_lists, system, number)
                pools.append(CurvePool.of(items, system, subject, ranked_lists, settings, seed))
        return _PreparedCurves(self.mixture, tuple(pools))

    def learn(self, ranked_lists, codes, n_draws, rng):
        return self.prepared(ranked_lists, n_draws, rng.spawn(1)[0]).learn(
            ranked_lists, codes, n_draws, rng
        )

    def _settings(self, n_draws) -> FitSettings:
        if self.mixture is None:
            return FitSettings.of(SemisupervisedScoreMixture(n_draws=n_draws))
        return FitSettings.of(new_mixture(self.mixture, random_state=0))


@dataclass(frozen=True)
class _PreparedCurves(CurvesModel):
    """The same, with the prior curves of each pool."""

    pools: tuple[CurvePool, ...] = ()

    def learn(self, ranked_lists, codes, n_draws, rng):
        own = np.empty((ranked_lists.scores.shape[1], n_draws, ranked_lists.n_rows))
        if sum(len(pool.items) for pool in self.pools) < ranked_lists.scores.size:
            own[:] = JointModel().learn(ranked_lists, codes, n_draws, rng).probability
        verdicts = []
        for pool in self.pools:
            own[pool.system][:, pool.items], verdict = pool.learn(codes, n_draws, rng)
            verdicts.append((pool.subject, verdict))
        return LabelDraws.of_systems(own, codes, tuple(reasons_of(verdicts)))


def _subject(ranked_lists, system: int, pool: int) -> str:
    """Return the name of a fit."""
    category, noisy = divmod(pool, 2)
    names = [f"system {system}"] if ranked_lists.scores.shape[1] > 1 else []
    names += [f"category {category} of categories_"] if ranked_lists.n_groups > 1 else []
    names += [] if ranked_lists.noisy is None else [f"noisy label {noisy}"]
    return ", ".join(names)
