"""How many labels are needed, before there is any."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.application import ExpectedWidths, plan_labels
from sklearn_spe.application.report._expected_widths import _order_of_labels

OF = {"prevalence": 0.3, "roc_auc": 0.85}


def plan_of(width, n_labels=(10, 40)):
    """Return a plan of one metric with given widths."""
    width = np.reshape(width, (1, 1, -1))
    return ExpectedWidths(
        100, 0.3, 0.9, 30, 0.9, ("recall",), ("random",), np.array(n_labels), np.array([0.5]), width
    )


def test_widths_that_fall_as_one_by_the_root_are_interpolated_exactly():
    # The width is 2 / sqrt(n): half of it is .2 at n = 25.
    plan = plan_of([2.0 / np.sqrt(10.0), 2.0 / np.sqrt(40.0)])
    assert_allclose(plan.labels_for(0.2), 25.0)


def test_the_smallest_number_may_suffice_and_the_largest_may_not():
    plan = plan_of([0.5, 0.2])
    assert_allclose(plan.labels_for(0.4), 10.0)
    assert np.isnan(plan.labels_for(0.05))


@pytest.mark.parametrize("n_labels", [10, 30])
def test_half_of_the_labels_are_predicted_positives_while_there_are_any(
    n_labels, global_random_seed
):
    rng = np.random.default_rng(global_random_seed)
    is_predicted = rng.permutation(np.arange(100) < 12)
    order = _order_of_labels(is_predicted, "by_prediction", rng)
    assert sorted(order) == list(range(100))
    assert is_predicted[order[:n_labels]].sum() == min(n_labels // 2, 12)


def test_all_labels_leave_no_width(global_random_seed):
    plan = plan_labels(
        60, **OF, metrics=["recall"], n_labels=[5, 60], n_repeats=1, random_state=global_random_seed
    )
    assert (plan.width[..., 0] > 0.0).all()
    assert_allclose(plan.width[..., 1], 0.0)


def test_labels_of_all_predicted_positives_settle_the_precision(global_random_seed):
    plan = plan_labels(
        200,
        **OF,
        n_predicted_positive=10,
        metrics=["precision"],
        n_labels=[20],
        strategies=["by_prediction"],
        n_repeats=1,
        random_state=global_random_seed,
    )
    assert_allclose(plan.width, 0.0)


def test_a_plan_is_a_table(global_random_seed):
    plan = plan_labels(
        100, **OF, metrics=["recall"], n_labels=[20], n_repeats=1, random_state=global_random_seed
    )
    frame = plan.to_frame()
    assert frame["strategy"].tolist() == ["random", "by_prediction"]
    assert_allclose(frame["width"], plan.width.ravel())
    assert plan.to_dict()["n_labels"] == [20]
    assert "100 items, about 30 of them positive" in str(plan)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_items": 0}, "n_items must be at least 20"),
        ({"prevalence": 5.0}, r"prevalence must lie in \(0, 1\)"),
        ({"prevalence": 0.001}, "0.1 positives expected among 100 items"),
        ({"roc_auc": 0.3}, r"roc_auc must lie in \[0.5, 1\)"),
        ({"n_predicted_positive": 100}, "must be less than n_items=100"),
        ({"metrics": ["recal"]}, "Unknown metric 'recal'"),
        ({"metrics": []}, "metrics names none"),
        ({"strategies": ["best"]}, "strategies must be one of random, by_prediction; got 'best'"),
        ({"n_labels": [200]}, "n_labels must be at most n_items=100"),
    ],
)
def test_a_plan_that_cannot_be_says_why(changed, message):
    with pytest.raises(ValueError, match=message):
        plan_labels(**{"n_items": 100, **OF, **changed})
