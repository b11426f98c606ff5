"""Kappa with linear weights is that of scikit-learn, with its standard error."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from sklearn_spe.means._confusion import weighted_kappa

N_DRAWS = 1000


def test_weighted_kappa_of_two_verdicts_is_kappa(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = (rng.random(4000) < 0.6).astype(float)
    ratings = np.where(rng.random(4000) < 0.2, 1.0 - labels, labels)
    draws = weighted_kappa(labels, ratings, np.arange(4000), N_DRAWS, rng)
    # The standard error of kappa is below 0.02.
    assert draws.mean() == pytest.approx(cohen_kappa_score(labels, ratings), abs=0.01)
    assert 0.005 < draws.std() < 0.02
    graded = rng.integers(0, 3, 4000) / 2.0
    other = np.where(rng.random(4000) < 0.3, rng.integers(0, 3, 4000) / 2.0, graded)
    draws = weighted_kappa(graded, other, np.arange(4000), N_DRAWS, rng)
    expected = cohen_kappa_score(
        (2 * graded).astype(int), (2 * other).astype(int), weights="linear"
    )
    assert draws.mean() == pytest.approx(expected, abs=0.01)
    # By chance alone nothing can differ.
    assert np.isnan(weighted_kappa(np.ones(6), np.ones(6), np.arange(6), N_DRAWS, rng)).all()
