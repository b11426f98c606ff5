"""Noisy labels used as true ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._label_draws import LabelDraws
from ._label_model import LabelModel

__all__ = ["NaiveModel"]


@dataclass(frozen=True)
class NaiveModel(LabelModel):
    """Noisy labels used as true ones (eq. 4 of Nguyen, Ramanan and Fowlkes, 2018).

    Its intervals have no width, as it has no uncertainty. Every selector with noisy labels also has
    this estimate, as `naive_estimate_`.

    Examples
    --------
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active import NaiveModel
    >>> from sklearn_spe.datasets import make_noisy_tags
    >>> data = make_noisy_tags(200, 3, prevalence=0.2, random_state=0)
    >>> selector = ActiveTestSelector(label_model=NaiveModel(), n_draws=40, random_state=0)
    >>> selector = selector.fit(
    ...     data.scores, noisy_labels=data.noisy_labels, category=data.category)
    >>> bool(abs(selector.estimate_.value - selector.naive_estimate_) < 1e-12)
    True
    """

    name: ClassVar[str] = "naive"

    def learn(self, ranked_lists, codes, n_draws, rng):
        return LabelDraws(
            np.broadcast_to(ranked_lists.noisy * 1.0, (n_draws, ranked_lists.n_rows)), codes
        )
