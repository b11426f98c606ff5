"""Fits of answers: pass rates of systems, or means of pass, partial and fail."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import betaincinv

from ...estimators._performance import PerformanceCurveEstimator
from ...means._confusion import weighted_kappa
from ...means._mean_estimator import MeanEstimator
from ...means._mean_input import MIN_LABELS
from ...results._estimates import ScalarEstimate
from ...results._tables import EstimateTable
from ...results._verdict import Verdict
from ..report._main_estimates import verdict_on_means
from ._judge_data import Answers
from ._judge_ratings import Judge

# The share of answers that pass.
RATE = "prevalence"
# A rating of pass counts, a partial one does not.
CUT_OF_VERDICT = 0.75
# Draws of a weighted kappa.
N_DRAWS_OF_KAPPA = 1000


@dataclass(frozen=True)
class Wording:
    """Words for a rate, or for a mean."""

    value: str
    column: str
    too_high: tuple[str, str]  # before and after what a judge rates too high
    too_low: tuple[str, str]
    better: str
    above: str


OF_RATES = Wording(
    value="of 100 pass",
    column="pass of 100",
    too_high=("passes", "too often"),
    too_low=("fails", "too often"),
    better="passes more often than",
    above="passes more than {:g} of 100",
)
OF_MEANS = Wording(
    value="points of 100",
    column="points of 100",
    too_high=("rates", "too high"),
    too_low=("rates", "too low"),
    better="has more points than",
    above="has more than {:g} points of 100",
)


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of a judge, on the scale of the labels."""

    values: np.ndarray  # (n_answers,), from 0 to 1; NaN: not rated
    note: str = ""  # how grades were made comparable
    passes_from: float | None = None  # the grade from which on an answer passes


class AnswersFit(Protocol):
    """A fit of rates, or of means."""

    @property
    def wording(self) -> Wording: ...

    @property
    def rates(self) -> EstimateTable: ...

    @property
    def verdict(self) -> Verdict: ...

    def ratings(self, judge: Judge) -> Ratings: ...

    def kappa(self, judge: Judge) -> ScalarEstimate | None: ...

    def widths_alone(self) -> np.ndarray: ...


def fit_of(
    answers: Answers,
    settings: argparse.Namespace,
    *,
    category: np.ndarray | None = None,
    groups: np.ndarray | None = None,
) -> AnswersFit:
    """Return the fit of answers by category: of means if some labels are partial passes."""
    if answers.is_graded:
        return MeansFit.of(answers, settings, category, groups)
    return RatesFit.of(answers, settings, category, groups)


def _counts(answers: Answers, rates: EstimateTable, category: np.ndarray | None) -> np.ndarray:
    """Return the number of answers of each category, (n_categories,)."""
    if category is None:
        return np.array([len(answers.labels)])
    return np.array([np.count_nonzero(category == name) for name in rates.names])


# --- pass and fail ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RatesFit:
    """Pass rates, of labels of two classes."""

    answers: Answers
    category: np.ndarray | None
    performance: PerformanceCurveEstimator
    rates: EstimateTable
    wording: Wording = OF_RATES

    @classmethod
    def of(
        cls,
        answers: Answers,
        settings: argparse.Namespace,
        category: np.ndarray | None,
        groups: np.ndarray | None,
    ) -> RatesFit:
        """Fit the rates."""
        judges = {each.name: each.values for each in answers.informative}
        performance = PerformanceCurveEstimator(
            classes=(0, 1),
            confidence_level=settings.confidence_level,
            random_state=settings.random_state,
        ).fit(None, answers.encoded, category=category, judges=judges or None, groups=groups)
        if category is None:
            names = (answers.names[0],)
            rates = EstimateTable(names, (performance.estimate(RATE),))
        else:
            rates = performance.by_category(RATE)
        return cls(answers, category, performance, rates)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the fit."""
        return self.performance.verdict_

    def ratings(self, judge: Judge) -> Ratings:
        """Return whether a judge passes each answer.

        Of grades the limit is the one whose share of passes is closest to the estimated rate.
        """
        passes_from, threshold = self._cut(judge)
        passed = np.where(np.isfinite(judge.values), judge.values >= threshold, np.nan)
        note = "" if judge.is_verdict else f"{passes_from:g} or more taken as a pass"
        return Ratings(passed, note, passes_from)

    def _cut(self, judge: Judge) -> tuple[float, float]:
        """Return the rating from which on a judge passes, and a threshold just below it."""
        if judge.is_verdict:
            return 1.0, CUT_OF_VERDICT
        n_answers = _counts(self.answers, self.rates, self.category)
        rate = float(self.rates.values @ n_answers / n_answers.sum())
        ratings = judge.values[np.isfinite(judge.values)]
        levels = np.unique(ratings)
        shares = 1.0 - np.searchsorted(np.sort(ratings), levels[1:], side="left") / len(ratings)
        best = int(np.argmin(np.abs(shares - rate)))
        return float(levels[best + 1]), float((levels[best] + levels[best + 1]) / 2.0)

    def kappa(self, judge: Judge) -> ScalarEstimate | None:
        """Return the agreement with people, None if it cannot be computed."""
        _, threshold = self._cut(judge)
        try:
            ranking = self.performance.of(judge=judge.name)
            return ranking.estimate("cohen_kappa", threshold=threshold)
        except ValueError:
            return None

    def widths_alone(self) -> np.ndarray:
        """Return the widths of Jeffreys' intervals of the labels alone; NaN without labels."""
        level = self.rates.estimates[0].confidence_level
        tails = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        labels = self.answers.labels
        widths = []
        for name in self.rates.names:
            rows = np.ones(len(labels), bool) if self.category is None else self.category == name
            known = labels[rows & np.isfinite(labels)]
            n_passed = np.count_nonzero(known == 1.0)
            low, high = betaincinv(n_passed + 0.5, len(known) - n_passed + 0.5, tails)
            unknown = 1.0 - len(known) / max(int(rows.sum()), 1)
            widths.append((high - low) * np.sqrt(unknown) if len(known) else np.nan)
        return np.array(widths)


