"""Gradients of expectations, by one item at a time."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.metrics import FBeta
from sklearn_spe.metrics._expectation import LabelDistribution
from sklearn_spe.metrics._ranking import AveragePrecision
from tests.metrics.distributions import (
    METRICS_WITH_EXPECTATION,
    above_of,
    labelings,
    make_distribution,
    values_of,
)

METRICS_HERE = [*METRICS_WITH_EXPECTATION, FBeta(2.0), FBeta(0.0)]
EVERY = pytest.mark.parametrize("metric", METRICS_HERE, ids=lambda metric: metric.name)


def known_as(distribution, cell, label):
    """Return the law once one unlabelled item of a cell turns out to have a label."""
    one = np.eye(distribution.n_cells)[cell]
    known = (distribution.positive + label * one, distribution.negative + (1 - label) * one)
    return LabelDistribution(
        distribution.unlabeled - one, distribution.probability, *known, distribution.single
    )


@EVERY
def test_gradient_is_the_derivative_by_one_item(metric, global_random_seed):
    for n_cells, single, n_positive in (
        (5, True, None),
        (5, False, None),
        (20, False, None),
        (5, True, 4.0),
        (5, False, 4.0),
    ):
        distribution = make_distribution(global_random_seed, n_cells, single=single)
        assert_derivative_by_one_item(metric, distribution, n_positive)


def assert_derivative_by_one_item(metric, distribution, n_positive):
    above = above_of(metric, distribution)
    gradient = metric.gradient(distribution, above, n_positive=n_positive)
    given = None if n_positive is None else np.array([n_positive])
    assert gradient.shape == (1, distribution.n_cells)
    step = 1e-5
    for cell in range(distribution.n_cells):
        if distribution.unlabeled[cell] == 0.0:
            assert gradient[0, cell] == 0.0
            continue
        # The two expectations are linear in the probability of one item.
        ends = [
            metric.expected_ratio(known_as(distribution, cell, label), above, given)
            for label in (0, 1)
        ]
        p = distribution.probability[0, cell] + step * np.array([-1.0, 1.0])
        a, t = (
            (1.0 - p) * getattr(ends[0], part) + p * getattr(ends[1], part)
            for part in ("numerator", "denominator")
        )
        # The square of the step, and rounding over it.
        value = a / t ** ends[0].power
        assert_allclose(gradient[0, cell], np.diff(value)[0] / (2.0 * step), atol=1e-9)


@EVERY
def test_gradients_of_the_items_of_a_cell_add_up(metric, global_random_seed):
    distribution = make_distribution(global_random_seed)
    above, step = above_of(metric, distribution), 1e-5
    gradient = metric.gradient(distribution, above)[0]
    for cell, change in enumerate(step * np.eye(distribution.n_cells)):
        ends = [
            metric.expected_ratio(
                LabelDistribution(
                    distribution.unlabeled,
                    distribution.probability + c,
                    distribution.positive,
                    distribution.negative,
                ),
                above,
                None,
            ).plain[0]
            for c in (-change, change)
        ]
        expected = (ends[1] - ends[0]) / (2.0 * step)
        assert_allclose(distribution.unlabeled[cell] * gradient[cell], expected, atol=1e-9)


@pytest.mark.parametrize("n_cells", [5, 20])
def test_a_label_changes_average_precision_by_twice_the_variance_times_the_gradient(
    global_random_seed, n_cells
):
    distribution = make_distribution(global_random_seed, n_cells, n_known=2)
    before = AveragePrecision().expectation(distribution, n_positive=5.0)[0]
    gradient = AveragePrecision().gradient(distribution, n_positive=5.0)[0]
    for cell in np.flatnonzero(distribution.unlabeled):
        p = distribution.probability[0, cell]
        change = 0.0
        for label, chance_of_label in ((0, 1.0 - p), (1, p)):
            positives, chance = labelings(known_as(distribution, cell, label))
            area = positives.sum(axis=1) * values_of(AveragePrecision(), distribution, positives)
            after = np.sum(chance * np.where(np.isnan(area), 0.0, area)) / 5.0
            change += chance_of_label * abs(after - before)
        assert_allclose(2.0 * p * (1.0 - p) * abs(gradient[cell]), change, atol=1e-12)
