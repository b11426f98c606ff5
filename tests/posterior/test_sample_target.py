"""Curves of a partially labelled sample: the law of the drawn labels, by enumeration."""

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose
from scipy import special, stats
from sklearn.metrics import average_precision_score, fbeta_score

from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.data._scale import learn_scale
from sklearn_spe.data._ties import SpreadTies
from sklearn_spe.families import Norm
from sklearn_spe.goals._question import Question
from sklearn_spe.inference._draws import Draws
from sklearn_spe.inputs._scores import ScoreDirection
from sklearn_spe.metrics import NetBenefit, ThresholdMetric
from sklearn_spe.metrics._ranking import AveragePrecision, Prevalence
from sklearn_spe.metrics._registry import METRICS, as_metric
from sklearn_spe.mixtures._mixture_posterior import MixturePosterior
from sklearn_spe.mixtures._two_class import TwoClassMixture
from sklearn_spe.posterior._operating_points import (
    OperatingPoints,
    Task,
    false_positive_rate_at_recall,
    increasing_thresholds,
    over_draws,
    warn_of_thresholds,
)
from sklearn_spe.posterior._posterior_estimates import (
    curve_band,
    predictions,
    probability_estimate,
    ranking_estimate,
    threshold_band,
    threshold_estimate,
)
from sklearn_spe.posterior._registry import CURVES, PRECISION_RECALL, as_curve
from sklearn_spe.posterior._row_estimates import callable_estimate

# Prevalence, then mean and standard deviation of the negatives and of the positives.
PARAMETERS = np.array([[0.3, 0.0, 1.0, 1.5, 1.0], [0.6, -0.5, 0.7, 1.0, 1.5]])
REPEATS = 3200
# The chance of a false alarm of each statistical assertion below.
ALARM = 1e-6

SCORES = np.array([-1.0, -0.2, 0.3, 0.3, 0.3, 0.9, 1.4, 2.0, 2.0])
CODES = np.array([0, -1, -1, -1, 1, -1, 1, -1, -1])
TASK = Task("sample", entropy=3)
EVERY_CURVE = pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)


def posterior_of(weights, scores=SCORES, codes=CODES, repeats=REPEATS):
    """Return a posterior of two parameter vectors of known weight, each drawn many times."""
    sample = ScoreSample.from_items(scores, codes, np.asarray(weights, dtype=float))
    # Without the spreading of ties P(y | s) is Bayes' rule at a point.
    scale = replace(learn_scale(sample, "identity"), ties=SpreadTies.none())
    mixture = TwoClassMixture(Norm(), Norm())
    u = np.stack([mixture.real(p[0], p[1:3], p[3:]) for p in PARAMETERS])
    points = np.repeat(u, repeats, axis=0)
    log_weights = np.log(np.repeat([0.25, 0.75], repeats) / repeats)
    return MixturePosterior(
        scale, sample, (mixture,), (Draws(points, log_weights, 0.0, 0.0),), np.ones(1)
    )


def bayes(parameters, scores):
    prevalence, mean_0, std_0, mean_1, std_1 = parameters
    positive = prevalence * stats.norm(mean_1, std_1).pdf(scores)
    return positive / (positive + (1.0 - prevalence) * stats.norm(mean_0, std_0).pdf(scores))


def completions(weights):
    """Yield all completions of the labels, by atoms, with their probability by either vector.

    An item of weight w is floor(w) atoms of weight one and one of the rest.
    """
    atoms = [
        (score, atom)
        for score in np.unique(SCORES)
        for atom in split(np.sum(np.asarray(weights)[(score == SCORES) & (CODES == -1)]))
    ]
    assert len(atoms) <= 8
    chances = [
        bayes(parameters, np.array([score for score, _ in atoms])) for parameters in PARAMETERS
    ]
    known = [(s, w, c) for s, w, c in zip(SCORES, weights, CODES, strict=True) if c >= 0]
    for labels in itertools.product([0, 1], repeat=len(atoms)):
        chance = np.prod(np.where(labels, chances, 1.0 - np.array(chances)), axis=1)
        drawn = [(s, w, y) for (s, w), y in zip(atoms, labels, strict=True)]
        yield np.array(known + drawn).T, chance


def split(weight):
    whole = int(np.floor(weight))
    return [1.0] * whole + ([weight - whole] if weight > whole else [])


WEIGHTS = pytest.mark.parametrize(
    "weights",
    [
        pytest.param(np.ones(9), id="items"),
        pytest.param(np.array([1.0, 0.4, 1.0, 0.5, 2.5, 1.0, 1.0, 1.7, 1.0]), id="weights"),
    ],
)


