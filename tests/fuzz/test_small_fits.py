"""No fit of small data fails by its data or its seed: whatever is labeled, grouped or rated."""

import warnings

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator

N_FAST, N_SLOW = 12, 200
SCORES = ("normal", "probability", "flag", "grade", "saturated", "margin")
LABELS = ("none", "one", "few", "one class", "half", "tail", "all but one category", "all")


def scores_of(kind, y, rng):
    """Return scores of one kind, larger for positives on average."""
    margins = rng.normal(size=len(y)) + rng.uniform(0.0, 4.0) * y
    if kind == "probability":
        return 1.0 / (1.0 + np.exp(-margins))
    if kind == "saturated":
        return np.round(1.0 / (1.0 + np.exp(-6.0 * margins)), 2)
    if kind == "flag":
        return (margins > rng.normal(1.0)).astype(float)
    if kind == "grade":
        return np.clip(np.round(margins + 3.0), 1.0, 5.0)
    return 1e4 * margins if kind == "margin" else margins


def labels_of(kind, y, scores, part, rng):
    """Return the labels of some items, -1 for the others."""
    n, labeled = len(y), np.zeros(len(y), dtype=bool)
    if kind == "one":
        labeled[rng.integers(n)] = True
    elif kind == "few":
        labeled[rng.choice(n, min(n, int(rng.integers(2, 12))), replace=False)] = True
    elif kind == "one class":
        labeled = (y == rng.integers(2)) & (rng.random(n) < 0.3)
    elif kind == "half":
        labeled = rng.random(n) < 0.5
    elif kind == "tail":
        labeled[np.argsort(-scores, kind="stable")[: max(1, n // 10)]] = True
    elif kind == "all but one category":
        labeled = part > 0
    elif kind == "all":
        labeled[:] = True
    return np.where(labeled, y, -1)


def drawn(seed):
    """Return the arguments of a fit, and its seed: each of its structures is there or not."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([3, 8, 20, 60, 200]))
    y = (rng.random(n) < rng.choice([0.0, 0.02, 0.2, 0.5, 0.9, 1.0])).astype(int)
    n_systems, n_judges = int(rng.choice([0, 1, 1, 1, 2, 4])), int(rng.choice([0, 0, 1, 2]))
    kind = rng.choice(SCORES)
    columns = [scores_of(kind, y, rng) for _ in range(max(n_systems, 1))]
    part = rng.integers(int(rng.choice([1, 2, 2, 5])), size=n)
    given = {"X": columns[0] if n_systems < 2 else {f"m{k}": c for k, c in enumerate(columns)}}
    if n_systems == 0:
        given["X"], n_judges = None, max(n_judges, 1)
    if n_judges:
        given["judges"] = {
            f"j{k}": (rng.random(n) < 0.1 + 0.7 * y).astype(int) for k in range(n_judges)
        }
    if rng.random() < 0.7:
        given["category"] = part
    if rng.random() < 0.4:
        given["groups"] = rng.integers(max(2, n // 4), size=n)
    given["y"] = labels_of(rng.choice(LABELS), y, columns[0], part, rng)
    return given, int(rng.integers(1000))


def fitted(seed):
    """Return a fit; it needs the names of both classes."""
    given, random_state = drawn(seed)
    performance = PerformanceCurveEstimator(n_draws=60, classes=[0, 1], random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return performance.fit(given.pop("X"), given.pop("y"), **given), given


def check(estimate):
    """Check that a number is in its interval, and this in [0, 1], unless it is not defined."""
    low, high = estimate.interval()
    if np.isnan(estimate.value):
        np.testing.assert_allclose(estimate.undefined, 1.0)
    else:
        assert 0.0 <= low <= estimate.value <= high <= 1.0
    assert estimate.verdict in ("ok", "unidentified", "misfit", "unreliable")


def check_all(seed):
    """Fit, and ask about all items and each part."""
    performance, given = fitted(seed)
    rankings = [{"system": name} for name in performance.systems_]
    rankings += [{"judge": name} for name in performance.judges_]
    for ranking in rankings:
        view = performance.of(**ranking)
        check(view.estimate("prevalence"))
        check(view.estimate("roc_auc", zero_division=np.nan))
        if "category" in given:
            for estimate in performance.by_category("prevalence", **ranking).estimates:
                check(estimate)


@pytest.mark.parametrize("place", range(N_FAST))
def test_small_data_are_fitted(place, global_random_seed):
    check_all([global_random_seed, place])


@pytest.mark.slow
@pytest.mark.parametrize("place", range(N_FAST, N_FAST + N_SLOW))
def test_more_small_data_are_fitted(place, global_random_seed):
    check_all([global_random_seed, place])
