"""Verdicts on runs of cases, summed over the runs of each case."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..exceptions import ParameterError
from ..inputs._arrays import FrozenArrays
from ..inputs._validation import as_numbers, as_objects


@dataclass(frozen=True, eq=False)
class CaseRuns(FrozenArrays):
    """The runs of each case that has one.

    Attributes
    ----------
    cases : ndarray of shape (n_cases,)
        Different names.
    n_runs : ndarray of shape (n_cases,)
        Numbers of runs with a verdict, at least 1.
    sums, squares : ndarray of shape (n_cases,)
        Sums of the verdicts, and of their squares.
    """

    cases: np.ndarray
    n_runs: np.ndarray
    sums: np.ndarray
    squares: np.ndarray

    @classmethod
    def read(cls, verdicts: Any, cases: Any, name: str) -> CaseRuns:
        """Read verdicts in [0, 1], NaN without one: of cases, of cases x runs, or of runs."""
        values = as_numbers(verdicts, name)
        if values.ndim not in (1, 2) or (cases is not None and values.ndim != 1):
            needed = (
                "(n_runs,), with `groups`"
                if cases is not None
                else "(n_cases,) or (n_cases, n_runs)"
            )
            raise ParameterError.of(name, f"must have shape {needed}; got {values.shape}.")
        wrong = values[np.isfinite(values) & ((values < 0.0) | (values > 1.0)) | np.isinf(values)]
        if len(wrong):
            raise ParameterError.of(
                name,
                f"must hold verdicts from 0 (fail) to 1 (pass), NaN without one; got {wrong[0]:g}.",
            )
        if cases is None:
            n_columns = values.shape[1] if values.ndim == 2 else 1
            names = as_objects(np.repeat(np.arange(len(values)), n_columns).tolist())
            values = values.ravel()
        else:
            names = as_objects([as_plain_name(case) for case in cases])
            if len(names) != len(values):
                raise ParameterError.of(
                    "groups",
                    f"must name the case of each run: {len(names)} names, {len(values)} runs of "
                    f"{name}.",
                )

        is_known = np.isfinite(values)
        if not is_known.any():
            raise ParameterError.of(name, "holds no verdict: every value is NaN.")
        places: dict[Hashable, int] = {}
        codes = [places.setdefault(case, len(places)) for case in names[is_known].tolist()]
        known = values[is_known]
        return cls(
            cases=as_objects(list(places)),
            n_runs=np.bincount(codes).astype(float),
            sums=np.bincount(codes, known),
            squares=np.bincount(codes, known**2),
        )

    @property
    def rates(self) -> np.ndarray:
        """The mean verdict of each case, of shape (n_cases,)."""
        return self.sums / self.n_runs

    @property
    def variance_of_runs(self) -> float:
        """The variance of the runs of a case, averaged over cases; NaN where none has two."""
        is_repeated = self.n_runs > 1
        if not is_repeated.any():
            return np.nan
        n_runs = self.n_runs[is_repeated]
        spread = self.squares[is_repeated] - self.sums[is_repeated] ** 2 / n_runs
        return float(np.mean(spread / (n_runs - 1.0)))

    def of(self, cases: list[Hashable]) -> CaseRuns:
        """Return the runs of some cases, in their order."""
        places = {case: place for place, case in enumerate(self.cases.tolist())}
        rows = [places[case] for case in cases]
        return CaseRuns(self.cases[rows], self.n_runs[rows], self.sums[rows], self.squares[rows])


def as_plain_name(case: Hashable) -> Hashable:
    """Return a name of numpy's as one of Python's, which a file can hold."""
    return case.item() if isinstance(case, np.generic) else case