def positives_by_cell(points):
    return np.diff(points.tp, axis=1, prepend=0.0)[:, ::-1]


@WEIGHTS
@pytest.mark.parametrize("vector", [0, 1])
def test_drawn_labels_have_the_distribution_of_all_labelings(weights, vector):
    posterior = posterior_of(weights)
    drawn = over_draws(posterior, positives_by_cell, TASK)
    rows = drawn[vector * REPEATS : (vector + 1) * REPEATS]
    found = Counter(map(tuple, np.round(rows, 9)))
    expected = Counter()
    for (scores, atoms, labels), chance in completions(weights):
        by_cell = [np.sum((atoms * labels)[scores == s]) for s in np.unique(SCORES)]
        expected[tuple(np.round(by_cell, 9))] += chance[vector]
    assert found.keys() <= expected.keys()
    # Pearson's test; what is too rare for it is one class together.
    common = [key for key, chance in expected.items() if chance * REPEATS >= 5.0]
    observed = np.array([found[key] for key in common])
    wanted = np.array([expected[key] for key in common]) * REPEATS
    rest = REPEATS - observed.sum(), REPEATS - wanted.sum()
    observed, wanted = np.r_[observed, rest[0]], np.r_[wanted, max(rest[1], 1e-12)]
    statistic = np.sum((observed - wanted) ** 2 / wanted)
    assert stats.chi2(len(wanted) - 1).sf(statistic) > ALARM


def mean_and_tolerance(draws, vector):
    """Return the mean over the draws of one parameter vector, and how far it may be off."""
    rows = draws[vector * REPEATS : (vector + 1) * REPEATS]
    return rows.mean(), -stats.norm.ppf(ALARM / 2.0) * rows.std() / np.sqrt(REPEATS) + 1e-12


@WEIGHTS
def test_average_precision_has_the_mean_of_all_labelings(weights):
    draws = ranking_estimate(AveragePrecision(), posterior_of(weights), TASK).draws
    expected = sum(
        chance * average_precision_score(labels, scores, sample_weight=atoms)
        for (scores, atoms, labels), chance in completions(weights)
    )
    for vector in (0, 1):
        mean, tolerance = mean_and_tolerance(draws, vector)
        assert abs(mean - expected[vector]) < tolerance


@WEIGHTS
def test_f_measure_at_a_threshold_has_the_mean_of_all_labelings(weights):
    estimate = threshold_estimate(as_metric("f1"), posterior_of(weights), TASK, threshold=0.3)
    expected = sum(
        chance * fbeta_score(labels, scores >= 0.3, beta=1.0, sample_weight=atoms)
        for (scores, atoms, labels), chance in completions(weights)
    )
    for vector in (0, 1):
        mean, tolerance = mean_and_tolerance(estimate.draws, vector)
        assert abs(mean - expected[vector]) < tolerance


@WEIGHTS
def test_a_brier_score_has_the_mean_of_the_probabilities_of_each_item(weights):
    estimate = probability_estimate(
        as_metric("brier_score"), posterior_of(weights), TASK, predicted=special.expit
    )
    predicted = special.expit(SCORES)
    for vector in (0, 1):
        mean, tolerance = mean_and_tolerance(estimate.draws, vector)
        chances = np.where(CODES < 0, bayes(PARAMETERS[vector], SCORES), CODES)
        losses = chances * (1.0 - predicted) ** 2 + (1.0 - chances) * predicted**2
        assert abs(mean - np.average(losses, weights=weights)) < tolerance
    assert estimate.draws.std() > 0.0


def test_scores_of_which_one_is_no_probability_are_none():
    with pytest.raises(ValueError, match=r"needs predicted probabilities .* run from -1 to 2"):
        probability_estimate(as_metric("brier_score"), posterior_of(np.ones(9)), TASK)


@WEIGHTS
def test_prevalence_of_the_sample_has_the_mean_of_the_probabilities(weights):
    draws = ranking_estimate(Prevalence(), posterior_of(weights), TASK).draws
    for vector in (0, 1):
        mean, tolerance = mean_and_tolerance(draws, vector)
        chances = np.where(CODES < 0, bayes(PARAMETERS[vector], SCORES), CODES)
        assert abs(mean - np.average(chances, weights=weights)) < tolerance


# --- one completion, many questions ----------------------------------------------------


