"""How often intervals of 20 labels hold the truth, for any number of scores.

Scores are never drawn one by one: of each class as many lie in each bin as a multinomial draw says,
so that 1e8 of them cost what 1e3 do.
"""

import itertools
import warnings

import numpy as np
from scipy import stats

from sklearn_spe import PerformanceCurveEstimator, ScoreHistogram

N_LABELS = 20
SIZES = (10**3, 10**4, 10**5, 10**6, 10**8)
RESOLUTION = 64
METRICS = ("average_precision", "roc_auc", "prevalence")
# Negatives, positives, and the share of these.
DISTRIBUTIONS = {
    "normal, 30% positive": (stats.norm(), stats.norm(2.0), 0.3),
    "normal, 10% positive": (stats.norm(), stats.norm(2.0, 1.5), 0.1),
    "skewed, 30% positive": (stats.gumbel_r(), stats.gumbel_l(2.5), 0.3),
}
KEYS = np.arange(-12 * RESOLUTION, 16 * RESOLUTION)


def drawn_counts(distribution, n, rng):
    """Return how many negatives and positives lie in each bin, (2, n_bins)."""
    *classes, prevalence = DISTRIBUTIONS[distribution]
    n_positive = rng.binomial(n, prevalence)
    counts = []
    for of_class, size in zip(classes, (n - n_positive, n_positive), strict=True):
        shares = np.diff(of_class.cdf(np.append(KEYS, KEYS[-1] + 1) / RESOLUTION))
        counts.append(rng.multinomial(size, shares / shares.sum()))
    return np.array(counts)


def true_values(counts):
    """Return each metric of the items, those of one bin being ties."""
    fp, tp = np.cumsum(counts[:, ::-1], axis=1)
    negative, positive = counts[:, ::-1]
    at = tp + fp > 0
    precision = tp[at] / (tp + fp)[at]
    return {
        "average_precision": (positive[at] * precision).sum() / tp[-1],
        "roc_auc": 1.0 - (positive * (fp - negative / 2.0)).sum() / (tp[-1] * fp[-1]),
        "prevalence": tp[-1] / (tp[-1] + fp[-1]),
    }


def one_interval(distribution, n, repeat):
    """Return whether the interval of each metric holds the truth, its width, and the verdict."""
    rng = np.random.default_rng([repeat, n, list(DISTRIBUTIONS).index(distribution)])
    counts = drawn_counts(distribution, n, rng)
    items = np.sort(rng.choice(n, N_LABELS, replace=False))
    cell = np.searchsorted(np.cumsum(counts.ravel()), items, side="right")
    y, at = np.divmod(cell, len(KEYS))
    histogram = ScoreHistogram.from_table(
        KEYS, counts.sum(axis=0), scale="identity", resolution=RESOLUTION
    )
    given = histogram.with_labels((KEYS[at] + 0.5) / RESOLUTION, y)
    estimator = PerformanceCurveEstimator(classes=[0, 1], random_state=repeat)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        performance = estimator.fit(given)
        found, truth = {}, true_values(counts)
        for metric in METRICS:
            low, high = performance.estimate(metric).interval(0.9)
            found[metric] = bool(low <= truth[metric] <= high), high - low
    return found, str(performance.verdict_)


def coverage_table(n_repeats, sizes=SIZES):
    """Return a row for each number of scores: coverage and mean width of each metric, and "ok".

    All sizes and distributions have the same number of repeats.
    """
    rows = []
    for n in sizes:
        cases = itertools.product(DISTRIBUTIONS, range(n_repeats))
        found, verdicts = zip(
            *(one_interval(name, n, repeat) for name, repeat in cases), strict=True
        )
        row = {"scores": f"{n:,}"}
        for metric in METRICS:
            covered, width = np.mean([intervals[metric] for intervals in found], axis=0)
            row[metric] = f"{covered:.2f}, {width:.2f}"
        rows.append({**row, "share ok": f"{np.mean([v == 'ok' for v in verdicts]):.2f}"})
    return rows
