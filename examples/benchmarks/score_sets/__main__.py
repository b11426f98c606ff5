"""Any estimator of performance as one function, over a folder of score sets.

A few random items of each set are labelled; every method answers average precision, the
precision-recall curve and the prevalence of the set with 90% intervals; the answers are compared
with the truth. Run ``python examples/benchmarks/score_sets FOLDER``; without a folder the digit and
satellite sets of ``examples/data`` are used. See `sets` for what a folder holds, `methods` for who
takes part and `measures` for what is measured.

Means weigh data sets and not files: all ``optdigits_*`` files have weight 2 together, all ``sat_*``
files too, every other file 1. Nothing here is tuned on the sets.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from measures import measures
from methods import METHODS, NOT_INSTALLABLE
from resumable_runs import Benchmark, attempt
from summary import main_table, report
from truth import Truth


def fit_all(case, methods):
    """Return one row a method, for the same labels of one set."""
    truth = Truth.of(case.scores, case.labels)
    return [{"method": m, **fit_one(m, case, truth)} for m in methods]


def fit_one(method, case, truth):
    """Return the measures of one method's answer, or how it failed."""
    answer, row = attempt(METHODS[method], case.scores, case.y, case.seed)
    return row if answer is None else {**row, **measures(answer, truth)}


if __name__ == "__main__":
    Benchmark(
        name="score_sets",
        about=__doc__.splitlines()[0],
        methods=tuple(METHODS),
        missing=NOT_INSTALLABLE,
        measures=(
            *("true_ap", "ap", "ap_low", "ap_high"),
            *("true_prevalence", "prevalence", "prevalence_low", "prevalence_high"),
            *("area", "ap_error", "covered", "width", "winkler", "confidently_wrong"),
            *("band_covered", "prevalence_covered", "verdict"),
        ),
        fit_all=fit_all,
        report=report,
        table=main_table,
    ).main()
