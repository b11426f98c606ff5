"""Answers on systems and judges: their order, the bias of each judge, and the effect of length."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...inputs._validation import listed
from ...results._estimates import ScalarEstimate
from ...results._showing import probability_in_words
from ...results._tables import EstimateTable
from ..command_line._terminal import working
from ..report._main_estimates import OF_VERDICTS
from ._judge_data import Answers
from ._judge_fits import AnswersFit, Ratings, Wording, fit_of
from ._judge_ratings import Judge

# Systems that a sentence names at most.
MAX_NAMED = 3
# The least number of labels for an estimate of the effect of length.
MIN_LABELS_OF_LENGTH = 10


# --- which system is best --------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Standing:
    """Systems in order, with the probability that one passes more often than another."""

    rates: EstimateTable
    order: list[str]
    proba_best: dict[str, float]
    n_labels: dict[str, int]
    groups: dict[str, int]  # the rank of the first system that one is not separable from
    needed: float
    wording: Wording

    @classmethod
    def of(cls, fit: AnswersFit, answers: Answers, needed: float) -> Standing:
        """Return the order of systems by their rates."""
        rates = fit.rates
        order = [rates.names[i] for i in np.argsort(-rates.values, kind="stable")]
        draws = np.column_stack([rates[name].comparable_draws for name in rates.names])
        is_first = draws == draws.max(axis=1, keepdims=True)
        shares = rates.estimates[0].weights @ (is_first / is_first.sum(axis=1, keepdims=True))
        proba_best = dict(zip(rates.names, shares.tolist(), strict=True))

        labeled = answers.systems[answers.is_labeled]
        n_labels = {name: int((labeled == name).sum()) for name in order}
        groups: dict[str, int] = {}
        first = order[0]
        for rank, name in enumerate(order, 1):
            if rank == 1 or proba_above(rates, first, name) >= needed:
                first, group = name, rank
            groups[name] = group
        return cls(rates, order, proba_best, n_labels, groups, needed, fit.wording)

    @property
    def tied(self) -> list[str]:
        """Systems that the first one does not exceed with the required probability."""
        return [
            name
            for name in self.order[1:]
            if proba_above(self.rates, self.order[0], name) < self.needed
        ]

    def sentence(self) -> str:
        """Return the best system and its lead, or that no system is clearly best, as a sentence."""
        best = self.order[0]
        value = f"{_of_100(self.rates[best].value)} {self.wording.value}"
        rate = f"{value} ({ends_of(self.rates[best])})"
        if len(self.order) == 1:
            return f"{best}: {rate}."

        probability = self.proba_best[best]
        tied = self.tied
        start = "Best" if not tied else "Probably best" if probability >= 0.5 else "No clear best"
        lead = self.rates.difference(best, self.order[1])
        assert lead is not None
        points = round(100 * (self.rates[best].value - self.rates[self.order[1]].value))
        by = f"{points} more than {self.order[1]} ({ends_of(lead)})"
        if not tied:
            others = self.order[1] if len(self.order) == 2 else "all others"
            end = f"separable from {others}"
        elif len(tied) == len(self.order) - 1 > 1:
            end = "not separable from any other"
        else:
            end = f"not separable from {_named(tied)}"
        being_best = f"probability {probability_in_words(probability)} of being best"
        return f"{start}: {best}, {rate}, {by}, {being_best}; {end}."

    def table(self) -> str:
        """Return the systems in order, with intervals and the groups of ties."""
        rows = [("system", ("rank", self.wording.column, "interval", "best", "labels"))]
        rows += [(name, self.cells(name)) for name in self.order]
        width = max(len(name) for name, _ in rows)
        return "\n".join(
            f"{rank:<6}{name:<{width}}{value:>14}{ends:>13}{best:>8}{labels:>8}"
            for name, (rank, value, ends, best, labels) in rows
        )

    def cells(self, name: str) -> tuple[str, str, str, str, str]:
        """Return the rank of a system, its rate, the interval, P(best) and labels as text."""
        rate = self.rates[name]
        best = probability_in_words(self.proba_best[name])
        labels = f"{self.n_labels[name]:,}"
        return self.rank(name), _of_100(rate.value), ends_of(rate), best, labels

    def rank(self, name: str) -> str:
        """Return the rank of a system, with = where others share it."""
        group = self.groups[name]
        is_tied = list(self.groups.values()).count(group) > 1
        return f"{group}=" if is_tied else f"{group}"

    def record(self) -> dict[str, Any]:
        """Return all values as a JSON record."""
        systems = []
        for name in self.order:
            numbers = self.rates[name]._numbers()
            system = {
                "name": name,
                "pass_rate": numbers.pop("value"),
                **numbers,
                "probability_best": self.proba_best[name],
                "rank": self.groups[name],
                "n_labels": self.n_labels[name],
            }
            systems.append(system)
        return {"best": self.order[0], "not_separable": self.tied, "systems": systems}


def proba_above(rates: EstimateTable, a: str, b: str) -> float:
    """Return the probability that one system has a higher pass rate than another."""
    return float(rates.ranking_proba[rates.names.index(a), rates.names.index(b)])


def _of_100(rate: float) -> str:
    return f"{round(100 * rate)}"


def ends_of(rate: ScalarEstimate) -> str:
    low, high = rate.interval()
    return "exact" if low == high else f"{round(100 * low)} to {round(100 * high)}"


def _named(names: list[str]) -> str:
    more = len(names) - MAX_NAMED
    return listed(names) if more <= 0 else f"{', '.join(names[:MAX_NAMED])} and {more} more"


# --- the judges ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Rating:
    """Agreement of a judge with human labels, and its bias for each system."""

    judge: Judge
    ratings: Ratings
    agreement: dict[str, ScalarEstimate]  # sensitivity, specificity and kappa, as far as known
    excess: dict[str, ScalarEstimate]  # the rate by the judge minus the true one
    needed: float
    wording: Wording

    def sentence(self, length: ScalarEstimate | None) -> str:
        """Return the bias of the judge by system and by length, and its agreement, in words."""
        parts = []
        for sign, words in ((1.0, self.wording.too_high), (-1.0, self.wording.too_low)):
            names = [name for name, each in self.excess.items() if self._is_above(each, sign)]
            names.sort(key=lambda name: -sign * self.excess[name].value)
            parts += [self._too(words, names)] if names else []
        is_even = not parts

        passes, often = self.wording.too_high
        unproved = ""
        if length is not None and self._is_above(length):
            points = round(100 * length.value)
            parts.append(f"{passes} long answers {points} points {often} ({ends_of(length)})")
        elif length is not None and self._is_above(length, -1.0):
            ends = " to ".join(f"{round(-100.0 * end)}" for end in reversed(length.interval()))
            points = round(-100 * length.value)
            parts.append(f"{passes} short answers {points} points {often} ({ends})")
        elif length is not None:
            unproved = f"; no effect of length is proved ({ends_of(length)} points)"
        if is_even:
            even = "favors no system" if len(self.excess) > 1 else "has no bias"
            parts.append(f"{even} as far as the labels show")
        text = f"{self._name()} {' and '.join(parts)}{unproved}"

        agreement = []
        for name, estimate in self.agreement.items():
            low, high = estimate.interval()
            agreement.append(f"{name} {estimate.value:.2f} ({low:.2f} to {high:.2f})")
        return f"{text}; {', '.join(agreement) or 'kappa cannot be computed'}."

    def _name(self) -> str:
        note = self.ratings.note
        return f"{self.judge.name} ({note})" if note else self.judge.name

    def _is_above(self, estimate: ScalarEstimate, sign: float = 1.0) -> bool:
        return bool((sign * estimate.draws > 0.0) @ estimate.weights >= self.needed)

    def _too(self, words: tuple[str, str], names: list[str]) -> str:
        """Return which systems a judge rates too high, or too low."""
        verb, often = words
        texts = [
            f"{name} {abs(round(100 * self.excess[name].value))} points"
            for name in names[:MAX_NAMED]
        ]
        n_more = len(names) - MAX_NAMED
        more = f" and {n_more} more system{'s' if n_more > 1 else ''}" if n_more > 0 else ""
        return f"{verb} {', '.join(texts)}{more} {often} (probability above {self.needed:g})"

    def record(self, length: ScalarEstimate | None) -> dict[str, Any]:
        """Return all values as a JSON record."""
        return {
            "name": self.judge.name,
            "passes_from": self.ratings.passes_from,
            **{
                name: self.agreement[name]._numbers() if name in self.agreement else None
                for name in OF_VERDICTS.values()
            },
            "excess": {name: each._numbers() for name, each in self.excess.items()},
            "excess_of_long_answers": length and length._numbers(),
        }


def rating(fit: AnswersFit, judge: Judge, answers: Answers, needed: float) -> Rating:
    """Return the agreement and the biases of a judge."""
    ratings = fit.ratings(judge)
    excess = {}
    for name, rate in fit.rates.items():
        of_system = ratings.values[answers.systems == name]
        of_system = of_system[np.isfinite(of_system)]
        if len(of_system):
            excess[name] = _minus(float(of_system.mean()), rate)
    return Rating(judge, ratings, fit.agreement(judge), excess, needed, fit.wording)


def _minus(known: float, rate: ScalarEstimate) -> ScalarEstimate:
    """Return a known share minus an estimated one."""
    return ScalarEstimate.from_draws(
        "excess", known - rate.draws, rate.weights, confidence_level=rate.confidence_level
    )


def length_effects(
    fit: AnswersFit, answers: Answers, settings: argparse.Namespace
) -> dict[str, ScalarEstimate]:
    """Return the bias of each judge for long answers, minus that for short answers.

    Long are those longer than the median of their system; a fit of its own has the true rates.
    """
    lengths = answers.lengths
    judges = answers.informative
    if lengths is None or not judges or answers.n_labels < MIN_LABELS_OF_LENGTH:
        return {}

    is_known = np.isfinite(lengths)
    is_long = np.zeros(len(lengths), dtype=bool)
    for name in answers.names:
        rows = (answers.systems == name) & is_known
        if rows.any():
            is_long[rows] = lengths[rows] > np.median(lengths[rows])
    is_long = is_long[is_known]
    if is_long.all() or not is_long.any():
        return {}

    # Each half of each system, so that what a judge does to a system is no effect of length.
    known = answers.taken(is_known)
    halves = np.where(is_long, "long", "short")
    cells = np.array([f"{half} {name}" for half, name in zip(halves, known.systems, strict=True)])
    with working("the effect of length"):
        by_half = fit_of(known, settings, category=cells)
    truth = _long_minus_short(by_half.rates, cells)

    effects = {}
    for each in judges:
        ratings = fit.ratings(each).values[is_known]
        of_halves = [ratings[mask & np.isfinite(ratings)] for mask in (is_long, ~is_long)]
        if all(map(len, of_halves)):
            long, short = (half.mean() for half in of_halves)
            effects[each.name] = _minus(float(long - short), truth)
    return effects


def _long_minus_short(rates: EstimateTable, cells: np.ndarray) -> ScalarEstimate:
    """Return the pass rate of long answers minus that of short ones, over all systems."""
    is_long = np.char.startswith(cells, "long ")
    difference = np.zeros(len(rates.estimates[0].draws))
    for name, rate in rates.items():
        half = is_long if name.startswith("long ") else ~is_long
        share = np.count_nonzero(cells == name) / np.count_nonzero(half)
        difference += share * rate.draws if name.startswith("long ") else -share * rate.draws
    first = rates.estimates[0]
    return ScalarEstimate.from_draws(
        "difference", difference, first.weights, confidence_level=first.confidence_level
    )


def table_of_judges(ratings: list[Rating], order: list[str]) -> str:
    """Return the bias of each judge for each system, in percentage points, as a table."""
    names = [rating.judge.name for rating in ratings]
    rows = [("system", names)]
    for system in order:
        excesses = [rating.excess.get(system) for rating in ratings]
        cells = (
            "-" if e is None else f"{round(100 * e.value):+d} ({ends_of(e)})" for e in excesses
        )
        rows.append((system, list(cells)))

    verb, often = ratings[0].wording.too_high
    lines = [f"Points of 100 by which a judge {verb} {often}:"]
    width = max(len(system) for system, _ in rows)
    for system, texts in rows:
        padded = (f"{text:>{max(18, len(n) + 2)}}" for text, n in zip(texts, names, strict=True))
        lines.append(f"{system:<{width}}{''.join(padded)}")
    return "\n".join(lines)


# --- prompt by prompt ------------------------------------------------------------------


def sentence_of_ties(answers: Answers, order: list[str]) -> str:
    """Return how often the first system is better than the second on a prompt, and ties.

    Empty if no prompt has verdicts on both.
    """
    if answers.prompts is None or len(order) < 2:
        return ""
    first, second = order[:2]
    people = "the verdicts" if answers.is_outcome else "people"
    raters = [(people, answers.labels)]
    raters += [(each.name, each.values) for each in answers.informative if each.is_verdict]
    parts = []
    for name, values in raters:
        n_better, n_worse, n_tied = compared_by_prompt(answers, values, first, second)
        if n_better + n_worse + n_tied:
            # The order of systems also uses what the labels say about the errors of a judge.
            prefers = name != people and n_worse > n_better
            other = f", which by itself prefers {second}" if prefers else ""
            parts.append(f"{n_better:,}, {n_worse:,} and {n_tied:,} by {name}{other}")
    if not parts:
        return ""
    return (
        f"Prompts on which {first} is better than {second}, worse, and as good (a tie): "
        f"{'; '.join(parts)}."
    )


def compared_by_prompt(
    answers: Answers, values: np.ndarray, first: str, second: str
) -> tuple[int, int, int]:
    """Return on how many prompts one system is rated higher than another, lower, and alike."""
    assert answers.prompts is not None
    _, prompt = np.unique(answers.prompts.astype(str), return_inverse=True)
    n_prompts = prompt.max() + 1
    means = []
    for name in (first, second):
        rows = (answers.systems == name) & np.isfinite(values)
        n_rated = np.bincount(prompt[rows], minlength=n_prompts)
        total = np.bincount(prompt[rows], values[rows], n_prompts)
        means.append(np.where(n_rated > 0, total / np.maximum(n_rated, 1), np.nan))
    lead = means[0] - means[1]
    return int((lead > 0.0).sum()), int((lead < 0.0).sum()), int((lead == 0.0).sum())
