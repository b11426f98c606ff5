"""What to label next: the value of further labels, and the rows that are worth the most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..active._query import rows_to_label
from ..inputs._arrays import FrozenArrays
from ..inputs._validation import as_plain
from ..results._showing import Markup, ShownResult, html_table, joined, row_of, tag
from ..results._terms import name_in_words
from ._metric_comparison import name_of_metric

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..estimators._performance import PerformanceCurveEstimator
    from ..models._ranking_value import Ranking

N_LABELS = (0, 10, 20, 50, 100, 200, 500)
# The number that halves an interval is looked for up to this one, at a few numbers at a time.
MAX_LABELS = 5_000
N_BETWEEN = 6
STRATEGIES = {"tail": "of the highest scores", "random": "at random"}
# Numbers of listed rows.
N_NEXT = 10
MAX_SUSPECT = 25
# The name of a row that represents several items.
ONE_OF = "one of several"
# The score axis used to rank items with several columns.
CONSENSUS = "consensus of all"


@dataclass(frozen=True, eq=False)
class LabelValue(ShownResult, FrozenArrays):
    """Expected width of the interval of a metric after more labels, without guarantee."""

    metric: str  # of the ranking of `system`, if there are several
    system: str | None
    n_labels: np.ndarray  # (n_plans,), of int; numbers of further labels, from 0
    widths: dict[str, np.ndarray]  # from the sampling strategy, in words, to (n_plans,)
    # The number of further labels that halves the interval, to two digits; None if too many.
    halving: dict[str, int | None] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        ranking: Ranking,
        system: str | None,
        metric: Any,
        threshold: float | None,
    ) -> LabelValue | None:
        """Return the widths for a metric; None if all items are labeled."""
        n_unlabeled = int(ranking.posterior_.sample.unlabeled.sum())
        n_labels = np.array([n for n in N_LABELS if n <= n_unlabeled])
        if len(n_labels) < 2:
            return None

        widths = {}
        halving = {}
        for strategy, words in STRATEGIES.items():
            plan = partial(ranking.plan, metric=metric, strategy=strategy, threshold=threshold)
            most = min(n_unlabeled, MAX_LABELS)
            widths[words] = plan(n_labels)
            halving[words] = _halving(plan, n_labels, widths[words], most)
        return cls(name_of_metric(metric), system, n_labels, widths, halving)

    def sentence(self) -> str:
        """Return how many labels halve the interval, or the expected width of the plan."""
        of_which = "" if self.system is None else f" of {self.system}"
        interval = f"the interval of {name_in_words(self.metric)}{of_which}"
        width = next(iter(self.widths.values()))[0]
        if not width > 0.0:
            return f"No label would narrow {interval}."

        enough = [(n, words) for words, n in self.halving.items() if n is not None]
        if enough:
            n, words = min(enough)
            return f"About {n:,} more labels {words} would halve {interval}."

        words, widths = min(self.widths.items(), key=lambda item: item[1][-1])
        if not widths[-1] < 0.95 * width:
            return f"Even {self.n_labels[-1]:,} more labels would hardly narrow {interval}."
        return (
            f"{self.n_labels[-1]:,} more labels {words} would narrow {interval} from {width:.2f} "
            f"to {widths[-1]:.2f}."
        )

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: "further_labels", and a column of widths by strategy."""
        import pandas as pd

        return pd.DataFrame({"further_labels": self.n_labels, **self.widths})

    def _record(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "system": self.system,
            "sentence": self.sentence(),
            "n_labels": self.n_labels,
            "widths": self.widths,
            "halving": self.halving,
        }

    def _html(self) -> Markup:
        of_which = "" if self.system is None else f" of {self.system}"
        caption = f"Width of the interval of {name_in_words(self.metric)}{of_which}"
        rows = []
        for k, n in enumerate(self.n_labels.tolist()):
            widths = [f"{of_strategy[k]:.3f}" for of_strategy in self.widths.values()]
            rows.append(row_of(f"{n:,}" if n else "none", *widths))
        table = html_table(caption, ["further labels", *self.widths], rows)
        return joined(tag("p", self.sentence(), class_="said"), table)


def _halving(
    plan: Callable[[np.ndarray], np.ndarray], n_labels: np.ndarray, widths: np.ndarray, most: int
) -> int | None:
    """Return the number of further labels, to two digits, that halves the first of the widths.

    `widths` are those of the increasing `n_labels`, from 0; more are planned, up to `most`.
    """
    half = widths[0] / 2.0
    if not half > 0.0:
        return None

    # Beyond the listed numbers, if these do not halve it.
    last = int(n_labels[-1])
    if widths[-1] > half and last < most:
        further = np.unique(np.geomspace(last, most, N_BETWEEN).astype(int))[1:]
        n_labels = np.r_[n_labels, further]
        widths = np.r_[widths, plan(further)]
    if not widths[-1] <= half:
        return None

    # Between the neighbors, then linearly between those of a finer plan.
    after = int(np.argmax(widths <= half))
    low = int(n_labels[after - 1])
    high = int(n_labels[after])
    between = np.unique(np.linspace(low, high, N_BETWEEN).astype(int))[1:-1]
    numbers = np.r_[low, between, high]
    planned_widths = np.r_[widths[after - 1], plan(between), widths[after]]
    after = int(np.argmax(planned_widths <= half))
    drop = planned_widths[after - 1] - planned_widths[after]
    share = (planned_widths[after - 1] - half) / drop
    exact = numbers[after - 1] + share * (numbers[after] - numbers[after - 1])
    # Rounded up, to two digits.
    n_digits = max(len(str(int(exact))) - 2, 0)
    return int(-(-exact // 10**n_digits) * 10**n_digits)


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
    """Return the first rows with suspect labels."""
    suspects = performance.suspect_labels_
    several = len(performance.systems_) + len(performance.judges_) > 1
    of = CONSENSUS if several else None
    columns = (suspects.item, suspects.score, suspects.probability, suspects.label)
    rows = zip(*(column[:MAX_SUSPECT].tolist() for column in columns), strict=True)
    return tuple(
        NamedRow(str(names[item]), score, probability, label, of)
        for item, score, probability, label in rows
    )
