"""Performance curves: scikit-learn's when all is known, the posterior's when it is not."""

import numpy as np
import pytest
from joblib import parallel_backend
from numpy.testing import assert_allclose
from scipy import integrate, stats
from sklearn import metrics as sklearn_metrics
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from sklearn_spe.exceptions import SamplingWarning
from sklearn_spe.metrics import METRICS, FBeta, Precision, ThresholdMetric

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.SamplingWarning")

SCORES, LABELS = make_scores(200, random_state=0)
PARTIAL = np.where(np.arange(200) < 30, LABELS, -1)
TIED = np.round(SCORES, 1)
AT_THRESHOLD = [name for name, metric in METRICS.items() if issubclass(metric, ThresholdMetric)]
OF_RANKING = [name for name in METRICS if name not in AT_THRESHOLD]
CURVES = ["precision_recall", "roc", "det"]

# What scikit-learn says, from labels and decisions.
REFERENCE = {
    "precision": lambda y, d: sklearn_metrics.precision_score(y, d, zero_division=0.0),
    "recall": sklearn_metrics.recall_score,
    "f1": sklearn_metrics.f1_score,
    "accuracy": sklearn_metrics.accuracy_score,
    "specificity": lambda y, d: sklearn_metrics.recall_score(y, d, pos_label=0),
    "false_positive_rate": lambda y, d: 1.0 - sklearn_metrics.recall_score(y, d, pos_label=0),
}


def make_performance(mixture=None, n_draws=100, **parameters):
    mixture = mixture or SemisupervisedScoreMixture("norm", "norm", n_draws=n_draws, random_state=0)
    return PerformanceCurveEstimator(mixture, **{"n_points": 40, "random_state": 0, **parameters})


@pytest.fixture(scope="module")
def fitted():
    with pytest.warns(SamplingWarning):
        return make_performance().fit(SCORES, PARTIAL)


@pytest.fixture(scope="module", params=[SCORES, TIED], ids=["distinct", "tied"])
def complete(request):
    with pytest.warns(SamplingWarning):
        return request.param, make_performance().fit(request.param, LABELS)


# --- everything labelled ------------------------------------------------------------------------


@pytest.mark.parametrize("name", CURVES + AT_THRESHOLD)
def test_a_curve_of_known_labels_has_no_width(complete, name):
    band = complete[1].curve(name)
    lower, upper = band.interval(0.99)
    assert np.array_equal(lower, upper)
    assert np.array_equal(band.envelope(0.99)[0], upper)
    assert_allclose(band.value, lower, atol=1e-15)


def test_precision_at_recall_is_that_of_scikit_learn(complete):
    scores, performance = complete
    precision, recall, _ = sklearn_metrics.precision_recall_curve(LABELS, scores)
    band = performance.curve("precision_recall")
    # Recalls fall along scikit-learn's curve: the last that is at least r.
    expected = [precision[np.flatnonzero(recall >= r - 1e-12)[-1]] for r in band.x]
    assert_allclose(band.value, expected, atol=1e-12)


def test_the_roc_curve_is_that_of_scikit_learn(complete):
    scores, performance = complete
    fpr, tpr, _ = sklearn_metrics.roc_curve(LABELS, scores, drop_intermediate=False)
    band = performance.curve("roc")
    # On a vertical part the upper end counts.
    expected = [tpr[fpr == x].max() if (fpr == x).any() else np.interp(x, fpr, tpr) for x in band.x]
    assert_allclose(band.value, expected, atol=1e-12)
    assert_allclose(performance.curve("det").value, 1.0 - band.value, atol=1e-12)


@pytest.mark.parametrize("name", AT_THRESHOLD)
def test_metrics_at_thresholds_are_those_of_scikit_learn(complete, name):
    scores, performance = complete
    band = performance.curve(name)
    expected = [REFERENCE[name](LABELS, scores >= t) for t in band.x]
    assert_allclose(band.value, expected, atol=1e-12)
    between = np.array([-1.2345, 0.05, 1.7, scores.min(), scores.max()])
    expected = [REFERENCE[name](LABELS, scores >= t) for t in np.sort(between)]
    assert_allclose(performance.curve(name, thresholds=between).value, expected, atol=1e-12)
    assert_allclose(performance.estimate(name, threshold=0.05).value, expected[2], atol=1e-12)


