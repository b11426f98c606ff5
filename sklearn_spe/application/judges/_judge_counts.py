"""Systems whose answers are all labeled: counts of these cases, and an order for further ones."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...means._counted_means import MIN_GROUPS
from ...means._mean_estimator import MeanEstimator
from ...results._estimates import ScalarEstimate
from ...results._tables import EstimateTable
from ...results._verdict import Verdict
from ._judge_data import Answers
from ._judge_fits import OF_MEANS, OF_RATES, AnswersFit, Ratings, Wording, fit_of
from ._judge_ratings import Judge

N_DRAWS = 2000


@dataclass(frozen=True, eq=False)
class CountedFit:
    """Pass rates of several systems that answered the same prompts, all labeled."""

    answers: Answers
    settings: argparse.Namespace

    @staticmethod
    def applies(answers: Answers) -> bool:
        """Return whether the labels of all answers tell systems apart by common prompts."""
        is_complete = bool(np.isfinite(answers.labels).all())
        if answers.prompts is None or len(answers.names) < 2 or not is_complete:
            return False
        return len(set(answers.prompts.tolist())) >= MIN_GROUPS

    @property
    def wording(self) -> Wording:
        """Words for rates, or for means."""
        return OF_MEANS if self.answers.is_graded else OF_RATES

    @cached_property
    def means(self) -> MeanEstimator:
        """The fitted rates."""
        settings, answers = self.settings, self.answers
        means = MeanEstimator(
            target=settings.target,
            label_range=(0, 1),
            n_draws=N_DRAWS,
            confidence_level=settings.confidence_level,
            random_state=settings.random_state,
        )
        return means.fit(None, answers.labels, category=answers.systems, groups=answers.prompts)

    @cached_property
    def rates(self) -> EstimateTable:
        """The pass rate of each system."""
        return self.means.by_category()

    @property
    def verdict(self) -> Verdict:
        """Nothing speaks against counts."""
        return Verdict()

    @cached_property
    def _fit(self) -> AnswersFit:
        """The fit by which judges are rated."""
        answers = self.answers
        return fit_of(answers, self.settings, category=answers.systems, groups=answers.prompts)

    def ratings(self, judge: Judge) -> Ratings:
        """Return the ratings of a judge, on the scale of the labels."""
        return self._fit.ratings(judge)

    def kappa(self, judge: Judge) -> ScalarEstimate | None:
        """Return the agreement of a judge with the labels, None if it cannot be computed."""
        return self._fit.kappa(judge)

    def widths_alone(self) -> np.ndarray:
        """Return NaN: with all labels a judge adds nothing."""
        return np.full(len(self.answers.names), np.nan)
