"""Fit of a single score column."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..curves._complement import ComplementPosterior
from ..inputs._labels import UNLABELED, BinaryLabels
from ..inputs._names import place_of_name
from ..score_mixture._score_model import ScoreModel
from ._performance_subject import RankingRows, RankingView, Subject
from ._ranking_answers import RankingAnswers

__all__ = ["OnePool"]


@dataclass(frozen=True, eq=False)
class OnePool(Subject):
    """Fit of a single score column."""

    mixture: Any  # fitted
    positive: Any = None  # the class to evaluate; None for the mixture's positive class
    default_threshold: float | None = None  # decision threshold
    label_seed: int | None = None  # seed of the label draws; None for that of the mixture

    @classmethod
    def takes(cls, mixture, X, y, structure):
        return True

    @classmethod
    def fit(cls, mixture, X, y, sample_weight, structure, seed):
        proba = structure.inclusion_proba
        mixture.model_ = ScoreModel.of(mixture, X, y, sample_weight, proba, structure.source)
        return replace(cls.of(mixture), label_seed=seed)

    @classmethod
    def of(cls, mixture, positive=None) -> OnePool:
        """Return the fit of a fitted mixture."""
        return cls(mixture, positive, mixture.model_.default_threshold)

    def updated(self, X, y, sample_weight, structure):
        _check_no(structure.said("category", "groups"))
        mixture = copy(self.mixture)
        proba, source = structure.inclusion_proba, structure.source
        mixture.model_ = self.model.updated(mixture, X, y, sample_weight, proba, source)
        return replace(self, mixture=mixture)

    def deciding(self, threshold):
        return replace(self, default_threshold=threshold)

    @property
    def model(self) -> ScoreModel:
        return self.mixture.model_

    @property
    def seed(self):
        return self.model.seed if self.label_seed is None else self.label_seed

    @cached_property
    def labels(self) -> BinaryLabels:
        """How labels are encoded, with the class to evaluate."""
        return self.model.labels.with_positive(self.positive)

    @property
    def classes(self):
        return self.labels.classes

    @property
    def pos_label(self):
        return self.labels.pos_label

    @property
    def systems(self):
        names = getattr(self.mixture, "feature_names_in_", ())
        return tuple(names.tolist()) if len(names) == 1 else (0,)

    def shown(self, asked):
        _check_no([name for name in ("category", "judge") if getattr(asked, name) is not None])
        if asked.system is not None and place_of_name(asked.system, (0, *self.systems)) is None:
            _check_no(["system"])
        posterior, score_direction = self.model.posterior, self.model.score_direction
        if self.labels.positive != self.model.labels.positive:
            posterior = ComplementPosterior.of(posterior, score_direction.total)
            score_direction = score_direction.reversed()
        return RankingView(posterior, score_direction, self.default_threshold)

    def rows(self, asked):
        given = self.model.given
        scores, codes = given.scores, given.codes
        if self.labels.positive != self.model.labels.positive:
            scores = self.model.score_direction.total - scores
            codes = np.where(codes == UNLABELED, UNLABELED, 1 - codes)
        chances = given.chances if np.isin(given.weights, (0.0, 1.0)).all() else None
        return RankingRows(scores, codes, given.weights > 0.0, chances)

    def answers(self, performance):
        return RankingAnswers.of(performance)


def _check_no(said) -> None:
    """Raise if a category or group is requested but was not given to fit."""
    if said:
        raise ValueError(
            f"{' and '.join(f'{name}=' for name in said)} requires a fit with it: fit was given "
            "one column of scores without category=, groups= and judges=. Pass them to fit."
        )
