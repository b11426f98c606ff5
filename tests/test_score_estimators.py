"""What estimators of scores promise, in place of the checks that scikit-learn has for features."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from tests.estimators.score_mixture.data import Problem
from tests.quick import QUIET

pytestmark = QUIET

# Estimators are made when tests are collected, before there is a seed: theirs is one for all.
# Some experts where larger scores mean positive, others where smaller ones do, and none.
KINDS = {
    "experts-rising": (["score_log_odds", "sharp_mixture"], True),
    "experts-falling": (["rank_binormal", "score_log_odds"], False),
    "bare-rising": (None, True),
}
MIXTURES = {
    name: SemisupervisedScoreMixture(
        "norm", "norm", n_draws=50, experts=experts, greater_is_positive=increasing, random_state=0
    )
    for name, (experts, increasing) in KINDS.items()
}
ESTIMATORS = {
    f"{type(estimator).__name__}-{name}": estimator
    for name, mixture in MIXTURES.items()
    for estimator in (mixture, PerformanceCurveEstimator(mixture, n_points=20, random_state=0))
    # The performance adds the same to what any mixture says.
    if name == "experts-falling" or estimator is mixture
}
EVERY_ESTIMATOR = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
EVERY_MIXTURE = pytest.mark.parametrize("mixture", MIXTURES.values(), ids=MIXTURES)


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return Problem.of(global_random_seed, 60, 25)


def scores_of(problem, estimator):
    """Return the scores that an estimator is fitted to: their sign is that of its parameter."""
    mixture = getattr(estimator, "mixture", estimator)
    return problem.scores if mixture.greater_is_positive else -problem.scores


def new_fit(problem, estimator):
    return clone(estimator).fit(scores_of(problem, estimator), problem.partial)


@pytest.fixture(scope="module", params=ESTIMATORS.values(), ids=ESTIMATORS)
def fitted(problem, request):
    return new_fit(problem, request.param)


@pytest.fixture(scope="module", params=MIXTURES.values(), ids=MIXTURES)
def fitted_mixture(problem, request):
    return new_fit(problem, request.param)


GRID = np.linspace(-4.0, 6.0, 60)


def answer(estimator):
    """Return the numbers of a fitted estimator that everything else follows from."""
    posterior = estimator.posterior_
    by_draw = [posterior.positive_probability(GRID, block) for block in posterior.blocks()]
    prevalence = posterior.prevalence().draws
    return np.column_stack([posterior.weights, prevalence, np.concatenate(by_draw)])


@EVERY_ESTIMATOR
def test_tags_say_that_x_is_one_column_of_scores_and_y_may_be_missing(estimator):
    tags = get_tags(estimator)
    assert tags.input_tags.one_d_array
    assert not tags.input_tags.two_d_array
    assert not tags.target_tags.required


# --- what X and y may be ----------------------------------------------------------------------


def test_one_column_in_any_container_gives_the_same_bits(problem, fitted):
    scores = scores_of(problem, fitted)
    expected = answer(fitted)
    for X, y in (
        (scores.reshape(-1, 1), np.where(problem.partial < 0, np.nan, problem.partial)),
        (scores.tolist(), np.where(problem.partial < 0, None, problem.partial).reshape(-1, 1)),
        (np.asfortranarray(scores[::-1])[::-1], problem.partial.tolist()),
    ):
        assert np.array_equal(answer(clone(fitted).fit(X, y)), expected)


def test_pandas_gives_the_same_bits(problem, fitted):
    pd = pytest.importorskip("pandas")
    scores = scores_of(problem, fitted)
    expected = answer(fitted)
    y = pd.Series(problem.partial, dtype="Int64").mask(problem.partial < 0)
    X = pd.DataFrame({"score": scores})
    assert np.array_equal(answer(clone(fitted).fit(X, y)), expected)


def test_polars_gives_the_same_bits(problem, fitted):
    pl = pytest.importorskip("polars")
    scores = scores_of(problem, fitted)
    expected = answer(fitted)
    y = pl.Series([None if label < 0 else int(label) for label in problem.partial])
    assert np.array_equal(answer(clone(fitted).fit(pl.Series(scores), y)), expected)


@EVERY_ESTIMATOR
def test_read_only_data_are_enough_and_are_not_changed(problem, estimator):
    data = [scores_of(problem, estimator).copy(), problem.partial.copy(), np.ones(60)]
    for array in data:
        array.flags.writeable = False
    clone(estimator).fit(*data)
    assert np.array_equal(data[0], scores_of(problem, estimator))
    assert np.array_equal(data[1], problem.partial)


def test_features_are_not_taken_for_scores(problem, fitted):
    if isinstance(fitted, PerformanceCurveEstimator):
        pytest.skip("Columns are systems there.")
    scores = scores_of(problem, fitted)
    with pytest.raises(ValueError, match=r"one score for each item.*got shape \(60, 3\)"):
        clone(fitted).fit(np.column_stack([scores, scores, scores]), problem.partial)
    with pytest.raises(ValueError, match="two columns without names"):
        clone(fitted).fit(np.column_stack([scores, scores]), problem.partial)
    # One column of probabilities and two of them say the same: neither is a count of features.
    assert not hasattr(fitted, "n_features_in_")


@EVERY_ESTIMATOR
def test_the_first_thing_wrong_is_the_labels(estimator):
    # They are read before any helper of scikit-learn could take -1 for a class.
    with pytest.raises(ValueError, match="is -1 a class"):
        clone(estimator).fit(np.full(4, np.nan), [1, -1, 1, -1])


# --- the order of rows ------------------------------------------------------------------------


def test_the_order_of_rows_does_not_matter(problem, fitted, global_random_seed):
    order = np.random.default_rng(global_random_seed).permutation(60)
    shuffled = clone(fitted).fit(scores_of(problem, fitted)[order], problem.partial[order])
    assert np.array_equal(answer(shuffled), answer(fitted))


def test_a_row_has_its_answer_whatever_stands_beside_it(
    problem, fitted_mixture, global_random_seed
):
    fitted, scores = fitted_mixture, scores_of(problem, fitted_mixture)
    order = np.random.default_rng(global_random_seed).permutation(60)
    for method in (fitted.predict_proba, fitted.score_samples, fitted.predict):
        together = method(scores)
        assert_allclose(method(scores[order]), together[order], rtol=1e-12)
        alone = np.concatenate([method(scores[[i]]) for i in range(10)])
        assert_allclose(alone, together[:10], rtol=1e-12)


def test_the_sign_of_the_scores_is_a_convention(problem, fitted_mixture, global_random_seed):
    flipped = clone(fitted_mixture).set_params(
        greater_is_positive=not fitted_mixture.greater_is_positive
    )
    one, other = fitted_mixture, new_fit(problem, flipped)
    assert np.array_equal(answer(one), answer(other))
    mine, others = scores_of(problem, fitted_mixture), scores_of(problem, flipped)
    assert np.array_equal(one.predict_proba(mine), other.predict_proba(others))
    assert np.array_equal(one.score_samples(mine), other.score_samples(others))
    assert one.score(mine, problem.partial) == other.score(others, problem.partial)
    drawn, labels = one.sample(20, random_state=global_random_seed)
    drawn_too, labels_too = other.sample(20, random_state=global_random_seed)
    assert np.array_equal(drawn, -drawn_too)
    assert np.array_equal(labels, labels_too)


# --- fit and parameters -----------------------------------------------------------------------


@EVERY_ESTIMATOR
def test_fit_returns_itself_and_changes_no_parameter(problem, estimator):
    fitted = clone(estimator)
    before = repr(fitted.get_params())
    assert fitted.fit(scores_of(problem, estimator), problem.partial) is fitted
    assert repr(fitted.get_params()) == before


def test_fit_sets_only_attributes_that_end_in_an_underscore(fitted):
    names = set(vars(fitted)) - set(fitted.get_params(deep=False))
    assert {n for n in names if not n.endswith("_") and not n.startswith("_")} == set()
    assert names


def test_a_second_fit_forgets_the_first(problem, fitted):
    once = fitted
    scores = scores_of(problem, fitted)
    twice = (
        clone(fitted)
        .fit(5.0 * scores[:30] + 100.0, problem.labels[:30])
        .fit(scores, problem.partial)
    )
    assert np.array_equal(answer(once), answer(twice))
    assert set(vars(once)) == set(vars(twice))


@EVERY_ESTIMATOR
def test_a_fit_that_fails_leaves_what_was_fitted(problem, estimator):
    fitted = new_fit(problem, estimator)
    before, names = answer(fitted), set(vars(fitted))
    with pytest.raises(ValueError, match="finite"):
        fitted.fit(np.full(60, np.nan), problem.partial)
    with pytest.raises(ValueError, match="same length"):
        fitted.fit(scores_of(problem, estimator), problem.partial[:30])
    assert np.array_equal(answer(fitted), before)
    assert set(vars(fitted)) == names


def test_a_clone_is_not_fitted_and_gives_the_same_bits(problem, fitted):
    fresh = clone(fitted)
    assert repr(fresh.get_params()) == repr(fitted.get_params())
    with pytest.raises(NotFittedError):
        check_is_fitted(fresh)
    assert np.array_equal(answer(new_fit(problem, fresh)), answer(fitted))


@EVERY_ESTIMATOR
def test_every_parameter_is_one_of_the_constructor_and_can_be_set(estimator):
    given = estimator.get_params(deep=False)
    again = type(estimator)(**given)
    assert all(again.get_params(deep=False)[name] is value for name, value in given.items())
    marks = {name: object() for name in given}
    marked = type(estimator)().set_params(**marks)
    # Nothing is checked, copied or changed before fit.
    assert all(getattr(marked, name) is mark for name, mark in marks.items())
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        clone(estimator).set_params(nonsense=1)


def test_a_pickle_gives_the_same_bits(problem, fitted):
    again = pickle.loads(pickle.dumps(fitted))
    assert type(again) is type(fitted)
    assert np.array_equal(answer(again), answer(fitted))
    assert again.verdict_ == fitted.verdict_
    # An estimator that is not fitted can be sent to a worker too.
    fresh = pickle.loads(pickle.dumps(clone(fitted)))
    assert np.array_equal(answer(new_fit(problem, fresh)), answer(fitted))


def test_a_pickle_holds_nothing_that_was_computed_to_answer(problem, fitted):
    fresh = new_fit(problem, fitted)
    size = len(pickle.dumps(fresh))
    first = answer(fresh)
    if isinstance(fresh, PerformanceCurveEstimator):
        # These keep draws of labels with the posterior.
        fresh.estimate("average_precision")
        fresh.curve("precision_recall")
        fresh.threshold_for(precision=0.1, confidence_level=0.5)
    assert len(pickle.dumps(fresh)) == size
    assert np.array_equal(answer(pickle.loads(pickle.dumps(fresh))), first)


@EVERY_ESTIMATOR
def test_an_estimator_is_fitted_after_fit_and_not_before(problem, estimator):
    fresh = clone(estimator)
    with pytest.raises(NotFittedError):
        check_is_fitted(fresh)
    check_is_fitted(fresh.fit(scores_of(problem, estimator), problem.partial))


@EVERY_MIXTURE
@pytest.mark.parametrize("method", ["predict", "predict_proba", "score_samples", "score"])
def test_a_mixture_that_is_not_fitted_says_so(mixture, method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(clone(mixture), method)(GRID)


@pytest.mark.parametrize("method", ["goal_probability", "threshold_for", "calibration_curve"])
def test_a_performance_that_is_not_fitted_says_so(method):
    goal = {} if method == "calibration_curve" else {"precision": 0.5}
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(PerformanceCurveEstimator(), method)(**goal)


# --- how it shows itself ----------------------------------------------------------------------


@EVERY_ESTIMATOR
def test_the_representation_names_the_class_and_what_was_changed(estimator):
    assert repr(estimator).startswith(type(estimator).__name__ + "(")
    assert "random_state=0" in repr(estimator)


def test_the_fitted_estimator_can_be_shown_as_html(fitted):
    assert type(fitted).__name__ in fitted._repr_html_()
