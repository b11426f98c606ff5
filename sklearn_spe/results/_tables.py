"""Tables of estimates, rankings, differences, and zones of undecided thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..inputs._arrays import FrozenArrays
from ._estimates import ScalarEstimate
from ._showing import (
    IN_COUNTS,
    MAX_HEADLINES,
    MAX_ROWS,
    Markup,
    ShownResult,
    interval_table,
    joined,
    meaning_of_intervals,
    percent,
    tag,
)


@dataclass(frozen=True, eq=False, repr=False)
class DecisionZone(ShownResult, FrozenArrays):
    """Two thresholds, on the scale of the scores, and the undecided items between them.

    Attributes
    ----------
    negative, positive : float
        Items that reach `positive` are classified as positive (a score of at least this; at most,
        with ``greater_is_positive=False``), those that do not reach `negative` as negative, and all
        others are undecided. Both are equal if no item is undecided.
    share : ScalarEstimate
        The share of undecided items. It is known for the sample; for the population its interval
        accounts for sampling error.
    undecided : ndarray of bool of shape (n_samples,)
        Which rows of X are undecided; with ``target="sample"`` no labeled ones.
    """

    negative: float
    positive: float
    share: ScalarEstimate
    undecided: np.ndarray

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of one row: both thresholds, and the share of undecided items.

        The columns are "negative", "positive", "share", "lower" and "upper".
        """
        import pandas as pd

        return pd.DataFrame([self._row()])

    def _row(self) -> dict[str, float]:
        lower, upper = self.share.interval()
        thresholds = self._values_of("negative", "positive")
        return {**thresholds, "share": self.share.value, "lower": lower, "upper": upper}

    def _record(self) -> dict[str, Any]:
        return {
            **self._row(),
            "confidence_level": self.share.confidence_level,
            "sentence": self.share.sentence(),
            "undecided_rows": np.flatnonzero(self.undecided),
        }

    def _html(self) -> Markup:
        return joined(
            tag("p", repr(self)),
            tag("p", self.share.sentence()),
            interval_table("Undecided items", [("share", self.share)]),
        )

    def __repr__(self) -> str:
        return (
            f"DecisionZone(negative={self.negative:.4g}, positive={self.positive:.4g}, "
            f"share={self.share.value:.3g})"
        )


def _subject(name: str, estimate: ScalarEstimate) -> str:
    """Return whose estimate a row has, as the start of its sentence; empty if it is of all."""
    quantity = estimate.name.replace("_", " ")
    at = "" if estimate.threshold is None else f" at score {estimate.threshold:g}"
    if name in (estimate.name, quantity, f"{quantity}{at}"):
        return ""
    return f"{name.removeprefix(f'{quantity} of ').removesuffix(at)}: "


# Rows that a remark names.
MAX_NAMED = 3
# Minimum width of the column of names, so that consecutive tables are aligned.
NARROWEST = 24


