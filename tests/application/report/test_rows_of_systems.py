"""Rows to look at of several systems: whose they are is said, and each system gets its own."""

import numpy as np
import pandas as pd
import pytest

from sklearn_spe import PerformanceCurveEstimator, PerformanceReport
from sklearn_spe.active._query import rows_to_label
from tests.display.data import even_scores, quick_mixture

N = 300


@pytest.fixture(scope="module")
def performance(global_random_seed):
    scores, labels = even_scores(N)
    y = np.where(np.arange(N) < 60, labels, -1)
    # A wrong label, far up by both systems.
    known = np.flatnonzero(y == 1)
    y[known[np.argmax(scores[known])]] = 0
    noise = np.random.default_rng(global_random_seed).standard_normal(N)
    mixture = quick_mixture(global_random_seed)
    estimator = PerformanceCurveEstimator(mixture, n_points=50, random_state=global_random_seed)
    X = pd.DataFrame({"old": scores, "new": scores + 0.3 * noise})
    return estimator.fit(X, y)


@pytest.fixture(scope="module")
def report(performance):
    return PerformanceReport.from_estimator(performance)


def test_rows_to_label_serve_each_system_in_turn(performance, report):
    wanted = {name: rows_to_label(performance.of(system=name), 10) for name in ("old", "new")}
    in_turn = [row for both in zip(*wanted.values(), strict=True) for row in both]
    expected = list(dict.fromkeys(map(int, in_turn)))[:10]
    assert [int(row.name) for row in report.next_rows] == expected
    assert report.next_rows[0].of == "old"
    for row in report.next_rows:
        assert int(row.name) in wanted[row.of]
        view = performance.of(system=row.of)
        scores = view.rows().scores
        assert row.score == view.score_direction_.flip(scores[[int(row.name)]])[0]
