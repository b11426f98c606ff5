"""Tables of estimates, rankings and confusions, and zones of undecided thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..inputs._arrays import FrozenArrays
from ..inputs._validation import check_choice, listed
from ._distributions import WeightedDraws, check_level_of
from ._estimates import NO_INTERVAL, ScalarEstimate
from ._showing import (
    MAX_HEADLINES,
    MAX_ROWS,
    MAX_WIDTH,
    Markup,
    ShownResult,
    exact_for_these,
    has_no_width,
    html_table,
    interval_table,
    joined,
    meaning_of_intervals,
    paragraphs,
    percent,
    row_of,
    tag,
    whole,
)
from ._terms import AREAS, sentence_in_counts
from ._verdict import NOT_BELIEVED, Verdict

# Rows that a remark names.
MAX_NAMED = 3
# What stands before intervals that are not of these items alone.
FURTHER_ITEMS = "Further items like these: "
# Rows that a line of text has.
MAX_IN_A_LINE = 6
# Minimum width of the column of names, so that consecutive tables are aligned.
NARROWEST = 24
# In place of a value on which the labels hold little information.
UNKNOWN = "unknown"
NORMALIZE = {"true": 2, "pred": 1, "all": (1, 2)}
# Larger counts are shown without decimals.
WHOLE = 20.0


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


@dataclass(frozen=True, eq=False, repr=False)
class EstimateTable(ShownResult):
    """Estimates with their intervals, a verdict, and a description of the model.

    `difference`, `differences`, `ranking_proba` and `order_proba` compare estimates of one metric,
    for several systems or categories, draw by draw. Draws in which a metric is undefined are left
    out.

    .. versionadded:: 0.1

    Attributes
    ----------
    names : tuple of str
    estimates : tuple of ScalarEstimate
        One for each name; ``table[name]`` returns it.
    remarks : tuple of str
        Lines printed below the numbers, with the verdict and the number of labels.
    model : tuple of str
        Lines printed last, with the method of computation.
    greater_is_better : bool
        Whether larger values are better.
    pairs : dict or None
        For estimates on different items: maps pairs of indices to the two estimates on their common
        items, or None without common items.
    title : str
        The metric and the kind of rows, printed above the numbers; empty if the names suffice.
    summary : tuple of str
        Sentences printed first, with the main results.

    Examples
    --------
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(500, random_state=0)
    >>> performance = PerformanceCurveEstimator(n_draws=50, random_state=0)
    >>> category = ["a", "b"] * 250
    >>> performance = performance.fit(scores, labels, category=category)
    >>> table = performance.by_category("prevalence")
    >>> table.names
    ('a', 'b')
    >>> bool(table["a"].value == labels[::2].mean())
    True
    """

    names: tuple[str, ...]
    estimates: tuple[ScalarEstimate, ...]
    remarks: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    greater_is_better: bool = True
    pairs: Mapping[tuple[int, int], tuple[ScalarEstimate, ScalarEstimate] | None] | None = None
    title: str = ""
    summary: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: str) -> ScalarEstimate:
        try:
            return self.estimates[self._index(name)]
        except ValueError as error:
            raise KeyError(str(error)) from None

    def _index(self, name: object) -> int:
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
            None means the level of the estimates.
        """
        return np.array([estimate.interval(confidence_level) for estimate in self.estimates])

    @cached_property
    def ranking_proba(self) -> np.ndarray:
        """The probability that the estimate of each row is better than that of each column.

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
        """The probability that the true values are in the order of their estimates.

        For estimates on different items it is the probability that each is better than the next, on
        their common items.
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
        """The name of the estimate that is most probably better than the others."""
        return self.names[int(np.argmax(np.nansum(self.ranking_proba, axis=1)))]

    def difference(self, a: object, b: object) -> ScalarEstimate | None:
        """Return the estimate named `a` minus that named `b`; None without common items.

        Parameters
        ----------
        a, b : str
            Names of rows, or objects whose text is such a name.

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
        both = self._both(self._index(a), self._index(b))
        return None if both is None else both[0] - both[1]

    def differences(self, reference: object) -> EstimateTable:
        """Return the differences of the other rows from the reference row, on common items."""
        differences = {name: self.difference(name, reference) for name in self.names}
        defined = {
            name: difference
            for name, difference in differences.items()
            if difference is not None and name != str(reference)
        }
        return EstimateTable(tuple(defined), tuple(defined.values()))

    def proba_ahead_of(self, reference: object) -> tuple[float, ...]:
        """Return the probability that each of `differences` is in favor of the other."""
        index = self._index(reference)
        rows = [k for k in range(len(self)) if k != index and self._both(k, index) is not None]
        return tuple(self.ranking_proba[rows, index].tolist())

    def _signed(self, estimates: Iterable[ScalarEstimate]) -> np.ndarray:
        """Return draws, negated if smaller is better, (n_draws, n_estimates)."""
        sign = 1.0 if self.greater_is_better else -1.0
        return sign * np.column_stack([estimate.comparable_draws for estimate in estimates])

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
            As in :meth:`intervals`.
        """
        import pandas as pd

        lower, upper = self.intervals(confidence_level).T
        columns = {"name": self.names, "value": self.values, "lower": lower, "upper": upper}
        return pd.DataFrame(columns)

    def sentences(self) -> tuple[str, ...]:
        """Return the estimates as sentences, each with its name if needed.

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
        """Return the sentences in counts and of areas, and the meaning of their intervals.

        Empty if there are no such sentences or more than ten.
        """
        pairs = zip(self.estimates, self.sentences(), strict=True)
        headlines = [
            sentence
            for estimate, sentence in pairs
            if estimate.name in AREAS or sentence_in_counts(estimate.name)
        ]
        if not 0 < len(headlines) <= MAX_HEADLINES:
            return ()
        return (*headlines, meaning_of_intervals(self.estimates[0].confidence_level))

    def _record(self) -> dict[str, Any]:
        rows = zip(self.names, self.estimates, self.sentences(), strict=True)
        return {
            "title": self.title,
            "summary": self.summary,
            "confidence_level": self.estimates[0].confidence_level if len(self) else None,
            "estimates": [
                {
                    "name": name,
                    **estimate._numbers(),
                    "edge": estimate.edge,
                    "edge_cause": estimate.edge_cause,
                    "sentence": sentence,
                    "verdict": estimate._word,
                }
                for name, estimate, sentence in rows
            ],
            "remarks": self.remarks,
            "model": self.model,
        }

    def _html(self) -> Markup:
        caption = self.title or "Estimates"
        table = interval_table(caption, self.items()) if len(self) else tag("p", "No estimates")
        return joined(
            *paragraphs(self.summary),
            table,
            *paragraphs(self.remarks, "remark"),
            *paragraphs(self.model, "hint"),
        )

    def __str__(self) -> str:
        title = [f"{self.title}:"] if self.title else []
        parts = (self.summary, [*title, *self._lines()], self.remarks, self.model)
        return "\n\n".join("\n".join(lines) for lines in parts if lines)

    def _lines(self, n_rows: int | None = None) -> list[str]:
        """Return the head and the first rows."""
        if not len(self):
            return ["no estimates"]
        level = self.estimates[0].confidence_level
        width = width_of(self.names)
        head = f"{'':{width}}{'value':>8}   {percent(level)} interval"
        return [
            head,
            *(line_of(name, estimate, width) for name, estimate in list(self.items())[:n_rows]),
        ]

    def __repr__(self) -> str:
        more = [] if len(self) <= MAX_ROWS else [f"... {len(self):,} rows"]
        title = f"EstimateTable: {self.title}" if self.title else "EstimateTable"
        return "\n".join([title, *self._lines(MAX_ROWS), *more])


def width_of(names: Iterable[Any]) -> int:
    """Return the width of the column of names."""
    return max(NARROWEST, *(len(str(name)) for name in names))


def line_of(name: str, estimate: ScalarEstimate, width: int = NARROWEST) -> str:
    """Return a number, if it is known, and its interval as a line of a table."""
    low, high = estimate.interval()
    ends = estimate.exactness() or f"{low:.3f} to {high:.3f}"
    value = f"{estimate.value:.3f}" if estimate.is_known else UNKNOWN
    return f"{name:{width}}{value:>8}   {ends}"


def intervals_in_a_line(table: EstimateTable, notes: Sequence[str] | None = None) -> str:
    """Return the first rows in one line: names, intervals, and a note on each, if any."""
    notes = [""] * len(table) if notes is None else notes
    rows = []
    for (name, estimate), note in zip(table.items(), notes, strict=True):
        low, high = estimate.interval()
        exact = f"{estimate.value:.3f}, {estimate.exactness()}"
        interval = exact if has_no_width(low, high) else f"{low:.3f} to {high:.3f}"
        rows.append(f"{name} {interval}{note}")
    n_more = len(rows) - MAX_IN_A_LINE
    more = [f"and {n_more} more"] if n_more > 0 else []
    return ", ".join([*rows[:MAX_IN_A_LINE], *more])


def remarks_on_edges(table: EstimateTable) -> tuple[str, ...]:
    """Return why the intervals of some rows, not of all, reach 0."""
    names = [name for name, estimate in table.items() if estimate.edge == 0.0]
    if not 0 < len(names) < len(table):
        return ()
    subjects = (
        " and ".join(names) if len(names) <= MAX_NAMED else f"{len(names)} of {len(table)} rows"
    )
    consequence = "its interval reaches" if len(names) == 1 else "their intervals reach"
    return (f"The labels of {subjects} do not rule out 0: {consequence} 0. Label more there.",)


def causes_of_edges(table: EstimateTable) -> tuple[str, ...]:
    """Return why intervals reach 0 or 1 that no label rules out, a sentence for each cause."""
    names_by_cause: dict[tuple[float, str], list[str]] = {}
    for name, estimate in table.items():
        if estimate.edge is not None and estimate.edge_cause:
            names_by_cause.setdefault((estimate.edge, estimate.edge_cause), []).append(name)
    return tuple(
        f"No label rules out {edge:g} for {listed(names)}: {cause}."
        for (edge, cause), names in names_by_cause.items()
    )


def remarks_on_parts(table: EstimateTable) -> tuple[str, ...]:
    """Return which rows are of parts without labels."""
    verdicts = (estimate.verdict for estimate in table.estimates)
    problems = (text for verdict in verdicts if verdict for text in verdict.problems_of_parts)
    texts = tuple(dict.fromkeys(problems))
    n_more = len(texts) - MAX_NAMED
    return texts if n_more <= 0 else (*texts[:MAX_NAMED], f"The same holds of {n_more} more.")


def ranking_probability(draws: np.ndarray) -> np.ndarray:
    """Return the probability that one system is better than another, (n_systems, n_systems)."""
    differences = draws[:, :, np.newaxis] - draws[:, np.newaxis]
    ahead = (differences > 0.0) + (differences == 0.0) / 2.0
    n_defined = (~np.isnan(differences)).sum(axis=0)
    return np.where(n_defined > 0, ahead.sum(axis=0) / np.maximum(n_defined, 1), np.nan)


def order_probability(draws: np.ndarray) -> float:
    """Return the probability that systems are in the order of their medians.

    `draws` (n_draws, n_systems) are as in `ranking_probability`; 0 if no draw defines all values.
    """
    is_defined = ~np.isnan(draws).any(axis=1)
    draws = draws[is_defined]
    if not len(draws):
        return 0.0
    order = np.argsort(-np.median(draws, axis=0), kind="stable")
    return float((np.diff(draws[:, order], axis=1) <= 0.0).all(axis=1).mean())


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionMatrix(ShownResult, FrozenArrays):
    """Posterior of the counts of items by true and predicted class.

    .. versionadded:: 0.1

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    distribution : WeightedDraws
        Distribution of all entries, row by row.
    confidence_level : float
        The default level of `interval`.
    n_items : float or None
        Number of items of the sample, as in `ScalarEstimate`.
    verdict : Verdict or None
        The reliability of the entries, if it was computed.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.models import ConfusionMatrix
    >>> draws = np.array([[[5, 1], [0, 4]], [[4, 2], [0, 4]], [[5, 1], [1, 3]]])
    >>> matrix = ConfusionMatrix.of(draws, np.full(3, 1 / 3), np.array(["cat", "dog"]))
    >>> matrix.value
    array([[5., 1.],
           [0., 4.]])
    >>> lower, upper = matrix.interval(0.3)
    >>> float(lower[0, 0]), float(upper[0, 0])
    (4.55, 5.0)
    """

    classes: np.ndarray
    distribution: WeightedDraws
    confidence_level: float = 0.9
    n_items: float | None = None
    verdict: Verdict | None = None

    @classmethod
    def of(
        cls,
        counts: np.ndarray,
        weights: np.ndarray,
        classes: np.ndarray,
        normalize: str | None = None,
        confidence_level: float = 0.9,
        n_items: float | None = None,
    ) -> ConfusionMatrix:
        """Build the matrix from draws (n_draws, n_classes, n_classes), normalized if asked."""
        if normalize is not None:
            check_choice(normalize, "normalize", NORMALIZE)
            axis: Any = NORMALIZE[normalize]
            total = counts.sum(axis=axis, keepdims=True)
            # The row of a class without items is zero, as in scikit-learn.
            counts = counts / np.where(total > 0.0, total, 1.0)
        distribution = WeightedDraws(counts.reshape(len(counts), -1), weights)
        return cls(classes, distribution, confidence_level, n_items)

    @property
    def value(self) -> np.ndarray:
        """The median of each entry, (n_classes, n_classes), true by predicted class."""
        return self._square(self.distribution.median())

    def mean(self) -> np.ndarray:
        """Return the mean of each entry; means are additive, medians are not."""
        return self._square(self.distribution.mean())

    def interval(self, confidence_level: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper ends of the interval of each entry.

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            None uses the level of the matrix.
        """
        lower, upper = self.distribution.interval(check_level_of(self, confidence_level))
        return self._square(lower), self._square(upper)

    def to_frame(self, confidence_level: float | None = None) -> Any:
        """Return a pandas DataFrame with one row for each pair of classes.

        The columns are "true", "predicted", "value", "lower" and "upper".

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            As in :meth:`interval`.
        """
        import pandas as pd

        lower, upper = self.interval(confidence_level)
        true, predicted = np.meshgrid(self.classes, self.classes, indexing="ij")
        columns = {
            "true": true,
            "predicted": predicted,
            "value": self.value,
            "lower": lower,
            "upper": upper,
        }
        return pd.DataFrame({name: column.ravel() for name, column in columns.items()})

    def exactness(self, confidence_level: float | None = None) -> str:
        """Return a note that the entries are exact if no interval has a width, else "".

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            As in :meth:`interval`.
        """
        ends = np.array(self.interval(confidence_level)).reshape(2, -1).T
        if not all(has_no_width(*both) for both in ends):
            return ""
        if self.verdict is not None and self.verdict in NOT_BELIEVED:
            return NO_INTERVAL
        return exact_for_these(self.n_items)

    @property
    def is_known(self) -> bool:
        """Whether labels inform the entries, rather than the prior alone."""
        return self.verdict is None or self.verdict != "unidentified"

    def _square(self, row: np.ndarray) -> np.ndarray:
        return row.reshape(len(self.classes), len(self.classes))

    def _record(self) -> dict[str, Any]:
        lower, upper = self.interval()
        return {
            "classes": self.classes,
            "confidence_level": self.confidence_level,
            "value": self.value,
            "lower": lower,
            "upper": upper,
        }

    def sentence(self) -> str:
        """Return how many items are predicted right, and the most frequent confusion."""
        mean = self.mean()
        lower, upper = self.interval()
        errors = np.where(np.eye(len(mean), dtype=bool), -1.0, mean)
        i, j = np.unravel_index(np.argmax(errors), errors.shape)
        value, low, high = (as_texts(part)[i][j] for part in (self.value, lower, upper))
        between = "" if low == high else f" ({low} to {high})"
        if exact := self.exactness():
            between = f", {exact}"
        confusion = f"{self.classes[i]} predicted as {self.classes[j]}, {value}{between}"
        return f"The most frequent confusion is {confusion}."

    def _html(self) -> Markup:
        names = list(map(str, self.classes))
        lower, upper = map(as_texts, self.interval())
        value = as_texts(self.value)
        shares = self.value / max(float(self.value.max()), np.finfo(float).tiny)
        if not self.is_known:
            value = [list(map(_ends_in_words, *rows)) for rows in zip(lower, upper, strict=True)]
            shares = np.zeros_like(shares)
        rows = (
            row_of(
                f"truly {name}" if len(names) == 2 else name,
                *(
                    tag(
                        "td",
                        count,
                        tag("small", f"{low} to {high}") if low != high and self.is_known else None,
                        class_="number heat",
                        style=f"--share:{share:.2f}",
                    )
                    for count, low, high, share in zip(*cells, strict=True)
                ),
            )
            for name, *cells in zip(names, value, lower, upper, shares.tolist(), strict=True)
        )
        level = percent(self.confidence_level)
        by = "" if len(names) == 2 else ": true class by predicted class"
        of_what = "medians and " if self.is_known else ""
        numbers = self.exactness() or f"{of_what}{level} intervals"
        caption = f"Confusion matrix{by}, {numbers}"
        head = [f"predicted {name}" if len(names) == 2 else name for name in names]
        table = html_table(caption, [None, *head], rows, class_="matrix")

        sentence = tag("p", self.sentence(), class_="said") if self.is_known else None
        return joined(sentence, table)

    def __repr__(self) -> str:
        names = list(map(str, self.classes))
        columns = [["", *names]]
        columns += [list(column) for column in zip(names, *as_texts(self.value), strict=True)]
        widths = [max(map(len, column)) for column in columns]
        if len(names) > MAX_ROWS or sum(widths) + 2 * len(names) > MAX_WIDTH:
            numbers = self.exactness() or f"{percent(self.confidence_level)} intervals"
            return f"ConfusionMatrix({len(names)} classes, {numbers})"

        lines = (
            "  ".join([first.ljust(widths[0]), *map(str.rjust, cells, widths[1:])])
            for first, *cells in zip(*columns, strict=True)
        )
        numbers = self.exactness() or "medians"
        return "\n".join([f"ConfusionMatrix: true class by predicted class, {numbers}", *lines])


def _ends_in_words(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def as_texts(counts: np.ndarray) -> list[list[str]]:
    """Return counts, or shares, of true by predicted class, with equally many decimals."""
    if counts.max() > WHOLE or np.allclose(counts, np.round(counts)):
        rows = enumerate(counts.tolist())
        return [[f"{whole(n, is_error=i != j):,}" for j, n in enumerate(row)] for i, row in rows]
    decimals = 3 if counts.max() <= 1.0 else 1
    return [[f"{count:,.{decimals}f}" for count in row] for row in counts.tolist()]