@dataclass(frozen=True, eq=False, repr=False)
class EstimateTable(ShownResult):
    """Estimates with their intervals, a verdict, and a description of the model.

    Estimates of one metric (of systems, categories or lists) from the same draws of labels are
    compared draw by draw: `difference`, `differences`, `ranking_proba`, `order_proba`. Draws that
    do not define a value are left out.

    Attributes
    ----------
    names : tuple of str
    estimates : tuple of ScalarEstimate
        One for each name; ``table[name]`` returns it.
    remarks : tuple of str
        Lines printed below the numbers: the verdict, and the number of labels.
    model : tuple of str
        Lines printed last: how the numbers were computed.
    greater_is_better : bool
        Whether the larger of two estimates is ahead.
    pairs : dict or None
        For estimates of different items: both on their common items, by pairs of indices; None
        without common items.

    Examples
    --------
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(500, random_state=0)
    >>> performance = PerformanceCurveEstimator(n_draws=50, random_state=0).fit(scores, labels)
    >>> table = performance.summary()
    >>> table.names[:3]
    ('average precision', 'roc auc', 'prevalence')
    >>> bool(table["prevalence"].value == labels.mean())
    True
    """

    names: tuple[str, ...]
    estimates: tuple[ScalarEstimate, ...]
    remarks: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    greater_is_better: bool = True
    pairs: Mapping[tuple[int, int], tuple[ScalarEstimate, ScalarEstimate] | None] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: str) -> ScalarEstimate:
        try:
            return self.estimates[self._place(name)]
        except ValueError as error:
            raise KeyError(str(error)) from None

    def _place(self, name: Any) -> int:
        """Return the index of a name; raise ValueError if it is missing."""
        if str(name) in self.names:
            return self.names.index(str(name))
        raise ValueError(f"No estimate is named {name!r:.100}; there are {', '.join(self.names)}.")

    def items(self) -> Iterable[tuple[str, ScalarEstimate]]:
        """Return pairs of a name and its estimate."""
        return zip(self.names, self.estimates, strict=True)

    @property
    def values(self) -> np.ndarray:
        """The values, of shape (n_names,)."""
        return np.array([estimate.value for estimate in self.estimates])

    def intervals(self, confidence_level: float | None = None) -> np.ndarray:
        """Return the ends of the intervals, of shape (n_names, 2).

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            None means that of the estimates.
        """
        return np.array([estimate.interval(confidence_level) for estimate in self.estimates])

    @property
    def ranking_proba(self) -> np.ndarray:
        """The probability that the estimate of a row is better than that of a column.

        Of shape (n_names, n_names); ties count half. NaN without common items.
        """
        if self.pairs is None:
            return ranking_probability(self._signed(self.estimates))
        ahead = np.full((len(self), len(self)), np.nan)
        np.fill_diagonal(ahead, 0.5)
        for (i, j), both in self.pairs.items():
            if both is not None:
                ahead[np.ix_([i, j], [i, j])] = ranking_probability(self._signed(both))
        return ahead

    @property
    def order_proba(self) -> float:
        """The probability that all are in the order of their estimates.

        For estimates of different items: that each is ahead of the next, on their common items.
        """
        if self.pairs is None:
            return order_probability(self._signed(self.estimates))
        order = np.argsort(-self.values if self.greater_is_better else self.values, kind="stable")
        steps = [self._both(i, j) for i, j in pairwise(order.tolist())]
        compared = [both for both in steps if both is not None]
        if len(compared) < len(steps):
            return np.nan
        leads = np.column_stack([np.subtract(*self._signed(both).T) for both in compared])
        leads = leads[~np.isnan(leads).any(axis=1)]
        return float((leads >= 0.0).all(axis=1).mean()) if len(leads) else 0.0

    @property
    def best(self) -> str:
        """The name of the estimate that is most probably ahead of the others."""
        return self.names[int(np.argmax(np.nansum(self.ranking_proba, axis=1)))]

    def difference(self, a: Any, b: Any) -> ScalarEstimate | None:
        """Return the estimate named `a` minus that named `b`; None without common items.

        Parameters
        ----------
        a, b : str
            Names of rows, or what they are the text of.

        Returns
        -------
        difference : ScalarEstimate or None

        Raises
        ------
        ValueError
            If there is no such row.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ScalarEstimate
        >>> from sklearn_spe.results import EstimateTable
        >>> recalls = [
        ...     ScalarEstimate.from_draws("recall", draws, np.ones(3), origin="a fit")
        ...     for draws in ([0.7, 0.8, 0.9], [0.5, 0.7, 0.9])
        ... ]
        >>> table = EstimateTable(("A", "B"), tuple(recalls))
        >>> round(table.difference("A", "B").value, 3)
        0.1
        """
        both = self._both(self._place(a), self._place(b))
        return None if both is None else both[0] - both[1]

    def differences(self, reference: Any) -> EstimateTable:
        """Return the differences of the others from the reference, where there are common items."""
        off = {name: self.difference(name, reference) for name in self.names}
        found = {n: d for n, d in off.items() if d is not None and n != str(reference)}
        return EstimateTable(tuple(found), tuple(found.values()))

    def proba_ahead_of(self, reference: Any) -> tuple[float, ...]:
        """Return the probability that each of `differences` is in favor of the other."""
        ahead, place = self.ranking_proba, self._place(reference)
        rows = [k for k in range(len(self)) if k != place and self._both(k, place) is not None]
        return tuple(ahead[rows, place].tolist())

    def _signed(self, estimates: Any) -> np.ndarray:
        """Return draws, negated if smaller is better, (n_draws, n_estimates)."""
        sign = 1.0 if self.greater_is_better else -1.0
        return sign * np.column_stack([estimate.draws for estimate in estimates])

    def _both(self, i: int, j: int) -> tuple[ScalarEstimate, ScalarEstimate] | None:
        if self.pairs is None or i == j:
            return self.estimates[i], self.estimates[j]
        both = self.pairs[min(i, j), max(i, j)]
        return both if both is None or i < j else both[::-1]

    def to_frame(self, confidence_level: float | None = None) -> Any:
        """Return a pandas DataFrame, one row per estimate: "name", "value", "lower", "upper".

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            As :meth:`intervals` takes it.
        """
        import pandas as pd

        lower, upper = self.intervals(confidence_level).T
        columns = {"name": self.names, "value": self.values, "lower": lower, "upper": upper}
        return pd.DataFrame(columns)

    def sentences(self) -> tuple[str, ...]:
        """Return the estimates as sentences, each with its name where that says more.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ScalarEstimate
        >>> from sklearn_spe.results import EstimateTable
        >>> recall = ScalarEstimate.from_draws("recall", np.linspace(0.7, 0.9, 21), np.ones(21))
        >>> EstimateTable(("recall of A",), (recall,)).sentences()
        ('A: It finds 80 of 100 positives (71 to 89).',)
        """
        return tuple(
            f"{_subject(name, estimate)}{estimate.sentence()}" for name, estimate in self.items()
        )

    def headlines(self) -> tuple[str, ...]:
        """Return the sentences that are in counts, and what their intervals mean.

        Empty if there are none, or more than ten: such a table is read as a table.
        """
        pairs = zip(self.estimates, self.sentences(), strict=True)
        counted = [said for estimate, said in pairs if estimate.name in IN_COUNTS]
        if not 0 < len(counted) <= MAX_HEADLINES:
            return ()
        return (*counted, meaning_of_intervals(self.estimates[0].confidence_level))

    def _record(self) -> dict[str, Any]:
        rows = zip(self.names, self.estimates, self.sentences(), strict=True)
        return {
            "confidence_level": self.estimates[0].confidence_level if len(self) else None,
            "estimates": [
                {"name": name, **estimate._numbers(), "sentence": sentence}
                for name, estimate, sentence in rows
            ],
            "remarks": self.remarks,
            "model": self.model,
        }

    def _html(self) -> Markup:
        table = interval_table("Estimates", self.items()) if len(self) else tag("p", "No estimates")
        remarks = (tag("p", line, class_="remark") for line in self.remarks)
        return joined(table, *remarks, *(tag("p", line, class_="hint") for line in self.model))

    def __str__(self) -> str:
        parts = (self._lines(), self.remarks, self.model)
        return "\n\n".join("\n".join(lines) for lines in parts if lines)

    def _lines(self, n_rows: int | None = None) -> list[str]:
        """Return the head and the first rows."""
        if not len(self):
            return ["no estimates"]
        level, width = self.estimates[0].confidence_level, width_of(self.names)
        head = f"{'':{width}}{'value':>8}   {percent(level)} interval"
        return [head, *(line_of(name, of, width) for name, of in list(self.items())[:n_rows])]

    def __repr__(self) -> str:
        more = [] if len(self) <= MAX_ROWS else [f"... {len(self):,} rows"]
        return "\n".join(["EstimateTable", *self._lines(MAX_ROWS), *more])


