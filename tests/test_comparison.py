"""Pairs of families side by side."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe._parameter import BetaPrior
from sklearn_spe._sample import ScoreSample
from sklearn_spe._scale import learn_scale
from sklearn_spe.comparison import COMBINE, compare
from sklearn_spe.datasets import make_scores
from sklearn_spe.families import GumbelL, GumbelR, Norm
from sklearn_spe.posterior import mixture_for

PAIRS = [(Norm(), Norm()), (GumbelR(), GumbelR()), (GumbelL(), Norm())]


@pytest.fixture(scope="module")
def compared():
    """Return a function that compares the pairs on one sample, each rule once."""
    scores, labels = make_scores(400, random_state=0)
    labels[60:] = -1
    sample = ScoreSample.from_items(scores, labels, np.ones(400))
    scale = learn_scale(sample)
    results = {}

    def run(combine="average", *, proposal="adaptive", n_draws=100, n_jobs=None):
        key = combine, proposal, n_draws, n_jobs
        if key not in results:
            results[key] = compare(
                [mixture_for(*pair, scale, BetaPrior()) for pair in PAIRS],
                scale,
                sample,
                scale.apply(sample),
                combine=combine,
                proposal=proposal,
                n_draws=n_draws,
                entropy=1,
                n_jobs=n_jobs,
            )
        return results[key]

    return run


# --- the rules -------------------------------------------------------------------------

LOG_LIKELIHOOD = np.array([-10.0, -12.0, -11.0])
LOG_EVIDENCE = np.array([-1010.0, -1008.0, -1009.0])


@pytest.mark.parametrize("combine", COMBINE)
def test_weights_of_a_rule_are_shares_and_only_differences_matter(combine):
    rule = COMBINE[combine]
    weights = rule(LOG_LIKELIHOOD, LOG_EVIDENCE)
    assert_allclose(weights.sum(), 1.0, rtol=1e-12)
    assert (weights >= 0.0).all()
    assert_allclose(rule(LOG_LIKELIHOOD + 5.0, LOG_EVIDENCE - 700.0), weights, rtol=1e-9)


def test_average_weighs_by_the_evidence():
    weights = COMBINE["average"](LOG_LIKELIHOOD, LOG_EVIDENCE)
    assert_allclose(weights[1] / weights[0], np.exp(2.0), rtol=1e-12)
    assert_allclose(weights[1] / weights[2], np.exp(1.0), rtol=1e-12)


def test_evidence_takes_the_most_evident_and_likelihood_the_likeliest():
    assert COMBINE["evidence"](LOG_LIKELIHOOD, LOG_EVIDENCE).tolist() == [0.0, 1.0, 0.0]
    assert COMBINE["likelihood"](LOG_LIKELIHOOD, LOG_EVIDENCE).tolist() == [1.0, 0.0, 0.0]


# --- on data ---------------------------------------------------------------------------


def test_pairs_are_told_in_the_order_given(compared):
    comparison, _ = compared()
    assert comparison.negative == ("norm", "gumbel_r", "gumbel_l")
    assert comparison.positive == ("norm", "gumbel_r", "norm")
    assert len(comparison) == 3


def test_the_true_pair_has_the_most_evidence(compared):
    comparison, _ = compared()
    assert np.argmax(comparison.log_evidence) == 0
    assert np.argmax(comparison.log_likelihood) == 0


def test_averaged_weights_are_those_of_the_evidence_without_the_negligible(compared):
    comparison, posterior = compared()
    weights = special.softmax(comparison.log_evidence)
    weights = np.where(weights < 1e-3, 0.0, weights)
    assert_allclose(comparison.weights, weights / weights.sum(), rtol=1e-12)
    kept = comparison.weights > 0.0
    assert_allclose(posterior.mixture_weights, comparison.weights[kept], rtol=1e-12)
    names = [f"{n}-{p}" for n, p in zip(comparison.negative, comparison.positive, strict=True)]
    assert [m.name for m in posterior.mixtures] == [names[k] for k in np.flatnonzero(kept)]


@pytest.mark.parametrize("combine", ["evidence", "likelihood"])
def test_rule_that_chooses_leaves_one_pair(compared, combine):
    comparison, posterior = compared(combine)
    best = np.argmax(getattr(comparison, f"log_{combine}"))
    assert np.flatnonzero(comparison.weights).tolist() == [best]
    assert posterior.mixture_weights.tolist() == [1.0]
    assert posterior.mixtures[0].negative.name == comparison.negative[best]


def test_rule_does_not_change_what_was_fitted(compared):
    average, evidence = compared()[0], compared("evidence")[0]
    assert_allclose(average.log_evidence, evidence.log_evidence, atol=0.0)
    assert_allclose(average.log_likelihood, evidence.log_likelihood, atol=0.0)


def test_quality_of_the_draws_is_that_of_each_pair(compared):
    comparison, posterior = compared("evidence")
    best = np.argmax(comparison.weights)
    assert comparison.ess[best] == posterior.draws[0].ess
    assert comparison.pareto_k[best] == posterior.draws[0].pareto_k


def test_diagonal_proposal_agrees_with_the_adaptive_one_on_the_evidence(compared):
    adaptive, diagonal = compared(n_draws=400)[0], compared(proposal="diagonal", n_draws=400)[0]
    assert np.isfinite(diagonal.log_evidence).all()
    # The paper's proposal knows no correlations: near, in units of a factor.
    assert_allclose(diagonal.log_evidence[0], adaptive.log_evidence[0], atol=0.5)


def test_comparison_does_not_depend_on_the_number_of_workers(compared):
    one, two = compared(n_jobs=1), compared(n_jobs=2)
    assert np.array_equal(one[0].log_evidence, two[0].log_evidence)
    for a, b in zip(one[1].draws, two[1].draws, strict=True):
        assert np.array_equal(a.points, b.points)


def test_frame_has_one_row_a_pair_the_heaviest_first(compared):
    comparison, _ = compared()
    frame = comparison.to_frame()
    assert len(frame) == 3
    order = np.argsort(-comparison.weights, kind="stable")
    assert frame["weights"].tolist() == comparison.weights[order].tolist()
    assert frame["negative"].tolist()[0] == comparison.negative[order[0]]
    expected = ["negative", "positive", "log_likelihood", "log_evidence", "ess", "pareto_k"]
    assert list(frame.columns) == [*expected, "weights"]


def test_repr_is_one_line_that_names_the_heaviest_pair(compared):
    text = repr(compared("evidence")[0])
    assert text == "Comparison(3 pairs; best norm-norm with weight 1.00)"
