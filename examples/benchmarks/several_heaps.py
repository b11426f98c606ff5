"""Negatives in two heaps: one normal a class, two normals for the negatives, and the default.

Run ``python examples/benchmarks/several_heaps.py``: the table of the guide page on several heaps.
Three in four negatives are easy, normal around -1 (standard deviation 0.6), the others hard, around
1.5 (0.5); one in five items is positive, around 3 (0.8). Of 2,000 scores 20 have a label. Half a
minute; ``--draws N`` data sets instead of six, ``--csv FILE`` writes a row for each model.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture

sys.path.append(str(Path(__file__).resolve().parent / "harness"))

from draw_tables import print_table

# One heap or two in each class, for the expert that is the mixture of the scores.
HEAPS = ["truncnorm", "gamma", "norm_mixture"]
N_ITEMS, N_LABELS, PREVALENCE, EASY = 2000, 20, 0.2, 0.75
MODELS = {
    '"norm", "norm"': {"negative": "norm", "positive": "norm", "experts": None},
    '"norm_mixture", "norm"': {"negative": "norm_mixture", "positive": "norm", "experts": None},
    "the default": {},
    'the default, with "norm_mixture" among its families': {"negative": HEAPS, "positive": HEAPS},
}


def draw(seed):
    """Return scores, true classes and labels of one data set."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(N_ITEMS) < PREVALENCE).astype(int)
    positive = rng.normal(3.0, 0.8, N_ITEMS)
    is_easy = rng.random(N_ITEMS) < EASY
    easy, hard = rng.normal(-1.0, 0.6, N_ITEMS), rng.normal(1.5, 0.5, N_ITEMS)
    scores = np.where(truth == 1, positive, np.where(is_easy, easy, hard))
    labels = np.full(N_ITEMS, -1)
    labels[:N_LABELS] = truth[:N_LABELS]
    return scores, truth, labels


def measure(model, seed):
    """Return the error, whether the 90% interval covers, its width, and the verdict."""
    scores, truth, labels = draw(seed)
    performance = PerformanceCurveEstimator(
        SemisupervisedScoreMixture(**MODELS[model]), random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimate = performance.fit(scores, labels).estimate("average_precision")
    low, high = estimate.interval(0.9)
    right = average_precision_score(truth, scores)
    return abs(estimate.value - right), low <= right <= high, high - low, str(performance.verdict_)


def table(n_sets):
    """Return a row for each model."""
    rows = []
    for model in MODELS:
        errors, covered, widths, verdicts = zip(
            *(measure(model, seed) for seed in range(n_sets)), strict=True
        )
        rows.append(
            {
                "model": model,
                "error": f"{np.mean(errors):.3f}",
                "covered": f"{sum(covered)} of {n_sets}",
                "width": f"{np.mean(widths):.3f}",
                "misfit": f"{sum('misfit' in verdict for verdict in verdicts)} of {n_sets}",
            }
        )
    return rows


if __name__ == "__main__":
    print_table(__doc__, table, 6)
