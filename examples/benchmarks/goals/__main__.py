"""Labels spent for a goal: how useful the answers are, and how often they break it.

Of each set so many items may be labelled, by whatever rule, and then an answer is returned: a set
of items that shall have a precision of at least 0.9, or a recall of at least 0.9, with a
probability of 0.9. All labels then say whether it has, and how *useful* it is: its recall where
precision is guaranteed, its precision where recall is; 0 if the guarantee is broken, or nothing is
returned. ``window`` knows all labels, spends its budget on one window of neighbouring scores, and
returns what lies above with the positives inside: what a threshold and so many labels could reach
at most. Run ``python examples/benchmarks/goals FOLDER``; without a folder the digit and satellite
sets of ``examples/data`` are used. See `answerers` for who takes part. Means weigh data sets and
not files. Nothing here is tuned on the sets.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

from answerers import ANSWERERS, GOALS, MISSING, TARGET, split
from report import main_table, report
from resumable_runs import Benchmark, attempt

NOTE = "bargain is optional: pip install bargain. It is skipped without it."


def fit_all(case, methods):
    """Return one row a method, for the same set and budget."""
    return [{"method": method, **fit_one(method, case)} for method in methods]


def fit_one(method, case):
    """Return the value of one method's selection, or its failure."""
    goal, name = split(method)
    found, row = attempt(ANSWERERS[name], case, goal, ignored=(Warning,))
    if found is None or not found.any():
        return {**row, "returned": 0, "useful": 0.0}
    n_found = int(case.labels[found].sum())
    rates = {"precision": n_found / found.sum(), "recall": n_found / case.labels.sum()}
    # Counts divided by counts may differ in their last bits.
    broken = rates[goal] < TARGET - 1e-12
    return {
        **row,
        **rates,
        "returned": 1,
        "size": int(found.sum()),
        "broken": int(broken),
        "useful": 0.0 if broken else float(rates[GOALS[goal]]),
    }


if __name__ == "__main__":
    Benchmark(
        name="goals",
        about=__doc__.splitlines()[0],
        methods=tuple(f"{goal}:{name}" for goal in GOALS for name in ANSWERERS),
        missing={f"{goal}:{name}": why for goal in GOALS for name, why in MISSING.items()},
        measures=("returned", "size", "precision", "recall", "broken", "useful"),
        fit_all=fit_all,
        report=report,
        labels=(50, 100, 200, 400),
        repeats=20,
        table=main_table,
        note=NOTE,
    ).main()
