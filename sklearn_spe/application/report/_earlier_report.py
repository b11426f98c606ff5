"""A report compared with an earlier one: changes, and whether chance explains them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...exceptions import ParameterError
from ...inputs._arrays import FrozenArrays
from ...results._showing import (
    Markup,
    ShownResult,
    amount_in_counts,
    bar,
    format_number,
    html_table,
    joined,
    paragraphs,
    range_in_words,
    row_of,
    scale,
    tag,
)
from ...results._tables import EstimateTable
from ...results._terms import name_in_words

# Changes that are told in the first sentence.
MAX_SAID = 3


@dataclass(frozen=True, eq=False)
class EarlierReport(ShownResult, FrozenArrays):
    r"""The numbers of a report beside those of an earlier one.

    The interval of a change has the ends :math:`d - \sqrt{(a - a_l)^2 + (b_u - b)^2}` and :math:`d
    + \sqrt{(a_u - a)^2 + (b - b_l)^2}`, with a and b the numbers now and then, and d = a - b: the
    method of variance estimates recovery (Zou and Donner, 2008), for independent estimates. Of the
    same items both have errors in common, and the change is known better.

    Attributes
    ----------
    name : str
        Of the earlier report, such as its file and date.
    names : tuple of str
        Of the numbers that both have.
    now, then : ndarray of shape (n_names, 3)
        The value and both ends of its interval.
    confidence_level : float
    left_out : tuple of str
        Numbers of this report that the earlier one lacks.
    """

    name: str
    names: tuple[str, ...]
    now: np.ndarray
    then: np.ndarray
    confidence_level: float
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(cls, numbers: EstimateTable, earlier: Any) -> EarlierReport:
        """Compare numbers with those of the JSON of an earlier report.

        Parameters
        ----------
        numbers : EstimateTable
        earlier : mapping
            As ``--json`` prints it, or as `to_dict` of a report or of main estimates returns it.

        Raises
        ------
        TypeError, ValueError
            If it is no such mapping, or both have no number in common.
        """
        earlier_rows = _estimates_of(earlier)
        level = earlier.get("confidence_level") or numbers.estimates[0].confidence_level

        common = [name for name in numbers.names if name in earlier_rows]
        if not common:
            raise ParameterError.of(
                "compared_with",
                "has no number in common with this report: it has "
                f"{', '.join(earlier_rows) or 'none'}; this one has {', '.join(numbers.names)}. "
                "Numbers at a threshold are compared at the same threshold only.",
            )

        now = []
        then = []
        for name in common:
            row = earlier_rows[name]
            now.append((numbers[name].value, *numbers[name].interval(level)))
            then.append((row["value"], row["lower"], row["upper"]))
        left_out = tuple(name for name in numbers.names if name not in earlier_rows)
        return cls(
            _name_of(earlier),
            tuple(common),
            np.array(now, dtype=float),
            np.array(then, dtype=float),
            level,
            left_out,
        )

    @property
    def changes(self) -> np.ndarray:
        """The change of each number and both ends of its interval, (n_names, 3)."""
        now, now_low, now_high = self.now.T
        then, then_low, then_high = self.then.T
        change = now - then

        # The ends of the interval of a difference of independent numbers.
        down = np.hypot(now - now_low, then_high - then)
        up = np.hypot(now_high - now, then - then_low)
        return np.column_stack([change, change - down, change + up])

    @property
    def is_certain(self) -> np.ndarray:
        """Whether the interval of each change excludes zero, (n_names,)."""
        changes = self.changes
        return (changes[:, 1] > 0.0) | (changes[:, 2] < 0.0)

    def sentence(self) -> str:
        """Return the changes that uncertainty does not explain, as sentences."""
        rows = self._rows()
        certain = [row for row in rows if row[-1]]
        sentences = [_of_one(*row) for row in certain[:MAX_SAID] or rows[:1]]
        if len(certain) > MAX_SAID:
            sentences.append(f"{len(certain) - MAX_SAID} more moved by more than chance explains.")
        elif not certain and len(rows) > 1:
            sentences.append(f"None of the {len(rows)} numbers moved by more than chance explains.")
        return f"Since {self.name}: {' '.join(sentences)}"

    def _rows(self) -> list[tuple[str, np.ndarray, np.ndarray, np.ndarray, bool]]:
        """Return each number now and then, its change, and whether that excludes zero."""
        columns = self.names, self.now, self.then, self.changes, self.is_certain.tolist()
        return list(zip(*columns, strict=True))

    def _record(self) -> dict[str, Any]:
        return {
            "compared_with": self.name,
            "confidence_level": self.confidence_level,
            "sentence": self.sentence(),
            "changes": [
                {
                    "name": name,
                    "now": now[0],
                    "then": then[0],
                    "value": change[0],
                    "lower": change[1],
                    "upper": change[2],
                    "more_than_uncertainty": certain,
                }
                for name, now, then, change, certain in self._rows()
            ],
        }

    def _html(self) -> Markup:
        largest = float(np.nanmax(np.abs(self.changes), initial=1e-3))
        limits = -largest, largest
        rows = [
            row_of(
                name_in_words(name),
                _in_text(then),
                _in_text(now),
                _in_text(change),
                "more than chance" if certain else "chance may explain it",
                tag("td", bar(change[0], change[1], change[2], limits), class_="bars"),
            )
            for name, now, then, change, certain in self._rows()
        ]

        header = [None, "then", "now", "change", None, scale(limits)]
        hint = (
            "Both reports are taken as independent. Where they are of the same items, their errors "
            "are alike, and the change is more certain than its interval shows."
        )
        if self.left_out:
            hint += f" Not in the earlier report: {', '.join(self.left_out)}."
        return joined(
            *paragraphs([self.sentence()], "said"),
            html_table(f"Then, {self.name}, and now", header, rows, class_="intervals"),
            *paragraphs([hint], "hint"),
        )


def _of_one(name: str, now: np.ndarray, then: np.ndarray, change: np.ndarray, certain: bool) -> str:
    """Return the change of a number as a sentence."""
    amount = amount_in_counts(name, *map(float, change))
    name = name_in_words(name)
    before = format_number(then[0])
    after = format_number(now[0])
    if before == after:
        return f"{name} stayed at {after}."

    verb = "rose" if now[0] > then[0] else "fell"
    extent = "more than chance explains" if certain else "what chance may explain"
    return f"{name} {verb} from {before} to {after}: a change of {amount}, {extent}."


def _in_text(numbers: np.ndarray) -> str:
    value, low, high = numbers
    return f"{format_number(value)} ({range_in_words(low, high)})"


def _estimates_of(earlier: Any) -> dict[str, dict]:
    """Return the numbers of an earlier report by name; raise if it is none."""
    rows = earlier.get("estimates") if isinstance(earlier, Mapping) else None
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise TypeError(
            "compared_with must be the contents of an earlier report: what --json printed, read by "
            f"json.load, or its to_dict(); got {earlier!r:.200}."
        )

    keys = {"name", "value", "lower", "upper"}
    complete = [row for row in rows if keys <= row.keys()]
    # Undefined numbers are null.
    defined = [row for row in complete if None not in (row[key] for key in keys)]
    return {row["name"]: dict(row) for row in defined}


def _name_of(earlier: Mapping) -> str:
    """Return the name of the earlier report."""
    read = earlier.get("read") or {}
    # Of a file its name, without the folder.
    file = str(read.get("name") or "").replace("\\", "/").rpartition("/")[2]
    name = earlier.get("title") or file or "the earlier report"
    date = earlier.get("date")
    return f"{name} of {date}" if date else str(name)
