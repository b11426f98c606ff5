"""Labels of several systems, with judges and in categories, drawn with known probabilities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special
from sklearn.metrics import average_precision_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from tests.estimators.performance.several import mixture
from tests.functional.problems import least_hits, seeds
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET
N = 300


class Items:
    """Three systems, a judge and a category of items, whose verdict is wrong for one in six."""

    def __init__(self, seed, n=N, prevalence=0.3):
        rng = np.random.default_rng([seed, 53])
        self.rng = rng
        self.truth = (rng.random(n) < prevalence).astype(int)
        self.scores = 2.0 * self.truth[:, np.newaxis] + rng.normal(size=(n, 3))
        self.judge = np.where(rng.random(n) < 1.0 / 6.0, 1 - self.truth, self.truth)
        self.category = rng.integers(2, size=n)

    def drawn(self, inclusion_proba):
        """Return the labels of items that are drawn with these probabilities."""
        return np.where(self.rng.random(len(self.truth)) < inclusion_proba, self.truth, -1)

    def structure(self, name):
        """Return what is passed to fit."""
        return {
            "systems": {"X": self.scores},
            "judge": {"X": self.scores[:, 0], "judges": self.judge},
            "category": {"X": self.scores[:, 0], "category": self.category},
            "judge alone": {"X": None, "judges": self.judge},
        }[name]


STRUCTURES = ["systems", "judge", "category", "judge alone"]


@pytest.fixture(scope="module")
def items(global_random_seed):
    return Items(global_random_seed)


def fit(y, X, seed=0, **structure):
    return PerformanceCurveEstimator(mixture(), random_state=seed).fit(X, y, **structure)


def first_system(fitted):
    return fitted.of(system=0) if len(fitted.systems_) > 1 else fitted


# --- by class -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STRUCTURES)
def test_a_class_that_is_labeled_wholly_is_known(items, name):
    y = np.where(items.truth == 1, 1, items.drawn(0.1))
    fitted = fit(y, **items.structure(name), inclusion_proba={0: 0.1, 1: 1.0})
    assert_array_equal(first_system(fitted).estimate("prevalence").draws, items.truth.mean())


def test_the_same_share_of_both_classes_is_a_random_sample(items):
    y = items.drawn(0.2)
    for name in STRUCTURES:
        structure = items.structure(name)
        draws = [
            first_system(fit(y, **structure, **design)).estimate("prevalence").draws
            for design in ({}, {"inclusion_proba": {0: 0.2, 1: 0.2}})
        ]
        assert_array_equal(*draws)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["systems", "judge", "category"])
def test_intervals_of_labels_drawn_by_class_cover(name, global_random_seed):
    shares = {0: 0.03, 1: 0.4}
    n_repeats = 12
    hits = np.zeros(2)
    misses_without = 0
    for seed in seeds(global_random_seed, n_repeats):
        items = Items(seed, n=1500, prevalence=0.08)
        y = items.drawn(np.where(items.truth == 1, shares[1], shares[0]))
        structure = items.structure(name)
        fitted = first_system(fit_slowly(y, **structure, inclusion_proba=shares))
        precision = average_precision_score(items.truth, items.scores[:, 0])
        hits += [
            covers(fitted.estimate("average_precision"), precision),
            covers(fitted.estimate("prevalence"), items.truth.mean()),
        ]
        without = first_system(fit_slowly(y, **structure)).estimate("prevalence")
        misses_without += not covers(without, items.truth.mean())
    assert (hits >= least_hits(n_repeats, 0.9)).all()
    # Half of the labels are positive, and without the shares so would be as many items.
    assert misses_without >= n_repeats - 2


# --- by what the model sees -----------------------------------------------------------------------


def by_verdict(items):
    return np.where(items.judge == 1, 0.5, 0.1)


def by_score(items):
    return special.expit(items.scores[:, 0] - 2.0)


def by_verdict_and_score(items):
    return np.where(items.judge == 1, 0.2, 0.8) * special.expit(items.scores[:, 0])


def by_category(items):
    return np.where(items.category == 1, 0.5, 0.1)


@pytest.mark.parametrize(
    ("name", "design"),
    [
        ("systems", by_score),
        ("judge", by_verdict),
        ("judge", by_score),
        ("judge", by_verdict_and_score),
        ("judge alone", by_verdict),
        ("category", by_category),
    ],
)
def test_probabilities_that_depend_on_what_the_model_sees_change_nothing(items, name, design):
    inclusion_proba = design(items)
    y = items.drawn(inclusion_proba)
    structure = items.structure(name)
    draws = [
        first_system(fit(y, **structure, **given)).estimate("prevalence").draws
        for given in ({}, {"inclusion_proba": inclusion_proba})
    ]
    assert_array_equal(*draws)


# --- by a feature that the model does not see -----------------------------------------------------


def test_systems_that_repeat_one_column_are_that_column(items):
    inclusion_proba = items.rng.choice([0.1, 0.5], N)
    y = items.drawn(inclusion_proba)
    column = items.scores[:, :1]
    draws = [
        fit(y, X, inclusion_proba=inclusion_proba).of(system=0).estimate("prevalence").draws
        for X in (column, np.repeat(column, 3, axis=1))
    ]
    assert_array_equal(*draws)


def test_labels_count_alike_whichever_rows_are_equal(items):
    # Equal items whose labels have other weights stay apart.
    inclusion_proba = items.rng.choice([0.2, 0.8], N)
    y = items.drawn(inclusion_proba)
    scores = np.round(items.scores[:, 0])
    fitted = fit(y, scores, judges=items.judge, inclusion_proba=inclusion_proba)
    given, table = fitted.model_.given, fitted.model_.table
    assert table.n_items < given.n_items
    for code in (0, 1):
        assert_allclose(
            table.label_counts[table.codes == code].sum(),
            given.label_counts[given.codes == code].sum(),
        )
    # The weights of the labels sum to their effective number.
    weights = given.label_counts[given.codes >= 0]
    assert len(np.unique(weights)) > 1
    assert_allclose(weights.sum(), (weights**2).sum())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["systems", "judge"])
def test_intervals_of_labels_drawn_in_strata_cover(name, global_random_seed):
    n_repeats = 12
    hits = np.zeros(2)
    for seed in seeds(global_random_seed, n_repeats):
        items = Items(seed, n=1500)
        # A complaint, which comes with more positives of any score.
        stratum = items.rng.random(1500) < np.where(items.truth == 1, 0.6, 0.15)
        inclusion_proba = np.where(stratum, 0.15, 0.02)
        y = items.drawn(inclusion_proba)
        structure = items.structure(name)
        fitted = first_system(fit_slowly(y, **structure, inclusion_proba=inclusion_proba))
        precision = average_precision_score(items.truth, items.scores[:, 0])
        hits += [
            covers(fitted.estimate("average_precision"), precision),
            covers(fitted.estimate("prevalence"), items.truth.mean()),
        ]
    assert (hits >= least_hits(n_repeats, 0.87)).all()


def fit_slowly(y, X, **structure):
    quick = SemisupervisedScoreMixture("norm", "norm", experts=EXPERTS, n_draws=200)
    return PerformanceCurveEstimator(quick, random_state=0).fit(X, y, **structure)


def covers(estimate, truth):
    low, high = estimate.interval(0.9)
    return low - 1e-12 <= truth <= high + 1e-12
