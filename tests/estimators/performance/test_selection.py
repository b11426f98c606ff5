"""Answers: what is labelled is in them or not by its label, and a threshold decides of the rest."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.exceptions import UnreachableGoalError
from tests.estimators.performance.several import mixture
from tests.quick import QUIET

pytestmark = QUIET
GOAL = {"precision": 0.6, "recall": 0.5}


@pytest.fixture(scope="module")
def tiny(global_random_seed):
    """Return eleven scores, their labels, and those of four items of both classes."""
    rng = np.random.default_rng(global_random_seed)
    labels = np.r_[1, 0, 1, 0, rng.integers(0, 2, 7)]
    scores = np.round(labels + rng.normal(size=11), 1)
    return scores, labels, np.where(np.arange(11) < 4, labels, -1)


def probabilities(performance):
    """Return P(y = 1) of each row and draw, as the posterior has it."""
    posterior = performance.posterior_
    if not performance.model_.table.is_one_pool:
        items = performance.model_.table.item_of_row
        blocks = [posterior.items.probability(block, items) for block in posterior.blocks()]
    else:
        scores = performance.model_.given.scores[:, 0]
        blocks = [posterior.positive_probability(scores, block) for block in posterior.blocks()]
    return np.concatenate(blocks)


# --- how probable it is that an answer keeps a goal -------------------------------------------


@pytest.mark.parametrize("structure", [None, "groups", "category"])
def test_the_probability_is_that_of_all_labelings_of_what_is_not_known(tiny, structure):
    scores, _, y = tiny
    given = {} if structure is None else {structure: np.arange(11) % 3}
    performance = PerformanceCurveEstimator(mixture(n_draws=400), random_state=0)
    performance.fit(scores, y, **given)
    free, p = np.flatnonzero(y < 0), probabilities(performance)[:, y < 0]
    weights, labels = performance.posterior_.weights, np.maximum(y, 0)
    thresholds = np.unique(scores)[1::2]
    answers = np.where(y < 0, scores >= thresholds[:, None], y == 1)
    expected = np.zeros(len(thresholds))
    for labeling in product((0, 1), repeat=len(free)):
        labels[free] = labeling
        chance = weights @ np.where(np.array(labeling) == 1, p, 1.0 - p).prod(axis=1)
        found = answers @ labels
        kept = (found >= 0.6 * answers.sum(axis=1)) & (found >= 0.5 * labels.sum())
        expected += chance * kept
    band = performance.goal_probability(**GOAL, thresholds=thresholds)
    # One completion for each draw: the sd of a share is at most half of Kish's 1 / sqrt(n), and a
    # normal is beyond 5 once in a million.
    assert_allclose(band.value, expected, atol=2.5 * np.sqrt(weights @ weights))
    rule = performance.goal_probability(**GOAL, thresholds=thresholds, target="population")
    assert not np.allclose(rule.value, band.value)


def test_once_all_is_labeled_the_answer_is_right(tiny):
    scores, labels, _ = tiny
    performance = PerformanceCurveEstimator(mixture(), random_state=0).fit(scores, labels)
    threshold = performance.threshold_for(precision=0.99, recall=0.99, confidence_level=0.999)
    assert np.array_equal(performance.selection(threshold), labels == 1)
    for name in ("precision", "recall"):
        found = performance.estimate(name, selection=threshold)
        assert (found.value, *found.interval()) == (1.0, 1.0, 1.0)


def test_known_positives_alone_are_an_answer(tiny):
    scores, _, y = tiny
    for sign in (1.0, -1.0):
        performance = PerformanceCurveEstimator(
            mixture(), greater_is_positive=sign > 0, random_state=0
        ).fit(sign * scores, y)
        threshold = performance.threshold_for(precision=0.999, confidence_level=0.9999)
        band = performance.goal_probability(precision=0.999, thresholds=[threshold])
        assert_allclose(band.value, 1.0, atol=1e-12)
        assert np.array_equal(performance.selection(threshold), y == 1)
        above = sign * np.nextafter(scores.max(), np.inf) * (1.0 + 1e-10)
        assert np.array_equal(performance.selection(above), y == 1)
        # A population has no known labels.
        with pytest.raises(UnreachableGoalError):
            performance.threshold_for(precision=0.999, confidence_level=0.9999, target="population")
    # Nothing known is no answer.
    performance = PerformanceCurveEstimator(mixture(), random_state=0).fit(
        scores, np.where(y == 1, -1, y), sample_weight=np.ones(11)
    )
    with pytest.raises(UnreachableGoalError):
        performance.threshold_for(precision=0.999, confidence_level=0.9999)


# --- which items are in it ---------------------------------------------------------------------


def test_the_answer_has_a_place_for_each_row_of_x(tiny):
    scores, _, y = tiny
    named = np.where(y < 0, None, np.where(y == 1, "bad", "good"))
    weights = np.where(np.arange(11) % 5 == 4, 0, 2)
    for pos_label, sign in (("bad", 1.0), ("good", -1.0)):
        for given in ({}, {"category": np.arange(11) % 2}):
            performance = PerformanceCurveEstimator(
                mixture(), pos_label=pos_label, greater_is_positive=sign > 0, random_state=0
            ).fit(scores, named, weights, **given)
            threshold = float(np.median(scores))
            above = np.where(y < 0, sign * scores >= sign * threshold, named == pos_label)
            answer = performance.selection(threshold)
            assert np.array_equal(answer, above & (weights > 0))
            if given:
                own = performance.of(category=1).selection(threshold)
                assert np.array_equal(own, answer & (np.arange(11) % 2 == 1))
    with pytest.raises(ValueError, match="threshold must lie in"):
        performance.selection(np.nan)


def test_of_several_systems_each_has_an_answer(systems):
    fitted = systems.estimator().fit(systems.scores, systems.first(50))
    for system in (0, 2):
        threshold = fitted.of(system=system).threshold_for(recall=0.7, confidence_level=0.6)
        answer = fitted.of(system=system).selection(threshold)
        above = systems.scores[:, system] >= threshold
        assert np.array_equal(answer[50:], above[50:])
        assert np.array_equal(answer[:50], systems.labels[:50] == 1)
    with pytest.raises(ValueError, match="by system="):
        fitted.selection(0.0)
