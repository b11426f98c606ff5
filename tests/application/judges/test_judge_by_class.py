"""Labels of answers chosen by class: how such labels show."""

import numpy as np
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe.application.judges._judge_by_class import _p_value


def test_different_shares_have_the_p_value_of_scipy(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(50):
        counts = rng.integers(1, 40, (2, 2)).astype(float)
        assert_allclose(_p_value(counts), stats.chi2_contingency(counts).pvalue, rtol=1e-9)
    assert _p_value(np.array([[3.0, 0.0], [5.0, 0.0]])) == 1.0
