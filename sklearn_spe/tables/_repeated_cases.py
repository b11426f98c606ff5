"""Tables of readings: rows of one case, one for each reader, that repeat its label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import prod

import numpy as np

from ._table import Table

__all__ = ["RepeatedCases"]

# So many of the cases have a row for each reader.
NEARLY_ALL = 0.9
# That the rows of each case have one label by chance is no more probable than this.
CHANCE = 1e-6


@dataclass(frozen=True)
class RepeatedCases:
    """What a table of readings says of its rows.

    Attributes
    ----------
    case : str
        The column that says which case a row is about.
    readers : tuple of str
        One column that says who read it, or two: who, and with which aid.
    n_cases, n_rows : int
        How many cases there are, and how many rows each has.
    """

    case: str
    readers: tuple[str, ...]
    n_cases: int
    n_rows: int

    @classmethod
    def found_in(
        cls, table: Table, labels: np.ndarray, others: Sequence[str]
    ) -> RepeatedCases | None:
        """Return of what kind the rows are, or None if they are cases.

        Nearly all cases come equally often, none twice with one reader, and the label of a case is
        the same in all of its rows, which chance does not explain.

        Parameters
        ----------
        table : Table
        labels : ndarray of shape (n_rows,)
            None where there is none.
        others : sequence of str
            Columns that name neither cases nor readers.
        """
        cells = {name: table.texts(name) for name in table.names if name not in others}
        counts = {name: Counter(column) for name, column in cells.items()}
        # Cases are many, readers few.
        for case in sorted(counts, key=lambda name: -len(counts[name])):
            n_cases, sizes = len(counts[case]), Counter(counts[case].values())
            n_rows, n_such = max(sizes.items(), key=lambda size: size[1], default=(0, 0))
            if n_rows < 2 or n_such < NEARLY_ALL * n_cases:
                continue
            if not _repeats(cells[case], labels):
                continue
            few = [name for name, own in counts.items() if 2 <= len(own) <= n_cases / 2]
            for readers in chain(combinations(few, 1), combinations(few, 2)):
                n = prod(len(counts[name]) for name in readers)
                named = zip(cells[case], *(cells[name] for name in readers), strict=True)
                if n_rows <= n <= n_cases / 2 and len(set(named)) == len(table.rows):
                    return cls(case, readers, n_cases, n_rows)
        return None

    def are_within(self, table: Table, groups: str) -> bool:
        """Return whether all rows of each case are in one group."""
        named = set(zip(table.texts(self.case), table.texts(groups), strict=True))
        return len(named) == self.n_cases


def _repeats(cases: Sequence[str], labels: np.ndarray) -> bool:
    """Return whether all rows of a case have one label, and that is no chance."""
    of_case: dict[str, list[Hashable]] = {}
    for case, label in zip(cases, labels.tolist(), strict=True):
        if label is not None:
            of_case.setdefault(case, []).append(label)
    if any(len(set(own)) > 1 for own in of_case.values()):
        return False
    counts = np.array(list(Counter(label for own in of_case.values() for label in own).values()))
    shares, sizes = counts / counts.sum(), Counter(map(len, of_case.values()))
    # The chance that so many labels drawn one by one are one label.
    log_chance = sum(n * np.log((shares**size).sum()) for size, n in sizes.items())
    return bool(log_chance < np.log(CHANCE))