def width_of(names: Any) -> int:
    """Return the width of the column of names."""
    return max(NARROWEST, *(len(str(name)) for name in names))


def line_of(name: str, estimate: ScalarEstimate, width: int = NARROWEST) -> str:
    """Return a number and its interval as a line of a table."""
    low, high = estimate.interval()
    return f"{name:{width}}{estimate.value:8.3f}   {low:.3f} to {high:.3f}"


def remarks_on_edges(table: EstimateTable) -> tuple[str, ...]:
    """Return why the intervals of some rows, not of all, reach 0."""
    names = [name for name, estimate in table.items() if estimate.edge == 0.0]
    if not 0 < len(names) < len(table):
        return ()
    where = " and ".join(names) if len(names) <= MAX_NAMED else f"{len(names)} of {len(table)} rows"
    whose = "its interval reaches" if len(names) == 1 else "their intervals reach"
    return (f"The labels of {where} do not rule out 0: {whose} 0. Label more there.",)


def ranking_probability(draws: Any) -> np.ndarray:
    """Return the probability that one system is better than another, (n_systems, n_systems)."""
    off = draws[:, :, np.newaxis] - draws[:, np.newaxis]
    ahead, known = (off > 0.0) + (off == 0.0) / 2.0, (~np.isnan(off)).sum(axis=0)
    return np.where(known > 0, ahead.sum(axis=0) / np.maximum(known, 1), np.nan)


def order_probability(draws: Any) -> float:
    """Return the probability that systems are in the order of their medians.

    `draws` (n_draws, n_systems) are as in `ranking_probability`; 0 if no draw defines all values.
    """
    known = ~np.isnan(draws).any(axis=1)
    draws = draws[known]
    if not len(draws):
        return 0.0
    order = np.argsort(-np.median(draws, axis=0), kind="stable")
    return float((np.diff(draws[:, order], axis=1) <= 0.0).all(axis=1).mean())
