"""What model selection may ask of a fitted score model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, fbeta_score, get_scorer, log_loss, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    PredefinedSplit,
    StratifiedKFold,
    cross_val_score,
)

from sklearn_spe import (
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
    label_log_likelihood,
    make_semisupervised_scorer,
)
from sklearn_spe.datasets import make_scores
from tests.quick import EXPERTS, QUIET, RANKS

pytestmark = QUIET


@pytest.fixture(scope="module")
def fitted(global_random_seed):
    scores, labels = make_scores(600, random_state=global_random_seed)
    y = np.where(np.arange(600) < 40, labels, -1)
    return (
        SemisupervisedScoreMixture(
            "norm", "norm", experts=EXPERTS, n_draws=200, random_state=global_random_seed
        ).fit(scores, y),
        scores,
        labels,
    )


def test_it_is_minus_the_log_loss_of_the_labeled_items(fitted):
    mixture, scores, labels = fitted
    y = np.where(np.arange(600) % 3 == 0, labels, -1)
    known = y >= 0
    expected = -log_loss(y[known], mixture.predict_proba(scores[known])[:, 1])
    assert_allclose(label_log_likelihood(mixture, scores, y), expected, rtol=1e-9)


# --- scorers of scikit-learn, of the labelled items -------------------------------------------

NAMES = ["accuracy", "f1", "roc_auc", "average_precision", "neg_brier_score", "neg_log_loss"]
ROWS = np.arange(600)


class AsClassifier(ClassifierMixin, BaseEstimator):
    """The probabilities of a mixture, as scikit-learn's scorers ask for them."""

    def __init__(self, mixture):
        self.mixture = mixture

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):
        return self.mixture.predict_proba(X)

    def predict(self, X):
        return self.mixture.predict(X)


@pytest.fixture(scope="module")
def models(fitted):
    """Return fitted estimators with the labels, and scikit-learn's view of each."""
    mixture, scores, labels = fitted
    classifier = LogisticRegression().fit(scores[:50, None], labels[:50])
    return [
        (mixture, AsClassifier(mixture).fit(None, None), scores, labels),
        (classifier, classifier, scores[:, None], labels),
    ]


@pytest.mark.parametrize("marker", [-1, np.nan, None], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_a_scorer_by_name_sees_the_labeled_rows_alone(models, name, marker):
    for estimator, view, X, labels in models:
        known = ROWS % 5 == 0
        y = np.where(known, labels, marker)
        expected = get_scorer(name)(view, X[known], labels[known])
        scorer = make_semisupervised_scorer(name)
        assert_allclose(scorer(estimator, X, y), expected, rtol=1e-12)
        weights = 1.0 + ROWS % 3
        expected = get_scorer(name)(view, X[known], labels[known], sample_weight=weights[known])
        assert_allclose(scorer(estimator, X, y, sample_weight=weights), expected, rtol=1e-12)


def test_a_scorer_of_a_function_is_that_of_scikit_learn(models):
    parameters = {"response_method": "predict_proba", "greater_is_better": False}
    for estimator, view, X, labels in models:
        known = ROWS % 5 == 0
        y = np.where(known, labels, -1)
        own = make_semisupervised_scorer(brier_score_loss, **parameters)
        expected = make_scorer(brier_score_loss, **parameters)(view, X[known], labels[known])
        assert_allclose(own(estimator, X, y), expected, rtol=1e-12)
        assert expected < 0.0
        own = make_semisupervised_scorer(fbeta_score, beta=2.0)
        expected = fbeta_score(labels[known], view.predict(X[known]), beta=2.0)
        assert_allclose(own(estimator, X, y), expected, rtol=1e-12)
        own = make_semisupervised_scorer(make_scorer(fbeta_score, beta=2.0))
        assert_allclose(own(estimator, X, y), expected, rtol=1e-12)


def test_a_scorer_without_labels_has_no_score(models):
    for estimator, _, X, _ in models:
        assert np.isnan(make_semisupervised_scorer("accuracy")(estimator, X, np.full(600, -1)))


def test_searches_take_scorers(global_random_seed):
    scores, labels = make_scores(200, random_state=global_random_seed)
    y = np.where(np.arange(200) < 80, labels, -1)
    cv = StratifiedKFold(2)
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", n_draws=50, experts=[RANKS], random_state=global_random_seed
    )
    classifier = SemisupervisedCalibratedClassifier(
        LogisticRegression(), mixture=mixture, cv=2, random_state=global_random_seed
    )
    for estimator, X, grid, scoring in (
        (mixture, scores, {"prevalence_prior": [(1.0, 1.0), (2.0, 2.0)]}, "roc_auc"),
        (classifier, scores[:, None], {"estimator__C": [0.1, 1.0]}, "neg_brier_score"),
    ):
        scorer = make_semisupervised_scorer(scoring)
        options = {"scoring": scorer, "cv": cv, "refit": False, "error_score": "raise"}
        search = GridSearchCV(estimator, grid, **options).fit(X, y)
        (name, values), *_ = grid.items()
        by_hand = [
            scorer(
                clone(estimator).set_params(**{name: values[-1]}).fit(X[train], y[train]),
                X[test],
                y[test],
            )
            for train, test in cv.split(X, y)
        ]
        assert search.cv_results_["mean_test_score"][-1] == pytest.approx(np.mean(by_hand))


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.MisfitWarning")
def test_families_are_chosen_by_folds_even_if_one_holds_no_positive(global_random_seed):
    # One positive among ten labels: two of three folds train on it, and one without.
    rng = np.random.default_rng(global_random_seed)
    scores, labels = make_scores(100, prevalence=0.1, random_state=global_random_seed)
    chosen = np.r_[
        rng.choice(np.flatnonzero(labels == 1), 1),
        rng.choice(np.flatnonzero(labels == 0), 9, False),
    ]
    y = np.full(100, -1)
    y[chosen] = labels[chosen]
    # A label of its own for every fold.
    folds = np.arange(100) % 3
    folds[chosen] = np.arange(10) % 3
    search = GridSearchCV(
        SemisupervisedScoreMixture(experts=None, n_draws=25, random_state=global_random_seed),
        {"negative": ["norm", "gumbel_r"], "positive": ["norm"]},
        scoring={"own": SemisupervisedScoreMixture.score, "labels": label_log_likelihood},
        refit="labels",
        cv=PredefinedSplit(folds),
        error_score="raise",
    ).fit(scores, y)
    for name in ("own", "labels"):
        by_fold = [search.cv_results_[f"split{k}_test_{name}"] for k in range(3)]
        assert np.isfinite(by_fold).all()
    assert search.best_score_ == pytest.approx(np.mean(by_fold, axis=0).max())


