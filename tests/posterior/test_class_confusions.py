"""Draws of the true class given the predicted one, where labels were chosen by class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe.posterior._class_confusions import PRIOR_LABELS, ConfusionPosterior

# Two classes: labeled items by true and predicted class.
LABELED = np.array([[40.0, 10.0], [6.0, 44.0]])
N_GRID = 100


@pytest.mark.parametrize("new", [(25.0, 45.0), (4e5, 6e5)], ids=["few", "many"])
def test_two_classes_have_the_moments_of_quadrature(new, global_random_seed):
    """Of the rates of both rows, and of the share of the second class."""
    new = np.array(new)
    recall_of_all = (np.trace(LABELED) + 0.5) / (LABELED.sum() + 1.0)
    prior = PRIOR_LABELS * np.array([1.0 - recall_of_all, recall_of_all])
    grid = (np.arange(N_GRID) + 0.5) / N_GRID
    # Of positive predictions among negatives, and among positives.
    false = stats.beta(LABELED[0, 1] + prior[0], LABELED[0, 0] + prior[1]).pdf(grid)[:, np.newaxis]
    true = stats.beta(LABELED[1, 1] + prior[1], LABELED[1, 0] + prior[0]).pdf(grid)
    f, r = grid[:, np.newaxis, np.newaxis], grid[:, np.newaxis]
    if new.sum() > 1e5:
        # As good as exact: the share of positive predictions determines that of the class.
        q = new[1] / new.sum()
        with np.errstate(divide="ignore"):
            share = (q - f) / (r - f)
        mass = (false * true)[..., np.newaxis] * ((share > 0.0) & (share < 1.0))
        mass = np.divide(mass, np.abs(r - f), out=np.zeros_like(mass), where=r != f)
    else:
        share = grid
        q = share * r + (1.0 - share) * f
        mass = (false * true)[..., np.newaxis] * q ** new[1] * (1.0 - q) ** new[0]
    mass = mass / mass.sum()

    drawn = ConfusionPosterior.drawn(LABELED, new, 2000, np.random.default_rng(global_random_seed))
    with np.errstate(divide="ignore", invalid="ignore"):
        of_each = share * (1.0 - r) / (1.0 - q), share * r / q
    for predicted, values in enumerate(of_each):
        values = np.where(mass > 0.0, values, 0.0)
        mean = (mass * values).sum()
        deviation = np.sqrt((mass * (values - mean) ** 2).sum())
        found = drawn.of_predicted[:, predicted, 1]
        # Neighboring draws of a chain are alike, and many new items are thinned to ten a label.
        assert abs(found.mean() - mean) < 0.3 * deviation
        assert_allclose(found.std(), deviation, rtol=0.3)
    assert_allclose(drawn.of_predicted.sum(axis=2), 1.0)
    assert_allclose(drawn.of_errors[:, 0], drawn.of_predicted[:, 0, 1])
    assert drawn.n_weighted_items == new.sum()


def test_labels_without_an_error_and_many_of_them_give_the_shares(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rows = np.array([[0.8, 0.1, 0.1], [0.1, 0.7, 0.2], [0.05, 0.15, 0.8]])
    shares = np.array([0.1, 0.3, 0.6])
    new = np.round(1e6 * shares @ rows)
    drawn = ConfusionPosterior.drawn(1e5 * rows, new, 400, rng)
    # Bayes' rule for exact rows and shares.
    joint = (shares[:, np.newaxis] * rows).T
    expected = joint / joint.sum(axis=1, keepdims=True)
    assert_allclose(drawn.of_predicted.mean(axis=0), expected, atol=0.02)
