"""Detection of reader studies: one row per case and reader, with the same label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from math import prod

import numpy as np

from ._table import Table

# Minimum share of the cases with one row per reader, or of the readings, if some were skipped.
NEARLY_ALL, NEARLY_COMPLETE = 0.9, 0.75
# Maximum probability that the rows of each case have equal labels by chance.
CHANCE = 1e-6
# Maximum number of columns that are looked at, in pairs.
MAX_COLUMNS = 100


@dataclass(frozen=True)
class RepeatedCases:
    """The structure of a table with one row per case and reader."""

    case: str  # the column that identifies the case
    readers: tuple[str, ...]  # one column of the reader, or two: reader and aid
    n_cases: int  # number of cases
    n_rows: int  # number of rows per case, of most cases or at most

    @classmethod
    def found_in(
        cls, table: Table, labels: np.ndarray, others: Sequence[str]
    ) -> RepeatedCases | None:
        """Return the structure of a reader study, or None if each row is a case.

        Nearly all cases have the same number of rows, or few rows are missing to the largest
        number; no case has two rows of one reader, and its labels are equal, beyond chance.
        `labels` are (n_rows,), and `others` are columns of neither cases nor readers.
        """
        excluded = set(others)
        cells = {name: column for name, column in table.columns.items() if name not in excluded}
        # Neither a constant nor a name of each row.
        counted = ((name, Counter(column)) for name, column in cells.items())
        several = ((name, values) for name, values in counted if 1 < len(values) < len(table))
        counts = dict(islice(several, MAX_COLUMNS))

        # There are many cases and few readers.
        for case in sorted(counts, key=lambda name: -len(counts[name])):
            n_cases = len(counts[case])
            sizes = Counter(counts[case].values())
            n_rows, n_such = max(sizes.items(), key=lambda size: size[1], default=(0, 0))
            if n_such < NEARLY_ALL * n_cases:
                n_rows = max(sizes)
                if len(table) < NEARLY_COMPLETE * n_rows * n_cases:
                    continue

            if n_rows < 2 or not _repeats(cells[case], labels):
                continue

            few = [name for name, values in counts.items() if 2 <= len(values) <= n_cases / 2]
            for readers in chain(combinations(few, 1), combinations(few, 2)):
                n_readers = prod(len(counts[name]) for name in readers)
                readings = zip(cells[case], *(cells[name] for name in readers), strict=True)
                if n_rows <= n_readers <= n_cases / 2 and len(set(readings)) == len(table):
                    return cls(case, readers, n_cases, n_rows)

        return None

    def are_within(self, table: Table, groups: str) -> bool:
        """Return whether all rows of each case are in one group."""
        pairs = set(zip(table.texts(self.case), table.texts(groups), strict=True))
        return len(pairs) == self.n_cases


def _repeats(cases: Sequence[str], labels: np.ndarray) -> bool:
    """Return whether all rows of a case have one label, beyond chance."""
    of_case: dict[str, list[Hashable]] = {}
    for case, label in zip(cases, labels.tolist(), strict=True):
        if label is not None:
            of_case.setdefault(case, []).append(label)

    if any(len(set(labels_of_case)) > 1 for labels_of_case in of_case.values()):
        return False

    counts = np.array(
        list(
            Counter(
                label for labels_of_case in of_case.values() for label in labels_of_case
            ).values()
        )
    )
    shares = counts / counts.sum()
    sizes = Counter(map(len, of_case.values()))

    # The probability that this number of independent labels are equal.
    log_chance = sum(n * np.log((shares**size).sum()) for size, n in sizes.items())
    return bool(log_chance < np.log(CHANCE))