# --- pass, partial and fail ------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MeansFit:
    """Means of labels that are 1, 0.5 and 0."""

    answers: Answers
    settings: argparse.Namespace
    category: np.ndarray | None
    means: MeanEstimator
    rates: EstimateTable
    wording: Wording = OF_MEANS

    @classmethod
    def of(
        cls,
        answers: Answers,
        settings: argparse.Namespace,
        category: np.ndarray | None,
        groups: np.ndarray | None,
    ) -> MeansFit:
        """Fit the means; labels of answers of one prompt depend on each other."""
        is_known = np.isfinite(answers.labels)
        proxies = [
            each.values
            for each in answers.informative
            if len(np.unique(each.values[is_known & np.isfinite(each.values)])) > 1
        ]
        X = np.column_stack(proxies) if proxies else None
        means = _mean_estimator(settings).fit(X, answers.labels, category=category, groups=groups)
        return cls(answers, settings, category, means, _rates_of(means, answers))

    @property
    def verdict(self) -> Verdict:
        """The verdict on all means."""
        return verdict_on_means(self.means)

    def ratings(self, judge: Judge) -> Ratings:
        """Return the ratings from 0 to 1, of grades around the mean of the labels."""
        if judge.is_verdict:
            return Ratings(judge.values)
        scaled = _scaled(judge)
        n_answers = _counts(self.answers, self.rates, self.category)
        mean = float(self.rates.values @ n_answers / n_answers.sum())
        return Ratings(scaled - np.nanmean(scaled) + mean, "its grades relative to their mean")

    def kappa(self, judge: Judge) -> ScalarEstimate | None:
        """Return the kappa with linear weights of the labeled answers, None if they are too few."""
        labels = self.answers.labels
        scaled = _scaled(judge)
        rows = np.flatnonzero(np.isfinite(labels) & np.isfinite(scaled))
        if len(rows) < MIN_LABELS:
            return None
        prompts = self.answers.prompts
        unit = rows if prompts is None else prompts[rows].astype(str)
        rng = np.random.default_rng(self.settings.random_state)
        draws = weighted_kappa(labels[rows], scaled[rows], unit, N_DRAWS_OF_KAPPA, rng)
        if not np.isfinite(draws).any():
            return None
        return ScalarEstimate.from_draws(
            "weighted_kappa",
            draws,
            np.ones(len(draws)),
            confidence_level=self.settings.confidence_level,
            undefined=float(np.isnan(draws).mean()),
        )

    def widths_alone(self) -> np.ndarray:
        """Return the widths of the intervals without judges; NaN without labels."""
        answers = self.answers
        means = _mean_estimator(self.settings)
        alone = _rates_of(means.fit(None, answers.labels, category=self.category), answers)
        labeled = set(answers.systems[np.isfinite(answers.labels)].tolist())
        return np.array(
            [
                np.ptp(estimate.interval()) if name in labeled or len(alone) == 1 else np.nan
                for name, estimate in alone.items()
            ]
        )


def _mean_estimator(settings: argparse.Namespace) -> MeanEstimator:
    return MeanEstimator(
        label_range=(0, 1),
        confidence_level=settings.confidence_level,
        random_state=settings.random_state,
    )


def _rates_of(means: MeanEstimator, answers: Answers) -> EstimateTable:
    if means.categories_ is None:
        return EstimateTable((answers.names[0],), (means.estimate(),))
    return means.by_category()


def _scaled(judge: Judge) -> np.ndarray:
    """Return ratings from 0 to 1: of grades the lowest and the highest that were given."""
    if judge.is_verdict:
        return judge.values
    low, high = np.nanmin(judge.values), np.nanmax(judge.values)
    return (judge.values - low) / (high - low)