def test_numbers_of_the_ranking_are_those_of_scikit_learn(complete):
    scores, performance = complete
    expected = {
        "average_precision": sklearn_metrics.average_precision_score(LABELS, scores),
        "roc_auc": sklearn_metrics.roc_auc_score(LABELS, scores),
        "prevalence": LABELS.mean(),
    }
    for name, value in expected.items():
        estimate = performance.estimate(name)
        assert_allclose(estimate.value, value, atol=1e-12)
        assert_allclose(estimate.interval(), value, atol=1e-12)
        assert estimate.standard_error == pytest.approx(0.0, abs=1e-12)


def test_the_equal_error_rate_lies_where_both_errors_are_equal(complete):
    scores, performance = complete
    rate = performance.estimate("equal_error_rate").value
    fpr, tpr, _ = sklearn_metrics.roc_curve(LABELS, scores, drop_intermediate=False)
    excess = fpr - (1.0 - tpr)
    at = np.flatnonzero(excess >= 0.0)[0]
    share = -excess[at - 1] / (excess[at] - excess[at - 1])
    assert_allclose(rate, fpr[at - 1] + share * (fpr[at] - fpr[at - 1]), atol=1e-12)


def test_score_is_zero_when_every_label_was_known(complete):
    assert complete[1].score(complete[0], LABELS) == pytest.approx(0.0, abs=1e-12)


def test_weights_count_as_in_scikit_learn():
    weights = np.random.default_rng(0).integers(0, 5, 200) / 2.0
    performance = make_performance().fit(TIED, LABELS, sample_weight=weights)
    assert_allclose(
        performance.estimate("average_precision").value,
        sklearn_metrics.average_precision_score(LABELS, TIED, sample_weight=weights),
        atol=1e-12,
    )
    assert_allclose(
        performance.estimate("f1", threshold=1.0).value,
        sklearn_metrics.f1_score(LABELS, TIED >= 1.0, sample_weight=weights),
        atol=1e-12,
    )


def test_string_labels_give_the_performance_of_numbers(fitted):
    names = np.array(["well", "ill"], dtype=object)
    y = np.where(PARTIAL < 0, None, names[PARTIAL])
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", n_draws=100, random_state=0, pos_label="ill"
    )
    performance = make_performance(mixture).fit(SCORES, y)
    assert performance.classes_.tolist() == ["ill", "well"]
    assert np.array_equal(performance.curve().value, fitted.curve().value)
    assert performance.score(SCORES, names[LABELS]) == fitted.score(SCORES, LABELS)


# --- some labelled ------------------------------------------------------------------------------


def test_the_band_shrinks_to_nothing_as_labels_grow():
    widths = []
    for n_labels in (20, 100, 180, 198, 200):
        y = np.where(np.arange(200) < n_labels, LABELS, -1)
        low, high = make_performance().fit(SCORES, y).estimate("average_precision").interval()
        widths.append(high - low)
    assert (np.diff(widths) <= 0.0).all()
    assert widths[-1] == 0.0


def test_known_labels_stay():
    # All but two items are labelled: four completions, and no curve but theirs.
    y = LABELS.copy()
    y[[3, 50]] = -1
    possible = []
    for first in (0, 1):
        for second in (0, 1):
            y_true = LABELS.copy()
            y_true[[3, 50]] = first, second
            possible.append(sklearn_metrics.average_precision_score(y_true, SCORES))
    draws = make_performance().fit(SCORES, y).estimate("average_precision").draws
    distance = np.abs(draws[:, np.newaxis] - possible).min(axis=1)
    assert distance.max() < 1e-12


@pytest.mark.parametrize("weight", [1.0, 3.0, 0.5, 2.5])
@pytest.mark.parametrize("scores", [SCORES, TIED], ids=["distinct", "tied"])
def test_labels_are_drawn_with_the_probability_of_their_score(scores, weight):
    performance = make_performance(n_draws=60).fit(
        scores, PARTIAL, sample_weight=np.full(200, weight)
    )
    posterior = performance.posterior_
    expected = np.concatenate(
        [posterior.positive_probability(scores[30:], b).mean(axis=1) for b in posterior.blocks()]
    )
    drawn = (performance.estimate("prevalence").draws * 200 - LABELS[:30].sum()) / 170
    # At least 170 coins for each of 60 draws.
    assert abs((drawn - expected).mean()) < 4.0 * np.sqrt(0.25 / 170 / 60)


