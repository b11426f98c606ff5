"""The expert that takes a score at its word."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe.data._cells import KINDS
from sklearn_spe.experts import ScoreLogOdds
from tests.experts.problems import cells_of


@pytest.fixture
def probabilities(global_random_seed):
    return special.expit(np.random.default_rng([global_random_seed, 1]).normal(-2.0, 1.5, 3000))


@pytest.mark.parametrize("kind", KINDS)
def test_every_curve_is_an_increasing_line_in_the_log_odds(kind, probabilities, global_random_seed):
    cells = cells_of(probabilities, kind)
    curves = ScoreLogOdds().curves(cells, np.random.default_rng(global_random_seed))
    design = np.column_stack([np.ones(cells.n_cells), cells.log_odds])
    coefficients = np.linalg.lstsq(design, curves.T, rcond=None)[0]
    assert_allclose(design @ coefficients, curves.T, atol=1e-8)
    assert (coefficients[1] > 0.0).all()


@pytest.mark.parametrize("kind", ["auto", "probability", "log_odds"])
def test_a_calibrated_score_is_among_the_curves(kind, probabilities, global_random_seed):
    scores = special.logit(probabilities) if kind == "log_odds" else probabilities
    cells = cells_of(scores, kind)
    truth = special.logit(cells.scores) if kind != "log_odds" else cells.scores
    curves = ScoreLogOdds().curves(cells, np.random.default_rng(global_random_seed))
    inner = np.abs(truth) < 4.0
    near = np.abs(curves - truth)[:, inner].max(axis=1) < 0.4
    # Enough of them that a few labels can choose.
    assert near.sum() > 30


def test_an_overconfident_margin_and_a_shifted_one_are_among_the_curves(global_random_seed):
    scores = np.random.default_rng(global_random_seed).normal(size=3000)
    cells = cells_of(scores)
    rng = np.random.default_rng([global_random_seed, 0])
    curves = ScoreLogOdds(n_curves=2000).curves(cells, rng)
    inner = np.abs(cells.scores) < 2.0
    for truth in (3.0 * cells.scores, 0.5 * cells.scores, cells.scores - 1.0):
        # About 22 are expected; two or fewer come once in ten million times.
        assert (np.abs(curves - truth)[:, inner].max(axis=1) < 0.5).sum() > 2
