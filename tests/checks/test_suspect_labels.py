"""Labels that the others do not expect are found, and wrong ones are among the first."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe import (
    PerformanceCurveEstimator,
    SemisupervisedScoreMixture,
)
from sklearn_spe.checks._fit_verdict import reasons_of_experts
from sklearn_spe.checks._label_checks import SuspectLabels
from sklearn_spe.checks._reasons import reasons_of_labels, reasons_of_order
from sklearn_spe.inputs._scores import ScoreDirection
from tests.engine.updates import with_curves, with_update
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET

N = 600


def pool(seed, separation=4.0):
    """Return scores of two normal classes, and the truth: the first 40 hold both classes."""
    rng = np.random.default_rng(seed)
    truth = (np.arange(N) % 4 == 0).astype(int)
    return rng.normal(separation * truth, 1.0), truth


def quick(seed, **parameters):
    return SemisupervisedScoreMixture(
        "norm",
        "norm",
        experts=EXPERTS,
        n_draws=400,
        random_state=seed,
        **parameters,
    )


def quietly(estimator, *arguments, **options):
    """Fit; that the verdict warns is not what is looked at here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(*arguments, **options)


def with_wrong_labels(seed, n_labels=40):
    """Return scores and labels, of which those of the best negative and the worst positive lie."""
    scores, truth = pool(seed)
    y = np.where(np.arange(N) < n_labels, truth, -1)
    wrong = np.array([np.argmax(scores[:n_labels]), np.argmin(scores[:n_labels])])
    y[wrong] = 1 - truth[wrong]
    return scores, y, wrong


def test_a_wrong_label_of_the_highest_score_is_suspect(global_random_seed):
    # Six standard deviations above the mean of the class that it claims, or more.
    scores, truth = pool(global_random_seed, separation=6.0)
    y = np.where(np.arange(N) < 40, truth, -1)
    wrong = np.argmax(scores[:40])
    y[wrong] = 0
    performance = PerformanceCurveEstimator(quick(global_random_seed))
    found = quietly(performance, scores, y).suspect_labels_
    # A positive between the classes may be as doubtful.
    assert wrong in found.item
    assert_array_equal(found.score, scores[found.item])
    assert_array_equal(found.label, y[found.item])
    assert (np.diff(found.probability) >= 0.0).all()
    assert ((found.probability > 0.0) & (found.probability < 0.1)).all()
    assert_array_equal(found.to_frame()["item"], found.item)


def test_the_probability_is_that_of_a_fit_without_the_label(global_random_seed):
    # Both are means over 2,000 correlated draws; the harmonic one has the heavier tail.
    scores, y, _ = with_wrong_labels(global_random_seed)
    mixture = quick(global_random_seed).set_params(n_draws=2000)
    quietly(mixture, scores, y)
    for row in mixture.suspect_labels_.item[:2]:
        without = np.where(np.arange(N) == row, -1, y)
        refitted = quietly(quick(global_random_seed), scores, without)
        positive = refitted.predict_proba(scores[[row]])[0, 1]
        at = np.flatnonzero(mixture.suspect_labels_.item == row)[0]
        wanted = positive if y[row] else 1.0 - positive
        assert abs(mixture.suspect_labels_.probability[at] - wanted) < 0.06


def test_improbably_many_are_worth_a_remark():
    scores, y, wrong = with_wrong_labels(0)
    found = quietly(quick(0), scores, y).suspect_labels_
    for expected in (0.001, 0.01, 0.5, 1.5, 4.0, 50.0):
        # Of two limits, 0.1 and 0.001.
        reasons = list(replace(found, expected=expected, expected_most=expected / 10.0).reasons())
        n_most = (found.probability < 0.001).sum()
        tails = stats.poisson.sf([len(found) - 1, n_most - 1], [expected, expected / 10.0])
        p_value = tails.min()
        assert [r.verdict for r in reasons] == (["ok"] if p_value <= 0.02 else [])
        for reason in reasons:
            assert_allclose(reason.value, p_value, rtol=1e-9)
            assert f"{scores[found.item[0]]:.6g}" in reason.text
            assert f"where {expected:.1f} are expected" in reason.text
    assert not list(replace(found, item=wrong[:0]).reasons())


def test_names_directions_weights_and_updates():
    scores, y, _ = with_wrong_labels(0)
    plain = quietly(quick(0), scores, y)
    names = np.array([None, "bad", "good"], dtype=object)[np.where(y < 0, 0, y + 1)]
    named = quick(0, greater_is_positive=False, pos_label="good")
    quietly(named, -scores, names)
    assert_array_equal(named.suspect_labels_.item, plain.suspect_labels_.item)
    assert_array_equal(named.suspect_labels_.score, -plain.suspect_labels_.score)
    assert set(named.suspect_labels_.label) <= {"bad", "good"}
    # A row that stands for no item has no label.
    weights = np.ones(N)
    weights[plain.suspect_labels_.item[0]] = 0.0
    assert plain.suspect_labels_.item[0] not in (
        quietly(quick(0), scores, y, sample_weight=weights).suspect_labels_.item
    )
    first = plain.suspect_labels_.item[0]
    y[first] = 1 - y[first]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert first not in plain.update(scores, y).suspect_labels_.item
    assert len(pickle.loads(pickle.dumps(plain)).suspect_labels_) == len(plain.suspect_labels_)


