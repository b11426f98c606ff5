"""Labelled scores of the source."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import special, stats

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.experts import SourceScores
from tests.experts.problems import cells_of, line, sample_of
from tests.quick import QUIET

pytestmark = QUIET

TRUTHS = {
    "logistic": line(-1.0, 1.5),
    "flat": line(-2.0, 0.0),
    "falling": line(0.0, -1.0),
    "bent": lambda s: -2.0 + 3.0 * np.tanh(s),
}


def source(truth, seed, n=20_000):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0.0, 1.2, n)
    return scores, (rng.random(n) < special.expit(truth(scores))).astype(int)


def bank(expert, scores, seed):
    return expert.prior_curves(cells_of(scores), np.random.default_rng([seed, 1]))


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
def test_many_labels_of_the_source_leave_its_curve(truth, global_random_seed):
    target = np.random.default_rng(global_random_seed).normal(0.0, 1.0, 2000)
    cells = cells_of(target)
    curves = bank(
        SourceScores(*source(truth, global_random_seed)), target, global_random_seed
    ).curves
    inner = np.abs(cells.scores) < 2.0
    exact = truth(cells.scores)
    # Half of the curves are the source's, the others lie as often above as below. The standard
    # error of a log-odds is that of the labels within half a unit of a score. The largest of all
    # is 2.6 of these with a deviation of 0.8, and 7 once in a million.
    p = special.expit(exact)
    error = (20_000 * stats.norm.pdf(cells.scores, scale=1.2) * p * (1.0 - p)) ** -0.5
    assert (np.abs(np.median(curves, axis=1) - exact) < 7.0 * error)[inner].all()
    near = np.abs(curves - exact[:, np.newaxis])[inner].mean(axis=0) < 0.2
    assert near.mean() > 0.3


def test_a_shift_of_the_prevalence_is_among_the_curves(global_random_seed):
    truth = TRUTHS["logistic"]
    target = np.random.default_rng(global_random_seed).normal(0.0, 1.0, 2000)
    cells = cells_of(target)
    curves = bank(
        SourceScores(*source(truth, global_random_seed)), target, global_random_seed
    ).curves
    inner = np.abs(cells.scores) < 2.0
    for shift in (-1.5, -0.7, 0.7, 1.5):
        far = np.abs(curves - (truth(cells.scores) + shift)[:, np.newaxis])
        # Eighteen at least are expected of 250; one or none comes once in a million times.
        assert (far[inner].mean(axis=0) < 0.25).sum() > 1


def test_few_labels_of_the_source_leave_the_curve_open(global_random_seed):
    target = np.random.default_rng(global_random_seed).normal(0.0, 1.0, 2000)
    spreads = [
        bank(
            SourceScores(*source(TRUTHS["logistic"], global_random_seed, n)),
            target,
            global_random_seed,
        )
        .curves.std(axis=1)
        .mean()
        for n in (30, 20_000)
    ]
    assert spreads[0] > spreads[1]


def test_unlabeled_items_of_the_source_are_left_out(global_random_seed):
    scores, labels = source(TRUTHS["logistic"], global_random_seed, 500)
    target = np.random.default_rng(global_random_seed).normal(size=300)
    known = np.random.default_rng([global_random_seed, 2]).random(500) < 0.7
    marked = np.where(known, labels, -1)
    one = bank(SourceScores(scores, marked), target, global_random_seed)
    other = bank(SourceScores(scores[known], labels[known]), target, global_random_seed)
    assert_array_equal(one.curves, other.curves)


def test_a_source_that_is_right_is_believed_and_one_that_is_wrong_is_not(global_random_seed):
    truth = TRUTHS["logistic"]
    scores, labels = source(truth, [global_random_seed, 5], 2000)
    y = np.where(np.arange(2000) < 200, labels, -1)
    weights = []
    for of_source in (truth, lambda s: -truth(s)):
        experts = ["rank_binormal", SourceScores(*source(of_source, global_random_seed, 5000))]
        mixture = SemisupervisedScoreMixture(
            experts=experts, n_draws=50, random_state=global_random_seed
        )
        updated = mixture.fit(scores, y).posterior_.updated.weights
        assert updated.names[1] == "source_scores"
        weights.append((updated.prior[1], updated.posterior[1]))
    assert weights[0][1] > 0.5
    # Where no label is near the prior returns, in some strata of the draws.
    assert weights[1][1] < weights[1][0] / 20.0


@pytest.mark.parametrize(
    ("scores", "labels", "message"),
    [
        ([0.0, 1.0, 2.0], [-1, -1, -1], "got 0 positive and 0 negative"),
        ([0.0, 1.0, 2.0], None, "got 0 positive and 0 negative"),
        ([], [], "got 0 positive and 0 negative"),
        ([0.0, 1.0, 2.0], [0, 0, 0], "got 0 positive and 3 negative"),
        ([0.0, 1.0, 2.0], [1, 1, np.nan], "got 2 positive and 0 negative"),
        ([0.0, 1.0, 2.0], [0, 1], "must have the same length, got 3 scores and 2 labels"),
        ([0.0, np.nan, 2.0], [0, 1, 1], "with 1 that are not finite"),
        ([0.0, np.inf, 2.0], [0, 1, 1], "with 1 that are not finite"),
        ([[0.0], [1.0]], [0, 1], r"of shape \(n_source,\); got shape \(2, 1\)"),
        ([1.5, 1.5, 1.5], [0, 1, 1], "all have the score 1.5"),
    ],
)
def test_a_source_that_says_nothing_is_refused_at_once(scores, labels, message):
    with pytest.raises(ValueError, match=message):
        SourceScores(scores, labels)


@pytest.mark.parametrize("transform", [special.expit, lambda s: 100.0 + s], ids=["unit", "shift"])
def test_a_source_on_another_scale_is_refused(transform, global_random_seed):
    scores, labels = source(TRUTHS["logistic"], global_random_seed, 500)
    with pytest.raises(ValueError, match="both are on different scales"):
        bank(
            SourceScores(transform(scores), labels), np.linspace(-3.0, 3.0, 500), global_random_seed
        )


def test_a_few_scores_beyond_the_source_are_no_other_scale(global_random_seed):
    scores, labels = source(TRUTHS["logistic"], global_random_seed, 500)
    target = sample_of(np.r_[scores, scores.max() + np.arange(1.0, 50.0)]).scores
    assert np.isfinite(bank(SourceScores(scores, labels), target, global_random_seed).curves).all()
