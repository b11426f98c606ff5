"""A comparison tells of further items like these, from the same fit."""

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.application.report._metric_comparison import MetricComparison
from sklearn_spe.models._ranking_value import MetricArguments
from tests.display.data import even_scores, quick_mixture
from tests.quick import QUIET

pytestmark = QUIET

N = 200
SCORES, LABELS = even_scores(N)
WORSE = SCORES + 2.0 * np.sin(7.0 * np.arange(N))
PARTLY = np.where(np.arange(N) < 60, LABELS, -1)


def fitted(seed, y=PARTLY, target="sample"):
    mixture = quick_mixture(seed, n_draws=100)
    performance = PerformanceCurveEstimator(mixture, target=target, random_state=seed)
    return performance.fit({"new": SCORES, "old": WORSE}, y)


@pytest.mark.parametrize("y", [PARTLY, LABELS], ids=["some labels", "all labels"])
def test_systems_and_differences_are_those_of_the_population(y, global_random_seed):
    performance = fitted(global_random_seed, y)
    comparison = MetricComparison.of_systems(performance, MetricArguments("roc_auc"))
    for name, estimate in comparison.of_population.items():
        expected = performance.of(system=name).estimate("roc_auc", target="population")
        assert estimate.interval() == expected.interval()

    of_systems, of_differences = comparison.further_items()
    low, high = comparison.of_population["old"].interval()
    assert f"old {low:.3f} to {high:.3f}" in of_systems
    (other,) = {"new", "old"} - {comparison.baseline}
    difference = performance.difference("roc_auc", other, comparison.baseline, target="population")
    low, high = difference.interval()
    assert f"{other} {low:.3f} to {high:.3f} (better with probability 0." in of_differences
    assert comparison.describe().endswith(f"{of_systems}\n{of_differences}")
    assert (
        comparison.to_dict()["of_population"] == (comparison.of_population.to_dict()["estimates"])
    )


def test_where_all_numbers_are_of_further_items_no_line_repeats_them(global_random_seed):
    performance = fitted(global_random_seed, target="population")
    comparison = MetricComparison.of_systems(performance, MetricArguments("roc_auc"))
    assert comparison.further_items() == []
    assert comparison.to_dict()["of_population"] is None
    assert performance.by_category("roc_auc", by="system").remarks == ()


@pytest.mark.parametrize(
    ("metric", "place"),
    [("precision_at_k", {}), ("ndcg", {}), ("true_positives", {"threshold": 1.0})],
)
def test_metrics_that_count_items_say_so(metric, place, global_random_seed):
    arguments = MetricArguments(metric, **place)
    comparison = MetricComparison.of_systems(fitted(global_random_seed), arguments)
    (line,) = comparison.further_items()
    assert "is not defined for them: it depends on the number of items." in line
