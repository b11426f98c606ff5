"""The score mixture as a scikit-learn density model."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, special, stats
from sklearn.preprocessing import StandardScaler

from sklearn_spe.datasets import make_scores
from sklearn_spe.families import Norm
from tests.estimators.score_mixture.data import BOTH_KINDS, QUICK
from tests.quick import QUIET

pytestmark = QUIET


# --- what it says -------------------------------------------------------------------------------


@BOTH_KINDS
def test_probabilities_are_those_of_the_true_mixture_when_there_are_many_labels(problem, experts):
    scores, labels = make_scores(4000, random_state=problem.seed)
    mixture = problem.mixture(n_draws=300, experts=experts).fit(scores, labels)
    new = np.linspace(-1.0, 3.0, 17)
    truth = special.expit(np.log(0.3 / 0.7) + stats.norm.logpdf(new, 2) - stats.norm.logpdf(new))
    # With 1200 positives the log odds are known to about 0.15 in the middle.
    assert_allclose(mixture.predict_proba(new)[:, 1], truth, atol=0.15)
    assert_allclose(mixture.prevalence_.value, 0.3, atol=5.0 * np.sqrt(0.21 / 4000))
    assert_allclose(mixture.prevalence_.standard_error, np.sqrt(0.21 / 4000), rtol=0.3)


def test_the_probability_is_the_posterior_expectation(fitted):
    new = np.array([-1.0, 1.0, 2.5])
    posterior = fitted.posterior_
    by_draw = np.vstack([posterior.positive_probability(new, b) for b in posterior.blocks()])
    expected = (posterior.weights[:, np.newaxis] * by_draw).sum(axis=0)
    # Of curves it is interpolated between sixteen points a cell.
    assert_allclose(
        fitted.predict_proba(new), np.column_stack([1.0 - expected, expected]), atol=1e-4
    )


GRID = np.linspace(-30.0, 30.0, 6001)
DENSITIES = {
    "standard": ("scores", "auto", "norm", None),
    "transformer": ("scores", StandardScaler(), "truncnorm", None),
    "logit": ("probabilities", "auto", "norm", None),
    "experts": ("scores", "auto", "truncnorm", QUICK),
}


@pytest.mark.parametrize(
    ("scores", "score_scale", "family", "experts"), DENSITIES.values(), ids=DENSITIES
)
def test_score_samples_is_a_density_on_the_scale_of_the_scores(
    problem, scores, score_scale, family, experts
):
    grid = special.expit(1.5 * GRID) if scores == "probabilities" else GRID
    mixture = problem.mixture(
        family, family, score_scale=score_scale, experts=experts, n_draws=40
    ).fit(getattr(problem, scores), problem.partial)
    assert mixture.score_scale_.name in (score_scale, "standard", "logit", "transformer")
    density = np.exp(mixture.score_samples(grid))
    # The logit is clipped, and what lies beyond the clip is cut off.
    assert integrate.trapezoid(density, grid) == pytest.approx(1.0, abs=0.01)


def test_score_is_the_mean_of_logs_computed_by_hand(fitted):
    new = np.array([-0.5, 0.7, 1.4, 2.8])
    density, probability = np.exp(fitted.score_samples(new)), fitted.predict_proba(new)[:, 1]
    posterior = fitted.posterior_
    joint = sum(
        np.einsum(
            "i,ij->j", posterior.weights[b.rows], np.exp(posterior.log_score_density(new, b)[1])
        )
        for b in posterior.blocks()
    )
    expected = np.log([density[0] - joint[0], joint[1], joint[2], density[3]])
    assert_allclose(fitted.score(new, [0, 1, 1, -1]), expected.mean(), rtol=1e-10)
    assert_allclose(fitted.score(new), np.log(density).mean(), rtol=1e-12)
    # P(y = 1 | s) and p(s, y = 1) / p(s) differ only in where the draws are averaged.
    assert_allclose(joint / density, probability, atol=0.05)


def test_the_joint_density_of_both_classes_is_the_density(fitted):
    negative = np.array([fitted.score([s], [0]) for s in (-1.0, 1.0, 3.0)])
    positive = np.array([fitted.score([s], [1]) for s in (-1.0, 1.0, 3.0)])
    assert_allclose(np.logaddexp(negative, positive), fitted.score_samples([-1.0, 1.0, 3.0]))


def test_samples_follow_the_fitted_density(problem, fitted):
    scores, labels = fitted.sample(3000, random_state=problem.seed)
    assert set(labels.tolist()) == {0, 1}
    assert_allclose(labels.mean(), fitted.prevalence_.mean(), atol=5.0 * np.sqrt(0.25 / 3000))
    grid = np.linspace(-8.0, 10.0, 2001)
    cdf = np.cumsum(np.exp(fitted.score_samples(grid))) * (grid[1] - grid[0])
    assert stats.kstest(scores, lambda s: np.interp(s, grid, cdf)).pvalue > 1e-6


# --- the ways of scikit-learn -------------------------------------------------------------------


@BOTH_KINDS
def test_fit_changes_no_parameter(problem, experts):
    parameters = {"negative": ["norm", Norm()], "score_scale": StandardScaler(), "n_draws": 50}
    mixture = problem.mixture(**parameters, experts=experts)
    before = {name: repr(value) for name, value in mixture.get_params(deep=False).items()}
    mixture.fit(problem.scores, problem.partial)
    assert {n: repr(v) for n, v in mixture.get_params(deep=False).items()} == before


@BOTH_KINDS
def test_a_pickle_holds_the_sample_and_the_rows_once_and_nothing_else_that_grows(problem, experts):
    scores, labels = make_scores(100_000, random_state=problem.seed)
    y = np.where(np.arange(100_000) < 50, labels, -1)
    mixture = problem.mixture("norm", "norm", n_draws=50, experts=experts).fit(scores, y)
    # Five arrays a distinct score (score, lowest score, three counts) of 8 bytes; of each row, of
    # which answers speak, its score and weight of 8 bytes and its code of one; and 100 kB for the
    # rest, beside 50 curves on a few hundred cells.
    curves = 0 if experts is None else 8 * 50 * 400
    assert len(pickle.dumps(mixture)) < (5 * 8 + 2 * 8 + 1) * 100_000 + 100_000 + curves


@pytest.mark.parametrize(("scores", "experts"), [("tied", QUICK), ("scores", None)])
def test_weighted_data_equal_repeated_data(problem, scores, experts):
    scores = getattr(problem, scores)
    counts = np.random.default_rng(problem.seed).integers(0, 4, 200)
    weighted = problem.mixture(experts=experts).fit(scores, problem.partial, sample_weight=counts)
    repeated = problem.mixture(experts=experts).fit(
        np.repeat(scores, counts), np.repeat(problem.partial, counts)
    )
    assert np.array_equal(
        weighted.predict_proba(problem.scores), repeated.predict_proba(problem.scores)
    )
    assert np.array_equal(weighted.prevalence_.draws, repeated.prevalence_.draws)
    assert np.array_equal(weighted.posterior_.weights, repeated.posterior_.weights)
    assert weighted.comparison_.log_evidence == repeated.comparison_.log_evidence


# --- more labels --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda scores: scores[:-1], "199 items"),
        (lambda scores: scores + 1.0, "200 items"),
        (lambda scores: np.r_[scores, 0.0], "201 items"),
    ],
)
def test_update_takes_the_scores_of_fit_only(problem, fitted, change, what):
    scores = change(problem.scores)
    before = fitted.predict_proba(problem.scores)
    y = np.resize(problem.partial, len(scores))
    with pytest.raises(ValueError, match=f"{what} with .* distinct scores.*Call fit"):
        fitted.update(scores, y)
    assert np.array_equal(fitted.predict_proba(problem.scores), before)
