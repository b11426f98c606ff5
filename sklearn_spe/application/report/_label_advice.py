"""The value of further labels, and the most informative rows to label next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...active._query import rows_to_label
from ...inputs._arrays import FrozenArrays
from ...inputs._validation import as_plain
from ...results._estimates import ScalarEstimate
from ...results._showing import (
    Markup,
    ShownResult,
    count_for,
    format_number,
    html_table,
    joined,
    row_of,
    tag,
)
from ...results._terms import name_in_words, sentence_in_counts
from ._metric_comparison import name_of_metric
from ._thresholds import DecisionNumbers

if TYPE_CHECKING:
    from ...estimators._performance import PerformanceCurveEstimator
    from ...models._ranking_value import Ranking

# Numbers of further labels: of the rows that are chosen, and of random ones, interpolated between.
N_CHOSEN = (5, 10, 20, 35, 50, 75, 100, 150, 200)
N_RANDOM = (5, 10, 20, 35, 50, 75, 100, 150, 200, 500, 1_000, 2_000, 5_000)
# Numbers in the table.
N_LISTED = (0, 10, 20, 50, 100, 200)
# As many labels are recommended as halve the interval, but at most this many, or as many as there
# are: further ahead a plan is less reliable.
MAX_RECOMMENDED = 50
# Numbers of labels from this one on are in fives, and two digits from 100 on.
MIN_IN_FIVES = 20.0
# With fewer unlabeled items nothing is planned.
MIN_UNLABELED = 10
METRIC = "average_precision"
CHOSEN, RANDOM = "of the most informative rows", "at random"
# Labels that leave more than this share of the width hardly narrow the interval.
HARDLY = 0.95
# Numbers of listed rows.
N_NEXT = 10
MAX_SUSPECT = 25
# The name of a row that represents several items.
ONE_OF = "one of several"
# The score axis used to rank items with several columns.
CONSENSUS = "consensus of all"


@dataclass(frozen=True, eq=False)
class LabelValue(ShownResult, FrozenArrays):
    """Expected interval of a metric after more labels, without guarantee."""

    estimate: ScalarEstimate
    metric: str  # of the ranking of `system`, if there are several
    threshold: float | None
    system: str | None
    n_labels: np.ndarray  # (n_plans,), of int; numbers of further labels, from 0
    widths: dict[str, np.ndarray]  # from the sampling strategy, in words, to (n_plans,)
    recommended: int  # number of further labels of the most informative rows
    width: float  # expected after these
    # The number of random labels with the same width; None if more than are planned.
    at_random: int | None

    @classmethod
    def of(
        cls,
        ranking: Ranking,
        system: str | None,
        metric: Any,
        threshold: float | None,
    ) -> LabelValue | None:
        """Return the widths for a metric; None if all, or those of another sample, are labeled."""
        sample = ranking.posterior_.sample
        n_unlabeled = int(sample.unlabeled.sum())
        if n_unlabeled < MIN_UNLABELED or ranking.model.labels_are_separate:
            return None

        # Equal chances: what random labels, and the most informative rows, leave of the width.
        estimate = ranking.estimate(metric, threshold=threshold)
        low, high = estimate.interval()
        rows = rows_to_label(ranking, min(n_unlabeled, N_CHOSEN[-1]), metric, threshold)
        n_chosen = _numbers(N_CHOSEN, len(rows))
        n_random = _numbers(N_RANDOM, n_unlabeled)
        planned: Any = ranking
        chosen = planned.plan_of_rows(rows, n_chosen, metric, threshold)
        random = ranking.plan(n_random, metric=metric, strategy="random", threshold=threshold)
        curves = {
            CHOSEN: (np.r_[0, n_chosen], np.r_[high - low, chosen]),
            RANDOM: (np.r_[0, n_random], np.r_[high - low, random]),
        }

        # As many as halve the interval, in fives.
        half = _number_at(*curves[CHOSEN], (high - low) / 2.0)
        most = max(MAX_RECOMMENDED, int(sample.n_labeled))
        recommended = min(len(rows), n_chosen[-1], most if half is None else min(half, most))
        width = float(np.interp(recommended, *curves[CHOSEN]))

        n_labels = np.array([n for n in N_LISTED if n <= len(rows)])
        widths = {words: np.interp(n_labels, *curve) for words, curve in curves.items()}
        at_random = _number_at(*curves[RANDOM], width)
        name = name_of_metric(metric)
        return cls(
            estimate, name, threshold, system, n_labels, widths, int(recommended), width, at_random
        )

    @property
    def is_known(self) -> bool:
        """Whether the plan rests on labels, and on a model that they do not contradict."""
        return self.estimate.verdict is None or self.estimate.verdict == "ok"

    def sentence(self) -> str:
        """Return the interval that the recommended labels would probably leave."""
        of_which = "" if self.system is None else f" of {self.system}"
        name = f"{name_in_words(self.metric)}{of_which}"
        low, high = self.estimate.interval()
        if not high > low:
            return f"No label would narrow the interval of {name}."

        more = f"{self.recommended:,} more labels {CHOSEN}"
        if not self.width < HARDLY * (high - low):
            return f"Even {more} would hardly narrow the interval of {name}."

        # Around the value, as the ends are now.
        share = self.width / (high - low)
        value = self.estimate.value
        after = value - share * (value - low), value + share * (high - value)
        now, then = self._in_words(low, high, *after)
        random = "more than are planned" if self.at_random is None else f"{self.at_random:,}"
        return (
            f"{name[:1].upper()}{name[1:]}, now {now}, would become {then} after {more}; "
            f"{random} labels if drawn at random."
        )

    def _in_words(self, low: float, high: float, *after: float) -> tuple[str, str]:
        """Return the present interval and the expected one: in counts, if it is of a share."""
        name = self.estimate.name
        if sentence_in_counts(name) and 0.0 <= low <= high <= 1.0:
            n = count_for(self.estimate.value, *after) if after[0] < after[1] else 100
            n = min(n, 1_000)
            ends = [f"{round(n * end):,}" for end in (low, high, *after)]
            of_how_many = f" of {n:,}"
        else:
            ends = [format_number(end) for end in (low, high, *after)]
            of_how_many = ""
        then = f"about {ends[2]} to {ends[3]}" if ends[2] != ends[3] else f"about {ends[2]}"
        return f"{ends[0]} to {ends[1]}{of_how_many}", then

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: "further_labels", and a column of widths by strategy."""
        import pandas as pd

        return pd.DataFrame({"further_labels": self.n_labels, **self.widths})

    def _record(self) -> dict[str, Any]:
        question = ("metric", "threshold", "system", "sentence")
        return self._values_of(*question, "n_labels", "widths", "recommended", "width", "at_random")

    def _html(self) -> Markup:
        of_which = "" if self.system is None else f" of {self.system}"
        caption = f"Width of the interval of {name_in_words(self.metric)}{of_which}"
        rows = []
        for k, n in enumerate(self.n_labels.tolist()):
            widths = [f"{of_strategy[k]:.3f}" for of_strategy in self.widths.values()]
            rows.append(row_of(f"{n:,}" if n else "none", *widths))
        table = html_table(caption, ["further labels", *self.widths], rows)
        return joined(tag("p", self.sentence(), class_="said"), table)


