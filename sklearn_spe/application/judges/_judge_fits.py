"""Fits of answers: pass rates of systems, or means of pass, partial and fail."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import betaincinv

from ...estimators._performance import PerformanceCurveEstimator
from ...means._confusion import weighted_kappa
from ...means._mean_estimator import MeanEstimator
from ...means._mean_input import MIN_LABELS
from ...models._row_reasons import MIN_GROUPS
from ...results._estimates import ScalarEstimate
from ...results._tables import EstimateTable
from ...results._verdict import Verdict
from ..report._main_estimates import OF_VERDICTS, verdict_on_means
from ._judge_data import Answers
from ._judge_ratings import Judge

# The share of answers that pass.
RATE = "prevalence"
# A rating of pass counts, a partial one does not.
CUT_OF_VERDICT = 0.75
# Draws of further cases.
N_DRAWS = 2000
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


@dataclass(frozen=True, eq=False)
class _Fit:
    """Answers by category, or all of them as those of the only system, and their rates."""

    answers: Answers
    settings: argparse.Namespace
    category: np.ndarray | None
    estimator: Any
    rates: EstimateTable

    @property
    def _rows(self) -> list[np.ndarray]:
        """Which answers are of each rate, (n_answers,)."""
        if self.category is None:
            return [np.ones(len(self.answers.labels), dtype=bool)]
        return [self.category == name for name in self.rates.names]

    @property
    def _rate(self) -> float:
        """The rate of all answers."""
        n_answers = np.array([np.count_nonzero(rows) for rows in self._rows])
        return float(self.rates.values @ n_answers / n_answers.sum())


# --- pass and fail ---------------------------------------------------------------------


class RatesFit(_Fit):
    """Pass rates, of labels of two classes."""

    wording = OF_RATES

    @property
    def verdict(self) -> Verdict:
        """The verdict on the fit."""
        return self.estimator.verdict_

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
        ratings = judge.values[np.isfinite(judge.values)]
        levels = np.unique(ratings)
        shares = 1.0 - np.searchsorted(np.sort(ratings), levels[1:], side="left") / len(ratings)
        best = int(np.argmin(np.abs(shares - self._rate)))
        return float(levels[best + 1]), float((levels[best] + levels[best + 1]) / 2.0)

    def agreement(self, judge: Judge) -> dict[str, ScalarEstimate]:
        """Return sensitivity, specificity and kappa; nothing if they cannot be computed."""
        _, threshold = self._cut(judge)
        try:
            ranking = self.estimator.of(judge=judge.name)
            return {
                name: ranking.estimate(metric, threshold=threshold)
                for metric, name in OF_VERDICTS.items()
            }
        except ValueError:
            return {}

    def widths_alone(self) -> np.ndarray:
        """Return the widths of Jeffreys' intervals of the labels alone; NaN without labels."""
        level = self.settings.confidence_level
        tails = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        answers = self.answers
        widths = []
        for rows in self._rows:
            known = answers.labels[rows & answers.is_labeled]
            n_passed = np.count_nonzero(known == 1.0)
            low, high = betaincinv(n_passed + 0.5, len(known) - n_passed + 0.5, tails)
            unknown = 1.0
            if self.settings.target == "sample":
                unknown -= len(known) / max(int(rows.sum()), 1)
            widths.append((high - low) * np.sqrt(unknown) if len(known) else np.nan)
        return np.array(widths)


# --- pass, partial and fail ------------------------------------------------------------