def test_precision_at_a_recall_is_that_at_the_highest_threshold_that_reaches_it():
    rng = np.random.default_rng(1)
    scores, labels = np.round(rng.normal(size=60), 1), rng.integers(0, 2, 60)
    performance = make_performance(n_points=60).fit(scores, labels)
    for r in (0.01, 0.2, 0.5, 0.777, 1.0, 1.0 / labels.sum(), 3.0 / labels.sum()):
        for threshold in np.unique(scores)[::-1]:
            above = scores >= threshold
            if labels[above].sum() >= r * labels.sum() - 1e-9:
                break
        estimate = performance.estimate("precision", recall=r)
        assert_allclose(estimate.value, labels[above].mean(), atol=1e-12)


def test_recall_at_a_precision_is_the_largest_that_reaches_it():
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 60)
    scores = np.round(rng.normal(labels), 1)
    performance = make_performance().fit(scores, labels)
    for p in (0.3, 0.6, 0.8):
        recalls = [
            labels[scores >= t].sum() / labels.sum()
            for t in np.unique(scores)
            if labels[scores >= t].mean() >= p
        ]
        assert_allclose(performance.estimate("recall", precision=p).value, max(recalls))


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("average_precision", sklearn_metrics.average_precision_score),
        ("roc_auc", sklearn_metrics.roc_auc_score),
    ],
)
@pytest.mark.parametrize("scores", [SCORES, TIED], ids=["distinct", "tied"])
def test_a_callable_sees_the_same_completed_labels_as_the_named_metric(scores, name, function):
    performance = make_performance(n_draws=60).fit(scores, PARTIAL)
    by_call = performance.estimate(function)
    assert by_call.name == function.__name__
    assert_allclose(by_call.draws, performance.estimate(name).draws, rtol=0.0, atol=1e-12)


def test_a_callable_at_a_decision_agrees_with_the_named_metric(fitted):
    def f1(y_true, y_score):
        return sklearn_metrics.f1_score(y_true, y_score >= 1.0)

    by_name = fitted.estimate("f1", threshold=1.0)
    assert_allclose(fitted.estimate(f1).draws, by_name.draws, atol=1e-12)


def test_a_callable_gets_fractions_of_items_as_sample_weight():
    performance = make_performance(n_draws=60).fit(SCORES, PARTIAL, sample_weight=np.full(200, 0.5))
    by_call = performance.estimate(sklearn_metrics.average_precision_score)
    assert_allclose(by_call.draws, performance.estimate("average_precision").draws, atol=1e-12)


def test_score_is_minus_the_mean_distance_to_the_true_curve(fitted):
    truth = make_performance().fit(SCORES, LABELS).curve().value
    expected = -np.abs(fitted.curve().value - truth).mean()
    assert fitted.score(SCORES, LABELS) == pytest.approx(expected, abs=1e-12)


# --- the population -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def population():
    scores, labels = make_scores(8000, random_state=2)
    return make_performance(n_draws=400, target="population").fit(scores, labels)


def assert_covers(estimate, truth):
    # The posterior sd is the sampling error too; the second term is for grids of thresholds.
    assert abs(estimate.value - truth) < 4.0 * estimate.standard_error + 1e-3
    assert 0.0 < estimate.standard_error < 0.02


@pytest.mark.filterwarnings("error::sklearn_spe.exceptions.SamplingWarning")
def test_population_rates_at_a_threshold_are_those_of_two_normals(population):
    tpr, fpr = stats.norm.sf(1.0, 2.0, 1.0), stats.norm.sf(1.0)
    precision = 0.3 * tpr / (0.3 * tpr + 0.7 * fpr)
    for name, truth in {
        "recall": tpr,
        "false_positive_rate": fpr,
        "specificity": 1.0 - fpr,
        "precision": precision,
        "f1": 2.0 * precision * tpr / (precision + tpr),
        "accuracy": 0.3 * tpr + 0.7 * (1.0 - fpr),
    }.items():
        assert_covers(population.estimate(name, threshold=1.0), truth)


