"""Many systems with few labels each: coverage, interval score and how flattered the first one is.

    python examples/benchmarks/many_parts.py [SYSTEMS] [LABELS] [WORLDS]

Each system answers 100 questions; true rates are from Beta(14, 6).
"""

import sys
import warnings

import numpy as np

from sklearn_spe import PerformanceCurveEstimator

N_ANSWERS = 100


def answered(n_systems, n_labels, seed):
    """Return the true rates, and the estimates with their intervals."""
    rng = np.random.default_rng([7, seed])
    rates = rng.beta(14.0, 6.0, n_systems)
    truth = (rng.random((n_systems, N_ANSWERS)) < rates[:, np.newaxis]).astype(int)
    y = np.full(truth.shape, -1)
    for labels, right in zip(y, truth, strict=True):
        rows = rng.choice(N_ANSWERS, n_labels, replace=False)
        labels[rows] = right[rows]
    category = np.repeat(np.arange(n_systems), N_ANSWERS)
    performance = PerformanceCurveEstimator(random_state=seed).fit(
        None, y.ravel(), category=category
    )
    table = performance.by_category("prevalence")
    order = [int(name) for name in table.names]
    return truth.mean(axis=1)[order], table.values, table.intervals()


def main(n_systems=20, n_labels=5, n_worlds=20):
    """Print the figures of some worlds."""
    covered, scores, flattery = [], [], []
    for seed in range(n_worlds):
        truth, values, ends = answered(n_systems, n_labels, seed)
        miss = np.maximum(ends[:, 0] - truth, 0.0) + np.maximum(truth - ends[:, 1], 0.0)
        covered.append(np.mean(miss <= 1e-12))
        scores.append(np.mean(np.ptp(ends, axis=1) + 20.0 * miss))
        best = int(np.argmax(values))
        flattery.append(values[best] - truth[best])
    error = np.std(flattery) / np.sqrt(n_worlds)
    print(
        f"{n_systems} systems, {n_labels} labels each: covered {np.mean(covered):.2f}, interval "
        f"score {np.mean(scores):.3f}; the first, said minus true: {np.mean(flattery):+.3f} "
        f"(s.e. {error:.3f})"
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*map(int, sys.argv[1:]))