class MeansFit(_Fit):
    """Means of labels that are 1, 0.5 and 0."""

    wording = OF_MEANS

    @property
    def verdict(self) -> Verdict:
        """The verdict on all means."""
        return verdict_on_means(self.estimator)

    def ratings(self, judge: Judge) -> Ratings:
        """Return the ratings from 0 to 1, of grades around the mean of the labels."""
        if judge.is_verdict:
            return Ratings(judge.values)
        scaled = _scaled(judge)
        centered = scaled - np.nanmean(scaled) + self._rate
        return Ratings(centered, "its grades relative to their mean")

    def agreement(self, judge: Judge) -> dict[str, ScalarEstimate]:
        """Return the kappa with linear weights of the labeled answers; nothing if too few."""
        answers = self.answers
        scaled = _scaled(judge)
        rows = np.flatnonzero(answers.is_labeled & np.isfinite(scaled))
        if len(rows) < MIN_LABELS:
            return {}
        unit = rows if answers.prompts is None else answers.prompts[rows].astype(str)
        rng = np.random.default_rng(self.settings.random_state)
        draws = weighted_kappa(answers.labels[rows], scaled[rows], unit, N_DRAWS_OF_KAPPA, rng)
        if not np.isfinite(draws).any():
            return {}
        kappa = ScalarEstimate.from_draws(
            "weighted_kappa",
            draws,
            np.ones(len(draws)),
            confidence_level=self.settings.confidence_level,
            undefined=float(np.isnan(draws).mean()),
        )
        return {"kappa": kappa}

    def widths_alone(self) -> np.ndarray:
        """Return the widths of the intervals without judges; NaN without labels."""
        answers = self.answers
        means = mean_estimator(self.settings)
        alone = _rates_of(means.fit(None, answers.labels, category=self.category), answers)
        widths = [np.ptp(estimate.interval()) for estimate in alone.estimates]
        has_labels = [len(alone) == 1 or name not in answers.without_labels for name in alone.names]
        return np.where(has_labels, widths, np.nan)


# --- all of them labeled ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CountedFit:
    """Pass rates of several systems that answered the same prompts, all labeled."""

    answers: Answers
    settings: argparse.Namespace

    @staticmethod
    def applies(answers: Answers) -> bool:
        """Return whether all answers are labeled, and their prompts are not too few."""
        is_complete = bool(np.isfinite(answers.labels).all())
        if answers.prompts is None or not is_complete:
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
        """The pass rate of each system; they are compared on further cases."""
        further = self.means.by_category(target="population")
        if self.settings.target == "population":
            return further
        estimates = tuple(
            replace(these, compared=beyond.comparable_draws)
            for these, beyond in zip(
                self.means.by_category().estimates, further.estimates, strict=True
            )
        )
        return replace(further, estimates=estimates)

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

    def agreement(self, judge: Judge) -> dict[str, ScalarEstimate]:
        """Return the agreement of a judge with the labels; nothing if it cannot be computed."""
        return self._fit.agreement(judge)

    def widths_alone(self) -> np.ndarray:
        """Return NaN: with all labels a judge adds nothing."""
        return np.full(len(self.answers.names), np.nan)


AnswersFit = RatesFit | MeansFit | CountedFit


def fit_of(
    answers: Answers,
    settings: argparse.Namespace,
    *,
    category: np.ndarray | None = None,
    groups: np.ndarray | None = None,
) -> AnswersFit:
    """Return the fit of answers by category: of means if some labels are partial passes."""
    if not answers.is_graded:
        judges = {each.name: each.values for each in answers.informative}
        performance = performance_estimator(settings).fit(
            None, answers.encoded, category=category, judges=judges or None, groups=groups
        )
        rates = _rates_of(performance, answers, RATE)
        return RatesFit(answers, settings, category, performance, rates)

    # Labels of answers to one prompt depend on each other.
    proxies = [
        each.values
        for each in answers.informative
        if len(np.unique(each.values[answers.is_labeled & np.isfinite(each.values)])) > 1
    ]
    X = np.column_stack(proxies) if proxies else None
    means = mean_estimator(settings).fit(X, answers.labels, category=category, groups=groups)
    return MeansFit(answers, settings, category, means, _rates_of(means, answers))


def performance_estimator(settings: argparse.Namespace) -> PerformanceCurveEstimator:
    """Return the estimator of rates of passes."""
    return PerformanceCurveEstimator(
        classes=(0, 1),
        target=settings.target,
        confidence_level=settings.confidence_level,
        random_state=settings.random_state,
    )


def mean_estimator(settings: argparse.Namespace) -> MeanEstimator:
    """Return the estimator of means of labels from 0 to 1."""
    return MeanEstimator(
        target=settings.target,
        label_range=(0, 1),
        confidence_level=settings.confidence_level,
        random_state=settings.random_state,
    )


def _rates_of(estimator: Any, answers: Answers, *question: str) -> EstimateTable:
    """Return the rate of each category, or of the only system."""
    if estimator.categories_ is None:
        return EstimateTable((answers.names[0],), (estimator.estimate(*question),))
    return estimator.by_category(*question)


def _scaled(judge: Judge) -> np.ndarray:
    """Return ratings from 0 to 1: of grades the lowest and the highest that were given."""
    if judge.is_verdict:
        return judge.values
    low, high = np.nanmin(judge.values), np.nanmax(judge.values)
    return (judge.values - low) / (high - low)