def test_population_numbers_of_the_ranking_are_those_of_two_normals(population):
    assert_covers(population.estimate("prevalence"), 0.3)
    assert_covers(population.estimate("roc_auc"), stats.norm.cdf(2.0 / np.sqrt(2.0)))
    assert_covers(population.estimate("equal_error_rate"), stats.norm.sf(1.0))
    grid = np.linspace(-8.0, 12.0, 40_001)
    tpr, fpr = stats.norm.sf(grid, 2.0), stats.norm.sf(grid)
    area = integrate.trapezoid((0.3 * tpr / (0.3 * tpr + 0.7 * fpr))[::-1], tpr[::-1])
    assert_covers(population.estimate("average_precision"), area)


def test_population_curves_are_those_of_two_normals(population):
    for recall in (0.1, 0.5, 0.9):
        fpr = stats.norm.sf(stats.norm.isf(recall, 2.0))
        truth = 0.3 * recall / (0.3 * recall + 0.7 * fpr)
        assert_covers(population.estimate("precision", recall=recall), truth)
        assert_covers(population.curve("precision_recall").at(recall), truth)
    for fpr in (2 / 39, 10 / 39):
        truth = stats.norm.sf(stats.norm.isf(fpr), 2.0)
        assert_covers(population.curve("roc").at(fpr), truth)
        assert_covers(population.curve("det").at(fpr), 1.0 - truth)


def test_the_population_stays_uncertain_when_all_labels_are_known(complete):
    _, performance = complete
    assert performance.estimate("roc_auc", target="population").standard_error > 0.01


# --- the same answer ----------------------------------------------------------------------------


def all_answers(performance):
    answers = [performance.curve(name).draws for name in [*CURVES, "f1"]]
    answers += [performance.curve(name, target="population").draws for name in CURVES]
    answers += [performance.estimate(name).draws for name in OF_RANKING]
    return [*answers, performance.posterior_.weights]


def assert_same_bits(first, second):
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b, equal_nan=True)


def test_asking_twice_gives_the_same_answer(fitted):
    assert_same_bits(all_answers(fitted), all_answers(fitted))


def test_the_order_of_questions_does_not_matter(fitted):
    before = fitted.estimate("roc_auc").draws
    fresh = make_performance().fit(SCORES, PARTIAL)
    assert np.array_equal(fresh.estimate("roc_auc").draws, before)


@pytest.mark.parametrize(
    "make", [lambda: 5, lambda: np.random.RandomState(5), lambda: np.random.default_rng(5)]
)
def test_the_same_random_state_gives_the_same_bits(make):
    def answers():
        performance = PerformanceCurveEstimator(n_draws=60, n_points=10, random_state=make())
        return all_answers(performance.fit(SCORES, PARTIAL))

    assert_same_bits(answers(), answers())


@pytest.mark.parametrize(("backend", "n_jobs"), [("threading", 1), ("threading", 2), ("loky", 2)])
def test_workers_do_not_change_a_bit(fitted, backend, n_jobs):
    mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=100, n_jobs=n_jobs, random_state=0)
    with parallel_backend(backend):
        performance = make_performance(mixture, n_jobs=n_jobs).fit(SCORES, PARTIAL)
        assert_same_bits(all_answers(performance), all_answers(fitted))


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_do_not_change_a_bit_of_a_sample_above_a_megabyte(backend):
    # joblib hands arrays above 1 MB to processes as read-only memory maps.
    scores, labels = make_scores(150_000, random_state=0)
    assert scores.nbytes > 2**20
    y = np.where(np.arange(len(scores)) < 40, labels, -1)
    answers = []
    for n_jobs in (1, 2):
        mixture = SemisupervisedScoreMixture(
            "norm", "norm", n_draws=70, n_jobs=n_jobs, random_state=0
        )
        with parallel_backend(backend):
            performance = make_performance(mixture, n_jobs=n_jobs).fit(scores, y)
            answers.append([performance.curve().draws, performance.estimate("roc_auc").draws])
    assert_same_bits(*answers)


# --- what is not defined ------------------------------------------------------------------------