# --- classifiers, and markers of their own ----------------------------------------------------


def of_signs(marker, seed):
    rng = np.random.default_rng(seed)
    X, signs = rng.normal(size=(200, 2)), np.where(rng.random(200) < 0.4, 1, -1)
    X += 1.5 * (signs[:, None] == 1)
    y = np.where(np.arange(200) < 60, signs, 0).astype(object)
    y[y == 0] = marker
    classifier = LogisticRegression().fit(X[100:], signs[100:])
    mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=50, experts=None)
    calibrated = SemisupervisedCalibratedClassifier(
        FrozenEstimator(classifier), mixture=mixture, unlabeled_label=marker, random_state=seed
    )
    return calibrated.fit(X, y), X, y, signs


@pytest.mark.parametrize("marker", [0, 99])
def test_scorers_take_the_marker_of_the_estimator(marker, global_random_seed):
    fitted, X, y, signs = of_signs(marker, global_random_seed)
    expected = get_scorer("neg_brier_score")(fitted, X[:60], signs[:60])
    assert make_semisupervised_scorer("neg_brier_score")(fitted, X, y) == pytest.approx(expected)
    given = make_semisupervised_scorer("accuracy", unlabeled_label=marker)
    assert given(fitted, X, y) == fitted.score(X, y)


def test_the_likelihood_of_labels_is_that_of_scikit_learn_for_a_classifier(global_random_seed):
    fitted, X, y, signs = of_signs(0, global_random_seed)
    expected = -log_loss(signs[:60], fitted.predict_proba(X[:60]))
    assert label_log_likelihood(fitted, X, y) == pytest.approx(expected, rel=1e-9)
    weights = np.r_[np.full(60, 2.0), np.ones(140)]
    assert label_log_likelihood(fitted, X, y, weights) == pytest.approx(expected, rel=1e-9)
    assert np.isnan(label_log_likelihood(fitted, X[60:], y[60:]))
    assert make_semisupervised_scorer(label_log_likelihood) is label_log_likelihood


def test_to_scorers_of_scikit_learn_the_marker_is_a_class_that_is_never_predicted():
    X, labels = make_classification(200, class_sep=3.0, random_state=0)
    y = np.where(np.arange(200) < 30, labels, -1)
    classifier = SemisupervisedCalibratedClassifier(
        LogisticRegression(),
        mixture=SemisupervisedScoreMixture("norm", "norm", n_draws=50, experts=[RANKS]),
        cv=2,
        random_state=0,
    )
    theirs, ours, own = (
        cross_val_score(classifier, X, y, cv=StratifiedKFold(2), scoring=scoring)
        for scoring in ("accuracy", make_semisupervised_scorer("accuracy"), None)
    )
    assert theirs.mean() <= 0.16
    assert np.array_equal(ours, own)
    # Classes that lie six standard deviations apart.
    assert own.mean() > 0.8


def test_a_scorer_takes_no_more_parameters():
    with pytest.raises(TypeError, match="is already a scorer and takes no greater_is_better="):
        make_semisupervised_scorer("neg_brier_score", greater_is_better=False)
