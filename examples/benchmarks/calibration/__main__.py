"""Probabilities from a few labels: calibrators side by side, over a folder of score sets.

A few random items of each set are labelled; every calibrator gives the other items a probability,
which is compared with their labels by Brier score and log loss. Run
``python examples/benchmarks/calibration FOLDER``; without a folder the digit and satellite sets of
``examples/data`` are used. See `sets` for what a folder holds and `calibrators` for who takes part.

A calibrator that raises, or whose answer is not finite, is given the prevalence among the labels;
the report counts how often. Means weigh data sets and not files, as in ``score_sets``. Nothing
here is tuned on the sets.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))

import numpy as np
from calibrators import CALIBRATORS, MISSING, prevalence
from report import main_table, report
from resumable_runs import Benchmark, attempt
from scipy import special

# Log loss is without bound.
CLIP = 1e-6
NOTE = """\
beta and venn_abers are optional: pip install betacal venn-abers. What is not installed is skipped.
"""


def fit_all(case, methods):
    """Return one row for each method that is defined for the kind of scores."""
    return [{"method": m, **row} for m in methods if (row := fit_one(m, case)) is not None]


def fit_one(method, case):
    """Return the losses of one method, None where it is not defined."""
    probabilities, row = attempt(CALIBRATORS[method], case, ignored=(Warning,))
    if probabilities is None and not row["failure"]:
        return None
    if probabilities is not None and not np.isfinite(probabilities).all():
        row["failure"] = "not finite"
    if row["failure"]:
        probabilities = prevalence(case)
    return {**row, **losses(probabilities[case.y < 0], case.labels[case.y < 0])}


def losses(probabilities, labels):
    """Return the mean losses over items, and the sums of the probabilities."""
    clipped = np.clip(probabilities, CLIP, 1.0 - CLIP)
    return {
        "brier": np.mean((probabilities - labels) ** 2),
        "log_loss": -np.mean(
            special.xlogy(labels, clipped) + special.xlog1py(1 - labels, -clipped)
        ),
        "mean_probability": probabilities.mean(),
        "true_prevalence": labels.mean(),
    }


if __name__ == "__main__":
    Benchmark(
        name="calibration",
        about=__doc__.splitlines()[0],
        methods=tuple(CALIBRATORS),
        missing=MISSING,
        measures=("brier", "log_loss", "mean_probability", "true_prevalence"),
        fit_all=fit_all,
        report=report,
        table=main_table,
        note=NOTE,
    ).main()
