"""Honesty on scores of any shape: coverage of 90% intervals by kind of shape and quantity.

Each repeat draws a new shape of every kind (`sklearn_spe.datasets.ScoreShape`), items from it, and
random items that are labelled; all labels then say what average precision, the area under the ROC
curve, prevalence, and F1 above the best fifth of the scores are. Run
``python examples/benchmarks/shapes --out fits.csv --resume``; ``--sets`` picks kinds. See `kinds`
for how shapes are drawn and `questions` for who takes part. A shape of which no item, or every
item, is positive is left out.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from kinds import draw, find
from questions import METHODS, QUESTIONS, fit_all
from report import main_table, report
from resumable_runs import Benchmark

PARTS = ("covered", "below", "width", "winkler", "confidently_wrong")

if __name__ == "__main__":
    Benchmark(
        name="shapes",
        about=__doc__.splitlines()[0],
        methods=tuple(METHODS),
        missing={},
        measures=(*(f"{q}_{part}" for q in QUESTIONS for part in PARTS), "verdict", "reasons"),
        fit_all=fit_all,
        report=report,
        labels=(10, 20, 50),
        repeats=20,
        rows=2000,
        find=find,
        draw=draw,
        table=main_table,
    ).main()