@WEIGHTS
def test_every_answer_is_of_the_same_completion_and_equals_scikit_learn(weights):
    posterior = posterior_of(weights, repeats=30)
    cells = posterior.sample
    positives = over_draws(posterior, positives_by_cell, TASK)
    precision = ranking_estimate(AveragePrecision(), posterior, TASK).draws
    called = threshold_estimate(as_metric("f1"), posterior, TASK, threshold=0.3).draws
    y_true = np.repeat([0, 1], cells.n_cells)
    y_score = np.tile(cells.scores, 2)
    for i, row in enumerate(positives):
        counts = np.r_[cells.counts - row, row]
        assert_allclose(
            precision[i], average_precision_score(y_true, y_score, sample_weight=counts), atol=1e-12
        )
        expected = fbeta_score(y_true, y_score >= 0.3, beta=1.0, sample_weight=counts)
        assert_allclose(called[i], expected, atol=1e-12)


@WEIGHTS
def test_callable_metric_sees_the_same_completion_as_the_built_in_one(weights):
    posterior = posterior_of(weights, repeats=30)
    ours = ranking_estimate(AveragePrecision(), posterior, TASK)
    theirs = callable_estimate(average_precision_score, posterior, TASK)
    assert_allclose(theirs.draws, ours.draws, atol=1e-12)
    assert theirs.name == "average_precision_score"


def test_known_labels_stay():
    drawn = over_draws(posterior_of(np.ones(9), repeats=100), positives_by_cell, TASK)
    cells = posterior_of(np.ones(9), repeats=1).sample
    assert (drawn >= cells.positive).all()
    assert (drawn <= cells.counts - cells.negative).all()


def test_same_seed_same_labels_and_another_seed_others():
    posterior = posterior_of(np.ones(9), repeats=100)
    first = over_draws(posterior, positives_by_cell, TASK)
    again = over_draws(posterior, positives_by_cell, TASK)
    other = over_draws(posterior, positives_by_cell, Task("sample", entropy=4))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("target", ["sample", "population"])
def test_answers_do_not_depend_on_the_number_of_workers(target):
    posterior = posterior_of(np.ones(9), repeats=100)
    with parallel_config("threading"):
        bands = [
            curve_band(PRECISION_RECALL, posterior, Task(target, 3, n_jobs=n), n_points=20)
            for n in (1, 2)
        ]
    assert np.array_equal(bands[0].draws, bands[1].draws)


# --- targets, thresholds, zero division ------------------------------------------------

ALL_LABELED = np.where(CODES < 0, SCORES > 0.0, CODES).astype(int)


@EVERY_CURVE
def test_band_of_a_completely_labeled_sample_has_no_width(curve):
    posterior = posterior_of(np.ones(9), codes=ALL_LABELED, repeats=40)
    band = curve_band(curve, posterior, TASK, n_points=30)
    lower, upper = band.envelope(0.99)
    assert_allclose(upper - lower, 0.0, atol=1e-15)
    assert band.draws.shape == (80, 30)
    assert (band.x_name, band.y_name) == (curve.x_name, curve.y_name)


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if issubclass(m, ThresholdMetric)])
def test_metric_against_the_threshold_is_the_metric_at_each_threshold(name):
    posterior = posterior_of(np.ones(9), repeats=64)
    thresholds = np.array([-1.0, 0.0, 0.3, 0.31, 2.0])
    # These scores are no probabilities.
    metric = NetBenefit(0.3) if METRICS[name].takes_threshold else METRICS[name]()
    for target in ("sample",) if metric.counts_items else ("sample", "population"):
        task = Task(target, entropy=3)
        band = threshold_band(metric, posterior, task, thresholds=thresholds)
        for j, threshold in enumerate(thresholds):
            number = threshold_estimate(metric, posterior, task, threshold=threshold)
            if band.undefined[j] == 1.0:
                # A curve goes on where the metric is defined nowhere; a single one is not a number.
                assert np.isnan(number.draws).all()
            else:
                assert_allclose(band.draws[:, j], number.draws, atol=1e-12)


def test_item_at_the_threshold_is_called_positive():
    posterior = posterior_of(np.ones(9), codes=ALL_LABELED, repeats=2)
    recall = as_metric("recall")
    for threshold in np.unique(SCORES):
        number = threshold_estimate(recall, posterior, TASK, threshold=threshold)
        expected = np.mean(SCORES[ALL_LABELED == 1] >= threshold)
        assert_allclose(number.value, expected, atol=1e-15)


