"""Committed tables, the scripts that wrote them, and what counts as the same number.

A printed number stands for all that round to it. Last bits differ between processors, so that a
number may lie on the other side of a tie: a hundredth of a unit of the last digit more is allowed.
What comes from drawn numbers that went through a sampler is allowed its own `chance` besides.
"""

import csv
import importlib.util
import sys
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
REPLICATIONS = ROOT / "examples" / "replications"
BENCHMARKS = ROOT / "examples" / "benchmarks"
MEASURED = ROOT / "doc" / "measured"
HALF = 0.51


@cache
def script(folder, name):
    """Return a script as a module; what it imports from beside itself is forgotten again.

    Scripts of several folders have the same names, and each finds its neighbours by the path.
    """
    path, loaded = list(sys.path), set(sys.modules)
    sys.path[:0] = [str(folder), str(BENCHMARKS / "harness")]
    try:
        spec = importlib.util.spec_from_file_location(
            f"{folder.name}_{name}", folder / f"{name}.py"
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = path
        for new in set(sys.modules) - loaded:
            file = getattr(sys.modules[new], "__file__", None) or ""
            if file.startswith(str(ROOT / "examples")):
                del sys.modules[new]
    return module


def printed_rows(table):
    """Return the rows of a committed table as text."""
    with (REPLICATIONS / f"{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True)
class Form:
    """How the numbers of a table are written, and how far they may be off.

    Attributes
    ----------
    significant : int or None
        The digits of numbers that are written as ``.3g``, whose last zeros are left out; None if
        the text shows all digits.
    chance : float
        What another processor's draws may change.
    """

    significant: int | None = None
    chance: float = 0.0

    def holds(self, printed, value):
        """Return whether a computed value is the one that is printed."""
        if isinstance(value, (bool, str)):
            return printed == str(value)
        if isinstance(value, (int, np.integer)):
            return float(printed) == value
        if not np.isfinite(value) or printed in ("", "nan"):
            return printed in ("", "nan") if np.isnan(value) else printed == str(value)
        return abs(float(printed) - value) <= HALF * self.unit(printed) + self.chance

    def unit(self, printed):
        """Return what one more in the last digit is."""
        number = Decimal(printed)
        if self.significant is not None and number:
            return 10.0 ** (number.adjusted() - self.significant + 1)
        return 10.0 ** int(number.as_tuple().exponent)


def differences(table, rows, by, form):
    """Return, as text, where computed rows and those of a table are not the same.

    Parameters
    ----------
    table : str
    rows : sequence of dict
        Some rows, with some of their columns.
    by : sequence of str
        The columns that a row is known by.
    form : Form
    """
    exact, printed, found = Form(form.significant), printed_rows(table), []
    for row in rows:
        same = [p for p in printed if all(exact.holds(p[key], row[key]) for key in by)]
        if len(same) != 1:
            found.append(f"{len(same)} rows of {table} are { ({key: row[key] for key in by}) }")
            continue
        found += [
            f"{table}, { ({key: row[key] for key in by}) }: {column} is {value}, printed {text}"
            for column, value in row.items()
            if not form.holds(text := same[0][column], value)
        ]
    return found
