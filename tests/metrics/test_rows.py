"""Metrics of rows weigh each by its value, as scikit-learn does by its weight."""

import numpy as np
import pytest
from sklearn.metrics import precision_score, recall_score

from sklearn_spe.metrics._rows import ValueWeightedPrecision, ValueWeightedRecall

METRICS = ((ValueWeightedRecall(), recall_score), (ValueWeightedPrecision(), precision_score))


@pytest.mark.parametrize(("metric", "oracle"), METRICS)
def test_values_are_weights(metric, oracle, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels, above = np.r_[1, rng.integers(0, 2, 30)], np.r_[1, rng.integers(0, 2, 30)] == 1
    values = metric.read({"value": rng.exponential(size=31).tolist()})
    expected = oracle(labels, above, sample_weight=values)
    assert metric.value(labels, above, values) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (None, "must hold the column 'value' .* got none"),
        ({}, "got none"),
        ({"price": [1.0]}, "got 'price'"),
        ({"value": [1.0], "price": [1.0]}, "got 'value', 'price'"),
        ({"value": [1.0, -2.0]}, "holds -2 in row 1"),
        ({"value": [np.inf, 1.0]}, "holds inf in row 0"),
    ],
)
def test_other_columns_and_amounts_are_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        ValueWeightedRecall().read(columns)
