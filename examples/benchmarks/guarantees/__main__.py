"""Guarantees of precision from a few labels: who makes them, who keeps them, over score sets.

A few random items of each set are labelled, and every rule names the threshold at which precision
is at least 0.9 with a probability of 0.9, if it can. All labels then say what precision and recall
are there, and what the best threshold in hindsight is: the one with the largest recall among those
that have the precision. Run ``python examples/benchmarks/guarantees FOLDER``; without a folder the
digit and satellite sets of ``examples/data`` are used. See `sets` for what a folder holds and
`rules` for who takes part.

A threshold is judged twice. As a *selection*: the items labelled positive and the unlabelled items
at or above the threshold, which is what the package guarantees. As a *rule*: all items at or above
the threshold, whatever their labels.

A rule that raises has named no threshold. Means weigh data sets and not files, as in
``score_sets``. Nothing here is tuned on the sets.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

import numpy as np
from passing import Passing
from report import main_table, report
from resumable_runs import Benchmark, attempt
from rules import MISSING, PRECISION, RULES

NOTE = "mapie_holm and mapie_fixed are optional: pip install mapie. They are skipped without it."


def fit_all(case, methods):
    """Return one row a method, for the same labels of one set."""
    truth = Passing.of(case.scores, case.labels)
    kept = truth.precision >= PRECISION
    # Recall grows as thresholds fall.
    best = truth.lowest(kept)
    hindsight = {
        "best_threshold": "" if best is None else best,
        "best_recall": 0.0 if best is None else truth.recall[truth.at(best)],
        "best_size": 0 if best is None else int(truth.n_items[truth.at(best)]),
    }
    return [{"method": m, **hindsight, **fit_one(m, case, truth)} for m in methods]


def fit_one(method, case, truth):
    """Return the performance of one method's threshold, or its failure."""
    threshold, row = attempt(RULES[method], case, ignored=(Warning,))
    if threshold is None:
        return {**row, "returned": 0}

    selected = np.where(case.y < 0, case.scores >= threshold, case.y == 1)
    n_selected, n_found = int(selected.sum()), int(case.labels[selected].sum())
    if not n_selected:
        return {**row, "returned": 0}

    # Above all scores a rule calls nothing positive, and breaks no guarantee.
    at = truth.at(threshold)
    precision = float(truth.precision[at]) if at >= 0 else 1.0
    return {
        **row,
        "returned": 1,
        "threshold": threshold,
        "size": int(truth.n_items[at]) if at >= 0 else 0,
        "precision": precision,
        "recall": float(truth.recall[at]) if at >= 0 else 0.0,
        "broken": int(precision < PRECISION),
        "selected": n_selected,
        "selected_precision": n_found / n_selected,
        "selected_recall": n_found / max(int(case.labels.sum()), 1),
        "selected_broken": int(n_found < PRECISION * n_selected - 1e-9),
    }


if __name__ == "__main__":
    Benchmark(
        name="guarantees",
        about=__doc__.splitlines()[0],
        methods=tuple(RULES),
        missing=MISSING,
        measures=(
            *("best_threshold", "best_recall", "best_size"),
            *("returned", "threshold", "size", "precision", "recall", "broken"),
            *("selected", "selected_precision", "selected_recall", "selected_broken"),
        ),
        fit_all=fit_all,
        report=report,
        labels=(20, 100),
        repeats=20,
        table=main_table,
        note=NOTE,
    ).main()
