"""Several systems in one fit: what each answers, and what they answer together."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn import metrics as sklearn_metrics

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.application import main_estimates
from sklearn_spe.exceptions import InvertedScoresWarning
from tests.estimators.performance.several import N, mixture
from tests.quick import QUIET, RANKS

pytestmark = QUIET

REFERENCE = {
    "average_precision": sklearn_metrics.average_precision_score,
    "roc_auc": sklearn_metrics.roc_auc_score,
    "accuracy": lambda y, s: sklearn_metrics.accuracy_score(y, s >= 0.5),
    "f1": lambda y, s: sklearn_metrics.f1_score(y, s >= 0.5),
    "prevalence": lambda y, s: y.mean(),
}
AT = {"accuracy": {"threshold": 0.5}, "f1": {"threshold": 0.5}}


@pytest.fixture(scope="module")
def fitted(systems):
    return systems.estimator().fit(systems.scores, systems.first(40))


@pytest.fixture(scope="module")
def complete(systems):
    return systems.estimator().fit(systems.scores, systems.labels, category=systems.category)


# --- all labels known ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", REFERENCE)
def test_known_labels_leave_what_scikit_learn_says_of_each_system_and_category(
    systems, complete, name
):
    for system, column in enumerate(systems.scores.T):
        for category in (None, 0, 1, 2):
            own = slice(None) if category is None else systems.category == category
            ranking = complete.of(system=system, category=category)
            estimate = ranking.estimate(name, **AT.get(name, {}))
            expected = REFERENCE[name](systems.labels[own], column[own])
            assert_allclose(estimate.value, expected, atol=1e-12)
            assert_allclose(estimate.interval(0.99), expected, atol=1e-12)


def test_known_labels_leave_no_uncertainty_which_is_better(systems, complete):
    known = [REFERENCE["roc_auc"](systems.labels, column) for column in systems.scores.T]
    assert_array_equal(
        complete.ranking_proba("roc_auc"), np.greater.outer(known, known) + np.eye(3) / 2
    )
    assert complete.by_category("roc_auc", by="system").order_proba == 1.0
    assert complete.score(systems.scores, systems.labels) == pytest.approx(0.0)


# --- one set of labels for all ------------------------------------------------------------------


@pytest.mark.parametrize("target", ["sample", "population"])
def test_a_difference_is_one_estimate_less_the_other(fitted, target):
    for name in REFERENCE:
        asked = {**AT.get(name, {}), "target": target}
        one, other = (fitted.of(system=k).estimate(name, **asked) for k in (0, 2))
        difference = fitted.difference(name, 0, 2, **asked)
        assert_array_equal(difference.draws, one.comparable_draws - other.comparable_draws)
        assert_array_equal(fitted.difference(name, 1, 1, **asked).draws, 0.0)
    # Of one population there is one prevalence, whoever scores it.
    assert_allclose(difference.draws, 0.0, atol=1e-12)


def test_a_copy_of_a_system_is_neither_better_nor_worse(systems):
    X = systems.scores[:, [0, 0, 2]]
    fitted = systems.estimator().fit(X, systems.first(40))
    for name in REFERENCE:
        asked = AT.get(name, {})
        assert_array_equal(fitted.difference(name, 0, 1, **asked).draws, 0.0)
        assert_array_equal(fitted.ranking_proba(name, **asked)[0, 1], 0.5)


def test_known_labels_stay_in_every_draw(systems, fitted):
    posterior = fitted.model_.posterior
    labels = np.concatenate([posterior.positives(block) for block in posterior.blocks()])
    assert labels.shape == (60, N)
    assert (labels[:, :40] == systems.labels[:40]).all()
    # Those that are drawn follow the probabilities that the draws themselves say.
    p = np.concatenate([posterior.probability(block) for block in posterior.blocks()])[:, 40:]
    z = (labels[:, 40:].sum() - p.sum()) / np.sqrt((p * (1.0 - p)).sum())
    assert abs(z) < 5.0


def test_rankings_agree_with_the_draws_that_they_count(fitted):
    draws = np.column_stack([fitted.of(system=k).estimate("roc_auc").draws for k in range(3)])
    better = fitted.ranking_proba("roc_auc")
    ahead = (draws[:, 0] > draws[:, 2]) + (draws[:, 0] == draws[:, 2]) / 2.0
    assert_allclose(better[0, 2], ahead.mean())
    assert_allclose(better + better.T, 1.0)
    # An error rate is better where it is less.
    errors = np.column_stack(
        [fitted.of(system=k).estimate("equal_error_rate").draws for k in range(3)]
    )
    assert_allclose(
        fitted.ranking_proba("equal_error_rate")[0, 2],
        (errors[:, 0] < errors[:, 2]).mean() + (errors[:, 0] == errors[:, 2]).mean() / 2.0,
    )


@pytest.mark.slow
def test_the_order_of_columns_does_not_matter(systems):
    rng = np.random.default_rng(systems.seed)
    X, y, order = systems.scores[:100], systems.first(40)[:100], rng.permutation(3)
    many = mixture(n_draws=100)
    found = [
        [systems.estimator(mixture=many, random_state=seed).fit(columns, y) for seed in range(6)]
        for columns in (X, X[:, order])
    ]
    for old, new in zip(order, range(3), strict=True):
        of_old, of_new = (
            [fitted.of(system=k).estimate("roc_auc").draws.mean() for fitted in side]
            for k, side in zip((old, new), found, strict=True)
        )
        # Six fits each: a t value of ten degrees is beyond 12 less than once in a million cases.
        error = np.hypot(np.std(of_old, ddof=1), np.std(of_new, ddof=1)) / np.sqrt(6)
        assert abs(np.mean(of_old) - np.mean(of_new)) < 12.0 * error


# --- names, copies, seeds -----------------------------------------------------------------------


def test_systems_go_by_the_names_of_a_frame(systems, fitted):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(systems.scores, columns=["tree", "net", "guess"])
    named = systems.estimator().fit(frame, systems.first(40))
    assert named.systems_ == ("tree", "net", "guess")
    for k, name in enumerate(named.systems_):
        expected = fitted.of(system=k).estimate("f1", threshold=0.3)
        for asked in (name, k, np.int64(k)):
            found = named.of(system=asked).estimate("f1", threshold=0.3)
            assert_array_equal(found.draws, expected.draws)
    with pytest.raises(ValueError, match=r"system='nets' is none of 'tree', 'net', 'guess'\."):
        named.of(system="nets").curve()


def test_where_numbers_are_names_they_are_no_places(systems, fitted):
    frame = pytest.importorskip("pandas").DataFrame(systems.scores, columns=[2, 1, 5])
    named = systems.estimator().fit(frame, systems.first(40))
    for k, name in enumerate([2, 1, 5]):
        assert named.of(system=name).estimate().value == fitted.of(system=k).estimate().value
    assert "roc auc of 5" in main_estimates(named, threshold=0.0).names
    with pytest.raises(TypeError, match="threshold must be a number"):
        main_estimates(named, threshold="0")
    for asked in (0, True, "2"):
        with pytest.raises(ValueError, match=r"is none of 2, 1, 5\."):
            named.of(system=asked).estimate()


# --- more labels --------------------------------------------------------------------------------


def test_an_update_to_other_items_is_refused(systems, fitted):
    y = systems.first(40)
    two = dict(enumerate(systems.scores.T[:2]))
    for X in (two, systems.scores[:, [1, 0, 2]], -systems.scores):
        with pytest.raises(ValueError, match="update takes the scores of fit with other labels"):
            fitted.update(X, y)
    with pytest.raises(ValueError, match="same category= as fit, or none, but fit was given none"):
        fitted.update(systems.scores, y, category=systems.category)
    assert fitted.model_.table.category is None


# --- labels, counts and direction ---------------------------------------------------------------


def test_counts_are_rows_repeated(systems):
    counts = np.arange(N) % 3
    X, y = systems.scores, systems.first(40)
    weighted = systems.estimator().fit(X, y, counts, groups=systems.groups)
    rows = np.repeat(np.arange(N), counts)
    repeated = systems.estimator().fit(X[rows], y[rows], groups=systems.groups[rows])
    for target in ("sample", "population"):
        found, expected = (f.of(system=1).estimate(target=target) for f in (weighted, repeated))
        assert_array_equal(found.draws, expected.draws)
    with pytest.raises(ValueError, match=r"whole numbers; got 0\.5 at index 3"):
        systems.estimator().fit(X, y, np.where(np.arange(N) == 3, 0.5, 1.0))


@pytest.mark.parametrize("structure", ["systems", "groups", "judges", "category"])
def test_a_row_may_count_for_any_number_of_items(systems, structure):
    y, weights = systems.first(40), np.where(np.arange(N) < 40, 1.0, 1e9)
    columns = systems.scores[:, 0]
    X = dict(enumerate(systems.scores.T)) if structure == "systems" else columns
    parts = {"groups": systems.groups, "judges": systems.scores[:, 1], "category": systems.category}
    given = {structure: parts[structure]} if structure in parts else {}
    fitted = systems.estimator().fit(X, y, weights, **given)
    found = fitted.of(system=0).estimate("roc_auc")
    assert fitted.of(system=0).posterior_.sample.counts.sum() == weights.sum()
    # So many items have the AUC of their probabilities, not of labels that differ by draw.
    posterior = fitted.of(system=0).posterior_
    p = posterior.items.probability(posterior.blocks()[0], posterior.rows)
    ranked = posterior.items.counts[posterior.rows]
    known = posterior.items.codes[posterior.rows]
    p = np.where(known < 0, p, known)
    below = np.cumsum(ranked * (1.0 - p), axis=1) - ranked * (1.0 - p) / 2.0
    pairs = (ranked * p).sum(axis=1) * (ranked * (1.0 - p)).sum(axis=1)
    expected = (ranked * p * below).sum(axis=1) / pairs
    assert_allclose(found.draws[: len(p)], expected, atol=1e-3)


def test_two_columns_that_sum_to_one_are_one_classifier(systems):
    p, y = 1.0 / (1.0 + np.exp(-systems.scores[:, 0])), systems.first(40)
    own = {"mixture": mixture()}
    both, one = (
        systems.estimator(**own).fit(X, y, category=systems.category)
        for X in (np.column_stack([1.0 - p, p]), p)
    )
    assert both.systems_ == (0,)
    assert_allclose(
        both.of(category=1).estimate().draws, one.of(category=1).estimate().draws, rtol=1e-9
    )
    assert both.default_threshold_ == 0.5


# --- bad input ----------------------------------------------------------------------------------


def test_of_systems_that_all_say_nothing_labels_tell_the_share(systems):
    y = systems.first(80)
    constant = {0: np.ones(N), 1: np.ones(N)}
    fitted = systems.estimator(mixture=mixture(n_draws=400)).fit(constant, y)
    n, k = 80, systems.labels[:80].sum()
    # Uniform before, beta after; what has no label is binomial.
    exact = stats.betabinom(N - n, 1 + k, 1 + n - k)
    prevalence = fitted.of(system=0).estimate("prevalence")
    assert_allclose(prevalence.mean(), (k + exact.mean()) / N, atol=5.0 * exact.std() / N / 10.0)
    assert_allclose(prevalence.standard_error, exact.std() / N, rtol=0.35)
    for metric, value in {"roc_auc": 0.5, "average_precision": prevalence.value}.items():
        assert_allclose(fitted.of(system=1).estimate(metric).value, value)
    assert_allclose(fitted.ranking_proba("roc_auc"), 0.5)
    names = [reason.name for reason in fitted.verdict_.reasons]
    assert names.count("one_score") == 2


def test_a_system_whose_scores_are_flipped_is_named(systems):
    X = systems.scores * [1.0, -1.0, 1.0]
    with pytest.warns(InvertedScoresWarning, match=r"\(inverted scores\)"):
        fitted = systems.estimator().fit(X, systems.first(100))
    assert "System 1: Labeled positives score lower" in fitted.verdict_.describe()
    assert fitted.verdict_ == "misfit"
    assert (
        fitted.of(system=1).estimate("roc_auc").value
        < 0.5
        < fitted.of(system=0).estimate("roc_auc").value
    )


@pytest.mark.parametrize("parameters", [{"experts": None}, {"method": "em"}], ids=str)
def test_labels_can_judge_experts_alone(systems, parameters):
    estimator = PerformanceCurveEstimator(SemisupervisedScoreMixture("norm", "norm", **parameters))
    with pytest.raises(ValueError, match=r"Leave experts='auto' and method="):
        estimator.fit(systems.scores, systems.first(40))


def test_more_than_fifty_systems_are_ranked(systems, global_random_seed):
    guesses = np.random.default_rng(global_random_seed).normal(size=(60, 51))
    X = np.column_stack([guesses, 4.0 * systems.labels[:60] + guesses[:, 0]])
    fitted = systems.estimator(mixture=mixture(experts=[RANKS], n_draws=20))
    fitted.fit(dict(enumerate(X.T)), systems.first(30)[:60])
    assert (fitted.ranking_proba("roc_auc")[-1, :-1] > 0.5).all()
    assert np.argmax(fitted.ranking_proba().sum(axis=1)) == 51
