"""Reviews: which rules stop with 80% of the positives found, and at what cost.

A reader works through a ranking from the top, and some items are drawn at random besides. Every
rule says when to stop; it shall then have found at least 80% of all positives, in 95% of the
reviews. All labels say whether it has (*violated*), how many items were drawn *below* the place
where the reader stopped, and how many were looked at in all. Run
``python examples/benchmarks/reviews FOLDER``; without a folder the digit and satellite sets of
``examples/data`` are used. See `reviewers` for who takes part. Means weigh data sets and not files.
Nothing here is tuned on the sets.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

import numpy as np
from report import main_table, report
from resumable_runs import Benchmark, attempt
from reviewers import MISSING, RECALL, REVIEWERS

NOTE = "hypergeometric is optional: pip install buscarpy. It is skipped without it."


def fit_all(case, methods):
    """Return one row a method, for the same set and repeat."""
    return [{"method": method, **fit_one(method, case)} for method in methods]


def fit_one(method, case):
    """Return the recall and the cost of one review, or its failure."""
    # The order of a file says nothing of ties.
    order = np.lexsort((np.random.default_rng(case.seed).random(len(case.scores)), -case.scores))
    labels = case.labels[order]
    found, row = attempt(REVIEWERS[method], case, labels, order, ignored=(Warning,))
    if found is None:
        return row
    n_read, drawn = found
    drawn = drawn[drawn >= n_read]
    n_positive = labels.sum()
    n_found = labels[:n_read].sum() + labels[drawn].sum()
    return {
        **row,
        "n_items": len(labels),
        "n_positive": int(n_positive),
        "read": int(n_read),
        "below": len(drawn),
        "recall": n_found / n_positive,
        # Counts divided by counts may differ in their last bits.
        "violated": int(n_found < RECALL * n_positive - 1e-9),
    }


if __name__ == "__main__":
    Benchmark(
        name="reviews",
        about=__doc__.splitlines()[0],
        methods=tuple(REVIEWERS),
        missing=MISSING,
        measures=("n_items", "n_positive", "read", "below", "recall", "violated"),
        fit_all=fit_all,
        report=report,
        # Nobody starts with a label.
        labels=(0,),
        repeats=20,
        table=main_table,
        note=NOTE,
    ).main()