def test_a_draw_without_any_positive_follows_zero_division():
    # Five scores, the lowest is known to be negative: all five may well be.
    scores, y = np.arange(12.0), np.full(12, -1)
    y[:11] = 0
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", n_draws=400, classes=[0, 1], random_state=0
    )
    with pytest.warns(UserWarning, match="Only one class is labelled"):
        performance = make_performance(mixture).fit(scores, y)
    none = performance.estimate("prevalence").draws == 0.0
    weight = performance.posterior_.weights[none].sum()
    assert 0.01 < weight < 0.99

    for name, as_in_scikit_learn in {"average_precision": 0.0, "roc_auc": np.nan}.items():
        estimate = performance.estimate(name)
        assert estimate.undefined == pytest.approx(weight, abs=1e-12)
        assert_allclose(estimate.draws[none], as_in_scikit_learn)
        assert np.isfinite(estimate.draws[~none]).all()
    assert (performance.estimate("average_precision", zero_division=1.0).draws[none] == 1.0).all()
    left_out = performance.estimate("average_precision", zero_division=np.nan)
    assert np.isnan(left_out.draws[none]).all()
    assert np.isfinite(left_out.value)
    assert np.isfinite(left_out.interval()).all()

    band = performance.curve("precision_recall")
    assert_allclose(band.undefined, weight, atol=1e-12)
    assert (band.draws[none] == 0.0).all()
    assert np.isnan(performance.curve("recall", zero_division=np.nan).draws[none]).all()


def test_nothing_is_undefined_where_both_classes_are_labelled(fitted):
    assert fitted.estimate("roc_auc").undefined == 0.0
    assert not fitted.curve("precision_recall").undefined.any()


# --- how it is asked ----------------------------------------------------------------------------


def test_results_carry_the_level_of_the_estimator():
    performance = make_performance(confidence_level=0.5).fit(SCORES, PARTIAL)
    estimate, band = performance.estimate("roc_auc"), performance.curve("roc")
    assert estimate.interval() == estimate.interval(0.5)
    assert np.array_equal(band.interval(), band.interval(0.5))
    assert (estimate.kind, band.kind) == ("posterior", "posterior")


def test_instances_of_metrics_are_metrics(fitted):
    assert np.array_equal(
        fitted.estimate(Precision(), threshold=1.0).draws,
        fitted.estimate("precision", threshold=1.0).draws,
    )
    complete = make_performance().fit(SCORES, LABELS)
    expected = sklearn_metrics.fbeta_score(LABELS, SCORES >= 1.0, beta=2.0)
    assert_allclose(complete.estimate(FBeta(beta=2.0), threshold=1.0).value, expected)


def test_without_a_mixture_the_default_one_is_fitted():
    performance = PerformanceCurveEstimator(n_draws=60, random_state=0).fit(SCORES, PARTIAL)
    assert performance.mixture_.n_draws == 60
    assert set(performance.mixture_.comparison_.negative) == {"truncnorm", "gamma"}
    assert performance.curve().value.shape == (200,)


def test_the_mixture_that_is_given_is_not_touched(fitted):
    mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=50, random_state=0)
    performance = make_performance(mixture).fit(SCORES, PARTIAL)
    assert not hasattr(mixture, "posterior_")
    assert performance.mixture_ is not mixture
    assert clone(performance).get_params()["mixture__n_draws"] == 50


