"""Recall from the labels of the largest scores: estimators side by side, where positives are rare.

Random items are drawn from each set, and those with the largest scores are labelled, as by an
alarm system. Every method estimates the recall at the threshold above which half of the positives
lie; all labels then say what it is. Run ``python examples/benchmarks/rare_events FOLDER`` on a
folder of score sets, of which those with less than 5% positives are used: see `tails` for how cases
are drawn and `estimators` for who takes part.

A method that raises, or has nothing to divide by, has no answer: errors are those of the answers,
and the report counts them. Means weigh data sets and not files, as in ``score_sets``. Nothing here
is tuned on the sets.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from estimators import ESTIMATORS
from report import main_table, report, summary
from resumable_runs import Benchmark, attempt
from tails import draw, find, halving

# Recalls are sums of weights over sums of weights.
ROUNDING = 1e-9


def fit_all(case, methods):
    """Return one row a method, for the same labels of one set."""
    threshold, recall = halving(case)
    about = {
        "n_positives": int(case.labels.sum()),
        "n_labeled_negatives": int((case.y == 0).sum()),
        "threshold": threshold,
        "n_above": int((case.scores >= threshold).sum()),
        "true_recall": recall,
    }
    return [{"method": m, **about, **fit_one(m, case, threshold, recall)} for m in methods]


def fit_one(method, case, threshold, recall):
    """Return how far one method's answer is from the truth, or how it failed."""
    answer, row = attempt(ESTIMATORS[method], case, threshold, ignored=(Warning,))
    if answer is None:
        return row
    row |= {
        "recall": float(answer.recall),
        "error": float(abs(answer.recall - recall)),
        "verdict": answer.verdict,
        "reasons": answer.reasons,
    }
    if answer.interval is None:
        return row
    low, high = map(float, answer.interval)
    covered = int(low - ROUNDING <= recall <= high + ROUNDING)
    return {**row, "low": low, "high": high, "width": high - low, "covered": covered}


if __name__ == "__main__":
    Benchmark(
        name="rare_events",
        about=__doc__.splitlines()[0],
        methods=tuple(ESTIMATORS),
        missing={},
        measures=(
            *("n_positives", "n_labeled_negatives", "threshold", "n_above", "true_recall"),
            *("recall", "low", "high", "error", "covered", "width", "verdict", "reasons"),
        ),
        fit_all=fit_all,
        report=report,
        labels=(100,),
        repeats=50,
        quick_repeats=3,
        rows=5000,
        find=find,
        draw=draw,
        table=main_table,
        summary=summary,
    ).main()
