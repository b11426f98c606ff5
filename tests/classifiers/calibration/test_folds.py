"""A classifier that is fitted here: no model judges itself by what it was trained on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, StratifiedKFold

from sklearn_spe.classifiers._calibrated_scores import folds_of
from sklearn_spe.inputs._arrays import PartlyLabeled
from tests.quick import QUIET

pytestmark = QUIET


# --- the rows of folds ------------------------------------------------------------------------


def assert_same_folds(got, expected):
    assert len(got) == len(expected)
    for (train, scored), (train_too, scored_too) in zip(got, expected, strict=True):
        assert train.tolist() == list(train_too)
        assert scored.tolist() == list(scored_too)


def folds(codes, cv=None):
    classes = np.arange(codes.max() + 1)
    return folds_of(PartlyLabeled(np.zeros((len(codes), 1)), codes, classes, None), cv)


def rebuilt(splitter, codes):
    """Return the folds of labelled rows, each with all rows that are not labelled to score."""
    labeled, unlabeled = np.flatnonzero(codes >= 0), np.flatnonzero(codes < 0)
    return [
        (labeled[train], np.sort(np.r_[labeled[held_out], unlabeled]))
        for train, held_out in splitter.split(labeled, codes[labeled])
    ]


def test_folds_are_those_of_scikit_learn_among_labeled_rows(rows):
    assert_same_folds(folds(rows.partial, 3), rebuilt(StratifiedKFold(3), rows.partial))
    shuffled = KFold(4, shuffle=True, random_state=rows.seed)
    assert_same_folds(folds(rows.partial, shuffled), rebuilt(shuffled, rows.partial))


@pytest.mark.parametrize(("n_positive", "n_folds"), [(2, 2), (3, 3), (5, 5), (9, 5)])
def test_there_are_as_many_folds_as_labels_of_the_rarest_class_and_at_most_five(
    n_positive, n_folds
):
    codes = np.r_[np.ones(n_positive, int), np.zeros(12, int), np.full(6, -1)]
    assert_same_folds(folds(codes), rebuilt(StratifiedKFold(n_folds), codes))


def test_a_class_with_one_label_is_always_trained_on():
    codes = np.r_[0, 2, 0, 1, 1, -1, 0, 1, -1]
    found = folds(codes)
    assert len(found) == 3
    assert all(1 in train for train, _ in found)
    assert all(1 not in scored for _, scored in found)
    others = np.where(codes == 2, -1, codes)
    for (train, scored), (train_too, scored_too) in zip(
        found, rebuilt(StratifiedKFold(3), others), strict=True
    ):
        assert train.tolist() == sorted([1, *train_too])
        assert scored.tolist() == [row for row in scored_too if row != 1]


@pytest.mark.parametrize("cv", [None, 2, KFold(3)], ids=str)
def test_every_label_is_held_out_once_and_every_other_row_is_always_scored(cv, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes = np.r_[0, 0, 0, 1, 1, 2, 2, rng.integers(-1, 3, 40), -1]
    rng.shuffle(codes)
    found = folds(codes, cv)
    labeled = np.flatnonzero(codes >= 0)
    for train, scored in found:
        assert not set(train) & set(scored)
        assert set(train) | set(scored) == set(range(len(codes)))
        assert (codes[train] >= 0).all()
        assert (np.diff(train) > 0).all()
        assert (np.diff(scored) > 0).all()
    held_out = np.concatenate([scored[codes[scored] >= 0] for _, scored in found])
    assert np.sort(held_out).tolist() == labeled.tolist()


def test_an_iterable_of_folds_holds_rows_of_all(rows):
    halves = [(np.arange(0, 60), np.arange(60, 120)), (np.arange(20, 120), np.arange(0, 20))]
    expected = [
        ([r for r in train if rows.partial[r] >= 0], [r for r in held_out if rows.partial[r] >= 0])
        for train, held_out in halves
    ]
    expected = [(train, sorted([*held_out, *rows.unlabeled])) for train, held_out in expected]
    assert_same_folds(folds(rows.partial, halves), expected)
    assert_same_folds(folds(rows.partial, iter(halves)), expected)


def test_a_fold_without_a_class_to_train_on_is_an_error(rows):
    positives = np.flatnonzero(rows.partial == 1)
    folds = [(np.setdiff1d(rows.labeled, positives), positives)] * 2
    three = np.where(np.arange(40) < 20, 2, rows.partial[:40])
    with pytest.raises(ValueError, match=r"A fold has no label of the classes \[1\] to train on"):
        rows.calibrated(LogisticRegression(), cv=folds).fit(rows.X, np.r_[three, rows.partial[40:]])


# --- what the models see ----------------------------------------------------------------------


class Recorder(LogisticRegression):
    """A classifier that remembers which items it was trained on, and which it was asked for."""

    def fit(self, X, y):
        self.trained_on_, self.asked_for_ = set(X[:, 0]), set()
        return super().fit(X, y)

    def decision_function(self, X):
        self.asked_for_ |= set(X[:, 0])
        return super().decision_function(X)

    def predict_proba(self, X):
        self.asked_for_ |= set(X[:, 0])
        return super().predict_proba(X)


@pytest.mark.parametrize(
    ("n_classes", "cv"),
    [(2, None), (2, KFold(3, shuffle=True, random_state=0)), (3, 2)],
    ids=str,
)
def test_no_model_scores_what_it_was_trained_on(rows, cv, n_classes):
    X, codes = {2: (rows.X, rows.partial), 3: (rows.X3, rows.partial3)}[n_classes]
    # The first feature tells the items apart.
    X = np.column_stack([np.arange(120.0) / 1000.0, X])
    fitted = rows.calibrated(Recorder(), cv=cv).fit(X, codes)
    labeled, unlabeled = set(X[codes >= 0, 0]), set(X[codes < 0, 0])
    held_out = []
    for pair in fitted.calibrated_classifiers_:
        trained_on, asked_for = pair.estimator.trained_on_, pair.estimator.asked_for_
        assert trained_on < labeled
        assert asked_for == (labeled - trained_on) | unlabeled
        held_out += labeled - trained_on
    assert sorted(held_out) == sorted(labeled)


@pytest.mark.parametrize("kind", ["fast", "experts"])
def test_a_fit_is_that_of_its_folds_one_by_one(rows, kind):
    mixture = getattr(rows, kind)
    fitted = rows.calibrated(LogisticRegression(), mixture, cv=2).fit(rows.X, rows.partial)
    predictions = []
    for (train, scored), pair in zip(
        rebuilt(StratifiedKFold(2), rows.partial), fitted.calibrated_classifiers_, strict=True
    ):
        classifier = LogisticRegression().fit(rows.X[train], rows.labels[train])
        assert np.array_equal(pair.estimator.coef_, classifier.coef_)
        alone = clone(mixture).set_params(score_kind="log_odds")
        alone.fit(classifier.decision_function(rows.X[scored]), rows.partial[scored])
        predictions.append(alone.predict_proba(classifier.decision_function(rows.X)))
        sample = pair.mixtures[0].posterior_.sample
        assert sample.unlabeled.sum() == len(rows.unlabeled)
        assert sample.n_labeled == len(rows.labeled) - len(train)
    assert_allclose(fitted.predict_proba(rows.X), np.mean(predictions, axis=0), rtol=1e-6)


def test_intervals_of_folds_are_averaged_and_curves_are_those_of_any_of_them(rows):
    fitted = rows.calibrated(LogisticRegression(), rows.experts, cv=2).fit(rows.X, rows.partial)
    ends, areas, curves = [], [], []
    for pair in fitted.calibrated_classifiers_:
        posterior = pair.mixtures[0].posterior_
        scores = pair.estimator.decision_function(rows.X)
        own = [posterior.positive_probability(scores, block) for block in posterior.blocks()]
        ends.append(np.quantile(np.concatenate(own), [0.1, 0.9], axis=0, method="hazen"))
        areas.append(pair.performance(1).estimate("roc_auc").draws)
        curves.append(pair.performance(1).curve("roc").draws)
    # Each fold has as many draws, all of one weight.
    lower, upper = fitted.predict_proba_interval(rows.X, 0.8)
    # Between sixteen points a cell they are interpolated.
    assert_allclose([lower[:, 1], upper[:, 1]], np.mean(ends, axis=0), atol=5e-3)
    expected = np.quantile(np.concatenate(areas), [0.05, 0.5, 0.95], method="hazen")
    estimate = fitted.estimate("roc_auc")
    assert_allclose([*estimate.interval(0.9), estimate.value], expected[[0, 2, 1]], rtol=1e-9)
    assert_allclose(
        fitted.curve("roc").value,
        np.quantile(np.concatenate(curves), 0.5, axis=0, method="hazen"),
        rtol=1e-9,
    )


def test_masks_are_rows_too(rows):
    first = np.arange(120) < 60
    numbers = [(np.flatnonzero(first), np.flatnonzero(~first))]
    assert_same_folds(folds(rows.partial, [(first, ~first)]), folds(rows.partial, numbers))


@pytest.mark.parametrize(
    ("cv", "error", "message"),
    [
        ([], ValueError, "has no fold"),
        ("prefit", TypeError, "in FrozenEstimator"),
        (KFold, TypeError, "must be an int, a splitter"),
        ([(range(40), range(5))], ValueError, "both to train on and to evaluate"),
        ([(range(40, 120), range(40))], ValueError, "has no label of the classes"),
        (PredefinedSplit(np.arange(120) % 2), ValueError, "a splitter gets the 40 labeled rows"),
    ],
    ids=str,
)
def test_folds_that_make_no_sense_are_named(rows, cv, error, message):
    with pytest.raises(error, match=message):
        folds(rows.partial, cv)


def test_groups_are_routed_to_the_splitter(rows):
    groups = np.arange(120) % 4
    with config_context(enable_metadata_routing=True):
        fitted = rows.calibrated(LogisticRegression(), cv=GroupKFold(2))
        fitted.fit(rows.X, rows.partial, groups=groups)
    expected = GroupKFold(2).split(rows.labeled, rows.partial[rows.labeled], groups[rows.labeled])
    for pair, (train, _) in zip(fitted.calibrated_classifiers_, expected, strict=True):
        known = rows.labeled[train]
        classifier = LogisticRegression().fit(rows.X[known], rows.labels[known])
        assert np.array_equal(pair.estimator.coef_, classifier.coef_)


def test_a_class_without_any_label_is_named_as_that(rows):
    with pytest.raises(ValueError, match=r"No item of the classes \[2\] is labeled"):
        rows.calibrated(LogisticRegression(), classes=[0, 1, 2]).fit(rows.X, rows.partial)


# --- rows that belong together ----------------------------------------------------------------


def grouped(codes, groups):
    return PartlyLabeled(
        np.zeros((len(codes), 1)), codes, np.arange(codes.max() + 1), None, groups=groups
    )


@pytest.mark.parametrize("cv", [None, 3, GroupKFold(3)], ids=str)
def test_no_group_is_both_trained_on_and_scored(cv, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    groups = rng.permutation(np.arange(120) // 8)
    # Every class is labelled in ten groups or more, five groups have no label at all.
    codes = np.where(groups < 10, rng.integers(0, 2, 120), -1)
    first = [np.flatnonzero(groups == g)[:3] for g in range(10)]
    for rows in first:
        codes[rows] = [0, 1, -1]
    found = folds_of(grouped(codes, groups), cv)
    assert len(found) == (5 if cv is None else 3)
    held_out = []
    for train, scored in found:
        assert not set(groups[train]) & set(groups[scored])
        # All that is not trained on, or together with what is, has a score.
        assert set(scored) == set(np.flatnonzero(~np.isin(groups, groups[train])))
        held_out += [row for row in scored if codes[row] >= 0]
    assert sorted(held_out) == np.flatnonzero(codes >= 0).tolist()


def test_a_group_that_alone_has_a_class_is_always_trained_on():
    groups = np.r_[0, 0, 0, 1, 1, 2, 2, 3, 3, 0]
    codes = np.r_[2, 2, 0, 0, 1, 0, 1, 0, 1, -1]
    found = folds_of(grouped(codes, groups))
    assert len(found) == 3
    for train, scored in found:
        assert {0, 1, 2} <= set(train)
        assert not {0, 1, 2, 9} & set(scored)


def test_what_groups_do_not_allow_is_named(rows):
    halves = [(np.arange(0, 20), np.arange(20, 40))]
    apart = rows.calibrated(LogisticRegression(), cv=halves)
    with pytest.raises(ValueError, match="rows of one group both to train on and to evaluate"):
        apart.fit(rows.X, rows.partial, groups=np.arange(120) % 12)
    apart.fit(rows.X, rows.partial, groups=np.arange(120) // 10)
    with pytest.raises(ValueError, match="leaves no row to score outside its training set"):
        rows.calibrated(LogisticRegression(), cv=[(np.arange(40), [])]).fit(
            rows.X, rows.partial, groups=np.arange(120) % 12
        )
    one = rows.calibrated(LogisticRegression())
    with pytest.raises(ValueError, match="Every class has labels in a single group, so none"):
        one.fit(rows.X, rows.partial, groups=np.zeros(120))
    with pytest.raises(ValueError, match="groups has 120 missing values"):
        one.fit(rows.X, rows.partial, groups=np.full(120, np.nan))
    few = rows.calibrated(LogisticRegression(), cv=5)
    with pytest.raises(ValueError, match="cv=5 folds need as many labeled groups of each class"):
        few.fit(rows.X, rows.partial, groups=np.arange(120) % 3)


def test_no_model_scores_groups_that_it_was_trained_on(rows):
    X, groups = np.column_stack([np.arange(120.0) / 1000.0, rows.X]), np.arange(120) // 5
    fitted = rows.calibrated(Recorder()).fit(X, rows.partial, groups=groups)
    for pair in fitted.calibrated_classifiers_:
        trained, asked = (
            {groups[round(1000.0 * x)] for x in part}
            for part in (pair.estimator.trained_on_, pair.estimator.asked_for_)
        )
        assert not trained & asked
        assert trained | asked == set(groups)