@pytest.mark.parametrize("zero_division", [None, 0.0, 1.0, np.nan])
def test_undefined_draws_take_the_value_asked_for_and_their_weight_is_reported(zero_division):
    # No label at all: now and then no item is positive, and recall is not defined.
    posterior = posterior_of(np.ones(3), SCORES[:3], np.full(3, -1))
    task = replace(TASK, zero_division=zero_division)
    estimate = threshold_estimate(as_metric("recall"), posterior, task, threshold=-0.2)
    positives = over_draws(posterior, positives_by_cell, TASK).sum(axis=1)
    none = positives == 0.0
    assert none.any()
    assert_allclose(estimate.undefined, posterior.weights[none].sum(), rtol=1e-12)
    expected = 0.0 if zero_division is None else zero_division
    assert_allclose(estimate.draws[none], expected)
    assert np.isfinite(estimate.draws[~none]).all()
    assert np.isfinite(estimate.interval()).all()


def test_precision_at_recall_and_the_curve_agree():
    posterior = posterior_of(np.ones(9), repeats=64)
    for target in ("sample", "population"):
        task = Task(target, entropy=3)
        band = curve_band(PRECISION_RECALL, posterior, task, n_points=10)
        number = Question.of("precision", recall=0.7).estimate(posterior, None, task)
        assert_allclose(band.at(0.7).draws, number.draws, atol=1e-12)


def test_recall_at_precision_keeps_the_precision():
    posterior = posterior_of(np.ones(9), repeats=64)
    task = replace(TASK, zero_division=np.nan)
    recalls = Question.of("recall", precision=0.6).estimate(posterior, None, task).draws
    for recall, row in zip(recalls, over_draws(posterior, _curve, TASK), strict=True):
        precision_there, recall_there = np.split(row, 2)
        kept = recall_there[precision_there >= 0.6]
        assert_allclose(recall, kept.max() if len(kept) else np.nan, atol=1e-12)


def _curve(points):
    return np.hstack([points.tp / (points.tp + points.fp), points.tp / points.n_positive])


def test_a_recall_takes_the_share_of_a_cell_of_many_scores_that_it_needs():
    tp, fp = np.array([[5.0, 8.0, 10.0]]), np.array([[10.0, 10.0, 30.0]])
    steps = np.array([False, False, True])
    points = OperatingPoints(tp, fp, tp[:, -1:], fp[:, -1:], steps)
    # Half of the first cell, all of it, two thirds of the second, and a cell of one score.
    counts = np.array([5.0, 10.0, 10.0, 30.0])
    rate = false_positive_rate_at_recall(points, np.array([0.25, 0.5, 0.7, 1.0]))
    assert_allclose(rate, [counts / 30.0])


# --- refusals --------------------------------------------------------------------------

LARGER, SMALLER = ScoreDirection(), ScoreDirection(greater_is_positive=False)
POPULATION = Task("population", entropy=3)
REFUSED = {
    "curve": (lambda: as_curve("pr"), "Unknown curve 'pr'. .*Choose one of precision_recall"),
    "auc curve": (lambda: as_curve("roc_auc"), r"a number, not a curve; use estimate\('roc_auc'\)"),
    "curve of rows": (
        lambda: as_curve("value_weighted_recall"),
        r"computed on rows.*estimate\('value_weighted_recall'",
    ),
    "ndcg of a population": (
        lambda: POPULATION.check_metric(as_metric("ndcg")),
        "'ndcg' counts items of a sample",
    ),
    "no threshold": (lambda: increasing_thresholds([], LARGER), "thresholds must hold at least"),
    "table": (lambda: increasing_thresholds([[0.0, 1.0]], LARGER), "thresholds must hold at least"),
    "infinite": (lambda: increasing_thresholds([0.0, np.inf], LARGER), "finite numbers, got inf"),
    "percent": (
        lambda: warn_of_thresholds(np.array([-0.9, -0.1]), np.array([-50.0]), SMALLER),
        "threshold=50: the scores lie between 0.1 and 0.9. Did you mean 50%, threshold=0.5?",
    ),
    "one probability": (lambda: predictions(lambda _: 0.5, SCORES), "each of 9 scores, got an arr"),
    "no number": (
        lambda: callable_estimate(lambda y, s: "high", posterior_of(np.ones(9)), TASK),
        "must return one number, got 'high'",
    ),
    "callable of a population": (
        lambda: callable_estimate(fbeta_score, posterior_of(np.ones(9)), POPULATION),
        "target='population' of a metric of rows needs the rows of X as items",
    ),
}


@pytest.mark.parametrize(("ask", "message"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_answer_is_refused_by_name(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()


def test_thresholds_increase_where_larger_scores_mean_positive():
    assert increasing_thresholds([2.0, 1.0, 2.0], LARGER).tolist() == [1.0, 2.0]
    assert increasing_thresholds([2.0, 1.0, 2.0], SMALLER).tolist() == [-2.0, -1.0]