BAD_QUESTIONS = {
    "metric": (lambda p: p.estimate("auc"), "Unknown metric 'auc'; choose one of precision"),
    "curve": (lambda p: p.curve("pr"), "Unknown curve 'pr'; choose one of precision_recall"),
    "target": (lambda p: p.estimate(target="both"), "target must be one of sample, population"),
    "curve target": (lambda p: p.curve(target="both"), "target must be one of sample, population"),
    "high threshold": (
        lambda p: p.estimate("f1", threshold=99.0),
        "threshold must lie in the range of the scores, from .*; got 99.0",
    ),
    "low threshold": (lambda p: p.curve("f1", thresholds=[0.0, -99.0]), "got -99.0"),
    "nan threshold": (lambda p: p.estimate("f1", threshold=np.nan), "got nan"),
    "recall 0": (
        lambda p: p.estimate("precision", recall=0.0),
        r"recall must lie in \(0, 1\], got 0.0",
    ),
    "recall 1.5": (
        lambda p: p.estimate("precision", recall=1.5),
        r"recall must lie in \(0, 1\], got 1.5",
    ),
    "precision 0": (
        lambda p: p.estimate("recall", precision=0.0),
        r"precision must lie in \(0, 1\], got 0.0",
    ),
    "two conditions": (
        lambda p: p.estimate("precision", recall=0.5, threshold=1.0),
        r"exactly one of threshold=.*got \['recall', 'threshold'\]",
    ),
    "no condition": (
        lambda p: p.estimate("precision"),
        "'precision' needs exactly one of threshold=",
    ),
    "f1 at recall": (
        lambda p: p.estimate("f1", recall=0.5),
        "'f1' cannot be asked for at a recall",
    ),
    "auc threshold": (
        lambda p: p.estimate("roc_auc", threshold=1.0),
        "'roc_auc' is a number of the whole ranking and does not take threshold=",
    ),
    "callable population": (
        lambda p: p.estimate(sklearn_metrics.roc_auc_score, target="population"),
        "A callable metric .* needs target='sample', got target='population'",
    ),
    "callable threshold": (
        lambda p: p.estimate(sklearn_metrics.roc_auc_score, threshold=1.0),
        "does not take threshold=",
    ),
    "roc thresholds": (
        lambda p: p.curve("roc", thresholds=[1.0]),
        "'roc' does not take thresholds=",
    ),
    "auc curve": (
        lambda p: p.curve("roc_auc"),
        r"one number, not a curve; use estimate\('roc_auc'\)",
    ),
    "missing labels": (lambda p: p.score(SCORES, PARTIAL), "170 of 200 items are not labelled"),
    "no labels": (lambda p: p.score(SCORES, None), "200 of 200 items are not labelled"),
    "score lengths": (lambda p: p.score(SCORES, LABELS[:9]), "same length, got 200 scores and 9"),
    "outside": (lambda p: p.curve("roc").at(1.5), "false positive rate from 0 to 1, got 1.5"),
    "level": (
        lambda p: p.estimate().interval(1.5),
        r"confidence_level must lie in \(0, 1\), got 1.5",
    ),
}


@pytest.mark.parametrize(("ask", "message"), BAD_QUESTIONS.values(), ids=BAD_QUESTIONS)
def test_a_bad_question_is_named(fitted, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(fitted)


@pytest.mark.parametrize(
    ("ask", "name"),
    [
        (lambda p: p.estimate("precision", recall=np.nan), "recall"),
        (lambda p: p.estimate("recall", precision=np.nan), "precision"),
        (lambda p: p.estimate().interval(np.nan), "confidence_level"),
        (lambda p: p.curve().at(np.nan), "recall"),
    ],
)
def test_nan_lies_in_no_range(fitted, ask, name):
    with pytest.raises(ValueError, match=f"{name}.*nan"):
        ask(fitted)


@pytest.mark.parametrize("thresholds", [[], 1.0, [[0.0, 1.0]]], ids=str)
def test_thresholds_are_a_vector_and_at_least_one(fitted, thresholds):
    with pytest.raises(ValueError, match="thresholds"):
        fitted.curve("precision", thresholds=thresholds)


def test_a_curve_at_one_threshold_is_known_there(fitted):
    at = fitted.curve("precision", thresholds=[1.0]).at(1.0)
    assert np.array_equal(at.draws, fitted.estimate("precision", threshold=1.0).draws)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_points": 1}, "n_points must be at least 2, got 1"),
        ({"confidence_level": 1.5}, r"confidence_level must lie in \(0, 1\), got 1.5"),
        ({"confidence_level": 0.0}, r"confidence_level must lie in \(0, 1\), got 0.0"),
        ({"target": "both"}, "target must be one of sample, population; got 'both'"),
        ({"random_state": "seed"}, "random_state must be None, an int"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_performance(**parameters).fit(SCORES, PARTIAL)


def test_no_draws_are_an_error():
    with pytest.raises(ValueError, match="n_draws must be at least 1, got 0"):
        PerformanceCurveEstimator(n_draws=0).fit(SCORES, PARTIAL)


@pytest.mark.parametrize(
    "ask", [lambda p: p.curve(), lambda p: p.estimate(), lambda p: p.score(SCORES, LABELS)]
)
def test_an_estimator_that_is_not_fitted_says_so(ask):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ask(make_performance())
