"""What every estimator promises: scikit-learn's checks, and our own for estimators of scores."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.validation import check_is_fitted

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.SamplingWarning")

SCORES, LABELS = make_scores(120, random_state=0)
PARTIAL = np.where(np.arange(120) < 30, LABELS, -1)
MIXTURES = {
    name: SemisupervisedScoreMixture("norm", "norm", n_draws=50, experts=experts, random_state=0)
    for name, experts in (("experts", "auto"), ("bare", None))
}
ESTIMATORS = {
    f"{type(estimator).__name__}-{name}": estimator
    for name, mixture in MIXTURES.items()
    for estimator in (mixture, PerformanceCurveEstimator(mixture, n_points=20, random_state=0))
}
EVERY_ESTIMATOR = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)

# Checks of scikit-learn that an estimator is known to fail, and why.
EXPECTED_FAILED_CHECKS: dict[type, dict[str, str]] = {}
with warnings.catch_warnings():
    # It has few checks for one column of scores, and warns that it leaves out the others.
    warnings.simplefilter("ignore", SkipTestWarning)
    CHECKS = [
        pytest.param(*pair, id=f"{name}-{pair[1].func.__name__}")
        for name, estimator in ESTIMATORS.items()
        for pair in estimator_checks_generator(
            estimator,
            expected_failed_checks=EXPECTED_FAILED_CHECKS.get(type(estimator)),
            mark="xfail",
        )
    ]


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_conventions_of_scikit_learn_hold(estimator, check):
    check(estimator)


def answer(estimator):
    """Return the numbers of a fitted estimator that everything else follows from."""
    posterior = estimator.posterior_
    by_draw = [posterior.positive_probability(SCORES, block) for block in posterior.blocks()]
    prevalence = posterior.prevalence().draws
    return np.column_stack([posterior.weights, prevalence, np.concatenate(by_draw)])


@EVERY_ESTIMATOR
def test_tags_say_that_x_is_one_column_of_scores_and_y_may_be_missing(estimator):
    tags = get_tags(estimator)
    assert tags.input_tags.one_d_array
    assert not tags.input_tags.two_d_array
    assert not tags.target_tags.required


@EVERY_ESTIMATOR
def test_one_column_in_any_container_gives_the_same_bits(estimator):
    expected = answer(clone(estimator).fit(SCORES, PARTIAL))
    for X, y in (
        (SCORES.reshape(-1, 1), PARTIAL),
        (SCORES.tolist(), PARTIAL.tolist()),
        (SCORES, PARTIAL.reshape(-1, 1)),
        (SCORES, np.where(PARTIAL < 0, np.nan, PARTIAL)),
        (SCORES, np.where(PARTIAL < 0, None, PARTIAL)),
        (np.asfortranarray(SCORES[::-1])[::-1], PARTIAL.astype(np.int8)),
    ):
        assert np.array_equal(answer(clone(estimator).fit(X, y)), expected)


@EVERY_ESTIMATOR
def test_pandas_gives_the_same_bits(estimator):
    pd = pytest.importorskip("pandas")
    expected = answer(clone(estimator).fit(SCORES, PARTIAL))
    y = pd.Series(PARTIAL, dtype="Int64").mask(PARTIAL < 0)
    for X in (pd.Series(SCORES), pd.DataFrame({"score": SCORES})):
        assert np.array_equal(answer(clone(estimator).fit(X, y)), expected)


@EVERY_ESTIMATOR
def test_polars_gives_the_same_bits(estimator):
    pl = pytest.importorskip("polars")
    expected = answer(clone(estimator).fit(SCORES, PARTIAL))
    y = pl.Series([None if label < 0 else int(label) for label in PARTIAL])
    for X in (pl.Series(SCORES), pl.DataFrame({"score": SCORES})):
        assert np.array_equal(answer(clone(estimator).fit(X, y)), expected)


@EVERY_ESTIMATOR
def test_read_only_data_are_enough_and_are_not_changed(estimator):
    data = [SCORES.copy(), PARTIAL.copy(), np.ones(120)]
    for array in data:
        array.flags.writeable = False
    clone(estimator).fit(*data)
    assert np.array_equal(data[0], SCORES)
    assert np.array_equal(data[1], PARTIAL)


@EVERY_ESTIMATOR
def test_fit_returns_itself_and_changes_no_parameter(estimator):
    fitted = clone(estimator)
    before = repr(fitted.get_params())
    assert fitted.fit(SCORES, PARTIAL) is fitted
    assert repr(fitted.get_params()) == before


@EVERY_ESTIMATOR
def test_fit_sets_only_attributes_that_end_in_an_underscore(estimator):
    fitted = clone(estimator).fit(SCORES, PARTIAL)
    names = set(vars(fitted)) - set(fitted.get_params(deep=False))
    assert {n for n in names if not n.endswith("_") and not n.startswith("_")} == set()
    assert names


@EVERY_ESTIMATOR
def test_a_second_fit_forgets_the_first(estimator):
    once = clone(estimator).fit(SCORES, PARTIAL)
    twice = clone(estimator).fit(5.0 * SCORES[:60] + 100.0, LABELS[:60]).fit(SCORES, PARTIAL)
    assert np.array_equal(answer(once), answer(twice))
    assert set(vars(once)) == set(vars(twice))


@EVERY_ESTIMATOR
def test_the_first_thing_wrong_is_the_labels(estimator):
    # They are read before any helper of scikit-learn could take -1 for a class.
    with pytest.raises(ValueError, match="is -1 a class"):
        clone(estimator).fit(np.full(4, np.nan), [1, -1, 1, -1])


@EVERY_ESTIMATOR
def test_an_estimator_is_fitted_after_fit_and_not_before(estimator):
    fresh = clone(estimator)
    with pytest.raises(NotFittedError):
        check_is_fitted(fresh)
    check_is_fitted(fresh.fit(SCORES, PARTIAL))


@EVERY_ESTIMATOR
def test_the_representation_names_the_class_and_what_was_changed(estimator):
    assert repr(estimator).startswith(type(estimator).__name__ + "(")
    assert "random_state=0" in repr(estimator)


@EVERY_ESTIMATOR
def test_the_fitted_estimator_can_be_shown_as_html(estimator):
    assert type(estimator).__name__ in clone(estimator).fit(SCORES, PARTIAL)._repr_html_()