def question_of_plan(
    decision: DecisionNumbers | None, metric: Any = METRIC
) -> tuple[Any, float | None]:
    """Return the metric and the threshold for which labels are planned, as in the headline."""
    if decision is None:
        return metric, None
    for estimate in (decision.precision, decision.recall):
        low, high = estimate.interval()
        if high > low:
            return estimate.name, decision.threshold
    return metric, None


def _numbers(numbers: tuple[int, ...], most: int) -> np.ndarray:
    """Return increasing numbers of labels up to a largest one, which is among them."""
    return np.array([*(n for n in numbers if n < most), min(most, numbers[-1])])


def _number_at(numbers: np.ndarray, widths: np.ndarray, width: float) -> int | None:
    """Return the number of labels that leave a width, interpolated; in fives, from 20 on.

    None if it is beyond the largest.
    """
    if not widths[-1] <= width:
        return None
    after = int(np.argmax(widths <= width))
    if after == 0:
        return 0
    drop = widths[after - 1] - widths[after]
    share = (widths[after - 1] - width) / drop if drop > 0.0 else 1.0
    exact = float(numbers[after - 1] + share * (numbers[after] - numbers[after - 1]))
    unit = 1 if exact < MIN_IN_FIVES else 5 if exact < 100.0 else 10 ** (len(str(int(exact))) - 2)
    return int(-(-exact // unit) * unit)


@dataclass(frozen=True)
class NamedRow:
    """One row."""

    name: str  # name of the row
    score: float  # on the user's scale
    probability: float  # P(y = 1); for a suspect label, given the other labels
    label: object = None  # None if unlabeled
    of: str | None = None  # whose score it is, if there are several systems or judges


def names_of_rows(items: npt.ArrayLike | None, n_rows: int) -> Sequence | np.ndarray:
    """Return the names of rows, by default their numbers; raise unless there is one for each."""
    if items is None:
        return range(n_rows)
    names = as_plain(items, "items")
    if names.ndim != 1 or len(names) != n_rows:
        raise ValueError(
            f"items must hold a name for each of the {n_rows} rows of X, got an array of shape "
            f"{names.shape}."
        )
    return names


def next_rows(
    rankings: Mapping[str | None, Ranking],
    names: Sequence | np.ndarray,
    metric: Any,
    threshold: float | None,
) -> tuple[NamedRow, ...]:
    """Return the rows whose labels are most informative about a metric.

    With several systems, the best rows of each are taken in turn, as a label serves all systems.
    """
    of_systems = [
        _next_of(ranking, name, names, metric, threshold) for name, ranking in rankings.items()
    ]
    rows: dict[int, NamedRow] = {}
    for of_each in zip_longest(*of_systems):
        for row, named_row in filter(None, of_each):
            if len(rows) < N_NEXT:
                rows.setdefault(row, named_row)
    return tuple(rows.values())


def _next_of(
    ranking: Any,
    system: str | None,
    names: Sequence | np.ndarray,
    metric: Any,
    threshold: float | None,
) -> list[tuple[int, NamedRow]]:
    """Return the rows to label of one system, with their numbers."""
    ranked = ranking.rows()
    rows = rows_to_label(ranking, N_NEXT, metric, threshold)
    # A row may represent several items, any of which may be labeled.
    is_one = ranking.posterior_.sample.counts.sum() == np.count_nonzero(ranked.is_ranked)

    scores = ranked.scores[rows]
    probabilities = ranking.posterior_.expected_probability(scores)
    user_scores = ranking.score_direction_.flip(scores)

    next_of_system = []
    columns = zip(rows.tolist(), user_scores.tolist(), probabilities.tolist(), strict=True)
    for row, score, probability in columns:
        name = str(names[row]) if is_one else ONE_OF
        next_of_system.append((row, NamedRow(name, score, probability, of=system)))
    return next_of_system


def suspect_rows(
    performance: PerformanceCurveEstimator, names: Sequence | np.ndarray
) -> tuple[NamedRow, ...]:
    """Return the first rows with suspect labels, if these are more than chance explains."""
    suspects = performance.suspect_labels_
    if not suspects.are_many:
        return ()
    several = len(performance.systems_) + len(performance.judges_) > 1
    of = CONSENSUS if several else None
    columns = (suspects.item, suspects.score, suspects.probability, suspects.label)
    rows = zip(*(column[:MAX_SUSPECT].tolist() for column in columns), strict=True)
    return tuple(
        NamedRow(str(names[item]), score, probability, label, of)
        for item, score, probability, label in rows
    )
