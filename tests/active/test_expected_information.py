"""What a label would tell, against every labelling of a tiny pool and plain linear algebra."""

import dataclasses
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special
from sklearn.metrics import accuracy_score, average_precision_score, precision_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.active._information import (
    ExpectedInformation,
    cells_of,
    expected_values,
    probability_draws,
    weights_between_curves,
)
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.exceptions import UnidentifiedWarning
from sklearn_spe.goals._question import Question
from sklearn_spe.metrics import PrecisionAtK
from sklearn_spe.posterior._operating_points import (
    precision_at_recall,
    sample_operating_points,
)
from sklearn_spe.posterior._registry import PRECISION_RECALL
from tests.active.pools import information_of
from tests.active.tiny import (
    CODES,
    SCORES,
    cell_of,
    every_labeling,
    performance_of,
    true_covariance,
    true_gain,
)
from tests.quick import QUIET

pytestmark = QUIET

FREE = np.flatnonzero(CODES < 0)
AT = 0.0
# Metrics whose denominator is no matter of the labels.
LINEAR = {
    "prevalence": (Question.of("prevalence"), np.mean),
    "accuracy": (
        Question.of("accuracy", threshold=AT),
        lambda y: accuracy_score(y, SCORES >= AT),
    ),
    "precision": (
        Question.of("precision", threshold=AT),
        lambda y: precision_score(y, SCORES >= AT),
    ),
    "precision_at_k": (Question.of(PrecisionAtK(3)), lambda y: y[SCORES >= 1.0].mean()),
}
EVERY_LINEAR = pytest.mark.parametrize("name", LINEAR)


def information(question, performance):
    return ExpectedInformation.of(question, performance, cells_of(performance.posterior_))


# --- one label -------------------------------------------------------------------------


@EVERY_LINEAR
def test_a_gain_is_the_expected_drop_of_the_variance(name, global_random_seed):
    question, value = LINEAR[name]
    performance = performance_of(global_random_seed)
    gains = information(question, performance).gains
    labels, chances = every_labeling(performance)
    assert chances.sum() == pytest.approx(1.0)
    values = np.array([value(row) for row in labels])
    cell = cell_of(performance)
    for item in FREE:
        want = true_gain(values, labels, chances, item)
        assert gains[cell[item]] == pytest.approx(want, rel=1e-9, abs=1e-15)
    assert gains[cell[FREE]].max() > 1e-4


@EVERY_LINEAR
def test_the_expectation_is_the_mean_over_labelings(name, global_random_seed):
    question, value = LINEAR[name]
    performance = performance_of(global_random_seed)
    cells = cells_of(performance.posterior_)
    _, p = probability_draws(performance.posterior_, cells)
    labels, chances = every_labeling(performance)
    mean = sum(chance * value(row) for chance, row in zip(chances, labels, strict=True))
    assert expected_values(question, performance, cells, p).mean() == pytest.approx(mean)


