"""Groups whose items all have one label: the model beside the labels alone.

Run ``python examples/benchmarks/equal_groups.py``: the table of the guide page on items that belong
together. 100 groups of eight items; 30% of the groups are positive, or 15, 30 and 45% of three
categories; scores are normal, 1.5 standard deviations apart. Labeled are 60 items, or ten whole
groups. The labels alone are a Bayesian bootstrap of the labeled groups, for shares with Jeffreys'
prior. Eight minutes; ``--draws N`` data sets instead of 24, ``--csv FILE`` writes the table.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score

from sklearn_spe import PerformanceCurveEstimator

sys.path.append(str(Path(__file__).resolve().parent / "harness"))

from draw_tables import judged, print_table

N_GROUPS, SIZE, DISTANCE, THRESHOLD = 100, 8, 1.5, 1.0
N_ITEMS, N_WHOLE_GROUPS = 60, 10
RATES = np.array([0.15, 0.3, 0.45])
DATA = ("scores", "categories", "both")
PLANS = ("items", "groups")
METRICS = ("prevalence", "recall", "average_precision")
N_BOOTSTRAPS, LEVELS = 2000, (0.05, 0.95)


def draw(data, plan, seed):
    """Return scores, truth, labels, groups and categories of one data set."""
    rng = np.random.default_rng([seed, DATA.index(data), PLANS.index(plan)])
    group = np.repeat(np.arange(N_GROUPS), SIZE)
    category = (
        rng.integers(len(RATES), size=N_GROUPS) if data != "scores" else np.ones(N_GROUPS, int)
    )
    truth = (rng.random(N_GROUPS) < RATES[category]).astype(int)[group]
    scores = rng.normal(DISTANCE * truth)

    if plan == "items":
        labeled = rng.choice(len(truth), N_ITEMS, replace=False)
    else:
        labeled = np.flatnonzero(
            np.isin(group, rng.choice(N_GROUPS, N_WHOLE_GROUPS, replace=False))
        )
    y = np.full(len(truth), -1)
    y[labeled] = truth[labeled]
    return scores, truth, y, group, category[group], rng


def share_of(group, is_counted, rng):
    """Return the interval of a share by bootstrapped groups, with Jeffreys' prior."""
    _, unit = np.unique(group, return_inverse=True)
    n_labels = np.bincount(unit)
    n_counted = np.bincount(unit, is_counted)
    scale = n_labels.sum() / (n_labels**2).sum()
    weights = scale * rng.exponential(size=(N_BOOTSTRAPS, len(n_labels)))
    counted = weights @ n_counted + rng.standard_gamma(0.5, N_BOOTSTRAPS)
    others = weights @ (n_labels - n_counted) + rng.standard_gamma(0.5, N_BOOTSTRAPS)
    return np.quantile(counted / (counted + others), LEVELS)


def by_labels(metric, scores, y, group, rng):
    """Return the interval of a metric by the labels alone."""
    labeled = np.flatnonzero(y >= 0)
    if metric == "prevalence":
        return share_of(group[labeled], y[labeled], rng)
    if metric == "recall":
        positive = np.flatnonzero(y == 1)
        return share_of(group[positive], scores[positive] >= THRESHOLD, rng)

    _, unit = np.unique(group[labeled], return_inverse=True)
    weights = rng.exponential(size=(N_BOOTSTRAPS // 10, unit.max() + 1))[:, unit]
    values = [
        average_precision_score(y[labeled], scores[labeled], sample_weight=each) for each in weights
    ]
    return np.quantile(values, LEVELS)


def true_value(metric, scores, truth):
    """Return the metric of all items."""
    if metric == "prevalence":
        return truth.mean()
    if metric == "recall":
        return np.mean(scores[truth == 1] >= THRESHOLD)
    return average_precision_score(truth, scores)


def measure(data, plan, seed):
    """Return score and coverage of the model and of the labels, by metric; None without both."""
    scores, truth, y, group, category, rng = draw(data, plan, seed)
    if len(np.unique(y[y >= 0])) < 2:
        return None

    structure = {} if data == "scores" else {"category": category}
    performance = PerformanceCurveEstimator(classes=[0, 1], random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        performance.fit(None if data == "categories" else scores, y, groups=group, **structure)

    result = {}
    for metric in METRICS if data != "categories" else METRICS[:1]:
        at = {"threshold": THRESHOLD} if metric == "recall" else {}
        value = true_value(metric, scores, truth)
        result[metric] = (
            *judged(performance.estimate(metric, **at).interval(), value),
            *judged(by_labels(metric, scores, y, group, rng), value),
        )
    return result


def table(n_sets, cells=None):
    """Return a row for each kind of data, plan of labeling and metric."""
    rows = []
    for data, plan in cells or [(data, plan) for data in DATA for plan in PLANS]:
        results = [result for seed in range(n_sets) if (result := measure(data, plan, seed))]
        for metric in results[0]:
            model, covered, labels, covered_by_labels = np.mean(
                [result[metric] for result in results], axis=0
            )
            rows.append(
                {
                    "data": data,
                    "labeled": plan,
                    "metric": metric,
                    "score": f"{model:.2f}",
                    "covered": f"{covered:.2f}",
                    "score of the labels": f"{labels:.2f}",
                    "covered by them": f"{covered_by_labels:.2f}",
                }
            )
    return rows


if __name__ == "__main__":
    print_table(__doc__, table, 24)
