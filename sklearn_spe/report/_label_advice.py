"""What to label next: the value of further labels, and the rows that are worth the most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..active._query import rows_to_label
from ..inputs._arrays import FrozenArrays
from ..inputs._validation import as_plain
from ..results._showing import Markup, ShownResult, html_table, joined, row_of, tag
from ..results._terms import name_in_words

N_LABELS = (0, 10, 20, 50, 100, 200, 500)
STRATEGIES = {"tail": "of the highest scores", "random": "at random"}


@dataclass(frozen=True, eq=False)
class LabelValue(ShownResult, FrozenArrays):
    """Expected width of the interval of a metric after more labels, without guarantee."""

    metric: str  # of the ranking of `system`, if there are several
    system: str | None
    n_labels: np.ndarray  # (n_plans,), of int; numbers of further labels, from 0
    widths: dict[str, np.ndarray]  # from the sampling strategy, in words, to (n_plans,)

    @classmethod
    def of(
        cls, performance: Any, system: str | None, metric: Any, where: dict[str, Any]
    ) -> LabelValue | None:
        """Return the widths for a metric; None if all items are labeled."""
        left = performance.posterior_.sample.unlabeled.sum()
        n_labels = np.array([n for n in N_LABELS if n <= left])
        if len(n_labels) < 2:
            return None
        widths = {
            words: performance.plan(n_labels, metric, strategy=strategy, **where)
            for strategy, words in STRATEGIES.items()
        }
        return cls(name_of_metric(metric), system, n_labels, widths)

    def sentence(self) -> str:
        """Return how many labels halve the interval, or the expected width of the plan."""
        of_which = "" if self.system is None else f" of {self.system}"
        what = f"the interval of {name_in_words(self.metric)}{of_which}"
        now = next(iter(self.widths.values()))[0]
        if not now > 0.0:
            return f"No label would narrow {what}."
        halved = {
            words: self.n_labels[widths <= now / 2.0] for words, widths in self.widths.items()
        }
        enough = [(int(found[0]), words) for words, found in halved.items() if len(found)]
        if enough:
            n, words = min(enough)
            return f"About {n:,} more labels {words} would halve {what}."
        words, widths = min(self.widths.items(), key=lambda item: item[1][-1])
        if not widths[-1] < 0.95 * now:
            return f"Even {self.n_labels[-1]:,} more labels would hardly narrow {what}."
        return (
            f"{self.n_labels[-1]:,} more labels {words} would narrow {what} from {now:.2f} to "
            f"{widths[-1]:.2f}."
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
        }

    def _html(self) -> Markup:
        of_which = "" if self.system is None else f" of {self.system}"
        caption = f"Width of the interval of {name_in_words(self.metric)}{of_which}"
        rows = [
            row_of(f"{n:,}" if n else "none", *(f"{w[k]:.3f}" for w in self.widths.values()))
            for k, n in enumerate(self.n_labels.tolist())
        ]
        table = html_table(caption, ["further labels", *self.widths], rows)
        return joined(tag("p", self.sentence(), class_="said"), table)


def name_of_metric(metric: Any) -> str:
    """Return the name of a metric that is given by name, as an object or as a function."""
    named = getattr(metric, "name", getattr(metric, "__name__", "metric"))
    return metric if isinstance(metric, str) else named


N_NEXT = 10
MAX_SUSPECT = 25
# The score axis used to rank items with several columns.
CONSENSUS = "consensus of all"


@dataclass(frozen=True)
class NamedRow:
    """One row."""

    name: str  # name of the row
    score: float  # on the user's scale
    probability: float  # P(y = 1); for a suspect label, given the other labels
    label: object = None  # None if unlabeled
    of: str | None = None  # whose score it is, if there are several systems or judges


@dataclass(frozen=True, eq=False)
class RowNames:
    """The names of the rows of X."""

    unit: str = "row"  # what a name is: "row", "line", or a column name
    names: Any = None  # one for each row; None for their numbers

    @classmethod
    def of(cls, items: Any, n_rows: int) -> RowNames:
        """Return names given by the user; raise unless there is one for each row."""
        if items is None or isinstance(items, RowNames):
            return items or cls()
        names = as_plain(items, "items")
        if names.ndim != 1 or len(names) != n_rows:
            raise ValueError(
                f"items must hold a name for each of the {n_rows} rows of X, got an array of shape "
                f"{names.shape}."
            )
        return cls("item", names)

    def __getitem__(self, row: int) -> str:
        return str(row if self.names is None else self.names[row])


def next_rows(
    views: Mapping[str | None, Any], names: RowNames, metric: Any, places: Mapping[Any, dict]
) -> tuple[NamedRow, ...]:
    """Return the rows whose labels are most informative about a metric.

    With several systems, the best rows of each are taken in turn, as a label serves all systems.
    """
    found = {name: _next_of(view, metric, places[name]) for name, view in views.items()}
    kept: dict[int, NamedRow] = {}
    for place in range(N_NEXT):
        for name, rows in found.items():
            if place < len(rows) and len(kept) < N_NEXT:
                row, score, probability, is_one = rows[place]
                item = names[row] if is_one else "one of several"
                kept.setdefault(row, NamedRow(item, score, probability, of=name))
    return tuple(kept.values())


def _next_of(
    performance: Any, metric: Any, where: dict[str, Any]
) -> list[tuple[int, float, float, bool]]:
    """Return rows, their scores, probabilities, and whether each represents one item."""
    asked = performance.subject_.rows(performance.shown_.asked)
    rows = rows_to_label(performance, N_NEXT, metric, **where)
    # A row may represent several items, any of which may be labeled.
    is_one = performance.posterior_.sample.counts.sum() == np.count_nonzero(asked.asked)
    scores = asked.scores[rows]
    probabilities = performance.posterior_.expected_probability(scores)
    flipped = performance.score_direction_.flip(scores)
    columns = zip(rows.tolist(), flipped.tolist(), probabilities.tolist(), strict=True)
    return [(*cells, bool(is_one)) for cells in columns]


def suspect_rows(performance: Any, names: RowNames) -> tuple[NamedRow, ...]:
    """Return the first rows with suspect labels."""
    found = performance.suspect_labels_
    several = len(performance.systems_) + len(performance.judges_) > 1
    of = CONSENSUS if several else None
    columns = (part[:MAX_SUSPECT].tolist() for part in (found.item, found.score))
    cells = (part[:MAX_SUSPECT].tolist() for part in (found.probability, found.label))
    return tuple(
        NamedRow(names[item], score, probability, label, of)
        for item, score, probability, label in zip(*columns, *cells, strict=True)
    )