def test_average_precision_is_right_to_first_order(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = np.sort(rng.normal(size=9))
    codes = np.r_[0, 0, np.full(5, -1), 1, 1]
    performance = performance_of(global_random_seed, scores, codes)
    labels, chances = every_labeling(performance, scores, codes)
    cell = cell_of(performance, scores)
    values = np.array([average_precision_score(row, scores) for row in labels])
    found = information(Question.of("average_precision"), performance).covariance[0]
    want = [true_covariance(values, labels, chances, item) for item in range(2, 7)]
    assert_allclose(found[cell[2:7]], want, atol=0.3 * np.abs(want).max())


def test_a_label_that_is_certain_tells_nothing(global_random_seed):
    log_odds = np.tile(np.linspace(-50.0, 50.0, 7), (4, 1))
    performance = performance_of(global_random_seed, log_odds=log_odds)
    gains = information(Question.of("prevalence"), performance).gains
    assert gains[[0, 6]] == pytest.approx(0.0, abs=1e-12)
    # Curves that are all alike: what is left is the item itself.
    p = special.expit(log_odds[0])
    assert_allclose(gains, p * (1.0 - p) / 64.0, atol=1e-12)


def test_a_metric_that_is_not_defined_promises_nothing(global_random_seed):
    certain = np.full((4, 7), -800.0)
    performance = performance_of(
        global_random_seed, codes=np.where(CODES == 1, -1, CODES), log_odds=certain
    )
    assert_array_equal(
        information(Question.of("average_precision"), performance).gains, np.zeros(7)
    )


def test_draws_in_which_it_is_not_defined_are_left_out(global_random_seed):
    codes = np.where(CODES == 1, -1, CODES)
    good = performance_of(global_random_seed, codes=codes, n_draws=4).posterior_.updated.log_odds
    both = performance_of(
        global_random_seed, codes=codes, log_odds=np.vstack([good, np.full((2, 7), -800.0)])
    )
    alone = performance_of(global_random_seed, codes=codes, log_odds=good)
    question = Question.of("average_precision")
    assert_allclose(
        information(question, both).covariance, information(question, alone).covariance, rtol=1e-9
    )


# --- through labels that are drawn ------------------------------------------------------


def covariance_error(values, labels, chances, item, n_draws):
    """Return the standard error of a covariance of n draws."""
    z = labels[:, item] - chances @ labels[:, item]
    off = values - chances @ values
    product = z[:, np.newaxis] * off
    return np.sqrt(np.maximum(chances @ product**2 - (chances @ product) ** 2, 0.0) / n_draws)


def test_drawn_labels_tell_the_same_as_gradients(global_random_seed):
    def share(y_true, y_score):
        return float(y_true.mean())

    performance = performance_of(global_random_seed, n_draws=250)
    drawn = information(Question.of(share), performance)
    exact = information(Question.of("prevalence"), performance)
    labels, chances = every_labeling(performance)
    cell = cell_of(performance)
    # The two tied items share a cell, which tells of both.
    for item in FREE[:-2]:
        error = covariance_error(
            labels.mean(axis=1)[:, np.newaxis], labels, chances, item, n_draws=250
        )
        at = cell[item]
        assert abs(drawn.covariance[0, at] - exact.covariance[0, at]) < 5.0 * error[0]
    # Nothing is learned of items that are labelled.
    assert_array_equal(drawn.covariance[0, cell[CODES >= 0]], 0.0)
    assert_array_equal(drawn.noise, exact.noise)


def test_gains_of_a_precision_recall_curve_are_those_of_its_points(global_random_seed):
    performance = performance_of(global_random_seed, n_draws=250, n_points=5)
    found = information(Question.of("precision_recall"), performance)
    labels, chances = every_labeling(performance)
    sample = performance.posterior_.sample
    positives = np.array(
        [ScoreSample.from_items(SCORES, row.astype(np.int8), np.ones(8)).positive for row in labels]
    )
    points = sample_operating_points(sample, positives)
    values = precision_at_recall(points, PRECISION_RECALL.grid(5))
    cell = cell_of(performance)
    for item in FREE[:-2]:
        want = true_covariance(values, labels, chances, item)
        error = covariance_error(values, labels, chances, item, n_draws=250)
        assert (np.abs(found.covariance[:, cell[item]] - want) < 5.0 * error + 1e-12).all()
    variance = found.variance + found.noise
    assert_allclose(found.gains, (found.covariance**2).sum(axis=0) / variance)


# --- several labels --------------------------------------------------------------------


def conditioned(start, asked, cells):
    """Return Cov(M, z) and Var(z) of items given labels of others, by the Schur complement."""
    p, n_values = start.probability, len(start.covariance)
    items = [*asked, *cells]
    joint = p[:, items].T @ p[:, items]
    joint[np.diag_indices(len(items))] += start.noise[items]
    k = len(asked)
    cross = np.hstack([start.covariance[:, asked], start.covariance[:, cells]])
    solved = np.linalg.solve(joint[:k, :k], joint[:k, k:])
    covariance = cross[:, k:] - cross[:, :k] @ solved
    variance = np.diag(joint)[k:] - np.einsum("ij,ij->j", joint[:k, k:], solved)
    assert covariance.shape == (n_values, len(cells))
    return covariance, variance


@pytest.mark.parametrize("asked", [[3], [3, 7], [3, 3, 3], [0, 11, 5, 5, 2, 0]])
def test_after_a_question_it_is_conditioned_as_normals_are(asked, global_random_seed):
    start = information_of(12, global_random_seed, n_values=3)
    now = start
    for cell in asked:
        now = now.after(cell)
    covariance, variance = conditioned(start, asked, list(range(12)))
    assert_allclose(now.covariance, covariance, atol=1e-12)
    assert_allclose(now.variance + now.noise, variance, atol=1e-12)
    assert_allclose(now.gains, (covariance**2).sum(axis=0) / variance, rtol=1e-9)
    assert_array_equal(start.gains, information_of(12, global_random_seed, n_values=3).gains)


def test_a_gain_is_what_asking_takes_from_the_variance(global_random_seed):
    # Of draws of one metric that curves alone decide: Var(M) falls by the sum of the gains.
    rng = np.random.default_rng(global_random_seed)
    p = special.expit(np.cumsum(rng.normal(size=(100, 6)), axis=1))
    metric = p @ rng.random(6)
    scaled = (p - p.mean(axis=0)) / 10.0
    start = ExpectedInformation(
        scaled,
        ((metric - metric.mean()) @ scaled / 10.0)[np.newaxis],
        np.sum(scaled**2, axis=0),
        np.mean(p * (1.0 - p), axis=0),
    )
    dropped, now, asked = 0.0, start, []
    for cell in (0, 3, 3, 5, 1):
        dropped += now.gains[cell]
        now = now.after(cell)
        asked.append(cell)
        joint = scaled[:, asked].T @ scaled[:, asked]
        joint[np.diag_indices(len(asked))] += start.noise[asked]
        cross = start.covariance[0, asked]
        assert dropped == pytest.approx(cross @ np.linalg.solve(joint, cross))
    assert dropped < metric.var()


# --- a real posterior ------------------------------------------------------------------


@pytest.fixture(scope="module", params=["auto", None], ids=["experts", "bare"])
def fitted(request, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(size=700)
    truth = rng.random(700) < special.expit(2.0 * scores - 1.0)
    y = np.where(np.arange(700) < 40, truth, -1)
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=request.param, n_draws=300, random_state=global_random_seed
    )
    with warnings.catch_warnings():
        # Whether forty labels decide between experts is a matter of the draw.
        warnings.simplefilter("ignore", UnidentifiedWarning)
        return PerformanceCurveEstimator(mixture).fit(scores, y)


def test_cells_hold_all_items_once(fitted):
    cells = cells_of(fitted.posterior_)
    assert cells.counts.sum() == 700
    chosen, p = probability_draws(fitted.posterior_, cells)
    assert p.shape == (len(chosen), cells.n_cells)
    assert len(chosen) <= 250
    mean = fitted.posterior_.expected_probability(cells.scores)
    # Draws that are as often as their weight stand for all of them.
    assert_allclose(p.mean(axis=0), mean, atol=0.02)


def test_gains_of_merged_cells_are_those_of_one_of_their_items(fitted):
    cells = cells_of(fitted.posterior_)
    _, p = probability_draws(fitted.posterior_, cells)
    found = information(Question.of("prevalence"), fitted)
    sample = fitted.posterior_.sample
    at = np.searchsorted(cells.lower, sample.scores, side="right") - 1
    unlabeled = np.bincount(at, sample.unlabeled, cells.n_cells)
    share = p @ unlabeled / 700.0
    of_curve = np.mean((share - share.mean())[:, None] * (p - p.mean(axis=0)), axis=0)
    own = np.where(unlabeled > 0.0, np.mean(p * (1.0 - p), axis=0) / 700.0, 0.0)
    assert_allclose(found.covariance[0], of_curve + own, rtol=1e-9, atol=1e-15)
    mean = p.mean(axis=0)
    assert_allclose(found.variance + found.noise, mean * (1.0 - mean), rtol=1e-9)


def test_a_threshold_inside_a_cell_shares_its_items(fitted):
    cells = cells_of(fitted.posterior_)
    scores = fitted.posterior_.sample.scores
    threshold = scores[350]
    _, p = probability_draws(fitted.posterior_, cells)
    values = expected_values(Question.of("accuracy", threshold=threshold), fitted, cells, p)
    # By the probabilities of items themselves, known labels included.
    sample = fitted.posterior_.sample
    at = np.searchsorted(cells.lower, scores, side="right") - 1
    above = scores >= threshold
    share = np.bincount(at, above * sample.counts) / cells.counts
    right = p[:, at] * share[at] + (1.0 - p[:, at]) * (1.0 - share[at])
    known = sample.positive * share[at] + sample.negative * (1.0 - share[at])
    assert_allclose(values, (right @ sample.unlabeled + known.sum()) / 700.0, rtol=1e-9)


def test_drawn_labels_are_those_of_the_answer_however_many_scores_there_are(global_random_seed):
    # More scores than a curve is computed on, curves all alike: labels alone move the metric.
    n = 6000
    performance = performance_of(
        global_random_seed,
        np.arange(float(n)),
        np.full(n, -1),
        n_draws=250,
        log_odds=np.zeros((250, 1)),
    )
    cells = cells_of(performance.posterior_)
    found = information(Question.of("precision_recall"), performance)
    assert PRECISION_RECALL.grid(5)[-1] == 1.0
    # All items are found at about the last positive: precision is prevalence.
    total = found.covariance[-1] @ cells.counts
    assert total == pytest.approx(0.25, rel=5.0 * np.sqrt(2.0 / 250.0))


def test_curves_count_by_the_root_of_their_share_where_there_are_few():
    performance = performance_of(0)
    posterior = performance.posterior_
    updated = dataclasses.replace(posterior.updated, component=np.array([0, 0, 0, 0, 1, 2]))
    items = dataclasses.replace(posterior.items, updated=updated)
    few = dataclasses.replace(posterior, items=items)
    weights = weights_between_curves(few)
    of_curves = np.bincount(updated.component, weights)
    expected = np.sqrt([4.0, 1.0, 1.0])
    assert of_curves == pytest.approx(expected / expected.sum())