def test_of_a_tie_all_items_surprise_or_none_and_that_is_no_misfit(global_random_seed):
    # Two scores, as verdicts of a judge are: of the lower one 2 of 20 labels are positive.
    scores = np.arange(N) % 2.0
    y = np.where(np.arange(N) < 40, np.arange(N) % 2, -1)
    y[[0, 2]] = 1
    mixture = quietly(quick(global_random_seed, score_scale="identity"), scores, y)
    assert set(mixture.suspect_labels_.score) <= {0.0}
    assert len(mixture.suspect_labels_) in (0, 2)
    told = [r.verdict for r in mixture.verdict_.reasons if r.name == "suspect_labels"]
    assert set(told) <= {"ok"}


# --- the verdict's other doubts of a curve ------------------------------------------------


def posterior_with(log_odds=None, weight=None, n_labels=12):
    """Return a fit whose curves, or whose heaviest expert's weight, are given."""
    scores, truth = pool(1)
    y = np.where(np.arange(N) < n_labels, truth, -1)
    posterior = quietly(quick(1), scores, y).posterior_
    if log_odds is not None:
        shifts = np.linspace(-0.1, 0.1, posterior.n_draws)[:, np.newaxis]
        posterior = with_curves(posterior, log_odds(posterior.cells.scores) + shifts)
    if weight is not None:
        updated = posterior.updated
        weights = replace(updated.weights, posterior=np.array([weight, 1.0 - weight]))
        posterior = with_update(posterior, replace(updated, weights=weights))
    return posterior


def reasons_with(**given):
    """Return the reasons for a fit of which something is given."""
    posterior = posterior_with(**given)
    direction = ScoreDirection()
    reasons = [
        *reasons_of_labels(posterior, direction),
        *reasons_of_order(posterior, direction),
        *reasons_of_experts(posterior, (0.1, 0.9), direction),
    ]
    return {reason.name: reason for reason in reasons}


def test_a_probability_that_falls_is_a_reason():
    assert "falling_curve" not in reasons_with(log_odds=lambda s: 2.0 * s - 4.0)
    # Probable up to a score of 2, and then no more: half of the items lie on a wrong side.
    reason = reasons_with(log_odds=lambda s: np.where(s < 2.0, 2.0, -2.0))["falling_curve"]
    assert reason.verdict == "ok"
    low, high = special.expit([-2.0, 2.0])
    above = np.mean(pool(1)[0] >= 2.0)
    level = above * low + (1.0 - above) * high
    moved = above * (level - low) + (1.0 - above) * (high - level)
    assert reason.value == pytest.approx(moved / min(level, 1.0 - level), rel=0.1)
    # A peak of a few items is no matter.
    assert "falling_curve" not in reasons_with(log_odds=lambda s: np.where(s < -2.0, 2.0, s))


def test_a_weight_that_few_labels_tested_is_a_reason():
    reason = reasons_with(weight=0.95)["one_expert_alone"]
    assert reason.verdict == "unidentified"
    assert reason.value == 3.0
    assert "one_expert_alone" not in reasons_with(weight=0.8)
    assert "one_expert_alone" not in reasons_with(weight=0.95, n_labels=60)


def test_labels_that_pass_together_ring_no_alarm(global_random_seed):
    # A judge of two verdicts, right in nine of ten: the misses of each verdict share a probability.
    n_fits = 8
    rng = np.random.default_rng(global_random_seed)
    n_rung = 0
    for seed in range(n_fits):
        truth = (rng.random(N) < 0.7).astype(int)
        verdict = np.where(rng.random(N) < 0.9, truth, 1 - truth)
        y = np.where(np.arange(N) < 50, truth, -1)
        performance = PerformanceCurveEstimator(n_draws=300, random_state=seed)
        found = quietly(performance, None, y, judges={"judge": verdict}).suspect_labels_
        n_rung += found.are_many
    # Each rings with a probability of at most .02.
    assert n_rung <= stats.binom.isf(1e-3, n_fits, 0.02)


def test_suspect_labels_are_shown_by_row_or_said_to_be_none():
    found = SuspectLabels(
        np.array([7, 3]),
        np.array([0.25, 2.0]),
        np.array(["ham", "spam"]),
        np.array([0.01, 0.05]),
        0.5,
    )
    assert found.p_value == pytest.approx(stats.poisson.sf(1, 0.5))
    assert not found.are_many
    assert repr(found).splitlines()[0] == "SuspectLabels: 2 suspect labels (0.5 expected)"
    assert [line.split() for line in repr(found).splitlines()[2:]] == [
        ["7", "0.25", "0.010", "'ham'"],
        ["3", "2", "0.050", "'spam'"],
    ]
    assert found._repr_html_().count("<tr>") == 3
    assert len(found.none()) == 0
    assert repr(found.none()) == "SuspectLabels: 0 suspect labels (0.0 expected)"
    assert "No label is suspect" in found.none()._repr_html_()


def test_suspect_labels_are_named_by_whoever_knows_their_names():
    columns = np.arange(4), np.zeros(4), np.zeros(4, dtype=int), np.full(4, 0.01)
    (reason,) = SuspectLabels(*columns, 0.5).reasons([f"item {k}" for k in "abcd"])
    assert "4 labels are improbable" in reason.text
    assert "item a (1.0%), item b (1.0%), item c (1.0%), item d (1.0%)" in reason.text
    (reason,) = SuspectLabels(*(column[:1] for column in columns), 0.01).reasons(score="margin")
    assert "1 label is improbable" in reason.text
    assert "0 at margin 0 (1.0%)" in reason.text


def test_a_prior_without_width_is_no_measure_of_what_labels_tell():
    posterior = posterior_with()
    for before, is_told in (((0.5, 0.5), False), ((0.5, 0.5 + 1e-9), True)):
        found = reasons_of_experts(posterior, before, ScoreDirection())
        assert ("prior_dominates" in {reason.name for reason in found}) == is_told
