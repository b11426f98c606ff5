"""What model selection may ask of a fitted score model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold

from sklearn_spe import SemisupervisedScoreMixture, label_log_likelihood
from sklearn_spe.datasets import make_scores


@pytest.fixture(scope="module")
def fitted():
    scores, labels = make_scores(600, random_state=0)
    y = np.where(np.arange(600) < 40, labels, -1)
    return SemisupervisedScoreMixture(n_draws=200, random_state=0).fit(scores, y), scores, labels


def test_it_is_minus_the_log_loss_of_the_labelled_items(fitted):
    mixture, scores, labels = fitted
    y = np.where(np.arange(600) % 3 == 0, labels, -1)
    known = y >= 0
    expected = -log_loss(y[known], mixture.predict_proba(scores[known])[:, 1])
    assert_allclose(label_log_likelihood(mixture, scores, y), expected, rtol=1e-9)


def test_weights_count_items(fitted):
    mixture, scores, labels = fitted
    weights = np.arange(600) % 4
    repeated = label_log_likelihood(mixture, np.repeat(scores, weights), np.repeat(labels, weights))
    weighted = label_log_likelihood(mixture, scores, labels, sample_weight=weights)
    assert_allclose(weighted, repeated, rtol=1e-12)


def test_without_labels_there_is_no_score(fitted):
    mixture, scores, _ = fitted
    assert np.isnan(label_log_likelihood(mixture, scores, np.full(600, -1)))


# The second prior contradicts the labels, which the verdict says.
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_grid_search_selects_by_it():
    scores, labels = make_scores(400, random_state=1)
    y = np.where(np.arange(400) < 200, labels, -1)
    search = GridSearchCV(
        SemisupervisedScoreMixture(n_draws=100, random_state=0),
        {"prevalence_prior": [(1.0, 1.0), (1.0, 5000.0)]},
        scoring=label_log_likelihood,
        cv=KFold(2, shuffle=True, random_state=0),
        error_score="raise",
    ).fit(scores, y)
    assert search.best_params_ == {"prevalence_prior": (1.0, 1.0)}
