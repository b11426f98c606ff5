"""Scores of two values: coverage of 90% and 95% intervals by enumeration, not by simulation.

Items have the score 0 or 1, as verdicts of a judge and decisions of a classifier do. What labels
say are then four counts: labels at either score, and the positives among them. Every outcome is
fitted once; the coverage at a truth is the sum of the chances of the outcomes whose interval holds
it, without any noise but that of the draws of a fit. Its mean and its least over a grid of truths
are shown beside those of Jeffreys' posterior of two independent shares, with equal tails. Designs
are labels drawn at each score or from all items, scores that are worse than chance, and an elusion
sample: all items of score 1 are read, and few or none of the labels at score 0 are positive. Run
``python examples/benchmarks/two_valued --out fits.csv --resume``; ``--sets`` picks designs. See
`designs` for designs and truths and `intervals` for who takes part.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

import numpy as np
from designs import draw, find
from intervals import LEVELS, METHODS, QUESTIONS, answers
from report import main_table, report
from resumable_runs import Benchmark, attempt

PARTS = ("mean", "worst", "width")
# Counts divided by counts may differ in their last bits.
ROUNDING = 1e-9


def fit_all(case, methods):
    """Return one row a method, for the same outcomes."""
    return [{"method": m, **fit_one(m, case)} for m in methods]


def fit_one(method, case):
    """Return the mean and the least coverage of one method's intervals, or how it failed."""
    ends, row = attempt(METHODS[method], case, ignored=(Warning,))
    if ends is None:
        return row
    row["n_outcomes"] = len(case.outcomes)
    truth = answers(case.sizes, case.truths)[:, np.newaxis, :, np.newaxis]
    holds = (ends[..., 0] <= truth + ROUNDING) & (ends[..., 1] >= truth - ROUNDING)
    covered = np.einsum("to,toql->tql", case.chances, holds)
    width = np.einsum("to,oql->ql", case.chances, np.ptp(ends, axis=-1)) / len(case.truths)
    for j, question in enumerate(QUESTIONS):
        for k, level in enumerate(LEVELS):
            measured = covered[:, j, k].mean(), covered[:, j, k].min(), width[j, k]
            names = (f"{question}_{level}_{part}" for part in PARTS)
            row |= dict(zip(names, map(float, measured), strict=True))
    return row


if __name__ == "__main__":
    Benchmark(
        name="two_valued",
        about=__doc__.splitlines()[0],
        methods=tuple(METHODS),
        missing={},
        measures=(
            "n_outcomes",
            *(f"{q}_{level}_{part}" for q in QUESTIONS for level in LEVELS for part in PARTS),
        ),
        fit_all=fit_all,
        report=report,
        labels=(10, 20),
        repeats=1,
        rows=2000,
        find=find,
        draw=draw,
        table=main_table,
    ).main()
