"""The confusion matrix of two classes at a threshold is that of the labels, where all are known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics

from sklearn_spe import PerformanceCurveEstimator
from tests.display.data import even_scores, quick_mixture
from tests.quick import QUIET

pytestmark = QUIET

N = 300
SCORES, LABELS = even_scores(N)
PARTLY = np.where(np.arange(N) < 50, LABELS, -1)


def fitted(seed, scores=SCORES, y=PARTLY, **parameters):
    return PerformanceCurveEstimator(
        quick_mixture(seed, n_draws=200), random_state=seed, **parameters
    ).fit(scores, y)


@pytest.mark.parametrize("normalize", [None, "true", "pred", "all"])
def test_with_all_labels_it_is_that_of_scikit_learn(normalize, global_random_seed):
    for scores, sign in ((SCORES, 1.0), (-SCORES, -1.0)):
        performance = fitted(
            global_random_seed, scores, LABELS, greater_is_positive=bool(sign > 0.0)
        )
        found = performance.confusion_matrix(threshold=sign, normalize=normalize)
        want = metrics.confusion_matrix(LABELS, SCORES >= 1.0, normalize=normalize)
        assert_allclose(found.value, want, atol=1e-9)
        assert_allclose(found.interval(), [want, want], atol=1e-9)


def test_its_margins_are_known_counts(global_random_seed):
    performance = fitted(global_random_seed)
    matrix = performance.confusion_matrix(threshold=1.0)
    draws = matrix.distribution.draws.reshape(-1, 2, 2)
    assert_allclose(draws.sum(axis=1)[:, 1], (SCORES >= 1.0).sum(), atol=1e-6)
    assert_allclose(draws.sum(axis=(1, 2)), N, atol=1e-6)
    for name, cell in (("true_positives", draws[:, 1, 1]), ("false_negatives", draws[:, 1, 0])):
        assert_allclose(cell, performance.estimate(name, threshold=1.0).draws, atol=1e-6)
